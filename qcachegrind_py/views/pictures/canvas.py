"""The canvas of all pictures: mouse, keyboard, selection, tips, menu, screen readers, export.

A click selects a box, a double click or Return activates it; arrow keys lead to other boxes, plus,
minus and 0 zoom. Subclasses place the boxes of their picture and paint them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QMenu, QToolTip

from qcachegrind_py.present.picture import NOWHERE, Detail, Picture, Spot
from qcachegrind_py.views.pictures.zoom import Zoom, zoom_of_key
from qcachegrind_py.views.widgets.buttons import open_context_menu
from qcachegrind_py.views.widgets.labels import tip_text

ARROW_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
_STALE_OPACITY = 150  # of 255
_PRESSED = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton


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
        self.press: Press | None = None  # while a button is pressed
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
        """The number of boxes."""
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
        """Whether the picture is shown in grey."""
        return self._is_stale

    # ---------------------------------------------------------------- for the subclasses

    def spot_at(self, position: QPointF) -> Spot:
        """Return what is at a position in the viewport."""
        raise NotImplementedError

    def box_rect(self, box: int) -> QRectF:
        """Return the area of a box in the viewport; empty if it is not shown."""
        raise NotImplementedError

    def paint_content(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the picture with its marks inside an area of the viewport."""
        raise NotImplementedError

    def picture_size(self) -> QSizeF:
        """Return the size of the whole picture, in logical pixels."""
        raise NotImplementedError

    def paint_picture(self, painter: QPainter) -> None:
        """Paint the whole picture for export."""
        raise NotImplementedError

    def box_of(self, spot: Spot) -> int:
        """Return the box of a spot."""
        return spot.box

    def next_box(self, key: int) -> int:
        """Return the box that an arrow key leads to."""
        raise NotImplementedError

    def keyboard_box(self) -> int:
        """Return the box that keys act on."""
        return self.current

    def show_box(self, box: int) -> None:
        """Move the picture until a box is visible."""
        raise NotImplementedError

    def show_home(self) -> None:
        """Go to where reading begins."""
        raise NotImplementedError

    def zoom_by_step(self, step: Zoom) -> None:
        """Zoom as a button or key requests."""
        raise NotImplementedError

    def drag(self, press: Press, position: QPointF) -> bool:
        """Move the picture by the mouse; return whether this picture can be moved."""
        return False

    def click(self, position: QPointF, spot: Spot) -> None:
        """Select what was clicked."""
        self.set_current(self.box_of(spot))
        self.pointed = spot

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
        """Activate what a box is of."""
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
        """Describe the current box to screen readers, and what the line below is about."""
        picture, box = self.picture, self.current
        is_there = picture is not None and 0 <= box < self.box_count
        self.setAccessibleDescription(picture.spoken(box) if picture and is_there else "")
        self._announce_detail()

    def _announce_detail(self) -> None:
        """Describe what is under the mouse, or else the current box."""
        spot = self.hovered if self.hovered != NOWHERE else Spot(self.current)
        self.detail_changed.emit(self.detail_of(spot))

    def _hover(self, position: QPointF | None) -> None:
        """Mark and describe what is at a viewport position; None if the mouse has left."""
        spot = NOWHERE if position is None or self.picture is None else self.spot_at(position)
        if spot != self.hovered:
            before, self.hovered = self.hovered, spot
            self.update_spot(before)
            self.update_spot(spot)
            self._announce_detail()

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
        self.press = Press(event.position(), spot)
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

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton and self.picture is not None:
            self.activate(self.box_of(self.spot_at(event.position())))

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Leave:
            self._hover(None)
        elif event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            if event.buttons() == Qt.MouseButton.NoButton:  # else it is dragging
                self._hover(event.position())
        elif event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            tip = self.tip_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), tip, self.viewport())
            return True
        return super().viewportEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        if self.picture is None:
            return
        position, spot = event.globalPos(), Spot(self.keyboard_box())
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            spot = self.spot_at(QPointF(self.viewport().mapFromGlobal(position)))
        elif spot.box >= 0:
            position = self.viewport().mapToGlobal(self.box_rect(spot.box).center().toPoint())
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
        key, is_plain = event.key(), not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if not self.box_count:
            super().keyPressEvent(event)
        elif key in ARROW_KEYS and is_plain:
            self.set_current(self.next_box(key))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.keyboard_box())
        elif (step := zoom_of_key(event)) is not None:
            self.zoom_by_step(step)
        elif key == Qt.Key.Key_Home:
            self.show_home()
        else:
            super().keyPressEvent(event)


def paint_stale_overlay(painter: QPainter, area: QRectF | QRect, palette: QPalette) -> None:
    """Grey outdated content with a translucent overlay."""
    veil = QColor(palette.color(QPalette.ColorRole.Base))
    veil.setAlpha(_STALE_OPACITY)
    painter.fillRect(area, veil)
