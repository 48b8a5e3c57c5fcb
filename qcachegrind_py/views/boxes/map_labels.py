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
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.boxes.painting_style import BoxLook, MapStyle

_MARGIN = 3.0  # pixels between a box's edge and text
_APART = 8.0  # pixels between a name and its cost
_LEAST_CUT = 9  # digits of a name that is cut: less of it says nothing
_LEAST = 3  # digits: boxes with less room are not looked at
_UPRIGHT = 1.5  # times higher than wide, at least
_WITHIN = " › "  # between the names of a label


class MapLabels:
    """Writes into one box after the other; boxes must come before those they hold."""

    def __init__(
        self, nesting: FrameTree, look: BoxLook, style: MapStyle, metrics: QFontMetricsF
    ) -> None:
        self._nesting, self._look, self._style, self._metrics = nesting, look, style, metrics
        self.unnamed: set[int] = set()  # boxes without a name, so far
        digit = metrics.horizontalAdvance("0")
        self._least_cut = _LEAST_CUT * digit
        self._least = _LEAST * digit + 2 * _MARGIN
        self._line = metrics.height()  # of text, in pixels

    def may_fit(self, areas: Float64Array, boxes: Int64Array) -> BoolArray:
        """Which boxes are worth a try, by edges of areas, shape (areas, 4, boxes).

        The others have no name.
        """
        width, height = areas[:, 2] - areas[:, 0], areas[:, 3] - areas[:, 1]
        fits = (width >= self._least) & (height >= self._line)
        if self._style.rotate:
            fits |= (height >= self._least) & (width >= self._line)
        found: BoolArray = np.asarray(fits.any(axis=0))
        self.unnamed.update(boxes[~found].tolist())
        return found

    def write(self, painter: QPainter, box: int, areas: Iterable[QRectF]) -> None:
        """Write into the first of the areas with enough room, in the painter's pen and font."""
        texts = self._texts(box)
        length = self._metrics.horizontalAdvance(texts[0]) if texts else 0.0
        if not any(self._write(painter, box, area, texts, length) for area in areas):
            self.unnamed.add(box)

    def _write(
        self, painter: QPainter, box: int, area: QRectF, texts: list[str], length: float
    ) -> bool:
        """Write, upright where it does not fit across and that is wanted; gives whether it did."""
        stands = length > area.width() - 2 * _MARGIN and area.height() > _UPRIGHT * area.width()
        if not (stands and self._style.rotate):
            return self._write_across(painter, box, area, texts, length)
        painter.save()
        painter.translate(area.bottomLeft())
        painter.rotate(-90)
        lying = QRectF(0, 0, area.height(), area.width())
        is_written = self._write_across(painter, box, lying, texts, length)
        painter.restore()
        return is_written

    def _texts(self, box: int) -> list[str]:
        """Name and place, as far as they are wanted."""
        texts = [self._look.name(self._nesting, box)] if self._style.show_names else []
        entry = int(self._nesting.node[box])
        if self._style.show_places and entry >= 0:
            texts.append(cell_text(self._look.labels.location(entry)))
        return texts

    def _write_across(
        self, painter: QPainter, box: int, area: QRectF, texts: list[str], length: float
    ) -> bool:
        room, place = area.width() - 2 * _MARGIN, area.topLeft() + QPointF(_MARGIN, 0)
        least = min(length, self._least_cut)
        if room < least or area.height() < self._line:
            return False
        left = room - self._write_cost(painter, box, area, min(length, 2 * least))
        if texts:
            text = self._with_unnamed(box, texts[0], left) if self._style.show_names else texts[0]
            self._draw(painter, place, text, left, Qt.TextElideMode.ElideRight)
        if len(texts) > 1 and area.height() >= 2 * self._line:
            below = place + QPointF(0, self._line)
            self._draw(painter, below, texts[1], room, self._place_cut(box))
        return bool(texts) or left < room

    def _place_cut(self, box: int) -> Qt.TextElideMode:
        """Of a place the end says most; of a cycle, how many members it has."""
        is_cycle = self._look.labels.is_cycle(int(self._nesting.node[box]))
        return Qt.TextElideMode.ElideRight if is_cycle else Qt.TextElideMode.ElideLeft

    def _write_cost(self, painter: QPainter, box: int, area: QRectF, beside: float) -> float:
        """Write the cost at the right; gives the room it took. A name needs so much beside it."""
        if not self._style.show_costs:
            return 0.0
        cost = self._look.cost(self._nesting, box)
        length = self._metrics.horizontalAdvance(cost)
        taken = length + (_APART if beside else 0.0)
        if area.width() - 2 * _MARGIN < taken + beside:
            return 0.0
        place = area.topRight() - QPointF(_MARGIN + length, -self._metrics.ascent() - 1)
        painter.drawText(place, cost)
        return taken

    def _with_unnamed(self, box: int, name: str, room: float) -> str:
        """The name behind those of boxes around it that have none, as many as there is room for."""
        nesting, text, joined = self._nesting, name, []
        while (around := int(nesting.parent[box])) in self.unnamed:
            longer = f"{self._look.name(nesting, around)}{_WITHIN}{text}"
            if nesting.first_child[around] != box or self._metrics.horizontalAdvance(longer) > room:
                break
            box, text = around, longer
            joined.append(around)
        self.unnamed.difference_update(joined)
        return text

    def _draw(
        self, painter: QPainter, place: QPointF, text: str, room: float, cut: Qt.TextElideMode
    ) -> None:
        """Write one line, cut where it is too long; letters that grow out of it are clipped."""
        base = place + QPointF(0, self._metrics.ascent() + 1)
        shown = self._metrics.elidedText(text, cut, room)
        if _is_flat(text):
            painter.drawText(base, shown)
            return
        painter.save()
        painter.setClipRect(QRectF(place, place + QPointF(room, self._line + 2)))
        painter.drawText(base, shown)
        painter.restore()


def _is_flat(text: str) -> bool:
    """Whether no letter is higher than a line."""
    return text.isascii() or text.replace(_WITHIN, "").isascii()
