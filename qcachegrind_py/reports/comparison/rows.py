"""The rows of a table for people: each function's change, its numbers on both sides, and marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qcachegrind_py.analysis.comparison.comparison import CYCLE_DIFFERS
from qcachegrind_py.analysis.comparison.matching import How
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.profile.numbers import (
    NumberStyle,
    format_count,
    format_exact,
    signed_text,
)
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.comparison.contents import (
    ComparisonReport,
    CostKind,
)
from qcachegrind_py.reports.comparison.measures import (
    Measure,
    MeasuredCosts,
    percentage_text,
)
from qcachegrind_py.reports.comparison.pairs import FunctionName
from qcachegrind_py.reports.folding import ESTIMATE_SIGN

COLUMN_TITLES = {
    "change": "Change",
    "percent": "%",
    "base": "Base",
    "new": "New",
    "called": "Called",
}
_ABSENT = "–"
_MARKS = {
    How.FAMILY: "family",
    How.TEMPLATE: "template",
    How.MOVED: "moved",
    How.ACCEPTED: "renamed",
}


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One function: its cells as texts, and the change as a share of the largest, -1 to 1."""

    function: int
    name: FunctionName
    change: str
    percent: str  # of its own value in the base; “new”, “gone”, or empty for shares
    base: str
    new: str
    called: str
    mark: str  # how the sides were paired, if not by the name, and whether a change is noise
    why: str  # how the change comes about if the function is called more or less often; else empty
    bar: float


class ComparisonRows:
    """Makes the rows of some functions at a time."""

    def __init__(
        self, report: ComparisonReport, measure: Measure, kind: CostKind, style: NumberStyle
    ) -> None:
        self._report, self._measure = report, measure
        self._kind, self._style = kind, style
        changes = self._measured(report.functions).change
        self._largest = max((abs(change) for change in changes if change == change), default=0)

    @property
    def columns(self) -> tuple[str, ...]:
        """The keys of the columns of numbers: without a base, there is no change."""
        if self._report.base is None:
            return "new", "called"
        is_share = self._measure.kind == "share"
        return tuple(key for key in COLUMN_TITLES if not (is_share and key == "percent"))

    def cells(self, row: ComparisonRow) -> list[str]:
        """Return the texts of a row in these columns."""
        texts = {
            "change": row.change,
            "percent": row.percent,
            "base": row.base,
            "new": row.new,
            "called": row.called,
        }
        return [texts[key] for key in self.columns]

    def numbers(self, functions: Int64Array) -> list[list[int | float | None]]:
        """Return what these functions are sorted by in each of the columns; None is undefined."""
        costs, called = self._measured(functions), self._report.called
        numbers: dict[str, list[int | float | None]] = {
            "change": [*costs.change],
            "percent": [
                change / abs(base) if base else None
                for change, base in zip(costs.change, costs.base, strict=True)
            ],
            "base": [*costs.base],
            "new": [*costs.new],
            "called": (called.change if self._report.base else called.new)[functions].tolist(),
        }
        return [numbers[key] for key in self.columns]

    def rows(self, functions: Int64Array) -> Iterator[ComparisonRow]:
        """Yield the rows of these functions."""
        pairs, costs = self._report.pairs, self._measured(functions)
        names, how = pairs.shown(functions), pairs.how(functions)
        called, why, noise = self._called(functions), self._why(functions), self._noise(functions)
        estimates, cycles = self._estimates(functions), self._cycles(functions)
        sides = zip(
            pairs.only_base[functions].tolist(), pairs.only_new[functions].tolist(), strict=True
        )
        members = zip(pairs.base(functions), pairs.new(functions), strict=True)
        for place, (is_gone, is_new) in enumerate(sides):
            pair = _mark(how[place], *next(members))
            marks = pair, cycles[place], noise[place], estimates[place]
            yield ComparisonRow(
                int(functions[place]),
                names[place],
                self._text(costs.change[place], signed=True),
                self._percent(costs, place, is_gone=is_gone, is_new=is_new),
                _ABSENT if is_new else self._text(costs.base[place]),
                _ABSENT if is_gone else self._text(costs.new[place]),
                called[place],
                ", ".join(filter(None, marks)),
                why[place],
                costs.change[place] / self._largest if self._largest else 0.0,
            )

    def _measured(self, functions: Int64Array) -> MeasuredCosts:
        event = self._report.event
        costs = event.costs(self._kind)
        some = BothSides(costs.base[functions], costs.new[functions])
        return self._measure.measured(some, event)

    def _text(self, number: int | float, *, signed: bool = False) -> str:
        return self._measure.text(number, self._style, signed=signed)

    def _percent(self, costs: MeasuredCosts, place: int, *, is_gone: bool, is_new: bool) -> str:
        if is_new or is_gone:
            return "" if self._report.base is None else "new" if is_new else "gone"
        if self._measure.kind == "share":
            return ""
        return percentage_text(costs.change[place], costs.base[place], self._style)

    def _called(self, functions: Int64Array) -> list[str]:
        """Return the called counts: both sides if they differ, a dash for one without calls."""
        sides, called = (self._report.base, self._report.new), self._report.called
        before, now = (
            [format_count(count, self._style) for count in counts[functions].tolist()]
            if side and side.has_call_counts
            else [_ABSENT] * len(functions)
            for side, counts in zip(sides, (called.base, called.new), strict=True)
        )
        if self._report.base is None:
            return now
        return [
            after if after == count else f"{count} → {after}"
            for count, after in zip(before, now, strict=True)
        ]

    def _why(self, functions: Int64Array) -> list[str]:
        """Return how inclusive costs changed where the called count did; else empty texts."""
        event, called = self._report.event, self._report.called
        effects = event.effects
        shown = effects.is_known & (called.base != called.new)
        if not self._measure.is_cost:
            return [""] * len(functions)
        return [
            f"inclusive {self._signed(by_calls + per_call)}: {self._signed(by_calls)} by calls, "
            f"{self._signed(per_call)} by cost per call"
            if is_shown
            else ""
            for is_shown, by_calls, per_call in zip(
                shown[functions].tolist(),
                effects.by_calls[functions].tolist(),
                effects.per_call[functions].tolist(),
                strict=True,
            )
        ]

    def _noise(self, functions: Int64Array) -> list[str]:
        """Return a mark for each function whose change may be chance, else empty texts."""
        event = self._report.event
        if event.is_changed is None:
            return [""] * len(functions)
        costs = event.costs(self._kind)
        is_noise = (costs.base != costs.new) & ~event.is_changed
        return ["within noise" if each else "" for each in is_noise[functions].tolist()]

    def _estimates(self, functions: Int64Array) -> list[str]:
        """Return a mark for each function whose costs are partly estimates, else empty texts."""
        folded = self._report.folded
        if folded is None or self._kind != "self":
            return [""] * len(functions)
        estimated = (folded.is_estimated_base | folded.is_estimated_new)[functions]
        return [ESTIMATE_SIGN if each else "" for each in estimated.tolist()]

    def _cycles(self, functions: Int64Array) -> list[str]:
        """Return a mark for each function with other inclusive costs than on one side alone."""
        in_cycle = (self._report.split_cycle[functions] > 0) & (self._kind == "inclusive")
        return [CYCLE_DIFFERS if each else "" for each in in_cycle.tolist()]

    def _signed(self, number: int | float) -> str:
        return signed_text(format_exact(number, "", self._style), number)


def _mark(how: How, base: Sequence[FunctionName], new: Sequence[FunctionName]) -> str:
    """Return how two sides were paired, with the number of functions of a family."""
    if how not in _MARKS:
        return ""
    count = max(len(base), len(new))
    return f"{_MARKS[how]} of {count}" if count > 1 else _MARKS[how]
