"""A large button of the welcome page: icon, title, description and key of an action."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QColor,
    QFont,
    QFontMetrics,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

_CORNER_RADIUS = 8  # pixels
_NATIVE = QKeySequence.SequenceFormat.NativeText


class ActionCard(QAbstractButton):
    """Triggers an action and shows its description."""

    def __init__(self, action: QAction) -> None:
        super().__init__()
        self._action = action
        self._title = action.text().replace("&", "").removesuffix("…")
        self._description = action.statusTip()
        self._key = action.shortcut().toString(_NATIVE)
        self.setText(self._title)
        self.setAccessibleName(self._title)
        self.setAccessibleDescription(self._description)
        self.setToolTip(action.toolTip())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(lambda: action.trigger())
        action.changed.connect(lambda: self.setEnabled(action.isEnabled()))

    def _title_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 1.15)
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def sizeHint(self) -> QSize:  # noqa: N802
        """Two lines with margins, wide enough for the description."""
        line = self.fontMetrics().height()
        texts = (self._description, self._title + self._key)
        width = max(map(QFontMetrics(self._title_font()).horizontalAdvance, texts))
        return QSize(width + 5 * line, 7 * line // 2)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Wide enough for the title; the description may be elided."""
        line = self.fontMetrics().height()
        return QSize(16 * line, 7 * line // 2)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw icon, title, key and description in the palette's colours."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_ground(painter)
        line = self.fontMetrics().height()
        side = 3 * line // 2
        picture = QRect(line, (self.height() - side) // 2, side, side)
        self._action.icon().paint(painter, picture)
        area = self.rect().adjusted(2 * line + side, line // 2, -line, -line // 2)
        role = QPalette.ColorRole
        upper = Qt.AlignmentFlag.AlignTop
        painter.setPen(self.palette().color(role.PlaceholderText))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | upper, self._key)
        description = self.fontMetrics().elidedText(
            self._description, Qt.TextElideMode.ElideRight, area.width()
        )
        painter.drawText(
            area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, description
        )
        painter.setFont(self._title_font())
        painter.setPen(self.palette().color(role.WindowText))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | upper, self._title)

    def _draw_ground(self, painter: QPainter) -> None:
        """Draw the rounded background, tinted under the mouse, with a ring on focus."""
        role, palette = QPalette.ColorRole, self.palette()
        sheet = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        edge = palette.color(role.Highlight if self.hasFocus() else role.Mid)
        ground = palette.color(role.Base)
        if self.isDown():
            ground = palette.color(role.Button)
        elif self.underMouse() and self.isEnabled():
            ground = _blend(ground, palette.color(role.Highlight))
        painter.setPen(QPen(edge, 2 if self.hasFocus() else 1))
        painter.setBrush(ground)
        painter.drawRoundedRect(sheet, _CORNER_RADIUS, _CORNER_RADIUS)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.HoverEnter, QEvent.Type.HoverLeave):
            self.update()
        return super().event(event)


def _blend(ground: QColor, tint: QColor) -> QColor:
    """Mix nine parts of the ground with one part of the tint."""

    def mixed(color: str) -> int:
        return int(9 * getattr(ground, color)() + getattr(tint, color)()) // 10

    return QColor(mixed("red"), mixed("green"), mixed("blue"))
