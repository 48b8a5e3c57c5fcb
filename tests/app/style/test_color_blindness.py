"""Growth, shrinkage and no change are told apart, and texts on them are read, by every vision.

One man in twelve lacks a kind of cone, or has an unusual one. The simulations are those of a
complete lack, which is the hardest case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication

from qcachegrind_py import write
from qcachegrind_py.app.style import theme
from qcachegrind_py.present.frames import _ESTIMATED_OPACITY, _FADED_OPACITY, CHANGE_LEVELS
from qcachegrind_py.views.pictures.box_canvas import level_color, text_color
from qcachegrind_py.views.pictures.diagram_items import default_line_color
from qcachegrind_py.views.pictures.map_canvas import _ALTERNATE_BRIGHTNESS, _parts
from qcachegrind_py.views.tables.bars import paint_change_bar
from qcachegrind_py.views.widgets.colors import (
    GroupPalette,
    RowGround,
    arrow_color,
    blended,
    box_color,
    change_color,
    contrast,
    marked_color,
    pointed_color,
    selection_color,
)
from tests.color_vision import Vision, ciede2000, distance, lab, seen

ROLE = QPalette.ColorRole
MIN_TEXT_CONTRAST = 4.5
MIN_OPPOSITES = 15  # distance of growth and shrinkage, also of the smallest changes
MIN_FROM_NONE = 7  # distance of a change to none, and of a bar to its row
MIN_ESTIMATES = 8  # distance of growth and shrinkage that are estimates, which are pale
STRENGTHS = [0.001, 0.05, 0.25, 0.5, 1.0]  # parts of the largest change
SHARES = [0.36, 0.54, 0.72, 0.92]  # of the tint in boxes of the page, as its style sheet has them

every_vision = pytest.mark.parametrize("vision", Vision)
both_palettes = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])


@pytest.fixture(autouse=True)
def _light_again(qapp: QApplication) -> Iterator[None]:
    yield
    theme.apply_palette(dark=False)


# ---------------------------------------------------------------- the simulation


def test_distances_are_those_of_the_standard() -> None:
    """Pairs of colours and their distances from the paper of Sharma, Wu and Dalal (2005)."""
    pairs = {
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485)): 2.0425,
        ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0011)): 7.2195,
        ((50.0, 2.5, 0.0), (58.0, 24.0, 15.0)): 19.4535,
        ((22.7233, 20.0904, -46.694), (23.0331, 14.973, -42.5619)): 2.0373,
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514)): 0.9082,
    }
    found = {pair: ciede2000(*map(np.array, pair)) for pair in pairs}

    assert found == {pair: pytest.approx(expected, abs=1e-4) for pair, expected in pairs.items()}
    assert lab(QColor("white")) == pytest.approx((100, 0, 0), abs=0.01)


def test_simulated_vision_confuses_what_it_should() -> None:
    """Red and green look alike without long or middle cones, violet and dark grey without short.

    Grey looks the same to all.
    """
    red, green = QColor("#b46464"), QColor("#7a7a50")
    teal, grey = QColor("#7a9a9c"), QColor("#808080")

    assert distance(red, green, Vision.FULL) > 2.5 * distance(red, green, Vision.DEUTAN)
    assert distance(teal, QColor("#7a9a7c")) > 2 * distance(teal, QColor("#7a9a7c"), Vision.TRITAN)
    for vision in Vision:
        assert distance(grey, seen(grey, vision)) < 1


# ---------------------------------------------------------------- pictures


def told_apart(growth: QColor, shrinkage: QColor, none: QColor, vision: Vision) -> bool:
    """Whether the three are."""
    return distance(growth, shrinkage, vision) >= MIN_OPPOSITES and all(
        distance(color, none, vision) >= MIN_FROM_NONE for color in (growth, shrinkage)
    )


def contrast_to(vision: Vision, one: QColor, other: QColor) -> float:
    """The contrast that a vision has of two colours."""
    return contrast(seen(one, vision), seen(other, vision))


@every_vision
@both_palettes
def test_boxes_of_the_call_graph(qapp: QApplication, vision: Vision, dark: bool) -> None:
    """Boxes of the call graph and of the control flow, from the smallest change on."""
    palette = theme.palette(dark)
    text, none = palette.color(ROLE.Text), box_color(palette, 0, is_exact=True)
    for strength in STRENGTHS:
        growth, shrinkage = (
            box_color(palette, change, is_exact=True) for change in (strength, -strength)
        )
        pale = [box_color(palette, change, is_exact=False) for change in (strength, -strength)]

        assert told_apart(growth, shrinkage, none, vision), strength
        assert distance(*pale, vision) >= MIN_ESTIMATES, strength
        for color in (growth, shrinkage, *pale, none):
            assert contrast_to(vision, text, color) >= MIN_TEXT_CONTRAST, color.name()


@every_vision
@both_palettes
def test_arrows_of_the_call_graph(qapp: QApplication, vision: Vision, dark: bool) -> None:
    """Arrows that grew, that shrank, and that did not change."""
    palette = theme.palette(dark)
    none = default_line_color(palette)
    for strength in STRENGTHS:
        growth, shrinkage = (arrow_color(palette, change, none) for change in (strength, -strength))
        assert told_apart(growth, shrinkage, none, vision), strength


@every_vision
@both_palettes
def test_boxes_of_flame_graph_and_maps(qapp: QApplication, vision: Vision, dark: bool) -> None:
    """Boxes of all strengths, in the shades of nested boxes of a map, pale ones included."""
    palette = theme.palette(dark)
    base, none = palette.color(ROLE.Base), level_color(0, palette)
    fills = [none]
    for level in range(1, CHANGE_LEVELS + 1):
        growth, shrinkage = level_color(level, palette), level_color(-level, palette)
        assert told_apart(growth, shrinkage, none, vision), level
        fills += [growth, shrinkage]
    fills += [blended(fill, base, opacity) for fill in fills for opacity in (0.35, 0.16)]
    for fill in fills:
        for shade in (1, _ALTERNATE_BRIGHTNESS):
            shaded = QColor.fromRgbF(
                fill.redF() * shade, fill.greenF() * shade, fill.blueF() * shade
            )
            found = contrast_to(vision, text_color(shaded), shaded)
            assert found >= MIN_TEXT_CONTRAST, (fill.name(), shade)


@every_vision
@both_palettes
def test_boxes_in_the_colours_of_groups(qapp: QApplication, vision: Vision, dark: bool) -> None:
    """Texts on boxes of all groups are read, and pale estimates are told from exact boxes."""
    base = theme.palette(dark).color(ROLE.Base)
    palette = GroupPalette((("dark", "#202830"), ("middle", "#767676"), ("light", "#f0e8d0")))
    groups = [*(f"lib{number}.so" for number in range(60)), "???", "dark", "middle", "light"]
    for fill in [palette.shade(group, name) for group in groups for name in "abcde"]:
        estimate = blended(fill, base, _ESTIMATED_OPACITY)
        for shown in (fill, estimate, blended(fill, base, _FADED_OPACITY)):
            for shade in (1, _ALTERNATE_BRIGHTNESS):
                box = QColor.fromRgbF(*(shade * part for part in _parts(shown)))
                assert contrast_to(vision, text_color(box), box) >= MIN_TEXT_CONTRAST, box.name()
    for group in groups[:61]:
        fill = palette.group(group)
        assert distance(fill, blended(fill, base, _ESTIMATED_OPACITY), vision) >= MIN_FROM_NONE


# ---------------------------------------------------------------- lists and the chart


def painted_bar(palette: QPalette, row: QColor, ground: RowGround, change: float) -> list[QColor]:
    """A line of pixels down through a cell with the bar of a change."""
    image = QImage(100, 20, QImage.Format.Format_RGB32)
    image.fill(row)
    painter = QPainter(image)
    paint_change_bar(painter, QRect(0, 0, 100, 20), change, palette, ground)
    painter.end()
    return [image.pixelColor(65 if change > 0 else 35, y) for y in range(20)]


@every_vision
@both_palettes
def test_bars_of_changes(qapp: QApplication, vision: Vision, dark: bool) -> None:
    """On every kind of row: bars are told apart and seen."""
    palette = theme.palette(dark)
    rows = [
        (palette.color(ROLE.Base), RowGround.PLAIN),
        (palette.color(ROLE.AlternateBase), RowGround.PLAIN),
        (pointed_color(palette), RowGround.PLAIN),
        (selection_color(palette), RowGround.TINTED),
        (marked_color(palette), RowGround.TINTED),
        (palette.color(ROLE.Highlight), RowGround.ACTIVE),
    ]
    for row, ground in rows:
        lines = [painted_bar(palette, row, ground, change) for change in (0.6, -0.6)]
        fills = [line[10] for line in lines]
        edges = [max(contrast(pixel, row) for pixel in line) for line in lines]

        assert distance(*fills, vision) >= MIN_OPPOSITES, ground
        assert min(edges) >= 3, ground


@every_vision
@both_palettes
def test_marks_of_steps(qapp: QApplication, vision: Vision, dark: bool) -> None:
    """The arrows in the chart of a history, which also point up or down."""
    palette = theme.palette(dark)
    growth, shrinkage = (
        change_color(palette, RowGround.PLAIN, is_growth=is_growth) for is_growth in (True, False)
    )
    assert told_apart(growth, shrinkage, palette.color(ROLE.Base), vision)


# ---------------------------------------------------------------- pages


def page_colors(*, dark: bool) -> dict[str, QColor]:
    """The named colours of pages, in their light or dark style."""
    sheet = (Path(write.__file__).parent / "html/page.css").read_text(encoding="utf-8")
    light, night = re.findall(r":root *\{([^}]*)\}", sheet)[:2]
    return {
        name: QColor(value)
        for block in ((light, night) if dark else (light,))
        for name, value in re.findall(r"--(\w+): *(#[0-9a-f]{6})", block)
    }


@every_vision
@both_palettes
def test_page_of_a_comparison(vision: Vision, dark: bool) -> None:
    """Bars, boxes of the flame graph, and words in the colours of changes."""
    colors = page_colors(dark=dark)
    tints = [colors["grown"], colors["shrunk"]]
    fills = [blended(tint, colors["same"], share) for tint in tints for share in SHARES]
    for growth, shrinkage in zip(fills[: len(SHARES)], fills[len(SHARES) :], strict=True):
        assert told_apart(growth, shrinkage, colors["same"], vision), growth.name()
    for fill in (*tints, *fills, colors["same"]):
        assert contrast_to(vision, colors["ink"], fill) >= MIN_TEXT_CONTRAST, fill.name()
    for name in ("met", "kept"):
        assert contrast_to(vision, colors[name], colors["ground"]) >= MIN_TEXT_CONTRAST, name
    assert distance(colors["met"], colors["kept"], vision) >= MIN_OPPOSITES


@every_vision
@both_palettes
def test_page_of_a_history(vision: Vision, dark: bool) -> None:
    """Marks of steps and words."""
    colors = page_colors(dark=dark)
    names = ("more", "less", "link")
    for one, other in combinations(names[:2], 2):
        assert distance(colors[one], colors[other], vision) >= MIN_OPPOSITES
    for name in names:
        assert contrast_to(vision, colors[name], colors["ground"]) >= MIN_TEXT_CONTRAST, name
