"""The call tree: down to callees, or up to callers."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable

import pytest
from PySide6.QtCore import QByteArray, QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.models.call_tree import CallTreeModel
from qcachegrind_py.session.context import CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.call_tree_view import CallTreeView
from tests.profile_text import THIN, dump_tree
from tests.user_input import (
    CTRL,
    active_name,
    choose_action,
    context_menu_opener,
    enabled_texts,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
)

DRAWING = """
    main 10 -> a 2x60, b 1x30
    a 20 -> c 4x40
    b 10 -> c 1x20
    c 60
    """
ABOUT = f"≈{THIN}"
SEEN = (CallTreeModel.COST, CallTreeModel.COUNT, CallTreeModel.NAME)
KEY = Qt.Key
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def view(opened: Callable[..., CallTreeView]) -> CallTreeView:
    """The tree below main."""
    return opened(CallTreeView, DRAWING)


def current(view: CallTreeView) -> str:
    """The name of the current node."""
    return str(view.tree.currentIndex().siblingAtColumn(CallTreeModel.NAME).data())


def node(view: CallTreeView, *rows: int) -> QModelIndex:
    """The node with these rows from the root."""
    index = view.model.index(0, 0)
    for row in rows:
        index = view.model.index(row, 0, index)
    return index


def test_tree_of_callees(view: CallTreeView) -> None:
    """The costliest branch comes first; if a branch has all of a cost, its calls are exact."""
    assert dump_tree(view.model, 3, *SEEN) == [
        "100.00 |  | main",
        "  60.00 | 2 | a",
        "    40.00 | 4 | c",
        "  30.00 | 1 | b",
        "    20.00 | 1 | c",
    ]


def test_tree_of_callers(
    view: CallTreeView, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """The other button shows callers instead of callees."""
    go_to(session, navigation, "c")
    qtbot.mouseClick(view.callers_button, Qt.MouseButton.LeftButton)
    up = dump_tree(view.model, 3, *SEEN)
    qtbot.mouseClick(view.callees_button, Qt.MouseButton.LeftButton)

    assert up == [
        "60.00 |  | c",
        "  40.00 | 4 | a",
        f"    40.00 | {ABOUT}1 | main",  # 2 calls of a, of which 40 of 60 are of c
        "  20.00 | 1 | b",
        f"    20.00 | {ABOUT}1 | main",
    ]
    assert dump_tree(view.model, 3, *SEEN) == ["60.00 |  | c"]


def test_percentages_of_the_parent_are_of_the_root(
    view: CallTreeView, navigation: Navigation, session: Session
) -> None:
    """Percentages of the parent refer to the root function."""
    go_to(session, navigation, "a")
    navigation.set(unit=CostUnit.PERCENT_OF_PARENT)
    process_events()

    assert dump_tree(view.model, 1, *SEEN) == ["100.00 |  | a", "  66.67 | 4 | c"]


def test_recursion_is_shown_once_and_not_opened(opened: Callable[..., CallTreeView]) -> None:
    """A function already on its branch is marked and has no children."""
    view = opened(CallTreeView, "main 10 -> f 1x50\nf 20 -> g 9x40\ng 30 -> f 2x20")
    view.navigation.set(scope=Scope(cycles=False))
    process_events()

    assert dump_tree(view.model, 9, CallTreeModel.NAME) == ["main", "  f", "    g", "      f  ↻"]


def test_branches_open_by_arrow_keys_and_return_goes_there(
    view: CallTreeView, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """Down, Right and Return reach and activate a function."""
    view.tree.setFocus()
    view.tree.setCurrentIndex(node(view))
    for key in (KEY.Key_Down, KEY.Key_Right, KEY.Key_Down):
        qtbot.keyClick(view.tree, key)
    below = (current(view), active_name(session, navigation))
    qtbot.keyClick(view.tree, KEY.Key_Return)
    process_events()

    assert below == ("c", "main")
    assert active_name(session, navigation) == "c"
    assert navigation.back_history == (session.queries.names.with_name("main")[0],)  # type: ignore[union-attr]


def test_return_shows_more_branches(
    opened: Callable[..., CallTreeView], session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """Return on the node for further branches shows the next ones, of which the first is chosen."""
    calls = ", ".join(f"f{i} 1x{i}" for i in range(1, 1201))
    view = opened(CallTreeView, f"main 1 -> {calls}")
    view.tree.setFocus()
    view.tree.setCurrentIndex(node(view, 1000))
    before = current(view)
    qtbot.keyClick(view.tree, KEY.Key_Return)
    process_events()

    assert (before, current(view)) == ("200 more…", "f200")
    assert active_name(session, navigation) == "main"
    assert view.model.rowCount(node(view)) == 1200


def test_tab_focuses_the_root(view: CallTreeView) -> None:
    """Tab makes the root the current node."""
    view.tree.setFocus(Qt.FocusReason.TabFocusReason)

    assert current(view) == "main"


def test_double_click_goes_there_and_opens_nothing(
    view: CallTreeView, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """A double click activates the function, which becomes the root."""
    cell = node(view, 1).siblingAtColumn(CallTreeModel.NAME)
    place = view.tree.visualRect(cell).center()
    left = Qt.MouseButton.LeftButton
    qtbot.mouseClick(view.tree.viewport(), left, pos=place)
    qtbot.mouseDClick(view.tree.viewport(), left, pos=place)
    process_events()

    assert active_name(session, navigation) == "b"
    assert dump_tree(view.model, 1, *SEEN) == ["30.00 |  | b", "  20.00 | 1 | c"]


def test_selected_node_is_selected_everywhere(
    view: CallTreeView, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """The current node's function is highlighted in all views, this one included."""
    view.tree.setFocus()
    view.tree.setCurrentIndex(node(view, 0))
    view.tree.expand(node(view, 0))
    view.tree.expand(node(view, 1))
    view.tree.setCurrentIndex(node(view, 0, 0))
    process_events()
    background = Qt.ItemDataRole.BackgroundRole
    tinted = [node(view, *rows).data(background) is not None for rows in ((), (0,), (0, 0), (1, 0))]

    assert session.queries is not None
    assert navigation.context.selected == session.queries.names.with_name("c")[0]
    assert tinted == [False, False, True, True]


def test_menu_opens_the_costliest_branch_and_copies(view: CallTreeView) -> None:
    """The menu activates the node, expands the costliest path, copies cell and row."""
    view.tree.setCurrentIndex(node(view))
    offered = inspect_menu(context_menu_opener(view.tree), enabled_texts)
    choose_action(context_menu_opener(view.tree), "Expand Costliest Branch")
    opened = [view.tree.isExpanded(node(view, *rows)) for rows in ((), (0,), (1,))]
    view.tree.setCurrentIndex(node(view, 0))
    choose_action(context_menu_opener(view.tree), "Copy Row")

    assert offered == [
        *("Go to Function", "Expand Costliest Branch", "Copy Cell", "Copy Row", "Save Table…")
    ]
    assert opened == [True, True, False]
    assert QGuiApplication.clipboard().text() == "60.00\t2\ta\t???"


def test_key_copies_the_row(view: CallTreeView, qtbot: QtBot) -> None:
    """Ctrl+C copies the current row, cells separated by tabs."""
    view.tree.setCurrentIndex(node(view, 1))
    qtbot.keyClick(view.tree, KEY.Key_C, CTRL)

    assert QGuiApplication.clipboard().text() == "30.00\t1\tb\t???"


def test_filter_hides_branches(view: CallTreeView, navigation: Navigation) -> None:
    """The filter hides branches, but never the root."""
    navigation.set(filter=parse_filter("!^a$ !main"))
    process_events()

    assert dump_tree(view.model, 3, CallTreeModel.NAME) == ["main", "  b", "    c"]


def test_hidden_branches_are_reported(view: CallTreeView, navigation: Navigation) -> None:
    """The view says that branches are hidden, as all others do."""
    navigation.set(filter=parse_filter("!^a$"))
    process_events()
    said = [label.text() for label in view.findChildren(QLabel) if label.isVisible()]

    assert ["hidden by the filter" in text for text in said].count(True) == 1, said


def test_empty_tree_is_explained(opened: Callable[..., CallTreeView]) -> None:
    """For a profile without calls, the view says how to record them."""
    view = opened(CallTreeView, "main 1\nf 2")

    assert view.message.startswith("The profile contains no calls.")


def test_order_of_nodes_survives_a_change_of_unit(
    view: CallTreeView, navigation: Navigation
) -> None:
    """Absolute costs show the same tree with other numbers."""
    navigation.set(unit=CostUnit.ABSOLUTE)
    process_events()

    assert dump_tree(view.model, 1, *SEEN) == ["100 |  | main", "  60 | 2 | a", "  30 | 1 | b"]


def test_open_branches_stay_open_when_only_numbers_change(
    view: CallTreeView, navigation: Navigation
) -> None:
    """Another unit collapses no branch."""
    view.tree.expand(node(view, 0))
    navigation.set(unit=CostUnit.ABSOLUTE)
    process_events()

    assert view.tree.isExpanded(node(view, 0))


# what the changes below saved before columns had keys
FORMER_HEADER = (
    "AAAA/wAAAAAAAAABAAAAAQAAAAAAAAAABAAAAAEAAAACAAAAAAAAAAMAAAAEAAAAAgAAAAAAAAABAAAAAwAAAAAA"
    "AAAAAAACvAAAAAQBAAAAAAAAAAEAAAAAAAAAZP////8AAACBAAAAAAAAAAQAAAEjAAAAAQAAAAEAAACAAAAAAQAA"
    "AAAAAACJAAAAAQAAAAAAAACQAAAAAQAAAAAAAAPoAAAAAGQAAAAAAAAAAAAAAAAAAAAB"
)


@pytest.mark.parametrize("is_former", [False, True], ids=["by key", "by position"])
def test_columns_are_found_again(
    opened: Callable[..., CallTreeView], view: CallTreeView, is_former: bool
) -> None:
    """Order and widths of the columns are those of the saved tree."""
    header = view.tree.header()
    header.moveSection(header.visualIndex(CallTreeModel.NAME), 0)
    header.resizeSection(CallTreeModel.COUNT, 137)
    state = view.save_state()
    if is_former:
        state[0] = QByteArray(b64decode(FORMER_HEADER))
    again = opened(CallTreeView, DRAWING)
    again.restore_state(state)

    header = again.tree.header()
    order = [header.logicalIndex(place) for place in range(header.count())]
    assert order == [
        CallTreeModel.NAME,
        CallTreeModel.COST,
        CallTreeModel.COUNT,
        CallTreeModel.LOCATION,
    ]
    assert header.sectionSize(CallTreeModel.COUNT) == 137
    again.restore_state([QByteArray(b"{"), state[1]])
    assert header.sectionSize(CallTreeModel.COUNT) == 137
