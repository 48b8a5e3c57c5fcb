"""The lists of callers and callees, direct and transitive, and the call stack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.call_lists import (
    CallList,
    CallStackList,
    Direction,
    TransitiveCallList,
)
from qcachegrind_py.views.lists.call_tree import CallTreeView
from qcachegrind_py.views.profile_view import NO_PROFILE
from qcachegrind_py.views.widgets.empty_page import NO_CALLS, NO_RATIO_SHARES
from tests.columns import CALLS, STACK, TRANSITIVE
from tests.paintings import Paintings
from tests.profile_text import dump_rows, event_named
from tests.seen_cell import SeenCell
from tests.user_input import (
    active_name,
    click_row,
    double_click_row,
    function_id,
    go_to,
    process_events,
)

DRAWING = """
    events: Ir Dr
    main 10,1 -> a 2x60,6, b 1x30,30, running 0x7,0
    a 20,2 -> c 4x40,4
    b 10,10 -> c 1x20,20
    c 60,24 -> leaf 9x10,2
    leaf 10,2
    running 7,0
    alone 3,1
    """
Make = Callable[[Session], Any]
Show = Callable[[Make, str], Any]
CALLERS, CALLEES = Direction.CALLERS, Direction.CALLEES
DIRECT: dict[str, Make] = {
    "callers": lambda s: CallList(s, CALLERS),
    "callees": lambda s: CallList(s, CALLEES),
}
ALL: dict[str, Make] = {
    "all callers": lambda s: TransitiveCallList(s, CALLERS),
    "all callees": lambda s: TransitiveCallList(s, CALLEES),
}
STACKS: dict[str, Make] = {"call stack": CallStackList}
LISTS = DIRECT | ALL | STACKS


def of_lists(**lists: Make) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("make", lists.values(), ids=lists)


def shown_at(show: Show, make: Make, function: str, drawing: str = DRAWING) -> Any:
    """A list while a function is active."""
    view = show(make, drawing)
    go_to(view.session, view.navigation, function)
    return view


def active(view: Any) -> str:
    """The name of the active function."""
    return active_name(view.session, view.navigation)


def name(table: QTableView, row: int | None = None) -> str:
    """The name in a row, by default in the current one."""
    index = table.currentIndex() if row is None else table.model().index(row, 0)
    model = table.model()
    return str(index.siblingAtColumn(model.place("name")).data())  # type: ignore[attr-defined]


def names(view: Any) -> list[str]:
    return dump_rows(view.model, view.model.place("name"))


# ---------------------------------------------------------------- every list


@pytest.mark.parametrize(
    ("make", "rows"),
    [
        (DIRECT["callers"], ["33.33 | 4 | a", "16.67 | 1 | b"]),
        (DIRECT["callees"], ["8.33 | 9 | leaf"]),
        # percentages are of the active function; 2 calls of a at 40/60, 1 of b at 20/30
        (ALL["all callers"], ["≈ 100.00 | ≈ 2 | main", "66.67 | 4 | a", "33.33 | 1 | b"]),
        (ALL["all callees"], ["16.67 | 9 | leaf"]),
        (
            STACKS["call stack"],
            ["89.17 |  | main", "50.00 | 2 | a", "33.33 | 4 | c", "8.33 | 9 | leaf"],
        ),
    ],
    ids=LISTS,
)
def test_functions_are_listed_costliest_first(opened: Show, make: Make, rows: list[str]) -> None:
    """Callers have the part of the cost that came from each; the stack is in order of calls."""
    view = shown_at(opened, make, "c")
    cost = "inclusive" if make in ALL.values() else "cost"
    shown = dump_rows(view.model, *view.model.places(cost, "count", "name"))

    assert [row.replace("\N{THIN SPACE}", " ") for row in shown] == rows


@of_lists(**DIRECT, **ALL)
def test_another_function_is_painted_once(opened: Show, make: Make, qtbot: QtBot) -> None:
    """Also in a list that has no room for some columns: painting takes most of the time."""
    view = shown_at(opened, make, "a")
    view.resize(150, 300)
    process_events()
    paintings = Paintings(view.table.viewport())
    go_to(view.session, view.navigation, "c")
    qtbot.wait(50)
    assert paintings.count == 1


@of_lists(**LISTS)
def test_list_follows_event_and_unit(opened: Show, make: Make) -> None:
    """Other costs are shown at once, costliest first; the current row stays."""
    view = shown_at(opened, make, "c", DRAWING + "c 0 -> d 1x1,4\nd 1,4")
    row = view.model.rowCount() - 1
    view.table.setFocus()
    view.table.selectRow(row)
    current = name(view.table)
    assert view.session.queries is not None
    view.navigation.set(event=event_named(view.session.queries, "Dr"), unit=CostUnit.ABSOLUTE)
    process_events()

    assert view.model.columns[0].heading == "Incl."
    costs = [int(text.replace("≈\N{THIN SPACE}", "")) for text in dump_rows(view.model, 0)]
    assert costs == sorted(costs, reverse=True)
    if make not in STACKS.values():  # which goes to the active function
        assert (name(view.table), len(view.table.selectionModel().selectedRows())) == (current, 1)


@of_lists(**DIRECT | ALL)
def test_double_click_goes_there(opened: Show, make: Make) -> None:
    """A double click activates the function, a single click does not; the list follows."""
    view = shown_at(opened, make, "c")
    before, row = names(view), view.model.rowCount() - 1
    click_row(view.table, row)
    clicked = active(view)
    double_click_row(view.table, row)

    assert (clicked, active(view)) == ("c", before[row])
    assert view.message or names(view) != before


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_keyboard_alone_reaches_a_row(opened: Show, key: Qt.Key) -> None:
    """Tab focuses the first row; arrow keys and Return go on from there."""
    view = shown_at(opened, DIRECT["callees"], "main")
    table = view.table
    table.setFocus(Qt.FocusReason.TabFocusReason)
    first = name(table)
    QTest.keyClick(table, Qt.Key.Key_Down)
    read = active(view)
    QTest.keyClick(table, key)
    process_events()

    assert (first, read, active(view)) == ("a", "main", "b")


@pytest.mark.parametrize(
    ("make", "function", "message"),
    [
        (DIRECT["callers"], "alone", "No callers were recorded."),
        (DIRECT["callees"], "alone", "No calls were recorded."),
        (ALL["all callers"], "main", "No callers were recorded."),
        (ALL["all callees"], "leaf", "No calls were recorded."),
    ],
    ids=DIRECT | ALL,
)
def test_empty_lists_say_why(opened: Show, make: Make, function: str, message: str) -> None:
    """An empty list explains itself and drops the previous rows."""
    view = shown_at(opened, make, "c")
    before = view.message
    go_to(view.session, view.navigation, function)

    assert (before, view.message, dump_rows(view.model)) == ("", message, [])


@pytest.mark.parametrize("up", [True, False])
def test_ends_of_stacks_say_so(
    session: Session,
    show_view: Callable[[Any], Any],
    open_profile: Callable[..., None],
    tmp_path: Path,
    *,
    up: bool,
) -> None:
    """Where whole stacks were recorded, a list without calls does not ask for more recording."""
    direction = CALLERS if up else CALLEES
    lists = [show_view(each(session, direction)) for each in (CallList, TransitiveCallList)]
    (tmp_path / "stacks").write_text("main;a;leaf 3\nmain;a 4\n")
    open_profile(tmp_path / "stacks")
    seen = []
    for function in ("a", "main" if up else "leaf"):
        go_to(session, session.navigation, function)
        seen.append([view.message for view in lists])

    text = (
        "All stacks with this function begin with it."
        if up
        else ("No stack goes on below this function.")
    )
    assert seen == [["", ""], [text, text]]


@of_lists(**LISTS, **{"call tree": CallTreeView})
def test_profiles_without_calls_or_functions(
    opened: Show,
    session: Session,
    show_view: Callable[[Any], Any],
    open_profile: Callable[..., None],
    tmp_path: Path,
    make: Make,
) -> None:
    """Without a profile, and for one of Cachegrind, the view says what to do."""
    assert show_view(make(session)).message == NO_PROFILE
    view = opened(make, "main 1\nf 2")
    assert view.message == NO_CALLS
    (tmp_path / "empty").write_text("version: 1\nevents: Ir\n")
    open_profile(tmp_path / "empty")
    assert (bool(view.message), view.model.rowCount()) == (True, 0)


@of_lists(**LISTS)
def test_ratio_is_explained(opened: Show, make: Make) -> None:
    """A ratio is not additive over paths; the list says what to choose instead.

    Single calls have one.
    """
    view = shown_at(opened, make, "c")
    view.session.set_user_events([UserEvent("Miss", "", "Dr / Ir")])
    view.navigation.set(event=view.navigation.context.events.find("Miss"))
    process_events()

    assert view.message == ("" if make in DIRECT.values() else NO_RATIO_SHARES)


@pytest.mark.parametrize(
    ("make", "note"),
    [
        (DIRECT["callers"], "1 hidden by the filter: 33.33\N{THIN SPACE}%"),
        (ALL["all callers"], "1 hidden by the filter: costs overlap and are not summed"),
        (STACKS["call stack"], "1 of these do not match the filter; the whole path is shown"),
    ],
    ids=["callers", "all callers", "call stack"],
)
def test_filter_hides_functions_and_says_how_many(opened: Show, make: Make, note: str) -> None:
    """The filter hides rows, and the view counts them; no step of a path is left out."""
    view = shown_at(opened, make, "c")
    before, was_noted = names(view), view.filter_note.isVisible()
    view.navigation.set(filter=parse_filter("!^a$"))
    process_events()

    assert (was_noted, view.filter_note.isVisible(), view.filter_note.text()) == (False, True, note)
    is_path = make in STACKS.values()
    assert names(view) == [each for each in before if each != "a" or is_path]


@of_lists(**LISTS)
def test_selection_elsewhere_is_highlighted(opened: Show, make: Make) -> None:
    """Only the function selected in another view has a tint."""
    view = shown_at(opened, make, "c")
    chosen = names(view)[0]
    view.navigation.set(selected=function_id(view.session, chosen))
    process_events()
    cells = [view.model.index(row, 0) for row in range(view.model.rowCount())]
    tinted = [SeenCell(cell).is_highlighted for cell in cells]

    assert tinted == [each == chosen for each in names(view)]


@pytest.mark.parametrize(
    ("make", "column"),
    [
        (DIRECT["callees"], CALLS.SECOND_COST),
        (DIRECT["callees"], CALLS.SECOND_PER_CALL),
        (STACKS["call stack"], STACK.SECOND_COST),
    ],
)
def test_second_event_is_shown_beside(opened: Show, make: Make, column: int) -> None:
    """With a second event each call has both costs, without one there is no column."""
    view, hidden = opened(make, DRAWING), []
    view.resize(1200, 400)
    for event in (None, "Dr", None):
        queries = view.session.queries
        second = event_named(queries, event) if event and queries else None
        view.navigation.set(second_event=second)
        process_events()
        hidden.append(view.table.isColumnHidden(column))

    assert hidden == [True, False, True]


def test_callers_have_no_self_cost(opened: Show) -> None:
    """A caller's self cost is not part of the active function's cost."""
    callers, callees = (opened(make, DRAWING) for make in ALL.values())

    assert callers.table.isColumnHidden(TRANSITIVE.SELF)
    assert not callees.table.isColumnHidden(TRANSITIVE.SELF)


# ---------------------------------------------------------------- the call stack


def test_path_stays_while_the_user_moves_along_it(opened: Show) -> None:
    """A click or Return activates a function of the path; arrow keys only move."""
    view = shown_at(opened, CallStackList, "c")
    before, visited = names(view), [name(view.table)]
    for row in (0, 3, 1):
        click_row(view.table, row)
        visited.append(f"{active(view)} {name(view.table)}")
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_Up)
    visited.append(active(view))
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    process_events()

    assert visited == ["c", "main main", "leaf leaf", "a a", "a"]
    assert (active(view), names(view)) == ("main", before)


def test_visited_path_is_kept(opened: Show) -> None:
    """A function reached from its cheaper caller shows that caller."""
    view = shown_at(opened, CallStackList, "b")
    go_to(view.session, view.navigation, "c")

    assert names(view) == ["main", "b", "c", "leaf"]


def test_titles_of_a_path_do_not_sort(opened: Show) -> None:
    """Clicking a header keeps the order of the calls."""
    view = shown_at(opened, CallStackList, "c")
    before = names(view)
    view.table.sortByColumn(STACK.NAME, Qt.SortOrder.DescendingOrder)

    assert names(view) == before
    assert not view.table.horizontalHeader().isSortIndicatorShown()
