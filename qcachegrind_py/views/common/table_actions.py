"""Copy and save actions of lists: a cell, rows or the whole table, as text, CSV or JSON.

`table_saving` writes the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView

from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.profile.progress import NoProgress, PartialProgress, Progress
from qcachegrind_py.views.common.buttons import open_context_menu

if TYPE_CHECKING:
    from qcachegrind_py.reports.table_export import ExportTable
    from qcachegrind_py.views.common.table_saving import TableExport

SAVE_SLOT = "save table"  # of the job that saves a list


def rows_as_text(table: QTableView, rows: Iterable[int]) -> str:
    """Return the visible columns of the rows, cells separated by tabs."""
    model, columns = table.model(), _visible_columns(table)
    if isinstance(model, ArrayTableModel):  # 18 µs a row; by Qt's interface it takes 50
        texts = [model.columns[column].text for column in columns]
        records = (int(model.order[row]) for row in rows)
        return "\n".join("\t".join(text(record) for text in texts) for record in records)
    lines = ("\t".join(str(model.index(row, c).data()) for c in columns) for row in rows)
    return "\n".join(lines)


def selected_rows(table: QTableView) -> list[int]:
    """Return the selected rows from the top, or the current row if none is selected."""
    rows = sorted({index.row() for index in table.selectionModel().selectedRows()})
    current = table.currentIndex()
    return rows or ([current.row()] if current.isValid() else [])


def table_export(table: QTableView) -> TableExport:
    """Return a function that creates all rows for other programs, and that a job may run.

    Numbers are plain and names full. Plain numbers have no `≈` mark, so the columns that tell
    estimates from exact values are always included, even if hidden.
    """
    from qcachegrind_py.reports.table_export import ExportTable

    model = table.model()
    assert isinstance(model, ArrayTableModel)
    columns = _visible_columns(table, lambda column: model.columns[column].is_export_only)
    snapshot = model.snapshot()

    def export(progress: Progress) -> ExportTable:
        titles = tuple(snapshot.columns[column].title for column in columns)
        share = 1 / len(columns)
        values = [
            snapshot.plain_values(
                column, PartialProgress(progress, number * share, (number + 1) * share)
            )
            for number, column in enumerate(columns)
        ]
        return ExportTable(titles, list(zip(*values, strict=True)))

    return export


def table_as_csv(table: QTableView) -> str:
    """Return all rows with titles as CSV."""
    return table_export(table)(NoProgress()).to_csv(end="\n")


def table_as_text(table: QTableView) -> str:
    """Return all rows with titles as displayed, cells separated by tabs."""
    horizontal = Qt.Orientation.Horizontal
    titles = (str(table.model().headerData(c, horizontal)).strip() for c in _visible_columns(table))
    return "\t".join(titles) + "\n" + rows_as_text(table, range(table.model().rowCount())) + "\n"


def add_copy_actions(menu: QMenu, table: QTableView, index: QPersistentModelIndex) -> None:
    """Add all copy and save actions."""
    rows = selected_rows(table)
    texts: dict[str, tuple[bool, Callable[[], str]]] = {
        "Copy C&ell": (index.isValid(), lambda: str(index.data())),
        "&Copy Rows" if len(rows) > 1 else "&Copy Row": (
            bool(rows),
            lambda: rows_as_text(table, selected_rows(table)),  # the selection when triggered
        ),
        "Copy &Table as Text": (True, lambda: table_as_text(table)),
        "Copy Table as CS&V": (True, lambda: table_as_csv(table)),
    }
    for title, (possible, text) in texts.items():
        action = menu.addAction(title)
        action.setEnabled(possible)
        action.triggered.connect(
            lambda _checked=False, text=text: QGuiApplication.clipboard().setText(text())
        )


def add_save_action(menu: QMenu, save: Callable[[], object]) -> None:
    """Add an action that saves the table as CSV or JSON, with its content when triggered."""
    action = menu.addAction("&Save Table…")
    action.setToolTip("Save all rows as CSV or JSON with exact numbers and full names")
    action.triggered.connect(lambda _checked=False: save())


def _visible_columns(
    table: QTableView, include_hidden: Callable[[int], bool] = lambda _column: False
) -> list[int]:
    """Return visible columns and those that `include_hidden` accepts, from left to right.

    What a list gives does not depend on its width: columns without room count as visible.
    """
    header, narrow = table.horizontalHeader(), getattr(table, "narrow_columns", ())
    logical = (header.logicalIndex(position) for position in range(header.count()))
    return [
        column
        for column in logical
        if not table.isColumnHidden(column) or column in narrow or include_hidden(column)
    ]


def menu_target(
    view: QAbstractItemView, event: QContextMenuEvent
) -> tuple[QPersistentModelIndex, QPoint]:
    """Return the row and screen position of a context menu.

    They are those of the mouse, or of the current row if the keyboard opened the menu. The index is
    persistent because a job may change the rows while the menu is open.
    """
    if event.reason() == QContextMenuEvent.Reason.Mouse:
        index, position = view.indexAt(event.pos()), event.pos()
    else:
        index = view.currentIndex()
        position = view.visualRect(index).center()
    return QPersistentModelIndex(index), view.viewport().mapToGlobal(position)


def run_menu(view: QAbstractItemView, menu: QMenu, position: QPoint) -> None:
    """Show the menu until the user chooses an action or the rows are replaced."""
    view.model().modelReset.connect(menu.close)  # until it is deleted
    open_context_menu(menu, position)
