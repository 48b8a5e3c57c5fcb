"""Tags in the middle of large call-map boxes that have no space for a label.

Functions high up in the program have little self cost, so their contents cover them. Their names
are the ones that users look for first. Maps with headers have no tags.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPalette

from qcachegrind_py.present.frames import Frames
from qcachegrind_py.views.boxes.map_geometry import MapGeometry
from qcachegrind_py.views.boxes.map_labels import MapLabels

_MIN_SHARE = 0.05  # of the picture: tags of the many smaller boxes would cover too much
_MAX_SHARE = 0.9  # larger boxes are mostly the active function, which is named above the view
_MAX_WIDTH_FRACTION = 0.8  # of the box
_MIN_DIGITS = 14  # minimum width
_MIN_LINES = 3  # minimum height
_MARGIN = 4.0  # pixels around the text
_CORNER_RADIUS = 3.0  # pixels
_OPACITY = 0.82  # of the background


class MapTags:
    """Paints tags over the boxes, largest boxes first, and never over a label or another tag."""

    def __init__(self, picture: Frames, metrics: QFontMetricsF, palette: QPalette) -> None:
        self._picture, self._metrics = picture, metrics
        self._text_color = palette.color(QPalette.ColorRole.Text)
        self._background = QColor(palette.color(QPalette.ColorRole.Base))
        self._background.setAlphaF(_OPACITY)

    def paint(self, painter: QPainter, geometry: MapGeometry, labels: MapLabels) -> None:
        """Paint the tags of unlabeled boxes that are large enough."""
        for area, text in self._placed_tags(geometry, labels):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._background)
            painter.drawRoundedRect(area, _CORNER_RADIUS, _CORNER_RADIUS)
            painter.setPen(self._text_color)
            base = area.topLeft() + QPointF(_MARGIN, self._metrics.ascent() + 1)
            painter.drawText(base, text)

    def _placed_tags(
        self, geometry: MapGeometry, labels: MapLabels
    ) -> Iterator[tuple[QRectF, str]]:
        left, top, right, bottom = geometry.edges
        width, height = right - left, bottom - top
        shares = width * height / max(1.0, float((width * height).max(initial=0.0)))
        line = self._metrics.height()
        is_large = (shares >= _MIN_SHARE) & (shares <= _MAX_SHARE)
        is_large &= (height >= _MIN_LINES * line) & (width * _MAX_WIDTH_FRACTION >= self._min_width)
        taken = labels.areas.copy()
        rows = np.flatnonzero(is_large)
        for row in rows[np.argsort(-shares[rows], kind="stable")].tolist():
            box = int(geometry.boxes[row])
            if box in labels.unlabeled:
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
        """Return the name, with the cost if both fit."""
        max_width = width * _MAX_WIDTH_FRACTION - 2 * _MARGIN
        name = self._picture.label(box)
        with_cost = f"{name}  {self._picture.cost(box)}"
        if self._metrics.horizontalAdvance(with_cost) <= max_width:
            return with_cost
        return self._metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, max_width)
