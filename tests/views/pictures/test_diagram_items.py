"""Boxes and arrows of a comparison: colours, hatching, outlines and bars."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QImage, QPainter, QPalette

from qcachegrind_py.app.style import theme
from qcachegrind_py.present.figures import WORD_GONE, WORD_NEW
from qcachegrind_py.present.picture import Box, Change, Detail
from qcachegrind_py.views.pictures.diagram_items import BoxItem, hatching
from qcachegrind_py.views.pictures.fonts import DiagramFonts
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
