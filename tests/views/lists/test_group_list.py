"""Grouped functions: the list of groups filters the function list."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.function_list import FunctionList
from qcachegrind_py.views.tables.table_model import TableModel
from tests.columns import FUNCTIONS, GROUPS
from tests.profile_text import THIN, dump_rows
from tests.user_input import CTRL, active_name, click_row, process_events

DRAWING = """
    main@src/a.c@/bin/prog 10 -> Box::put 3x60, Box::get 1x20, free 1x10
    Box::put@src/box.c@/lib/libbox.so 40 -> ping 1x20
    Box::get@src/box.c@/lib/libbox.so 20
    ping@src/a.c@/bin/prog 5 -> pong 1x15
    pong@src/a.c@/bin/prog 15 -> ping 1x5
    free 10
    """
NAME = FUNCTIONS.NAME
KEY = Qt.Key


@pytest.fixture
def functions(opened: Callable[..., FunctionList], session: Session) -> FunctionList:
    """The list of the test profile."""
    switch = QAction("Regular Expression", session, checkable=True)
    return opened(lambda s: FunctionList(s, switch), DRAWING)


def group_by(view: FunctionList, qtbot: QtBot, grouping: Grouping) -> None:
    """Choose a grouping in the box, as by its keys."""
    place = view.grouping_box.findData(grouping)
    with qtbot.waitSignal(view.navigation.changed):
        view.grouping_box.setCurrentIndex(place)
        view.grouping_box.activated.emit(place)
    process_events()


def groups(view: FunctionList) -> list[str]:
    """The visible groups."""
    return dump_rows(view.groups.model)


def names(view: FunctionList) -> list[str]:
    """The visible functions."""
    return dump_rows(view.model, NAME)


@pytest.mark.parametrize(
    ("grouping", "expected"),
    [
        (Grouping.OBJECT, ["60.00 | 2 | libbox.so", "30.00 | 3 | prog", "10.00 | 1 | ???"]),
        (Grouping.FILE, ["60.00 | 2 | box.c", "30.00 | 3 | a.c", "10.00 | 1 | ???"]),
        (Grouping.CLASS, ["60.00 | 2 | Box", "40.00 | 4 | (global)"]),
        (Grouping.CYCLE, ["80.00 | 4 | (no cycle)", "20.00 | 2 | <cycle 1>"]),
    ],
    ids=["object", "file", "class", "cycle"],
)
def test_groups_have_the_cost_and_number_of_their_functions(
    functions: FunctionList, qtbot: QtBot, grouping: Grouping, expected: list[str]
) -> None:
    """Groups partition the functions: their self costs add up to the total."""
    hidden = functions.groups.isVisible()
    group_by(functions, qtbot, grouping)

    assert (hidden, functions.groups.isVisible()) == (False, True)
    assert groups(functions) == expected


def test_group_that_is_chosen_shows_its_functions_only(
    functions: FunctionList, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """A click shows a group's functions, Ctrl adds a group; a second click clears the choice.

    Hidden functions are counted; the active function stays, visible or not.
    """
    group_by(functions, qtbot, Grouping.OBJECT)
    everything, table = names(functions), functions.groups.table
    click_row(table, 0)
    one, said = names(functions), functions.summary_label.text()
    among = active_name(session, navigation)
    click_row(table, 2, CTRL)
    two = names(functions)
    click_row(table, 2, CTRL)
    qtbot.wait(1)
    click_row(table, 0)

    assert [name for name in everything if name.startswith("<")] == ["<cycle 1>"]
    assert (one, two) == (["Box::put", "Box::get"], ["Box::put", "Box::get", "free"])
    assert said.startswith(f"2 of 6 functions; 4 hidden, self 40.00{THIN}%")
    assert among == "main"
    assert (names(functions), functions.groups.selected_groups()) == (everything, None)


def test_groups_are_chosen_by_keyboard(functions: FunctionList, qtbot: QtBot) -> None:
    """Down chooses the next group."""
    group_by(functions, qtbot, Grouping.OBJECT)
    table, shown = functions.groups.table, []
    table.setFocus(Qt.FocusReason.TabFocusReason)
    for key in (KEY.Key_Down, KEY.Key_Up):
        qtbot.keyClick(table, key)
        shown.append(sorted(names(functions)))

    assert shown == [
        ["<cycle 1>", "main", "ping <cycle 1>", "pong <cycle 1>"],
        ["Box::get", "Box::put"],
    ]


def test_search_counts_in_groups(functions: FunctionList, qtbot: QtBot) -> None:
    """Groups show their number of matches; those without any are hidden."""
    group_by(functions, qtbot, Grouping.OBJECT)
    functions.search.setText("box")

    assert groups(functions) == ["60.00 | 2 | libbox.so"]


@pytest.mark.parametrize("grouping", [Grouping.NONE, Grouping.FILE])
def test_groups_stay_chosen_until_the_grouping_changes(
    functions: FunctionList, navigation: Navigation, qtbot: QtBot, grouping: Grouping
) -> None:
    """Another unit keeps the chosen groups; another grouping, or none, shows all functions."""
    everything = names(functions)
    group_by(functions, qtbot, Grouping.OBJECT)
    click_row(functions.groups.table, 0)
    navigation.set(unit=CostUnit.ABSOLUTE)
    process_events()
    chosen = groups(functions)[0], names(functions)
    group_by(functions, qtbot, grouping)

    assert chosen == ("60 | 2 | libbox.so", ["Box::put", "Box::get"])
    assert names(functions) == everything
    assert functions.groups.isVisible() is (grouping is not Grouping.NONE)


def test_percentages_of_the_parent_are_of_the_group(
    functions: FunctionList, navigation: Navigation, qtbot: QtBot
) -> None:
    """Self costs refer to the group, inclusive costs to the total."""
    group_by(functions, qtbot, Grouping.OBJECT)
    navigation.set(unit=CostUnit.PERCENT_OF_PARENT)
    process_events()
    click_row(functions.groups.table, 0)

    columns = (FUNCTIONS.INCLUSIVE, FUNCTIONS.SELF, NAME)
    assert dump_rows(functions.model, *columns) == [
        "60.00 | 66.67 | Box::put",
        "20.00 | 33.33 | Box::get",
    ]


def test_a_group_has_one_colour_everywhere(functions: FunctionList, qtbot: QtBot) -> None:
    """A function's name has its group's colour, and groups differ."""
    group_by(functions, qtbot, Grouping.OBJECT)

    def colors(model: TableModel, column: int) -> dict[str, str]:
        cells = [model.index(row, column) for row in range(model.rowCount())]
        return {cell.data(): cell.data(Qt.ItemDataRole.DecorationRole).name() for cell in cells}

    of_groups = colors(functions.groups.model, GROUPS.NAME)
    of_functions = colors(functions.model, NAME)
    assert of_functions["Box::put"] == of_functions["Box::get"] == of_groups["libbox.so"]
    assert of_functions["main"] == of_groups["prog"]
    assert len(set(of_groups.values())) == 3
