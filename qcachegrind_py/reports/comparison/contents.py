"""What a report on two profiles is made of: both sides, and each function's numbers on them.

Functions are the rows of the report, and arrays have the shape (functions,). A cost that a side
does not have is 0; `pairs` tells of which functions it has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from qcachegrind_py.analysis.comparison.comparison import Difference
from qcachegrind_py.analysis.comparison.effects import FunctionEffects
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.analysis.costs.sums import exact_sum
from qcachegrind_py.analysis.filters.rules import RuleResult
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.profile import Diagnostic
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array
from qcachegrind_py.reports.comparison.pairs import FunctionName, FunctionPairs

CostKind = Literal["self", "inclusive"]


@dataclass(frozen=True, slots=True)
class ReportSide:
    """One of the two profiles.

    `totals` are what percentages are of, by the events that this side measured.
    """

    files: tuple[str, ...]
    command: str
    totals: Mapping[str, int]
    runs: int = 1  # of which costs are the medians
    has_calls: bool = True  # False: inclusive costs are those of each function alone
    has_call_counts: bool = True
    diagnostics: tuple[Diagnostic, ...] = ()  # odd lines of the files
    diagnostic_count: int = 0  # may exceed the number of `diagnostics`
    damage: tuple[Diagnostic, ...] = ()  # the first of each file that is cut or lacks costs


@dataclass(frozen=True, slots=True, eq=False)
class EventComparison:
    """The costs in one event that both sides have."""

    event: EventType
    total: tuple[int | float, int | float]  # of the base, and of the new profile
    grown: int  # sum of the self costs' growth; 0 for ratios
    shrunk: int  # sum of the self costs' shrinkage, negative
    self_cost: BothSides
    inclusive: BothSides
    effects: FunctionEffects
    is_changed: BoolArray | None = None  # by more than chance; None without repeated runs

    @property
    def attributed(self) -> tuple[int, int] | None:
        """The sums of the self costs, whose change is that of growth and shrinkage; of no ratio."""
        if self.event.is_ratio:
            return None
        return exact_sum(self.self_cost.base), exact_sum(self.self_cost.new)

    @property
    def remainder(self) -> tuple[int, int] | None:
        """What of the totals no function has; None for ratios and medians, which do not add up."""
        if self.attributed is None or self.is_changed is not None:
            return None
        base, new = (
            int(total) - own for total, own in zip(self.total, self.attributed, strict=True)
        )
        return base, new

    def costs(self, kind: CostKind) -> BothSides:
        """Return the self or the inclusive costs."""
        return self.self_cost if kind == "self" else self.inclusive


@dataclass(frozen=True, slots=True)
class RenameProposal:
    """Two functions that may be the same by another name: callees in common, 0 to 1."""

    base: FunctionName
    new: FunctionName
    alike: float


@dataclass(frozen=True, slots=True, eq=False)
class FoldedSides:
    """What is folded on both sides, and which self costs are partly estimates for that."""

    folds: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]  # key and value of what text says of it
    is_estimated_base: BoolArray
    is_estimated_new: BoolArray


@dataclass(frozen=True, eq=False)
class ComparisonReport:
    """All that a report says, and the functions in their order; `base` is None if there is none."""

    base: ReportSide | None
    new: ReportSide
    differences: tuple[Difference, ...]
    events: tuple[EventComparison, ...]  # the first decides what is not said of another
    measured: tuple[EventComparison, ...]  # for JSON, in file order
    events_only_base: tuple[str, ...]
    events_only_new: tuple[str, ...]
    pairs: FunctionPairs
    called: BothSides
    functions: Int64Array  # in the order of the report, shape (rows,)
    split_cycle: Int32Array  # of each function a cycle that one side alone does not have, or 0
    rules: tuple[RuleResult, ...] = ()
    proposals: tuple[RenameProposal, ...] = ()
    exit_code: int = 0
    folded: FoldedSides | None = None
    first_line: Callable[[int], int] = field(default=lambda _: 0)  # of a function; 0: not known

    @property
    def damage(self) -> tuple[Diagnostic, ...]:
        """What is damaged on both sides."""
        return (*(self.base.damage if self.base else ()), *self.new.damage)

    @property
    def event(self) -> EventComparison:
        """The first event."""
        return self.events[0]

    @property
    def total_events(self) -> Sequence[EventComparison]:
        """The events of which totals are shown: all measured ones, and those asked for."""
        named = [each.event for each in self.events]
        return [*self.events, *(each for each in self.measured if each.event not in named)]
