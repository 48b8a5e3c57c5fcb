"""Copy and save actions of lists: a cell, rows or the whole table, as text, CSV or JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QMessageBox,
    QProgressDialog,
    QTableView,
    QWidget,
)

from qcachegrind_py.formats.compression import atomic_write
from qcachegrind_py.present.table import Cells, Column, Shown, Value, known_numbers
from qcachegrind_py.profile.errors import ProfileError, WithheldFile
from qcachegrind_py.profile.progress import NoProgress, PartialProgress, Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.controls import open_context_menu, tip_text
from qcachegrind_py.views.widgets.saving import ask_save_path, remember_folder, suggested_path

if TYPE_CHECKING:
    from qcachegrind_py.write.separated import ExportTable

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
    model = table.model()
    assert isinstance(model, TableModel)
    shown, order = model.table, model.order
    places = _visible_columns(table, lambda c: shown.columns[c].shown is Shown.EXPORTED)
    written = (shown.written or shown) if is_for_writing else shown
    withheld = shown.withheld if is_for_writing else ()

    columns = [written.columns[place] for place in places]
    return lambda progress: replace(written_rows(columns, order, progress), withheld=withheld)


def written_rows(columns: Sequence[Column], records: Int64Array, progress: Progress) -> ExportTable:
    """Return these columns of records of a table for other programs.

    Counts of a comparison have those of the base beside them.
    """
    from qcachegrind_py.write.separated import ExportTable  # not for the first frame

    titles, values, share = list[str](), list[list[Value]](), 1 / len(columns)
    for number, column in enumerate(columns):
        part = PartialProgress(progress, number * share, (number + 1) * share)
        title, cells = column.written_title, column.cells
        base = cells.base_numbers()
        if base is not None:
            titles.append(f"Base {title.lower()}")
            values.append(known_numbers(base[records]))
        titles.append(title)
        values.append(_values(cells, records, part))
    return ExportTable(tuple(titles), list(zip(*values, strict=True)))


def _values(cells: Cells, order: Int64Array, progress: Progress) -> list[Value]:
    """Return the values of a column, some thousand rows at a time."""
    values: list[Value] = []
    for begin in range(0, len(order), _VALUES_PER_CHECK):
        progress.check(begin / len(order))
        values += cells.values(order[begin : begin + _VALUES_PER_CHECK])
    return values


def table_as_csv(table: QTableView) -> str:
    return table_export(table)(NoProgress()).to_csv(end="\n")


def text_export(table: QTableView) -> TextExport:
    """Return all rows with titles as displayed, cells separated by tabs."""
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
        "Copy &Table as Text": (max(1, count), lambda: text_export(table)),
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


COPY_MENU = "copy"  # the object name of the submenu for copies in the menu of a function


def copy_menu(menu: QMenu) -> QMenu:
    """Return the submenu for what can be copied and saved, or the menu itself if it has none."""
    inner = menu.findChild(QMenu, COPY_MENU)
    if inner is None:
        menu.addSeparator()
    return menu if inner is None else inner


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


TableExport = Callable[[Progress], "ExportTable"]
_TITLE = "Save Table"
_KINDS = ("CSV", "JSON")
_STEPS = 100
_PROGRESS_DELAY_MS = 500  # most tables are written sooner


def save_table(parent: QWidget, jobs: JobRunner, suggested: str, export: TableExport) -> None:
    """Ask for a file and write the table to it; show a warning if that fails.

    `export` runs in the job. One table is saved at a time, as a second job would cancel the first.
    """
    if jobs.is_running(SAVE_SLOT):
        QMessageBox.information(parent, _TITLE, "Another table is still being saved.")
        return
    chosen = ask_save_path(parent, _TITLE, suggested_path(parent, _TITLE, suggested), _KINDS)
    if chosen is None:
        return
    path, kind = chosen
    job = jobs.start(SAVE_SLOT, write_table, path, kind, export)
    dialog = QProgressDialog(tip_text(f"Saving {path.name}…"), "Cancel", 0, _STEPS, parent)
    dialog.setWindowTitle(_TITLE)
    dialog.setMinimumDuration(_PROGRESS_DELAY_MS)
    dialog.canceled.connect(job.cancel)
    job.progressed.connect(lambda fraction: dialog.setValue(int(fraction * (_STEPS - 1))))
    job.ended.connect(dialog.deleteLater)
    job.finished.connect(partial(_on_written, parent, path))
    job.failed.connect(partial(_show_failure, parent))


def write_table(
    progress: Progress, path: Path, kind: str, export: TableExport
) -> Sequence[WithheldFile]:
    """Create the table and write it as `kind`, as a job. Raises `UnwritableFile`.

    Return the source files whose text is left out.
    """
    table = export(PartialProgress(progress, 0.0, 0.5))
    chunks = table.json_chunks if kind == "JSON" else table.csv_chunks
    with atomic_write(path) as stream:
        for text in chunks(PartialProgress(progress, 0.5, 1.0)):
            stream.write(text.encode("utf-8", "replace"))
    return table.withheld


def _on_written(parent: QWidget, path: Path, withheld: Sequence[WithheldFile]) -> None:
    remember_folder(parent, path)
    if withheld:
        from qcachegrind_py.tools.annotation_inputs import problem_texts

        texts = problem_texts({file.path: file for file in withheld})
        QMessageBox.information(parent, _TITLE, tip_text(f"Saved {path}.", *texts))


def _show_failure(parent: QWidget, error: ProfileError) -> None:
    QMessageBox.warning(parent, _TITLE, tip_text(str(error)))
