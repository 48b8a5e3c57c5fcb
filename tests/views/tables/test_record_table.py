"""The columns of all lists: width, order, sorting and visibility."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.function_list import FunctionList
from tests.columns import FUNCTIONS
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
# what the list of `make_changes` saved before columns had keys: splitter, functions, groups
FORMER_STATE = (
    "AAAA/wAAAAEAAAAC/////wAAAkAA/////wEAAAACAA==",
    "NDoAAAD/AAAAAAAAAAEAAAAAAAAABAEAAAAJAAAAAQAAAAIAAAADAAAABAAAAAUAAAAGAAAABwAAAAAAAAAIAAAA"
    "CQAAAAcAAAAAAAAAAQAAAAIAAAADAAAABAAAAAUAAAAGAAAACAAAAAmcAAAAAAQAAAACAAAAQQAAAAEAAAA7AAAA"
    "AwAAAD4AAAAGAAAAXAAAArwAAAAJAQEAAAAAAAAAAAAAAAAAAGQAAAAcAAAAhAAAAAAAAAAJAAAAvAAAAAEAAAAA"
    "AAAARwAAAAEAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAEAAAAAAAAA3gAAAAEAAAAAAAAAXgAA"
    "AAEAAAAAAAAAAAAAAAEAAAAAAAAAfQAAAAEAAAAAAAAD6AAAAAAAAAAAAAAAAAAAAAAAAAAAAQ==",
    "OgAAAP8AAAAAAAAAAQAAAAEAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAFQAAAAAwEBAAAAAAAAAAAAAAAAAABkAAAA"
    "HAAAAIQAAAAAAAAAAwAAAHAAAAABAAAAAAAAAHAAAAABAAAAAAAAAHAAAAABAAAAAAAAA+gAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAE=",
)
NAME = FUNCTIONS.NAME
DOWN, UP = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def make(opened: Callable[..., FunctionList], session: Session) -> Callable[[], FunctionList]:
    """Return a function that shows a list of the test profile."""
    switch = QAction("Regular Expression", session, checkable=True)
    return lambda: opened(lambda s: FunctionList(s, switch), DRAWING)


def order(view: FunctionList) -> list[str]:
    """The titles of the visible columns, from the left."""
    header = view.table.horizontalHeader()
    places = (header.logicalIndex(place) for place in range(header.count()))
    columns = view.model.columns
    return [columns[place].title for place in places if not view.table.isColumnHidden(place)]


def make_changes(view: FunctionList) -> None:
    """Move, hide and show columns, widen one and sort by it, as a user does."""
    header = view.table.horizontalHeader()
    header.moveSection(header.visualIndex(NAME), 0)
    view.table.setColumnHidden(FUNCTIONS.SELF, True)
    view.table.setColumnHidden(FUNCTIONS.PER_CALL, False)
    view.table.setColumnWidth(FUNCTIONS.CALLED, 222)
    for order_ in (DOWN, UP):  # as two clicks do
        view.table.sortByColumn(FUNCTIONS.CALLED, order_)


@pytest.mark.parametrize("is_former", [False, True], ids=["by key", "by position"])
def test_columns_are_found_again(make: Callable[[], FunctionList], is_former: bool) -> None:
    """Order, hidden columns, widths and sorting of a list are those of the saved one."""
    first = make()
    make_changes(first)
    state = first.save_state()
    if is_former:
        state = [QByteArray(b64decode(text)) for text in FORMER_STATE]
    second = make()
    before = order(second)
    second.restore_state(state)

    assert before == ["Incl.", "Self", "Called", "Function", "Location"]
    assert order(second) == ["Function", "Incl.", "Called", "Incl. per call", "Location"]
    assert second.table.columnWidth(FUNCTIONS.CALLED) == 222
    assert dump_rows(second.model, FUNCTIONS.CALLED, NAME) == ["0 | main", "1 | g", "3 | f"]
    indicator = second.table.horizontalHeader()
    found = (indicator.sortIndicatorSection(), indicator.sortIndicatorOrder())
    assert found == (FUNCTIONS.CALLED, UP)


def saved_table(view: FunctionList) -> dict[str, Any]:
    """What is saved of the table of functions."""
    saved: dict[str, Any] = json.loads(bytes(view.table.save_columns().data()))
    return saved


def test_columns_are_saved_by_their_keys(make: Callable[[], FunctionList]) -> None:
    """The order is that on the screen; only what the user dragged has a width of the user's."""
    view = make()
    make_changes(view)
    saved = saved_table(view)

    compared = {c.key for c in view.model.columns if c.is_comparison}
    lasting = [c for c in saved["columns"] if c["key"] not in compared]
    assert [(c["key"], c["is_hidden"]) for c in lasting] == [
        ("name", False),
        ("inclusive", False),
        ("self", True),
        ("second_inclusive", True),
        ("second_self", True),
        ("called", False),
        ("per_call", False),
        ("self_per_call", True),
        ("location", False),
    ]
    assert [(c["key"], c["width"]) for c in saved["columns"] if c["is_user_width"]] == [
        ("called", 222)
    ]
    assert (saved["sorted_by"], saved["is_descending"]) == ("called", False)


def test_state_of_a_version_with_other_columns(make: Callable[[], FunctionList]) -> None:
    """Columns that are no more are ignored; new ones stand behind their neighbour."""
    first = make()
    make_changes(first)
    saved = saved_table(first)
    saved["columns"] = [c for c in saved["columns"] if c["key"] not in ("called", "inclusive")]
    saved["columns"].insert(0, saved["columns"][0] | {"key": "gone"})
    second = make()
    second.table.restore_columns(QByteArray(json.dumps(saved).encode()))

    assert order(second) == ["Incl.", "Function", "Called", "Incl. per call", "Location"]


def test_a_hidden_column_keeps_the_width_of_the_user(make: Callable[[], FunctionList]) -> None:
    """Shown again another day, it is as wide as the user left it."""
    first = make()
    first.table.setColumnWidth(FUNCTIONS.CALLED, 222)
    first.table.setColumnHidden(FUNCTIONS.CALLED, True)
    second = make()
    second.restore_state(first.save_state())
    assert order(second) == ["Incl.", "Self", "Function", "Location"]
    second.table.setColumnHidden(FUNCTIONS.CALLED, False)

    assert second.table.columnWidth(FUNCTIONS.CALLED) == 222


_COLUMN = b'{"key": "name", "width": %s, "is_user_width": 1, "is_hidden": 1}'
_WITH_WIDTH = b'{"columns": [%s], "sorted_by": "name", "is_descending": true}' % _COLUMN


@pytest.mark.parametrize(
    "state",
    [
        b"",
        b"nonsense",
        b"\x00\x00\x00\xff" * 40,
        b"{}",
        b"[]",
        b'{"columns": 7}',
        b"[" * 100_000,
        b'{"columns": [7], "sorted_by": "name", "is_descending": true}',
        *(_WITH_WIDTH % width for width in (b"-1", b"9" * 30, b"1.5", b"null", b'"1"')),
    ],
)
def test_invalid_state_changes_nothing(make: Callable[[], FunctionList], state: bytes) -> None:
    """A damaged settings file loses the state, not the columns."""
    view = make()
    before = (order(view), dump_rows(view.model))
    view.restore_state([QByteArray(state)] * len(view.save_state()))

    assert (order(view), dump_rows(view.model)) == before


def test_columns_are_shown_and_hidden_in_a_menu(make: Callable[[], FunctionList]) -> None:
    """The header's menu lists all columns; names cannot be hidden."""
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
    """Neither another event nor another function shows a hidden column."""
    view = make()
    view.table.setColumnHidden(FUNCTIONS.LOCATION, True)
    assert view.session.queries is not None
    navigation.set(event=event_named(view.session.queries, "Dr"), function=1)
    process_events()

    assert order(view) == ["Incl.", "Self", "Called", "Function"]


def test_second_event_has_columns_as_long_as_there_is_one(
    make: Callable[[], FunctionList], navigation: Navigation
) -> None:
    """The second event's columns appear and disappear with it."""
    view = make()
    assert view.session.queries is not None
    navigation.set(second_event=event_named(view.session.queries, "Dr"))
    process_events()
    during = order(view)
    navigation.set(second_event=None)
    process_events()

    assert during[:4] == ["Incl.", "Self", "Incl. (second event)", "Self (second event)"]
    assert order(view) == ["Incl.", "Self", "Called", "Function", "Location"]


def test_names_have_a_minimum_width(make: Callable[[], FunctionList]) -> None:
    """In a narrow list the names keep the width of 16 digits, and the list scrolls."""
    view = make()
    view.resize(250, 400)
    process_events()
    digit = view.table.fontMetrics().horizontalAdvance("0")

    assert view.table.columnWidth(NAME) >= 16 * digit


def test_counts_give_way_to_names(make: Callable[[], FunctionList]) -> None:
    """A list that is too narrow for all columns hides what can be spared, until there is room."""
    view = make()
    wide = order(view)
    view.resize(250, 400)
    process_events()
    narrow = order(view)
    view.resize(700, 400)
    process_events()

    assert (wide, narrow) == (
        ["Incl.", "Self", "Called", "Function", "Location"],
        ["Incl.", "Self", "Function"],
    )
    assert order(view) == wide


def test_the_sorted_column_and_what_the_user_shows_stay(make: Callable[[], FunctionList]) -> None:
    """A list never hides the numbers that it is sorted by, nor a column that the user chose."""
    view = make()
    view.table.sortByColumn(FUNCTIONS.CALLED, DOWN)
    view.resize(250, 400)
    process_events()
    sorted_by_it = order(view)
    header = view.table.horizontalHeader()
    open_menu = lambda: header.customContextMenuRequested.emit(header.rect().center())  # noqa: E731
    inspect_menu(open_menu, lambda menu: toggle(menu, "Location"))
    process_events()

    assert sorted_by_it == ["Incl.", "Self", "Called", "Function"]
    assert order(view) == ["Incl.", "Self", "Called", "Function", "Location"]


def toggle(menu: QMenu, title: str) -> None:
    """Choose the entry of a column in the menu of the header."""
    (action,) = [action for action in menu.actions() if without_mnemonic(action.text()) == title]
    action.trigger()
