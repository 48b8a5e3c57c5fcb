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
from qcachegrind_py.views.boxes.painting_style import BoxLook

_LEAST_SHARE = 0.05  # of the picture: smaller boxes are many, and their tags would cover much
_MOST_SHARE = 0.9  # what is nearly all is the active function's, which is named above
_MOST_WIDTH = 0.8  # of the box
_LEAST_DIGITS = 14
_LEAST_LINES = 3  # in height
_MARGIN = 4.0  # pixels around the text
_ROUND = 3.0  # pixels of a corner
_OPACITY = 0.82  # of the ground


class MapTags:
    """Writes over what is drawn, the largest boxes first; no tag over another."""

    def __init__(
        self, nesting: FrameTree, look: BoxLook, metrics: QFontMetricsF, palette: QPalette
    ) -> None:
        self._nesting, self._look, self._metrics = nesting, look, metrics
        self._text = palette.color(QPalette.ColorRole.Text)
        self._ground = QColor(palette.color(QPalette.ColorRole.Base))
        self._ground.setAlphaF(_OPACITY)

    def paint(self, painter: QPainter, geometry: MapGeometry, unnamed: set[int]) -> None:
        """Write tags for those of the unnamed boxes that are large enough."""
        for area, text in self._placed(geometry, unnamed):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._ground)
            painter.drawRoundedRect(area, _ROUND, _ROUND)
            painter.setPen(self._text)
            base = area.topLeft() + QPointF(_MARGIN, self._metrics.ascent() + 1)
            painter.drawText(base, text)

    def _placed(self, geometry: MapGeometry, unnamed: set[int]) -> Iterator[tuple[QRectF, str]]:
        left, top, right, bottom = geometry.edges
        width, height = right - left, bottom - top
        shares = width * height / max(1.0, float((width * height).max(initial=0.0)))
        line = self._metrics.height()
        is_large = (shares >= _LEAST_SHARE) & (shares <= _MOST_SHARE)
        is_large &= (height >= _LEAST_LINES * line) & (width * _MOST_WIDTH >= self._least)
        taken: list[QRectF] = []
        rows = np.flatnonzero(is_large)
        for row in rows[np.argsort(-shares[rows], kind="stable")].tolist():
            box = int(geometry.boxes[row])
            if box in unnamed:
                text = self._written(box, float(width[row]))
                area = QRectF(0, 0, self._metrics.horizontalAdvance(text) + 2 * _MARGIN, line + 2)
                area.moveCenter(QPointF((left + right)[row] / 2, (top + bottom)[row] / 2))
                if not any(area.intersects(other) for other in taken):
                    taken.append(area)
                    yield area, text

    @property
    def _least(self) -> float:
        return _LEAST_DIGITS * self._metrics.horizontalAdvance("0")

    def _written(self, box: int, width: float) -> str:
        """The name, with the cost where there is room."""
        room = width * _MOST_WIDTH - 2 * _MARGIN
        name = self._look.name(self._nesting, box)
        whole = f"{name}  {self._look.cost(self._nesting, box)}"
        if self._metrics.horizontalAdvance(whole) <= room:
            return whole
        return self._metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room)
