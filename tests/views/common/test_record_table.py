"""What all lists do with their columns: widths, order, sorting, which are shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from qcachegrind_py.models.functions import FunctionModel
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.function_list import FunctionList
from tests.profile_text import dump_rows, event_named
from tests.user_input import (
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
    without_mnemonic,
)

DRAWING = """
    events: Ir Dr
    main@a.c 10,1 -> f 3x70,7, g 1x20,2
    f@b.c 70,7
    g@b.c 20,2
    """
NAME = FunctionModel.NAME
DOWN, UP = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def make(opened: Callable[..., FunctionList], session: Session) -> Callable[[], FunctionList]:
    """Makes a list of the drawing."""
    switch = QAction("Regular Expression", session, checkable=True)
    return lambda: opened(lambda s: FunctionList(s, switch), DRAWING)


def order(view: FunctionList) -> list[str]:
    """The titles of the columns that are seen, from the left."""
    header = view.table.horizontalHeader()
    places = (header.logicalIndex(place) for place in range(header.count()))
    columns = view.model.columns
    return [columns[place].title for place in places if not view.table.isColumnHidden(place)]


def test_columns_are_found_again(make: Callable[[], FunctionList]) -> None:
    """Order, hidden columns, widths and sorting of a list are those of the saved one."""
    first = make()
    header = first.table.horizontalHeader()
    header.moveSection(header.visualIndex(NAME), 0)
    first.table.setColumnHidden(FunctionModel.SELF, True)
    first.table.setColumnHidden(FunctionModel.PER_CALL, False)
    first.table.setColumnWidth(FunctionModel.CALLED, 222)
    for order_ in (DOWN, UP):  # as two clicks do
        first.table.sortByColumn(FunctionModel.CALLED, order_)
    state = first.save_state()
    second = make()
    before = order(second)
    second.restore_state(state)

    assert before == ["Incl.", "Self", "Called", "Function", "Location"]
    assert order(second) == ["Function", "Incl.", "Called", "Incl. per call", "Location"]
    assert second.table.columnWidth(FunctionModel.CALLED) == 222
    assert dump_rows(second.model, FunctionModel.CALLED, NAME) == ["0 | main", "1 | g", "3 | f"]
    indicator = second.table.horizontalHeader()
    found = (indicator.sortIndicatorSection(), indicator.sortIndicatorOrder())
    assert found == (FunctionModel.CALLED, UP)


@pytest.mark.parametrize("state", [b"", b"nonsense", b"\x00\x00\x00\xff" * 40])
def test_state_that_makes_no_sense_changes_nothing(
    make: Callable[[], FunctionList], state: bytes
) -> None:
    """A broken settings file costs the memory, not the columns."""
    view = make()
    before = (order(view), dump_rows(view.model))
    view.restore_state([QByteArray(state)] * len(view.save_state()))

    assert (order(view), dump_rows(view.model)) == before


def test_columns_are_shown_and_hidden_in_a_menu(make: Callable[[], FunctionList]) -> None:
    """The menu of the titles has all columns, and names cannot be hidden."""
    view = make()
    header = view.table.horizontalHeader()

    def look(menu: QMenu) -> dict[str, tuple[bool, bool]]:
        found = {without_mnemonic(a.text()): (a.isChecked(), a.isEnabled()) for a in menu.actions()}
        for action in menu.actions():
            if without_mnemonic(action.text()) in ("Self", "Self per call"):
                action.trigger()
        return found

    found = inspect_menu(
        lambda: header.customContextMenuRequested.emit(header.rect().center()), look
    )

    shown, hidden = (True, True), (False, True)
    assert found == {
        "Incl.": shown,
        "Self": shown,
        "Incl. (second event)": hidden,
        "Self (second event)": hidden,
        "Called": shown,
        "Incl. per call": hidden,
        "Self per call": hidden,
        "Function": (True, False),
        "Location": shown,
    }
    assert order(view) == ["Incl.", "Called", "Self per call", "Function", "Location"]


def test_column_that_the_user_hid_stays_hidden(
    make: Callable[[], FunctionList], navigation: Navigation
) -> None:
    """Neither another event nor another function brings a hidden column back."""
    view = make()
    view.table.setColumnHidden(FunctionModel.LOCATION, True)
    assert view.session.queries is not None
    navigation.set(event=event_named(view.session.queries, "Dr"), function=1)
    process_events()

    assert order(view) == ["Incl.", "Self", "Called", "Function"]


def test_second_event_has_columns_as_long_as_there_is_one(
    make: Callable[[], FunctionList], navigation: Navigation
) -> None:
    """The second event's columns come and go with it."""
    view = make()
    assert view.session.queries is not None
    navigation.set(second_event=event_named(view.session.queries, "Dr"))
    process_events()
    during = order(view)
    navigation.set(second_event=None)
    process_events()

    assert during[:4] == ["Incl.", "Self", "Incl. (second event)", "Self (second event)"]
    assert order(view) == ["Incl.", "Self", "Called", "Function", "Location"]


def test_names_have_room_however_narrow_the_list_is(make: Callable[[], FunctionList]) -> None:
    """In a narrow list the names keep 22 digits, and the list scrolls."""
    view = make()
    view.resize(250, 400)
    process_events()
    digit = view.table.fontMetrics().horizontalAdvance("0")

    assert view.table.columnWidth(NAME) >= 22 * digit
