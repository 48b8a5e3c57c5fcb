"""The costs of the records of a code table in one event, on both sides if these are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_MAX_COSTLIEST = 200  # locations that the keys for costliest lines visit
_NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ChangeRule:
    """How the sides of a comparison are subtracted in one event, and which of them lack it."""

    change: Callable[[BothSides], CostArray]
    base_lacks_event: bool = False
    new_lacks_event: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CodeCosts:
    """The costs of the records in one event; zero where a record has none.

    In a comparison they are changes, NaN if unknown, and `sides` has what they are the changes of.
    """

    self_cost: CostArray
    inclusive: CostArray
    # inclusive cost of the costliest location, or the size of the largest change: a full bar
    maximum: int | float = 0
    # records of the locations with the highest inclusive costs, costliest first, up to a limit
    costliest: Int64Array = field(default_factory=_NOTHING.copy)
    # sums over each line with the lines inlined there, shape (groups,)
    group_self: CostArray = field(default_factory=_NOTHING.copy)
    group_inclusive: CostArray = field(default_factory=_NOTHING.copy)
    sides: tuple[Self, Self] | None = None  # base and new
    rule: ChangeRule | None = None  # of changes

    def with_sums(self, groups: BoolArray, hosts: Int64Array, visible: Int64Array) -> Self:
        """Return the costs with the sums of some groups at their hosts.

        `groups` is a mask of the groups, `hosts` the record of each group's host, and `visible` the
        records of the locations that remain visible.
        """
        self_cost, inclusive = self.self_cost.copy(), self.inclusive.copy()
        self_cost[hosts[groups]] = self.group_self[groups]
        inclusive[hosts[groups]] = self.group_inclusive[groups]
        sides = self.sides
        if sides is not None:
            sides = (
                sides[0].with_sums(groups, hosts, visible),
                sides[1].with_sums(groups, hosts, visible),
            )
        return replace(
            self,
            self_cost=self_cost,
            inclusive=inclusive,
            sides=sides,
            **extremes(visible, inclusive if sides is None else np.abs(inclusive)),
        )


NO_COSTS = CodeCosts(_NOTHING, _NOTHING)


def changed_costs(
    base: CodeCosts, new: CodeCosts, rule: ChangeRule, has_cost: BoolArray, locations: Int64Array
) -> CodeCosts:
    """Return how costs changed; both sides have the same records.

    `has_cost` is a mask of the records that have costs on either side, and `locations` are the
    records of locations among them.
    """
    inclusive = _changes(base.inclusive, new.inclusive, rule, has_cost)
    in_groups = np.ones(len(new.group_self), bool)
    return CodeCosts(
        _changes(base.self_cost, new.self_cost, rule, has_cost),
        inclusive,
        group_self=_changes(base.group_self, new.group_self, rule, in_groups),
        group_inclusive=_changes(base.group_inclusive, new.group_inclusive, rule, in_groups),
        sides=(base, new),
        rule=rule,
        **extremes(locations, np.abs(inclusive)),
    )


def _changes(base: CostArray, new: CostArray, rule: ChangeRule, has_cost: BoolArray) -> CostArray:
    change = rule.change(BothSides(base, new))
    return np.where(has_cost, change, 0.0) if change.dtype.kind == "f" else change


def extremes(locations: Int64Array, sizes: CostArray) -> dict[str, Any]:
    """Return the maximum and the costliest of these records, by costs or the sizes of changes."""
    costs = sizes[locations]
    known = costs[costs == costs]  # without NaN
    maximum = as_number(known.max()) if len(known) else 0
    return {"maximum": maximum, "costliest": _costliest(locations[costs > 0], sizes)}


def _costliest(records: Int64Array, costs: CostArray) -> Int64Array:
    """Return the records with the highest costs, costliest first, of equal ones the first."""
    if len(records) > _MAX_COSTLIEST:  # sorting a million takes 150 ms, this 20
        at_least = np.partition(costs[records], -_MAX_COSTLIEST)[-_MAX_COSTLIEST]
        records = records[costs[records] >= at_least]
    costliest: Int64Array = records[np.argsort(-costs[records], kind="stable")[:_MAX_COSTLIEST]]
    return costliest
