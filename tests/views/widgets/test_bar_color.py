"""Cost bars can be seen on every row of every theme, and the digits on them can be read."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.style import theme
from qcachegrind_py.views.tables.row_delegates import (
    highlight_brush,
    paint_cost_bar,
    soften_selection,
)
from qcachegrind_py.views.widgets.colors import RowGround

ROLE = QPalette.ColorRole
WIDTH = 100


def luminance(color: QColor) -> float:
    """The relative luminance of WCAG 2.2."""

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(c) for c in (color.redF(), color.greenF(), color.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    """The contrast ratio of WCAG 2.2."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def grounds(palette: QPalette) -> dict[str, tuple[QColor, RowGround, QColor]]:
    """Everything that a bar is painted on, with the colour of the digits there."""
    soft = QPalette(palette)
    soften_selection(soft)
    tint = QImage(1, 1, QImage.Format.Format_RGB32)
    tint.fill(palette.color(ROLE.Base))
    painter = QPainter(tint)
    painter.fillRect(tint.rect(), highlight_brush(palette))
    painter.end()
    text = palette.color(ROLE.Text)
    return {
        "odd row": (palette.color(ROLE.Base), RowGround.PLAIN, text),
        "even row": (palette.color(ROLE.AlternateBase), RowGround.PLAIN, text),
        "selected row": (soft.color(ROLE.Highlight), RowGround.TINTED, text),
        "highlighted row": (tint.pixelColor(0, 0), RowGround.TINTED, text),
        "active function": (
            palette.color(ROLE.Highlight), RowGround.ACTIVE, palette.color(ROLE.HighlightedText),
        ),
    }  # fmt: skip


def painted(palette: QPalette, color: QColor, ground: RowGround, share: float) -> list[QColor]:
    """A line of pixels through the middle of a cell with a bar."""
    image = QImage(WIDTH, 20, QImage.Format.Format_RGB32)
    image.fill(color)
    painter = QPainter(image)
    paint_cost_bar(painter, QRect(0, 0, WIDTH, 20), share, palette, ground)
    painter.end()
    return [image.pixelColor(x, 10) for x in range(WIDTH)]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_bars_have_contrast(qapp: QApplication, dark: bool) -> None:
    """The bar, or its outline, has 3:1 to its row; digits on the bar have 4.5:1."""
    palette = theme.palette(dark)
    found = {}
    for name, (color, ground, text) in grounds(palette).items():
        line = painted(palette, color, ground, 0.5)
        edge = max(contrast(pixel, color) for pixel in line)
        found[name] = edge >= 3, contrast(line[WIDTH // 4], text) >= 4.5

    assert found == dict.fromkeys(found, (True, True))


def test_bars_shorter_than_half_a_pixel_are_not_drawn(qapp: QApplication) -> None:
    """A bar of a whole pixel for next to nothing would say ten times too much."""
    palette = theme.palette(dark=False)
    base = palette.color(ROLE.Base)
    lengths = {
        share: sum(pixel != base for pixel in painted(palette, base, RowGround.PLAIN, share))
        for share in (0.004, 0.006, 0.5, 1.0)
    }

    assert lengths[0.004] == 0  # 0.4 of 96 pixels
    assert 1 <= lengths[0.006] <= 2
    assert 47 <= lengths[0.5] <= 49
    assert 95 <= lengths[1.0] <= 97
