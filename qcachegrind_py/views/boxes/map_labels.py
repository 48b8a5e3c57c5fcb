"""The texts in the boxes of a call map: names, costs and places, as far as there is room.

A box without own cost has no place for a name where what it holds covers it all. It is then named
before the first box in it, where the two begin at the same corner: `main › run › parse`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.ids import NO_NODE, node_at
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.boxes.painting_style import BoxStyle, MapStyle

_MARGIN = 3.0  # pixels between a box's edge and text
_COST_GAP = 8.0  # pixels between a name and its cost
_MIN_ELIDED_DIGITS = 9  # digits of a name that is cut: less of it says nothing
_MIN_DIGITS = 3  # digits: boxes with less room are not looked at
_UPRIGHT_RATIO = 1.5  # times higher than wide, at least
_NAME_SEPARATOR = " › "  # between the names of a label


class MapLabels:
    """Writes into one box after the other; boxes must come before those they hold."""

    def __init__(
        self, tree: FrameTree, box_style: BoxStyle, map_style: MapStyle, metrics: QFontMetricsF
    ) -> None:
        self._tree, self._box_style, self._map_style, self._metrics = (
            tree,
            box_style,
            map_style,
            metrics,
        )
        self.unlabeled: set[int] = set()  # boxes without a name, so far
        digit = metrics.horizontalAdvance("0")
        self._min_elided_width = _MIN_ELIDED_DIGITS * digit
        self._min_width = _MIN_DIGITS * digit + 2 * _MARGIN
        self._line_height = metrics.height()  # of text, in pixels

    def fitting_candidates(self, areas: Float64Array, boxes: Int64Array) -> BoolArray:
        """Which boxes are worth a try, by edges of areas, shape (areas, 4, boxes).

        The others have no name.
        """
        width, height = areas[:, 2] - areas[:, 0], areas[:, 3] - areas[:, 1]
        fits = (width >= self._min_width) & (height >= self._line_height)
        if self._map_style.rotate:
            fits |= (height >= self._min_width) & (width >= self._line_height)
        found: BoolArray = np.asarray(fits.any(axis=0))
        self.unlabeled.update(boxes[~found].tolist())
        return found

    def paint(self, painter: QPainter, box: int, areas: Iterable[QRectF]) -> None:
        """Write into the first of the areas with enough room, in the painter's pen and font."""
        texts = self._texts(box)
        length = self._metrics.horizontalAdvance(texts[0]) if texts else 0.0
        if not any(self._paint_in_area(painter, box, area, texts, length) for area in areas):
            self.unlabeled.add(box)

    def _paint_in_area(
        self, painter: QPainter, box: int, area: QRectF, texts: list[str], length: float
    ) -> bool:
        """Write, upright where it does not fit across and that is wanted; gives whether it did."""
        stands = (
            length > area.width() - 2 * _MARGIN and area.height() > _UPRIGHT_RATIO * area.width()
        )
        if not (stands and self._map_style.rotate):
            return self._paint_horizontally(painter, box, area, texts, length)
        painter.save()
        painter.translate(area.bottomLeft())
        painter.rotate(-90)
        lying = QRectF(0, 0, area.height(), area.width())
        is_written = self._paint_horizontally(painter, box, lying, texts, length)
        painter.restore()
        return is_written

    def _texts(self, box: int) -> list[str]:
        """Name and place, as far as they are wanted."""
        texts = [self._box_style.name(self._tree, box)] if self._map_style.show_names else []
        node = node_at(self._tree.node, box)
        if self._map_style.show_locations and node != NO_NODE:
            texts.append(cell_text(self._box_style.labels.location(node)))
        return texts

    def _paint_horizontally(
        self, painter: QPainter, box: int, area: QRectF, texts: list[str], length: float
    ) -> bool:
        room, place = area.width() - 2 * _MARGIN, area.topLeft() + QPointF(_MARGIN, 0)
        least = min(length, self._min_elided_width)
        if room < least or area.height() < self._line_height:
            return False
        left = room - self._paint_cost(painter, box, area, min(length, 2 * least))
        if texts:
            text = (
                self._with_unlabeled_parents(box, texts[0], left)
                if self._map_style.show_names
                else texts[0]
            )
            self._paint_line(painter, place, text, left, Qt.TextElideMode.ElideRight)
        if len(texts) > 1 and area.height() >= 2 * self._line_height:
            below = place + QPointF(0, self._line_height)
            self._paint_line(painter, below, texts[1], room, self._location_elide_mode(box))
        return bool(texts) or left < room

    def _location_elide_mode(self, box: int) -> Qt.TextElideMode:
        """Of a place the end says most; of a cycle, how many members it has."""
        is_cycle = self._box_style.labels.is_cycle(node_at(self._tree.node, box))
        return Qt.TextElideMode.ElideRight if is_cycle else Qt.TextElideMode.ElideLeft

    def _paint_cost(self, painter: QPainter, box: int, area: QRectF, beside: float) -> float:
        """Write the cost at the right; gives the room it took. A name needs so much beside it."""
        if not self._map_style.show_costs:
            return 0.0
        cost = self._box_style.cost(self._tree, box)
        length = self._metrics.horizontalAdvance(cost)
        taken = length + (_COST_GAP if beside else 0.0)
        if area.width() - 2 * _MARGIN < taken + beside:
            return 0.0
        place = area.topRight() - QPointF(_MARGIN + length, -self._metrics.ascent() - 1)
        painter.drawText(place, cost)
        return taken

    def _with_unlabeled_parents(self, box: int, name: str, room: float) -> str:
        """The name behind those of boxes around it that have none, as many as there is room for."""
        nesting, text, joined = self._tree, name, []
        while (around := int(nesting.parent[box])) in self.unlabeled:
            longer = f"{self._box_style.name(nesting, around)}{_NAME_SEPARATOR}{text}"
            if nesting.first_child[around] != box or self._metrics.horizontalAdvance(longer) > room:
                break
            box, text = around, longer
            joined.append(around)
        self.unlabeled.difference_update(joined)
        return text

    def _paint_line(
        self, painter: QPainter, place: QPointF, text: str, room: float, cut: Qt.TextElideMode
    ) -> None:
        """Write one line, cut where it is too long; letters that grow out of it are clipped."""
        base = place + QPointF(0, self._metrics.ascent() + 1)
        shown = self._metrics.elidedText(text, cut, room)
        if _fits_line_height(text):
            painter.drawText(base, shown)
            return
        painter.save()
        painter.setClipRect(QRectF(place, place + QPointF(room, self._line_height + 2)))
        painter.drawText(base, shown)
        painter.restore()


def _fits_line_height(text: str) -> bool:
    """Whether no letter is higher than a line."""
    return text.isascii() or text.replace(_NAME_SEPARATOR, "").isascii()
