"""What a report on two profiles is made of: both sides, and each function's numbers on them.

Functions have one number for both sides, and arrays the shape (functions,). A cost that a side
does not have is 0; `only_base` and `only_new` say of which functions it has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from qcachegrind_py.analysis.filters.rules import RuleResult
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.tables import BoolArray, Int64Array

Pairing = Literal["exact", "path", "family", "template", "moved", "accepted", "rule"]
CostKind = Literal["self", "inclusive"]

_SAFE = 1 << 62  # differences of smaller integers fit into 64 bits


@dataclass(frozen=True, slots=True)
class ReportSide:
    """One of the two profiles.

    `totals` are what percentages are of, by the events that this side measured.
    """

    files: tuple[str, ...]
    command: str
    totals: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SideDifference:
    """Something in which two runs should agree, such as the command, and what it is in each."""

    what: str
    base: str
    new: str


@dataclass(frozen=True, slots=True)
class FunctionName:
    """Name, file and object of a function, as recorded."""

    name: str
    file: str
    object: str


@dataclass(frozen=True, eq=False)
class TwoSided:
    """A number of each function in the base and in the new profile."""

    base: CostArray
    new: CostArray

    @cached_property
    def change(self) -> CostArray:
        """The new numbers minus those of the base; Python's integers where 64 bits do not do."""
        return difference(self.base, self.new)


def difference(base: CostArray, new: CostArray) -> CostArray:
    """Return new - base exactly; undefined ratios have none."""
    if new.dtype.kind == "f":
        with np.errstate(invalid="ignore"):  # ∞ - ∞
            ratios: CostArray = new - base
        return ratios
    sizes = [abs(int(bound)) for side in (base, new) if len(side) for bound in _bounds(side)]
    if max(sizes, default=0) >= _SAFE:
        base, new = base.astype(object), new.astype(object)
    exact: CostArray = new - base
    return exact


def _bounds(side: CostArray) -> tuple[int, int]:
    return side.min(), side.max()


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """How a change comes about: by the number of calls, and by the cost of one; they add up to it.

    Both are 0 where `is_known` is not set: where a side has no calls, or a function is recursive.
    """

    by_calls: CostArray
    per_call: CostArray
    is_known: BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class EventComparison:
    """The costs in one event that both sides have."""

    event: EventType
    total: tuple[int | float, int | float]  # of the base, and of the new profile
    grown: int  # sum of the self costs' growth; 0 for ratios
    shrunk: int  # sum of the self costs' shrinkage, negative
    self_cost: TwoSided
    inclusive: TwoSided
    effects: Effects

    def costs(self, kind: CostKind) -> TwoSided:
        """Return the self or the inclusive costs."""
        return self.self_cost if kind == "self" else self.inclusive


@dataclass(frozen=True, slots=True)
class RenameProposal:
    """Two functions that may be the same by another name: callees in common, 0 to 1."""

    base: FunctionName
    new: FunctionName
    alike: float


Members = Callable[[Int64Array], list[tuple[FunctionName, ...]]]


@dataclass(frozen=True, slots=True, eq=False)
class FunctionPairs:
    """Which function of the base is which of the new profile.

    `base` and `new` return the recorded names of functions on one side, none for one that the side
    lacks, several for a family; `shown` returns the one that reports show.
    """

    count: int
    base: Members
    new: Members
    shown: Callable[[Int64Array], list[FunctionName]]
    how: Callable[[Int64Array], list[Pairing | None]]  # None: on one side only
    only_base: BoolArray
    only_new: BoolArray


@dataclass(frozen=True, eq=False)
class Comparison:
    """All that a report says, and the functions in their order; `base` is None if there is none."""

    base: ReportSide | None
    new: ReportSide
    differences: tuple[SideDifference, ...]
    events: tuple[EventComparison, ...]  # the first decides what is not said of another
    measured: tuple[EventComparison, ...]  # for JSON, in file order
    events_only_base: tuple[str, ...]
    events_only_new: tuple[str, ...]
    pairs: FunctionPairs
    called: TwoSided
    functions: Int64Array  # in the order of the report, shape (rows,)
    rules: tuple[RuleResult, ...] = ()
    proposals: tuple[RenameProposal, ...] = ()
    exit_code: int = 0
    first_line: Callable[[int], int] = field(default=lambda _: 0)  # of a function; 0: not known

    @property
    def event(self) -> EventComparison:
        """The first event."""
        return self.events[0]

    @property
    def total_events(self) -> Sequence[EventComparison]:
        """The events of which totals are shown: all measured ones, and those asked for."""
        named = [each.event for each in self.events]
        return [*self.events, *(each for each in self.measured if each.event not in named)]
