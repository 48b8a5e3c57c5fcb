"""What is drawn of a cell of a list or tree besides its text."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QColor

from qcachegrind_py.views.tables.table_model import TableCells


class SeenCell:
    """The cell of an index, as its delegate sees it."""

    def __init__(self, index: QModelIndex) -> None:
        model = index.model()
        assert isinstance(model, TableCells)
        record, column = model.record(index), model.columns[index.column()]
        self.mark: str = model.mark(record, column)
        self.bar: float | None = column.cells.bar(record)
        self.is_change: bool = column.cells.is_change
        self.bar_parts = model.bar_parts(record, column)
        self.short: str = column.cells.short_text(record)
        self.color: QColor | None = model.color(record, column)
        self.is_bold: bool = model.is_bold(record, column)
        self.is_highlighted: bool = model.is_highlighted(record)
        self.is_active: bool = model.is_active(record)
