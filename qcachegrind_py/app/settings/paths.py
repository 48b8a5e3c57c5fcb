"""The dialog for the rules and folders by which sources and objects are found, in order of use.

It edits the settings only; `tools.sources.file_search` finds the files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import astuple
from enum import IntEnum
from functools import partial
from glob import escape
from itertools import takewhile
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QStringListModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCompleter,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from qcachegrind_py.app.style.forms import Command, Form, FormDialog, command_buttons
from qcachegrind_py.app.style.text_widgets import WrappedLabel
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.sources.file_search import PathRule, SearchFolder, expand_home, split_path
from qcachegrind_py.views.tables.item_model import AnyIndex, TextTableModel, make_index
from qcachegrind_py.views.tables.record_table import apply_list_style
from qcachegrind_py.views.tables.row_delegates import RowDelegate
from qcachegrind_py.views.widgets.controls import NoteLabel, tip_text
from qcachegrind_py.visible_text import visible_text

_MAX_SUGGESTIONS = 500
_MAX_GUESS_INPUTS = 100  # each is compared with each rule
_ESCAPE = re.compile(r"\\x(5c|[89a-f][0-9a-f])")


def to_editable(name: str) -> str:
    r"""Return a path as editable text: a byte that is not UTF-8 becomes `\\xe9`."""
    text = _ESCAPE.sub(lambda match: rf"\x5c{match[0][1:]}", name)
    return re.sub("[\udc80-\udcff]", lambda match: rf"\x{ord(match[0]) - 0xDC00:x}", text)


def from_editable(text: str) -> str:
    return _ESCAPE.sub(_unescaped, text)


def _unescaped(match: re.Match[str]) -> str:
    byte = int(match[1], 16)
    return "\\" if byte == ord("\\") else chr(0xDC00 + byte)


def suggested_paths(recorded: Sequence[str]) -> list[str]:
    """Return the recorded paths and their parent folders as originals of rules, folders first."""
    files = list(dict.fromkeys(filter(None, recorded)))[:_MAX_SUGGESTIONS]
    folders: set[str] = set()
    for path in files:
        root, parts = split_path(path)
        folders.update(root + "/".join(parts[:depth]) for depth in range(1, len(parts)))
    suggestions = [*sorted(folders), *sorted(files)][:_MAX_SUGGESTIONS]
    return [to_editable(escape(path)) for path in suggestions]


def guess_original(recorded: Sequence[str], rules: Sequence[PathRule]) -> str:
    """Return the common folder of the absolute paths that no rule covers; empty if none."""
    examples = recorded[:_MAX_GUESS_INPUTS]
    unmatched = [split_path(p) for p in examples if all(rule.apply(p) is None for rule in rules)]
    absolute = [(root, parts) for root, parts in unmatched if root and parts]
    if not absolute:
        return ""
    root, common = absolute[0][0], absolute[0][1][:-1]
    for other_root, parts in absolute[1:]:
        both = _common_start(common, parts[:-1]) if other_root == root else ()
        common = both or common  # paths elsewhere need a rule of their own
    return to_editable(escape(root + "/".join(common))) if common else ""


def _common_start(parts: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    both = zip(parts, others, strict=False)
    return tuple(part for part, other in takewhile(lambda pair: pair[0] == pair[1], both))


class PathCompletions(QStringListModel):
    """Completions of a path, displayed as sanitised text."""

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        text = super().data(index, role)
        is_shown = role == Qt.ItemDataRole.DisplayRole and isinstance(text, str)
        return visible_text(text) if is_shown else text


Row = tuple[str, ...]
Problem = tuple[int, str]  # the invalid column, and the reason; an empty reason if the row is valid
_NO_PROBLEM = -1, ""
_NO_INDEX = QModelIndex()
_ANY_OBJECT = "all"
_OBJECT_TIP = "ELF object by path or name; * matches anything; empty: all objects"


class PathRole(IntEnum):
    """Item data roles in addition to Qt's own."""

    PROBLEM = Qt.ItemDataRole.UserRole  # why the cell's text is invalid; empty if it is valid
    HINT = Qt.ItemDataRole.UserRole + 1  # placeholder of an empty cell


@frozen(eq=True)
class PathColumn:
    """The declaration of a field: title, meaning, and placeholder."""

    title: str
    tip: str
    hint: str


class PathRows(TextTableModel):
    """A table of text records; emits `edited` after each change by the user."""

    edited = Signal()
    columns: tuple[PathColumn, ...] = ()
    browsed_column = 0  # of folders, which the user can choose

    def __init__(self, rows: Sequence[Row] = (), parent: QObject | None = None) -> None:
        super().__init__([column.title for column in self.columns], parent=parent)
        self._rows = list(rows)
        self._problems = [self._check(row) for row in rows]  # cached, as it reads the disk

    def problem_of(self, row: Row) -> Problem:
        """Return what is wrong with a row that is not blank."""
        raise NotImplementedError

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows that are not blank."""
        return tuple(row for row in self._rows if any(row))

    def problem(self, row: int) -> str:
        return self._problems[row][1]

    def row_count(self) -> int:
        return len(self._rows)

    def path(self, row: int, column: int) -> str:
        """Return what a cell holds, which `text` shows."""
        return self._rows[row][column]

    def text(self, row: int, column: int) -> str:
        return cell_text(self._rows[row][column])

    def is_blank(self, row: int) -> bool:
        return not any(self._rows[row])

    def _check(self, row: Row) -> Problem:
        return self.problem_of(row) if any(row) else _NO_PROBLEM

    # ---------------------------------------------------------------- changes

    def add(self, row: Row = ()) -> int:
        """Append a row, by default a blank one unless there is one already; return its number."""
        blank = ("",) * len(self.columns)
        if not any(row) and blank in self._rows:
            return self._rows.index(blank)
        position = len(self._rows)
        self.beginInsertRows(_NO_INDEX, position, position)
        self._rows.append(row or blank)
        self._problems.append(self._check(row or blank))
        self.endInsertRows()
        self.edited.emit()
        return position

    def remove(self, rows: Sequence[int]) -> None:
        for row in sorted(set(rows), reverse=True):
            self.beginRemoveRows(_NO_INDEX, row, row)
            del self._rows[row], self._problems[row]
            self.endRemoveRows()
        if rows:
            self.edited.emit()

    def move(self, row: int, by: int) -> int:
        """Move a row up (-1) or down (1) and return its new number; at either end it stays."""
        position = row + by
        if not (0 <= row < len(self._rows) and 0 <= position < len(self._rows)):
            return row
        # Qt counts the position before the row is taken out
        self.beginMoveRows(_NO_INDEX, row, row, _NO_INDEX, position + (1 if by > 0 else 0))
        self._rows.insert(position, self._rows.pop(row))
        self._problems.insert(position, self._problems.pop(row))
        self.endMoveRows()
        self.edited.emit()
        return position

    def set_text(self, row: int, column: int, text: str) -> None:
        fields = list(self._rows[row])
        if fields[column] == text:
            return
        fields[column] = text
        self._rows[row] = tuple(fields)
        self._problems[row] = self._check(self._rows[row])
        last = make_index(self, row, len(self.columns) - 1)
        self.dataChanged.emit(make_index(self, row, 0), last)
        self.edited.emit()

    # ---------------------------------------------------------------- Qt's model interface

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        text = self._rows[index.row()][index.column()]
        column, reason = self._problems[index.row()]
        match role:
            case Qt.ItemDataRole.EditRole:
                return to_editable(text)
            case Qt.ItemDataRole.ToolTipRole:
                lines = [line for line in (text, reason) if line]
                return tip_text(*lines) if lines else None
            case Qt.ItemDataRole.AccessibleDescriptionRole | PathRole.PROBLEM:
                return reason if index.column() == column else ""
            case PathRole.HINT:
                return self.columns[index.column()].hint
        return super().data(index, role)

    def setData(  # noqa: N802
        self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        if role != Qt.ItemDataRole.EditRole or not 0 <= index.row() < len(self._rows):
            return False
        self.set_text(index.row(), index.column(), from_editable(str(value).strip()))
        return True

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return self.columns[section].tip
        return super().headerData(section, orientation, role)


class RuleRows(PathRows):
    """The rules that map recorded paths to local ones, in the order in which they are tried."""

    ORIGINAL, REPLACEMENT, OBJECT = range(3)
    browsed_column = REPLACEMENT
    columns = (
        PathColumn(
            "Recorded path",
            "A file or a folder with its contents; * matches any name between two slashes",
            "such as /build/x",
        ),
        PathColumn("Path here", "Replacement; ~ is your home folder", "such as ~/x"),
        PathColumn("Only for object", _OBJECT_TIP, _ANY_OBJECT),
    )

    def __init__(self, rules: Sequence[PathRule] = (), parent: QObject | None = None) -> None:
        super().__init__([astuple(rule) for rule in rules], parent)

    @property
    def rules(self) -> tuple[PathRule, ...]:
        """The rules as entered, including invalid ones."""
        return tuple(PathRule(*row) for row in self.rows)

    def problem_of(self, row: Row) -> Problem:
        original, replacement, _ = row
        if not original:
            return self.ORIGINAL, "Enter a recorded path; “.” means all relative paths."
        if not replacement:
            return self.REPLACEMENT, "Enter the path on this machine."
        if not os.path.exists(expand_home(replacement)):  # noqa: PTH110 (Path raises for some names)
            return self.REPLACEMENT, "No such file or folder."
        return _NO_PROBLEM


class FolderRows(PathRows):
    """The folders searched for files that are not at their recorded path."""

    FOLDER, OBJECT = range(2)
    columns = (
        PathColumn("Folder", "Searched with all subfolders; ~ is your home folder", "such as ~/x"),
        PathColumn("Only for object", _OBJECT_TIP, _ANY_OBJECT),
    )

    def __init__(self, folders: Sequence[SearchFolder] = (), parent: QObject | None = None) -> None:
        super().__init__([astuple(folder) for folder in folders], parent)

    @property
    def folders(self) -> tuple[SearchFolder, ...]:
        """The folders as entered, including missing ones."""
        return tuple(SearchFolder(*row) for row in self.rows)

    def problem_of(self, row: Row) -> Problem:
        folder = expand_home(row[self.FOLDER])
        if not folder:
            return self.FOLDER, "Enter a folder."
        if os.path.isdir(folder):  # noqa: PTH112 (Path raises for some names)
            return _NO_PROBLEM
        exists = os.path.exists(folder)  # noqa: PTH110
        return self.FOLDER, "Not a folder." if exists else "No such folder."


_RETURNS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class PathButton(IntEnum):
    """The buttons below the table, in their order."""

    ADD, BROWSE, REMOVE, UP, DOWN = range(5)


class PathTable(QTableView):
    """Edits cells in place; Return opens the editor of the current cell."""

    def __init__(self, model: PathRows, name: str, placeholder: str) -> None:
        super().__init__()
        self._placeholder = placeholder
        self.delegate = PathDelegate(self, model)
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        apply_list_style(self, name)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(
            triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed
        )
        self.setMinimumHeight(5 * self.fontMetrics().height())
        self._set_up_columns(model)

    def _set_up_columns(self, model: PathRows) -> None:
        columns = self.horizontalHeader()
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        last = len(model.columns) - 1
        columns.setSectionResizeMode(last, QHeaderView.ResizeMode.Interactive)
        columns.resizeSection(last, 10 * self.fontMetrics().height())

    def selected(self) -> list[int]:
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def edit_cell(self, row: int, column: int) -> None:
        index = self.model().index(row, column)
        self.setFocus()
        self.setCurrentIndex(index)
        self.edit(index)

    def commit_edit(self) -> None:
        editor = self.indexWidget(self.currentIndex())
        if editor is not None:
            self.commitData(editor)
            self.closeEditor(editor, QStyledItemDelegate.EndEditHint.NoHint)

    def commitData(self, editor: QWidget) -> None:  # noqa: N802
        """Store the text unless the editor has been closed.

        Qt acts on Return one event later; until then another key may have closed it.
        """
        if not editor.isHidden():
            super().commitData(editor)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if self.state() == QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)
            return
        if event.key() in _RETURNS and self.currentIndex().isValid():
            self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if not self.model().rowCount():
            painter, margin = QPainter(self.viewport()), self.fontMetrics().height()
            area = self.viewport().rect().adjusted(margin, margin // 2, -margin, -margin // 2)
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(area, flags, self._placeholder)
            painter.end()


class _PathEdit(QLineEdit):
    """The editor of a cell; only text other than `committed_text` is stored."""

    committed_text = ""


class PathDelegate(RowDelegate):
    """Paints invalid cells in the error colour, and hints in empty ones."""

    def __init__(self, table: PathTable, rows: PathRows) -> None:
        super().__init__(table)
        self._rows = rows
        self.suggestions: list[str] = []  # completions of the first column
        self.first_suggestion: Callable[[], str] = str  # for the first column of a blank row

    def initStyleOption(  # noqa: N802
        self, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        super().initStyleOption(option, index)
        color = QPalette.ColorRole.Text
        if not option.text:
            option.text = index.data(PathRole.HINT)
            color = QPalette.ColorRole.PlaceholderText
        if index.data(PathRole.PROBLEM):
            color = QPalette.ColorRole.BrightText
        palette = option.palette
        palette.setColor(QPalette.ColorRole.Text, palette.color(color))
        option.palette = palette

    def createEditor(  # noqa: N802
        self, parent: QWidget, _option: QStyleOptionViewItem, index: AnyIndex
    ) -> QWidget:
        editor = _PathEdit(parent, placeholderText=index.data(PathRole.HINT))
        editor.setFrame(False)
        editor.setAccessibleName(self._rows.columns[index.column()].title)
        if index.column() == 0 and self.suggestions:
            completer = QCompleter(PathCompletions(self.suggestions, editor), editor)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionRole(Qt.ItemDataRole.EditRole)
            editor.setCompleter(completer)
        return editor

    def setEditorData(self, editor: QWidget, index: AnyIndex) -> None:  # noqa: N802
        assert isinstance(editor, _PathEdit)
        editor.setText(index.data(Qt.ItemDataRole.EditRole))
        editor.committed_text = editor.text()
        if index.column() == 0 and self._rows.is_blank(index.row()):
            editor.setText(self.first_suggestion())
            editor.selectAll()

    def setModelData(  # noqa: N802
        self, editor: QWidget, model: QAbstractItemModel, index: AnyIndex
    ) -> None:
        assert isinstance(editor, _PathEdit)
        if editor.text() != editor.committed_text:
            model.setData(index, editor.text())


_INTRODUCTION = (
    "A profile names sources and objects by their paths where it was recorded. If that was another "
    "machine, a container or a CI job, say here where they are now: "
    "/build/x → ~/x, /home/*/src → ~/src."
)
_NO_RULES_TEXT = (
    "A rule says what a recorded path is here; one for a folder serves all files below it. "
    "* stands for any name between two slashes."
)
_NO_FOLDERS_TEXT = (
    "Folders to search, with all folders below, for files that are found nowhere else. "
    "Of files with the same name, the one whose path agrees best is taken."
)


_RULE_BUTTONS = "&Add", "&Browse…", "&Remove", "&Up", "&Down"
_FOLDER_BUTTONS = "Add &Folder", "Brow&se…", "Re&move", "U&p", "Dow&n"


class PathsDialog(FormDialog):
    """Emits `changed` after each change is stored.

    `recorded` are paths of the open profile that were not found; new rules start from them.
    """

    changed = Signal()

    def __init__(
        self, settings: Settings, parent: QWidget | None, recorded: Sequence[str] = ()
    ) -> None:
        super().__init__(parent, "Source Paths and Objects", (46, 36))
        rules, folders = RuleRows(settings.path_rules), FolderRows(settings.source_folders)
        self.rules = _PathSection("Rules", rules, _NO_RULES_TEXT, _RULE_BUTTONS)
        self.rules.table.delegate.suggestions = suggested_paths(recorded)
        self.rules.table.delegate.first_suggestion = lambda: guess_original(recorded, rules.rules)
        self.folders = _PathSection("Folders to search", folders, _NO_FOLDERS_TEXT, _FOLDER_BUTTONS)

        def store() -> None:
            settings.path_rules, settings.source_folders = rules.rules, folders.folders
            self.changed.emit()

        for rows in (rules, folders):
            rows.edited.connect(store)
        self.form.add_wide(WrappedLabel(_INTRODUCTION))
        self.form.add_wide(self.rules, 3)
        self.form.add_wide(self.folders, 2)
        self.add_buttons()
        self.keep_return_in_fields()

    def done(self, result: int) -> None:
        for section in (self.rules, self.folders):
            section.table.commit_edit()
        super().done(result)


class _PathSection(Form):
    """A table with its heading, its buttons and the first problem in it."""

    def __init__(
        self, title: str, model: PathRows, placeholder: str, button_texts: Sequence[str]
    ) -> None:
        super().__init__()
        self.model, self.table = model, PathTable(model, title, placeholder)
        move_up, move_down = partial(self._move, -1), partial(self._move, 1)
        slots: list[Callable[[], None]] = [
            self._add, self._browse, self._remove, move_up, move_down
        ]  # fmt: skip
        keys = "Ins", "", "Del", "Alt+Up", "Alt+Down"
        commands = [
            Command(title, key, key, act)
            for title, key, act in zip(button_texts, keys, slots, strict=True)
        ]
        buttons = command_buttons(self.table, commands)
        self.buttons = dict(zip(PathButton, buttons, strict=True))
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        for button in buttons:
            if button is self.buttons[PathButton.UP]:
                row.addStretch()
            row.addWidget(button)
        self.add_heading(title, self.table)
        self.add_wide(self.table, 1)
        self.problem = self.add_wide(NoteLabel())
        self.add_wide(QWidget()).setLayout(row)
        model.edited.connect(self._update)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._update())
        self._update()

    # ---------------------------------------------------------------- slots of the buttons

    def _add(self) -> None:
        self.table.commit_edit()
        self.table.edit_cell(self.model.add(), 0)

    def _browse(self) -> None:
        """Ask for a folder; put it into the selected row or a new one."""
        self.table.commit_edit()
        rows, column = self.table.selected(), self.model.browsed_column
        start = self.model.path(rows[0], column) if rows else ""
        folder = QFileDialog.getExistingDirectory(
            self, "Choose a Folder", nearest_existing_folder(start)
        )
        if not folder:
            return
        row = rows[0] if rows else self.model.add()
        self.model.set_text(row, column, folder)
        self.table.selectRow(row)

    def _remove(self) -> None:
        """Remove the selected rows and select the next one."""
        self.table.commit_edit()
        rows = self.table.selected()
        self.model.remove(rows)
        remaining = self.model.rowCount()
        if rows and remaining:
            self.table.selectRow(min(rows[0], remaining - 1))

    def _move(self, by: int) -> None:
        self.table.commit_edit()
        self.model.move(self.table.selected()[0], by)
        self._update()

    def _update(self) -> None:
        """Show the first problem, selected rows first, and enable the buttons that apply."""
        rows, last = self.table.selected(), self.model.rowCount() - 1
        invalid = [row for row in (*rows, *range(last + 1)) if self.model.problem(row)]
        text = f"Row {invalid[0] + 1}: {self.model.problem(invalid[0])}" if invalid else ""
        self.problem.setText(cell_text(text))
        is_one = len(rows) == 1
        self.buttons[PathButton.REMOVE].setEnabled(bool(rows))
        self.buttons[PathButton.UP].setEnabled(is_one and rows[0] > 0)
        self.buttons[PathButton.DOWN].setEnabled(is_one and rows[0] < last)


def nearest_existing_folder(path: str) -> str:
    """The folder or its nearest existing ancestor; the home folder for relative paths."""
    start = Path(expand_home(path))
    candidates = map(str, (start, *start.parents) if start.is_absolute() else ())
    # Path.is_dir raises for names that are too long and for inaccessible folders
    return next((folder for folder in candidates if os.path.isdir(folder)), expand_home("~"))  # noqa: PTH112
