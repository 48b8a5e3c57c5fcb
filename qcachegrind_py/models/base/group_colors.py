"""Qt colours of groups, the same in every view; `analysis.names.palette` computes them."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QColor

from qcachegrind_py.analysis.names.palette import group_rgb, shade_rgb


@lru_cache(1024)
def group_color(name: str) -> QColor:
    """Return the colour of the group of that name."""
    return QColor.fromRgbF(*group_rgb(name))


@lru_cache(16384)
def shade(group: str, function: str) -> QColor:
    """Return the function's colour: near its group's, distinct from the group's other functions."""
    return QColor.fromRgbF(*shade_rgb(group, function))


def blended(color: QColor, base: QColor, opacity: float) -> QColor:
    """Return the opaque colour that equals the colour at that opacity over a background."""
    over = color.redF(), color.greenF(), color.blueF()
    under = base.redF(), base.greenF(), base.blueF()
    parts = zip(over, under, strict=True)
    return QColor.fromRgbF(*(opacity * one + (1 - opacity) * other for one, other in parts))
