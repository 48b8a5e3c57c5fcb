"""Copy and save actions of lists: a cell, rows or the whole table, as text, CSV or JSON.

`table_saving` writes the files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView

from qcachegrind_py.present.table import Cells, NumberCells, Shown, Value, known_numbers
from qcachegrind_py.profile.progress import NoProgress, PartialProgress, Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.views.common.buttons import open_context_menu
from qcachegrind_py.views.common.table_model import TableModel

if TYPE_CHECKING:
    from qcachegrind_py.write.separated import ExportTable

    TableExport = Callable[[Progress], ExportTable]

TextExport = Callable[[Progress], str]  # a text for the clipboard, which a job may create

_ROWS_PER_CHECK = 1000  # 20 ms
_VALUES_PER_CHECK = 5000  # some 10 ms
SAVE_SLOT = "save table"  # of the job that saves a list


def rows_export(table: QTableView, rows: Sequence[int]) -> TextExport:
    """Return a function that joins the visible cells of rows by tabs, and that a job may run."""
    model, columns = table.model(), _visible_columns(table)
    assert isinstance(model, TableModel)
    order, texts = model.order, [model.columns[column].cells.text for column in columns]

    def export(progress: Progress) -> str:
        lines = []
        for begin in range(0, len(rows), _ROWS_PER_CHECK):
            progress.check(begin / len(rows))
            records = order[list(rows[begin : begin + _ROWS_PER_CHECK])].tolist()
            lines += ["\t".join(text(record) for text in texts) for record in records]
        return "\n".join(lines)

    return export


def selected_rows(table: QTableView) -> list[int]:
    """Return the selected rows from the top, or the current row if none is selected."""
    rows = sorted({index.row() for index in table.selectionModel().selectedRows()})
    current = table.currentIndex()
    return rows or ([current.row()] if current.isValid() else [])


def table_export(table: QTableView, *, is_for_writing: bool = False) -> TableExport:
    """Return a function that creates all rows for other programs, and that a job may run.

    Rows that are written into a file have source text only of files that may be copied.
    Numbers are plain and names full. Plain numbers have no `≈` mark, so the columns that tell
    estimates from exact values are always included, even if hidden.
    """
    from qcachegrind_py.write.separated import ExportTable

    model = table.model()
    assert isinstance(model, TableModel)
    shown, order = model.table, model.order
    places = _visible_columns(table, lambda c: shown.columns[c].shown is Shown.EXPORTED)
    written = (shown.written or shown) if is_for_writing else shown
    withheld = shown.withheld if is_for_writing else ()

    def export(progress: Progress) -> ExportTable:
        titles, values, share = list[str](), list[list[Value]](), 1 / len(places)
        for number, place in enumerate(places):
            column = written.columns[place]
            part = PartialProgress(progress, number * share, (number + 1) * share)
            title, cells = column.written_title, column.cells
            base = cells.base_numbers() if isinstance(cells, NumberCells) else None
            if base is not None:
                titles.append(f"Base {title.lower()}")
                values.append(known_numbers(base[order]))
            titles.append(title)
            values.append(_values(cells, order, part))
        return ExportTable(tuple(titles), list(zip(*values, strict=True)), withheld)

    return export


def _values(cells: Cells, order: Int64Array, progress: Progress) -> list[Value]:
    """Return the values of a column, some thousand rows at a time."""
    values: list[Value] = []
    for begin in range(0, len(order), _VALUES_PER_CHECK):
        progress.check(begin / len(order))
        values += cells.values(order[begin : begin + _VALUES_PER_CHECK])
    return values


def table_as_csv(table: QTableView) -> str:
    """Return all rows with titles as CSV."""
    return table_export(table)(NoProgress()).to_csv(end="\n")


def table_as_text(table: QTableView) -> str:
    """Return all rows with titles as displayed, cells separated by tabs."""
    return _table_export_as_text(table)(NoProgress())


def _table_export_as_text(table: QTableView) -> TextExport:
    horizontal = Qt.Orientation.Horizontal
    titles = [str(table.model().headerData(c, horizontal)).strip() for c in _visible_columns(table)]
    rows = rows_export(table, range(table.model().rowCount()))
    return lambda progress: "\t".join(titles) + "\n" + rows(progress) + "\n"


def add_copy_actions(
    menu: QMenu,
    table: QTableView,
    index: QPersistentModelIndex,
    copy: Callable[[int, TextExport], None],
) -> None:
    """Add all copy actions; `copy` copies a text of that many rows to the clipboard."""
    rows, count = selected_rows(table), table.model().rowCount()
    exports: dict[str, tuple[int, Callable[[], TextExport]]] = {
        "Copy C&ell": (int(index.isValid()), lambda: lambda _progress: str(index.data())),
        "&Copy Rows" if len(rows) > 1 else "&Copy Row": (
            len(rows),
            lambda: rows_export(table, selected_rows(table)),  # the selection when triggered
        ),
        "Copy &Table as Text": (max(1, count), lambda: _table_export_as_text(table)),
        "Copy Table as CS&V": (max(1, count), lambda: _table_export_as_csv(table)),
    }
    for title, (size, export) in exports.items():
        action = menu.addAction(title)
        action.setEnabled(size > 0)
        action.triggered.connect(
            lambda _checked=False, size=size, export=export: copy(size, export())
        )


def _table_export_as_csv(table: QTableView) -> TextExport:
    export = table_export(table)
    return lambda progress: export(progress).to_csv(end="\n")


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
