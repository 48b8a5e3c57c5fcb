"""Grouped functions: the list of groups filters the function list."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QColor
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.function_list import FunctionList
from tests.columns import FUNCTIONS, GROUPS
from tests.profile_text import THIN, dump_rows
from tests.user_input import CTRL, active_name, click_row, go_to, process_events

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
    functions: FunctionList, qtbot: QtBot
) -> None:
    """A click shows a group's functions, Ctrl adds a group; hidden ones are counted."""
    group_by(functions, qtbot, Grouping.OBJECT)
    everything = names(functions)
    click_row(functions.groups.table, 0)
    one = (names(functions), functions.summary_label.text())
    click_row(functions.groups.table, 2, CTRL)

    assert [name for name in everything if name.startswith("<")] == ["<cycle 1>"]
    assert one[0] == ["Box::put", "Box::get"]
    assert one[1].startswith(f"2 of 6 functions; 4 hidden, self 40.00{THIN}%")
    assert names(functions) == ["Box::put", "Box::get", "free"]


def test_second_click_on_the_group_shows_all_again(functions: FunctionList, qtbot: QtBot) -> None:
    """A second click on the same group clears the choice."""
    group_by(functions, qtbot, Grouping.OBJECT)
    everything = names(functions)
    click_row(functions.groups.table, 0)
    qtbot.wait(1)
    click_row(functions.groups.table, 0)

    assert (names(functions), functions.groups.selected_groups()) == (everything, None)


def test_groups_are_chosen_by_keyboard(functions: FunctionList, qtbot: QtBot) -> None:
    """Down chooses the next group."""
    group_by(functions, qtbot, Grouping.OBJECT)
    functions.groups.table.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(functions.groups.table, KEY.Key_Down)
    second = names(functions)
    qtbot.keyClick(functions.groups.table, KEY.Key_Up)

    assert sorted(second) == ["<cycle 1>", "main", "ping <cycle 1>", "pong <cycle 1>"]
    assert names(functions) == ["Box::put", "Box::get"]


def test_choosing_a_group_keeps_the_active_function(
    functions: FunctionList, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """The active function stays, visible or not."""
    group_by(functions, qtbot, Grouping.OBJECT)
    click_row(functions.groups.table, 0)
    among = active_name(session, navigation)
    go_to(session, navigation, "Box::get")

    assert (among, active_name(session, navigation)) == ("main", "Box::get")
    assert functions.table.current_function() == navigation.context.function


def test_search_counts_in_groups(functions: FunctionList, qtbot: QtBot) -> None:
    """Groups show their number of matches; those without any are hidden."""
    group_by(functions, qtbot, Grouping.OBJECT)
    functions.search.setText("box")

    assert groups(functions) == ["60.00 | 2 | libbox.so"]


def test_groups_stay_chosen_when_costs_change(
    functions: FunctionList, navigation: Navigation, qtbot: QtBot
) -> None:
    """Another unit keeps the chosen groups."""
    group_by(functions, qtbot, Grouping.OBJECT)
    click_row(functions.groups.table, 0)
    navigation.set(unit=CostUnit.ABSOLUTE)
    process_events()

    assert groups(functions)[0] == "60 | 2 | libbox.so"
    assert names(functions) == ["Box::put", "Box::get"]


def test_end_of_grouping_shows_all_functions(functions: FunctionList, qtbot: QtBot) -> None:
    """No Grouping hides the groups and clears their choice."""
    everything = names(functions)
    group_by(functions, qtbot, Grouping.OBJECT)
    click_row(functions.groups.table, 0)
    group_by(functions, qtbot, Grouping.NONE)

    assert names(functions) == everything
    assert not functions.groups.isVisible()


def test_other_grouping_begins_with_all_functions(functions: FunctionList, qtbot: QtBot) -> None:
    """Another grouping clears the choice."""
    everything = names(functions)
    group_by(functions, qtbot, Grouping.OBJECT)
    click_row(functions.groups.table, 0)
    group_by(functions, qtbot, Grouping.FILE)

    assert names(functions) == everything


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
    decoration = Qt.ItemDataRole.DecorationRole
    of_groups = {
        str(functions.groups.model.index(row, GROUPS.NAME).data()): functions.groups.model.index(
            row, GROUPS.NAME
        ).data(decoration)
        for row in range(3)
    }
    of_functions: dict[str, QColor] = {}
    for row in range(functions.model.rowCount()):
        name = str(functions.model.index(row, NAME).data())
        of_functions[name] = functions.model.index(row, NAME).data(decoration)

    assert of_functions["Box::put"] == of_functions["Box::get"] == of_groups["libbox.so"]
    assert of_functions["main"] == of_groups["prog"]
    assert len({color.name() for color in of_groups.values()}) == 3
