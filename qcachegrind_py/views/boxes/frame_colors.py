"""The colours of the boxes in call maps and flame graphs.

A box with an exact cost has its group's full colour, and an estimate is paler. Compared, a box has
the colour of its change: of growth, of shrinkage, or grey.
"""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

from qcachegrind_py.present.frames import CHANGE_LEVELS, Frames
from qcachegrind_py.profile.ids import STAND_INS, NodeId
from qcachegrind_py.views.widgets.colors import GROWTH, SHRINKAGE, RowGround, blended, change_fill

_ESTIMATED_OPACITY = 0.42  # for an estimate's colour over the background
_UNPROVEN_OPACITY = 0.35  # for the colour of a box whose change is not proven
_FADED_OPACITY = 0.16  # for boxes outside search and filter
_WEAKEST = 0.3  # opacity of the smallest change, which is told from grey and from the other colour
_NEUTRAL_OPACITY = 0.3  # of the middle grey, for a box that did not change
_BRIGHT_LUMINANCE = 0.18  # above this luminance, black text has the better contrast


class FrameColors:
    """The colours of a picture on a palette, by the codes of its boxes."""

    def __init__(self, picture: Frames, palette: QPalette) -> None:
        self._picture, self._palette = picture, palette

    def is_for(self, picture: Frames, palette: QPalette) -> bool:
        """Return whether these are the colours of a picture on a palette."""
        return self._picture is picture and self._palette == palette

    def color(self, code: int, *, is_exact: bool, is_faded: bool) -> QColor:
        """Return the colour of boxes with a code: paler for an estimate, faint if faded."""
        base = self._palette.color(QPalette.ColorRole.Base)
        if self._picture.is_compared:
            passes, color = bool(code & 1), level_color((code >> 1) - CHANGE_LEVELS, self._palette)
            opacity = _UNPROVEN_OPACITY
        else:
            node, style = NodeId(code - STAND_INS), self._picture.style
            passes = style.passing is None or node < 0 or bool(style.passing[node])
            color = QColor(style.color(node)) if node >= 0 else self._palette.mid().color()
            opacity = _ESTIMATED_OPACITY
        if is_faded or not passes:
            return blended(color, base, _FADED_OPACITY)
        return color if is_exact else blended(color, base, opacity)

    def net_color(self, code: int) -> QColor | None:
        """Return the colour of the line that tells the net change in a box; None without one."""
        level = (code >> 1) - CHANGE_LEVELS
        if not self._picture.is_compared or not level:
            return None
        return GROWTH if level > 0 else SHRINKAGE


def swatch(picture: Frames, box: int, palette: QPalette) -> str | None:
    """Return the colour beside a name in the line below; None for what is no function."""
    node = picture.key(box)
    if node < 0 or not picture.is_compared:
        return picture.style.color(NodeId(node)) if node >= 0 else None
    code = int(picture.color_codes[box]) | 1  # whether it passes the filter or not
    is_exact = bool(picture.tree.is_exact[box])
    return FrameColors(picture, palette).color(code, is_exact=is_exact, is_faded=False).name()


def level_color(level: int, palette: QPalette) -> QColor:
    """Return the colour of growth, level above 0, or of shrinkage; grey for 0."""
    text, base = palette.text().color(), palette.base().color()
    neutral = blended(text, base, _NEUTRAL_OPACITY)
    if not level:
        return neutral
    strongest = change_fill(palette, RowGround.PLAIN, is_growth=level > 0)
    opacity = _WEAKEST + (1 - _WEAKEST) * (abs(level) - 1) / (CHANGE_LEVELS - 1)
    return blended(strongest, neutral, opacity)


def text_color(fill: QColor) -> QColor:
    """Return black or white, whichever has more contrast to this colour."""
    red, green, blue = (part**2.2 for part in (fill.redF(), fill.greenF(), fill.blueF()))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return QColor("#101216") if luminance > _BRIGHT_LUMINANCE else QColor("#f4f5f7")
