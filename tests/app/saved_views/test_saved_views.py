"""Saved views in the window: saving, showing, the list of them, and files."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPersistentModelIndex, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.app.saved_views.dialogs import (
    ManageViewsDialog,
    SavedViewTableModel,
    SaveViewDialog,
)
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.formats.saved_views import SavedFunction, SavedView, read_views, write_views
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.saved_views import present_view
from tests.hostile_names import HOSTILE_NAMES, invisible_characters
from tests.profile_text import EXAMPLE
from tests.user_input import (
    active_name,
    drag_event,
    go_to,
    ignore_offscreen_warnings,
    process_events,
    settle,
    without_mnemonic,
)

pytestmark = ignore_offscreen_warnings
KEY, ALT = Qt.Key, Qt.KeyboardModifier.AltModifier
A, B, C = SavedView("a", "about a"), SavedView("b", filter="self>1%"), SavedView("c")


@pytest.fixture
def shown(window: MainWindow, open_file: Callable[..., None], qtbot: QtBot) -> MainWindow:
    """The window with a profile."""
    open_file(EXAMPLE)
    settle(window, qtbot)
    return window


def store(window: MainWindow, *views: SavedView) -> None:
    window.settings.program(window.session.program).change_views(lambda _before: views)


def stored(window: MainWindow) -> tuple[SavedView, ...]:
    return window.settings.program(window.session.program).views


def names(window: MainWindow) -> list[str]:
    return [view.name for view in stored(window)]


def menu_texts(window: MainWindow) -> list[str]:
    menu = window.actions_.menus["saved_views"]
    menu.aboutToShow.emit()
    return [without_mnemonic(action.text()).strip() for action in menu.actions() if action.text()]


def save_dialog(window: MainWindow) -> SaveViewDialog:
    window.actions_["save_view"].trigger()
    process_events()
    return window.findChildren(SaveViewDialog)[-1]


def manage_dialog(window: MainWindow, *views: SavedView) -> ManageViewsDialog:
    store(window, *views)
    window.actions_["manage_views"].trigger()
    process_events()
    return window.findChildren(ManageViewsDialog)[-1]


def choose_files(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Answer all questions for a file with this one."""
    for name in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_args: (str(path), ""))


# ---------------------------------------------------------------- without a profile


def test_commands_need_a_profile(window: MainWindow) -> None:
    """Only a file can be opened before; it is shown with the profile that is opened then."""
    actions = ("save_view", "manage_views", "export_views", "open_view")
    assert [window.actions_[name].isEnabled() for name in actions] == [False] * 3 + [True]


def test_file_waits_for_its_profile(
    window: MainWindow, open_file: Callable[..., None], tmp_path: Path, qtbot: QtBot
) -> None:
    write_views(tmp_path / "views.json", [replace(B, grouping=Grouping.OBJECT), A])
    window.open([tmp_path / "views.json"])
    said = window.notices.notice_texts()["saved view"]
    assert said == (
        "views.json has 2 saved views. The first one is shown when you open the profile."
    )
    open_file(EXAMPLE)
    settle(window, qtbot)
    assert window.filter_bar.text() == "self>1%"
    assert window.navigation.context.grouping is Grouping.OBJECT


# ---------------------------------------------------------------- saving and showing


def test_saved_view_brings_everything_back(shown: MainWindow, qtbot: QtBot) -> None:
    """Function, events, filter, only my code, costs, cycles and docks, in one step."""
    go_to(shown.session, shown.navigation, "main")
    shown.filter_bar.set_text("incl>1%")
    shown.actions_["absolute"].trigger()
    shown.actions_["cycles"].setChecked(False)
    shown.layouts._arrange("code")
    settle(shown, qtbot)
    dialog = save_dialog(shown)
    assert dialog.name.text() == f"main · {shown.navigation.context.event.name}"  # type: ignore[union-attr]  # there is one
    dialog.note.setPlainText("See here.\n")
    dialog.accept()
    (view,) = stored(shown)
    assert (view.note, view.filter, view.unit, view.cycles) == (
        "See here.", "incl>1%", "absolute", False,
    )  # fmt: skip

    shown.actions_["percent"].trigger()
    shown.actions_["cycles"].setChecked(True)
    shown.actions_["own_code"].setChecked(True)
    shown.filter_bar.set_text("")
    shown.docks.reset()
    shown.actions_["hottest"].trigger()
    settle(shown, qtbot)
    before = shown.saved_views._shown.present("")
    back = shown.navigation.back_history

    shown.saved_views.show(view)
    settle(shown, qtbot)
    assert replace(shown.saved_views._shown.present(view.name, view.note), layout=None) == replace(
        view, layout=None
    )
    assert shown.docks.is_seen("assembler")
    assert shown.navigation.context.unit is CostUnit.ABSOLUTE
    assert shown.actions_["absolute"].isChecked()
    assert shown.navigation.back_history[1:] == back
    assert shown.notices.notice_texts() == {"saved view": f"{view.name}: See here."}

    shown.actions_["back"].trigger()
    settle(shown, qtbot)
    assert replace(shown.saved_views._shown.present(""), layout=None) == replace(
        before, layout=None
    )
    assert not shown.docks.is_seen("assembler")
    assert shown.notices.notice_texts() == {}
    shown.actions_["forward"].trigger()
    settle(shown, qtbot)
    assert (active_name(shown.session, shown.navigation), shown.filter_bar.text()) == (
        "main", "incl>1%",
    )  # fmt: skip


def test_back_is_enabled_by_a_view_of_the_same_function(shown: MainWindow, qtbot: QtBot) -> None:
    """Only the docks differ: the context does not change, and yet there is a step."""
    settle(shown, qtbot)
    assert not shown.actions_["back"].isEnabled()
    view = shown.saved_views._shown.present("here")
    shown.layouts._arrange("pictures")
    process_events()
    shown.saved_views.show(view)
    settle(shown, qtbot)
    assert shown.actions_["back"].isEnabled()


def test_name_that_is_taken_replaces(shown: MainWindow) -> None:
    """The dialog says so before."""
    store(shown, A, B)
    dialog = save_dialog(shown)
    dialog.name.setText(" a ")
    assert "replaced" in dialog.hint.text()
    dialog.accept()
    assert [(view.name, view.note) for view in stored(shown)] == [("a", ""), ("b", "")]


def test_view_needs_a_name(shown: MainWindow) -> None:
    dialog = save_dialog(shown)
    dialog.name.setText("  ")
    dialog.accept()
    assert (dialog.isVisible(), stored(shown)) == (True, ())
    dialog.reject()


def test_list_of_views_is_bounded(shown: MainWindow) -> None:
    """A hundred is enough; the menu has twenty and leads to the dialog with all."""
    store(shown, *(SavedView(str(number)) for number in range(100)))
    shown.actions_["save_view"].trigger()
    assert shown.notices.notice_texts() == {
        "saved view": "100 views are saved for this program. Delete some to save others."
    }
    texts = menu_texts(shown)
    assert texts[:4] == ["Save View…", "Manage Saved Views…", "1  0", "2  1"]
    assert texts[-4:] == ["19", "80 More…", "Open Saved View File…", "Export Saved Views…"]


def test_view_of_the_split(shown: MainWindow, qtbot: QtBot) -> None:
    """The function of the panel with the focus is saved; a view is shown in the first panel."""
    shown.actions_["hottest"].trigger()
    shown.actions_["split"].trigger()
    settle(shown, qtbot)
    shown.actions_["other_panel"].trigger()
    process_events()
    second = shown.panels.current
    assert second is not shown.panels.first
    go_to(second.session, second.session.navigation, "main")
    view = shown.saved_views._shown.present("in the split")
    assert view.function == present_view(second.session, "").function
    assert view.function != present_view(shown.session, "").function
    shown.saved_views.show(view)
    settle(shown, qtbot)
    assert active_name(shown.session, shown.navigation) == "main"
    assert shown.panels.current is shown.panels.first


# ---------------------------------------------------------------- the dialog


def test_dialog_renames_notes_moves_and_deletes(shown: MainWindow) -> None:
    """All by keyboard, stored at once."""
    dialog = manage_dialog(shown, A, B, C)
    dialog.table.setFocus()
    QTest.keyClick(dialog.table, KEY.Key_F2)
    editor = QApplication.focusWidget()
    assert editor is not None
    QTest.keyClicks(editor, "first")
    QTest.keyClick(editor, KEY.Key_Return)
    process_events()
    assert (names(shown), dialog.isVisible()) == (["first", "b", "c"], True)
    assert dialog.note.toPlainText() == "about a"

    dialog.note.setPlainText("new note")
    QTest.keyClick(dialog.table, KEY.Key_Down)
    assert (stored(shown)[0].note, dialog.note.toPlainText()) == ("new note", "")
    QTest.keyClick(dialog.table, KEY.Key_Up, ALT)
    assert names(shown) == ["b", "first", "c"]
    assert [view.name for view in dialog.selected] == ["b"]
    QTest.keyClick(dialog.table, KEY.Key_Delete)
    assert names(shown) == ["first", "c"]
    dialog.note.setPlainText("note of the first")
    dialog.reject()
    assert [view.note for view in stored(shown)] == ["note of the first", ""]


def test_delete_in_a_text_deletes_characters(shown: MainWindow) -> None:
    """The keys of the list hold in the list, not in the note, a name or at a button."""
    dialog = manage_dialog(shown, A, B)
    dialog.export_button.setFocus()
    QTest.keyClick(dialog.export_button, KEY.Key_Delete)
    dialog.note.setFocus()
    QTest.keyClick(dialog.note, KEY.Key_Delete)
    assert dialog.note.toPlainText() == "bout a"
    dialog.table.setFocus()
    QTest.keyClick(dialog.table, KEY.Key_F2)
    editor = QApplication.focusWidget()
    assert editor is not None
    QTest.keyClick(editor, KEY.Key_Delete)
    QTest.keyClick(editor, KEY.Key_Escape)
    assert (names(shown), stored(shown)[0].note, dialog.isVisible()) == (["a", "b"], "bout a", True)
    dialog.reject()


def test_renaming_never_takes_another_name(shown: MainWindow) -> None:
    dialog = manage_dialog(shown, A, B)
    dialog.model.setData(dialog.model.index(1, 0), "a")
    assert names(shown) == ["a", "a (2)"]
    assert not dialog.model.setData(dialog.model.index(1, 0), "  ")
    dialog.reject()


def test_return_goes_to_a_view(shown: MainWindow, qtbot: QtBot) -> None:
    dialog = manage_dialog(shown, A, B)
    dialog.table.setFocus()
    QTest.keyClick(dialog.table, KEY.Key_Down)
    QTest.keyClick(dialog.table, KEY.Key_Return)
    settle(shown, qtbot)
    assert shown.filter_bar.text() == "self>1%"
    assert not shown.findChildren(ManageViewsDialog)


def test_empty_dialog_says_what_to_do(shown: MainWindow) -> None:
    dialog = manage_dialog(shown)
    assert dialog.hint.text().startswith("No views are saved for this program.")
    buttons = (dialog.go_button, dialog.delete_button, dialog.export_button)
    assert [button.isEnabled() for button in buttons] == [False] * 3
    dialog.reject()


# ---------------------------------------------------------------- files


def test_exported_views_can_be_imported(
    shown: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The selected ones are exported; what is there already is not added again."""
    choose_files(monkeypatch, tmp_path / "views.json")
    dialog = manage_dialog(shown, A, B, C)
    dialog.table.selectAll()
    dialog.export_button.click()
    assert read_views(tmp_path / "views.json") == (A, B, C)
    store(shown, B, replace(A, note="mine"))
    dialog.import_button.click()
    assert [(view.name, view.note) for view in stored(shown)] == [
        ("b", ""), ("a", "mine"), ("a (2)", "about a"), ("c", ""),
    ]  # fmt: skip
    dialog.reject()


def test_export_that_fails_is_reported(
    shown: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose_files(monkeypatch, tmp_path / "missing" / "views.json")
    store(shown, A)
    menu_texts(shown)  # as opening the menu does
    shown.actions_["export_views"].trigger()
    said = shown.notices.notice_texts()["saved view"]
    assert said.endswith("Choose an existing folder.")


def test_dropped_file_is_shown_and_can_be_kept(
    shown: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    """What this profile lacks is said, and the rest is shown."""
    missing = SavedFunction("nonesuch", "", "")
    write_views(tmp_path / "x.json", [SavedView("x", "From Anna", missing, "Zz", filter="m"), A])
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "x.json"))])
    copy, button = Qt.DropAction.CopyAction, Qt.MouseButton.NoButton
    none = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(shown, drag_event(QDragEnterEvent, QPoint(9, 9), data))
    QApplication.sendEvent(shown, QDropEvent(QPointF(9, 9), copy, data, button, none))
    settle(shown, qtbot)
    assert shown.filter_bar.text() == "m"
    assert shown.notices.notice_texts()["saved view"].splitlines() == [
        "x: From Anna",
        "The function “nonesuch” is not in this profile.",
        "The event Zz is not in this profile.",
        "The file has 1 more view.",
    ]
    shown.saved_views._keep(read_views(tmp_path / "x.json"))
    assert names(shown) == ["x", "a"]


def test_file_that_is_damaged_is_reported(
    shown: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"format": "qcachegrind_py saved views", "version": 99, "views": []}')
    choose_files(monkeypatch, path)
    shown.actions_["open_view"].trigger()
    assert "Update the program" in shown.notices.notice_texts()["saved view"]


def test_hostile_file_is_shown_as_far_as_it_has_a_meaning(
    shown: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """Docks that do not exist, without a size or named twice, and texts that no encoding has."""
    group = {"docks": ["source", "source", "no\\such", "\ud800"], "front": "x", "place": [0] * 4}
    odd = "\ud800\x00\u202e" + "(" * 5000
    view = {"name": "\ud800 <b>x</b>", "note": odd, "filter": odd, "event": odd, "unit": odd[:90]}
    view |= {"function": {"name": odd, "file": odd, "object": odd, "is_cycle": True}}
    view |= {"layout": {"groups": [group] * 50, "floating": ["source", "../x"] * 50}}
    path = tmp_path / "x.json"
    head = {"format": "qcachegrind_py saved views", "version": 1}
    path.write_text(json.dumps(head | {"views": [view]}))
    choose_files(monkeypatch, path)
    shown.actions_["open_view"].trigger()
    settle(shown, qtbot)

    said = shown.notices.notice_texts()["saved view"]
    assert invisible_characters(said) == set()
    assert shown.session.queries is not None


def test_view_waits_for_no_other_profile(shown: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    """If its profile cannot be opened, the view is not shown in the one of before, nor later."""
    write_views(tmp_path / "x.json", [B])
    (tmp_path / "broken").write_text("no profile")
    with qtbot.waitSignal(shown.session.failed):
        shown.open([tmp_path / "broken", tmp_path / "x.json"])
    settle(shown, qtbot)
    shown.open([EXAMPLE])
    settle(shown, qtbot)
    assert shown.filter_bar.text() == ""


def test_view_with_folds_is_undone(shown: MainWindow, qtbot: QtBot) -> None:
    """Back unfolds, and the folded function that was active is active again."""
    shown.actions_["hottest"].trigger()
    process_events()
    hottest = active_name(shown.session, shown.navigation)
    view = SavedView("folded", filter=f'fold:name:="{hottest}"')
    shown.saved_views.show(view)
    settle(shown, qtbot)
    assert active_name(shown.session, shown.navigation) != hottest
    shown.actions_["back"].trigger()
    settle(shown, qtbot)
    assert (active_name(shown.session, shown.navigation), shown.filter_bar.text()) == (hottest, "")


def test_profile_and_views_open_together(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    """As both were sent, and as both are dropped."""
    write_views(tmp_path / "x.json", [B])
    with qtbot.waitSignal(window.session.opened):
        window.open([EXAMPLE, tmp_path / "x.json"])
    settle(window, qtbot)
    assert (window.session.paths, window.filter_bar.text()) == ((EXAMPLE,), "self>1%")


@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES.keys())
def test_hostile_texts_are_shown_as_text(shown: MainWindow, name: bytes) -> None:
    """Names, notes and functions of a file from elsewhere."""
    text = name.decode("utf-8", "surrogateescape")[:150].strip() or "x"
    view = SavedView(text, text, SavedFunction(text, text, text), text, text, grouping=A.grouping)
    dialog = manage_dialog(shown, view)
    texts: Sequence[str] = [
        *menu_texts(shown),
        *(dialog.model.text(0, column) for column in range(5)),
        *(action.toolTip() for action in shown.actions_.menus["saved_views"].actions()),
        *(action.statusTip() for action in shown.actions_.menus["saved_views"].actions()),
        dialog.model.tip(0),
    ]
    dialog.reject()
    shown.saved_views.show(view)
    texts = [*texts, *shown.notices.notice_texts()["saved view"].splitlines()]
    assert [found for each in texts if (found := invisible_characters(each))] == []
    assert not [tip for tip in texts if "<b>" in tip]


def test_views_while_profiles_are_compared(
    shown: MainWindow, draw: Callable[..., Path], qtbot: QtBot
) -> None:
    """They have no parts; what is about comparisons holds only there, and the rest everywhere."""
    shown.open([draw("events: Ir\nmain 3", "callgrind.out.3")])
    settle(shown, qtbot)
    shown.file_commands.compare_dropped([draw("events: Ir\nmain 2", "callgrind.out.2")])
    settle(shown, qtbot)
    shown.actions_["shares"].trigger()
    shown.filter_bar.set_text("is:changed")
    settle(shown, qtbot)
    view = shown.saved_views._shown.present("change")
    assert (view.unit, view.parts, view.filter) == ("shares", None, "is:changed")

    shown.actions_["stop_comparing"].trigger()
    shown.actions_["absolute"].trigger()
    shown.filter_bar.set_text("")
    settle(shown, qtbot)
    shown.saved_views.show(view)
    settle(shown, qtbot)
    assert shown.navigation.context.unit is CostUnit.ABSOLUTE
    assert "while profiles are compared" in shown.filter_bar.toolTip()
    assert active_name(shown.session, shown.navigation) == "main"


# ---------------------------------------------------------------- rows of the list

FULL = SavedView(
    "a\x1b", "first\nsecond", SavedFunction("f", "", ""), "Ir", "Dr", "self>1%", True
)  # fmt: skip
BARE = SavedView("b")


def row_texts(model: SavedViewTableModel) -> list[list[str]]:
    columns = range(model.columnCount())
    return [[str(model.index(row, c).data()) for c in columns] for row in range(model.rowCount())]


def test_model_passes_qt_model_checks(qtmodeltester: Any) -> None:
    """Also while its rows are replaced."""
    model = SavedViewTableModel((FULL, BARE))
    qtmodeltester.check(model)
    model.set_views((BARE,))
    model.set_views((FULL,))
    qtmodeltester.check(SavedViewTableModel())


def test_rows_say_what_a_view_has() -> None:
    """Of a note the first line; names are visible text."""
    model = SavedViewTableModel((FULL, BARE))
    assert row_texts(model) == [
        [r"a\x1b", "f", "Ir, Dr", "self>1%, only my code", "first"], ["b", "", "", "", ""],
    ]  # fmt: skip
    assert model.tip(0) == r"<qt>a\x1b<br>first<br>second</qt>"


def test_only_names_can_be_edited() -> None:
    """The model asks for it: names are unique, which the list of views knows."""
    model, asked = SavedViewTableModel((FULL, BARE)), list[tuple[str, str]]()
    model.rename_requested.connect(lambda *names: asked.append(names))
    editable = [
        bool(model.index(0, column).flags() & Qt.ItemFlag.ItemIsEditable) for column in range(5)
    ]
    assert editable == [True, False, False, False, False]
    assert [model.setData(model.index(1, 0), text) for text in (" c ", "", "b")] == [
        True, False, False,
    ]  # fmt: skip
    assert (asked, row_texts(model)[1][0]) == ([("b", "c")], "b")


def test_rows_that_keep_their_places_stay_selected() -> None:
    """As after renaming; after deleting they do not."""
    model = SavedViewTableModel((FULL, BARE))
    row = QPersistentModelIndex(model.index(1, 0))
    model.set_views((FULL, SavedView("c")))
    assert (row.row(), row.data()) == (1, "c")
    model.set_views((FULL,))
    assert not row.isValid()
