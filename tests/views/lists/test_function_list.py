"""The function list: search, keyboard, mouse, refreshes, and the list of groups."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.function_list import FunctionList
from qcachegrind_py.views.tables.table_model import TableModel
from tests.columns import FUNCTIONS, GROUPS
from tests.paintings import Paintings
from tests.profile_text import THIN, dump_rows, write_many_functions
from tests.seen_cell import SeenCell
from tests.user_input import CTRL, active_name, click_row, process_events

DRAWING = """
    events: Ir Dr
    main@a.c 10,1 -> operator+ 3x40,4, Mangle 1x50,55
    operator+@b.c 40,4
    Mangle@b.c 50,5 -> operator- 2x0,50
    operator-@b.c 0,50
    """
NAME, SELF = FUNCTIONS.NAME, FUNCTIONS.SELF
KEY = Qt.Key
Draw = Callable[..., Path]
OpenProfile = Callable[..., None]


@pytest.fixture
def switch(session: Session) -> QAction:
    """The switch for regular expressions."""
    return QAction("Regular Expression", session, checkable=True)


@pytest.fixture
def functions(
    session: Session,
    switch: QAction,
    draw: Draw,
    open_profile: OpenProfile,
    show_view: Callable[[FunctionList], FunctionList],
) -> FunctionList:
    """The list of the test profile, with main as the active function."""
    view = show_view(FunctionList(session, switch))
    open_profile(draw(DRAWING))
    return view


def names(view: FunctionList) -> list[str]:
    """The visible functions, from the top."""
    return dump_rows(view.model, NAME)


def active(view: FunctionList) -> str:
    """The name of the active function."""
    queries = view.session.queries
    assert queries is not None
    return queries.names.name(view.navigation.context.function)


def current(view: FunctionList) -> str:
    """The name in the current row; empty if there is none."""
    return str(view.table.currentIndex().siblingAtColumn(NAME).data() or "")


def counts(view: FunctionList) -> tuple[str, str]:
    """How many functions there are, and how many are listed."""
    return view.search.placeholderText(), view.search.found_text


def test_functions_are_listed_costliest_first(functions: FunctionList) -> None:
    """All functions are sorted by self cost, the active one current and selected."""
    assert names(functions) == ["Mangle", "operator+", "main", "operator-"]
    assert (active(functions), current(functions)) == ("main", "main")
    assert [index.row() for index in functions.table.selectionModel().selectedRows()] == [2]
    assert (counts(functions), functions.message) == (("Search 4 functions", ""), "")


@pytest.mark.parametrize(
    ("text", "expected", "found"),
    [
        ("operator", ["operator+", "operator-"], f"2 of 4 functions (40.0{THIN}% of self cost)"),
        ("operator+", ["operator+"], f"1 of 4 functions (40.0{THIN}% of self cost)"),
        ("MA", ["Mangle", "main"], f"2 of 4 functions (60.0{THIN}% of self cost)"),
        ("mang", ["Mangle"], f"1 of 4 functions (50.0{THIN}% of self cost)"),
        (".", [], f"0 of 4 functions (0.0{THIN}% of self cost)"),
        ("", ["Mangle", "operator+", "main", "operator-"], ""),
    ],
)
def test_search_takes_text_as_it_is(
    functions: FunctionList, qtbot: QtBot, text: str, expected: list[str], found: str
) -> None:
    """The search is literal and ignores case: operator+ is found by its name."""
    functions.search.setFocus()
    qtbot.keyClicks(functions.search, text)

    assert (expected, found) == (names(functions), functions.search.found_text)
    assert functions.search.placeholderText() == ("Search" if found else "Search 4 functions")


def test_how_many_are_listed_is_never_cut(functions: FunctionList, qtbot: QtBot) -> None:
    """The share of the cost gives way in a narrow field, then the count."""
    qtbot.keyClicks(functions.search, "mang")
    digit, said = functions.fontMetrics().horizontalAdvance("0"), []
    for digits in (90, 30, 12):
        functions.search.setFixedWidth(digits * digit)
        qtbot.wait(0)
        labels = functions.search.findChildren(QLabel)
        said.append([label.text() for label in labels if not label.isHidden()])

    assert said == [[f"1 of 4 functions (50.0{THIN}% of self cost)"], ["1 of 4 functions"], []]


@pytest.mark.parametrize(
    "pattern",
    [
        "^ma", "^MA.*E$", r"operator\+", r"operator[+-]", "main|-$", r"main$", r"\Amain", r"main\Z",
        r"n[^q]*M", r"(?s)main.*", r"\s", r"^$", r"\W$", "a|", "(?!m)",
    ],
)  # fmt: skip
def test_search_takes_regular_expressions(
    functions: FunctionList, switch: QAction, pattern: str
) -> None:
    """With the switch on, the text is a pattern that ignores case and matches each name alone.

    The switch searches again for the present text.
    """
    everything = names(functions)
    functions.search.setText(pattern)
    plain = names(functions)
    switch.setChecked(True)
    found = names(functions), functions.search.accessibleDescription()
    switch.setChecked(False)

    expected = [name for name in everything if re.search(pattern, name, re.IGNORECASE)]
    assert found == (expected, "")
    assert names(functions) == plain


def test_invalid_pattern_filters_nothing(functions: FunctionList, switch: QAction) -> None:
    """While an incomplete pattern is typed, the list stays, and the error is shown in colour."""
    everything = names(functions)
    switch.setChecked(True)
    seen = []
    for text in ("(", "ma", "ma(", "(ma)"):
        functions.search.setText(text)
        color = functions.search.palette().text().color().name()
        said = functions.search.accessibleDescription().partition(" at ")[0]
        seen.append((names(functions), said, color))

    error = "Not a regular expression: missing ), unterminated subpattern"
    valid = seen[1]
    assert valid[0] == ["Mangle", "main"]
    assert seen == [(everything, error, seen[0][2]), valid, (valid[0], error, seen[0][2]), valid]
    assert seen[0][2] != valid[2]


def test_down_goes_from_the_search_to_the_list(functions: FunctionList, qtbot: QtBot) -> None:
    """Down moves into the matches and activates nothing; Return activates one."""
    functions.search.setFocus()
    qtbot.keyClicks(functions.search, "operator")
    qtbot.keyClick(functions.search, KEY.Key_Down)
    focused, first = QApplication.focusWidget(), current(functions)
    qtbot.keyClick(functions.table, KEY.Key_Down)
    second, still = current(functions), active(functions)
    history = functions.navigation.back_history
    qtbot.keyClick(functions.table, KEY.Key_Return)

    assert (focused, first) == (functions.table, "operator+")
    assert (second, still, history, active(functions)) == ("operator-", "main", (), "operator-")


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("mang", KEY.Key_Return, "Mangle"),
        ("mang", KEY.Key_Enter, "Mangle"),
        ("m", KEY.Key_Return, "Mangle"),  # rather than the active one, which matches, too
        ("nothing of that name", KEY.Key_Return, "main"),
        ("nothing of that name", KEY.Key_Down, "main"),
    ],
)
def test_return_in_the_search_goes_to_the_first_function_found(
    functions: FunctionList, qtbot: QtBot, text: str, key: Qt.Key, expected: str
) -> None:
    """Return in the search activates the first match; without one, keys change nothing."""
    click(functions, qtbot, 2)
    functions.search.setFocus()
    qtbot.keyClicks(functions.search, text)
    qtbot.keyClick(functions.search, key)

    assert active(functions) == expected
    if key != KEY.Key_Down:
        assert QApplication.focusWidget() is functions.search


def test_escape_clears_the_search(functions: FunctionList, qtbot: QtBot) -> None:
    """Escape shows all functions, with the active one current again."""
    functions.search.setFocus()
    qtbot.keyClicks(functions.search, "operator")
    nobody = current(functions)
    qtbot.keyClick(functions.search, KEY.Key_Escape)

    assert (nobody, functions.search.text(), len(names(functions))) == ("", "", 4)
    assert current(functions) == "main"


def click(view: FunctionList, qtbot: QtBot, row: int) -> None:
    """Click on a row as a mouse does."""
    place = view.table.visualRect(view.model.index(row, NAME)).center()
    qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_click_makes_a_function_active(functions: FunctionList, qtbot: QtBot) -> None:
    """One click on a row shows its function everywhere."""
    click(functions, qtbot, 1)

    assert (active(functions), current(functions)) == ("operator+", "operator+")


def header_click(view: FunctionList, qtbot: QtBot, column: int) -> None:
    """Click on a column's header."""
    header = view.table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(column) + 8, header.height() // 2)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_click_on_a_title_sorts_numbers_largest_first(
    functions: FunctionList, qtbot: QtBot
) -> None:
    """The first click sorts numbers descending, names ascending; the current row moves along."""
    orders = []
    for column in (FUNCTIONS.INCLUSIVE, SELF, SELF, NAME, NAME, SELF):
        header_click(functions, qtbot, column)
        orders.append(names(functions))

    assert (current(functions), active(functions)) == ("main", "main")
    by_cost = ["main", "Mangle", "operator+", "operator-"]
    by_self = ["Mangle", "operator+", "main", "operator-"]
    by_name = ["main", "Mangle", "operator+", "operator-"]
    by_name.sort(key=str.lower)
    assert orders == [by_cost, by_self, by_self[::-1], by_name, by_name[::-1], by_self]


def test_equal_costs_are_ordered_by_the_inclusive_ones(
    opened: Callable[..., FunctionList], switch: QAction
) -> None:
    """Of functions with the same self cost, those that cost more with their callees come first."""
    text = "top 0 -> low 1x5, high 1x30\nlow 0 -> leaf 1x5\nhigh 0 -> leaf 1x30\nleaf 35"
    assert names(opened(lambda s: FunctionList(s, switch), text)) == ["leaf", "top", "high", "low"]


def test_functions_of_equal_change_are_ordered_by_cost(
    opened: Callable[..., FunctionList],
    switch: QAction,
    session: Session,
    draw: Callable[..., Path],
    qtbot: QtBot,
) -> None:
    """What has not changed stands behind what has, the costliest first."""
    text = "cheap 5\nrest 1\ndear 90\ngrown "
    view = opened(lambda s: FunctionList(s, switch), text + "3")
    base = draw(text + "2", "callgrind.out.base")

    session.comparing.compare_with(ProfileFiles((base,), with_siblings=False))
    qtbot.waitUntil(lambda: session.comparison is not None)
    process_events()

    assert names(view) == ["grown", "dear", "cheap", "rest"]


def test_list_follows_the_active_function(
    functions: FunctionList, navigation: Navigation, qtbot: QtBot
) -> None:
    """A function activated in another view becomes the current row; if hidden, there is none."""
    with qtbot.waitSignal(navigation.changed):
        navigation.select_function(3)
    shown = current(functions), active(functions)
    functions.search.setText("main")
    filtered = functions.table.selectionModel().selectedRows()
    functions.table.selectRow(0)
    with qtbot.waitSignal(navigation.changed):
        navigation.select_function(2)

    assert shown == ("operator-", "operator-")
    assert (filtered, functions.table.selectionModel().selectedRows()) == ([], [])


def test_change_of_event_keeps_filter_and_current_row(
    functions: FunctionList, navigation: Navigation, qtbot: QtBot
) -> None:
    """Another event replaces the costs of the rows and sorts them again."""
    queries = functions.session.queries
    assert queries is not None
    navigation.select_function(queries.names.with_name("operator+")[0])
    functions.search.setText("operator")
    with qtbot.waitSignal(navigation.changed):
        navigation.set(event=queries.events.all[1])

    assert dump_rows(functions.model, 0, NAME) == ["83.33 | operator-", "6.67 | operator+"]
    assert current(functions) == "operator+"


def test_other_profile_is_searched_by_the_text_that_is_there(
    functions: FunctionList, draw: Draw, open_profile: OpenProfile
) -> None:
    """A reloaded profile is searched for the present text."""
    functions.search.setText("op")

    open_profile(draw("main 1 -> operator 1x2\noperator 2", "callgrind.out.2"))

    assert names(functions) == ["operator"]
    assert functions.search.found_text == f"1 of 2 functions (66.7{THIN}% of self cost)"


def test_functions_are_counted(
    functions: FunctionList, draw: Draw, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """The list is complete; its count has digits in groups, and a count of one is singular."""
    open_profile(write_many_functions(tmp_path / "many", 2_000))
    functions.search.setText("name1")

    # the others are 0 and those starting with 2 to 9, whose cost is not their number
    listed = sum(n for n in range(1, 2001) if str(n * 7919 % 2000).startswith("1"))
    share = f"{100 * listed / (2000 * 2001 / 2):.1f}{THIN}%"
    found = f"1{THIN}111 of 2{THIN}000 functions ({share} of self cost)"
    assert functions.search.found_text == found
    assert functions.model.rowCount() == 1_111
    open_profile(draw("main 1", "callgrind.out.2"))
    functions.search.clear()
    assert counts(functions) == ("Search 1 function", "")


def test_message_says_that_there_are_no_costs(
    functions: FunctionList, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """A profile with nothing but a header shows a message."""
    path = tmp_path / "empty"
    path.write_text("version: 1\nevents: Ir\n")

    open_profile(path)

    assert (
        functions.message
        == "The profile has no costs.\nIt may have been written before anything was counted."
    )


# ---------------------------------------------------------------- groups


GROUPED = """
    main@src/a.c@/bin/prog 10 -> Box::put 3x60, Box::get 1x20, free 1x10
    Box::put@src/box.c@/lib/libbox.so 40 -> ping 1x20
    Box::get@src/box.c@/lib/libbox.so 20
    ping@src/a.c@/bin/prog 5 -> pong 1x15
    pong@src/a.c@/bin/prog 15 -> ping 1x5
    free 10
    """


@pytest.fixture
def grouped(opened: Callable[..., FunctionList], switch: QAction) -> FunctionList:
    """The list of the test profile."""
    return opened(lambda s: FunctionList(s, switch), GROUPED)


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
    grouped: FunctionList, qtbot: QtBot, grouping: Grouping, expected: list[str]
) -> None:
    """Groups partition the functions: their self costs add up to the total."""
    hidden = grouped.groups.isVisible()
    group_by(grouped, qtbot, grouping)

    assert (hidden, grouped.groups.isVisible()) == (False, True)
    assert groups(grouped) == expected


def test_group_that_is_chosen_shows_its_functions_only(
    grouped: FunctionList, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """A click shows a group's functions, Ctrl adds a group; a second click clears the choice.

    Hidden functions are counted; the active function stays, visible or not.
    """
    group_by(grouped, qtbot, Grouping.OBJECT)
    everything, table = names(grouped), grouped.groups.table
    click_row(table, 0)
    one, said = names(grouped), grouped.search.found_text
    among = active_name(session, navigation)
    click_row(table, 2, CTRL)
    two = names(grouped)
    click_row(table, 2, CTRL)
    qtbot.wait(1)
    click_row(table, 0)

    assert [name for name in everything if name.startswith("<")] == ["<cycle 1>"]
    assert (one, two) == (["Box::put", "Box::get"], ["Box::put", "Box::get", "free"])
    assert said == f"2 of 6 functions (60.0{THIN}% of self cost)"
    assert among == "main"
    assert (names(grouped), grouped.groups.selected_groups()) == (everything, None)


def test_groups_are_chosen_by_keyboard(grouped: FunctionList, qtbot: QtBot) -> None:
    """Down chooses the next group."""
    group_by(grouped, qtbot, Grouping.OBJECT)
    table, shown = grouped.groups.table, []
    table.setFocus(Qt.FocusReason.TabFocusReason)
    for key in (KEY.Key_Down, KEY.Key_Up):
        qtbot.keyClick(table, key)
        shown.append(sorted(names(grouped)))

    assert shown == [
        ["<cycle 1>", "main", "ping <cycle 1>", "pong <cycle 1>"],
        ["Box::get", "Box::put"],
    ]


def test_search_counts_in_groups(grouped: FunctionList, qtbot: QtBot) -> None:
    """Groups show their number of matches; those without any are hidden."""
    group_by(grouped, qtbot, Grouping.OBJECT)
    grouped.search.setText("box")

    assert groups(grouped) == ["60.00 | 2 | libbox.so"]


@pytest.mark.parametrize("grouping", [Grouping.NONE, Grouping.FILE])
def test_groups_stay_chosen_until_the_grouping_changes(
    grouped: FunctionList, navigation: Navigation, qtbot: QtBot, grouping: Grouping
) -> None:
    """Another unit keeps the chosen groups; another grouping, or none, shows all grouped."""
    everything = names(grouped)
    group_by(grouped, qtbot, Grouping.OBJECT)
    click_row(grouped.groups.table, 0)
    navigation.set(unit=CostUnit.ABSOLUTE)
    process_events()
    chosen = groups(grouped)[0], names(grouped)
    group_by(grouped, qtbot, grouping)

    assert chosen == ("60 | 2 | libbox.so", ["Box::put", "Box::get"])
    assert names(grouped) == everything
    assert grouped.groups.isVisible() is (grouping is not Grouping.NONE)


def test_percentages_of_the_parent_are_of_the_group(
    grouped: FunctionList, navigation: Navigation, qtbot: QtBot
) -> None:
    """Self costs refer to the group, inclusive costs to the total."""
    group_by(grouped, qtbot, Grouping.OBJECT)
    navigation.set(unit=CostUnit.PERCENT_OF_PARENT)
    process_events()
    click_row(grouped.groups.table, 0)

    columns = (FUNCTIONS.INCLUSIVE, FUNCTIONS.SELF, NAME)
    assert dump_rows(grouped.model, *columns) == [
        "60.00 | 66.67 | Box::put",
        "20.00 | 33.33 | Box::get",
    ]


def test_a_group_has_one_hue_everywhere(grouped: FunctionList, qtbot: QtBot) -> None:
    """A function's name has the hue of its group, a little lighter or darker, and groups differ."""
    group_by(grouped, qtbot, Grouping.OBJECT)

    def hues(model: TableModel, column: int) -> dict[str, int]:
        cells = [model.index(row, column) for row in range(model.rowCount())]
        colors = {cell.data(): SeenCell(cell).color for cell in cells}
        return {name: round(color.hsvHueF() * 36) for name, color in colors.items() if color}

    of_groups = hues(grouped.groups.model, GROUPS.NAME)
    of_functions = hues(grouped.model, NAME)
    assert of_functions["Box::put"] == of_functions["Box::get"] == of_groups["libbox.so"]
    assert of_functions["main"] == of_groups["prog"]
    assert len(set(of_groups.values())) == 3


def test_a_search_waits_for_rows_of_other_cycles(
    functions: FunctionList, draw: Draw, open_profile: OpenProfile
) -> None:
    """A search cleared before the rows of other cycles are shown keeps to the filter."""
    open_profile(draw("events: Ir\n main 1 -> one 1x9\n one 4 -> two 1x5\n two 5 -> one 1x2"))
    functions.navigation.set(filter=parse_filter("one"))
    process_events()
    with_cycle = names(functions)
    functions.search.setText("o")
    functions.navigation.set(scope=Scope(cycles=False))
    functions.search.clear()
    process_events()
    assert (with_cycle, names(functions)) == (["one <cycle 1>", "<cycle 1>"], ["one"])


def test_another_event_is_painted_once(
    functions: FunctionList, navigation: Navigation, qtbot: QtBot
) -> None:
    """Also if its numbers are narrower: painting takes most of the time."""
    navigation.set(unit=CostUnit.ABSOLUTE)
    qtbot.wait(50)
    paintings = Paintings(functions.table.viewport())
    navigation.set(event=navigation.context.events.all[1])
    qtbot.wait(50)
    assert paintings.count == 1
