"""The list of what the change of a function's inclusive cost consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QModelIndex, QObject

from qcachegrind_py.analysis.names.function_names import ranks
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import cost_column, name_column
from qcachegrind_py.models.base.comparison_columns import why_tip
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.models.explanation.contribution_rows import (
    ARROW,
    NO_ROWS,
    NOT_RECORDED,
    ContributionRows,
)
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at
from qcachegrind_py.profile.tables import Int64Array


class ContributionModel(ArrayTableModel):
    """A table with one record per contribution, sorted by the size of the change."""

    CHANGE, WHY, BY_CALLS, BY_COST, COUNT, EACH, NAME = range(7)

    def __init__(self, parent: QObject | None = None) -> None:
        self.rows = NO_ROWS
        self.format: CostFormat = NO_FORMAT  # of changes
        super().__init__(
            (
                self._change_column(),
                Column(  # as a number, it keeps the width of its text
                    "why",
                    "Why",
                    "Whether the calls became more or costlier, or why that is not known",
                    lambda r: self.rows.why(r),
                    lambda: self._ranks(self.rows.why),
                    export_text=lambda r: self.rows.why(r),
                    exact_text=lambda r: why_tip(self.rows.compared, r),
                    gives_way=5,
                ),
                self._effect_column(
                    "by_calls",
                    "By calls",
                    "The part of the change that comes from the number of calls",
                    lambda: self.rows.by_calls,
                ),
                self._effect_column(
                    "by_cost",
                    "By cost",
                    "The part of the change that comes from the average cost of one call",
                    lambda: self.rows.per_call,
                ),
                Column(
                    "count",
                    "Calls",
                    "How often it was called from the active function: base → new",
                    lambda r: self.rows.called(r),
                    lambda: np.abs(self.rows.compared.count.change),
                    export_text=lambda r: _exported(self.rows.called(r)),
                    gives_way=3,
                ),
                Column(
                    "each",
                    "Per call",
                    "Average inclusive cost of one call, always absolute: base → new",
                    lambda r: self.rows.each(r),
                    lambda: np.abs(self.rows.cost_of_one.change),
                    export_text=lambda r: _exported(self.rows.each(r)),
                    gives_way=1,
                ),
                name_column(
                    "name",
                    "Contribution",
                    lambda r: self.rows.name(r),
                    lambda: self._ranks(self.rows.name),
                ),
            ),
            parent,
        )

    def _change_column(self) -> Column:
        column = cost_column(
            "change",
            "Change",
            "How much it changed the inclusive cost of the active function",
            lambda: self.rows.change,
            lambda: self.format,
        )
        return replace(column, heading=lambda: CostFormat.heading(self.format, column.title))

    def _effect_column(
        self, key: str, title: str, tip: str, effects: Callable[[], CostArray]
    ) -> Column:
        def text(record: int) -> str:
            if self.rows.compared.is_split[record]:
                return self.format.cell(int(effects()[record]))
            return NOT_RECORDED if self.rows.is_call(record) else ""

        return Column(
            key,
            title,
            tip,
            text,
            lambda: np.abs(effects()),
            heading=lambda: CostFormat.heading(self.format, title),
            values=effects,
            exact_text=lambda r: self.format.tip(int(effects()[r])),
            gives_way=2,
        )

    def _ranks(self, text: Callable[[int], str]) -> Int64Array:
        """Return the place of each record in alphabetical order."""
        return ranks([text(record).lower() for record in range(self.record_count)])

    # ---------------------------------------------------------------- records

    def function_of(self, record: int) -> NodeId:
        """Return the callee; `NO_NODE` for the function itself and the rest."""
        return node_at(self.rows.node, record)

    def index_of_function(self, function: NodeId) -> QModelIndex:
        """Return the index of a callee; invalid if the function is not called."""
        found = np.flatnonzero((self.rows.node == function) & (function != NO_NODE))
        return self.index_of_record(int(found[0])) if len(found) else QModelIndex()

    def decoration_of(self, record: int, column: int) -> object:
        """Return the colour in front of a callee's name."""
        return super().decoration_of(record, column) if self.rows.is_call(record) else None

    def tip_of(self, record: int) -> str:
        """Return the full name and location of a callee, or what self and the rest are."""
        return tip_text(*self.rows.details(record))

    def largest_text(self, column: int) -> str:
        """Return the widest text of a column; words and both sides have no largest number."""
        if column not in (self.WHY, self.COUNT, self.EACH):
            return super().largest_text(column)
        return max(map(self.columns[column].text, range(self.record_count)), key=len, default="")

    def mark_of(self, record: int) -> str:
        """Return the word that marks a callee, such as "new"."""
        return self.rows.mark(self.function_of(record))

    def set_rows(self, rows: ContributionRows, changes: CostFormat) -> None:
        """Show these contributions; a full bar is the largest change."""
        self.rows = rows
        largest = max((abs(int(change)) for change in rows.change), default=0)
        self.format = replace(changes, bar_base=largest)
        self._reset(len(rows))

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.set_rows(NO_ROWS, NO_FORMAT)


def _exported(text: str) -> str:
    """Return the text of both sides without groups of digits: 3000 → 3600."""
    return text.replace(ARROW, "→").replace("\N{THIN SPACE}", "").replace("→", " → ")
