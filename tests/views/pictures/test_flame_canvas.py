"""Flame graphs and icicles: zooming, moving and scrolling the range, labels and marks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtTest import QSignalSpy, QTest

from qcachegrind_py.present.frames import FrameStyle
from qcachegrind_py.present.picture import Spot
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.views.pictures.flame_canvas import FlameCanvas
from tests.present.boxes_text import PERCENT, SHARED
from tests.profile_text import THIN
from tests.user_input import CTRL, LEFT, NONE, move_mouse
from tests.views.pictures.canvas_access import (
    box,
    current,
    exported_picture,
    exported_texts,
    fill_color,
    frame_names,
    picture_of,
    turn_wheel,
)
from tests.views.pictures.conftest import ShownCanvas

SHIFT = Qt.KeyboardModifier.ShiftModifier
PROGRAM = """
    main 10 -> f 1x60, g 1x30
    f 20 -> h 1x40
    g 30
    h 0 -> k 1x40
    k 40
"""
GAP = "\N{EN SPACE}"
CHAIN = "\n".join(f"f{n} 1 -> f{n + 1} 1x{60 - n}" for n in range(60)) + "\nf60 1"


def in_sight(canvas: FlameCanvas) -> dict[str, tuple[int, int]]:
    """Start and width of the shown cost range, to the pixel."""
    areas = {name: canvas.box_rect(box) for box, name in enumerate(frame_names(canvas))}
    return {n: (round(a.x()), round(a.width())) for n, a in areas.items() if not a.isEmpty()}


def box_center(canvas: FlameCanvas, name: str) -> QPoint:
    """The middle of a box."""
    return canvas.box_rect(box(canvas, name)).center().toPoint()


def test_zoomed_box_has_the_whole_width(shown: ShownCanvas) -> None:
    """The zoomed box and its ancestors have the whole width; siblings are out of sight."""
    canvas = shown("flame", PROGRAM)
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


def test_zooming_is_animated(shown: ShownCanvas, qtbot) -> None:  # type: ignore[no-untyped-def]
    """The range moves to the zoomed box in small steps and ends exactly there."""
    canvas = shown("flame", PROGRAM, still=False)
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


def test_ctrl_and_wheel_zoom_around_the_mouse(shown: ShownCanvas) -> None:
    """The cost under the mouse stays there, between full view and the smallest box."""
    canvas = shown("flame", PROGRAM)
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


def test_shift_and_wheel_and_sideways_move_the_range(shown: ShownCanvas) -> None:
    """A notch moves the range by a twelfth of its width; it stops at the edges."""
    canvas = shown("flame", PROGRAM)
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
def test_deep_graphs_scroll_from_the_root(shown: ShownCanvas, grows_up: bool) -> None:
    """Box 0 is visible at first and after a resize; wheel and arrow keys scroll."""
    canvas = shown("flames" if grows_up else "flame", CHAIN, "f0")
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


def test_current_box_is_scrolled_into_view(shown: ShownCanvas) -> None:
    """The range moves only as far as needed at the same zoom."""
    canvas = shown("flame", PROGRAM)
    canvas.zoom_to(box(canvas, "h"))

    canvas.set_current(box(canvas, "g"))
    assert in_sight(canvas) == {"main": (0, 700), "f": (0, 175), "g": (175, 525)}
    canvas.set_current(box(canvas, "main"))
    assert in_sight(canvas)["g"] == (175, 525), "some of it is enough of a wide one"


SLIVERS = "main 2 -> " + ", ".join(f"s{n} 1x1" for n in range(1200)) + ", big 1x1000\nbig 1000\n"
SLIVERS += "\n".join(f"s{n} 1" for n in range(1200))


def test_slivers_are_one_box_until_they_are_zoomed_to(shown: ShownCanvas) -> None:
    """The grey box is found by pointing, search and selection; a click separates the boxes."""
    canvas = shown("flame", SLIVERS)
    sliver, big = box(canvas, "s777"), canvas.box_rect(box(canvas, "big"))
    merged = canvas.box_rect(sliver)
    spot = canvas.spot_at(merged.center())
    find = canvas.picture.style.labels.nodes_containing
    colors = []
    for searched in (None, "s777", "big"):
        canvas.set_matches(None if searched is None else find(searched))
        colors.append(picture_of(canvas).pixelColor(merged.topRight().toPoint() - QPoint(9, -3)))
    canvas.set_matches(None)
    texts = exported_texts(canvas)
    QTest.mouseClick(canvas.viewport(), LEFT, NONE, QPoint(350, int(merged.center().y())))
    separate = canvas.box_rect(canvas.spot_at(QPointF(350, merged.center().y())).box).width()
    QTest.keyClick(canvas, Qt.Key.Key_Escape)

    assert spot == Spot(merged=(2, 1202))
    assert (merged.left(), merged.width()) == (round(big.right()), round(1200 / 2202 * 700))
    assert colors[0] == colors[1] != colors[2]
    assert colors[0].saturation() < 20
    assert f"1{THIN}200 functions" in "".join(texts)
    assert separate == pytest.approx(10 * 700 / 2202)
    assert canvas.box_rect(sliver) == merged


def drag(canvas: FlameCanvas, start: QPoint, stop: QPoint) -> None:
    QTest.mousePress(canvas.viewport(), LEFT, NONE, start)
    move_mouse(canvas.viewport(), (start + stop) / 2, LEFT)
    move_mouse(canvas.viewport(), stop, LEFT)
    QTest.mouseRelease(canvas.viewport(), LEFT, NONE, stop)


def test_dragging_pans(shown: ShownCanvas) -> None:
    """The picture follows the mouse in both directions; nothing is selected."""
    canvas = shown("flame", PROGRAM)
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


def test_labels_fit_their_boxes(shown: ShownCanvas) -> None:
    """Name and cost if both fit, else the name, else elided, else nothing."""
    long = "a_rather_long_name_of_a_function"
    canvas = shown("flame", f"main 2 -> {long} 1x50, g 1x45, h 1x3\n{long} 50\ng 45\nh 3")
    both = [f"main{GAP}100.00{PERCENT}", f"{long}{GAP}50.00{PERCENT}", f"g{GAP}45.00{PERCENT}"]

    assert exported_texts(canvas) == both
    canvas.resize(500, 400)
    assert exported_texts(canvas)[1] == long
    canvas.resize(200, 400)
    shown_name = exported_texts(canvas)[1]
    assert shown_name.endswith("…")
    assert long.startswith(shown_name[:-1])
    assert len(shown_name) > 5


def test_estimates_are_marked_without_colour(shown: ShownCanvas) -> None:
    """An estimate has a mark at its cost and dots under its name; an exact cost has neither."""
    canvas = shown("flame", SHARED)
    image = picture_of(canvas)

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


def test_marks_are_painted_even_on_boxes_that_are_too_narrow(shown: ShownCanvas) -> None:
    """The current box is outlined at any width, as keys and search may reach it."""
    canvas = shown("flame", "main 99999 -> f 1x1\nf 1")
    before = picture_of(canvas)
    f = box(canvas, "f")
    assert 0 < canvas.box_rect(f).width() < 0.01

    canvas.set_current(f)
    row = canvas.box_rect(f).toRect()
    after = picture_of(canvas)
    middle = row.center().y() + 1
    assert before.pixelColor(0, middle) != after.pixelColor(0, middle)
    assert in_sight(canvas)["main"] == (0, 700)


@pytest.mark.parametrize("grows_up", [False, True])
def test_an_export_has_all_rows(shown: ShownCanvas, grows_up: bool) -> None:
    """Scrolled-out rows are exported as well, from the root's edge, at the view's width."""
    canvas = shown("flames" if grows_up else "flame", CHAIN, "f0")
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


def test_another_style_is_drawn_at_once(shown: ShownCanvas) -> None:
    """Other names and number formats replace cached texts."""
    canvas = shown("flame", PROGRAM)
    assert "g" in exported_texts(canvas)[2]
    style = canvas.picture.style
    absolute = Unit("Ir", 100, wants_percent=False)
    canvas.set_box_style(FrameStyle(style.labels, absolute, style.color, style.recording_advice))
    assert [text.split()[-1] for text in exported_texts(canvas)] == ["100", "60", "30", "40", "40"]
