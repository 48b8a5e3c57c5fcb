"""The list of event types: choosing, adding and changing them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.style import theme
from qcachegrind_py.present.context import Context, CostUnit
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.event_list import EventList
from qcachegrind_py.views.widgets.colors import MIN_CONTRAST, RowGround, contrast, event_color
from tests.columns import EVENTS
from tests.profile_text import dump_rows
from tests.seen_cell import SeenCell
from tests.user_input import (
    choose_action,
    click_row,
    double_click_row,
    enabled_texts,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
    row_menu,
)

DRAWING = """
    events: Ir Dr
    event: Both = Ir + Dr
    main 10,1 -> f 3x30,3
    f 30,3
    """
KEY = Qt.Key
ROLE = QPalette.ColorRole
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def events(opened: Callable[..., EventList]) -> EventList:
    """The events of the test profile, one of them a user event."""
    view = opened(EventList, DRAWING)
    view.session.set_user_events([UserEvent("Rate", "Reads per instruction", "Dr / Ir")])
    process_events()
    return view


def chosen(context: Context) -> tuple[str, str]:
    """The names of the first and the second event."""
    first, second = context.event, context.second_event
    return first.name if first else "", second.name if second else ""


def test_events_have_the_costs_of_the_active_function(
    events: EventList, session: Session, navigation: Navigation
) -> None:
    """The costs and the titles follow the function and the unit."""
    found = [events.model.columns[EVENTS.INCLUSIVE].heading, *dump_rows(events.model)[:1]]
    go_to(session, navigation, "f")
    navigation.set(unit=CostUnit.ABSOLUTE)
    process_events()
    found += [events.model.columns[EVENTS.INCLUSIVE].heading, *dump_rows(events.model)[:1]]

    assert found == [
        "Incl. %", "Ir | 100.00 | 25.00 | Instruction Fetch | ",
        "Incl.", "Ir | 30 | 30 | Instruction Fetch | ",
    ]  # fmt: skip


@pytest.mark.parametrize("key", [None, KEY.Key_Return, KEY.Key_Enter])
def test_click_or_return_shows_an_event_everywhere(
    events: EventList, navigation: Navigation, qtbot: QtBot, key: Qt.Key | None
) -> None:
    """Arrow keys only move to an event; its row stays current."""
    if key is None:
        click_row(events.table, 1)
    else:
        events.table.setFocus()
        qtbot.keyClick(events.table, KEY.Key_Down)
        assert chosen(navigation.context) == ("Ir", "")
        qtbot.keyClick(events.table, key)
        process_events()

    assert chosen(navigation.context) == ("Dr", "")
    assert events.table.currentIndex().row() == 1


def test_double_click_shows_an_event_beside_the_first(
    events: EventList, navigation: Navigation
) -> None:
    """A double click makes the event the second one and keeps the first; another hides it again."""
    double_click_row(events.table, 1)
    both = chosen(navigation.context)
    double_click_row(events.table, 1)

    assert (both, chosen(navigation.context)) == (("Ir", "Dr"), ("Ir", ""))


def test_menu_chooses_first_and_second_event(events: EventList, navigation: Navigation) -> None:
    """A row's menu offers everything the mouse does."""
    found = []
    for row, action in (
        (1, "Show as Second Event"), (2, "Show This Event"), (0, "Hide Second Event"),
    ):  # fmt: skip
        choose_action(row_menu(events.table, row), action)
        found.append(chosen(navigation.context))

    assert found == [("Ir", "Dr"), ("Both", "Dr"), ("Both", "")]


def test_only_events_of_the_user_can_be_changed(events: EventList, qtbot: QtBot) -> None:
    """Events of the file and built-in ones can be neither changed nor removed."""
    found = {}
    for row in range(events.model.rowCount()):
        events.table.selectRow(row)
        name = str(events.model.index(row, EVENTS.EVENT).data())
        found[name] = (
            events.change_event_action.isEnabled(),
            events.remove_event_action.isEnabled(),
        )
    events.table.selectRow(0)
    offered = inspect_menu(row_menu(events.table, 0), enabled_texts)

    no, yes = (False, False), (True, True)
    assert found == {"Ir": no, "Dr": no, "Both": no, "Rate": yes}
    assert [text for text in offered if text.startswith(("Change", "Remove"))] == []


def test_right_click_is_about_the_row_under_the_mouse(events: EventList, qtbot: QtBot) -> None:
    """Remove in a row's menu removes that event, whichever row was current."""
    removed: list[str] = []
    events.removal_requested.connect(lambda event: removed.append(event.name))
    click_row(events.table, 0)
    qtbot.mouseClick(
        events.table.viewport(),
        Qt.MouseButton.RightButton,
        pos=events.table.visualRect(events.model.index(3, 0)).center(),
    )
    choose_action(row_menu(events.table, 3), "Remove")

    assert removed == ["Rate"]


def test_buttons_request_the_current_event(events: EventList) -> None:
    """Add requests a new event, Change and Remove that of the current row."""
    asked: list[str] = []
    events.new_event_requested.connect(lambda: asked.append("new"))
    events.change_requested.connect(lambda event: asked.append(f"change {event.name}"))
    events.removal_requested.connect(lambda event: asked.append(f"remove {event.name}"))
    events.table.selectRow(3)
    for action in (events.add_event_action, events.change_event_action, events.remove_event_action):
        action.trigger()

    assert asked == ["new", "change Rate", "remove Rate"]


def test_the_bar_of_a_derived_event_is_divided_by_its_parts(events: EventList) -> None:
    """Each part has the colour of its event, and the tip names them; rates are sums of nothing."""

    def parts(name: str, column: int) -> object:
        row = dump_rows(events.model, EVENTS.EVENT).index(name)
        return SeenCell(events.model.index(row, column)).bar_parts

    assert parts("Ir", EVENTS.INCLUSIVE) == (("Ir", 1.0),)
    assert parts("Both", EVENTS.INCLUSIVE) == (("Ir", 40 / 44), ("Dr", 4 / 44))
    assert parts("Both", EVENTS.SELF) == (("Ir", 10 / 11), ("Dr", 1 / 11))
    assert not parts("Rate", EVENTS.INCLUSIVE)
    row = dump_rows(events.model, EVENTS.EVENT).index("Both")
    tip = events.model.index(row, EVENTS.INCLUSIVE).data(Qt.ItemDataRole.ToolTipRole)
    assert "Ir 91%, Dr 9%" in tip


def test_an_event_has_one_colour(events: EventList) -> None:
    """It follows from the name, and can be seen in both themes."""
    names = ["Ir", "Dr", "Dw", "D1mr", "DLmr", "Bcm", "CEst", "sysTime", "anything"]
    for dark in (True, False):
        theme.apply_palette(dark)
        palette = events.palette()
        grounds = [palette.color(role) for role in (ROLE.Base, ROLE.AlternateBase)]
        colors = [event_color(name, palette, RowGround.PLAIN) for name in names]
        assert len({color.rgb() for color in colors}) == len(names)
        assert min(contrast(one, other) for one in colors for other in grounds) >= MIN_CONTRAST
