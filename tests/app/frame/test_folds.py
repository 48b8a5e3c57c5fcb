"""Folding functions into their callers in the window: actions, menus, bar and lists."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.app.frame.folds import FoldBar, fold_title, folds_outside
from qcachegrind_py.app.window import MainWindow
from tests.columns import CALLS, FUNCTIONS, GROUPS
from tests.profile_text import THIN, dump_rows
from tests.seen_cell import SeenCell
from tests.user_input import (
    LEFT,
    active_name,
    choose_action,
    function_id,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
    row_menu,
)

DRAWING = """
    main@a.c@/home/me/prog 10 -> std::sort 1x60, b 1x100, malloc 1x30
    b@b.c@/home/me/prog 10 -> std::sort 2x80, malloc 1x10
    std::sort@stl.h@/home/me/prog 40 -> less 8x100
    less@a.c@/home/me/prog 100
    malloc@malloc.c@/usr/lib/libc.so.6 40
    """
CYCLE = "main 10 -> ping 1x50\nping 20 -> pong 2x30\npong 30 -> ping 2x5"
TWO_ENTRIES = "main 10 -> ping 1x50, pong 1x9\nping 20 -> pong 2x30\npong 30 -> ping 2x5"
Draw = Callable[..., Path]
OpenFile = Callable[..., None]
Settle = Callable[[], None]
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def settle(window: MainWindow, qtbot: QtBot) -> Settle:
    """Wait until no job is running and its result is shown."""

    def settle() -> None:
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        process_events()

    return settle


@pytest.fixture
def window(window: MainWindow, draw: Draw, open_file: OpenFile) -> MainWindow:
    """The window with the test profile by inclusive cost, and costs in absolute numbers."""
    window.resize(1366, 768)
    window.show()
    open_file(draw(DRAWING))
    window.actions_["absolute"].trigger()
    window.views.function_list.table.sort_by(FUNCTIONS.INCLUSIVE)
    process_events()
    return window


def functions(window: MainWindow) -> list[str]:
    model = window.views.function_list.model
    columns = FUNCTIONS.INCLUSIVE, FUNCTIONS.SELF, FUNCTIONS.NAME
    rows = [[model.index(row, column) for column in columns] for row in range(model.rowCount())]
    return [" | ".join(f"{SeenCell(cell).mark}{cell.data()}" for cell in cells) for cells in rows]


def menu_of(window: MainWindow, name: str) -> Callable[[], None]:
    table, number = window.views.function_list.table, function_id(window.session, name)
    index = window.views.function_list.model.index_of_function(number)
    return row_menu(table, index.row())


def bar_of(window: MainWindow) -> FoldBar:
    (bar,) = window.findChildren(FoldBar)
    return bar


def chips(window: MainWindow) -> list[str]:
    return [button.text() for button in bar_of(window).row.buttons]


def fold(window: MainWindow, text: str, settle: Settle) -> None:
    window.filter_bar.set_text(text)
    settle()


def test_the_active_function_is_folded_into_its_callers(window: MainWindow, settle: Settle) -> None:
    """What it cost is then part of their self costs, and it is in no list."""
    go_to(window.session, window.navigation, "malloc")
    window.actions_["fold_function"].trigger()
    settle()
    assert functions(window) == [
        "200 | +40 | main",
        "140 | 40 | std::sort",
        "100 | +20 | b",
        "100 | 100 | less",
    ]
    assert (window.filter_bar.text(), chips(window)) == ("", ["malloc"])
    assert active_name(window.session, window.navigation) == "main"
    header = window._active_function.location_label.text()
    assert header == "prog: a.c · self cost includes 30 folded"


def test_estimates_and_callbacks_are_marked(window: MainWindow, settle: Settle) -> None:
    fold(window, "fold:^std::", settle)
    assert functions(window)[0] == f"200 | +≈{THIN}27 | main"
    callees = window.views.callees.model
    assert dump_rows(callees, CALLS.COST, CALLS.COUNT, CALLS.NAME)[1:] == [
        f"≈{THIN}43 | ≈{THIN}3 | less",
        "30 | 1 | malloc",
    ]
    assert SeenCell(callees.index(1, CALLS.NAME)).mark == "via std::sort"


def test_the_bar_lists_folds_and_removes_them(window: MainWindow, settle: Settle) -> None:
    fold(window, "fold:libc fold:^std:: main", settle)
    bar = bar_of(window)
    assert bar.isVisible()
    assert chips(window) == ["libc", "std::…"]
    assert bar.row.summary.text() == "2 functions, 80 of Ir"
    QTest.mouseClick(bar.row.buttons[0], LEFT)
    settle()
    assert window.filter_bar.text() == "main"
    assert chips(window) == ["std::…"]
    window.actions_["no_folds"].trigger()
    settle()
    assert window.filter_bar.text() == "main"
    assert not bar.isVisible()
    assert not window.actions_["no_folds"].isEnabled()


def test_folds_that_do_not_fit_are_counted(window: MainWindow, settle: Settle) -> None:
    fold(window, " ".join(f"fold:some_function_{n}" for n in range(30)), settle)
    row = bar_of(window).row
    shown = [button for button in row.buttons if button.isVisible()]
    assert 1 <= len(shown) < 30
    assert row.more.text() == f"+{30 - len(shown)}"
    assert row.minimumSizeHint().width() == QSize(0, 0).width()


def test_a_typed_fold_leaves_the_field_when_it_is_done(
    window: MainWindow, settle: Settle, qtbot: QtBot
) -> None:
    """Return takes it to the bar, where it stays while the filter is cleared with Escape.

    A view that is saved has both, and an invalid fold stays to be corrected.
    """
    field = window.filter_bar
    window.actions_["filter"].trigger()
    qtbot.keyClicks(field, "fold:libc incl>10 fold:self>1%")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    settle()
    assert field.text() == "incl>10 fold:self>1%"
    assert "functions are folded by their names" in field.accessibleDescription()
    for _ in "fold:self>1%":
        qtbot.keyClick(field, Qt.Key.Key_Backspace)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    settle()
    assert (field.whole_text, chips(window)) == ("fold:libc incl>10", ["libc"])
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    settle()
    assert (field.text(), chips(window)) == ("", ["libc"])
    assert "malloc" not in "".join(functions(window))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("fold:libc", "libc"),
        ("fold:^std::", "std::…"),
        ("fold:/^(main|item)$/", "names that match ^(main|item)$"),
        ("fold:lib:app", "libraries with “app”"),
        ("fold:file:=/src/a.c", "a.c"),
        ("fold:class:=std", "std"),
        ("only:is:unknown", "all but unknown functions"),
        ("only:file:^/home/me/", "all but files in /home/me"),
        ("collapse:name:=f", "recursion of f"),
    ],
)
def test_a_fold_is_named_in_words(text: str, title: str) -> None:
    (fold,) = parse_filter(text).folds
    assert fold_title(fold) == title


def test_no_function_matches_a_fold(window: MainWindow, settle: Settle) -> None:
    fold(window, "fold:nothing", settle)
    assert bar_of(window).row.summary.text() == "no function matches"
    assert len(functions(window)) == 5


def test_the_way_back_is_the_filter(window: MainWindow, settle: Settle) -> None:
    """Clearing the filter shows all functions, with their own costs."""
    before = functions(window)
    fold(window, "fold:libc", settle)
    window.actions_["no_filter"].trigger()
    settle()
    assert functions(window) == before


def test_standard_library_and_other_code(window: MainWindow, settle: Settle) -> None:
    """Both are toggles, say in words what they fold, and are checked where that is typed."""
    library, others = window.actions_["fold_library"], window.actions_["fold_others"]
    library.trigger()
    settle()
    assert chips(window) == ["standard libraries"]
    assert [row.split(" | ")[2] for row in functions(window)] == ["main", "b", "less"]
    library.trigger()
    others.trigger()
    settle()
    assert chips(window) == ["libraries in /usr/lib", "files in /usr/include", "unknown functions"]
    assert not library.isChecked()
    assert others.isChecked()
    assert "malloc" not in "".join(functions(window))
    fold(window, "fold:stdlib", settle)
    assert library.isChecked()
    assert not others.isChecked()


def test_folds_that_leave_own_code() -> None:
    """What is excluded is folded, what is required remains; costs say nothing of that."""
    assert folds_outside("!lib:^/(usr/)?lib !is:unknown lib:app self>1%") == [
        "fold:lib:^/(usr/)?lib",
        "fold:is:unknown",
        "only:lib:app",
    ]


def test_menu_of_a_function(window: MainWindow, settle: Settle) -> None:
    choose_action(menu_of(window, "less"), "Show Only Inside Object “prog”")
    settle()
    assert (window.filter_bar.text(), chips(window)) == ("", ["all but prog"])


@pytest.mark.parametrize(
    ("drawing", "offered", "reason"),
    [
        (CYCLE, "Fold &Recursion into “ping”", "collapse:name:=ping"),
        (TWO_ENTRIES, "Fold &Recursion", "2 functions of the cycle are called from outside."),
    ],
)
def test_recursion_is_collapsed_where_that_is_exact(
    window: MainWindow, draw: Draw, open_file: OpenFile, drawing: str, offered: str, reason: str
) -> None:
    """With several entries, it is not recorded which of them caused what."""
    open_file(draw(drawing, "callgrind.out.2"))
    process_events()

    def last_fold(menu: QMenu) -> tuple[str, str, bool]:
        more = QMenu.menuInAction(menu.actions()[-1])
        assert isinstance(more, QMenu)
        (folds,) = [a for a in more.actions() if a.text() == "Fo&ld into Callers"]
        inner = QMenu.menuInAction(folds)
        assert isinstance(inner, QMenu)
        action = inner.actions()[-1]
        return action.text(), action.toolTip(), action.isEnabled()

    text, tip, is_enabled = inspect_menu(menu_of(window, "pong"), last_fold)
    assert text == offered
    assert reason in tip
    assert is_enabled == ("into" in offered)


def test_a_folded_file_is_reloaded_as_it_was(window: MainWindow, settle: Settle) -> None:
    fold(window, "fold:libc", settle)
    before = functions(window)
    window.actions_["reload"].trigger()
    settle()
    assert functions(window) == before
    assert chips(window) == ["libc"]


def test_another_file_is_folded_in_the_same_way(
    window: MainWindow, draw: Draw, open_file: OpenFile, settle: Settle
) -> None:
    fold(window, "fold:ping", settle)
    open_file(draw(CYCLE, "callgrind.out.2"))
    settle()
    assert [row.split(" | ")[2] for row in functions(window)] == ["main", "pong"]


def test_the_other_panel_shows_the_folded_profile(window: MainWindow, settle: Settle) -> None:
    window.actions_["split"].trigger()
    settle()
    fold(window, "fold:libc", settle)
    second = window.panels._second
    assert second is not None
    assert second.session.queries is window.session.queries
    assert "malloc" not in dump_rows(second.views.function_list.model, FUNCTIONS.NAME)


def test_history_skips_folded_functions(window: MainWindow, settle: Settle) -> None:
    for name in ("malloc", "less"):
        window.navigation.select_function(function_id(window.session, name))
    settle()
    fold(window, "fold:libc", settle)
    assert active_name(window.session, window.navigation) == "less"
    window.actions_["back"].trigger()
    settle()
    assert active_name(window.session, window.navigation) == "main"


def test_menu_of_a_group(window: MainWindow, settle: Settle) -> None:
    """A library is folded where it is listed; each entry of the menu has its own letter."""
    window.session.set_grouping(Grouping.OBJECT)
    settle()
    groups = window.views.function_list.groups
    names = dump_rows(groups.model, GROUPS.NAME)
    open_menu = row_menu(groups.table, names.index("libc.so.6"))
    letters = inspect_menu(
        open_menu,
        lambda menu: [a.text()[a.text().index("&") + 1] for a in menu.actions() if "&" in a.text()],
    )
    assert len({letter.lower() for letter in letters}) == len(letters)
    choose_action(open_menu, "Fold into Callers “libc.so.6”")
    settle()
    assert chips(window) == ["libc.so.6"]
    assert "malloc" not in "".join(functions(window))


def test_source_says_which_lines_have_estimates(window: MainWindow, settle: Settle) -> None:
    """Which of the callers of the sort caused what is not recorded; malloc calls nobody."""
    window.docks.show("source")
    for fold_text, note in (
        ("fold:^std::", f"≈{THIN}costs of folded functions are estimates in line 1"),
        ("fold:libc", ""),
    ):
        fold(window, fold_text, settle)
        go_to(window.session, window.navigation, "b")
        settle()
        notes = window.views.source.note.text().split(" · ")
        assert [text for text in notes if "folded" in text] == list(filter(None, [note]))
