"""What call maps and flame graphs have in common: mouse, keyboard, marks, tips and menus.

A click chooses a box, which marks its function in all views; a double click or Return goes to the
function; plus, minus and 0 zoom. Where boxes are and how they are drawn, the subclasses know.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.boxes.painting_style import BoxStyle
from qcachegrind_py.views.common.picture_canvas import CanvasMenu, paint_stale_overlay, show_tooltip

_MIN_OUTLINE_WIDTH = 3.0  # pixels of a box that is outlined
_MAX_OUTLINED = 500  # boxes of the selected function


class BoxCanvas(QAbstractScrollArea):
    """Shows one nesting. Boxes are rows of it; -1 is none."""

    function_activated = Signal(object)  # NodeId
    function_selected = Signal(object)  # NodeId
    menu_requested = Signal(object, object)  # QMenu, int: to be filled for this box
    current_changed = Signal()  # another box is current, or zoomed to

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.tree: FrameTree | None = None
        self.box_style: BoxStyle | None = None
        self.current = -1
        self.zoom_root = 0
        self.matches: BoolArray | None = None  # of functions and cycles; None: no search
        self.shows_callers = False  # boxes hold those who call them, not what they call
        self._highlighted_node = NO_NODE
        self._is_stale = False
        self._menu = CanvasMenu(self)

    # ---------------------------------------------------------------- what is shown

    def set_boxes(self, tree: FrameTree, style: BoxStyle) -> None:
        """Show these boxes, all of them."""
        self._menu.close()
        self.tree, self.box_style = tree, style
        self.current, self.zoom_root = -1, 0
        self.set_stale(False)
        self.lay_out()
        self.current_changed.emit()

    def set_box_style(self, style: BoxStyle) -> None:
        """Draw the same boxes otherwise."""
        self.box_style = style
        self.lay_out()

    def clear(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        self._menu.close()
        self.tree = self.box_style = self.matches = None
        self.current, self.zoom_root, self._highlighted_node = -1, 0, NO_NODE
        self.lay_out()

    def set_matches(self, matches: BoolArray | None) -> None:
        """Fade the boxes of all other functions; None for no search."""
        self.matches = matches
        self.lay_out()

    def highlight(self, node: NodeId) -> None:
        """Mark the boxes of this function or cycle; `NO_NODE` for none."""
        self._highlighted_node = node
        self.viewport().update()

    def set_stale(self, stale: bool) -> None:
        """Grey what is shown: it is about to be replaced."""
        self._is_stale = stale
        self.viewport().update()

    # ---------------------------------------------------------------- for the subclasses

    def lay_out(self) -> None:
        """Find where the boxes are, after any change, and draw them."""
        raise NotImplementedError

    def box_at(self, position: QPointF) -> int:
        """The box at a place of the viewport; -1 for none."""
        raise NotImplementedError

    def box_rect(self, box: int) -> QRectF:
        """Where a box is in the viewport; empty where it is not shown."""
        raise NotImplementedError

    def visible_boxes(self, boxes: Int64Array) -> Int64Array:
        """Those of the boxes that the viewport shows, or all of them."""
        return boxes

    def paint_boxes(self, painter: QPainter) -> None:
        """Draw all boxes that are in sight, with their names, as the viewport shows them."""
        raise NotImplementedError

    def zoom_to(self, box: int) -> None:
        """Let a box have all the room."""
        raise NotImplementedError

    def show_box(self, box: int) -> None:
        """Scroll until the box is in sight."""

    def keyboard_box(self) -> int:
        """The box that keys start from: the current one, if it is in the zoomed one, or that."""
        return max(self.current, self.zoom_root)

    def adjacent_box(self, box: int, key: int) -> int:
        """Where an arrow key leads from a box: out, in, to a sibling; the box itself for no way."""
        nesting = self.tree
        if nesting is None:
            return box
        if key == Qt.Key.Key_Up:
            return max(0, int(nesting.parent[box])) if box != self.zoom_root else box
        if key == Qt.Key.Key_Down:
            below = nesting.children_of(box)
            return below[0] if len(below) else box
        beside = box + (1 if key == Qt.Key.Key_Right else -1)
        if box == self.zoom_root or not 0 <= beside < len(nesting):
            return box
        return beside if nesting.parent[beside] == nesting.parent[box] else box

    # ---------------------------------------------------------------- the current box

    def set_current(self, box: int) -> None:
        """Make a box the current one, and mark its function everywhere."""
        nesting = self.tree
        if nesting is None or not 0 <= box < len(nesting):
            return
        self.current = box
        self.show_box(box)
        self.viewport().update()
        self.current_changed.emit()
        if (node := node_at(nesting.node, box)) != NO_NODE:
            self.function_selected.emit(node)

    def activate(self, box: int) -> None:
        """Go to the function of a box."""
        if self.tree is None or box < 0:
            return
        if (node := node_at(self.tree.node, box)) != NO_NODE:
            self.function_activated.emit(node)

    def zoom_out(self) -> None:
        """Let the box around have the room."""
        if self.tree is not None and self.zoom_root > 0:
            self.zoom_to(max(0, int(self.tree.parent[self.zoom_root])))

    # ---------------------------------------------------------------- painting

    def is_faded(self, node: NodeId) -> bool:
        """Whether a search has found others, and not this one."""
        return self.matches is not None and not (node != NO_NODE and self.matches[node])

    def picture_size(self) -> QSizeF:
        """The size of what is shown, in logical pixels."""
        return QSizeF(self.viewport().size())

    def paint_picture(self, painter: QPainter) -> None:
        """Draw what is shown anywhere else, without the marks of the moment."""
        area = QRectF(QPointF(), self.picture_size())
        painter.fillRect(area, self.palette().color(QPalette.ColorRole.Base))
        if self.tree is not None:
            painter.setFont(self.font())
            self.paint_boxes(painter)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), self.palette().color(QPalette.ColorRole.Base))
        if self.tree is not None:
            self.paint_boxes(painter)
            self._paint_outlines(painter, self.tree)
        if self._is_stale:
            paint_stale_overlay(painter, self.viewport().rect(), self.palette())
        painter.end()

    def _paint_outlines(self, painter: QPainter, tree: FrameTree) -> None:
        """Outline the boxes of the selected function, and the current box more strongly."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        marked = (
            tree.frames_of(self._highlighted_node)
            if self._highlighted_node != NO_NODE
            else np.array([], int)
        )
        text = self.palette().color(QPalette.ColorRole.Text)
        painter.setPen(QPen(text, 1.5))
        for box in self.visible_boxes(marked)[:_MAX_OUTLINED].tolist():
            self._paint_outline(painter, box)
        if self.current >= 0:
            painter.setPen(QPen(text, 2.5))
            self._paint_outline(painter, self.current)

    def _paint_outline(self, painter: QPainter, box: int) -> None:
        area = self.box_rect(box).intersected(QRectF(self.viewport().rect()))
        if area.height() > 0 and area.width() > 0:
            area.setWidth(max(area.width(), _MIN_OUTLINE_WIDTH))
            painter.drawRect(area.adjusted(1, 1, -1, -1))

    # ---------------------------------------------------------------- Qt's events

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.lay_out()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.lay_out()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton:
            self.set_current(self.box_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        event.setAccepted(event.button() == Qt.MouseButton.LeftButton)  # the press was, too

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton:
            self.activate(self.box_at(event.position()))

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        return show_tooltip(self, event, self._tooltip_at) or super().viewportEvent(event)

    def _tooltip_at(self, place: QPoint) -> str:
        box = self.box_at(QPointF(place))
        if self.box_style is None or self.tree is None or box < 0:
            return ""
        return self.box_style.tooltip(self.tree, box, up=self.shows_callers)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        if self.tree is None:
            return
        place, box = event.globalPos(), self.current
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            box = self.box_at(QPointF(self.viewport().mapFromGlobal(place)))
        else:
            box = self.keyboard_box()
            place = self.viewport().mapToGlobal(self.box_rect(box).center().toPoint())
        self._menu.open(place, lambda menu: self.menu_requested.emit(menu, box))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key, current = event.key(), self.keyboard_box()
        arrows = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
        if self.tree is None or not len(self.tree):
            super().keyPressEvent(event)
        elif key in arrows and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self.set_current(self.adjacent_box(current, key) if self.current >= 0 else current)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(current)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_to(current)
        elif key in (Qt.Key.Key_Minus, Qt.Key.Key_Backspace):
            self.zoom_out()
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.zoom_to(0)
        else:
            super().keyPressEvent(event)
