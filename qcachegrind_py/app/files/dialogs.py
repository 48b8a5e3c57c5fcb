"""The dialogs of files: choosing among several, ordering a history, facts and problems of one."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QObject, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QTableView, QVBoxLayout, QWidget

from qcachegrind_py.analysis.facts import ProfileFacts, profile_facts
from qcachegrind_py.analysis.history import Revision
from qcachegrind_py.app.style.forms import (
    Command,
    FormDialog,
    StandardButton,
    command_buttons,
    list_table,
    resize_within_screen,
)
from qcachegrind_py.app.style.text_widgets import CopyDialog, TablePage, TextDialog
from qcachegrind_py.formats.run_files import FoundProfile
from qcachegrind_py.present.facts import (
    ACTIVE_FUNCTION,
    Fact,
    Sheet,
    function_facts,
    head_facts,
    properties,
)
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.numbers import NumberStyle, format_count
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.session.history import by_name, by_time, labelled
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.tables.item_model import AnyIndex, TextTableModel
from qcachegrind_py.views.widgets.controls import NoteLabel, tip_text
from qcachegrind_py.visible_text import visible_text
from qcachegrind_py.write.text import write_facts

_LONGEST_LABEL = 200


class ProfileColumn(IntEnum):
    """The columns of the list."""

    NAME, PROGRAM, WRITTEN, SIZE = range(4)


class ProfileChoiceModel(TextTableModel):
    """A table with one row per profile, in the order of `found`."""

    def __init__(
        self, place: Path, found: Sequence[FoundProfile], parent: QObject | None = None
    ) -> None:
        """Show the profiles found; file names are displayed as they are in it."""
        titles = "File", "Program", "Written", "Size"
        super().__init__(titles, (ProfileColumn.SIZE,), parent)
        self._begin = len(str(place / "x")) - 1  # of the names in it
        self.profiles = list(found)

    def row_count(self) -> int:
        return len(self.profiles)

    def text(self, row: int, column: int) -> str:
        profile, locale = self.profiles[row], QLocale()
        match ProfileColumn(column):
            case ProfileColumn.NAME:
                more = f"  (+{profile.file_count - 1})" if profile.file_count > 1 else ""
                return cell_text(str(profile.path)[self._begin :]) + more
            case ProfileColumn.PROGRAM:
                return cell_text(profile.command)
            case ProfileColumn.WRITTEN:
                return _moment(profile.modified)
            case ProfileColumn.SIZE:
                return locale.formattedDataSize(profile.size, 1)

    def tip(self, row: int) -> str:
        profile = self.profiles[row]
        return tip_text(str(profile.path), profile.command)


class FolderDialog(FormDialog):
    """Emits `chosen` with the selected paths, which are the parts of one profile."""

    chosen = Signal(object)

    def __init__(self, place: Path, profiles: Sequence[FoundProfile], parent: QWidget) -> None:
        title = f"Profiles in {cell_text(place.name or str(place))}"
        super().__init__(parent, title, (56, 26))
        self.model = ProfileChoiceModel(place, profiles, self)
        stretched = ProfileColumn.NAME, ProfileColumn.PROGRAM
        self.table = self.form.add_wide(list_table(self.model, "Profiles", stretched), 1)
        self.table.activated.connect(lambda _index: self.accept())
        several = "If you select several, they open as parts of one profile."
        self.form.add_wide(NoteLabel(several))
        self.add_buttons(StandardButton.Open | StandardButton.Cancel)
        self.setMinimumWidth(self.fontMetrics().height() * 32)  # enough to tell the names apart
        self.table.selectRow(0)

    def accept(self) -> None:
        """Emit the selected paths and close; without a selection, stay open."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        if rows:
            super().accept()
            self.chosen.emit([self.model.profiles[row].path for row in rows])


class RevisionColumn(IntEnum):
    """The columns of the list."""

    LABEL, FILE, WRITTEN = range(3)


class RevisionTableModel(TextTableModel):
    """A table with one row per revision, the oldest first."""

    def __init__(self, revisions: Sequence[Revision], parent: QObject | None = None) -> None:
        super().__init__(("Label", "File", "Written"), (), parent, edited=RevisionColumn.LABEL)
        self.revisions = list(revisions)

    def row_count(self) -> int:
        return len(self.revisions)

    def text(self, row: int, column: int) -> str:
        revision = self.revisions[row]
        match RevisionColumn(column):
            case RevisionColumn.LABEL:
                return cell_text(revision.label)
            case RevisionColumn.FILE:
                return cell_text(Path(revision.file).name)
            case RevisionColumn.WRITTEN:
                return _written(Path(revision.file))

    def tip(self, row: int) -> str:
        return tip_text(self.revisions[row].file)

    # ---------------------------------------------------------------- changes

    def _replace(self, revisions: Iterable[Revision]) -> None:
        with self.replacing_rows(keeps_places=False):
            self.revisions = list(revisions)

    def sort_files(self, order: Callable[[Iterable[Path]], list[Path]]) -> None:
        """Put the files into another order; their labels go with them."""
        by_file = {revision.file: revision for revision in self.revisions}
        self._replace(by_file[str(path)] for path in order(map(Path, by_file)))

    def add(self, revisions: Sequence[Revision]) -> None:
        """Add revisions at the end, except for files that are there already."""
        known = {revision.file for revision in self.revisions}
        self._replace(self.revisions + [new for new in revisions if new.file not in known])

    def remove(self, row: int) -> None:
        self._replace(self.revisions[:row] + self.revisions[row + 1 :])

    def move(self, row: int, to: int) -> None:
        others = self.revisions[:row] + self.revisions[row + 1 :]
        self._replace([*others[:to], self.revisions[row], *others[to:]])

    # ---------------------------------------------------------------- Qt's model interface

    def setData(  # noqa: N802
        self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """Change a label; an empty one is not taken."""
        label = str(value).strip()[:_LONGEST_LABEL]
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or not label:
            return False
        row = index.row()
        self.revisions[row] = replace(self.revisions[row], label=label)
        self.dataChanged.emit(index, index)
        return True


def _written(path: Path) -> str:
    """Return when a file was written; empty if it cannot be found."""
    try:
        return _moment(path_on_disk(path).stat().st_mtime)
    except OSError:
        return ""


def _moment(seconds: float) -> str:
    moment = QDateTime.fromSecsSinceEpoch(int(seconds))
    return QLocale().toString(moment, QLocale.FormatType.ShortFormat)


_FEWEST = 2  # revisions of a history
_NOTE = "The oldest revision is on top. F2 renames one, Alt+Up and Alt+Down move it."


class OpenHistoryDialog(FormDialog):
    """Emits `chosen` with the revisions, the oldest first. Files are first ordered by name."""

    chosen = Signal(object)  # list[Revision]

    def __init__(
        self, files: Sequence[Path], choose_files: Callable[[], list[Path]], parent: QWidget
    ) -> None:
        """`choose_files` asks for further files."""
        super().__init__(parent, "Open History", (50, 26))
        self._choose_files = choose_files
        self.model = RevisionTableModel(labelled(by_name(dict.fromkeys(files))), self)
        self.table = list_table(self.model, "Revisions", (RevisionColumn.FILE,))
        trigger = QTableView.EditTrigger
        self.table.setEditTriggers(trigger.EditKeyPressed | trigger.DoubleClicked)
        sort, move = self.model.sort_files, self._move
        commands = (
            Command("&Add Files…", "Add further revisions", "", self._add),
            Command("&Remove", "Leave this file out (Delete)", "Del", self._remove),
            Command(
                "Move &Up", "Make this revision older (Alt+Up)", "Alt+Up", lambda: move(-1)
            ),
            Command(
                "Move &Down", "Make this revision newer (Alt+Down)", "Alt+Down", lambda: move(1)
            ),
            Command(
                "Sort by &Name", "Order by file name, with numbers counted: v9, v10", "",
                lambda: sort(by_name),
            ),
            Command(
                "Sort by &Time", "Order by when the files were written", "", lambda: sort(by_time)
            ),
        )  # fmt: skip
        buttons = command_buttons(self.table, commands)
        _, self.remove_button, self.up_button, self.down_button, *_ = buttons
        row = QHBoxLayout(self.form.add_wide(QWidget(), 1))
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.table, 1)
        column = QVBoxLayout()
        for button in buttons:
            column.addWidget(button)
        column.addStretch()
        row.addLayout(column)
        self.form.add_wide(NoteLabel(_NOTE))
        self.add_buttons(StandardButton.Open | StandardButton.Cancel)
        self.model.modelReset.connect(self._update)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._update())
        self.table.setCurrentIndex(self.model.index(0, RevisionColumn.LABEL))
        self._update()

    # ---------------------------------------------------------------- commands

    @property
    def _row(self) -> int:
        return self.table.currentIndex().row()

    def _update(self) -> None:
        row, count = self._row, self.model.row_count()
        self.remove_button.setEnabled(row >= 0)
        self.up_button.setEnabled(row > 0)
        self.down_button.setEnabled(0 <= row < count - 1)
        self.buttons.button(StandardButton.Open).setEnabled(count >= _FEWEST)

    def _add(self) -> None:
        if files := self._choose_files():
            self.model.add(labelled(by_name(files)))

    def _remove(self) -> None:
        if (row := self._row) >= 0:
            self.model.remove(row)
            self._select(min(row, self.model.row_count() - 1))

    def _move(self, by: int) -> None:
        row = self._row
        if row >= 0 and 0 <= row + by < self.model.row_count():
            self.model.move(row, row + by)
            self._select(row + by)

    def _select(self, row: int) -> None:
        self.table.setCurrentIndex(self.model.index(row, RevisionColumn.LABEL))
        self._update()

    def accept(self) -> None:
        """Emit the revisions and close; with fewer than two, stay open."""
        if self.model.row_count() >= _FEWEST:
            super().accept()
            self.chosen.emit(list(self.model.revisions))


def show_diagnostics(profile: Profile, parent: QWidget) -> None:
    """Show all stored diagnostics as text that can be searched and copied."""
    TextDialog("Problems in This File", "", diagnostics_text(profile), parent).open()


def diagnostics_text(profile: Profile) -> str:
    """One line per diagnostic, with file and line number."""
    lines = [
        f"{cell_text(d.path)}{f':{d.line}' if d.line else ''}: {d.message}"
        for d in profile.diagnostics
    ]
    missing = profile.diagnostic_count - len(lines)
    if missing > 0:
        lines.append(f"… and {format_count(missing)} more of the same kind")
    return "\n".join(lines)


class PropertiesDialog(CopyDialog):
    """Shows facts of a profile, and of the active function."""

    def __init__(
        self,
        facts: ProfileFacts,
        style: NumberStyle,
        parent: QWidget,
        *,
        of_recorded: bool = True,
        function: Sequence[Fact] = (),
    ) -> None:
        """`function` are the facts of the active function."""
        self._facts, self._function = facts, function
        self.page = _page(properties(facts, style, of_recorded=of_recorded, function=function))
        tip = "Copy all properties as text"
        super().__init__(parent, "Properties", self.page, self._text, tip)
        digit = self.fontMetrics().horizontalAdvance("0")
        resize_within_screen(self, 110 * digit, 90 * digit)
        self.page.setFocus()

    def _text(self) -> str:
        text = io.StringIO()
        write_facts(head_facts(self._facts, max_parts=None), text)
        if self._function:
            text.write(f"\n{ACTIVE_FUNCTION}\n")
            text.writelines(f"{key}: {visible_text(value)}\n" for key, value in self._function)
        return text.getvalue()


def _page(sheets: Iterable[Sheet]) -> TablePage:
    page = TablePage("Properties")
    cursor = QTextCursor(page.document())
    cursor.beginEditBlock()
    for sheet in sheets:
        if sheet.heading:
            page.add_heading(sheet.heading)
        page.add_table(sheet.rows, sheet.numbers)
        page.add_text(sheet.more)
    cursor.endEditBlock()
    page.moveCursor(QTextCursor.MoveOperation.Start)
    return page


def show_properties(session: Session, parent: QWidget) -> None:
    """Show the facts of the open profile, with numbers as the window writes them."""
    if session.loaded is None or session.queries is None:
        return
    read, context = session.loaded.read, session.navigation.context
    events = read.profile.events.with_user_events(session.preparation.user_events)
    facts = profile_facts(read.profile, None, events, read.seconds)
    dialog = PropertiesDialog(
        facts,
        context.numbers,
        parent,
        of_recorded=context.of_recorded,
        function=function_facts(session.queries, context.function),
    )
    dialog.open()
