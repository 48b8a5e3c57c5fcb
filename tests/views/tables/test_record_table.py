"""The columns of all lists: width, order, sorting and visibility."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from typing import Any, cast

import pytest
from PySide6.QtCore import QByteArray, QEvent, Qt
from PySide6.QtWidgets import QApplication, QMenu

from qcachegrind_py.present.table import Shown
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.views.lists.function_list import FunctionList
from qcachegrind_py.views.widgets.colors import pointed_color
from tests.columns import FUNCTIONS
from tests.profile_text import dump_rows, event_named
from tests.user_input import (
    ignore_offscreen_warnings,
    inspect_menu,
    move_mouse,
    process_events,
    row_position,
    without_mnemonic,
)
from tests.views.tables.all_lists import Make, Show, every_list, functions

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
def make(opened: Show) -> Callable[[], FunctionList]:
    """Return a function that shows a list of the test profile."""
    return lambda: cast(FunctionList, opened(functions, DRAWING))


@every_list
def test_headers_of_every_list_are_saved(opened: Show, make: Make) -> None:
    """Moved, widened and hidden columns, and the sorted one, are those of the saved list.

    A hidden column keeps its width for when it is shown again.
    """
    first, second = opened(make, DRAWING), opened(make, DRAWING)
    header, names = first.table.horizontalHeader(), len(first.model.columns) - 2
    columns = enumerate(first.model.columns)
    one, other = [n for n, each in columns if each.is_number and each.shown is Shown.ALWAYS][:2]
    header.moveSection(header.visualIndex(names), 0)
    for column, width in ((one, 222), (other, 111)):
        first.table.setColumnWidth(column, width)
    first.table.setColumnHidden(other, True)
    first.table.sortByColumn(names, UP)
    second.table.restore_columns(first.table.save_columns())
    is_hidden = second.table.isColumnHidden(other)
    second.table.setColumnHidden(other, False)

    assert second.table.horizontalHeader().visualIndex(names) == 0
    assert is_hidden
    assert [second.table.columnWidth(column) for column in (one, other)] == [222, 111]
    assert dump_rows(second.model, names) == dump_rows(first.model, names)


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


def toggle(view: FunctionList, *titles: str) -> dict[str, tuple[bool, bool]]:
    """Choose entries in the menu of the header; which entries are checked and enabled in it."""
    header = view.table.horizontalHeader()

    def look(menu: QMenu) -> dict[str, tuple[bool, bool]]:
        entries = {without_mnemonic(action.text()): action for action in menu.actions()}
        found = {text: (each.isChecked(), each.isEnabled()) for text, each in entries.items()}
        for title in titles:
            entries[title].trigger()
        return found

    point = header.rect().center()
    found = inspect_menu(lambda: header.customContextMenuRequested.emit(point), look)
    process_events()
    return found


def test_columns_are_shown_and_hidden_in_a_menu(make: Callable[[], FunctionList]) -> None:
    """The header's menu lists all columns; names cannot be hidden."""
    view = make()
    shown, hidden = (True, True), (False, True)

    assert toggle(view, "Self", "Self per call") == {
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
    """No other event or function shows it; a second event's columns come and go with that."""
    view = make()
    view.table.setColumnHidden(FUNCTIONS.LOCATION, True)
    assert view.session.queries is not None
    event, titles = event_named(view.session.queries, "Dr"), []
    for second in (event, None):
        navigation.set(event=event, function=1, second_event=second)
        process_events()
        titles.append(order(view))

    both = ["Incl.", "Self", "Incl. (second event)", "Self (second event)"]
    assert titles[0][:4] == both
    assert titles[1] == ["Incl.", "Self", "Called", "Function"]


def test_counts_give_way_to_names(make: Callable[[], FunctionList]) -> None:
    """A list that is too narrow for all columns hides what can be spared, until there is room.

    Never the numbers that it is sorted by, nor a column that the user chose; the names keep the
    width of 16 digits, and the list scrolls.
    """
    view = make()
    columns = {700: order(view)}
    for width in (250, 700, 250):
        view.resize(width, 400)
        process_events()
        columns[width] = order(view)
    digit = view.table.fontMetrics().horizontalAdvance("0")

    assert columns == {
        700: ["Incl.", "Self", "Called", "Function", "Location"],
        250: ["Incl.", "Self", "Function"],
    }
    assert view.table.columnWidth(NAME) >= 16 * digit
    for width in (700, 250):
        view.resize(width, 400)
        view.table.sortByColumn(FUNCTIONS.CALLED, DOWN)
        process_events()
    assert order(view) == ["Incl.", "Self", "Called", "Function"]
    toggle(view, "Location")
    assert order(view) == columns[700]


def ground_colors(view: FunctionList, row: int) -> set[str]:
    """The colours behind the texts of a row, at the edges of its cells."""
    image = view.table.viewport().grab().toImage()
    middle = view.table.rowViewportPosition(row) + view.table.rowHeight(row) // 2
    edges = [view.table.columnViewportPosition(c) + 1 for c in (FUNCTIONS.SELF, NAME)]
    return {image.pixelColor(x, middle).name() for x in edges}


def test_row_that_is_pointed_at_has_a_ground(make: Callable[[], FunctionList]) -> None:
    """All of its cells, until the mouse is elsewhere."""
    view = make()
    table, row = view.table, 1
    plain = ground_colors(view, row)
    move_mouse(table.viewport(), row_position(table, row))
    pointed = ground_colors(view, row)
    move_mouse(table.viewport(), row_position(table, row - 1))
    elsewhere = ground_colors(view, row)
    move_mouse(table.viewport(), row_position(table, row))
    QApplication.sendEvent(table.viewport(), QEvent(QEvent.Type.Leave))

    assert pointed == {pointed_color(table.palette()).name()}
    assert plain == elsewhere == ground_colors(view, row)
    assert plain != pointed


def test_row_of_the_keyboard_has_lines(make: Callable[[], FunctionList]) -> None:
    """While the list has the focus, the current row shows where keys act."""
    view = make()
    table = view.table
    table.setCurrentIndex(view.model.index(1, NAME))
    top = table.rowViewportPosition(1)
    link = table.palette().link().color().name()

    def line() -> bool:
        image = table.viewport().grab().toImage()
        return (
            image.pixelColor(table.columnViewportPosition(FUNCTIONS.SELF) + 1, top).name() == link
        )

    before = line()
    table.setFocus()
    process_events()

    assert (before, line()) == (False, True)
