"""The canvas of all pictures: mouse, keyboard, selection, tips, menu, screen readers, export.

With it come the steps of zooming with their keys.

A click selects a box, a double click or Return activates it: the box that the first click hit, as
that may zoom. Arrow keys lead to other boxes, plus, minus and 0 zoom. Subclasses place the boxes of
their picture and paint them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QMenu,
    QToolTip,
)

from qcachegrind_py.present.picture import NOWHERE, Detail, Picture, Spot, Step
from qcachegrind_py.views.widgets.controls import open_context_menu, tip_text

STEPS: dict[int, Step] = {  # by arrow keys, where pictures lead downwards
    Qt.Key.Key_Up: Step.BACK,
    Qt.Key.Key_Down: Step.AHEAD,
    Qt.Key.Key_Left: Step.PREVIOUS,
    Qt.Key.Key_Right: Step.NEXT,
}
ZOOM_STEP = 1.25  # zoom factor for one key press or one notch of the wheel
WHEEL_NOTCH = 120  # one notch in Qt's wheel events, in eighths of a degree
_STALE_OPACITY = 150  # of 255
_KEY_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
_PRESSED = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton


class Zoom(Enum):
    """A step of zooming, as keys and buttons request it."""

    OUT = "out"
    IN = "in"
    FIT = "fit"  # show the whole picture
    ACTUAL_SIZE = "actual size"  # 100 %, in pictures of a fixed size


_KEYS: dict[int, Zoom] = {
    Qt.Key.Key_Minus: Zoom.OUT,
    Qt.Key.Key_Plus: Zoom.IN,
    Qt.Key.Key_Equal: Zoom.IN,  # plus without Shift on many keyboards
    Qt.Key.Key_0: Zoom.FIT,
    Qt.Key.Key_1: Zoom.ACTUAL_SIZE,
}


def zoom_of_key(event: QKeyEvent) -> Zoom | None:
    """Return the step that a key stands for, with or without Ctrl; None for other keys."""
    extra = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
    return None if event.modifiers() & extra else _KEYS.get(event.key())


# -------------------------------------------------------------------- the canvas


@dataclass(slots=True)
class Press:
    """Where a mouse button was pressed, and whether the picture has been dragged since."""

    position: QPointF
    spot: Spot
    is_drag: bool = False


class Canvas(QAbstractScrollArea):
    """A canvas for one picture. Boxes are identified by their row in it; -1 means none."""

    activated = Signal(object)  # int: the key of a box
    selected = Signal(object)  # int: the key of a box, or of a line in it
    menu_requested = Signal(object, object)  # QMenu, int: the menu to fill for this box
    current_changed = Signal()  # another box has become current or been zoomed to
    detail_changed = Signal(object)  # Detail | None: of what is under the mouse, or current box

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.picture: Picture | None = None
        self.current = -1  # the box on which keys act
        self.hovered = NOWHERE  # what is under the mouse
        self.pointed = NOWHERE  # what was clicked or has the menu, until another box is current
        self.is_led_by_keys = False  # it has the focus, and the last input was a key
        self.press: Press | None = None  # while a button is pressed
        self._hit = QPointF(-1, -1), -1  # where the last click began, and on which box
        self._is_stale = False
        self._menu: QMenu | None = None  # while it is open
        self.current_changed.connect(self.announce)

    # ---------------------------------------------------------------- content

    def show_picture(self, picture: Picture | None) -> None:
        """Take another picture, without a current box; None for none."""
        if self._menu is not None:
            self._menu.close()  # its items refer to the picture
        self.picture = picture
        self.current, self.hovered, self.pointed, self.press = -1, NOWHERE, NOWHERE, None
        self.viewport().update()

    def clear(self) -> None:
        """Remove the picture and every reference to the profile."""
        self.show_picture(None)
        self.announce()

    @property
    def box_count(self) -> int:
        return 0 if self.picture is None else len(self.picture)

    def key_of(self, box: int) -> int:
        """Return the key of a box; -1 for none."""
        return self.picture.key(box) if self.picture and 0 <= box < self.box_count else -1

    def set_stale(self, stale: bool) -> None:
        """Grey the picture while its replacement is being computed."""
        self._is_stale = stale
        self.viewport().update()

    @property
    def is_grey(self) -> bool:
        return self._is_stale

    # ---------------------------------------------------------------- for the subclasses

    def spot_at(self, position: QPointF) -> Spot:
        raise NotImplementedError

    def box_rect(self, box: int) -> QRectF:
        """Return the area of a box in the viewport; empty if it is not shown."""
        raise NotImplementedError

    def spot_rect(self, spot: Spot) -> QRectF:
        """Return the area of a spot in the viewport, which its tip leaves uncovered."""
        return self.box_rect(spot.box)

    @property
    def read_around(self) -> int:
        """How many pixels above and below a spot its tip leaves uncovered as well."""
        return 0

    def paint_content(self, painter: QPainter, exposed: QRectF) -> None:
        raise NotImplementedError

    def picture_size(self) -> QSizeF:
        """Return the size of the whole picture, in logical pixels."""
        raise NotImplementedError

    def paint_picture(self, painter: QPainter) -> None:
        raise NotImplementedError

    def box_of(self, spot: Spot) -> int:
        return spot.box

    def next_box(self, key: int) -> int:
        raise NotImplementedError

    def step(self, key: int) -> None:
        """Move by an arrow key."""
        self.set_current(self.next_box(key))

    def keyboard_box(self) -> int:
        return self.current

    def keyboard_spot(self) -> Spot:
        """Return what keys and the menu of the keyboard act on."""
        return Spot(self.keyboard_box())

    def show_box(self, box: int) -> None:
        """Move the picture until a box is visible."""
        raise NotImplementedError

    def show_home(self) -> None:
        """Go to where reading begins."""
        raise NotImplementedError

    def zoom_by_step(self, step: Zoom) -> None:
        raise NotImplementedError

    def drag(self, press: Press, position: QPointF) -> bool:
        """Move the picture by the mouse; return whether this picture can be moved."""
        return False

    def click(self, position: QPointF, spot: Spot) -> None:
        self.set_current(self.box_of(spot))
        self.pointed = spot

    def mark_focus(self) -> None:
        """Show where the keyboard is, or that it is elsewhere."""
        self.viewport().update()

    def update_spot(self, spot: Spot) -> None:
        """Repaint a spot of which the mark has changed."""
        self.viewport().update()

    def color_of(self, _spot: Spot, detail: Detail) -> Detail:
        """Return the line below the picture with its colour, which may depend on the palette."""
        return detail

    # ---------------------------------------------------------------- the current box

    def set_current(self, box: int) -> None:
        """Make a box current, bring it into view, and select it in all views."""
        if not 0 <= box < self.box_count:
            return
        self.current, self.pointed = box, NOWHERE
        self.show_box(box)
        self.viewport().update()
        self.current_changed.emit()
        self.emit_selected(box)

    def emit_selected(self, box: int) -> None:
        """Tell other views that the user has moved to a box."""
        if (key := self.key_of(box)) >= 0:
            self.selected.emit(key)

    def activate(self, box: int) -> None:
        if (key := self.key_of(box)) >= 0:
            self.activated.emit(key)

    # ---------------------------------------------------------------- words about a spot

    def tip_at(self, position: QPointF) -> str:
        """Return the tooltip at a position in the viewport; empty if nothing is there."""
        spot = self.spot_at(position) if self.picture is not None else NOWHERE
        return "" if self.picture is None or spot == NOWHERE else tip_text(*self.picture.tip(spot))

    def detail_of(self, spot: Spot) -> Detail | None:
        """Return the line below the picture about a spot; None for nothing."""
        if self.picture is None or spot == NOWHERE or spot.box >= self.box_count:
            return None
        return self.color_of(spot, self.picture.detail(spot))

    def announce(self) -> None:
        """Tell screen readers what keys act on, and the line below what is pointed at."""
        picture, is_there = self.picture, 0 <= self.keyboard_box() < self.box_count
        self.setAccessibleDescription(self.spoken(picture) if picture and is_there else "")
        self.detail_changed.emit(self.detail_of(self.hovered))

    def spoken(self, picture: Picture) -> str:
        """Return a sentence for screen readers about what keys act on."""
        return picture.spoken(self.keyboard_box())

    def _hover(self, position: QPointF | None) -> None:
        """Mark and describe what is at a viewport position; None if the mouse has left."""
        spot = NOWHERE if position is None or self.picture is None else self.spot_at(position)
        if spot != self.hovered:
            before, self.hovered = self.hovered, spot
            self.update_spot(before)
            self.update_spot(spot)
            self.detail_changed.emit(self.detail_of(spot))

    # ---------------------------------------------------------------- Qt's events

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self.palette().color(QPalette.ColorRole.Base))
        if self.picture is not None:
            painter.setFont(self.font())
            self.paint_content(painter, QRectF(event.rect()))
        if self.is_grey:
            painter.resetTransform()
            paint_stale_overlay(painter, event.rect(), self.palette())
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() not in _PRESSED:
            return
        spot = self.spot_at(event.position()) if self.picture is not None else NOWHERE
        self._set_by_keys(False)
        self.press = Press(event.position(), spot)
        self._hit = event.position(), self.box_of(spot)
        self.begin_drag(self.press)

    def begin_drag(self, press: Press) -> None:
        """Note where the picture is, as it may be dragged from here."""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        press = self.press
        if press is None:
            return
        moved = event.position() - press.position
        if press.is_drag or moved.manhattanLength() >= QApplication.startDragDistance():
            press.is_drag = self.drag(press, event.position())
            if press.is_drag:
                self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        press, self.press = self.press, None
        self.viewport().unsetCursor()
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and press is not None and not press.is_drag:
            self.press = press  # a clicked box stays under the pointer
            self.click(event.position(), press.spot)
            self.press = None
            self.detail_changed.emit(self.detail_of(press.spot))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton and self.picture is not None:
            place, box = self._hit  # what is there by now, the first click may have brought there
            moved = (event.position() - place).manhattanLength()
            is_same = moved <= QApplication.startDragDistance()
            self.activate(box if is_same else self.box_of(self.spot_at(event.position())))

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Leave:
            self._hover(None)
        elif event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            if event.buttons() == Qt.MouseButton.NoButton:  # else it is dragging
                self._hover(event.position())
        elif event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._show_tip(event.pos())
            return True
        return super().viewportEvent(event)

    def _show_tip(self, position: QPoint) -> None:
        tip, viewport = self.tip_at(QPointF(position)), self.viewport()
        if not tip:
            QToolTip.hideText()
            return
        spot, line = self.spot_at(QPointF(position)), self.fontMetrics().height()
        box = QRect(position, QSize(1, 1)).adjusted(-line, -line, line, line)
        if spot.arrow < 0:
            box = self.spot_rect(spot).toAlignedRect() & viewport.rect()
        origin = viewport.mapToGlobal(QPoint())
        place = tip_place(
            _size_of_tip(tip),
            viewport.mapToGlobal(position),
            read=box.adjusted(0, -self.read_around, 0, self.read_around).translated(origin),
            picture=viewport.rect().translated(origin),
            screen=self.screen().availableGeometry(),
        )
        QToolTip.showText(place - _TIP_OFFSET, tip, viewport, box)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self._set_by_keys(event.reason() in _KEY_REASONS)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self._set_by_keys(False)

    def _set_by_keys(self, by_keys: bool) -> None:
        self.is_led_by_keys = by_keys
        self.mark_focus()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        if self.picture is None:
            return
        position, spot = event.globalPos(), self.keyboard_spot()
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            spot = self.spot_at(QPointF(self.viewport().mapFromGlobal(position)))
        elif spot != NOWHERE:
            position = self.viewport().mapToGlobal(self.spot_rect(spot).center().toPoint())
        self.pointed, box = spot, self.box_of(spot)
        self._open_menu(position, lambda menu: self.menu_requested.emit(menu, box))

    def _open_menu(self, position: QPoint, fill: Callable[[QMenu], None]) -> None:
        """Show the menu that `fill` builds at a screen position; blocks until it is closed."""
        self._menu = menu = QMenu(self)
        menu.setToolTipsVisible(True)
        fill(menu)
        open_context_menu(menu, position)
        self._menu = None

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        self._set_by_keys(True)
        key, is_plain = event.key(), not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if not self.box_count:
            super().keyPressEvent(event)
        elif key in STEPS and is_plain:
            self.step(key)
            self.detail_changed.emit(self.detail_of(self.keyboard_spot()))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.keyboard_box())
        elif (step := zoom_of_key(event)) is not None:
            self.zoom_by_step(step)
        elif key == Qt.Key.Key_Home:
            self.show_home()
        else:
            super().keyPressEvent(event)


# -------------------------------------------------------------------- tips

_TIP_GAP = 8  # pixels between a tip and what is read
_TIP_OFFSET = QPoint(2, 16)  # by which Qt moves a tip away from the pointer
_TIP_FRAME = 12  # pixels of its frame and margins


def tip_place(
    size: QSize, pointer: QPoint, *, read: QRect, picture: QRect, screen: QRect
) -> QPoint:
    """Return where a tip begins so that it covers nothing that is read: below it, or above.

    If there is no room on the screen, it is outside the picture, or in the corner of the picture
    that is farthest from the pointer.
    """
    x = min(max(pointer.x(), screen.left()), screen.right() - size.width())
    heights = (
        read.bottom() + _TIP_GAP,
        read.top() - _TIP_GAP - size.height(),
        picture.bottom() + _TIP_GAP,
        picture.top() - _TIP_GAP - size.height(),
    )
    for y in heights:
        if screen.top() <= y and y + size.height() <= screen.bottom():
            return QPoint(x, y)
    middle = picture.center()
    return QPoint(
        picture.left() if pointer.x() > middle.x() else picture.right() - size.width(),
        picture.top() if pointer.y() > middle.y() else picture.bottom() - size.height(),
    )


def _size_of_tip(tip: str) -> QSize:
    document = QTextDocument()
    document.setDefaultFont(QToolTip.font())
    document.setHtml(tip)
    return document.size().toSize() + QSize(_TIP_FRAME, _TIP_FRAME)


def paint_stale_overlay(painter: QPainter, area: QRectF | QRect, palette: QPalette) -> None:
    """Grey outdated content with a translucent overlay."""
    veil = QColor(palette.color(QPalette.ColorRole.Base))
    veil.setAlpha(_STALE_OPACITY)
    painter.fillRect(area, veil)
