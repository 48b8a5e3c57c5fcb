"""Paints the jump arrows of one row, in lanes counted from the text outwards.

Unconditional jumps are solid lines in the colour of links, conditional jumps dashed lines in the
colour of warnings; both are thick at the selected row. Jumps without recorded counts are faint. If
there is no lane for a jump, only its ends are painted, dotted.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from qcachegrind_py.models.code.jump_lanes import JumpLanes, LanePart
from qcachegrind_py.models.code.records import Arrows
from qcachegrind_py.views.code.text_style import CodeStyle

_MARGIN = 3
_HEAD_LENGTH = 3.5  # half the height of an arrowhead
_MIN_LANES = 2
_DASHES = [2.5, 2.0]
_WIDE, _NARROW = 2.0, 1.2  # pixels
_UNKNOWN_ALPHA = 90  # of 255
_TURN_OFFSET = 2.0  # pixels: jumps start below the middle of a row and end above it

# for each part: whether a line leads up and down, and the offset of its turn from the middle
_LINES: dict[int, tuple[bool, bool, float]] = {
    int(LanePart.PASSES): (True, True, 0.0),
    int(LanePart.STARTS_UP): (True, False, _TURN_OFFSET),
    int(LanePart.STARTS_DOWN): (False, True, _TURN_OFFSET),
    int(LanePart.ENDS_FROM_ABOVE): (True, False, -_TURN_OFFSET),
    int(LanePart.ENDS_FROM_BELOW): (False, True, -_TURN_OFFSET),
    int(LanePart.LOOPS): (False, False, -_TURN_OFFSET),
}
_PASSES = int(LanePart.PASSES)


def lane_width(style: CodeStyle) -> float:
    """Return the distance between lanes, in pixels."""
    return max(5.0, style.digit_width * 0.75)


def gutter_width(lanes: int, style: CodeStyle) -> int:
    """Return the width of this many lanes, in pixels."""
    return round((max(_MIN_LANES, lanes) + 1) * lane_width(style)) + 2 * _MARGIN


def paint_jumps(
    painter: QPainter,
    area: QRect,
    arrows: Arrows,
    lanes: JumpLanes,
    record: int,
    style: CodeStyle,
    is_selected: bool,
) -> None:
    """Paint the parts of all arrows that cross the row of a record; `lanes` are in records."""
    segments = lanes.segments(record)
    without_lane = lanes.unplaced_arrows(record)
    if not segments and not without_lane:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for arrow in without_lane:
        is_target = int(lanes.target[arrow]) == record
        color = style.branch if arrows.conditional[arrow] else style.jump
        _paint_stub(painter, area, style.selected_text if is_selected else color, is_target)
    for lane, part, merged in segments:
        arrow, kind = int(merged[0]), int(part)
        is_branch, is_known = bool(arrows.conditional[arrow]), int(arrows.executed[arrow]) >= 0
        color = style.selected_text if is_selected else style.branch if is_branch else style.jump
        pen = _jump_pen(color, is_branch, is_known, is_selected and kind != _PASSES)
        painter.setPen(pen)
        _paint_segment(painter, area, lane, kind, lane_width(style))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_stub(painter: QPainter, area: QRect, color: QColor, is_target: bool) -> None:
    """Paint one end of an arrow without a lane as a dotted line, with a head at the target."""
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
