"""Flame graphs and icicles: layout, mouse and keyboard, painting."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QProxyStyle, QStyle

from qcachegrind_py.analysis.calls.frame_tree import build_frame_tree
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.app.style import theme
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.frames import FrameStyle
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.views.boxes.flame_canvas import FlameCanvas
from tests.profile_text import EXAMPLE, WHOLE_SCOPE, queries_for
from tests.user_input import CTRL, LEFT, NONE, process_events
from tests.views.boxes.canvas_access import (
    box,
    current,
    exported_picture,
    exported_texts,
    fill_color,
    frame_names,
    frame_tree_of,
    turn_wheel,
)

SHIFT = Qt.KeyboardModifier.ShiftModifier
WIDTH, HEIGHT = 700, 400
PROGRAM = """
    main 10 -> f 1x60, g 1x30
    f 20 -> h 1x40
    g 30
    h 0 -> k 1x40
    k 40
"""
SHARED = """
    main 0 -> f 1x60, g 1x40
    f 10 -> h 1x50
    g 10 -> h 1x30
    h 20 -> k 1x60
    k 60
"""
GAP, PERCENT = "\N{EN SPACE}", "\N{THIN SPACE}%"
Shown = Callable[..., FlameCanvas]


class StillStyle(QProxyStyle):
    """A widget style without animations."""

    def styleHint(self, hint, *rest):  # type: ignore[no-untyped-def]  # noqa: N802
        if hint == QStyle.StyleHint.SH_Widget_Animation_Duration:
            return 0
        return super().styleHint(hint, *rest)


@pytest.fixture
def shown(tmp_path: Path, show_view: Callable[[FlameCanvas], FlameCanvas]) -> Shown:
    """Show the boxes of a profile below `main` in 700x400 pixels, without animation."""

    def shown(
        drawing: str | Path, *, grows_up: bool = False, root: str = "main", still: bool = True
    ) -> FlameCanvas:
        path = isinstance(drawing, Path)
        queries = ProfileQueries(load(drawing)) if path else queries_for(tmp_path, drawing)
        canvas = FlameCanvas("Flame graph", grows_up=grows_up)
        if still:
            canvas.still = StillStyle("fusion")
            canvas.setStyle(canvas.still)
        canvas.set_boxes(frame_tree_of(queries, root), style_of(queries))
        return show_view(canvas)

    return shown


def style_of(queries: ProfileQueries) -> FrameStyle:
    """Percentages, and a colour for each function."""
    event = queries.events.measured[0]
    return FrameStyle(
        queries.labels(WHOLE_SCOPE),
        Unit(event.name, queries.total(event, ALL_PARTS).base),
        lambda node: QColor.fromHsv(node * 47 % 360, 90 + node * 7 % 60, 160 + node % 90).name(),
        lambda _callers: "",
    )


def in_sight(canvas: FlameCanvas) -> dict[str, tuple[int, int]]:
    """Start and width of the shown cost range, to the pixel."""
    areas = {name: canvas.box_rect(box) for box, name in enumerate(frame_names(canvas))}
    return {n: (round(a.x()), round(a.width())) for n, a in areas.items() if not a.isEmpty()}


def box_center(canvas: FlameCanvas, name: str) -> QPoint:
    """The middle of a box."""
    return canvas.box_rect(box(canvas, name)).center().toPoint()


def picture(canvas: FlameCanvas) -> QImage:
    """The picture of the viewport."""
    image = QImage(canvas.viewport().size(), QImage.Format.Format_RGB32)
    canvas.viewport().render(image)
    return image


def base(canvas: FlameCanvas) -> QColor:
    return canvas.palette().color(QPalette.ColorRole.Base)


def drag(canvas: FlameCanvas, start: QPoint, stop: QPoint) -> None:
    QTest.mousePress(canvas.viewport(), LEFT, NONE, start)
    QTest.mouseMove(canvas.viewport(), (start + stop) / 2)
    QTest.mouseMove(canvas.viewport(), stop)
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, stop)


# ---------------------------------------------------------------- layout


def test_box_geometry(shown: Shown) -> None:
    """A box's row is its depth, from the top or the bottom; its width is its cost's share."""
    icicle, flames = shown(PROGRAM), shown(PROGRAM, grows_up=True)
    row = icicle.box_rect(0).height()

    columns = {"main": (0, 700), "f": (0, 420), "g": (420, 210), "h": (0, 280), "k": (0, 280)}
    assert (in_sight(icicle), in_sight(flames)) == (columns, columns)
    depths = {"main": 0, "f": 1, "g": 1, "h": 2, "k": 3}
    tops = {name: icicle.box_rect(box(icicle, name)).top() for name in depths}
    assert tops == {name: depth * row for name, depth in depths.items()}
    bottoms = {name: flames.box_rect(box(flames, name)).bottom() for name in depths}
    assert bottoms == {name: HEIGHT - depth * row for name, depth in depths.items()}
    icicle.set_grows_up(True)
    assert icicle.box_rect(3) == flames.box_rect(3)


def test_areas_of_a_real_profile_are_its_costs(shown: Shown) -> None:
    """Each box is as wide as its share to within a pixel, and lies in its parent."""
    canvas = shown(EXAMPLE)
    boxes = canvas.tree
    areas = [canvas.box_rect(box) for box in range(len(boxes))]

    shares = boxes.cost / boxes.cost[0] * canvas.viewport().width()
    assert len(boxes) > 500
    assert max(abs(a.width() - s) for a, s in zip(areas, shares, strict=True)) < 1
    around = [areas[parent] for parent in boxes.parent[1:]]
    outside = [
        (a.left(), a.right())
        for a, b in zip(areas[1:], around, strict=True)
        if a.left() < b.left() - 1e-6 or a.right() > b.right() + 1e-6
    ]
    assert outside == []


@pytest.mark.parametrize("grows_up", [False, True])
def test_each_pixel_shows_the_box_that_covers_its_middle(shown: Shown, grows_up: bool) -> None:
    """Painting and hit testing agree: in full view, zoomed and scrolled."""
    canvas = shown(EXAMPLE, grows_up=grows_up)
    canvas.resize(500, 150)
    boxes = canvas.tree
    for zoomed, scrolled in ((0, 0), (2, 40), (int(boxes.first_child[1]), 1000)):
        canvas.zoom_to(zoomed)
        canvas.verticalScrollBar().setValue(scrolled)
        image, width = picture(canvas), canvas.viewport().width()
        scale = width / boxes.width[zoomed]
        left = (boxes.start - boxes.start[zoomed]) * scale
        right = left + boxes.width * scale
        around = set(boxes.path(zoomed)[:-1])
        odd = []
        for depth in range(boxes.level_count):
            (first, *_) = np.flatnonzero(boxes.depth == depth).tolist()
            y = row_top(canvas, first, grows_up) + 2  # above all letters
            if not 0 <= y < image.height():
                continue
            for x in range(width):
                covers = (boxes.depth == depth) & (left <= x + 0.5) & (x + 0.5 < right)
                (wanted,) = np.flatnonzero(covers).tolist() or [-1]
                found = canvas.box_at(QPointF(x, y))
                seen = image.pixelColor(x, y)
                is_gap = seen == base(canvas) and (wanted < 0 or x + 1.5 >= right[wanted])
                is_filled = wanted in around or (wanted >= 0 and seen == fill_color(canvas, wanted))
                if found != wanted or not (is_gap or is_filled):
                    odd.append((zoomed, depth, x, wanted, found, seen.name()))
        assert odd == []


def row_top(canvas: FlameCanvas, box: int, grows_up: bool) -> int:
    """The top of a box's row, computed independently."""
    height, depth = round(1.5 * canvas.fontMetrics().height()), int(canvas.tree.depth[box])
    scrolled = canvas.verticalScrollBar().value()
    if not grows_up:
        return depth * height - scrolled
    content = max(canvas.viewport().height(), height * canvas.tree.level_count)
    return content - (depth + 1) * height - scrolled


@pytest.mark.parametrize("grows_up", [False, True])
def test_box_at_and_area_of_are_inverse(shown: Shown, grows_up: bool) -> None:
    """Every pixel row of a box's area hits the box; outside, nothing is hit."""
    canvas = shown(EXAMPLE, grows_up=grows_up)
    for zoomed in (0, 3, 40):
        canvas.zoom_to(zoomed)
        areas = {box: canvas.box_rect(box) for box in range(len(canvas.tree))}
        wide = {box: area for box, area in areas.items() if area.width() >= 1}
        for y in (0, 10, 20):
            places = {b: QPointF(a.center().x(), a.top() + y) for b, a in wide.items()}
            assert {b: canvas.box_at(box_center) for b, box_center in places.items()} == {
                b: b for b in wide
            }
    far = QPointF(5, 1 if grows_up else canvas.viewport().height() - 1)
    outside = [QPointF(-1, 5), QPointF(canvas.viewport().width(), 5), QPointF(5, -1), far]
    assert [canvas.box_at(box_center) for box_center in outside] == [-1] * 4


# ---------------------------------------------------------------- zooming, moving, scrolling


def test_zoomed_box_has_the_whole_width(shown: Shown) -> None:
    """The zoomed box and its ancestors have the whole width; siblings are out of sight."""
    canvas = shown(PROGRAM)
    changes = QSignalSpy(canvas.current_changed)

    canvas.zoom_to(box(canvas, "f"))
    assert in_sight(canvas) == {"main": (0, 700), "f": (0, 700), "h": (0, 467), "k": (0, 467)}
    canvas.zoom_to(box(canvas, "g"))
    assert in_sight(canvas) == {"main": (0, 700), "g": (0, 700)}
    canvas.zoom_to(box(canvas, "k"))
    assert (canvas.zoom_root, changes.count()) == (box(canvas, "k"), 3)
    zooms = []
    for _ in range(4):
        canvas.zoom_out()
        zooms.append((frame_names(canvas)[canvas.zoom_root], in_sight(canvas)["main"]))
    assert [name for name, _ in zooms] == ["f", "main", "main", "main"], "h is as wide as k"


def test_zooming_is_animated(shown: Shown, qtbot) -> None:  # type: ignore[no-untyped-def]
    """The range moves to the zoomed box in small steps and ends exactly there."""
    canvas = shown(PROGRAM, still=False)
    g = box(canvas, "g")
    before = canvas.box_rect(g).width()

    canvas.zoom_to(g)
    assert (canvas.zoom_root, canvas.box_rect(g).width() < 700) == (g, True)
    qtbot.waitUntil(lambda: canvas.box_rect(g).width() == 700)
    assert (before, canvas.box_rect(g).x()) == (210, 0)
    canvas.zoom_to(0)
    turn_wheel(canvas, QPointF(0, 5), y=120, keys=CTRL)
    ends = in_sight(canvas)
    qtbot.wait(150)
    assert (ends["f"], in_sight(canvas)) == ((0, 525), ends), "the wheel has the last word"


def test_ctrl_and_wheel_zoom_around_the_mouse(shown: Shown) -> None:
    """The cost under the mouse stays there, between full view and the smallest box."""
    canvas = shown(PROGRAM)
    at = QPointF(490, 5)  # at a third of g's width
    area = QRectF(canvas.box_rect(box(canvas, "g")))

    turn_wheel(canvas, at, y=240, keys=CTRL)
    zoomed = canvas.box_rect(box(canvas, "g"))
    assert zoomed.width() == pytest.approx(min(area.width() * 1.25**2, 700 - zoomed.x()))
    assert (at.x() - zoomed.x()) / 1.25**2 == pytest.approx(at.x() - area.x())
    turn_wheel(canvas, at, y=120 * 40, keys=CTRL)
    assert in_sight(canvas) == {"main": (0, 700), "f": (0, 257), "g": (257, 443)}
    for _ in range(60):
        turn_wheel(canvas, at, y=-120, keys=CTRL)
    assert (in_sight(canvas)["g"], canvas.zoom_root) == ((420, 210), 0)


def test_shift_and_wheel_and_sideways_move_the_range(shown: Shown) -> None:
    """A notch moves the range by a twelfth of its width; it stops at the edges."""
    canvas = shown(PROGRAM)
    at = QPointF(350, 50)
    canvas.zoom_to(box(canvas, "f"))

    turn_wheel(canvas, at, y=-120, keys=SHIFT)
    assert in_sight(canvas)["f"] == (0, 642)
    turn_wheel(canvas, at, x=-120)
    assert (in_sight(canvas)["f"], canvas.zoom_root) == ((0, 583), 0)
    turn_wheel(canvas, at, x=120 * 50)
    assert (in_sight(canvas)["f"], canvas.zoom_root) == ((0, 700), box(canvas, "f"))
    turn_wheel(canvas, at, y=-120 * 50, keys=SHIFT)
    assert in_sight(canvas) == {"main": (0, 700), "f": (0, 233), "g": (233, 350)}
    canvas.zoom_to(box(canvas, "g"))
    for turned in [-77] * 5 + [77] * 5:
        turn_wheel(canvas, at, x=turned)
    assert frame_names(canvas)[canvas.zoom_root] == "g", "though floats are not exact"


@pytest.mark.parametrize("grows_up", [False, True])
def test_deep_graphs_scroll_from_the_root(shown: Shown, grows_up: bool) -> None:
    """Box 0 is visible at first and after a resize; wheel and arrow keys scroll."""
    chain = "\n".join(f"f{n} 1 -> f{n + 1} 1x{60 - n}" for n in range(60)) + "\nf60 1"
    canvas = shown(chain, grows_up=grows_up, root="f0")
    view, inwards = canvas.viewport(), Qt.Key.Key_Up if grows_up else Qt.Key.Key_Down

    def edge(box: int) -> float:
        """How far a box is from the edge where the root is at first."""
        area = canvas.box_rect(box)
        assert not area.isEmpty()
        return view.height() - area.bottom() if grows_up else area.top()

    assert edge(0) == 0
    canvas.resize(700, 300)
    assert edge(0) == 0
    at = QPointF(300, 100)
    turn_wheel(canvas, at, y=120 if grows_up else -120)
    assert canvas.box_rect(0).isEmpty()
    canvas.resize(700, 350)
    canvas.set_current(0)
    assert edge(0) == 0, "no further than needed"
    for _ in range(60):
        QTest.keyClick(canvas, inwards)
    last = canvas.box_rect(60)
    row = canvas.box_rect(60).height()
    assert (current(canvas), last.height(), edge(60)) == ("f60", row, view.height() - row)
    canvas.zoom_to(1)
    assert (edge(1), canvas.box_rect(1).height()) == (0, row)


def test_current_box_is_scrolled_into_view(shown: Shown) -> None:
    """The range moves only as far as needed at the same zoom; a click moves nothing."""
    canvas = shown(PROGRAM)
    canvas.zoom_to(box(canvas, "h"))

    canvas.set_current(box(canvas, "g"))
    assert in_sight(canvas) == {"main": (0, 700), "f": (0, 175), "g": (175, 525)}
    canvas.set_current(box(canvas, "main"))
    assert in_sight(canvas)["g"] == (175, 525), "some of it is enough of a wide one"
    canvas.zoom_to(box(canvas, "h"))
    turn_wheel(canvas, QPointF(9, 9), x=-120)
    before = in_sight(canvas)
    QTest.mouseClick(canvas.viewport(), LEFT, NONE, box_center(canvas, "k"))
    assert (current(canvas), in_sight(canvas)) == ("k", before)


# ---------------------------------------------------------------- keyboard and mouse


@pytest.mark.parametrize("grows_up", [False, True])
def test_arrow_keys_go_where_boxes_are(shown: Shown, grows_up: bool) -> None:
    """If the graph grows up, Up goes to callees; keys may leave the zoomed box."""
    canvas = shown(PROGRAM, grows_up=grows_up)
    out, inwards = Qt.Key.Key_Up, Qt.Key.Key_Down
    if grows_up:
        out, inwards = inwards, out
    left, right = Qt.Key.Key_Left, Qt.Key.Key_Right

    def walk(*keys: Qt.Key) -> str:
        went = []
        for key in keys:
            QTest.keyClick(canvas, key)
            went.append(current(canvas))
        return " ".join(went)

    assert walk(left, left, right, inwards) == "main main main f"
    assert walk(right, right, left, left, inwards, inwards, inwards) == "g g f f h k k"
    canvas.zoom_to(box(canvas, "h"))
    assert walk(out, out, out, out, inwards, right) == "h f main main f g"


def test_keys_zoom_and_activate(shown: Shown) -> None:
    """Plus zooms to the current box, minus and 0 zoom out, Return activates its function."""
    canvas = shown(PROGRAM)
    activated = QSignalSpy(canvas.activated)
    canvas.set_current(box(canvas, "h"))
    zooms = []
    for key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_Plus, Qt.Key.Key_0):
        QTest.keyClick(canvas, key)
        zooms.append(frame_names(canvas)[canvas.zoom_root])
    QTest.keyClick(canvas, Qt.Key.Key_Return)

    h = int(canvas.tree.node[box(canvas, "h")])
    assert (zooms, current(canvas)) == (["h", "f", "h", "main"], "h")
    assert [activated.at(n) for n in range(activated.count())] == [[h]]


def test_a_click_chooses_and_a_double_click_goes(shown: Shown) -> None:
    """Releasing the button makes a box current, even after a tiny move."""
    canvas = shown(PROGRAM)
    chosen, gone = QSignalSpy(canvas.selected), QSignalSpy(canvas.activated)
    node = {name: int(canvas.tree.node[box(canvas, name)]) for name in "fgh"}
    view = canvas.viewport()

    QTest.mouseClick(view, LEFT, NONE, box_center(canvas, "g"))
    drag(canvas, box_center(canvas, "h"), box_center(canvas, "h") + QPoint(3, 2))
    QTest.mouseClick(view, LEFT, NONE, QPoint(650, 350))
    QTest.mouseClick(view, LEFT, NONE, box_center(canvas, "f"))
    QTest.mouseDClick(view, LEFT, NONE, box_center(canvas, "f"))
    assert [chosen.at(n)[0] for n in range(chosen.count())] == [node[n] for n in "ghf"]
    assert [gone.at(n)[0] for n in range(gone.count())] == [node["f"]]
    assert current(canvas) == "f", "and nothing is chosen beside the boxes"


def test_dragging_pans(shown: Shown) -> None:
    """The picture follows the mouse in both directions; nothing is selected."""
    canvas = shown(PROGRAM)
    canvas.resize(700, 50)
    canvas.zoom_to(box(canvas, "g"))
    canvas.verticalScrollBar().setValue(0)
    chosen = QSignalSpy(canvas.selected)
    width = canvas.viewport().width()

    drag(canvas, QPoint(20, 40), QPoint(300, 30))
    area = canvas.box_rect(box(canvas, "g"))
    assert (round(area.x()), round(area.right())) == (280, width)
    assert (canvas.verticalScrollBar().value(), canvas.current, chosen.count()) == (10, -1, 0)
    assert canvas.viewport().cursor().shape() == Qt.CursorShape.ArrowCursor
    drag(canvas, QPoint(600, 20), QPoint(20, 20))
    assert round(canvas.box_rect(box(canvas, "g")).width()) == round(width * 2 / 3), "the edge"


# ---------------------------------------------------------------- painting


def test_labels_fit_their_boxes(shown: Shown) -> None:
    """Name and cost if both fit, else the name, else elided, else nothing."""
    long = "a_rather_long_name_of_a_function"
    canvas = shown(f"main 2 -> {long} 1x50, g 1x45, h 1x3\n{long} 50\ng 45\nh 3")
    both = [f"main{GAP}100.00{PERCENT}", f"{long}{GAP}50.00{PERCENT}", f"g{GAP}45.00{PERCENT}"]

    assert exported_texts(canvas) == both
    canvas.resize(500, HEIGHT)
    assert exported_texts(canvas)[1] == long
    canvas.resize(200, HEIGHT)
    shown_name = exported_texts(canvas)[1]
    assert shown_name.endswith("…")
    assert long.startswith(shown_name[:-1])
    assert len(shown_name) > 5


def test_hostile_names_are_plain_text_within_their_boxes(shown: Shown, draw) -> None:  # type: ignore[no-untyped-def]
    """Markup, mnemonics, line breaks and direction marks have no effect; nothing overflows."""
    hostile = ["<b>bold</b>", "a&b", "tab\there", "\u202egnp", "<img src=x>" * 2000, "x" * 100_000]
    path = draw("main 1")
    calls = "".join(f"cfn={name}\ncalls=1 1\n1 10\n" for name in hostile)
    functions = "".join(f"fn={name}\n1 10\n" for name in hostile)
    path.write_text(f"events: Ir\n\nfl=a.c\nfn=main\n1 40\n{calls}{functions}", encoding="utf-8")
    canvas = shown(path)
    canvas.resize(1000, 80)

    drawn = [text.partition(GAP)[0] for text in exported_texts(canvas)]
    assert sorted(drawn[1:4]) == ["<b>bold</b>", "a&b", r"tab\x09here"]
    assert drawn[4] == r"\u202egnp"
    assert [(text[:5], text[-1]) for text in drawn[5:]] == [("<img ", "…"), ("xxxxx", "…")]
    image, row = picture(canvas), round(canvas.box_rect(1).height())
    beside = QRectF(600, row, 400, row).toRect()
    colors = {image.pixelColor(x, y).name() for x in range(602, 999) for y in range(row, 2 * row)}
    assert (colors, canvas.box_at(QPointF(beside.center()))) == ({base(canvas).name()}, -1)


def test_estimates_are_marked_without_colour(shown: Shown) -> None:
    """An estimate has a mark at its cost and dots under its name; an exact cost has neither."""
    canvas = shown(SHARED)
    image = picture(canvas)

    def is_dotted(box: int) -> bool:
        area = canvas.box_rect(box).toRect()
        rows = range(area.bottom() - 3, area.bottom())
        columns = range(area.left() + 60, area.right() - 5)
        return any(image.pixelColor(x, y) != fill_color(canvas, box) for x in columns for y in rows)

    exact = [True, True, True, True, True, False, False]
    assert canvas.tree.is_exact.tolist() == exact
    assert [is_dotted(box) for box in range(7)] == [not known for known in exact]
    assert ["≈" in text for text in exported_texts(canvas) if "%" in text] == [
        not known for known in exact
    ]


@pytest.mark.parametrize("dark", [False, True])
def test_boxes_have_their_colours(shown: Shown, dark: bool) -> None:
    """Full, pale for estimates, faint beside search matches; each palette is followed."""
    canvas = shown(SHARED)
    picture(canvas)
    theme.apply_palette(dark)
    process_events()
    assert (base(canvas).lightness() < 128) == dark

    def seen() -> list[QColor]:
        image = picture(canvas)
        places = [canvas.box_rect(box).topLeft().toPoint() for box in range(len(canvas.tree))]
        return [image.pixelColor(box_center + QPoint(3, 1)) for box_center in places]

    every = [fill_color(canvas, box) for box in range(len(canvas.tree))]
    assert seen() == every
    matches = np.zeros(len(canvas.picture.style.labels), bool)
    matches[canvas.tree.node[box(canvas, "h")]] = True
    canvas.set_matches(matches)
    expected = [fill_color(canvas, box) for box in range(len(canvas.tree))]
    changed = [old != new for old, new in zip(every, expected, strict=True)]
    assert (seen(), changed) == (expected, [name != "h" for name in frame_names(canvas)])
    canvas.set_matches(None)
    assert seen() == every
    canvas.zoom_to(box(canvas, "f"))
    greyer = seen()[0]
    assert greyer.hsvSaturationF() < every[0].hsvSaturationF(), "around the zoomed box"


def test_the_boxes_of_a_function_are_marked(shown: Shown) -> None:
    """All visible boxes of the function are outlined; of those in one pixel, only one."""
    functions = range(600)
    calls = ", ".join(f"f{n} 1x{600 - n}" for n in functions)
    each = "\n".join(f"f{n} 0 -> k 1x{600 - n}" for n in functions)
    canvas = shown(f"main 0 -> {calls}\n{each}\nk {sum(range(601))}")
    canvas.zoom_to(600)
    k = int(canvas.tree.node[1200])
    before = picture(canvas)

    canvas.highlight(k)
    after, row = picture(canvas), round(canvas.box_rect(0).height())
    changed = [before.pixel(5, y * row + 1) != after.pixel(5, y * row + 1) for y in range(4)]
    assert changed == [False, False, True, False]
    assert canvas.visible_boxes(canvas.tree.frames_of(k)).tolist() == [1200]
    canvas.zoom_to(0)
    columns = {round(canvas.box_rect(box).x()) for box in canvas.tree.frames_of(k)}
    assert len(canvas.visible_boxes(canvas.tree.frames_of(k))) == len(columns)
    canvas.resize(700, row)
    assert canvas.visible_boxes(canvas.tree.frames_of(k)).tolist() == []


def test_marks_are_painted_even_on_boxes_that_are_too_narrow(shown: Shown) -> None:
    """The current box is outlined at any width, as keys and search may reach it."""
    canvas = shown("main 99999 -> f 1x1\nf 1")
    before = picture(canvas)
    f = box(canvas, "f")
    assert 0 < canvas.box_rect(f).width() < 0.01

    canvas.set_current(f)
    row = canvas.box_rect(f).toRect()
    after = picture(canvas)
    middle = row.center().y() + 1
    assert before.pixelColor(0, middle) != after.pixelColor(0, middle)
    assert in_sight(canvas)["main"] == (0, 700)


@pytest.mark.parametrize("grows_up", [False, True])
def test_an_export_has_all_rows(shown: Shown, grows_up: bool) -> None:
    """Scrolled-out rows are exported as well, from the root's edge, at the view's width."""
    chain = "\n".join(f"f{n} 1 -> f{n + 1} 1x{60 - n}" for n in range(60)) + "\nf60 1"
    canvas = shown(chain, grows_up=grows_up, root="f0")
    row = round(canvas.box_rect(0).height())
    canvas.verticalScrollBar().setValue(77)
    canvas.set_current(5)

    image = exported_picture(canvas)
    assert (image.width(), image.height()) == (canvas.viewport().width(), 61 * row)
    tops = [(60 - n if grows_up else n) * row for n in range(61)]
    assert [image.pixelColor(3, top + 1) for top in tops] == [
        fill_color(canvas, n) for n in range(61)
    ]
    assert sum(text.startswith("f") for text in exported_texts(canvas)) == 59, "two have no room"


def test_another_style_is_drawn_at_once(shown: Shown, tmp_path: Path) -> None:
    """Other names and number formats replace cached texts."""
    canvas = shown(PROGRAM)
    assert "g" in exported_texts(canvas)[2]
    style = canvas.picture.style
    absolute = Unit("Ir", 100, wants_percent=False)
    canvas.set_box_style(FrameStyle(style.labels, absolute, style.color, style.recording_advice))
    assert [text.split()[-1] for text in exported_texts(canvas)] == ["100", "60", "30", "40", "40"]


# ---------------------------------------------------------------- unusual profiles


def test_empty_graph(shown: Shown, tmp_path: Path) -> None:
    """Without boxes the picture is empty, and keys and mouse do nothing."""
    canvas = shown(PROGRAM)
    queries = queries_for(tmp_path, "main 5")
    empty = build_frame_tree(queries.accounted_calls(queries.events.measured[0], WHOLE_SCOPE), [])
    for act in (lambda: canvas.set_boxes(empty, style_of(queries)), canvas.clear):
        act()
        image = picture(canvas)
        assert {image.pixelColor(x, 5).name() for x in range(WIDTH)} == {base(canvas).name()}
        for key in (Qt.Key.Key_Down, Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_0):
            QTest.keyClick(canvas, key)
        turn_wheel(canvas, QPointF(5, 5), y=120, keys=CTRL)
        turn_wheel(canvas, QPointF(5, 5), y=120, keys=SHIFT)
        drag(canvas, QPoint(5, 5), QPoint(300, 50))
        QTest.mouseClick(canvas.viewport(), LEFT, NONE, QPoint(5, 5))
        canvas.zoom_to(0)
        assert (canvas.current, canvas.box_at(QPointF(5, 5)), canvas.box_rect(0)) == (
            -1,
            -1,
            QRectF(),
        )
        assert exported_picture(canvas).height() == 1


def test_a_single_box_fills_its_row(shown: Shown) -> None:
    """A leaf function is a single box, and every key stays there."""
    canvas = shown("main 7")
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Plus):
        QTest.keyClick(canvas, key)
    assert (current(canvas), in_sight(canvas)) == ("main", {"main": (0, 700)})


def test_fifty_thousand_callees(shown: Shown, tmp_path: Path) -> None:
    """Subpixel boxes share pixels, each of which shows one; every box can be zoomed to."""
    path = tmp_path / "many.out"
    calls = "".join(f"cfn=f{n}\ncalls=1 1\n1 {50_000 - n}\n" for n in range(50_000))
    bodies = "".join(f"fn=f{n}\n1 {50_000 - n}\n" for n in range(50_000))
    path.write_text(f"events: Ir\n\nfl=a.c\nfn=main\n1 0\n{calls}{bodies}")
    canvas = shown(path)
    boxes = canvas.tree
    assert len(boxes) == 50_001

    image, row = picture(canvas), round(canvas.box_rect(0).height())
    found = [canvas.box_at(QPointF(x, row + 2)) for x in range(WIDTH)]
    assert len(set(found)) == WIDTH
    assert [image.pixelColor(x, row + 2) for x in range(WIDTH)] == [
        fill_color(canvas, b) for b in found
    ]
    canvas.zoom_to(50_000)
    assert (exported_texts(canvas)[1][:6], canvas.box_rect(50_000).width()) == ("f49999", WIDTH)
    canvas.set_current(1)
    zooms = []
    for _ in range(2):
        canvas.zoom_out()
        zooms.append((canvas.zoom_root, round(canvas.box_rect(1).width(), 3)))
    assert zooms == [(1, WIDTH), (0, round(50_000 / (50_000 * 50_001 / 2) * WIDTH, 3))]


def test_costs_of_two_to_the_62nd(shown: Shown) -> None:
    """The largest costs are drawn and zoomed like others."""
    most = 2**62
    canvas = shown(f"main 0 -> f 1x{most // 2}, g 1x{most // 2}\nf {most // 2}\ng {most // 2}")

    assert in_sight(canvas) == {"main": (0, 700), "f": (0, 350), "g": (350, 350)}
    canvas.zoom_to(box(canvas, "g"))
    turn_wheel(canvas, QPointF(350, 5), y=1200, keys=CTRL)
    assert in_sight(canvas) == {"main": (0, 700), "g": (0, 700)}
    assert exported_texts(canvas)[1].split()[0] == "g"


def test_a_cycle_is_one_box_with_its_members_in_it(shown: Shown) -> None:
    """Recursion goes no deeper than the members."""
    canvas = shown("main 1 -> a 1x99\na 59 -> b 1x40\nb 40 -> a 1x30")
    members = {"a <cycle 1>": (0, 413), "b <cycle 1>": (413, 280)}
    assert in_sight(canvas) == {"main": (0, 700), "<cycle 1>": (0, 693), **members}


def test_clear_frees_the_profile(shown: Shown) -> None:
    """Clearing, even during a drag, drops all references to names and arrays."""
    canvas = shown(PROGRAM)
    picture(canvas)
    labels = weakref.ref(canvas.picture.style.labels)
    QTest.mousePress(canvas.viewport(), LEFT, NONE, QPoint(20, 20))
    QTest.mouseMove(canvas.viewport(), QPoint(90, 20))
    canvas.clear()
    QTest.mouseMove(canvas.viewport(), QPoint(120, 20))
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, QPoint(120, 20))
    gc.collect()
    assert (labels(), canvas.current, canvas.viewport().cursor().shape()) == (
        None,
        -1,
        Qt.CursorShape.ArrowCursor,
    )


def test_new_boxes_reset_the_view(shown: Shown) -> None:
    """All are in sight and none is current, not even the hovered one."""
    canvas = shown(PROGRAM)
    canvas.zoom_to(box(canvas, "g"))
    canvas.set_current(box(canvas, "g"))
    QTest.mousePress(canvas.viewport(), LEFT, NONE, QPoint(20, 5))
    canvas.set_boxes(canvas.tree, canvas.picture.style)
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, QPoint(20, 5))
    assert (canvas.current, canvas.zoom_root, in_sight(canvas)["g"]) == (-1, 0, (420, 210))
