"""Journeys of a user who asks in each view where a number comes from: by key and by menu."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QToolButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.views.code.code_views import CodeView
from qcachegrind_py.views.pictures.box_view import BoxView
from tests.code_view_text import record_of
from tests.columns import CALL_TREE, CALLS, EVENTS, FUNCTIONS, GRAPH_CALLS, PARTS, STACK, TRANSITIVE
from tests.profile_text import EXAMPLE, THIN, write_profile_text
from tests.user_input import (
    choose_action,
    context_menu_opener,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    menu_actions,
    process_events,
    row_menu,
)

pytestmark = ignore_offscreen_warnings
SHEET = EXAMPLE.parent / "sheet/callgrind.out.sheet.xz"
EXPLAIN = "Explain This Number"
DRAWING = """
    main@m.c@prog 100 -> a 1x900, b 1x600
    a@a.c@prog 300 -> leaf 3x600
    b@b.c@prog 200 -> leaf 1x400
    leaf@l.c@prog 500 -> deep 2x500
    deep@l.c@prog 500
    """
OpenFile = Callable[..., None]


class User:
    """A user who looks at views, with *a* active, and asks for explanations."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self._qtbot = window, qtbot

    def look_at(self, dock: str) -> None:
        """Bring a view to the front and wait until it is complete."""
        self.window.activateWindow()  # which a menu may have taken the keyboard from
        self.window.docks.show(dock)
        process_events()
        jobs = self.window.session.jobs
        self._qtbot.waitUntil(lambda: not jobs.is_running(getattr(DockRegistry, dock).title))
        process_events()

    def put_cursor(self, table: QAbstractItemView, name: str, column: int) -> None:
        """Make the cell of a function current."""
        model = table.model()
        for row in range(model.rowCount()):
            texts = [str(model.index(row, c).data()) for c in range(model.columnCount())]
            if name in texts:
                table.setFocus()
                table.setCurrentIndex(model.index(row, column))
                process_events()
                return
        raise LookupError(name)

    def show_page(self, function: str) -> list[str]:
        """Make a function active and bring the dock to the front."""
        go_to(self.window.session, self.window.navigation, function)
        self.look_at(DockRegistry.explain_number.id)
        return self.page()

    def press_ctrl_u(self) -> list[str]:
        QTest.keyClick(self.window, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
        return self.page()

    def page(self) -> list[str]:
        """The lines of the explanation, once it is there."""
        jobs = self.window.session.jobs
        process_events()
        self._qtbot.waitUntil(lambda: not jobs.is_running("explanation"))
        process_events()
        text = self.window.views.explain_number.page.toPlainText()
        return [line for line in text.replace(THIN, " ").split("\n") if line]


@pytest.fixture
def user(shown: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot) -> User:
    open_file(write_profile_text(tmp_path, DRAWING), own_parts=False)
    go_to(shown.session, shown.navigation, "a")
    process_events()
    return User(shown, qtbot)


def test_the_dock_explains_the_inclusive_cost_of_the_active_function(
    user: User, tmp_path: Path
) -> None:
    """Its value and share, self cost and calls, and the lines of the file with their sum.

    It can be copied as the text of the command.
    """
    assert user.show_page("main") == [
        "Inclusive cost of main, Ir: 1 600",
        "1 600 / 1 600 = 100.00 % of the sum of all self costs, as the file records no total "
        "(summary:).",
        "Its self cost, and what the calls from it cost.",
        "100",
        "self cost",
        "900",
        "1 call to a",
        "600",
        "1 call to b",
        "m.c:1: 1 600",
        f"in {tmp_path / 'callgrind.out.1'}:",
        "100",
        "line 6",
        "1 100",
        "900",
        "line 11",
        "calls=1 1 / 1 900",
        "600",
        "line 16",
        "calls=1 1 / 1 600",
        "Sum of 3 lines of the profile: 1 600",
    ]
    buttons = user.window.views.explain_number.findChildren(QToolButton)
    next(button for button in buttons if button.text() == "Copy").click()
    copied = QGuiApplication.clipboard().text().replace(THIN, " ").splitlines()
    assert copied[:2] == [
        "Inclusive cost of main, Ir: 1 600",
        "  1 600 / 1 600 = 100.00 % of the sum of all self costs, as the file records no total "
        "(summary:).",
    ]
    assert copied[-1] == "Sum of 3 lines of the profile: 1 600"


NUMBERS = {
    ("function_list", "deep", FUNCTIONS.INCLUSIVE): "Inclusive cost of deep, Ir: 500",
    ("function_list", "deep", FUNCTIONS.SELF): "Self cost of deep, Ir: 500",
    ("function_list", "deep", FUNCTIONS.CALLED): "Calls of deep: 2",
    ("callees", "leaf", CALLS.COST): "Inclusive cost of the calls from a to leaf, Ir: 600",
    ("callees", "leaf", CALLS.COUNT): "Calls from a to leaf: 3",
    ("all_callees", "deep", TRANSITIVE.INCLUSIVE): (
        "Cost of a on all paths through deep, Ir: ≈ 300"
    ),
    ("all_callees", "deep", TRANSITIVE.SELF): (
        "Self cost of a on all paths through deep, Ir: ≈ 300"
    ),
    ("all_callees", "deep", TRANSITIVE.COUNT): "Calls of a on all paths through deep: ≈ 1",
    ("call_stack", "main", STACK.COST): "Inclusive cost of main, Ir: 1 600",
    ("call_stack", "a", STACK.COST): "Inclusive cost of the calls from main to a, Ir: 900",
    ("call_stack", "a", STACK.COUNT): "Calls from main to a: 1",
}


def test_ctrl_u_explains_the_number_under_the_cursor(user: User) -> None:
    """In each list, row and column choose the number; the active function stays.

    The first row of the call stack has its inclusive cost, each other that of the calls from the
    row above.
    """
    found = {}
    for dock, name, column in NUMBERS:
        user.look_at(dock)
        user.put_cursor(getattr(user.window.views, dock).table, name, column)
        found[dock, name, column] = user.press_ctrl_u()[0]
        assert user.window.docks.is_seen(DockRegistry.explain_number.id)

    assert found == NUMBERS


def test_menus_of_lists_offer_it(user: User) -> None:
    """Right click on any number."""
    for dock in ("callers", "callees", "all_callers", "all_callees", "call_stack"):
        user.look_at(dock)
        table = getattr(user.window.views, dock).table
        texts = inspect_menu(
            row_menu(table, 0), lambda menu: [a.text() for a in menu_actions(menu)]
        )
        assert [text for text in texts if text.replace("&", "") == EXPLAIN] != [], dock


def follow(window: MainWindow, text: str) -> None:
    """Click the link with this text."""
    html = window.views.explain_number.page.toHtml()
    (link,) = re.findall(rf'href="(#\d+)"[^>]*>(?:<span[^>]*>)?{re.escape(text)}<', html)
    window.views.explain_number.page.anchorClicked.emit(QUrl(link))
    process_events()


def test_costs_on_all_paths_and_their_terms(user: User) -> None:
    """What reaches the function from each of its callers, which are links.

    A term leads further, *Back* returns; another active function brings its own cost back.
    """
    user.look_at(DockRegistry.all_callees.id)
    user.put_cursor(user.window.views.all_callees.table, "deep", TRANSITIVE.INCLUSIVE)
    first = user.press_ctrl_u()
    view = user.window.views.explain_number
    could_go_back = view.back_button.isEnabled()
    view.page.anchorClicked.emit(QUrl("#0"))
    second = user.page()[0]
    follow(user.window, "1 call from main")
    third = user.page()[0]
    for _ in range(2):
        view.back_button.click()
    last = user.page()

    assert first[:6] == [
        "Cost of a on all paths through deep, Ir: ≈ 300",
        "300 / 900 = 33.33 % of the inclusive cost of a, as percentages in this list are "
        "of the active function.",
        "300 / 1 600 = 18.75 % of the sum of all self costs, as the file records no total "
        "(summary:).",
        "What reaches deep, added up:",
        "≈ 300",
        "from leaf: 600 × 500 / 1 000",
    ]
    assert (could_go_back, second) == (False, "Inclusive cost of a, Ir: 900")
    assert third == "Inclusive cost of the calls from main to a, Ir: 900"
    assert last == first
    assert user.show_page("b")[0] == "Inclusive cost of b, Ir: 600"


def test_branches_of_the_call_tree(user: User) -> None:
    """Call by call, from the active function on."""
    numbers = {
        CALL_TREE.COST: "Cost of deep on this path down from a, Ir: ≈ 300",
        CALL_TREE.SELF: "Self cost of deep on this path down from a, Ir: ≈ 300",
        CALL_TREE.COUNT: "Calls of deep on this path down from a: ≈ 1",
    }
    found = {}
    for column in numbers:
        user.look_at(DockRegistry.call_tree.id)
        view, index = user.window.views.call_tree, QModelIndex()
        for _ in range(3):  # a, leaf, deep
            index = view.model.index(
                0, column if view.model.rowCount(index) else 0, index.siblingAtColumn(0)
            )
            view.tree.expand(index.siblingAtColumn(0))
        view.tree.setFocus()
        view.tree.setCurrentIndex(index)
        process_events()
        found[column] = user.press_ctrl_u()[0]

    assert found == numbers


@pytest.mark.parametrize(
    ("dock", "first", "whole"),
    [
        (DockRegistry.flame_graph.id, "main", ["1 600", "main: its whole inclusive cost", "900"]),
        (DockRegistry.callee_map.id, "a", ["900"]),
    ],
)
def test_boxes(user: User, dock: str, first: str, whole: list[str]) -> None:
    """By key for the current box, and by its menu for the one under the mouse."""
    user.look_at(dock)
    view = user.window.docks.view(dock)
    assert isinstance(view, BoxView)
    canvas = view.shown_canvases()[-1]
    tree = canvas.tree
    assert tree is not None
    deepest = len(tree) - 1 if first == "a" else int(tree.frames_of(_node(user, "deep"))[0])
    a_box = int(tree.frames_of(_node(user, "a"))[0])
    canvas.setFocus()
    canvas.set_current(deepest)
    page = user.press_ctrl_u()
    position = canvas.box_rect(a_box).center().toPoint()
    if dock == DockRegistry.flame_graph.id:
        user.look_at(dock)
        choose_action(context_menu_opener(canvas.viewport(), position), EXPLAIN)
        assert user.page()[0] == "Cost of a on this path down from main, Ir: 900"

    assert page[0] == f"Cost of deep on this path down from {first}, Ir: ≈ 300"
    assert page[2 : 3 + len(whole)][1:] == whole
    assert page[-3:] == [
        "deep: 600 × 500 / 1 000",
        "a × b / c: the function before has a here, of c in all; b is the cost of the calls "
        "between both.",
        "≈ is an estimate: only direct calls are recorded.",
    ]


def _node(user: User, name: str) -> int:
    assert user.window.session.queries is not None
    return user.window.session.queries.names.with_name(name)[0]


def test_boxes_arrows_and_rows_of_the_call_graph(user: User) -> None:
    """The current box, an arrow that was clicked, and a row of the table of calls."""
    user.look_at(DockRegistry.call_graph.id)
    view = user.window.views.call_graph
    user._qtbot.waitUntil(lambda: view.canvas.picture is not None)
    process_events()
    canvas = view.canvas
    canvas.setFocus()
    assert canvas.picture is not None
    canvas.go_to(canvas.picture.spot_of(_node(user, "deep")))
    of_line_of_chain = user.press_ctrl_u()[0]
    view.options.set("chains", False)
    user.look_at(DockRegistry.call_graph.id)
    assert not any(item.box.parts for item in canvas.boxes)
    nodes = [item.box.key for item in canvas.boxes]
    canvas.setFocus()
    canvas.set_current(nodes.index(_node(user, "deep")))
    of_box = user.press_ctrl_u()[0]
    ends = [(item.arrow.source, item.arrow.target) for item in canvas.arrows]
    names = [(nodes[caller], nodes[callee]) for caller, callee in ends]
    arrow = canvas.arrows[names.index((_node(user, "leaf"), _node(user, "deep")))]
    user.look_at(DockRegistry.call_graph.id)
    place = canvas.on_screen(arrow.label.center()).toPoint()
    choose_action(context_menu_opener(canvas.viewport(), place), EXPLAIN)
    of_arrow = user.page()
    user.look_at(DockRegistry.call_graph.id)
    view.table_button.setChecked(True)
    process_events()
    table = view.tables[1]
    row = view.call_model.index_of_record(arrow.row)
    table.setFocus()
    table.setCurrentIndex(row.siblingAtColumn(GRAPH_CALLS.RECORDED))
    process_events()
    of_row = user.press_ctrl_u()[0]

    assert of_line_of_chain == of_box == "Cost of a on all paths through deep, Ir: ≈ 300"
    assert of_arrow[0] == "Cost of a on the paths through the calls from leaf to deep, Ir: ≈ 300"
    assert "deep: 600 × 500 / 1 000" in of_arrow
    assert of_row == "Inclusive cost of the calls from leaf to deep, Ir: 500"


def test_events(user: User, open_file: OpenFile, tmp_path: Path) -> None:
    """A row of *Event Types* is explained in its own event, also by its menu."""
    path = tmp_path / "callgrind.out.2"
    path.write_text("events: Ir Dr\nfn=main\n1 10 4\n2 5 1\n")
    open_file(path, own_parts=False)
    user.look_at(DockRegistry.event_list.id)
    table = user.window.views.event_list.table
    table.setFocus()
    table.setCurrentIndex(table.model().index(1, EVENTS.SELF))
    process_events()
    by_key = user.press_ctrl_u()[0]
    user.look_at(DockRegistry.event_list.id)
    table.setFocus()
    choose_action(row_menu(table, 1), EXPLAIN)

    assert by_key == "Self cost of main, Dr: 5"
    assert user.page()[0] == "Self cost of main, Dr: 5"


def test_groups_and_shares_of_groups(user: User) -> None:
    """A group is the sum of its functions; self costs are of the group if the unit says so."""
    user.window.session.set_grouping(Grouping.FILE)
    user.window.navigation.set(unit=CostUnit.PERCENT_OF_PARENT)
    process_events()
    view = user.window.views.function_list
    view.groups.table.setFocus()
    model = view.groups.table.model()
    row = next(r for r in range(model.rowCount()) if "l.c" in str(model.index(r, 5).data()))
    view.groups.table.selectionModel().setCurrentIndex(
        model.index(row, 0), QItemSelectionModel.SelectionFlag.NoUpdate
    )
    of_group = user.press_ctrl_u()
    user.put_cursor(view.table, "deep", 1)
    of_function = user.press_ctrl_u()

    assert of_group[0] == "Self cost of the file l.c, Ir: 1 000"
    assert of_group[2:7] == ["The self costs of these functions.", "500", "leaf", "500", "deep"]
    assert of_function[:2] == [
        "Self cost of deep, Ir: 500",
        "500 / 1 000 = 50.00 % of the self cost of the file l.c, as the unit is the percentage of "
        "the parent.",
    ]


def test_parts_and_bars(user: User, open_file: OpenFile, tmp_path: Path, qtbot: QtBot) -> None:
    """Numbers of one part: of the table by key, of a bar by its menu."""
    path = tmp_path / "callgrind.out.3"
    part = "part: {}\nevents: Ir\nfn=main\n1 {}\nfn=other\n2 5\n"
    path.write_text(part.format(1, 10) + part.format(2, 30))
    open_file(path, own_parts=False)
    user.look_at(DockRegistry.part_list.id)
    view = user.window.views.part_list
    qtbot.waitUntil(lambda: view.panel.timeline is not None)
    pages = []
    for column in (PARTS.TOTAL, PARTS.SELF):
        view.table.setFocus()
        index = view.model.index_of_record(1).siblingAtColumn(column)
        view.table.selectionModel().setCurrentIndex(
            index, QItemSelectionModel.SelectionFlag.NoUpdate
        )
        pages.append(user.press_ctrl_u())
    user.look_at(DockRegistry.part_list.id)
    timeline = view.panel.timeline
    assert timeline is not None
    choose_action(
        lambda: timeline.menu_requested.emit(0, view.mapToGlobal(view.rect().center())), EXPLAIN
    )

    assert pages[0][:2] == [
        "Self cost of all functions in part 2, Ir: 35",
        "35 / 50 = 70.00 % of the sum of all self costs, as the file records no total (summary:).",
    ]
    assert pages[1][:2] == [
        "Self cost of main, Ir: 30",
        "30 / 35 = 85.71 % of the self cost of all functions in part 2, as percentages in the list "
        "of parts are of the part.",
    ]
    assert user.page()[0] == "Self cost of all functions in part 1, Ir: 15"


def test_percentages_of_the_parent(user: User) -> None:
    """Of calls, the parent is the active function."""
    user.window.navigation.set(unit=CostUnit.PERCENT_OF_PARENT)
    user.look_at(DockRegistry.callees.id)
    user.put_cursor(user.window.views.callees.table, "leaf", 0)
    assert user.press_ctrl_u()[1] == (
        "600 / 900 = 66.67 % of the inclusive cost of a, as the unit is the percentage of the "
        "parent."
    )


CODE = {
    ("source", "42", "inclusive"): ["Inclusive cost of formula.c:42 in factor, Ir: 10 300 568"],
    ("source", "42", "self"): ["Self cost of formula.c:42 in factor, Ir: 4 000"],
    ("assembler", "1819", "self"): [
        "Self cost of the instruction at 0x1819 in factor, Ir: 2 000",
        "Sum of 1 line of the profile: 2 000",
    ],
}


def test_lines_and_instructions(user: User, open_file: OpenFile, qtbot: QtBot) -> None:
    """In Source and Assembler it is the cost of the current row, by the current column.

    The row of a call below a line has the calls from there.
    """
    open_file(SHEET)
    go_to(user.window.session, user.window.navigation, "factor")

    def explained(dock: str, location: str, column: str, below: int = 0) -> list[str]:
        user.look_at(dock)
        view = user.window.docks.view(dock)
        assert isinstance(view, CodeView)
        qtbot.waitUntil(lambda: view.model.rowCount() > 0)
        keys = [each.key for each in view.model.columns]
        index = view.model.index_of_record(record_of(view, location) + below)
        view.table.setCurrentIndex(index.siblingAtColumn(keys.index(column)))
        view.table.setFocus()
        process_events()
        return user.press_ctrl_u()

    for place, lines in CODE.items():
        assert [line for line in explained(*place) if line in lines] == lines
    call = explained("source", "42", "location", below=1)[0]
    assert call.startswith("Inclusive cost of the calls from factor to ")
    assert " at formula.c:42, Ir: " in call


def test_a_file_that_has_changed_keeps_its_terms(user: User, tmp_path: Path) -> None:
    """The number and its terms are known; the lines are not shown, as they may be others."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(path.read_text() + "# more\n")
    lines = user.show_page("main")
    assert lines[0] == "Inclusive cost of main, Ir: 1 600"
    assert "1 call to a" in lines
    assert lines[-1] == (
        f"{path} has changed since it was read, so its lines cannot be shown. Read it again."
    )


def test_both_sides_of_a_comparison_are_explained(user: User, tmp_path: Path, qtbot: QtBot) -> None:
    """New, then base, each with the lines of its own file."""
    (tmp_path / "old").mkdir()
    base = write_profile_text(tmp_path / "old", DRAWING.replace("100 ->", "90 ->"))
    session = user.window.session
    session.comparing.compare_with(ProfileFiles((base,), with_siblings=False))
    qtbot.waitUntil(lambda: session.comparison is not None)
    text = user.show_page("main")
    assert "New: Inclusive cost of main, Ir: 1 600" in text
    assert "Base: Inclusive cost of main, Ir: 1 590" in text
    assert f"in {base}:" in text
