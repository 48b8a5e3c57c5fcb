"""Mouse and keyboard in the call graph: selection, activation, panning, menu."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.style import theme
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.pictures.call_graph_view import CallGraphView
from qcachegrind_py.views.pictures.canvas import Zoom
from qcachegrind_py.views.pictures.diagram_items import ArrowItem, BoxItem
from tests.profile_rows import DATA
from tests.profile_text import EXAMPLE, THIN
from tests.user_input import (
    LEFT,
    NONE,
    active_name,
    choose_action,
    context_menu_opener,
    enabled_texts,
    function_id,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    move_mouse,
    process_events,
)
from tests.views.pictures.conftest import Graph, Settle

SHEET = Path(__file__).parents[3] / "resources/example/sheet/callgrind.out.sheet.xz"
Key = Qt.Key

# main calls a, b and c, with falling costs; each calls one more, and all end in leaf
FAN = """
    start 0 -> main 1x1000
    main 10 -> a 1x500, b 2x300, c 3x190
    a 100 -> leaf 1x400
    b 100 -> leaf 1x200
    c 190
    leaf 600
    """


def node(view: CallGraphView, name: str) -> BoxItem:
    """The box of a function."""
    (found,) = [item for item in view.canvas.boxes if item.box.name == name]
    return found


def call(view: CallGraphView, caller: str, callee: str) -> ArrowItem:
    """The arrow between two functions."""
    ends = [(item.arrow.source, item.arrow.target) for item in view.canvas.arrows]
    return view.canvas.arrows[ends.index((node(view, caller).row, node(view, callee).row))]


def box_center(view: CallGraphView, name: str) -> QPoint:
    """The position of a box's centre on the screen."""
    return view.canvas.on_screen(node(view, name).area.center()).toPoint()


def click(view: CallGraphView, at: QPoint) -> None:
    """Click at a position of the canvas."""
    QTest.mouseClick(view.canvas.viewport(), LEFT, NONE, at)
    process_events()


def press(view: CallGraphView, *keys: Qt.Key) -> None:
    """Press keys in the canvas."""
    view.canvas.setFocus()
    for key in keys:
        QTest.keyClick(view.canvas, key)
    process_events()


def chosen(session: Session, navigation: Navigation) -> str:
    """The selected function; empty if there is none."""
    selected = navigation.context.selected
    return session.queries.names.name(selected) if session.queries and selected >= 0 else ""


def current(view: CallGraphView) -> str:
    """The box with the keyboard focus."""
    return view.canvas.boxes[view.canvas.current].box.name


def spot(view: CallGraphView) -> str:
    """What the keyboard is on: a box, or an arrow as caller > callee."""
    where = view.canvas.keyboard_spot()
    if where.arrow < 0:
        return view.canvas.boxes[where.box].box.name
    return " > ".join(box.name for box in view.canvas.ends_of(where.arrow))


def marked(view: CallGraphView) -> list[str]:
    """The boxes shown as selected."""
    return [item.box.name for item in view.canvas.boxes if item.is_selected]


# ---------------------------------------------------------------- mouse


def test_a_click_chooses_and_a_double_click_goes_there(
    graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """A click selects a function everywhere; a double click activates it."""
    view = graph_of(FAN)
    click(view, box_center(view, "b"))
    assert (chosen(session, navigation), active_name(session, navigation)) == ("b", "main")
    assert (marked(view), current(view)) == (["b"], "b")

    click(view, QPoint(3, view.canvas.height() - 3))
    assert (chosen(session, navigation), marked(view)) == ("b", ["b"])
    QTest.mouseDClick(view.canvas.viewport(), LEFT, NONE, box_center(view, "a"))
    settle(view)
    assert active_name(session, navigation) == "a"
    QTest.mouseDClick(view.canvas.viewport(), LEFT, NONE, QPoint(3, 3))
    QTest.mouseDClick(
        view.canvas.viewport(), Qt.MouseButton.RightButton, NONE, box_center(view, "leaf")
    )
    settle(view)
    assert active_name(session, navigation) == "a"


def test_an_arrow_chooses_its_callee(
    graph_of: Graph, session: Session, navigation: Navigation
) -> None:
    """A click on an arrow or its label marks the arrow and selects the callee."""
    view = graph_of(FAN)
    for caller, callee in (("main", "c"), ("a", "leaf")):
        arrow = call(view, caller, callee)
        click(view, view.canvas.on_screen(arrow.label.center()).toPoint())
        assert chosen(session, navigation) == callee
        assert [item.row for item in view.canvas.arrows if item.is_selected] == [arrow.row]
    click(view, box_center(view, "a"))
    assert not any(item.is_selected for item in view.canvas.arrows)


def test_selection_from_elsewhere_is_marked(
    graph_of: Graph, session: Session, navigation: Navigation
) -> None:
    """A function selected in another view is marked without a new layout."""
    view = graph_of(FAN)
    before = view.canvas.picture
    navigation.set(selected=function_id(session, "leaf"))
    process_events()
    assert (marked(view), view.canvas.picture is before) == (["leaf"], True)
    navigation.set(selected=-1)
    process_events()
    assert marked(view) == []


# ---------------------------------------------------------------- keyboard


@pytest.mark.parametrize("horizontal", [False, True])
def test_arrow_keys_lead_from_node_to_neighbour(
    horizontal: bool, graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Keys follow the costliest call to callers and callees, by way of its arrow, or go aside."""
    view = graph_of(FAN)
    view.options.set("direction", "right" if horizontal else "down")
    settle(view)
    keys = (Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down)
    up, down, back, forth = keys if horizontal else (*keys[2:], *keys[:2])
    assert current(view) == "main"
    for key, *steps in (
        (up, "start > main", "start", "start"),
        (down, "start > main", "main", "main > a", "a", "a > leaf", "leaf", "leaf"),
        (up, "a > leaf", "a", "main > a", "main"),
    ):  # fmt: skip
        for step in steps:
            press(view, key)
            assert spot(view) == step
            assert chosen(session, navigation) in step.split(" > ")

    at = "y" if horizontal else "x"
    beside = sorted("abc", key=lambda name: getattr(node(view, name).area.center(), at)())
    press(view, down, *[back] * 3)
    for name in (*beside, beside[-1]):
        assert (spot(view), chosen(session, navigation)) == (f"main > {name}", name)
        press(view, forth)
    press(view, down, *[back] * 3)
    for name in (*beside, beside[-1]):
        assert spot(view) == name
        press(view, forth)
    press(view, Key.Key_Home)
    assert current(view) == "main"
    assert active_name(session, navigation) == "main"


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_Enter])
def test_return_goes_to_the_current_node(
    key: Qt.Key, graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Return activates the current function and keeps the focus on it."""
    view = graph_of(FAN)
    press(view, Key.Key_Down, Key.Key_Down, key)
    settle(view)
    assert (active_name(session, navigation), current(view)) == ("a", "a")


def test_the_current_node_is_brought_into_sight(graph_of: Graph) -> None:
    """The current node is scrolled into view as a whole, at any zoom."""
    view = graph_of(FAN)
    press(view, *[Key.Key_Plus] * 4)
    for key in (Key.Key_Down, Key.Key_Down, Key.Key_Up, Key.Key_Left, Key.Key_Right, Key.Key_Home):
        press(view, key)
        assert view.canvas.visible_area().contains(view.canvas.boxes[view.canvas.current].area)


def test_keys_in_an_empty_view_do_nothing(graph_of: Graph) -> None:
    """Without a picture, keys, clicks and menus have no effect."""
    view = graph_of(DATA / "cachegrind/cachegrind.out.templ-O2.xz")
    keys = (Key.Key_Down, Key.Key_Return, Key.Key_0, Key.Key_1, Key.Key_Plus, Key.Key_Home)
    for key in keys:
        QTest.keyClick(view.canvas, key)
    click(view, QPoint(5, 5))
    view.canvas.fit()
    context_menu_opener(view.canvas.viewport(), QPoint(5, 5))()
    assert (view.canvas.picture, view.canvas.current) == (None, -1)


# ---------------------------------------------------------------- calls


@ignore_offscreen_warnings
def test_a_call_is_selected_described_and_followed(
    graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """The line below and screen readers tell of it; Return goes to the callee, Shift+Return back.

    Of calls to the active function the caller is selected, which is in the list of callers.
    """
    view = graph_of(FAN)
    for caller, callee, other in (("main", "b", "b"), ("start", "main", "start")):
        click(view, view.canvas.on_screen(call(view, caller, callee).label.center()).toPoint())
        assert (spot(view), chosen(session, navigation)) == (f"{caller} > {callee}", other)
    click(view, view.canvas.on_screen(call(view, "main", "b").label.center()).toPoint())
    told = "main → b · 30.00% · 300 Ir · 2 calls · 150 per call"
    assert view.note.shown_text.replace(THIN, "") == told
    assert view.canvas.accessibleDescription().replace(THIN, "") == told
    assert view.current_number() is not None
    found = inspect_menu(context_menu_opener(view.canvas), enabled_texts)
    assert found[:2] == ["Go to Callee\tReturn", "Go to Caller\tShift+Return"]

    press(view, Key.Key_Return)
    settle(view)
    assert active_name(session, navigation) == "b"
    press(view, Key.Key_Up)
    assert spot(view) == "start › main > b"
    QTest.keyClick(view.canvas, Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    settle(view)
    assert active_name(session, navigation) == "main"


def test_a_box_is_outlined_with_its_calls(graph_of: Graph) -> None:
    """The mouse on a box marks the arrows to it and from it, and no others."""
    view = graph_of(FAN)
    move_mouse(view.canvas.viewport(), box_center(view, "a"))
    names = [[box.name for box in view.canvas.ends_of(item.row)]
             for item in view.canvas.arrows if item.is_hovered]  # fmt: skip
    assert sorted(names) == [["a", "leaf"], ["main", "a"]]
    move_mouse(view.canvas.viewport(), QPoint(2, 2))
    assert not any(item.is_hovered for item in view.canvas.arrows)


# ---------------------------------------------------------------- chains

# main reaches `last` through five functions that only call one another
CHAIN = """
    boot 0 -> start 1x1000
    start 0 -> main 1x1000
    main 10 -> a 1x600, other 1x390
    a 100 -> b 1x500
    b 100 -> c 1x400
    c 100 -> d 1x300
    d 100 -> last 1x200
    last 200
    other 390
    """


def line_center(view: CallGraphView, box: str, line: int) -> QPoint:
    """The middle of a line of a chain on the screen."""
    item = next(item for item in view.canvas.boxes if item.box.name.startswith(box))
    points = range(round(item.area.top()), round(item.area.bottom()))
    x = item.area.left() + item.area.width() / 4
    inside = [y for y in points if item.line_at(QPointF(x, y)) == line]
    return view.canvas.on_screen(QPointF(x, inside[len(inside) // 2])).toPoint()


def boxes(view: CallGraphView) -> set[str]:
    return {item.box.name for item in view.canvas.boxes}


CLOSED = {"boot › start", "main", "a › b › c › d › last", "other"}
OPEN = {"boot › start", "main", "a", "b", "c", "d", "last", "other"}


@ignore_offscreen_warnings
def test_a_chain_opens_and_closes(graph_of: Graph, settle: Settle) -> None:
    """By its button, the line “+ 2 more”, Space and the menu; its first box keeps its place."""
    view = graph_of(CHAIN)
    assert boxes(view) == CLOSED
    chain = next(item for item in view.canvas.boxes if item.box.name.startswith("a ›"))
    button = view.canvas.on_screen(chain.button_area().center()).toPoint()
    before = view.canvas.on_screen(chain.area.center()).x()
    for act in (
        lambda: click(view, button),
        lambda: press(view, Key.Key_Space),
        lambda: click(view, line_center(view, "a ›", 2)),
        lambda: choose_action(
            context_menu_opener(view.canvas.viewport(), box_center(view, "c")),
            "Show Chain as One\tSpace",
        ),
        lambda: choose_action(
            context_menu_opener(view.canvas.viewport(), line_center(view, "a ›", 0)),
            "Open Chain\tSpace",
        ),
    ):
        was_closed = boxes(view) == CLOSED
        act()
        settle(view)
        assert boxes(view) == (OPEN if was_closed else CLOSED)
    assert abs(box_center(view, "a").x() - before) <= 60
    view.options.set("chains", False)
    settle(view)
    assert boxes(view) == {"boot", "start", *OPEN} - {"boot › start"}


def test_lines_of_a_chain_are_functions(
    graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """A click selects the function of a line, a double click goes there, arrow keys step."""
    view = graph_of(CHAIN)
    for line, name in ((1, "b"), (3, "last"), (0, "a")):
        click(view, line_center(view, "a ›", line))
        assert chosen(session, navigation) == name
        (item,) = [item for item in view.canvas.boxes if item.is_selected]
        assert item.marked_lines == {function_id(session, name)}
        assert view.note.shown_text.startswith(f"{name} ·")
    press(view, Key.Key_Home)
    steps = []
    for _ in range(6):
        press(view, Key.Key_Down)
        steps.append((spot(view).rpartition(" > ")[0], view.canvas.keyboard_spot().line))
    assert steps == [("main", -1), ("", 0), ("", 1), ("", 2), ("", 3), ("", 3)]
    press(view, *[Key.Key_Up] * 3, Key.Key_Return)
    settle(view)
    assert active_name(session, navigation) == "a"
    go_to(session, navigation, "main")
    settle(view)
    QTest.mouseDClick(view.canvas.viewport(), LEFT, NONE, line_center(view, "a ›", 3))
    settle(view)
    assert active_name(session, navigation) == "last"


def test_a_search_finds_what_a_chain_leaves_out(
    graph_of: Graph, session: Session, navigation: Navigation
) -> None:
    """The chain is not faded, and Return selects the function in it."""
    view = graph_of(CHAIN)
    view.search.setText("d")
    assert view.match_label.text() == "1 of 9"
    assert {item.box.name for item in view.canvas.boxes if not item.is_faded} == {
        "a › b › c › d › last"
    }
    QTest.keyClick(view.search, Key.Key_Return)
    process_events()
    assert chosen(session, navigation) == "d"
    assert marked(view) == ["a › b › c › d › last"]


def test_exports_have_the_functions_of_chains(graph_of: Graph) -> None:
    """DOT has one node with all of them; the tables have a row for each function and call."""
    view = graph_of(CHAIN)
    dot = view.text_exports()["DOT"]().replace(THIN, "")
    assert r'[label="boot\n100.00%\nstart\n100.00%"' in dot
    assert dot.count(" -> ") == 3
    assert (view.node_model.rowCount(), view.call_model.rowCount()) == (9, 8)


# ---------------------------------------------------------------- the picture's position


@pytest.mark.parametrize("size", [(900, 600), (500, 300)])
def test_first_picture_shows_no_margin(size: tuple[int, int], graph_of: Graph) -> None:
    """A graph that fits is centred; a larger one shows nothing outside of it."""
    view = graph_of(EXAMPLE, size)
    graph = view.canvas
    seen, whole = graph.visible_area(), graph.content_area()
    for start, end, low, high in (
        (seen.left(), seen.right(), whole.left(), whole.right()),
        (seen.top(), seen.bottom(), whole.top(), whole.bottom()),
    ):
        if end - start >= high - low:
            assert (start + end) / 2 == pytest.approx((low + high) / 2, abs=2)
        else:
            assert low - 2 <= start
            assert end <= high + 2
    fitting = min(
        graph.viewport().width() / whole.width(), graph.viewport().height() / whole.height()
    )
    assert graph.zoom == pytest.approx(min(1, max(graph.readable_zoom, fitting)), rel=0.01)
    assert seen.contains(graph.boxes[graph.current].area)


def test_the_active_function_keeps_its_position(
    graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """A neighbour that becomes active stays where it was on the screen, at any zoom.

    It moves only where a part of the canvas would be empty while boxes are out of sight.
    """
    view = graph_of(EXAMPLE)
    view.options.set("chains", False)
    settle(view)
    for zoom in (1.0, 0.6, 1.5):
        press(view, Key.Key_1)
        view.canvas.zoom_by(zoom)
        for key in (Key.Key_Down, Key.Key_Down, Key.Key_Up):
            press(view, key, key)
            name = current(view)
            before = box_center(view, name)
            assert view.canvas.viewport().rect().contains(before)
            press(view, Key.Key_Return)
            settle(view)
            assert current(view) == name
            moved = box_center(view, name) - before
            seen, whole = view.canvas.visible_area(), view.canvas.content_area()
            at_edges = (
                min(abs(seen.left() - whole.left()), abs(seen.right() - whole.right())) < 2,
                min(abs(seen.top() - whole.top()), abs(seen.bottom() - whole.bottom())) < 2,
            )
            assert abs(moved.x()) <= 2 or at_edges[0]
            assert abs(moved.y()) <= 2 or at_edges[1]
            assert view.canvas.zoom == pytest.approx(zoom)


def test_fit_persists(
    graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """After Fit the next graph is fitted as well, until the user zooms or pans."""
    view = graph_of(EXAMPLE)
    press(view, Key.Key_Minus, Key.Key_Minus, Key.Key_0)
    for _ in range(2):
        view.canvas.activate(view.canvas.boxes[-1].row)
        settle(view)
        assert (
            view.canvas.visible_area().adjusted(-2, -2, 2, 2).contains(view.canvas.content_area())
        )
        assert view.canvas.zoom >= view.canvas.readable_zoom
    press(view, Key.Key_Plus)
    zoom = view.canvas.zoom
    go_to(session, navigation, "main")
    settle(view)
    assert view.canvas.zoom == zoom


def test_the_active_function_is_scrolled_into_view(
    graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """A function activated in another view becomes visible, wherever the picture was."""
    view = graph_of(FAN)
    view.canvas.zoom_by(4.0)
    view.canvas.center_on(node(view, "start").area.center())
    for name in ("leaf", "main", "c"):
        go_to(session, navigation, name)
        settle(view)
        assert view.canvas.viewport().rect().contains(box_center(view, name))


@pytest.mark.parametrize("width", [500, 664, 900])
@pytest.mark.parametrize("function", ["range_sum", "cell_named", "main"])
def test_names_are_not_cut_off_at_the_left(
    width: int, function: str, graph_of: Graph, session: Session, navigation: Navigation,
    settle: Settle,
) -> None:  # fmt: skip
    """A name that begins outside of the view says nothing, and one that ends there still does.

    So a graph begins with whole boxes at its left, and the active function is whole.
    """
    view = graph_of(SHEET, (width, 286))
    go_to(session, navigation, function)
    settle(view)
    seen = view.canvas.viewport().rect()
    view.zoom(Zoom.FIT)
    areas = [view.canvas.box_rect(box).toAlignedRect() for box in range(view.canvas.box_count)]
    cut = [area for area in areas if area.intersects(seen) and area.left() < 0]

    assert cut == []
    assert seen.contains(areas[view.canvas.current])


# ---------------------------------------------------------------- menu, tips, colours


@ignore_offscreen_warnings
def test_the_menu_of_a_function_and_of_none(
    graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """A box's menu activates it and has the window's actions; the ground's has the rest."""
    view = graph_of(FAN)
    asked: list[int] = []
    view.menu_requested.connect(
        lambda menu, entry: (asked.append(entry), menu.addAction("Copy &Name"))
    )
    viewport = view.canvas.viewport()

    found = inspect_menu(context_menu_opener(viewport, box_center(view, "b")), enabled_texts)
    assert (found[0], found[-1]) == ("Go to Function\tReturn", "Copy Name")
    assert {"Fit in Window\t0", "Actual Size\t1", "Full Costs", "Copy Picture", "Copy as DOT",
            "Save Picture…"} <= set(found)  # fmt: skip
    assert asked == [function_id(session, "b")]
    empty = inspect_menu(
        context_menu_opener(viewport, QPoint(2, view.canvas.height() - 2)), enabled_texts
    )
    assert empty == found[1:-1]
    assert asked == [function_id(session, "b")]

    press(view, Key.Key_Down, Key.Key_Down)
    assert (
        inspect_menu(context_menu_opener(view.canvas), enabled_texts) == found
    )  # by its key, for the current box
    assert asked[-1] == function_id(session, "a")
    choose_action(context_menu_opener(viewport, box_center(view, "c")), "Go to Function\tReturn")
    settle(view)
    assert active_name(session, navigation) == "c"


@pytest.mark.parametrize("dark", [False, True])
def test_colours_follow_the_palette(dark: bool, graph_of: Graph) -> None:
    """Ground, boxes and letters are the palette's base, alternate base and text."""
    view = graph_of("main 10 -> f 1x90\nf 90", (400, 400))
    press(view, Key.Key_1)
    theme.apply_palette(dark=dark)
    process_events()
    image = view.canvas.viewport().grab().toImage()
    palette = QApplication.palette()
    corner = box_center(view, "f") + QPoint(30, -4)

    assert image.pixelColor(3, 3) == palette.color(QPalette.ColorRole.Base)
    assert image.pixelColor(corner) == palette.color(QPalette.ColorRole.AlternateBase)
    name = node(view, "f").area.toRect()
    name.moveCenter(box_center(view, "f"))
    inside = name.adjusted(8, 4, -8, -30)
    seen = [
        image.pixelColor(x, y).lightness()
        for x in range(inside.left(), inside.right())
        for y in range(inside.top(), inside.bottom())
    ]
    text = palette.color(QPalette.ColorRole.Text).lightness()
    assert min(abs(lightness - text) for lightness in seen) < 60
    theme.apply_palette(dark=False)


def test_the_graph_follows_the_font(graph_of: Graph, settle: Settle) -> None:
    """Boxes grow with the font."""
    view = graph_of("main 10 -> f 1x90\nf 90", (400, 400))
    before = {name: node(view, name).area for name in ("main", "f")}
    font = view.canvas.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    view.canvas.setFont(font)
    settle(view)

    for name, area in before.items():
        assert node(view, name).area.height() > 1.5 * area.height()
    assert view.canvas.picture is not None
    assert view.canvas.fonts.plain.pointSizeF() == font.pointSizeF()
