"""What is seen in pictures: the least contrasts of texts, outlines and bars, in light and dark."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPalette

from qcachegrind_py.app.style import theme
from qcachegrind_py.present.frames import CHANGE_LEVELS, IS_AROUND, IS_ESTIMATE, IS_FADED
from qcachegrind_py.present.picture import Box, BoxLine, Detail
from qcachegrind_py.views.pictures.box_canvas import (
    MERGED,
    MERGED_FADED,
    BoxColors,
    level_color,
    text_color,
)
from qcachegrind_py.views.pictures.diagram_items import BoxItem, DiagramFonts
from qcachegrind_py.views.widgets.colors import contrast
from tests.present.boxes_text import boxes_of

TEXTS, GRAPHICS = 4.5, 3.0  # the least contrasts by WCAG 2: rules 1.4.3 and 1.4.11
KINDS = (0, IS_ESTIMATE, IS_FADED, IS_AROUND)
# 200 functions, each of which has its own hue
FUNCTIONS = [f"f{n}" for n in range(200)]
PROGRAM = "\n".join(
    ["main 10 -> " + ", ".join(f"{name} 1x10" for name in FUNCTIONS)]
    + [f"{name} 10" for name in FUNCTIONS]
)
both_themes = pytest.mark.parametrize("dark", [False, True])


@both_themes
def test_texts_and_outlines_are_seen_on_boxes_of_any_colour(qapp: object, dark: bool) -> None:
    """In flame graphs and maps outlines have the colour of texts: exact or not, faded or not."""
    palette, picture = theme.palette(dark), boxes_of(PROGRAM)
    colors = BoxColors(picture, palette)
    keys = [key + kind for key in picture.color_keys(None).tolist() for kind in KINDS]
    fills = {colors[key].name(): colors.ink(key) for key in (*keys, MERGED, MERGED_FADED)}
    for level in range(-CHANGE_LEVELS, CHANGE_LEVELS + 1):
        fills[level_color(level, palette).name()] = text_color(level_color(level, palette))

    assert len(fills) > 400
    assert min(contrast(QColor(fill), ink) for fill, ink in fills.items()) >= TEXTS


def painted(palette: QPalette, line: BoxLine, color: str = "#808080", **marks: object) -> QImage:
    """A box of a diagram of 200 x 80 pixels at (10, 10), with a bar to its middle and a line."""
    no_tip, detail = tuple, Detail("")
    part = Box(1, "", "", 0, 0, 0, color, no_tip, lambda: detail)
    box = Box(
        0, "", "", 0.5, 200, 80, color, no_tip, lambda: detail, lines=(line,), parts=(part,)
    )  # fmt: skip
    item = BoxItem(0, box, np.array([110.0, 50.0]), is_horizontal=False)
    for name, value in marks.items():
        setattr(item, name, value)
    image = QImage(220, 100, QImage.Format.Format_RGB32)
    image.fill(palette.color(QPalette.ColorRole.Base))
    painter = QPainter(image)
    item.paint(painter, palette, DiagramFonts.of(QFont()), is_small=False)
    painter.end()
    return image


@both_themes
def test_boxes_of_diagrams_are_seen_on_the_ground(qapp: object, dark: bool) -> None:
    """Their outline is all that tells them from it, and the end of a bar is seen in its track."""
    palette, outlines = theme.palette(dark), []
    picture = boxes_of(PROGRAM)
    for node in picture.tree.node.tolist():
        image = painted(palette, BoxLine(1, "", ""), picture.style.color(node))
        outlines.append(contrast(image.pixelColor(110, 10), image.pixelColor(110, 2)))
    bar, track = (image.pixelColor(x, 82) for x in (60, 190))

    assert min(outlines) >= GRAPHICS
    assert contrast(bar, track) >= GRAPHICS


@both_themes
@pytest.mark.parametrize("key", [1, -1], ids=["a line", "lines left out"])
@pytest.mark.parametrize("search", ["", "m"], ids=["", "found"])
def test_lines_are_read_in_selected_boxes(qapp: object, dark: bool, key: int, search: str) -> None:
    """Found or not, marked or not, and what stands for those that are left out."""
    palette = theme.palette(dark)
    for is_selected in (False, True):
        marks = {"is_selected": is_selected, "search_text": search}
        marked = frozenset({1}) if is_selected else frozenset()
        image = painted(palette, BoxLine(key, "mmm", ""), **marks, marked_lines=marked)
        inside = [image.pixelColor(x, y) for x in range(18, 60) for y in range(15, 70)]
        ground = image.pixelColor(60, 40)
        assert max(contrast(pixel, ground) for pixel in inside) >= TEXTS, is_selected
