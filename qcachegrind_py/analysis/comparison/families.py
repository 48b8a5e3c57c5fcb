"""The members of a row: what each function of a family costs on its own side.

A clone of one side is no counterpart of a clone of the other, so that members have no change.
"""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, function_ids
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True)
class Member:
    """One function of a side, with its costs there; the costs of a ratio are floats."""

    function: FunctionId  # in the profile of the side
    name: str
    file: str
    object: str
    self_cost: int | float
    inclusive: int | float
    called: int


@dataclass(frozen=True, slots=True)
class RowMembers:
    """The functions of both sides in a row, each in the order of its profile."""

    base: tuple[Member, ...]
    new: tuple[Member, ...]


def member_names(compared: Comparison, row: int) -> tuple[list[str], list[str]]:
    """Return the recorded names of the members of a row, of the base and of the new side."""
    pairing = compared.pairing
    base, new = (
        [profile.function_name(function) for function in function_ids(members)]
        for profile, members in (
            (compared.base_profile, pairing.base_members(row)),
            (compared.new_profile, pairing.new_members(row)),
        )
    )
    return base, new


def row_members(compared: Comparison, row: int, event: EventType) -> RowMembers:
    """Return the members of a row with their costs; self costs add up to those of the row.

    Raises `ValueError` for an event that only one side has.
    """
    pairing = compared.pairing
    (base, base_scope), (new, new_scope) = compared.separate_queries
    return RowMembers(
        _members(base, base_scope, pairing.base_members(row), event),
        _members(new, new_scope, pairing.new_members(row), event),
    )


def _members(
    queries: ProfileQueries, scope: Scope, functions: Int64Array, event: EventType
) -> tuple[Member, ...]:
    own = event if event.is_derived else queries.events.find(event.name)
    if own is None:
        raise ValueError(f"one of the sides has no event {event.name}")
    return tuple(_member(queries, scope, each, own) for each in function_ids(functions))


def _member(
    queries: ProfileQueries, scope: Scope, function: FunctionId, event: EventType
) -> Member:
    name, file, object_ = queries.names.identity(function)
    inclusive, self_cost = queries.node_costs(function, event, scope)
    called = int(queries.costs(scope).called[function])
    return Member(function, name, file, object_, self_cost, inclusive, called)
