"""The restored state: docks, columns, layouts, and the location in each program."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings, QSize, Qt
from PySide6.QtWidgets import QDockWidget, QInputDialog, QMenu, QSplitter
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings
from tests.columns import FUNCTIONS
from tests.profile_rows import DATA
from tests.profile_text import dump_rows
from tests.user_input import (
    CLOSED_DOCKS,
    LASTING_DOCKS,
    active_name,
    choose_in_box,
    docks_by_title,
    go_to,
    ignore_offscreen_warnings,
    process_events,
    without_mnemonic,
)

Draw = Callable[..., Path]
OpenFile = Callable[..., None]
Settle = Callable[[], None]
DRAWING = "cmd: {}\nevents: Ir Dr\nmain 10,1 -> f 3x60,6, g 1x30,3\nf 60,6\ng 30,3"
pytestmark = ignore_offscreen_warnings


def current_location(window: MainWindow) -> tuple[str, str, str, str]:
    """The user's location: event, second event, function, grouping."""
    context = window.navigation.context
    return (
        context.event.name if context.event else "",
        context.second_event.name if context.second_event else "",
        active_name(window.session, window.navigation),
        context.grouping.value,
    )


def walk(window: MainWindow, name: str, event: str, second: str, grouping: Grouping) -> None:
    """Go to a location in the open program."""
    events = window.navigation.context.events
    window.navigation.set(event=events.find(event), second_event=events.find(second))
    go_to(window.session, window.navigation, name)
    window.session.set_grouping(grouping)


def test_each_program_is_shown_as_it_was_left(
    window: MainWindow,
    draw: Draw,
    open_file: OpenFile,
    settle: Settle,
    restarted_window: Callable[..., MainWindow],
) -> None:
    """Location and docks of two programs are their own, in the same window and after a restart."""
    one, two = draw(DRAWING.format("./one"), "one.out"), draw(DRAWING.format("./two"), "two.out")
    tree = window.docks.by_id["call_tree"]
    open_file(one)
    walk(window, "f", "Dr", "Ir", Grouping.FILE)
    settle()
    open_file(two)
    settle()
    walk(window, "g", "Ir", "", Grouping.NONE)
    tree.close()
    settle()
    open_file(one, at_main=False)
    settle()
    back = current_location(window), tree.isHidden()
    open_file(two)
    settle()
    again = current_location(window), tree.isHidden()
    restarted = restarted_window(two)

    assert back == (("Dr", "Ir", "f", "file"), False)
    assert again == (("Ir", "", "g", "none"), True)
    assert current_location(restarted) == ("Ir", "", "g", "none")
    assert current_location(restarted_window(one)) == ("Dr", "Ir", "f", "file")


def test_columns_are_remembered_for_each_program(
    window: MainWindow, draw: Draw, open_file: OpenFile, restarted_window: Callable[..., MainWindow]
) -> None:
    """Each program has its own sorting and columns."""
    one, two = draw(DRAWING.format("./one"), "one.out"), draw(DRAWING.format("./two"), "two.out")
    open_file(one)
    window.views.function_list.table.sortByColumn(FUNCTIONS.NAME, Qt.SortOrder.AscendingOrder)
    window.views.callees.table.setColumnHidden(0, True)
    again = restarted_window(one)
    found = (dump_rows(again.views.function_list.model, FUNCTIONS.NAME), columns_hidden(again))
    again.views.function_list.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    with_other = restarted_window(two)
    with_other.views.function_list.table.sortByColumn(
        FUNCTIONS.CALLED, Qt.SortOrder.DescendingOrder
    )
    last = restarted_window(one)

    assert found == (["f", "g", "main"], True)
    assert dump_rows(last.views.function_list.model, FUNCTIONS.NAME) == ["main", "f", "g"]


def test_columns_of_calls_come_back_with_the_calls(
    window: MainWindow, draw: Draw, open_file: OpenFile, restarted_window: Callable[..., MainWindow]
) -> None:
    """A profile without calls does not hide inclusive costs for the next one."""
    without, with_calls = draw("cmd: ./one\nmain 10", "one.out"), draw(DRAWING.format("./one"))
    open_file(without)
    hidden = window.views.function_list.table.isColumnHidden(FUNCTIONS.INCLUSIVE)
    found = [
        restarted_window(path).views.function_list.table.isColumnHidden(FUNCTIONS.INCLUSIVE)
        for path in (with_calls, without)
    ]

    assert (hidden, found) == (True, [False, True])


def columns_hidden(window: MainWindow) -> bool:
    """Whether the first column of callees is hidden."""
    return window.views.callees.table.isColumnHidden(0)


def test_new_program_inherits_the_layout(
    window: MainWindow, draw: Draw, open_file: OpenFile
) -> None:
    """A new program starts with the layout and event of the previous one."""
    open_file(draw(DRAWING.format("./one"), "one.out"))
    window.docks.by_id["call_tree"].close()
    walk(window, "g", "Dr", "Ir", Grouping.NONE)
    process_events()
    open_file(draw("cmd: ./two\nevents: Ir Dr\nmain 10,1 -> f 3x60,6\nf 60,6", "two.out"))

    assert window.docks.by_id["call_tree"].isHidden()
    assert current_location(window) == ("Dr", "Ir", "main", "none")


@pytest.mark.parametrize(
    ("run", "location"),
    [
        ("events: X Dr\nzero 1,1\nmain 1,5 -> g 1x3,8\ng 3,8", ("Dr", "", "g", "object")),
        ("events: Bc\nmain 10 -> other 1x5\nother 5", ("Bc", "", "main", "object")),
    ],
    ids=["other numbers", "neither is there"],
)
def test_another_run_restores_the_location(
    window: MainWindow,
    draw: Draw,
    open_file: OpenFile,
    settle: Settle,
    run: str,
    location: tuple[str, ...],
) -> None:
    """Event and function are found by name, whatever their numbers, or the first one is shown."""
    open_file(draw(DRAWING.format("./one"), "one.out"))
    walk(window, "g", "Dr", "", Grouping.OBJECT)
    settle()
    open_file(draw(f"cmd: ./one\n{run}", "again.out"), at_main=False)
    settle()

    assert current_location(window) == location


@pytest.mark.parametrize("key", ["grouping", "function", "event", "docks", "columns/Functions"])
def test_broken_state_is_ignored(
    window: MainWindow,
    draw: Draw,
    open_file: OpenFile,
    settings: Settings,
    restarted_window: Callable[..., MainWindow],
    key: str,
) -> None:
    """A damaged settings file loses the saved state, not the profile."""
    path = draw(DRAWING.format("./one"), "one.out")
    open_file(path)
    window.close()
    store = settings._store
    (group,) = {k.split("/")[1] for k in store.allKeys() if k.endswith("/event")}
    value = QByteArray(b"nonsense") if key in ("docks", "columns/Functions") else "nonsense"
    store.setValue(f"programs/{group}/{key}", value)
    store.sync()
    again = restarted_window(path)

    assert again.views.function_list.model.rowCount() == 3
    there = "f" if key == "function" else "main"  # the hottest function, or where the user was
    assert current_location(again) == ("Ir", "", there, "none")


@pytest.mark.parametrize("name", ["mine", "a/b\\c & <b>", "café \u202e", "100%"])
def test_layouts_are_saved_restored_and_forgotten_by_name(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A layout has the typed name in the menu and in the settings."""
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: (name, True))
    window.docks.by_id["callers"].close()
    window.actions_["save_layout"].trigger()
    window.actions_["reset_layout"].trigger()
    process_events()
    reset = window.docks.by_id["callers"].isHidden()
    shown, forget = layouts(window)
    shown[0].trigger()
    process_events()
    restored = window.docks.by_id["callers"].isHidden()
    texts = [without_mnemonic(action.text()) for action in shown]
    forget[0].trigger()

    assert (reset, restored) == (False, True)
    assert texts == [name.replace("\u202e", r"\u202e")]
    assert (Settings().layouts(), layouts(window)[0]) == ([], [])


def layouts(window: MainWindow) -> tuple[list, list]:
    """The layouts that the menus offer to restore and to delete."""
    menu = window.actions_.menus["layouts"]
    actions = menu.actions()
    first, second = [n for n, action in enumerate(actions) if action.isSeparator()][1:3]
    names = actions[first + 1 : second]
    forget = [
        QMenu.menuInAction(action).actions()
        for action in actions
        if isinstance(QMenu.menuInAction(action), QMenu)
    ]
    return names, forget[0] if forget else []


def test_outdated_layout_is_reported(window: MainWindow, settings: Settings) -> None:
    """A layout that cannot be restored changes nothing, and the message names it."""
    settings.set_layout("old <b>", QByteArray(b"nonsense"))
    window.layouts._fill_menu()
    layouts(window)[0][0].trigger()
    process_events()

    assert window.notices.notice_texts() == {"warning": "The layout “old <b>” is too old."}
    hidden = [name for name, dock in docks_by_title(window).items() if dock.isHidden()]
    assert hidden == CLOSED_DOCKS


@pytest.fixture
def window_with(qtbot: QtBot) -> Callable[[Path], MainWindow]:
    """Return a function that makes a window with its settings in a file."""

    def window_with(settings: Path) -> MainWindow:
        window = MainWindow(Settings(QSettings(str(settings), QSettings.Format.IniFormat)))
        qtbot.addWidget(window)
        window.resize(1280, 800)
        window.show()
        process_events()
        return window

    return window_with


def test_settings_of_the_present_version_are_read(
    window_with: Callable[[Path], MainWindow], tmp_path: Path
) -> None:
    """Docks and layouts come back as they were saved in November 2026, and again after that."""
    path = Path(shutil.copy(DATA / "settings/all_docks.ini", tmp_path))
    first = window_with(path)
    found = [arrangement(first)]
    first.close()
    second = window_with(path)
    found.append(arrangement(second))
    second.layouts.restore("mine")
    process_events()

    assert found == [([], ["Functions"], False)] * 2
    assert arrangement(second) == ([], [], False)
    assert second.notices.notice_texts() == {}


def test_layouts_with_a_dock_for_each_picture_are_read(
    window_with: Callable[[Path], MainWindow], tmp_path: Path
) -> None:
    """The picture in front takes its place, or one that floats; without any it is closed."""
    window = window_with(Path(shutil.copy(DATA / "settings/four_pictures.ini", tmp_path)))
    docks = window.docks
    found, again = {}, {}
    for name in window.settings.layouts():
        window.layouts.restore(name)
        process_events()
        found[name] = picture_of(docks)
        saved = docks.save_state()
        docks.reset()
        docks.restore_state(saved)
        process_events()
        again[name] = picture_of(docks)

    code = {"source", "assembler", "control_flow"}
    assert found == {
        "flames": ("flame_graph", True, False, code | {"call_tree"}),
        "floating map": ("caller_map", True, True, set()),
        "graph": ("call_graph", True, False, code | {"call_tree"}),
        "map and tree": ("callee_map", True, False, set()),
        "no picture": ("call_graph", False, False, set()),
    }
    assert again == found
    assert {dock.objectName() for dock in window.findChildren(QDockWidget)} == {
        *docks.by_id, "split"
    }  # fmt: skip


def picture_of(docks: Docks) -> tuple[str, bool, bool, set[str]]:
    """The picture that is chosen, whether it is seen, whether it floats, and the other tabs."""
    dock = docks.picture
    tabs = {other.objectName() for other in docks.tabs_of(dock)}
    return dock.chosen, docks.is_seen("picture"), dock.isFloating(), tabs


@pytest.mark.parametrize("damage", ["truncated", "changed", "no checksum"])
def test_a_damaged_layout_is_not_restored(window: MainWindow, damage: str) -> None:
    """Qt crashes over some damaged states, at every start again; they leave the layout as it is."""
    saved = bytes(window.docks.save_state().data())
    damaged = {
        "truncated": saved[:-200],
        "changed": saved.replace("function_list".encode("utf-16-be"), b"\0x" * 13),
        "no checksum": saved[:6],
    }[damage]
    first = window.docks.by_id["function_list"]
    first.hide()

    assert not window.docks.restore_state(QByteArray(damaged))

    assert first.isHidden()
    assert window.docks.restore_state(QByteArray(saved))
    assert not first.isHidden()


def arrangement(window: MainWindow) -> tuple[list[str], list[str], bool]:
    """The closed docks, the floating ones, and whether a column of callees is hidden."""
    docks = docks_by_title(window)
    closed = [title for title in LASTING_DOCKS if docks[title].isHidden()]
    return closed, [title for title, d in docks.items() if d.isFloating()], columns_hidden(window)


def test_unnamed_layout_is_not_saved(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancel and a blank name save no layout."""
    for answer in (("mine", False), ("   ", True)):
        monkeypatch.setattr(QInputDialog, "getText", lambda *_, answer=answer: answer)
        window.actions_["save_layout"].trigger()

    assert Settings().layouts() == []


def test_splitters_direction_and_widths_are_restored(
    window: MainWindow,
    open_file: OpenFile,
    draw: Draw,
    settle: Settle,
    restarted_window: Callable[..., MainWindow],
) -> None:
    """Splitter positions, the tree's direction and a dragged width are restored."""
    path = draw(DRAWING.format("/bin/one"))
    open_file(path)
    window.session.set_grouping(Grouping.OBJECT)
    settle()
    functions = window.views.function_list
    window.docks.show("call_tree")
    choose_in_box(window.views.call_tree.tree_box, "Callers")
    functions.table.horizontalHeader().resizeSection(FUNCTIONS.SELF, 155)
    (splitter,) = functions.findChildren(QSplitter)
    splitter.setSizes([400, 200])
    process_events()
    before = splitter.saveState()

    again = restarted_window(path)
    (splitter,) = again.views.function_list.findChildren(QSplitter)

    assert splitter.saveState() == before
    assert again.views.call_tree.tree_box.currentText() == "Callers"
    assert again.views.function_list.table.columnWidth(FUNCTIONS.SELF) == 155


def test_docks_are_restored_before_the_window_is_maximized(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window is as large as when maximized then, but in its normal state.

    Qt keeps the docks that are restored in a hidden maximized window, applies them again when it
    is shown, and crashes if those of a program have been restored by then. That depends on the
    layout and on the time between both, so the order is tested here.
    """
    window.showMaximized()
    process_events()
    window.close()
    found: list[tuple[bool, QSize]] = []
    restore = MainWindow.restoreState

    def restore_state(shown: MainWindow, state: QByteArray, version: int) -> bool:
        found.append((shown.isMaximized(), shown.size()))
        return restore(shown, state, version)

    monkeypatch.setattr(MainWindow, "restoreState", restore_state)
    again = MainWindow(Settings())
    qtbot.addWidget(again)

    assert found == [(False, again.screen().availableSize())]
    assert again.isMaximized()


def test_lists_are_filled_once_where_nothing_is_restored(
    window: MainWindow, draw: Draw, open_file: OpenFile, settle: Settle, qtbot: QtBot
) -> None:
    """A program that was never open keeps the columns, and its costs are not shown twice."""
    open_file(draw(DRAWING.format("./one"), "one.out"))
    settle()
    announced: list[str] = []
    model = window.views.function_list.model
    model.modelReset.connect(lambda: announced.append("rows"))
    model.layoutChanged.connect(lambda: announced.append("costs"))

    open_file(draw(DRAWING.format("./two"), "two.out"))
    settle()

    assert announced == ["rows"]
