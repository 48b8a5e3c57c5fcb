"""The list of functions over the revisions of a program: trend, largest step, spread, total."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QModelIndex, QObject

from qcachegrind_py.analysis.names.function_names import ranks
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import location_column, name_column
from qcachegrind_py.models.base.index import make_index
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.models.history.history_rows import NO_ROWS, HistoryRows, blocks
from qcachegrind_py.present.former.change_format import signed
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.numbers import fraction_of
from qcachegrind_py.profile.tables import Int64Array

_BLOCKS = 16  # characters of a line drawn as text
_NOTHING = np.empty(0, np.int64)


class HistoryModel(ArrayTableModel):
    """A table with one record per function of the history, first sorted by the size of steps."""

    STEP, STEP_AT, TREND, SPREAD, NEWEST, TOTAL, COURSE, NAME, LOCATION = range(9)

    def __init__(self, parent: QObject | None = None) -> None:
        self.rows = NO_ROWS
        self.format: CostFormat = NO_FORMAT
        self._nodes: Int64Array = _NOTHING  # of the records in the open profile; NO_NODE for none
        self._pinned: frozenset[int] = frozenset()
        super().__init__(
            (
                self._change_column(
                    "step", "Largest step", "The largest step from one revision to the next that "
                    "exceeds the noise around it", lambda: self.rows.trends.largest_step,
                ),
                Column(
                    "step_at",
                    "At",
                    "The revision with the largest step",
                    lambda r: cell_text(self.rows.step_label(r)),
                    lambda: self.rows.trends.step_revision,
                    export_text=lambda r: self.rows.step_label(r),
                    is_number=False,
                    elides_start=False,
                    width=11,  # it never gives way: with a step, one asks first since when
                ),
                self._change_column(
                    "trend", "Trend",
                    "How the level of the newest revisions differs from that of the oldest",
                    lambda: self.rows.trends.trend,
                ),
                self._cost_column(
                    "spread", "Spread", "The difference of the highest and the lowest cost",
                    lambda: self.rows.trends.spread, gives_way=2,
                ),
                self._cost_column(
                    "newest", "Newest", "The cost in the newest revision",
                    lambda: self.rows.newest, gives_way=3,
                ),
                self._cost_column(
                    "total", "Total", "The sum of the costs in all revisions",
                    lambda: self.rows.total, gives_way=5,
                ),
                Column(
                    "course",
                    "Course",
                    "The cost in all revisions, from the oldest to the newest: from 0, or from "
                    "the lowest cost if all are close together",
                    lambda r: blocks(self.rows.values[r], self.rows.is_there[r], _BLOCKS),
                    lambda: self.rows.trends.trend,
                    export_text=lambda r: " ".join(map(str, self.rows.values[r].tolist())),
                    is_number=False,
                    width=18,
                ),
                name_column(
                    "name", "Function", self._name, lambda: ranks(self._lower(self.rows.names)),
                    lambda r: self.rows.full_names[r],
                ),
                location_column(
                    lambda r: self.rows.locations[r],
                    lambda: ranks(self._lower(self.rows.locations)),
                ),
            ),
            parent,
        )  # fmt: skip

    def _change_column(
        self, key: str, title: str, tip: str, changes: Callable[[], CostArray]
    ) -> Column:
        """Return a column of changes, sorted by their size, with bars from the middle."""

        def share(record: int) -> float:
            change = as_number(changes()[record])
            part = fraction_of(abs(change), self.rows.largest_change)
            return part if change > 0 else -part

        def text(record: int) -> str:
            change = as_number(changes()[record])
            return signed(self.format.absolute_text(abs(change)), change) if change else ""

        return Column(
            key, title, tip, text, lambda: np.abs(changes()), share,
            values=changes, is_change=lambda: True,
            exact_text=lambda r: self.format.exact_text(as_number(changes()[r])),
        )  # fmt: skip

    def _cost_column(
        self, key: str, title: str, tip: str, costs: Callable[[], CostArray], gives_way: int
    ) -> Column:
        return Column(
            key, title, tip,
            lambda r: self.format.absolute_text(as_number(costs()[r])) if costs()[r] else "",
            costs,
            exact_text=lambda r: self.format.exact_text(as_number(costs()[r])),
            gives_way=gives_way,
        )  # fmt: skip

    def _name(self, record: int) -> str:
        return self.rows.names[record]

    @staticmethod
    def _lower(texts: object) -> list[str]:
        return [str(text).lower() for text in texts]  # type: ignore[attr-defined]

    # ---------------------------------------------------------------- rows

    def set_rows(self, rows: HistoryRows, format_: CostFormat, nodes: Int64Array) -> None:
        """Show these functions; `nodes` are those of the open profile, shape (functions,).

        Other costs of the same functions keep the selection.
        """
        is_same = rows.identities is self.rows.identities
        self.rows, self.format = rows, replace(format_, as_percentage=False)
        self._nodes = nodes
        if is_same:
            self._costs_changed()
        else:
            self._reset(len(rows.names))

    def set_nodes(self, nodes: Int64Array) -> None:
        """Show which functions another open profile has."""
        self._nodes = nodes
        self.redraw()

    def set_pinned(self, records: frozenset[int]) -> None:
        """Mark the functions whose lines are in the chart."""
        if records != self._pinned:
            self._pinned = records
            self.redraw()

    def clear(self) -> None:
        """Remove all rows, and with them the history."""
        self.rows, self._nodes, self._pinned = NO_ROWS, _NOTHING, frozenset()
        self._reset(0)

    def function_of(self, record: int) -> NodeId:
        return NodeId(int(self._nodes[record])) if record < len(self._nodes) else NO_NODE

    def index_of_function(self, function: NodeId) -> QModelIndex:
        if function == NO_NODE:
            return QModelIndex()
        found = np.flatnonzero(self._nodes[self._order] == function)
        return make_index(self, found[0], 0) if len(found) else QModelIndex()

    def mark_of(self, record: int) -> str:
        words = self._family(record), "pinned" if record in self._pinned else ""
        return ", ".join(filter(None, words))

    def _family(self, record: int) -> str:
        members = int(self.rows.members[record])
        return f"family of {members}" if members > 1 else ""

    def tip_of(self, record: int) -> str:
        rows = self.rows
        lines = [rows.full_names[record], *filter(None, rows.identities[record][1:])]
        if family := self._family(record):
            lines.append(f"A {family}, which are one in comparisons.")
        elif self.function_of(record) == NO_NODE:
            lines.append("The open profile does not have this function.")
        return tip_text(*lines)
