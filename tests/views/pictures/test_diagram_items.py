"""Boxes and arrows as they are painted: colours and patterns of changes, and parts of arrows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QImage, QPainter, QPalette

from qcachegrind_py.app.style import theme
from qcachegrind_py.present.figures import WORD_GONE, WORD_NEW
from qcachegrind_py.present.picture import Arrow, Box, Change, Detail, Line
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.views.pictures.diagram_items import (
    ArrowItem,
    BoxItem,
    DiagramFonts,
    default_line_color,
    hatching,
)
from qcachegrind_py.views.widgets.colors import arrow_color, box_color, contrast

TEXT, ALTERNATE = QPalette.ColorRole.Text, QPalette.ColorRole.AlternateBase
DOUBLED, LESS = Change(1.0, 0.5), Change(-0.1, 0.9)
FRESH, OLD = Change(0.1, 0.0, WORD_NEW), Change(-0.1, 0.0, WORD_GONE)


@pytest.mark.parametrize("dark", [False, True])
def test_texts_are_legible_on_every_change(qapp: object, dark: bool) -> None:
    """Growth is reddish, shrinkage bluish, a small one pale, and texts have contrast to all."""
    palette = theme.palette(dark)
    strengths = [step / 20 for step in range(-20, 21)]
    colors = [box_color(palette, strength, is_exact=True) for strength in strengths]

    assert all(contrast(color, palette.color(TEXT)) >= 4.5 for color in colors)
    assert colors[20] == palette.color(ALTERNATE)
    for color in colors[21:]:
        assert color.red() > color.blue()
    for color in colors[:20]:
        assert color.blue() > color.red()
    distances = [contrast(color, palette.color(ALTERNATE)) for color in colors[20:]]
    assert distances == sorted(distances)


@pytest.mark.parametrize("dark", [False, True])
def test_estimates_are_paler(qapp: object, dark: bool) -> None:
    """The change of an estimate may come from nothing, so it has half of the colour."""
    palette = theme.palette(dark)
    ground = palette.color(ALTERNATE)

    estimate, exact = (box_color(palette, 1.0, is_exact=each) for each in (False, True))

    assert 1 < contrast(estimate, ground) < contrast(exact, ground)


@pytest.mark.parametrize("dark", [False, True])
def test_arrows_are_seen_on_their_ground(qapp: object, dark: bool) -> None:
    """Arrows keep the contrast of graphics; one without a change is neutral."""
    palette = theme.palette(dark)
    neutral = palette.color(TEXT)

    assert arrow_color(palette, 0.0, neutral) == neutral
    for strength in (-1.0, -0.1, 0.1, 1.0):
        color = arrow_color(palette, strength, neutral)
        assert contrast(color, palette.color(QPalette.ColorRole.Base)) >= 2.9, strength


def box_of(change: Change | None) -> BoxItem:
    """A box of 100 x 60 pixels at (20, 20), with a full bar."""
    box = Box(0, "", "", 1.0, 100, 60, "#808080", tuple, lambda: Detail(""), change=change)
    return BoxItem(0, box, np.array([70.0, 50.0]), is_horizontal=False)


def painted(box: BoxItem, palette: QPalette) -> QImage:
    """The box on white."""
    image = QImage(140, 100, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    box.paint(painter, palette, DiagramFonts.of(QFont()), is_small=False)
    painter.end()
    return image


def pixels(image: QImage, left: int, top: int, width: int, height: int) -> set[str]:
    """The colours inside a rectangle."""
    return {
        image.pixelColor(x, y).name()
        for x in range(left, left + width)
        for y in range(top, top + height)
    }


def test_gone_boxes_are_hatched_and_only_they(qapp: object) -> None:
    """The inside of a box, away from outlines and bar, is of one colour unless it is gone."""
    palette = theme.palette(False)

    inside = {
        change: len(pixels(painted(box_of(change), palette), 40, 35, 60, 20))
        for change in (None, DOUBLED, LESS, FRESH, OLD)
    }

    assert {change for change, colors in inside.items() if colors > 1} == {OLD}


def test_new_boxes_have_a_second_outline(qapp: object) -> None:
    """On the way from the outline to the middle, a new box has one more line than others."""
    palette = theme.palette(False)

    lines = {}
    for change in (DOUBLED, FRESH):
        image = painted(box_of(change), palette)
        ground = image.pixelColor(70, 40).name()
        column = [image.pixelColor(70, y).name() == ground for y in range(21, 35)]
        lines[change] = sum(a and not b for a, b in pairwise(column))

    assert (lines[DOUBLED], lines[FRESH]) == (0, 1)


def test_bars_show_what_both_sides_have(qapp: object) -> None:
    """The bar is full in the new side, of which the base has one half."""
    palette = theme.palette(False)
    box = box_of(DOUBLED)
    image, track = painted(box, palette), box.bar_area().center()
    left, right = (image.pixelColor(int(track.x()) + dx, int(track.y())) for dx in (-20, 20))

    assert left == palette.color(QPalette.ColorRole.Highlight)
    assert right.red() > right.blue()


def test_hatching_stays_inside() -> None:
    """Lines end at the sides, so that exported pictures need no clipping."""
    area = QRectF(-30, 10, 60, 25)

    path = hatching(area)

    assert area.contains(path.boundingRect())
    assert path.elementCount() == 2 * 9  # a line every 9 pixels along both sides, 85 in all


# four curves of 300 pixels, one behind the other, that swing to and fro
WAY = np.array([(x, 60 + (20 if x % 200 else -20) * (x > 0)) for x in range(0, 1300, 100)], float)


def arrow_along(points: Float64Array, line: Line = Line.ESTIMATED) -> ArrowItem:
    """An arrow without a label."""
    arrow = Arrow(0, 1, (), 3.0, 0, 0, line, tuple, lambda: Detail(""))
    return ArrowItem(0, arrow, points, np.full(2, np.nan))


def test_only_curves_near_the_area_are_painted() -> None:
    """Stroking the rest took most of the time of painting, as arrows are longer than a window."""
    arrow = arrow_along(WAY)
    length, counts = arrow.line.length() / 4, []
    for left, right in ((0, 1200), (310, 590), (250, 350), (950, 980), (1500, 1600)):
        path, start = arrow.visible_line(QRectF(left, 0, right - left, 120))
        counts.append((path.elementCount() // 3, round(start / length, 1)))

    assert counts == [(4, 0), (1, 1), (2, 0), (1, 3), (0, 0)]
    assert arrow.visible_line(QRectF(0, 0, 1200, 120))[0] is arrow.line


@pytest.mark.parametrize("end", [(0, 90), (90, 0)])
def test_a_straight_arrow_is_visible(end: tuple[int, int]) -> None:
    """The control points of a vertical or horizontal arrow span no area."""
    path, _ = arrow_along(np.linspace((0, 0), end, 4)).visible_line(QRectF(-5, -5, 50, 50))
    assert not path.isEmpty()


@pytest.mark.parametrize("line", [Line.EXACT, Line.ESTIMATED])
def test_scrolled_parts_of_an_arrow_fit_together(qapp: object, line: Line) -> None:
    """Dashes go on across the edges of separately exposed areas."""
    whole, parts = (QImage(1200, 120, QImage.Format.Format_RGB32) for _ in range(2))
    for image, width in ((whole, 1200), (parts, 200)):
        image.fill(0xFFFFFFFF)
        for left in range(0, 1200, width):
            painter, area = QPainter(image), QRectF(left, 0, width, 120)
            painter.setClipRect(area)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            arrow_along(WAY, line).paint(painter, QPalette(), area, 1.0)
            painter.end()

    a, b = (np.frombuffer(image.constBits(), np.uint8).astype(int) for image in (whole, parts))
    assert (a != 255).any()
    assert np.abs(a - b).max() <= 40, "only the rounding of dash lengths differs"


def test_lines_are_opaque(qapp: object) -> None:
    """Qt takes four times as long for a translucent line."""
    palette = QPalette()
    assert default_line_color(palette).alpha() == 255
    assert palette.color(TEXT) != default_line_color(palette)


def test_the_head_ends_the_arrow() -> None:
    """The curves end at the foot of the head, so that a thick line does not cover its tip."""
    arrow = arrow_along(WAY)
    assert arrow.head[0] == QPointF(*WAY[-1])
    assert arrow.line.currentPosition() == (arrow.head[1] + arrow.head[2]) / 2
    assert arrow.bounds.contains(arrow.line.boundingRect())
