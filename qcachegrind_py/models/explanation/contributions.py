"""The list of what the change of a function's inclusive cost consists of.

Its own change comes first, then that of each of its calls, and what neither explains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QModelIndex, QObject

from qcachegrind_py.analysis.comparison.explanation import Explanation, NotSplit
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.analysis.names.function_names import ranks
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import cost_column, name_column
from qcachegrind_py.models.base.comparison_columns import ComparedRows, count_text, why_text
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_SAFE = 1 << 62  # smaller numbers are added in 64 bits
_ARROW = "\N{THIN SPACE}→\N{THIN SPACE}"
_NOT_RECORDED = "–"
_SELF_NAME, _REST_NAME = "Self", "Other"
_SELF_TIP = "The change of the function's own cost. Press Return to see its lines."
_REST_TIP = (
    "What self and calls do not add up to: the function is called recursively, or calls had not "
    "returned when a profile was written."
)
_REASONS = {
    NotSplit.NO: "",
    NotSplit.NEW: "new call",
    NotSplit.GONE: "no longer called",
    NotSplit.IN_CYCLE: "within the cycle",
    NotSplit.RECURSIVE: "calls itself",
    NotSplit.NOT_COUNTED: "calls not counted",
}
_REASON_TIPS = {
    NotSplit.NO: "",
    NotSplit.NEW: "Only the new profile has this call.",
    NotSplit.GONE: "Only the base has this call.",
    NotSplit.IN_CYCLE: "Calls within a cycle have no cost of their own: it is that of the cycle.",
    NotSplit.RECURSIVE: "The cost of a call to itself is part of the function's other calls.",
    NotSplit.NOT_COUNTED: "A side has no count of these calls, so a call has no average cost.",
}


@dataclass(frozen=True, slots=True, eq=False)
class ContributionRows:
    """The rows of the list: the function itself, its calls, and the rest if there is one.

    Those of a cycle are its members.
    """

    labels: Labels
    node: Int64Array  # the callee or member; `NO_NODE` in the rows of self and of the rest
    change: CostArray
    by_calls: CostArray  # shares of the change, which are known where it is split
    per_call: CostArray
    reason: tuple[NotSplit, ...]
    compared: ComparedRows
    mark: Callable[[NodeId], str]  # words behind names
    is_of_cycle: bool

    def __len__(self) -> int:
        return len(self.node)

    def is_self(self, record: int) -> bool:
        """Whether a row is the change of the function itself."""
        return record == 0 and not self.is_of_cycle

    def is_call(self, record: int) -> bool:
        """Whether a row is a call, or a member of a cycle."""
        return int(self.node[record]) != NO_NODE


def contribution_rows(
    explained: Explanation,
    labels: Labels,
    costs: CostFormat,
    mark: Callable[[NodeId], str],
    *,
    is_of_cycle: bool,
) -> ContributionRows:
    """Return the rows of an explanation; `costs` formats the costs of one side."""
    own = 0 if is_of_cycle else 1  # rows before the calls
    more = 1 if explained.rest else 0  # rows behind them
    effects = explained.effects
    is_split: BoolArray = np.array([False] * own + effects.is_known.tolist() + [False] * more)

    def column(of_self: int, calls: CostArray, of_rest: int) -> CostArray:
        values = [of_self] * own + calls.tolist() + [of_rest] * more
        return np.array(values, np.int64 if all(-_SAFE < v < _SAFE for v in values) else object)

    def sides(of_self: tuple[int, int], calls: BothSides) -> BothSides:
        return BothSides(column(of_self[0], calls.base, 0), column(of_self[1], calls.new, 0))

    costs_of_rows = sides(explained.self_cost, explained.cost)
    counts = sides((0, 0), explained.count)
    return ContributionRows(
        labels,
        column(NO_NODE, explained.callee, NO_NODE),
        column(explained.self_change, explained.cost.change, explained.rest),
        column(0, effects.by_calls, 0),
        column(0, effects.per_call, 0),
        (NotSplit.NO,) * own + explained.not_split + (NotSplit.NO,) * more,
        ComparedRows(costs_of_rows, counts, is_split, costs),
        mark,
        is_of_cycle,
    )


class ContributionModel(ArrayTableModel):
    """A table with one record per contribution, sorted by the size of the change."""

    CHANGE, WHY, BY_CALLS, BY_COST, COUNT, EACH, NAME = range(7)

    def __init__(self, parent: QObject | None = None) -> None:
        self.rows: ContributionRows | None = None
        self.format: CostFormat = NO_FORMAT  # of changes
        super().__init__(
            (
                self._change_column(),
                Column(
                    "why",
                    "Why",
                    "Whether the calls became more or costlier, or why that is not known",
                    self._why,
                    lambda: self._ranks(self._why),
                    is_number=False,
                    gives_way=5,
                    width=18,
                ),
                self._effect_column(
                    "by_calls",
                    "By calls",
                    "The part of the change that comes from the number of calls",
                    lambda rows: rows.by_calls,
                    gives_way=3,
                ),
                self._effect_column(
                    "by_cost",
                    "By cost",
                    "The part of the change that comes from the average cost of one call",
                    lambda rows: rows.per_call,
                    gives_way=3,
                ),
                Column(
                    "count",
                    "Calls",
                    "How often it was called from the active function: base → new",
                    self._count,
                    self._count_changes,
                    export_text=lambda r: _exported(self._count(r)),
                    gives_way=4,
                ),
                Column(
                    "each",
                    "Per call",
                    "Average inclusive cost of one call, always absolute: base → new",
                    self._each,
                    self._each_changes,
                    export_text=lambda r: _exported(self._each(r)),
                    gives_way=1,
                    width=18,
                ),
                name_column("name", "Contribution", self._name, lambda: self._ranks(self._name)),
            ),
            parent,
        )

    def _change_column(self) -> Column:
        column = cost_column(
            "change",
            "Change",
            "How much it changed the inclusive cost of the active function",
            lambda: _column(self.rows, lambda rows: rows.change),
            lambda: self.format,
        )
        return replace(column, heading=lambda: CostFormat.heading(self.format, column.title))

    def _effect_column(
        self,
        key: str,
        title: str,
        tip: str,
        effects: Callable[[ContributionRows], CostArray],
        *,
        gives_way: int,
    ) -> Column:
        def values() -> CostArray:
            return _column(self.rows, effects)

        def text(record: int) -> str:
            rows = self.rows
            if rows is None or not rows.compared.is_split[record]:
                return _NOT_RECORDED if rows is not None and rows.is_call(record) else ""
            return self.format.cell(int(effects(rows)[record]))

        return Column(
            key,
            title,
            tip,
            text,
            lambda: np.abs(values()),
            heading=lambda: CostFormat.heading(self.format, title),
            values=values,
            exact_text=lambda r: self.format.tip(int(values()[r])),
            gives_way=gives_way,
        )

    # ---------------------------------------------------------------- cells

    def _why(self, record: int) -> str:
        rows = self.rows
        if rows is None or rows.is_self(record):
            return ""
        if not rows.is_call(record):
            return "not in its calls"
        if rows.is_of_cycle:
            return "member"
        return _REASONS[rows.reason[record]] or why_text(rows.compared, record)

    def _count(self, record: int) -> str:
        rows = self.rows
        if rows is None or not rows.is_call(record):
            return ""
        count = rows.compared.count
        if not count.base[record] and not count.new[record]:
            return _NOT_RECORDED
        return count_text(rows.compared, record)

    def _count_changes(self) -> CostArray:
        return np.abs(_column(self.rows, lambda rows: rows.compared.count.change))

    def _each(self, record: int) -> str:
        """Return the average cost of one call, in whole counts, on each side that has calls."""
        rows = self.rows
        if rows is None or not rows.is_call(record):
            return ""
        if rows.reason[record] in (NotSplit.IN_CYCLE, NotSplit.RECURSIVE):
            return _NOT_RECORDED
        cost, count = rows.compared.cost, rows.compared.count
        texts = [
            rows.compared.cost_format.absolute_text(int(costs[record]) // int(counts[record]))
            if counts[record]
            else _NOT_RECORDED
            for costs, counts in ((cost.base, count.base), (cost.new, count.new))
        ]
        return texts[0] if texts[0] == texts[1] else _ARROW.join(texts)

    def _each_changes(self) -> CostArray:
        def sizes(rows: ContributionRows) -> CostArray:
            cost, count = rows.compared.cost, rows.compared.count
            base, new = cost.base // np.maximum(count.base, 1), cost.new // np.maximum(count.new, 1)
            size: CostArray = np.abs(BothSides(base, new).change)
            return size

        return _column(self.rows, sizes)

    def _name(self, record: int) -> str:
        rows = self.rows
        if rows is None:
            return ""
        if rows.is_call(record):
            return rows.labels.name(node_at(rows.node, record))
        return _SELF_NAME if rows.is_self(record) else _REST_NAME

    def _ranks(self, text: Callable[[int], str]) -> Int64Array:
        """Return the place of each record in alphabetical order."""
        return ranks([text(record).lower() for record in range(self.record_count)])

    # ---------------------------------------------------------------- records

    def function_of(self, record: int) -> NodeId:
        """Return the callee; `NO_NODE` for the function itself and the rest."""
        return NO_NODE if self.rows is None else node_at(self.rows.node, record)

    def index_of_function(self, function: NodeId) -> QModelIndex:
        """Return the index of a callee; invalid if the function is not called."""
        if self.rows is None or function == NO_NODE:
            return QModelIndex()
        found = np.flatnonzero(self.rows.node == function)
        return self.index_of_record(int(found[0])) if len(found) else QModelIndex()

    def decoration_of(self, record: int, column: int) -> object:
        """Return the colour in front of a callee's name."""
        is_call = self.rows is not None and self.rows.is_call(record)
        return super().decoration_of(record, column) if is_call else None

    def tip_of(self, record: int) -> str:
        """Return the full name and location of a callee, or what self and the rest are."""
        rows = self.rows
        if rows is None:
            return ""
        if rows.is_call(record):
            reason = "" if rows.is_of_cycle else _REASON_TIPS[rows.reason[record]]
            details = rows.labels.details(self.function_of(record))
            return tip_text(*details, *filter(None, [reason]))
        return tip_text(_SELF_TIP if rows.is_self(record) else _REST_TIP)

    def largest_text(self, column: int) -> str:
        """Return the widest text of a column; those of both sides have no largest number."""
        if column not in (self.COUNT, self.EACH):
            return super().largest_text(column)
        return max(map(self.columns[column].text, range(self.record_count)), key=len, default="")

    def mark_of(self, record: int) -> str:
        """Return the word that marks a callee, such as "new"."""
        return "" if self.rows is None else self.rows.mark(self.function_of(record))

    def set_rows(self, rows: ContributionRows | None, changes: CostFormat = NO_FORMAT) -> None:
        """Show these contributions, None for nothing; a full bar is the largest change."""
        self.rows = rows
        sizes = [abs(int(change)) for change in _column(rows, lambda rows: rows.change)]
        self.format = replace(changes, bar_base=max(sizes, default=0))
        self._reset(0 if rows is None else len(rows))

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.set_rows(None)


def _exported(text: str) -> str:
    """Return the text of both sides without groups of digits: 3000 → 3600."""
    return text.replace(_ARROW, "→").replace("\N{THIN SPACE}", "").replace("→", " → ")


def _column(
    rows: ContributionRows | None, column: Callable[[ContributionRows], CostArray]
) -> CostArray:
    return np.empty(0, np.int64) if rows is None else column(rows)
