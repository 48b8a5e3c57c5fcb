"""Draws the bars of the time line: each as wide as its part costs, divided from the bottom up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor

from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.parts.bar_content import BarContent, share_levels
from qcachegrind_py.views.parts.lanes import Lanes

BAR_HEIGHT = 0.86  # lanes are 1 apart
_INACTIVE_ALPHA = 90  # of 255
_GAP = 1.0  # pixels between bars wide enough for one
_MIN_WIDTH = 1.0  # pixels
_Bounds = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Viewport:
    """The visible lanes, first and last, the visible span, and the width of a pixel in it."""

    lanes: _Bounds
    span: tuple[float, float]
    pixel: float


def bar_items(lanes: Lanes, content: BarContent, viewport: Viewport) -> list[pg.BarGraphItem]:
    """Return the bars to be seen, one item for each colour, so that Qt draws them in one call.

    Parts under a pixel share a bar, which is divided as they are together.
    """
    rows = lanes.rows_in(viewport.lanes, viewport.span)
    begins = lanes.merged(rows, viewport.pixel)
    if not len(begins):
        return []
    parts = lanes.part[rows]
    total = np.add.reduceat(content.total[parts], begins)
    edges = _edges(lanes, rows, begins, viewport.pixel)
    is_active = np.logical_or.reduceat(content.is_active[parts], begins)
    costs = [np.add.reduceat(share.height[parts], begins) for share in content.shares]
    levels = share_levels(np.array(costs).reshape(len(costs), len(begins)), total)
    colors = [*(share.color for share in content.shares), content.rest]
    bottom = lanes.lane[rows[begins]].astype(np.float64) + (1 + BAR_HEIGHT) / 2
    return [
        item
        for color, lower, upper in zip(colors, levels[:-1], levels[1:], strict=True)
        for item in _layer(edges, bottom, (lower, upper), is_active, color)
    ]


def _edges(
    lanes: Lanes, rows: Int64Array, begins: Int64Array, pixel: float
) -> tuple[Float64Array, Float64Array]:
    """Return the left and right edges of the bars, with gaps between them that can be seen."""
    left = lanes.left[rows[begins]]
    right = np.maximum.reduceat(lanes.right[rows], begins)
    gap = np.where(right - left > 4 * _GAP * pixel, _GAP * pixel, 0)
    return left, np.maximum(right - gap, left + _MIN_WIDTH * pixel)


def _layer(
    edges: tuple[Float64Array, Float64Array],
    bottom: Float64Array,
    levels: tuple[Float64Array, Float64Array],
    is_active: BoolArray,
    color: QColor,
) -> list[pg.BarGraphItem]:
    """Return the bars of one share: those of active parts, and faint those of the others."""
    lower, upper = levels
    faint = QColor(color)
    faint.setAlpha(_INACTIVE_ALPHA)
    is_seen = upper > lower
    return [
        pg.BarGraphItem(
            x0=edges[0][chosen],
            x1=edges[1][chosen],
            y0=bottom[chosen] - BAR_HEIGHT * lower[chosen],
            y1=bottom[chosen] - BAR_HEIGHT * upper[chosen],
            brush=brush,
            pen=None,
        )
        for chosen, brush in ((is_seen & is_active, color), (is_seen & ~is_active, faint))
        if chosen.any()
    ]
