"""The list of source lines whose self cost changed, with their numbers on both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import cost_column, name_column
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import WithheldFile
from qcachegrind_py.profile.ids import NO_NODE, NodeId, TextId, text_ids
from qcachegrind_py.profile.tables import Int64Array

_ARROW = "\N{THIN SPACE}→\N{THIN SPACE}"
_NO_LINE = "?"


@dataclass(frozen=True, slots=True, eq=False)
class LineRows:
    """Rows of the list: lines with a cost on one side at least."""

    file: Int64Array  # number in the profile's texts
    base_line: Int64Array  # 0: only the new text has the line
    new_line: Int64Array  # 0: only the base has it; 0 on both sides: the unknown line
    cost: BothSides
    text: Sequence[str]
    files: dict[int, str]  # the names of the files of a function, if there are several
    withheld: Mapping[TextId, WithheldFile] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.file)


_NOTHING = np.empty(0, np.int64)
NO_ROWS = LineRows(_NOTHING, _NOTHING, _NOTHING, BothSides(_NOTHING, _NOTHING), (), {})


class LineChangeModel(ArrayTableModel):
    """A table with one record per line, sorted by the size of the change."""

    CHANGE, BASE, NEW, LINE, TEXT = range(5)

    def __init__(self, parent: QObject | None = None) -> None:
        self.rows = NO_ROWS
        self.format: CostFormat = NO_FORMAT  # of changes
        self.costs: CostFormat = NO_FORMAT  # of the costs of one side
        change = cost_column(
            "change",
            "Change",
            "How much the self cost of the line changed",
            lambda: self.rows.cost.change,
            lambda: self.format,
        )
        super().__init__(
            (
                replace(change, heading=lambda: CostFormat.heading(self.format, "Change")),
                self._without_bar(
                    cost_column(
                        "base",
                        "Base",
                        "Self cost in the base",
                        lambda: self.rows.cost.base,
                        lambda: self.costs,
                        gives_way=1,
                    )
                ),
                self._without_bar(
                    cost_column(
                        "new",
                        "New",
                        "Self cost in the new profile",
                        lambda: self.rows.cost.new,
                        lambda: self.costs,
                        gives_way=1,
                    )
                ),
                Column(
                    "line",
                    "Line",
                    "Line number: base → new",
                    self._line,
                    self._line_order,
                    export_text=self._line,
                ),
                name_column("text", "Source", self._text, lambda: np.arange(len(self.rows))),
            ),
            parent,
        )

    @staticmethod
    def _without_bar(column: Column) -> Column:
        return replace(column, share=None)

    def _line(self, record: int) -> str:
        base, new = int(self.rows.base_line[record]), int(self.rows.new_line[record])
        if base == new:
            return str(new) if new else _NO_LINE
        texts = [str(line) if line else "–" for line in (base, new)]
        return _ARROW.join(texts)

    def _line_order(self) -> Int64Array:
        """Return the place of each line: rows are in order of the text."""
        return np.arange(len(self.rows))

    def _text(self, record: int) -> str:
        text = self.rows.text[record].strip()
        file = self.rows.files.get(int(self.rows.file[record]), "")
        return f"{file}: {text}" if file else text

    def largest_text(self, column: int) -> str:
        """Return the widest text of a column; line numbers of both sides have no largest one."""
        if column != self.LINE:
            return super().largest_text(column)
        return max(map(self._line, range(self.record_count)), key=len, default="")

    def function_of(self, record: int) -> NodeId:
        """Return `NO_NODE`: a line is not a function."""
        return NO_NODE

    def tip_of(self, record: int) -> str:
        """Return the line in full."""
        rows = self.rows
        sides = f"Line {self._line(record)}"
        if not rows.base_line[record] and rows.new_line[record]:
            sides = f"Line {rows.new_line[record]}, only in the new source"
        elif rows.base_line[record] and not rows.new_line[record]:
            sides = f"Line {rows.base_line[record]} of the base, gone in the new source"
        return tip_text(cell_text(self._text(record)), sides)

    def set_rows(self, rows: LineRows, changes: CostFormat, costs: CostFormat) -> None:
        """Show these lines; a full bar is the largest change."""
        self.rows, self.costs, self.withheld = rows, costs, rows.withheld
        largest = max((abs(int(change)) for change in rows.cost.change), default=0)
        self.format = replace(changes, bar_base=largest)
        self._reset(len(rows))

    def _drop_withheld_texts(self) -> None:
        rows = self.rows
        texts = zip(text_ids(rows.file), rows.text, strict=True)
        left = ["" if file in self.withheld else text for file, text in texts]
        self.rows = replace(rows, text=left)

    def clear(self) -> None:
        """Show nothing."""
        self.set_rows(NO_ROWS, NO_FORMAT, NO_FORMAT)
