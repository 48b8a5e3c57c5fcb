"""Draws the jumps of one row: arrows in lanes, from the text outwards.

Always jumping is a full line in the colour of links, jumping under a condition a dashed one in the
colour of warnings, both thick at the selected row; a jump that was not recorded is faint. Of one
that finds no lane only the ends are drawn, dotted.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from qcachegrind_py.models.code.jump_lanes import LanePart
from qcachegrind_py.models.code.records import CodeRecords
from qcachegrind_py.views.code.text_style import CodeStyle

_MARGIN = 3
_HEAD_LENGTH = 3.5  # half the height of an arrow's head
_MIN_LANES = 2
_DASHES = [2.5, 2.0]
_WIDE, _NARROW = 2.0, 1.2  # pixels
_UNKNOWN_ALPHA = 90  # of 255
_TURN_OFFSET = 2.0  # what starts in a row turns so much below the middle, what ends there above it

# of each part: whether a line leads up, whether down, and on which side of the middle it turns
_LINES: dict[int, tuple[bool, bool, float]] = {
    int(LanePart.PASSES): (True, True, 0.0),
    int(LanePart.STARTS_UP): (True, False, _TURN_OFFSET),
    int(LanePart.STARTS_DOWN): (False, True, _TURN_OFFSET),
    int(LanePart.ENDS_FROM_ABOVE): (True, False, -_TURN_OFFSET),
    int(LanePart.ENDS_FROM_BELOW): (False, True, -_TURN_OFFSET),
    int(LanePart.LOOPS): (False, False, -_TURN_OFFSET),
}
_PASSES = int(LanePart.PASSES)


def lane_width(look: CodeStyle) -> float:
    """From one lane to the next."""
    return max(5.0, look.digit_width * 0.75)


def gutter_width(lanes: int, look: CodeStyle) -> int:
    """The room that so many lanes need."""
    return round((max(_MIN_LANES, lanes) + 1) * lane_width(look)) + 2 * _MARGIN


def paint_jumps(
    painter: QPainter,
    area: QRect,
    records: CodeRecords,
    record: int,
    look: CodeStyle,
    is_selected: bool,
) -> None:
    """What of all arrows is in the row of a record."""
    segments = records.lanes.segments(record)
    without_room = records.lanes.unplaced_arrows.get(record, ())
    if not segments and not without_room:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    arrows = records.arrows
    for arrow in without_room:
        is_target = int(records.lanes.target[arrow]) == record
        color = look.branch if arrows.conditional[arrow] else look.jump
        _paint_stub(painter, area, look.selected_text if is_selected else color, is_target)
    for lane, part, merged in segments:
        arrow, kind = int(merged[0]), int(part)
        is_branch, is_known = bool(arrows.conditional[arrow]), int(arrows.executed[arrow]) >= 0
        color = look.selected_text if is_selected else look.branch if is_branch else look.jump
        pen = _jump_pen(color, is_branch, is_known, is_selected and kind != _PASSES)
        painter.setPen(pen)
        _paint_segment(painter, area, lane, kind, lane_width(look))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_stub(painter: QPainter, area: QRect, color: QColor, is_target: bool) -> None:
    """The end of an arrow that has no room: dots that lead away, or to the text."""
    painter.setPen(QPen(color, _WIDE, Qt.PenStyle.DotLine))
    left, right = area.left() + _MARGIN, area.right() - _MARGIN
    middle = (area.top() + area.bottom() + 1) / 2 + (-_TURN_OFFSET if is_target else _TURN_OFFSET)
    painter.drawLine(QPointF(left, middle), QPointF(right, middle))
    if is_target:
        _paint_head(painter, right, middle, color)


def _paint_head(painter: QPainter, right: float, turn: float, color: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    tip, back = QPointF(right + 1, turn), QPointF(_HEAD_LENGTH * 1.4, 0)
    half = QPointF(0, _HEAD_LENGTH)
    painter.drawPolygon(QPolygonF([tip, tip - back - half, tip - back + half]))


def _jump_pen(color: QColor, is_branch: bool, is_known: bool, is_wide: bool) -> QPen:
    if not is_known:
        color = QColor(color)
        color.setAlpha(_UNKNOWN_ALPHA)
    pen = QPen(color, _WIDE if is_wide else _NARROW)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if is_branch:
        pen.setDashPattern(_DASHES)
    return pen


def _paint_segment(painter: QPainter, area: QRect, lane: int, part: int, width: float) -> None:
    right = area.right() - _MARGIN
    x, top, bottom = right - (lane + 1) * width, area.top(), area.bottom() + 1
    up, down, shift = _LINES[part]
    if part == _PASSES:
        painter.drawLine(QPointF(x, top), QPointF(x, bottom))
        return
    turn = (top + bottom) / 2 + shift
    if up:
        painter.drawLine(QPointF(x, top), QPointF(x, turn))
    if down:
        painter.drawLine(QPointF(x, turn), QPointF(x, bottom))
    painter.drawLine(QPointF(x, turn), QPointF(right, turn))
    if shift < 0:
        _paint_head(painter, right, turn, painter.pen().color())
