"""The command palette, with functions only and with everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.actions import declared_actions
from qcachegrind_py.app.palette.dialog import POSITIONS, PaletteDialog
from qcachegrind_py.app.palette.entries import elided_positions
from qcachegrind_py.app.settings.dialog import SettingsDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings
from tests.profile_text import EXAMPLE, dump_rows
from tests.user_input import LEFT, active_name, ignore_offscreen_warnings, process_events

DRAWING = """
    main@a.c@prog 10 -> alpha_beta 3x50, alphabet 1x40
    alpha_beta 50
    alphabet 40
    zeta 1
    """
KEY, CTRL = Qt.Key, Qt.KeyboardModifier.ControlModifier
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def dialog(
    window: MainWindow, draw: Callable[..., Path], open_file: Callable[..., None], qtbot: QtBot
) -> Iterator[PaletteDialog]:
    """The dialog as Ctrl+P opens it."""
    open_file(draw(DRAWING))
    window.views.function_list.table.setFocus()
    qtbot.keyClick(window.views.function_list.table, KEY.Key_P, CTRL)
    (dialog,) = window.findChildren(PaletteDialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    yield dialog
    dialog.close()


def found(dialog: PaletteDialog) -> list[str]:
    """The matches, best first."""
    return dump_rows(dialog.model, 0)


def test_key_opens_it_with_the_costliest_functions(dialog: PaletteDialog) -> None:
    """Before typing, the costliest functions are listed, and the focus is in the line."""
    assert dialog.isVisible()
    assert QApplication.focusWidget() is dialog.edit
    assert found(dialog) == ["main", "alpha_beta", "alphabet", "zeta"]
    tip = dialog.model.index(0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "<qt>main<br>File: a.c<br>Object: prog</qt>"


@pytest.mark.parametrize(
    ("typed", "first"), [("al_b", "alpha_beta"), ("alphabet", "alphabet"), ("zt", "zeta")]
)
def test_letters_find_functions(
    dialog: PaletteDialog, qtbot: QtBot, typed: str, first: str
) -> None:
    """A few letters in order match; the best match comes first."""
    qtbot.keyClicks(dialog.edit, typed)

    assert found(dialog)[0] == first
    assert dialog.matches.currentIndex().row() == 0


def test_return_goes_to_the_first(window: MainWindow, dialog: PaletteDialog, qtbot: QtBot) -> None:
    """Return activates the first match, closes the dialog, and restores the focus."""
    qtbot.keyClicks(dialog.edit, "zt")
    qtbot.keyClick(dialog.edit, KEY.Key_Return)
    process_events()

    assert (active_name(window.session, window.navigation), dialog.isVisible()) == ("zeta", False)
    assert window.actions_["back"].isEnabled()


def test_arrow_keys_move_in_the_list(
    window: MainWindow, dialog: PaletteDialog, qtbot: QtBot
) -> None:
    """Down and Up move in the list while the focus stays in the line."""
    rows = []
    for key in (KEY.Key_Down, KEY.Key_Down, KEY.Key_Up):
        qtbot.keyClick(dialog.edit, key)
        rows.append(dialog.matches.currentIndex().row())
    focused = QApplication.focusWidget()
    qtbot.keyClick(dialog.edit, KEY.Key_Return)
    process_events()

    assert (rows, focused) == ([1, 2, 1], dialog.edit)
    assert active_name(window.session, window.navigation) == "alpha_beta"


def test_click_goes_there(window: MainWindow, dialog: PaletteDialog, qtbot: QtBot) -> None:
    """One click on a function makes it active."""
    place = dialog.matches.visualRect(dialog.model.index(2)).center()
    qtbot.mouseClick(dialog.matches.viewport(), LEFT, pos=place)
    process_events()

    assert (active_name(window.session, window.navigation), dialog.isVisible()) == (
        "alphabet",
        False,
    )


def test_escape_goes_nowhere(window: MainWindow, dialog: PaletteDialog, qtbot: QtBot) -> None:
    """Escape closes the dialog and changes nothing."""
    qtbot.keyClicks(dialog.edit, "zt")
    qtbot.keyClick(dialog.edit, KEY.Key_Escape)
    process_events()

    assert (active_name(window.session, window.navigation), dialog.isVisible()) == ("main", False)
    assert not window.actions_["back"].isEnabled()


def test_nothing_found_goes_nowhere(
    window: MainWindow, dialog: PaletteDialog, qtbot: QtBot
) -> None:
    """Without a match the list is empty, and Return does nothing."""
    qtbot.keyClicks(dialog.edit, "qqq")
    qtbot.keyClick(dialog.edit, KEY.Key_Return)
    process_events()

    assert (found(dialog), dialog.isVisible()) == ([], True)
    assert active_name(window.session, window.navigation) == "main"


def test_reopened_dialog_is_empty(window: MainWindow, dialog: PaletteDialog, qtbot: QtBot) -> None:
    """Reopening the dialog clears the previous query."""
    qtbot.keyClicks(dialog.edit, "zt")
    qtbot.keyClick(dialog.edit, KEY.Key_Escape)
    window.actions_["jump"].trigger()
    process_events()

    assert (dialog.edit.text(), found(dialog)[0]) == ("", "main")


def test_hidden_functions_can_be_jumped_to(
    window: MainWindow, dialog: PaletteDialog, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    """Functions that the filter hides can be jumped to as well."""
    dialog.close()
    window.filter_bar.set_text("main")
    settle()
    window.actions_["jump"].trigger()
    qtbot.keyClicks(dialog.edit, "zeta")
    qtbot.keyClick(dialog.edit, KEY.Key_Return)
    process_events()

    assert active_name(window.session, window.navigation) == "zeta"


def test_matched_letters_are_seen(dialog: PaletteDialog, qtbot: QtBot) -> None:
    """Matched letters are highlighted."""
    pictures = []
    for typed in ("alphab", "phabet"):
        dialog.edit.setText(typed)
        row = dialog.matches.visualRect(dialog.model.index(0))
        pictures.append((found(dialog)[0], dialog.matches.viewport().grab(row).toImage()))

    assert pictures[0][0] == pictures[1][0] == "alphabet"
    assert pictures[0][1] != pictures[1][1]


def test_matched_letters_of_a_name_with_escapes(
    window: MainWindow, open_file: Callable[..., None], tmp_path: Path
) -> None:
    """The marks are at the letters, behind the escapes of what cannot be seen."""
    path = tmp_path / "profile"
    path.write_bytes(b"events: Ir\nfn=\x1b\xe2\x80\xaeab\x07c\xe9\n1 1\n")
    open_file(path)
    window.actions_["jump"].trigger()
    (dialog,) = window.findChildren(PaletteDialog)
    dialog.edit.setText("bc")
    process_events()
    index = dialog.model.index(0)
    shown, marks = index.data(), index.data(POSITIONS)
    dialog.close()

    assert shown == r"\x1b\u202eab\x07c\xe9"
    assert [shown[mark] for mark in marks] == ["b", "c"]


# ---------------------------------------------------------------- everything


@pytest.fixture
def shown(window: MainWindow, open_file: Callable[..., None]) -> MainWindow:
    """The window with the example."""
    open_file(EXAMPLE)
    return window


@pytest.fixture
def palette(shown: MainWindow, qtbot: QtBot) -> Iterator[PaletteDialog]:
    """The palette as Ctrl+Shift+P opens it, over the example."""
    shown.activateWindow()
    qtbot.waitUntil(shown.isActiveWindow)
    QTest.keyClick(shown, KEY.Key_P, CTRL | Qt.KeyboardModifier.ShiftModifier)
    dialog = shown.command_palette.dialog
    qtbot.waitUntil(dialog.isActiveWindow)
    yield dialog
    dialog.close()


def first(dialog: PaletteDialog) -> tuple[str, str, str]:
    """Title, place and value of the best match."""
    entry = dialog.model.entry(dialog.model.index(0))
    return entry.title, entry.place, entry.value


FOUND = {
    "settings": ("Settings", "File", "Ctrl+,"),
    "flame": ("Flame Graph", "Go ▸ View", "F9"),
    "dark": ("Dark", "View ▸ Appearance", "off"),
    "appearance dark": ("Dark", "View ▸ Appearance", "off"),
    "swap": ("Swap Base and New", "Command Palette", "Ctrl+Shift+K"),
    "vim": ("Open in the editor with", "Settings ▸ Source and code", ""),
    "only my": ("Only My Code", "Find", "off · Ctrl+M"),
    "library fold": ("Fold the Standard Library", "View ▸ Fold", "off · Ctrl+Shift+G"),
    "ctrl+shift+d": ("Running Programs", "File", "Ctrl+Shift+D"),
    "libc_start_main": ("__libc_start_main@@GLIBC_2.34", "libc.so.6: libc-start.c", "7.72"),
}


def test_everything_is_found_by_words(palette: PaletteDialog) -> None:
    """Words of titles, menus, tips and keys find commands; functions follow them."""
    found = {}
    for text in FOUND:
        palette.edit.setText(text)
        found[text] = first(palette)

    assert found == FOUND


def test_every_command_is_in_the_palette(shown: MainWindow, palette: PaletteDialog) -> None:
    """What is in no menu is found here, and so is each view and each setting of the dialog."""
    entries = [palette.model.entry(palette.model.index(row)) for row in range(rows(palette))]
    keys = {entry.key for entry in entries}
    settings = {f"setting:{each.name}" for each in Settings.declared() if each.page}

    assert {action.name for action in declared_actions()} - keys == set()
    assert {action.objectName() for action in shown.docks.go_to_actions} - keys == set()
    assert settings - keys == set()


def rows(dialog: PaletteDialog) -> int:
    return dialog.model.rowCount()


def test_a_command_is_run_and_comes_first_the_next_time(
    shown: MainWindow, palette: PaletteDialog, qtbot: QtBot
) -> None:
    """The window has the keyboard focus again by then, as some commands ask for it."""
    qtbot.keyClicks(palette.edit, "short numbers")
    qtbot.keyClick(palette.edit, KEY.Key_Return)
    qtbot.waitUntil(lambda: shown.settings.si)
    shown.actions_["palette"].trigger()

    assert first(palette) == ("Short Numbers", "View ▸ Costs As", "on · Ctrl+4")
    assert Settings().recent_commands == ["si"]


def test_a_setting_opens_the_dialog_there(
    shown: MainWindow, palette: PaletteDialog, qtbot: QtBot
) -> None:
    """The dialog shows that setting alone, with the keyboard focus in its field."""
    qtbot.keyClicks(palette.edit, "decimals")
    qtbot.keyClick(palette.edit, KEY.Key_Return)
    qtbot.waitUntil(lambda: bool(shown.findChildren(SettingsDialog)))
    (dialog,) = shown.findChildren(SettingsDialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    visible = [name for name, editor in dialog.editors.items() if editor.isVisible()]
    focused = dialog.focusWidget()
    dialog.close()

    assert (visible, focused) == (["decimals"], dialog.editors["decimals"])


def test_what_can_do_nothing_now_is_grey(palette: PaletteDialog, qtbot: QtBot) -> None:
    """It is found, so that one knows that it exists; Return leaves the palette open."""
    palette.edit.setText("swap base")
    qtbot.keyClick(palette.edit, KEY.Key_Return)

    assert first(palette)[0] == "Swap Base and New"
    assert palette.isVisible()


LONG = "std::vector<std::pair<int, geo::Point> >::_M_insert(long, geo::Point)"


@pytest.mark.parametrize(
    ("shown", "marks"), [(LONG, [0, 30, len(LONG) - 1]), ("std::ve…Point)", [0, 13]), ("…", [])]
)
def test_a_long_name_keeps_its_beginning_and_its_end(shown: str, marks: list[int]) -> None:
    """The letters that match are marked where they are now; in the part left out none is."""
    assert elided_positions(LONG, shown, [0, 30, len(LONG) - 1]) == marks


def test_the_middle_of_a_long_name_is_left_out(
    window: MainWindow, open_file: Callable[..., None], tmp_path: Path
) -> None:
    """Names of templates differ at both ends: what is painted begins and ends as the name does."""
    names = ["a" * 400 + "end", "a" * 400 + "dne", "b" * 400 + "end"]
    path = tmp_path / "profile"
    path.write_text("events: Ir\n" + "".join(f"fn={name}\n1 1\n" for name in names))
    open_file(path)
    window.actions_["jump"].trigger()
    dialog = window.command_palette.dialog
    process_events()
    images = []
    for row in range(3):
        dialog.matches.clearSelection()
        area = dialog.matches.visualRect(dialog.model.index(row))
        images.append(dialog.matches.viewport().grab(area).toImage())
    dialog.close()

    assert images[0] != images[1]
    assert images[0] != images[2]
