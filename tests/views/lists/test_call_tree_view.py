"""The call tree: down to callees, or up to callers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QByteArray, QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.call_tree import MOST_OPENED, CallTreeView
from tests.columns import CALL_TREE
from tests.paintings import Paintings
from tests.profile_text import THIN, dump_tree
from tests.seen_cell import SeenCell
from tests.user_input import (
    CTRL,
    active_name,
    choose_action,
    choose_in_box,
    context_menu_opener,
    enabled_texts,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
)

DRAWING = """
    main 10 -> a 2x60, b 1x30
    a 20 -> c 4x40
    b 10 -> c 1x20
    c 60
    """
ABOUT = f"≈{THIN}"
SEEN = (CALL_TREE.COST, CALL_TREE.COUNT, CALL_TREE.NAME)
KEY = Qt.Key
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def view(opened: Callable[..., CallTreeView]) -> CallTreeView:
    """The tree below main."""
    return opened(CallTreeView, DRAWING)


def current(view: CallTreeView) -> str:
    """The name of the current node."""
    return str(view.tree.currentIndex().siblingAtColumn(CALL_TREE.NAME).data())


def node(view: CallTreeView, *rows: int) -> QModelIndex:
    """The node with these rows from the root."""
    index = view.model.index(0, 0)
    for row in rows:
        index = view.model.index(row, 0, index)
    return index


def test_tree_of_callers(
    view: CallTreeView, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """The other choice shows callers instead of callees; the costliest branch comes first.

    Callers of a function have costs that are none of its own: their column is hidden.
    """
    hidden = [view.tree.isColumnHidden(CALL_TREE.SELF)]
    down = dump_tree(view.model, 3, *SEEN)
    go_to(session, navigation, "c")
    choose_in_box(view.tree_box, "Callers")
    up = dump_tree(view.model, 3, *SEEN)
    hidden.append(view.tree.isColumnHidden(CALL_TREE.SELF))
    choose_in_box(view.tree_box, "Callees")

    assert hidden == [False, True]
    assert down == [
        "100.00 |  | main",
        "  60.00 | 2 | a",
        "    40.00 | 4 | c",
        "  30.00 | 1 | b",
        "    20.00 | 1 | c",
    ]
    assert up == [
        "60.00 |  | c",
        "  40.00 | 4 | a",
        f"    40.00 | {ABOUT}1 | main",  # 2 calls of a, of which 40 of 60 are of c
        "  20.00 | 1 | b",
        f"    20.00 | {ABOUT}1 | main",
    ]
    assert dump_tree(view.model, 3, *SEEN) == ["60.00 |  | c"]


def test_branches_open_by_arrow_keys_and_return_goes_there(
    view: CallTreeView, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """Tab goes to the root; Down, Right and Return reach and activate a function."""
    view.tree.setFocus(Qt.FocusReason.TabFocusReason)
    assert current(view) == "main"
    for key in (KEY.Key_Down, KEY.Key_Right, KEY.Key_Down):
        qtbot.keyClick(view.tree, key)
    below = (current(view), active_name(session, navigation))
    qtbot.keyClick(view.tree, KEY.Key_Return)
    process_events()

    assert below == ("c", "main")
    assert active_name(session, navigation) == "c"
    assert navigation.back_history == (session.queries.names.with_name("main")[0],)  # type: ignore[union-attr]


def test_return_shows_more_branches(
    opened: Callable[..., CallTreeView], session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """Return on the node for further branches shows the next ones, of which the first is chosen."""
    calls = ", ".join(f"f{i} 1x{i}" for i in range(1, 1201))
    view = opened(CallTreeView, f"main 1 -> {calls}")
    view.tree.setFocus()
    view.tree.setCurrentIndex(node(view, 1000))
    before = current(view)
    qtbot.keyClick(view.tree, KEY.Key_Return)
    process_events()

    assert (before, current(view)) == ("200 more…", "f200")
    assert active_name(session, navigation) == "main"
    assert view.model.rowCount(node(view)) == 1200


def test_double_click_goes_there_and_opens_nothing(
    view: CallTreeView, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """A double click activates the function, which becomes the root."""
    cell = node(view, 1).siblingAtColumn(CALL_TREE.NAME)
    place = view.tree.visualRect(cell).center()
    left = Qt.MouseButton.LeftButton
    qtbot.mouseClick(view.tree.viewport(), left, pos=place)
    qtbot.mouseDClick(view.tree.viewport(), left, pos=place)
    process_events()

    assert active_name(session, navigation) == "b"
    assert dump_tree(view.model, 1, *SEEN) == ["30.00 |  | b", "  20.00 | 1 | c"]


def test_selected_node_is_selected_everywhere(
    view: CallTreeView, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """The current node's function is highlighted in all views, this one included."""
    view.tree.setFocus()
    view.tree.setCurrentIndex(node(view, 0))
    view.tree.expand(node(view, 0))
    view.tree.expand(node(view, 1))
    view.tree.setCurrentIndex(node(view, 0, 0))
    process_events()
    tinted = [SeenCell(node(view, *rows)).is_highlighted for rows in ((), (0,), (0, 0), (1, 0))]

    assert session.queries is not None
    assert navigation.context.selected == session.queries.names.with_name("c")[0]
    assert tinted == [False, False, True, True]


def test_menu_opens_the_costliest_branch_and_copies(view: CallTreeView, qtbot: QtBot) -> None:
    """The menu activates the node, expands the costliest path, copies cell and row, as Ctrl+C."""
    view.tree.setCurrentIndex(node(view))
    offered = inspect_menu(context_menu_opener(view.tree), enabled_texts)
    choose_action(context_menu_opener(view.tree), "Expand Costliest Branch")
    opened = [view.tree.isExpanded(node(view, *rows)) for rows in ((), (0,), (1,))]
    view.tree.setCurrentIndex(node(view, 0))
    choose_action(context_menu_opener(view.tree), "Copy Row")
    by_menu = QGuiApplication.clipboard().text()
    view.tree.setCurrentIndex(node(view, 1))
    qtbot.keyClick(view.tree, KEY.Key_C, CTRL)

    assert offered == [
        "Go to Function",
        "Expand Costliest Branch",
        "Expand All Below",
        "Collapse All",
        "Copy Cell",
        "Copy Row",
        "Save Table…",
    ]
    assert opened == [True, True, False]
    assert by_menu == "60.00\t20.00\t2\ta\t???"
    assert QGuiApplication.clipboard().text() == "30.00\t10.00\t1\tb\t???"


def test_filter_hides_branches(view: CallTreeView, navigation: Navigation) -> None:
    """The filter hides branches, but never the root, and the view says so, as all others do."""
    navigation.set(filter=parse_filter("!^a$ !main"))
    process_events()
    said = [label.text() for label in view.findChildren(QLabel) if label.isVisible()]

    assert ["hidden by the filter" in text for text in said].count(True) == 1, said
    assert dump_tree(view.model, 3, CALL_TREE.NAME) == ["main", "  b", "    c"]


def test_open_branches_stay_open_when_only_numbers_change(
    view: CallTreeView, navigation: Navigation
) -> None:
    """Another unit collapses no branch; percentages of the parent refer to the root function."""
    go_to(view.session, navigation, "a")
    view.tree.expand(node(view, 0))
    trees = []
    for unit in (CostUnit.PERCENT_OF_PARENT, CostUnit.ABSOLUTE):
        navigation.set(unit=unit)
        process_events()
        trees.append(dump_tree(view.model, 1, *SEEN))

    assert trees == [["100.00 |  | a", "  66.67 | 4 | c"], ["60 |  | a", "  40 | 4 | c"]]
    assert view.tree.isExpanded(node(view, 0))


def test_columns_are_found_again(opened: Callable[..., CallTreeView], view: CallTreeView) -> None:
    """Order and widths of the columns are those of the saved tree."""
    header = view.tree.header()
    header.moveSection(header.visualIndex(CALL_TREE.NAME), 0)
    header.resizeSection(CALL_TREE.COUNT, 137)
    state = view.save_state()
    again = opened(CallTreeView, DRAWING)
    again.restore_state(state)

    header = again.tree.header()
    order = [header.logicalIndex(place) for place in range(header.count())]
    assert order == [
        CALL_TREE.NAME,
        CALL_TREE.COST,
        CALL_TREE.SELF,
        CALL_TREE.COUNT,
        CALL_TREE.LOCATION,
    ]
    assert header.sectionSize(CALL_TREE.COUNT) == 137
    again.restore_state([QByteArray(b"{"), state[1]])
    assert header.sectionSize(CALL_TREE.COUNT) == 137


def search_next(view: CallTreeView, qtbot: QtBot) -> str:
    """Press Return in the search field; the names from the root down to the current node."""
    qtbot.keyClick(view.search.edit, KEY.Key_Return)
    jobs = view.session.jobs
    qtbot.waitUntil(lambda: jobs.is_idle)
    process_events()
    index, names = view.tree.currentIndex(), []
    while index.isValid():
        names.append(str(index.siblingAtColumn(CALL_TREE.NAME).data()))
        index = index.parent()
    return " ".join(reversed(names))


def test_search_opens_branches_from_place_to_place(view: CallTreeView, qtbot: QtBot) -> None:
    """Return goes to the costliest place of a function, then to the next, and round again.

    After another function became active, its callers are searched for the same text.
    """
    view.search.edit.setText("C")
    found = [search_next(view, qtbot) for _ in range(3)]

    assert found == ["main a c", "main b c", "main a c"]
    assert view.tree.visualRect(view.tree.currentIndex()).isValid()
    names = [node(view, *rows).siblingAtColumn(CALL_TREE.NAME) for rows in ((0,), (0, 0))]
    assert [SeenCell(index).is_bold for index in names] == [False, True]
    view.search.edit.setText("nothing")
    search_next(view, qtbot)
    assert view.search.label.text() == "No match"
    view.search.edit.setText("main")
    assert view.search.label.text() == ""
    go_to(view.session, view.navigation, "c")
    choose_in_box(view.tree_box, "Callers")
    assert [search_next(view, qtbot) for _ in range(2)] == ["c a main", "c b main"]


def test_expand_all_opens_every_branch(view: CallTreeView, qtbot: QtBot) -> None:
    """The button, the menu and the star key open all branches of a small tree."""

    def opened() -> list[bool]:
        return [view.tree.isExpanded(node(view, row)) for row in (0, 1)]

    found = [opened()]
    qtbot.mouseClick(view.expand_button, Qt.MouseButton.LeftButton)
    found.append(opened())
    view.tree.setCurrentIndex(node(view))
    choose_action(context_menu_opener(view.tree), "Collapse All")
    found.append(opened())
    view.tree.setCurrentIndex(node(view, 1))
    view.tree.setFocus()
    qtbot.keyClick(view.tree, KEY.Key_Asterisk)
    found.append(opened())

    assert found == [[False, False], [True, True], [False, False], [False, True]]
    assert view.note.text().startswith("≈")


@pytest.mark.parametrize("key", [False, True], ids=["button", "key"])
def test_expand_all_stops_in_an_endless_tree(
    opened: Callable[..., CallTreeView], qtbot: QtBot, key: bool
) -> None:
    """Of 2^60 branches the costliest are opened, and the view says so."""
    lines = [f"f{n} 1 -> a{n} 1x1000, b{n} 1x1000" for n in range(60)]
    lines += [f"{s}{n} 1 -> f{n + 1} 1x1000" for n in range(60) for s in "ab"]
    view = opened(CallTreeView, "\n".join([*lines, "f60 1000"]))
    go_to(view.session, view.navigation, "f0")
    view.tree.setCurrentIndex(node(view))
    view.tree.setFocus()
    if key:
        qtbot.keyClick(view.tree, KEY.Key_Asterisk)
    else:
        view.expand_button.click()
    rows, index = 0, node(view)
    while (index := view.tree.indexBelow(index)).isValid():
        rows += 1

    assert MOST_OPENED <= rows < MOST_OPENED + 10
    assert view.note.text().startswith("Only the costliest 500 rows are open · ≈")


def test_columns_have_room_for_all_numbers(view: CallTreeView) -> None:
    """Opening branches widens the columns of numbers; locations have the room they need."""
    view.tree.expand_all()
    process_events()
    widths = []
    for column in (CALL_TREE.COST, CALL_TREE.COUNT, CALL_TREE.LOCATION):
        texts = [str(node(view, *rows).siblingAtColumn(column).data()) for rows in ((), (0, 0))]
        needed = max(map(view.tree.fontMetrics().horizontalAdvance, texts))
        widths.append(view.tree.columnWidth(column) > needed)

    assert widths == [True, True, True]
    assert view.tree.horizontalScrollBar().maximum() == 0


def test_an_opened_branch_is_painted_once(
    opened: Callable[..., CallTreeView], qtbot: QtBot
) -> None:
    """Also if it makes columns wider: painting takes most of the time."""
    view = opened(CallTreeView, "main 10 -> a 1x60\na 0 -> b 1234567x60\nb 60")
    view.navigation.set(unit=CostUnit.ABSOLUTE)
    qtbot.wait(50)
    paintings, count = Paintings(view.tree.viewport()), CALL_TREE.COUNT
    width = view.tree.columnWidth(count)
    view.tree.expand(node(view, 0))
    qtbot.wait(50)
    assert view.tree.columnWidth(count) > width
    assert paintings.count == 1


def test_a_tree_that_is_cleared_is_not_fitted(view: CallTreeView) -> None:
    """Its profile may be closed in the same turn of the event loop in which a branch is opened."""
    view.tree.expand(node(view, 0))
    view.model.clear()
    process_events()

    assert view.model.rowCount() == 0


def test_the_whole_program_is_a_tree(opened: Callable[..., CallTreeView], qtbot: QtBot) -> None:
    """It begins with all roots and what exceeds its callers, and stays where the user goes.

    Return on other callers makes no function active. The state of the view says where it begins.
    """
    drawing = "main 10 -> clone 1x68\nclone 50 -> thread 1x3700\nthread 3700\nother 40"
    view = opened(CallTreeView, drawing)
    view.navigation.set(unit=CostUnit.ABSOLUTE)
    choose_in_box(view.tree_box, "Whole Program")
    process_events()

    expected = [
        f"3{THIN}800 |  | Whole program",
        f"  3{THIN}682 |  | (other callers)",
        f"    3{THIN}682 |  | clone",
        "  78 |  | main",
        "    68 | 1 | clone",
        "  40 |  | other",
    ]
    assert dump_tree(view.model, 2, *SEEN) == expected
    view.tree.expand(node(view, 1))
    view.navigation.set(function=2)
    process_events()
    assert view.tree.isExpanded(node(view, 1))
    assert dump_tree(view.model, 2, *SEEN) == expected
    view.tree.setFocus()
    view.tree.setCurrentIndex(node(view, 0))
    qtbot.keyClick(view.tree, KEY.Key_Return)
    process_events()
    assert (current(view), view.navigation.context.function) == ("(other callers)", 2)
    other = opened(CallTreeView, drawing)
    other.restore_state(view.save_state())
    assert other.tree_box.currentText() == "Whole Program"


def test_the_inverted_program_begins_with_self_costs(
    opened: Callable[..., CallTreeView], qtbot: QtBot
) -> None:
    """Hot functions come first, and show for whom they are so; no column has other costs.

    The search finds callers below them, and the view keeps the choice.
    """
    view = opened(CallTreeView, DRAWING)
    choose_in_box(view.tree_box, "Whole Program, Inverted")
    process_events()
    titles = [view.model.headerData(column, Qt.Orientation.Horizontal) for column in SEEN]

    assert titles == ["Self %", "Calls", "Function"]
    assert view.tree.isColumnHidden(CALL_TREE.SELF)
    assert dump_tree(view.model, 3, *SEEN) == [
        "100.00 |  | Whole program",
        "  60.00 |  | c",
        "    40.00 | 4 | a",
        f"      40.00 | {ABOUT}1 | main",
        "    20.00 | 1 | b",
        f"      20.00 | {ABOUT}1 | main",
        "  20.00 |  | a",
        "    20.00 | 2 | main",
        "  10.00 |  | main",
        "  10.00 |  | b",
        "    10.00 | 1 | main",
    ]
    view.search.edit.setText("b")
    assert [search_next(view, qtbot) for _ in range(2)] == [
        "Whole program c b",
        "Whole program b",
    ]
    other = opened(CallTreeView, DRAWING)
    other.restore_state(view.save_state())
    assert other.tree_box.currentText() == "Whole Program, Inverted"
