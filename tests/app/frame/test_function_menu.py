"""The context menu of a function, the same in all lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.app.window import MainWindow
from tests.columns import FUNCTIONS
from tests.profile_text import dump_rows
from tests.user_input import (
    VIEW_IDS,
    active_name,
    choose_action,
    context_menu_opener,
    enabled_texts,
    function_id,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    menu_actions,
    process_events,
    row_menu,
    without_mnemonic,
)

DRAWING = """
    main@/home/me/a.c@/home/me/prog 10 -> Box::put 3x60, Box::put(int) 1x30
    Box::put@/home/me/box.c@/home/me/prog 60
    Box::put(int)@/usr/include/box.h@/usr/lib/libbox.so 30
    """
CYCLE = "main 10 -> ping 1x50\nping 20 -> pong 2x30\npong 30 -> ping 2x5"
Settle = Callable[[], None]
Draw = Callable[..., Path]
OpenFile = Callable[..., None]
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def window(window: MainWindow, draw: Draw, open_file: OpenFile) -> MainWindow:
    """The window with the test profile."""
    open_file(draw(DRAWING))
    process_events()
    return window


def names(window: MainWindow) -> list[str]:
    """The visible functions."""
    return dump_rows(window.views.function_list.model, FUNCTIONS.NAME)


def menu_of(window: MainWindow, name: str) -> Callable[[], None]:
    """Open the context menu of a function in the function list."""
    table, number = window.views.function_list.table, function_id(window.session, name)
    index = window.views.function_list.model.index_of_function(number)
    return row_menu(table, index.row())


def titles(menu: QMenu) -> list[str]:
    """The entries of a menu, without those of its submenus."""
    return [without_mnemonic(each.text()) for each in menu.actions() if each.text()]


def test_menu_has_what_is_done_often(window: MainWindow) -> None:
    """A glance finds an entry among eight; the last one has all others."""
    assert inspect_menu(menu_of(window, "Box::put(int)"), titles) == [
        "Go to Function",
        "Show in Source",
        "Show in Assembler",
        "Show in Picture",
        "Show Callers",
        "Fold into Callers",
        "Copy",
        "More",
    ]


def test_more_hides_and_keeps_by_function_object_and_file(window: MainWindow) -> None:
    """The menu shows the function elsewhere, and filters by it, its object and its file."""

    def more(menu: QMenu) -> list[str]:
        inner = QMenu.menuInAction(menu.actions()[-1])
        assert isinstance(inner, QMenu)
        return enabled_texts(inner)

    offered = inspect_menu(menu_of(window, "Box::put(int)"), more)

    assert offered[:9] == [
        "Open in Editor",
        "Mark in All Views",
        "Show in Other Panel",
        "Only Function “Box::put(int)”",
        "Hide Function “Box::put(int)”",
        "Only Object “libbox.so”",
        "Hide Object “libbox.so”",
        "Only Source File “box.h”",
        "Hide Source File “box.h”",
    ]


def test_choice_matches_exactly(window: MainWindow, settle: Settle) -> None:
    """Hiding a function hides no other whose name starts the same."""
    expected = {
        "Only Function “Box::put”": ["Box::put"],
        "Hide Function “Box::put”": ["Box::put(int)", "main"],
        "Only Object “prog”": ["Box::put", "main"],
        "Hide Object “prog”": ["Box::put(int)"],
        "Only Source File “box.c”": ["Box::put"],
        "Hide Source File “box.c”": ["Box::put(int)", "main"],
    }
    found = {}
    for text in expected:
        choose_action(menu_of(window, "Box::put"), text)
        settle()
        found[text] = names(window)
        window.filter_bar.clear_filter()
        settle()

    assert found == expected


def test_choices_add_up_and_opposites_replace_each_other(
    window: MainWindow, settle: Settle
) -> None:
    """A second choice narrows the first; Only replaces Hide of the same thing."""
    choose_action(menu_of(window, "Box::put"), "Hide Object “prog”")
    settle()
    window.filter_bar.set_text(window.filter_bar.text())
    hidden = names(window)
    choose_action(menu_of(window, "Box::put(int)"), "Hide Function “Box::put(int)”")
    settle()
    nothing = names(window)
    terms = window.filter_bar.text().split()
    choose_action(
        lambda: fill_and_show(window, function_id(window.session, "main")), "Only Object “prog”"
    )
    settle()

    assert (hidden, nothing, len(terms)) == (["Box::put(int)"], [], 2)
    assert names(window) == ["Box::put", "main"]


def fill_and_show(window: MainWindow, node: int) -> None:
    """The context menu of a node, independent of any list."""
    menu = QMenu(window)
    window.views.function_list.menu_requested.emit(menu, node)
    menu.exec(window.mapToGlobal(window.rect().center()))


def test_class_is_offered_where_classes_are_known(window: MainWindow, settle: Settle) -> None:
    """With classes as groups, the menu filters by class."""
    window.session.set_grouping(Grouping.CLASS)
    settle()
    choose_action(menu_of(window, "Box::put"), "Only Class “Box”")
    settle()

    assert names(window) == ["Box::put", "Box::put(int)"]


def test_cycle_is_offered(
    window: MainWindow, draw: Draw, open_file: OpenFile, settle: Settle
) -> None:
    """A member's menu goes to its cycle, and a cycle's menu can hide it."""
    open_file(draw(CYCLE, "cycle.out"))
    settle()
    choose_action(menu_of(window, "ping"), "Go to <cycle 1>")
    settle()
    at = active_name(window.session, window.navigation)
    row = window.views.function_list.table.currentIndex().row()
    choose_action(row_menu(window.views.function_list.table, row), "Hide Cycle “<cycle 1>”")
    settle()

    assert (at, names(window)) == ("<cycle 1>", ["main"])


def test_mark_in_all_views_highlights(window: MainWindow, qtbot: QtBot) -> None:
    """The function is highlighted in all lists; the active one stays."""
    choose_action(menu_of(window, "Box::put"), "Mark in All Views")
    process_events()

    assert window.navigation.context.selected == function_id(window.session, "Box::put")
    assert active_name(window.session, window.navigation) == "main"


def test_menu_is_the_same_in_all_lists(window: MainWindow, settle: Settle) -> None:
    """Callers, callees, tree and stack offer the same menu as the function list."""
    expected = inspect_menu(menu_of(window, "Box::put"), titles)[1:]
    found = {}
    go_to(window.session, window.navigation, "main")
    for title in ("Callees", "All Callees"):
        window.docks.show(VIEW_IDS[title])
        process_events()
        table = window.docks.view(VIEW_IDS[title]).table  # type: ignore[attr-defined]
        found[title] = inspect_menu(row_menu(table, 0), titles)[1:]
    window.docks.show("call_tree")
    process_events()
    tree, model = window.views.call_tree.tree, window.views.call_tree.model
    tree.setCurrentIndex(model.index(0, 0, model.index(0, 0, QModelIndex())))
    found["Call Tree"] = inspect_menu(context_menu_opener(tree), titles)[4:]
    window.docks.show("call_stack")
    process_events()
    found["Call Stack"] = inspect_menu(row_menu(window.views.call_stack.table, 1), titles)[1:]

    assert found == dict.fromkeys(found, expected)


@pytest.mark.parametrize(
    "name", [r"caf\xe9", "operator&&", "x" * 100_000], ids=["byte", "&", "long"]
)
def test_any_name_is_filtered_by_a_short_entry(
    window: MainWindow, open_file: OpenFile, settle: Settle, tmp_path: Path, name: str
) -> None:
    """A name in no known encoding can be filtered by, too, and no name makes the menu wide."""
    path = tmp_path / "hostile"
    recorded = name.replace(r"\xe9", "\udce9").encode("utf-8", "surrogateescape")
    path.write_bytes(b"events: Ir\nfl=a.c\nfn=other\n1 1\nfn=%b\n1 2\n" % recorded)
    open_file(path)
    settle()

    def hide(menu: QMenu) -> int:
        texts = {without_mnemonic(action.text()): action for action in menu_actions(menu)}
        (text,) = [text for text in texts if text.startswith("Hide Function")]
        texts[text].trigger()
        return len(text)

    row = names(window).index("other")
    length = inspect_menu(row_menu(window.views.function_list.table, 1 - row), hide)
    settle()

    assert names(window) == ["other"]
    assert length < 90


def test_no_two_entries_share_a_letter(window: MainWindow) -> None:
    """Each entry of an open menu has its own mnemonic."""

    def letters(menu: QMenu) -> list[str]:
        titles = [action.text().replace("&&", "") for action in menu.actions()]
        found = Counter(t[t.index("&") + 1].lower() for t in titles if "&" in t)
        inner = [QMenu.menuInAction(action) for action in menu.actions()]
        twice = [letter for letter, count in found.items() if count > 1]
        return twice + [letter for m in inner if isinstance(m, QMenu) for letter in letters(m)]

    assert inspect_menu(menu_of(window, "Box::put"), letters) == []
