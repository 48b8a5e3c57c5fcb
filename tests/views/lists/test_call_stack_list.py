"""The costliest call path through the active function."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.call_lists import CallStackList
from tests.columns import STACK
from tests.profile_text import dump_rows, event_named, titles
from tests.user_input import active_name, click_row, go_to, process_events

DRAWING = """
    events: Ir Dr
    main 10,1 -> a 2x60,6, b 1x30,30
    a 20,2 -> c 4x40,4
    b 10,10 -> c 1x20,20
    c 60,24 -> leaf 9x10,2
    leaf 10,2
    """
SEEN = (STACK.COST, STACK.COUNT, STACK.NAME)


@pytest.fixture
def stack(opened: Callable[..., CallStackList]) -> CallStackList:
    """The path through c."""
    view = opened(CallStackList, DRAWING)
    go_to(view.session, view.navigation, "c")
    return view


def current(view: CallStackList) -> str:
    """The name in the current row."""
    return str(view.table.currentIndex().siblingAtColumn(STACK.NAME).data())


def test_path_follows_the_costliest_calls(stack: CallStackList) -> None:
    """From the top caller down, each row has cost and count of the call from above."""
    assert dump_rows(stack.model, *SEEN) == [
        "90.91 |  | main",  # of 110 in all
        "54.55 | 2 | a",
        "36.36 | 4 | c",
        "9.09 | 9 | leaf",
    ]
    assert current(stack) == "c"


def test_click_keeps_the_path(
    stack: CallStackList, session: Session, navigation: Navigation
) -> None:
    """A click activates a function of the path, which stays as it is."""
    before = dump_rows(stack.model, *SEEN)
    visited = []
    for row in (0, 3, 1):
        click_row(stack.table, row)
        visited.append((active_name(session, navigation), current(stack)))

    assert visited == [("main", "main"), ("leaf", "leaf"), ("a", "a")]
    assert dump_rows(stack.model, *SEEN) == before


def test_return_goes_there(
    stack: CallStackList, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """Arrow keys move along the path, and Return activates a function."""
    stack.table.setFocus()
    qtbot.keyClick(stack.table, Qt.Key.Key_Up)
    read = active_name(session, navigation)
    qtbot.keyClick(stack.table, Qt.Key.Key_Return)

    assert (read, active_name(session, navigation)) == ("c", "a")


def test_visited_path_is_kept(
    stack: CallStackList, session: Session, navigation: Navigation
) -> None:
    """A function reached from its cheaper caller shows that caller."""
    go_to(session, navigation, "b")
    go_to(session, navigation, "c")

    assert dump_rows(stack.model, STACK.NAME) == ["main", "b", "c", "leaf"]


def test_second_event_is_shown_beside(stack: CallStackList, navigation: Navigation) -> None:
    """With a second event each call has both costs, without one there is no column."""
    hidden = stack.table.isColumnHidden(STACK.SECOND_COST)
    assert stack.session.queries is not None
    navigation.set(second_event=event_named(stack.session.queries, "Dr"))
    process_events()

    assert (hidden, stack.table.isColumnHidden(STACK.SECOND_COST)) == (True, False)
    # 39 in all
    assert dump_rows(stack.model, STACK.SECOND_COST) == ["94.87", "15.38", "10.26", "5.13"]
    assert titles(stack.model, all_columns=True)[:2] == ["Incl. %", "Dr incl. %"]


def test_filter_removes_no_step(stack: CallStackList, navigation: Navigation) -> None:
    """The path stays complete; a note says that a step does not match the filter."""
    before = dump_rows(stack.model, STACK.NAME)
    navigation.set(filter=parse_filter("!^a$"))
    process_events()

    assert dump_rows(stack.model, STACK.NAME) == before
    assert stack.filter_note.text() == "1 of these do not match the filter; the whole path is shown"


def test_titles_do_not_sort(stack: CallStackList) -> None:
    """Clicking a header keeps the order of the calls."""
    before = dump_rows(stack.model, *SEEN)
    stack.table.sortByColumn(STACK.NAME, Qt.SortOrder.DescendingOrder)
    header = stack.table.horizontalHeader()

    assert dump_rows(stack.model, *SEEN) == before
    assert not header.isSortIndicatorShown()
