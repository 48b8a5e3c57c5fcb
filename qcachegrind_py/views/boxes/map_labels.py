"""The labels in the boxes of a call map: names, costs and locations, where they fit.

A box without self cost has no space for a label if its contents cover it. Its name then precedes
that of its first child, if both begin at the same corner: `main › run › parse`. With headers, the
active function is left out of these names.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from qcachegrind_py.present.frames import Frames
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.ids import node_at
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.boxes.map_layout import MapStyle

_MARGIN = 3.0  # pixels between a box's edge and text
_COST_GAP = 8.0  # pixels between a name and its cost
_MIN_ELIDED_DIGITS = 9  # width in digits: shorter names would be meaningless
_MIN_DIGITS = 3  # width in digits of boxes with labels
_UPRIGHT_RATIO = 1.5  # minimum ratio of height to width for upright labels
_NAME_SEPARATOR = " › "
_NUMBER_SEPARATOR = " · "
_TURNED_ARROWS = str.maketrans("▲▼", "▶◀")  # which point up and down in upright labels


class MapLabels:
    """Paints labels into boxes one by one; parents must come before their children."""

    def __init__(self, picture: Frames, map_style: MapStyle, metrics: QFontMetricsF) -> None:
        self._picture, self._tree = picture, picture.tree
        self._map_style, self._metrics = map_style, metrics
        self.unlabeled: set[int] = set()  # boxes without a label so far
        self.areas: list[QRectF] = []  # of the labels painted so far
        digit = metrics.horizontalAdvance("0")
        self._min_elided_width = _MIN_ELIDED_DIGITS * digit
        self._min_width = _MIN_DIGITS * digit + 2 * _MARGIN
        self._line_height = metrics.height()  # pixels

    def fitting_candidates(self, areas: Float64Array, boxes: Int64Array) -> BoolArray:
        """Return which boxes have an area large enough for a label, shape (boxes,).

        `areas` are edges, shape (areas, 4, boxes). The other boxes become unlabeled.
        """
        width, height = areas[:, 2] - areas[:, 0], areas[:, 3] - areas[:, 1]
        fits = (width >= self._min_width) & (height >= self._line_height)
        if self._map_style.rotate:
            fits |= (height >= self._min_width) & (width >= self._line_height)
        candidates: BoolArray = np.asarray(fits.any(axis=0))
        self.unlabeled.update(boxes[~candidates].tolist())
        return candidates

    def paint(self, painter: QPainter, box: int, areas: Iterable[QRectF]) -> None:
        """Paint the label into the first area that fits, with the painter's pen and font."""
        texts = self._texts(box)
        length = self._metrics.horizontalAdvance(texts[0]) if texts else 0.0
        if not any(self._paint_in_area(painter, box, area, texts, length) for area in areas):
            self.unlabeled.add(box)

    def _paint_in_area(
        self, painter: QPainter, box: int, area: QRectF, texts: list[str], length: float
    ) -> bool:
        """Paint the label, upright if that fits better and is enabled; return whether it fits."""
        is_upright = (
            length > area.width() - 2 * _MARGIN and area.height() > _UPRIGHT_RATIO * area.width()
        )
        if not (is_upright and self._map_style.rotate):
            is_painted = self._paint_horizontally(painter, box, area, texts, length)
            if is_painted:
                self.areas.append(QRectF(area.topLeft(), self._label_size(area.width(), texts)))
            return is_painted
        painter.save()
        painter.translate(area.bottomLeft())
        painter.rotate(-90)
        rotated = QRectF(0, 0, area.height(), area.width())
        turned = [text.translate(_TURNED_ARROWS) for text in texts]
        is_painted = self._paint_horizontally(painter, box, rotated, turned, length)
        painter.restore()
        if is_painted:
            size = self._label_size(area.height(), texts).transposed()
            self.areas.append(QRectF(area.topLeft(), size))
        return is_painted

    def _label_size(self, length: float, texts: list[str]) -> QSizeF:
        return QSizeF(length, max(1, len(texts)) * self._line_height)

    def _texts(self, box: int) -> list[str]:
        """Return name and location, as far as the options show them."""
        texts = [self._picture.label(box)] if self._map_style.show_names else []
        node = node_at(self._tree.node, box)
        if self._map_style.show_locations and node >= 0:
            texts.append(cell_text(self._picture.style.labels.location(node)))
        return texts

    def _paint_horizontally(
        self, painter: QPainter, box: int, area: QRectF, texts: list[str], length: float
    ) -> bool:
        width, position = area.width() - 2 * _MARGIN, area.topLeft() + QPointF(_MARGIN, 0)
        min_width = min(length, self._min_elided_width)
        if width < min_width or area.height() < self._line_height:
            return False
        width_left = width - self._paint_cost(painter, box, area, min(length, 2 * min_width))
        if texts:
            text = (
                self._with_unlabeled_parents(box, texts[0], width_left)
                if self._map_style.show_names
                else texts[0]
            )
            self._paint_line(painter, position, text, width_left, Qt.TextElideMode.ElideRight)
        if len(texts) > 1 and area.height() >= 2 * self._line_height:
            below = position + QPointF(0, self._line_height)
            self._paint_line(painter, below, texts[1], width, self._location_elide_mode(box))
        return bool(texts) or width_left < width

    def _location_elide_mode(self, box: int) -> Qt.TextElideMode:
        """Keep the end of a location; keep the start for a cycle, the number of its members."""
        is_cycle = self._picture.style.labels.is_cycle(node_at(self._tree.node, box))
        return Qt.TextElideMode.ElideRight if is_cycle else Qt.TextElideMode.ElideLeft

    def _paint_cost(self, painter: QPainter, box: int, area: QRectF, beside: float) -> float:
        """Paint the numbers on the right if `beside` pixels remain; return the width they take.

        Where there is no room for cost and number of calls, only the first is painted.
        """
        numbers = self._numbers(box)
        for shown in (_NUMBER_SEPARATOR.join(numbers), *numbers[:1]):
            length = self._metrics.horizontalAdvance(shown)
            taken = length + (_COST_GAP if beside else 0.0)
            if shown and area.width() - 2 * _MARGIN >= taken + beside:
                position = area.topRight() - QPointF(_MARGIN + length, -self._metrics.ascent() - 1)
                painter.drawText(position, shown)
                return taken
        return 0.0

    def _numbers(self, box: int) -> list[str]:
        """Return cost and number of calls, as far as they are known and the options show them."""
        style = self._map_style
        numbers = [self._picture.cost(box)] if style.show_costs else []
        if style.show_counts:
            numbers += filter(None, [self._picture.times(box)])
        return numbers

    def _with_unlabeled_parents(self, box: int, name: str, width: float) -> str:
        """Return the name, preceded by the names of unlabeled ancestors as far as they fit."""
        tree, text, joined = self._tree, name, []
        while (parent := int(tree.parent[box])) in self.unlabeled:
            longer = f"{self._picture.name(parent)}{_NAME_SEPARATOR}{text}"
            if parent == 0 and self._map_style.headers:
                break  # the active function is named above the view: its callees come first
            if tree.first_child[parent] != box or self._metrics.horizontalAdvance(longer) > width:
                break
            box, text = parent, longer
            joined.append(parent)
        self.unlabeled.difference_update(joined)
        return text

    def _paint_line(
        self,
        painter: QPainter,
        position: QPointF,
        text: str,
        width: float,
        elide_mode: Qt.TextElideMode,
    ) -> None:
        """Paint one line, elided if too long; letters higher than the line are clipped."""
        base = position + QPointF(0, self._metrics.ascent() + 1)
        shown = self._metrics.elidedText(text, elide_mode, width)
        if _fits_line_height(text):
            painter.drawText(base, shown)
            return
        painter.save()
        painter.setClipRect(QRectF(position, position + QPointF(width, self._line_height + 2)))
        painter.drawText(base, shown)
        painter.restore()


def _fits_line_height(text: str) -> bool:
    """Return whether no letter is higher than a line; only ASCII is sure to fit."""
    return text.isascii() or text.replace(_NAME_SEPARATOR, "").isascii()
