"""The dialog of path rules and search folders: edited in place and stored at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from qcachegrind_py.app.settings.paths import (
    PathButton,
    PathRole,
    PathsDialog,
    PathTable,
    nearest_existing_folder,
)
from qcachegrind_py.app.style import theme
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.sources.file_search import PathRule, SearchFolder
from tests.user_input import ignore_offscreen_warnings, process_events, without_mnemonic

KEY, LEFT, ALT = Qt.Key, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.AltModifier
RULES = (PathRule("/a", "/", "lib*"), PathRule("/b", "/"), PathRule("/c", "/"))
FOLDERS = (SearchFolder("/"), SearchFolder("/tmp"))
RECORDED = ["/build/x/src/a.c", "/build/x/src/b.c", "/build/x/include/a.h"]
Open = Callable[..., PathsDialog]
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def open_dialog(qtbot: QtBot, settings: Settings) -> Iterator[Open]:
    """Return a function that opens the dialog for some settings and closes it afterwards."""
    theme.apply_palette(dark=False)
    opened: list[PathsDialog] = []

    def open_dialog(
        rules: tuple[PathRule, ...] = (),
        folders: tuple[SearchFolder, ...] = (),
        recorded: list[str] = [],  # noqa: B006 (only read)
    ) -> PathsDialog:
        settings.path_rules, settings.source_folders = rules, folders
        dialog = PathsDialog(settings, None, recorded)
        opened.append(dialog)
        dialog.show()
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow)
        return dialog

    yield open_dialog
    for dialog in opened:
        if isValid(dialog):
            dialog.close()
            dialog.deleteLater()
    process_events()


def kept() -> tuple[tuple[PathRule, ...], tuple[SearchFolder, ...]]:
    """The stored rules and folders."""
    return Settings().path_rules, Settings().source_folders


def edit_in(table: PathTable) -> QLineEdit:
    """The open editor of a cell."""
    editor = table.indexWidget(table.currentIndex())
    assert isinstance(editor, QLineEdit)
    return editor


def write(qtbot: QtBot, table: PathTable, text: str, key: Qt.Key) -> None:
    """Replace the cell's text, and press a key."""
    editor = edit_in(table)
    editor.selectAll()
    qtbot.keyClicks(editor, text)
    end(qtbot, table, key)


def end(qtbot: QtBot, table: PathTable, key: Qt.Key = KEY.Key_Return) -> None:
    """Press the key that ends editing; Qt commits the text one event later."""
    qtbot.keyClick(edit_in(table), key)
    process_events()


def press(qtbot: QtBot, button: QPushButton) -> None:
    """Press a button, which must be enabled."""
    assert button.isEnabled()
    qtbot.mouseClick(button, LEFT)
    process_events()


def shown(table: PathTable) -> list[list[str]]:
    """The rows as they are displayed."""
    model = table.model()
    return [
        [str(model.index(row, column).data()) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_rules_and_folders_are_written_by_keyboard_alone(open_dialog: Open, qtbot: QtBot) -> None:
    """Insert adds a row, Tab moves on, Return ends; each cell is stored when it is left."""
    dialog = open_dialog()
    changes: list[object] = []
    dialog.changed.connect(lambda: changes.append(kept()))
    rules, folders = dialog.rules.table, dialog.folders.table
    rules.setFocus()
    qtbot.keyClick(rules, KEY.Key_Insert)
    write(qtbot, rules, " /build/x ", KEY.Key_Tab)
    write(qtbot, rules, "/tmp", KEY.Key_Tab)
    write(qtbot, rules, "lib*.so", KEY.Key_Return)
    folders.setFocus()
    qtbot.keyClick(folders, KEY.Key_Insert)
    write(qtbot, folders, "/", KEY.Key_Return)

    assert kept() == ((PathRule("/build/x", "/tmp", "lib*.so"),), (SearchFolder("/"),))
    assert changes == [
        ((), ()),
        ((PathRule("/build/x", ""),), ()),
        ((PathRule("/build/x", "/tmp"),), ()),
        ((PathRule("/build/x", "/tmp", "lib*.so"),), ()),
        ((PathRule("/build/x", "/tmp", "lib*.so"),), ()),
        ((PathRule("/build/x", "/tmp", "lib*.so"),), (SearchFolder("/"),)),
    ]


def test_cells_are_changed_in_place(open_dialog: Open, qtbot: QtBot) -> None:
    """Return, F2 and any letter edit the current cell; Escape restores it."""
    dialog = open_dialog(RULES)
    table = dialog.rules.table
    table.setFocus()
    for column, key, text in ((0, KEY.Key_Return, "/d"), (1, KEY.Key_F2, "/tmp")):
        table.setCurrentIndex(table.model().index(1, column))
        qtbot.keyClick(table, key)
        write(qtbot, table, text, KEY.Key_Return)
    table.setCurrentIndex(table.model().index(1, 2))
    qtbot.keyClicks(table, "p")
    qtbot.keyClicks(edit_in(table), "rog")
    end(qtbot, table)
    qtbot.keyClick(table, KEY.Key_F2)
    write(qtbot, table, "never", KEY.Key_Escape)

    assert kept()[0] == (RULES[0], PathRule("/d", "/tmp", "prog"), RULES[2])
    assert dialog.isVisible()


def test_a_key_right_behind_return_stores_once(open_dialog: Open, qtbot: QtBot) -> None:
    """A busy window gets both in one turn: Shift+Tab closes the editor that Return would close."""
    dialog = open_dialog(RULES)
    table = dialog.rules.table
    table.edit_cell(1, 1)
    editor = edit_in(table)
    editor.setText("/tmp")
    qtbot.keyClick(editor, KEY.Key_Return)
    qtbot.keyClick(editor, KEY.Key_Backtab)
    process_events()

    assert kept()[0][1] == PathRule("/b", "/tmp")
    assert table.currentIndex().column() == 0


def test_rows_are_moved_and_removed_by_keys(open_dialog: Open, qtbot: QtBot) -> None:
    """Alt+arrow moves the row, Delete removes it and selects the next one."""
    table = open_dialog(RULES).rules.table
    a, b, c = RULES
    table.setFocus()
    table.selectRow(2)
    found = []
    for key, keys in ((KEY.Key_Up, ALT), (KEY.Key_Up, ALT), (KEY.Key_Up, ALT), (KEY.Key_Down, ALT)):
        qtbot.keyClick(table, key, keys)
        found.append((kept()[0], table.selected()))
    for _ in range(4):
        qtbot.keyClick(table, KEY.Key_Delete)
        found.append((kept()[0], table.selected()))

    assert found == [
        ((a, c, b), [1]),
        ((c, a, b), [0]),
        ((c, a, b), [0]),
        ((a, c, b), [1]),
        ((a, b), [1]),
        ((a,), [0]),
        ((), []),
        ((), []),
    ]


def test_buttons_do_what_keys_do(open_dialog: Open, qtbot: QtBot) -> None:
    """Each button names its key, has its own mnemonic, and is enabled when applicable."""
    dialog = open_dialog(RULES, FOLDERS)
    section = dialog.folders
    before = [button.isEnabled() for button in section.buttons.values()]
    section.table.selectRow(1)
    at_end = [button.isEnabled() for button in section.buttons.values()]
    press(qtbot, section.buttons[PathButton.UP])
    moved = kept()[1]
    press(qtbot, section.buttons[PathButton.DOWN])
    press(qtbot, section.buttons[PathButton.REMOVE])
    removed = kept()[1]
    press(qtbot, section.buttons[PathButton.ADD])
    write(qtbot, section.table, "/tmp", KEY.Key_Return)
    letters = [
        button.text().partition("&")[2][0].lower()
        for part in (dialog.rules, dialog.folders)
        for button in part.buttons.values()
    ]

    assert before == [True, True, False, False, False]
    assert at_end == [True, True, True, True, False]
    assert (moved, removed, kept()[1]) == (FOLDERS[::-1], FOLDERS[:1], FOLDERS)
    assert len(set(letters)) == len(letters)
    assert [without_mnemonic(button.text()) for button in dialog.rules.buttons.values()] == [
        "Add",
        "Browse…",
        "Remove",
        "Up",
        "Down",
    ]
    assert [button.toolTip() for button in section.buttons.values()] == [
        "Ins",
        "",
        "Del",
        "Alt+Up",
        "Alt+Down",
    ]


def test_new_rule_suggests_a_missing_folder(open_dialog: Open, qtbot: QtBot) -> None:
    """A new rule starts with the folder of the missing sources; the next does not repeat it."""
    dialog = open_dialog(recorded=RECORDED)
    table = dialog.rules.table
    press(qtbot, dialog.rules.buttons[PathButton.ADD])
    guess = (edit_in(table).text(), edit_in(table).selectedText(), kept()[0])
    qtbot.keyClick(edit_in(table), KEY.Key_Tab)
    write(qtbot, table, "/tmp", KEY.Key_Return)
    press(qtbot, dialog.rules.buttons[PathButton.ADD])
    second = edit_in(table).text()

    assert guess == ("/build/x", "/build/x", ())
    assert (second, kept()[0]) == ("", (PathRule("/build/x", "/tmp"),))


def test_recorded_paths_complete_the_text(open_dialog: Open, qtbot: QtBot) -> None:
    """Any part of a missing path completes to it and to its parent folders."""
    table = open_dialog(recorded=RECORDED).rules.table
    table.setFocus()
    qtbot.keyClick(table, KEY.Key_Insert)
    editor = edit_in(table)
    editor.selectAll()
    qtbot.keyClicks(editor, "INCL")
    popup = editor.completer().popup()
    qtbot.waitUntil(popup.isVisible)
    found = [popup.model().index(row, 0).data() for row in range(popup.model().rowCount())]
    qtbot.keyClick(popup, KEY.Key_Down)
    qtbot.keyClick(popup, KEY.Key_Return)
    table.commit_edit()

    assert found == ["/build/x/include", "/build/x/include/a.h"]
    assert kept()[0] == (PathRule("/build/x/include", ""),)


def test_invalid_rows_are_explained_and_kept(open_dialog: Open, qtbot: QtBot) -> None:
    """The reason is shown below the list, that of the selected row first."""
    rules = (PathRule("/a", "/"), PathRule("", "/"), PathRule("/b", "/none"), PathRule("/c", ""))
    dialog = open_dialog(rules, (SearchFolder("/none"), SearchFolder("/")))
    table, said = dialog.rules.table, [dialog.rules.problem.text()]
    for row in (3, 0, 2):
        table.selectRow(row)
        said.append(dialog.rules.problem.text())
    table.setCurrentIndex(table.model().index(2, 1))
    table.setFocus()
    qtbot.keyClick(table, KEY.Key_F2)
    write(qtbot, table, "/", KEY.Key_Return)
    said.append(dialog.rules.problem.text())
    dialog.close()

    assert said == [
        "Row 2: Enter a recorded path; “.” means all relative paths.",
        "Row 4: Enter the path on this machine.",
        "Row 2: Enter a recorded path; “.” means all relative paths.",
        "Row 3: No such file or folder.",
        "Row 2: Enter a recorded path; “.” means all relative paths.",
    ]
    assert dialog.folders.problem.text() == "Row 1: No such folder."
    assert kept()[0] == (rules[0], rules[1], PathRule("/b", "/"), rules[3])
    again = open_dialog(kept()[0])
    assert shown(again.rules.table)[1] == ["", "/", ""]


def test_empty_row_is_dropped(open_dialog: Open, qtbot: QtBot) -> None:
    """An empty row is removed without an error message."""
    dialog = open_dialog(RULES[:1])
    press(qtbot, dialog.rules.buttons[PathButton.ADD])
    qtbot.keyClick(edit_in(dialog.rules.table), KEY.Key_Escape)
    said = dialog.rules.problem.text()
    press(qtbot, dialog.rules.buttons[PathButton.ADD])
    rows = dialog.rules.table.model().rowCount()
    dialog.close()

    assert (said, rows, kept()[0]) == ("", 2, RULES[:1])


@pytest.mark.parametrize("close", ["close", "reject"])
def test_closing_stores_the_open_editor(open_dialog: Open, qtbot: QtBot, close: str) -> None:
    """Closing the dialog stores the text of the open editor."""
    dialog = open_dialog()
    press(qtbot, dialog.folders.buttons[PathButton.ADD])
    qtbot.keyClicks(edit_in(dialog.folders.table), "/tmp")
    getattr(dialog, close)()

    assert kept()[1] == (SearchFolder("/tmp"),)


def test_return_closes_nothing_and_escape_does(open_dialog: Open, qtbot: QtBot) -> None:
    """Return ends editing only; Escape leaves the cell first, then the dialog."""
    dialog = open_dialog(RULES, FOLDERS)
    for widget in (dialog.rules.table, dialog.folders.table, dialog):
        widget.setFocus()
        qtbot.keyClick(widget, KEY.Key_Return)
    table = dialog.folders.table
    table.setFocus()
    qtbot.keyClick(table, KEY.Key_F2)
    qtbot.keyClick(edit_in(table), KEY.Key_Escape)
    first = dialog.isVisible()
    qtbot.keyClick(table, KEY.Key_Escape)

    assert (first, dialog.isVisible(), kept()) == (True, False, (RULES, FOLDERS))


class Chosen:
    """A stub of the system's folder dialog."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
        self.starts: list[str] = []
        self.folder = folder
        monkeypatch.setattr(QFileDialog, "getExistingDirectory", self._choose)

    def _choose(self, _parent: QWidget, _title: str, start: str) -> str:
        self.starts.append(start)
        return self.folder


def test_folder_is_chosen_for_the_selected_row_or_a_new_one(
    open_dialog: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Browse sets a rule's local path or the folder, starting at the nearest folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    chosen = Chosen(monkeypatch, str(tmp_path))
    dialog = open_dialog((PathRule("/a", f"{tmp_path}/none/x"),), recorded=RECORDED)
    dialog.rules.table.selectRow(0)
    press(qtbot, dialog.rules.buttons[PathButton.BROWSE])
    press(qtbot, dialog.folders.buttons[PathButton.BROWSE])
    press(qtbot, dialog.rules.buttons[PathButton.ADD])
    press(qtbot, dialog.rules.buttons[PathButton.BROWSE])
    chosen.folder = ""
    press(qtbot, dialog.folders.buttons[PathButton.BROWSE])

    assert chosen.starts == [str(tmp_path)] * 4
    assert kept() == (
        (PathRule("/a", str(tmp_path)), PathRule("/build/x", str(tmp_path))),
        (SearchFolder(str(tmp_path)),),
    )


def test_browse_starts_at_an_existing_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever the row contains, Browse starts at a folder that can be listed."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "in").mkdir()
    home = str(tmp_path)
    expected = {
        "": home,
        "~": home,
        "~/in/none": f"{home}/in",
        f"{home}/in": f"{home}/in",
        "~no such/x": home,
        "x\0y": home,
        "/x\0y": "/",
        "/\ud800": "/",
        "/none/x": "/",
        "~/" + "x" * 9999: home,
    }

    assert {path: nearest_existing_folder(path) for path in expected} == expected


def test_bytes_of_a_path_survive_the_editor(open_dialog: Open, qtbot: QtBot) -> None:
    """A path that is not valid text is shown and kept; a raw byte can be typed, too."""
    dialog = open_dialog((PathRule("/caf\udce9", "/"),))
    table = dialog.rules.table
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 0))
    qtbot.keyClick(table, KEY.Key_F2)
    text = edit_in(table).text()
    end(qtbot, table)
    unchanged = kept()[0]
    qtbot.keyClick(table, KEY.Key_F2)
    qtbot.keyClick(edit_in(table), KEY.Key_End)
    qtbot.keyClicks(edit_in(table), "/\\xff")
    end(qtbot, table)

    assert (shown(table)[0][0], text) == (r"/caf\xe9/\xff", r"/caf\xe9")
    assert unchanged == (PathRule("/caf\udce9", "/"),)
    assert kept()[0] == (PathRule("/caf\udce9/\udcff", "/"),)


@pytest.mark.parametrize("dark", [False, True])
def test_empty_list_says_what_it_is_for(open_dialog: Open, dark: bool) -> None:
    """An empty list shows a hint, which disappears with the first row."""
    dialog = open_dialog()
    theme.apply_palette(dark=dark)
    process_events()
    table = dialog.folders.table
    ground = table.palette().base().color()

    def is_written() -> bool:
        picture = table.viewport().grab().toImage()
        lower = range(picture.height() * 2 // 5, picture.height(), 1)
        return any(
            picture.pixelColor(x, y) != ground for y in lower for x in range(picture.width())
        )

    empty = is_written()
    table.commit_edit()
    dialog.folders.model.add(("/", ""))
    process_events()
    filled = is_written()
    theme.apply_palette(dark=False)

    assert (empty, filled) == (True, False)


def test_invalid_cells_are_coloured(open_dialog: Open) -> None:
    """An invalid cell has the error colour unless it is selected."""
    table = open_dialog(folders=(SearchFolder("/none"), SearchFolder("/"))).folders.table
    picture = table.viewport().grab().toImage()
    wrong = table.palette().brightText().color()
    line = table.rowHeight(0)
    found = [
        any(
            picture.pixelColor(x, y).name() == wrong.name()
            for y in range(row * line, (row + 1) * line)
            for x in range(100)
        )
        for row in (0, 1)
    ]

    assert found == [True, False]
    assert [bool(table.model().index(row, 0).data(PathRole.PROBLEM)) for row in (0, 1)] == found


def test_small_window_cuts_nothing_off(open_dialog: Open) -> None:
    """However small the dialog, no widgets overlap or stick out."""
    dialog = open_dialog(RULES, (SearchFolder("/none"),))
    dialog.resize(1, 1)
    process_events()
    dialog.resize(dialog.minimumSizeHint())
    process_events()
    columns = [dialog, dialog.rules, dialog.folders]
    for parent in columns:
        children = [c for c in parent.children() if isinstance(c, QWidget) and c.isVisible()]
        areas = [child.geometry() for child in children]
        over = [(a, b) for i, a in enumerate(areas) for b in areas[:i] if a.intersects(b)]
        assert over == []
        assert all(parent.rect().contains(area) for area in areas)
    (words,) = [label for label in dialog.findChildren(QLabel) if "CI job" in label.text()]
    assert words.height() >= words.heightForWidth(words.width())


def test_tab_goes_through_the_dialog(open_dialog: Open, qtbot: QtBot) -> None:
    """Tab visits lists, buttons and Close in visual order."""
    dialog = open_dialog(RULES, FOLDERS)
    dialog.rules.table.setFocus()
    names, places = [], []
    for _ in range(7):
        widget = QApplication.focusWidget()
        is_button = isinstance(widget, QPushButton)
        names.append(without_mnemonic(widget.text()) if is_button else widget.accessibleName())
        places.append(widget.mapTo(dialog, widget.rect().topLeft()))
        qtbot.keyClick(widget, KEY.Key_Tab)

    assert names == [
        *("Rules", "Add", "Browse…"),
        *("Folders to search", "Add Folder", "Browse…", "Close"),
    ]
    assert all((a.y(), a.x()) < (b.y(), b.x()) for a, b in pairwise(places))
