"""The colours of boxes and arrows by how their costs changed."""

from __future__ import annotations

from math import sqrt

from PySide6.QtGui import QColor, QPalette

from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.views.common.bar_color import (
    GROWTH,
    SHRINKAGE,
    RowGround,
    change_color,
    contrast,
)

_FAINTEST, _STRONGEST = 0.18, 0.6  # opacity in boxes: of the smallest change, of the largest
_FAINTEST_ARROW = 0.3  # opacity of the smallest change; that of the largest is 1
_ESTIMATED = 0.5  # of that opacity, as estimates may change where nothing did
_MIN_TEXT_CONTRAST = 4.5  # of texts to the boxes they are in
_STEP = 0.05
_ROLE = QPalette.ColorRole


def box_color(palette: QPalette, strength: float, *, is_exact: bool) -> QColor:
    """Return the background of a box, on which texts are legible; the change is from -1 to 1."""
    ground = palette.color(_ROLE.AlternateBase)
    if not strength:
        return ground
    opacity = _FAINTEST + (_STRONGEST - _FAINTEST) * sqrt(min(1.0, abs(strength)))
    opacity *= 1 if is_exact else _ESTIMATED
    hue = GROWTH if strength > 0 else SHRINKAGE
    while opacity > 0:
        color = blended(hue, ground, opacity)
        if contrast(color, palette.color(_ROLE.Text)) >= _MIN_TEXT_CONTRAST:
            return color
        opacity -= _STEP
    return ground


def arrow_color(palette: QPalette, strength: float, neutral: QColor) -> QColor:
    """Return the colour of an arrow; `neutral` is that of one without a change."""
    if not strength:
        return neutral
    color = change_color(palette, RowGround.PLAIN, is_growth=strength > 0)
    part = sqrt(min(1.0, abs(strength)))
    return blended(color, neutral, _FAINTEST_ARROW + (1 - _FAINTEST_ARROW) * part)


def bar_change_color(palette: QPalette, *, is_growth: bool) -> QColor:
    """Return the colour of the part of a bar by which the sides differ."""
    return change_color(palette, RowGround.PLAIN, is_growth=is_growth)
