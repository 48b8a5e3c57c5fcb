"""The lists of callers and callees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.call_lists import CallList, Direction
from tests.columns import CALLS
from tests.profile_text import dump_rows
from tests.user_input import process_events

DRAWING = """
    events: Ir Dr
    start@s.c 0,0 -> main 1x100,60
    main@a.c 10,1 -> fast 4x40,4, slow 1x50,55, running 0x7,0
    fast@b.c 40,4
    slow@b.c 50,5 -> fast 2x0,50
    running 7,0
    alone 3,1
    """
NAME = CALLS.NAME
NUMBERS = (CALLS.COST, CALLS.PER_CALL, CALLS.COUNT)
Draw = Callable[..., Path]
OpenProfile = Callable[..., None]
ShowView = Callable[[CallList], CallList]


@pytest.fixture
def callees(
    session: Session,
    draw: Draw,
    open_profile: OpenProfile,
    show_view: ShowView,
) -> CallList:
    """The callees of main."""
    view = show_view(CallList(session, Direction.CALLEES))
    open_profile(draw(DRAWING))
    return view


@pytest.fixture
def callers(
    session: Session,
    draw: Draw,
    open_profile: OpenProfile,
    show_view: ShowView,
) -> CallList:
    """The callers of main."""
    view = show_view(CallList(session, Direction.CALLERS))
    open_profile(draw(DRAWING))
    return view


def go_to(view: CallList, name: str, qtbot: QtBot) -> None:
    """Activate a function, and wait until the view shows it."""
    assert view.session.queries is not None
    with qtbot.waitSignal(view.navigation.changed):
        view.navigation.select_function(view.session.queries.names.with_name(name)[0])


def active(view: CallList) -> str:
    """The name of the active function."""
    assert view.session.queries is not None
    return view.session.queries.names.name(view.navigation.context.function)


def row_position(view: CallList, row: int) -> QPoint:
    """The position of a row in the list."""
    return view.table.visualRect(view.model.index(row, NAME)).center()


def test_callees_are_listed_costliest_first(callees: CallList) -> None:
    """Each callee has cost, cost per call, call count, name and location."""
    assert dump_rows(callees.model) == [
        "45.45 | 50 | 1 | slow | b.c",
        "36.36 | 10 | 4 | fast | b.c",
        "6.36 | 7 | (active) | running | ???",
    ]


def test_callers_are_listed(callers: CallList, qtbot: QtBot) -> None:
    """Each caller has the cost that it caused in the active function."""
    of_main = dump_rows(callers.model)
    go_to(callers, "fast", qtbot)

    assert of_main == ["90.91 | 100 | 1 | start | s.c"]
    assert dump_rows(callers.model) == ["36.36 | 10 | 4 | main | a.c", " | 0 | 2 | slow | b.c"]


def test_calls_follow_event_and_unit(
    callees: CallList, navigation: Navigation, qtbot: QtBot
) -> None:
    """Another event and absolute costs are shown at once, costliest first."""
    assert callees.session.queries is not None
    with qtbot.waitSignal(navigation.changed):
        navigation.set(event=callees.session.queries.events.all[1])
        navigation.set(unit=CostUnit.ABSOLUTE)

    assert dump_rows(callees.model, *NUMBERS, NAME) == [
        "55 | 55 | 1 | slow",
        "4 | 1 | 4 | fast",
        " | 0 | (active) | running",
    ]


@pytest.mark.parametrize("change", ["event", "unit"])
def test_current_row_survives_a_change_of_event_and_unit(
    callees: CallList, navigation: Navigation, qtbot: QtBot, change: str
) -> None:
    """Another event or unit replaces the costs; the current row stays."""
    assert callees.session.queries is not None
    callees.table.setCurrentIndex(callees.model.index(1, NAME))
    with qtbot.waitSignal(navigation.changed):
        if change == "event":
            navigation.set(event=callees.session.queries.events.all[1])
        else:
            navigation.set(unit=CostUnit.ABSOLUTE)

    assert callees.table.currentIndex().siblingAtColumn(NAME).data() == "fast"
    assert len(callees.table.selectionModel().selectedRows()) == 1


def test_double_click_goes_there(callees: CallList, qtbot: QtBot) -> None:
    """A double click activates the function, a single click does not."""
    viewport, left = callees.table.viewport(), Qt.MouseButton.LeftButton
    qtbot.mouseClick(viewport, left, pos=row_position(callees, 1))
    clicked = active(callees)
    with qtbot.waitSignal(callees.navigation.changed):
        qtbot.mouseDClick(viewport, left, pos=row_position(callees, 1))

    assert (clicked, active(callees)) == ("main", "fast")
    assert callees.message == "No calls were recorded."


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_return_goes_there(callers: CallList, qtbot: QtBot, key: Qt.Key) -> None:
    """Return on a row activates its function."""
    go_to(callers, "fast", qtbot)
    callers.table.setFocus()
    callers.table.selectRow(1)
    qtbot.keyClick(callers.table, key)

    assert active(callers) == "slow"


def test_keyboard_alone_reaches_a_row(callees: CallList, qtbot: QtBot) -> None:
    """Tab focuses the first row; Down and Return go on from there."""
    callees.table.setFocus(Qt.FocusReason.TabFocusReason)
    first = callees.table.currentIndex().siblingAtColumn(NAME).data()
    qtbot.keyClick(callees.table, Qt.Key.Key_Down)
    qtbot.keyClick(callees.table, Qt.Key.Key_Return)

    assert (first, active(callees)) == ("slow", "fast")


def test_empty_lists_say_why(callees: CallList, qtbot: QtBot) -> None:
    """For a function without callees the list says so."""
    with_callees = callees.message
    go_to(callees, "alone", qtbot)

    assert (with_callees, callees.message) == ("", "No calls were recorded.")


def test_function_without_callers_says_so(callers: CallList, qtbot: QtBot) -> None:
    """For a function without callers the list says so."""
    go_to(callers, "alone", qtbot)

    assert callers.message == "No callers were recorded."


@pytest.mark.parametrize("direction", Direction)
def test_profile_without_calls_says_how_to_record_them(
    session: Session,
    draw: Draw,
    open_profile: OpenProfile,
    show_view: ShowView,
    direction: Direction,
) -> None:
    """For a Cachegrind profile the view says that calls need Callgrind."""
    view = show_view(CallList(session, direction))
    open_profile(draw("main 1\nf 2"))

    assert (
        view.message == "The profile contains no calls.\n"
        "Record them with valgrind --tool=callgrind."
    )


def test_list_before_a_profile_is_open_says_what_to_do(
    session: Session, show_view: ShowView
) -> None:
    """Without a profile the view says how to open one."""
    view = show_view(CallList(session, Direction.CALLERS))

    assert view.message == "No profile is open.\nOpen one from the File menu, or drop it here."


def test_profile_without_functions(
    callees: CallList, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """Without an active function the list is empty."""
    path = tmp_path / "empty"
    path.write_text("version: 1\nevents: Ir\n")

    open_profile(path)

    assert (bool(callees.message), dump_rows(callees.model)) == (True, [])


def test_costs_per_call_are_those_of_the_new_side(
    callees: CallList, draw: Draw, qtbot: QtBot
) -> None:
    """In a comparison costs are changes, but a call costs what it does now; none if it is gone."""
    base = draw(
        """
        events: Ir Dr
        main@a.c 10,1 -> fast 2x10,2, past 3x9,6
        fast@b.c 10,2
        past@b.c 9,6
        """,
        "callgrind.out.2",
    )
    session = callees.session
    session.comparing.compare_with(ProfileFiles((base,), with_siblings=False))
    qtbot.waitUntil(lambda: session.comparison is not None)
    assert session.queries is not None
    second = session.queries.events.find("Dr")
    callees.navigation.set(unit=CostUnit.ABSOLUTE, second_event=second)
    process_events()
    assert active(callees) == "main"

    columns = (*NUMBERS, CALLS.SECOND_COST, CALLS.SECOND_PER_CALL, NAME)
    assert dump_rows(callees.model, *columns) == [
        "+50 | 50 | 0\u2009→\u20091 | +55 | 55 | slow",
        "+30 | 10 | 2\u2009→\u20094 | +2 | 1 | fast",
        "−9 | – | 3\u2009→\u20090 | −6 | – | past",
        "+7 | 7 | (active) |  | 0 | running",
    ]
