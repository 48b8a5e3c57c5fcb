"""The lists of all direct and indirect callers and callees."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt

from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.call_lists import Direction, TransitiveCallList
from tests.columns import TRANSITIVE
from tests.profile_text import THIN, dump_rows
from tests.user_input import active_name, double_click_row, function_id, go_to, process_events

EXACT = "The cost is exact: it follows from the recorded calls."
ESTIMATED = "≈ is an estimate: only direct calls are recorded."

DRAWING = """
    events: Ir Dr
    main 10,1 -> a 2x60,6, b 1x30,3
    a 20,2 -> c 4x40,4
    b 10,1 -> c 1x20,2
    c 60,6
    """
ABOUT = f"≈{THIN}"
SEEN = (
    TRANSITIVE.INCLUSIVE,
    TRANSITIVE.DISTANCE,
    TRANSITIVE.COUNT,
    TRANSITIVE.NAME,
)
Opened = Callable[..., TransitiveCallList]


@pytest.fixture
def callers(opened: Opened) -> TransitiveCallList:
    """All callers of c."""
    view = opened(lambda s: TransitiveCallList(s, Direction.CALLERS), DRAWING)
    go_to(view.session, view.navigation, "c")
    return view


@pytest.fixture
def callees(opened: Opened) -> TransitiveCallList:
    """All callees of main."""
    return opened(lambda s: TransitiveCallList(s, Direction.CALLEES), DRAWING)


def test_callers_are_listed_with_distance_and_estimates_are_marked(
    callers: TransitiveCallList,
) -> None:
    """Direct callers are exact, others marked; percentages are of the active function."""
    assert dump_rows(callers.model, *SEEN) == [
        f"{ABOUT}100.00 | 2 | {ABOUT}2 | main",  # 2 calls of a at 40/60, 1 of b at 20/30
        "66.67 | 1 | 4 | a",
        "33.33 | 1 | 1 | b",
    ]


def test_callees_have_a_self_cost(callees: TransitiveCallList) -> None:
    """Callees have a column for their self cost, callers have none."""
    assert dump_rows(callees.model, *SEEN, TRANSITIVE.SELF) == [
        "60.00 | 1 | 2 | a | 20.00",
        f"{ABOUT}60.00 | 2 | {ABOUT}5 | c | {ABOUT}60.00",
        "30.00 | 1 | 1 | b | 10.00",
    ]
    assert not callees.table.isColumnHidden(TRANSITIVE.SELF)


def test_callers_have_no_self_cost(callers: TransitiveCallList) -> None:
    """A caller's self cost is not part of the active function's cost."""
    assert callers.table.isColumnHidden(TRANSITIVE.SELF)


def test_percentages_are_of_the_function_whatever_the_unit(
    callers: TransitiveCallList, navigation: Navigation
) -> None:
    """Percent of total and of parent are equal here; absolute costs are counts."""
    found = {}
    for unit in (CostUnit.PERCENT, CostUnit.PERCENT_OF_PARENT, CostUnit.ABSOLUTE):
        navigation.set(unit=unit)
        process_events()
        found[unit] = dump_rows(callers.model, TRANSITIVE.INCLUSIVE)

    assert found == {
        CostUnit.PERCENT: [f"{ABOUT}100.00", "66.67", "33.33"],
        CostUnit.PERCENT_OF_PARENT: [f"{ABOUT}100.00", "66.67", "33.33"],
        CostUnit.ABSOLUTE: [f"{ABOUT}60", "40", "20"],
    }


def test_tooltip_says_whether_a_cost_is_exact(callers: TransitiveCallList) -> None:
    """The tooltip of a row explains the mark."""
    tips = [
        callers.model.index(row, TRANSITIVE.NAME).data(Qt.ItemDataRole.ToolTipRole)
        for row in (0, 1)
    ]

    assert tips == [
        f"<qt>main<br>{ESTIMATED}</qt>",
        f"<qt>a<br>{EXACT}<br>Costliest callers: main</qt>",
    ]


def test_double_click_goes_there_and_the_list_follows(
    callers: TransitiveCallList, session: Session, navigation: Navigation
) -> None:
    """A double click activates the caller, and the list follows."""
    double_click_row(callers.table, 1)

    assert active_name(session, navigation) == "a"
    assert dump_rows(callers.model, *SEEN) == ["100.00 | 1 | 2 | main"]


def test_filter_hides_callers_and_says_how_many(
    callers: TransitiveCallList, navigation: Navigation
) -> None:
    """The filter hides rows, and the view counts them."""
    before = callers.filter_note.isVisible()
    navigation.set(filter=parse_filter("!^a$"))
    process_events()

    assert (before, callers.filter_note.isVisible()) == (False, True)
    assert dump_rows(callers.model, TRANSITIVE.NAME) == ["main", "b"]
    assert callers.filter_note.text().startswith("1 hidden by the filter")


def test_function_without_callers_says_so(
    callers: TransitiveCallList, session: Session, navigation: Navigation
) -> None:
    """An empty list explains itself and drops the previous rows."""
    go_to(session, navigation, "main")

    assert callers.message == "No callers were recorded."
    assert dump_rows(callers.model) == []


def test_function_without_callees_says_so(
    callees: TransitiveCallList, session: Session, navigation: Navigation
) -> None:
    """An empty list explains itself."""
    go_to(session, navigation, "c")

    assert callees.message == "No calls were recorded."


def test_ratio_is_explained(
    callers: TransitiveCallList, session: Session, navigation: Navigation
) -> None:
    """A ratio is not additive over paths; the list says what to choose instead."""
    session.set_user_events([UserEvent("Miss", "", "Dr / Ir")])
    navigation.set(event=navigation.context.events.find("Miss"))
    process_events()

    assert callers.message.startswith("A ratio cannot be distributed over calls.")


def test_selection_elsewhere_is_highlighted(
    callers: TransitiveCallList, session: Session, navigation: Navigation
) -> None:
    """Only the function selected in another view has a tint."""
    navigation.set(selected=function_id(session, "b"))
    process_events()
    rows = range(callers.model.rowCount())
    background = Qt.ItemDataRole.BackgroundRole
    tinted = [callers.model.index(row, 0).data(background) is not None for row in rows]

    assert tinted == [False, False, True]
