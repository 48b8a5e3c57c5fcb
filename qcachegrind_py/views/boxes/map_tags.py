"""Tags in the middle of large boxes that have no room for a name of their own.

High up in a program, functions cost little themselves: what they call covers them, and their
names with them, which are those that one looks for first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPalette

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.views.boxes.map_geometry import MapGeometry
from qcachegrind_py.views.boxes.painting_style import BoxStyle

_MIN_SHARE = 0.05  # of the picture: smaller boxes are many, and their tags would cover much
_MAX_SHARE = 0.9  # what is nearly all is the active function's, which is named above
_MAX_WIDTH_FRACTION = 0.8  # of the box
_MIN_DIGITS = 14
_MIN_LINES = 3  # in height
_MARGIN = 4.0  # pixels around the text
_CORNER_RADIUS = 3.0  # pixels of a corner
_OPACITY = 0.82  # of the ground


class MapTags:
    """Writes over what is drawn, the largest boxes first; no tag over another."""

    def __init__(
        self, tree: FrameTree, style: BoxStyle, metrics: QFontMetricsF, palette: QPalette
    ) -> None:
        self._tree, self._style, self._metrics = tree, style, metrics
        self._text_color = palette.color(QPalette.ColorRole.Text)
        self._background = QColor(palette.color(QPalette.ColorRole.Base))
        self._background.setAlphaF(_OPACITY)

    def paint(self, painter: QPainter, geometry: MapGeometry, unlabeled: set[int]) -> None:
        """Write tags for those of the unnamed boxes that are large enough."""
        for area, text in self._placed_tags(geometry, unlabeled):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._background)
            painter.drawRoundedRect(area, _CORNER_RADIUS, _CORNER_RADIUS)
            painter.setPen(self._text_color)
            base = area.topLeft() + QPointF(_MARGIN, self._metrics.ascent() + 1)
            painter.drawText(base, text)

    def _placed_tags(
        self, geometry: MapGeometry, unlabeled: set[int]
    ) -> Iterator[tuple[QRectF, str]]:
        left, top, right, bottom = geometry.edges
        width, height = right - left, bottom - top
        shares = width * height / max(1.0, float((width * height).max(initial=0.0)))
        line = self._metrics.height()
        is_large = (shares >= _MIN_SHARE) & (shares <= _MAX_SHARE)
        is_large &= (height >= _MIN_LINES * line) & (width * _MAX_WIDTH_FRACTION >= self._min_width)
        taken: list[QRectF] = []
        rows = np.flatnonzero(is_large)
        for row in rows[np.argsort(-shares[rows], kind="stable")].tolist():
            box = int(geometry.boxes[row])
            if box in unlabeled:
                text = self._tag_text(box, float(width[row]))
                area = QRectF(0, 0, self._metrics.horizontalAdvance(text) + 2 * _MARGIN, line + 2)
                area.moveCenter(QPointF((left + right)[row] / 2, (top + bottom)[row] / 2))
                if not any(area.intersects(other) for other in taken):
                    taken.append(area)
                    yield area, text

    @property
    def _min_width(self) -> float:
        return _MIN_DIGITS * self._metrics.horizontalAdvance("0")

    def _tag_text(self, box: int, width: float) -> str:
        """The name, with the cost where there is room."""
        room = width * _MAX_WIDTH_FRACTION - 2 * _MARGIN
        name = self._style.name(self._tree, box)
        whole = f"{name}  {self._style.cost(self._tree, box)}"
        if self._metrics.horizontalAdvance(whole) <= room:
            return whole
        return self._metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room)
