"""What goes out of a list: a cell, rows or all of it, as it is seen or for other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView, QWidget

from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.reports.table_export import ExportTable
from qcachegrind_py.views.common.file_saving import save_as


def rows_as_text(table: QTableView, rows: Iterable[int]) -> str:
    """The rows as they are seen, cells divided by tabs."""
    model, columns = table.model(), _visible_columns(table)
    lines = ("\t".join(str(model.index(row, c).data()) for c in columns) for row in rows)
    return "\n".join(lines)


def selected_rows(table: QTableView) -> list[int]:
    """The rows that are selected, from the top; else the current one."""
    rows = sorted({index.row() for index in table.selectionModel().selectedRows()})
    current = table.currentIndex()
    return rows or ([current.row()] if current.isValid() else [])


def export_table(table: QTableView) -> ExportTable:
    """All rows for other programs: numbers as numbers, and names in full.

    Numbers have no marks. So what says of them whether they are estimates is there, shown or not.
    """
    model = table.model()
    assert isinstance(model, ArrayTableModel)
    columns = _visible_columns(table, lambda column: model.columns[column].is_export_only)
    titles = tuple(model.columns[column].title for column in columns)
    return ExportTable(titles, list(zip(*map(model.plain_values, columns), strict=True)))


def table_as_csv(table: QTableView) -> str:
    """All rows with titles as comma-separated values."""
    return export_table(table).to_csv(end="\n")


def table_as_text(table: QTableView) -> str:
    """All rows with titles as they are seen."""
    horizontal = Qt.Orientation.Horizontal
    titles = (str(table.model().headerData(c, horizontal)).strip() for c in _visible_columns(table))
    return "\t".join(titles) + "\n" + rows_as_text(table, range(table.model().rowCount())) + "\n"


def add_copy_actions(menu: QMenu, table: QTableView, index: QPersistentModelIndex) -> None:
    """Offer all ways to copy."""
    rows = selected_rows(table)
    texts: dict[str, tuple[bool, Callable[[], str]]] = {
        "Copy C&ell": (index.isValid(), lambda: str(index.data())),
        "&Copy Rows" if len(rows) > 1 else "&Copy Row": (
            bool(rows),
            lambda: rows_as_text(table, selected_rows(table)),  # as they are then
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
    add_save_action(menu, table, table.accessibleName(), lambda: export_table(table))


def add_save_action(
    menu: QMenu, parent: QWidget, suggested: str, table: Callable[[], ExportTable]
) -> None:
    """Offer to save a table, as it is then, as CSV or JSON."""
    kinds = {
        "CSV": lambda: table().to_csv().encode("utf-8", "replace"),
        "JSON": lambda: table().to_json().encode("utf-8", "replace"),
    }
    action = menu.addAction("&Save Table…")
    action.setToolTip("Save all rows as CSV or JSON, with exact numbers and whole names")
    action.triggered.connect(lambda _checked=False: save_as(parent, "Save Table", suggested, kinds))


def _visible_columns(
    table: QTableView, include_hidden: Callable[[int], bool] = lambda _column: False
) -> list[int]:
    """The columns that are seen, and others that are wanted, in their order from the left."""
    header = table.horizontalHeader()
    logical = (header.logicalIndex(place) for place in range(header.count()))
    return [
        column for column in logical if not table.isColumnHidden(column) or include_hidden(column)
    ]


def menu_target(
    view: QAbstractItemView, event: QContextMenuEvent
) -> tuple[QPersistentModelIndex, QPoint]:
    """The row the menu is for, and where: at the mouse, or by the keyboard at the current row.

    While a menu is open a job may end and change the rows: the index must know of it.
    """
    if event.reason() == QContextMenuEvent.Reason.Mouse:
        index, place = view.indexAt(event.pos()), event.pos()
    else:
        index = view.currentIndex()
        place = view.visualRect(index).center()
    return QPersistentModelIndex(index), view.viewport().mapToGlobal(place)


def run_menu(view: QAbstractItemView, menu: QMenu, position: QPoint) -> None:
    """Show the menu until something is chosen, or until there are other rows."""
    model = view.model()
    model.modelReset.connect(menu.close)
    menu.exec(position)
    model.modelReset.disconnect(menu.close)
    menu.deleteLater()  # or it lives as long as the list, with all that its actions hold
