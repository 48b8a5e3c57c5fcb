"""Base canvas of call maps and flame graphs: mouse, keyboard, highlights, tooltips and menus.

A click selects a box and highlights its function in all views; a double click or Return makes the
function active; plus, minus and 0 zoom. Subclasses lay out and paint the boxes.
"""

from __future__ import annotations

from collections.abc import Callable

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
from qcachegrind_py.views.boxes.map_layout import MapLayout
from qcachegrind_py.views.boxes.painting_style import BoxStyle
from qcachegrind_py.views.common.pictures.canvas import (
    CanvasMenu,
    hover_position,
    paint_stale_overlay,
    show_tooltip,
)
from qcachegrind_py.views.common.pictures.detail_line import Detail
from qcachegrind_py.views.common.pictures.zoom import Zoom, zoom_of_key

_MIN_OUTLINE_WIDTH = 3.0  # pixels
_MAX_OUTLINED = 500  # outlined boxes of the selected function


class BoxCanvas(QAbstractScrollArea):
    """A canvas for one frame tree. Boxes are identified by their row in it; -1 means none."""

    function_activated = Signal(object)  # NodeId
    function_selected = Signal(object)  # NodeId
    menu_requested = Signal(object, object)  # QMenu, int: the menu to fill for this box
    current_changed = Signal()  # another box has become current or been zoomed to
    laid_out = Signal()  # boxes have got or lost their room
    detail_changed = Signal(object)  # Detail | None: of the box under the mouse, or current box

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.tree: FrameTree | None = None
        self.box_style: BoxStyle | None = None
        self.current = -1
        self.hovered = -1  # the box under the mouse
        self.pointed = -1  # the box whose menu was opened last, until another one is current
        self.zoom_root = 0
        self.prepared_layout: MapLayout | None = None  # computed in a job for the tree
        self.matches: BoolArray | None = None  # mask of nodes; None without a search
        self.shows_callers = False  # boxes contain their callers instead of their callees
        self._highlighted_node = NO_NODE
        self._is_stale = False
        self._menu = CanvasMenu(self)
        self.current_changed.connect(self._announce_detail)

    # ---------------------------------------------------------------- content

    def layout_work(self) -> Callable[[FrameTree], MapLayout | None]:
        """Return a function for a job that lays out a new tree in the present size.

        Its result goes to `set_boxes`; None if the canvas needs no layout.
        """
        return lambda _tree: None

    def set_boxes(self, tree: FrameTree, style: BoxStyle, layout: MapLayout | None = None) -> None:
        """Show a frame tree, zoomed out; `layout` is the result of `layout_work`, if it ran."""
        self._menu.close()
        self.tree, self.box_style, self.prepared_layout = tree, style, layout
        self.current, self.hovered, self.zoom_root, self.pointed = -1, -1, 0, -1
        self.set_stale(False)
        self.lay_out()
        self.current_changed.emit()

    def set_box_style(self, style: BoxStyle) -> None:
        """Change the style of the boxes."""
        self.box_style = style
        self.lay_out()

    def clear(self) -> None:
        """Remove the boxes and every reference to the profile."""
        self._menu.close()
        self.tree = self.box_style = self.matches = self.prepared_layout = None
        self.current, self.hovered, self.zoom_root, self._highlighted_node = -1, -1, 0, NO_NODE
        self.pointed = -1
        self.lay_out()
        self.detail_changed.emit(None)

    def set_matches(self, matches: BoolArray | None) -> None:
        """Fade boxes of nodes outside this mask, shape (nodes,); None ends the search."""
        self.matches = matches
        self.lay_out()

    def highlight(self, node: NodeId) -> None:
        """Outline the boxes of this node; `NO_NODE` outlines none."""
        self._highlighted_node = node
        self.viewport().update()

    def set_stale(self, stale: bool) -> None:
        """Grey the boxes while their replacement is being computed."""
        self._is_stale = stale
        self.viewport().update()

    @property
    def is_grey(self) -> bool:
        """Whether the boxes are shown in grey."""
        return self._is_stale

    # ---------------------------------------------------------------- for the subclasses

    def lay_out(self) -> None:
        """Compute the positions of the boxes after a change, and repaint."""
        raise NotImplementedError

    def box_at(self, position: QPointF) -> int:
        """Return the box at a position in the viewport, or -1."""
        raise NotImplementedError

    def box_rect(self, box: int) -> QRectF:
        """Return the area of a box in the viewport; empty if it is not shown."""
        raise NotImplementedError

    def visible_boxes(self, boxes: Int64Array) -> Int64Array:
        """Return the boxes that are inside the viewport; by default, all of them."""
        return boxes

    def paint_boxes(self, painter: QPainter) -> None:
        """Paint all visible boxes with their labels, in viewport coordinates."""
        raise NotImplementedError

    def boxes_without_room(self) -> Int64Array:
        """Return the boxes that are too small for the picture, without those inside of them."""
        return np.empty(0, np.int64)

    def zoom_to(self, box: int) -> None:
        """Zoom until the box fills the view."""
        raise NotImplementedError

    def show_box(self, box: int) -> None:
        """Scroll until the box is visible."""

    def keyboard_box(self) -> int:
        """Return the box that keys act on: the current box if it is zoomed in on, else the root."""
        return max(self.current, self.zoom_root)

    def drawn_boxes(self) -> BoolArray:
        """Return which boxes are of a function and are drawn, shape (boxes,).

        In a comparison there are boxes without width.
        """
        tree = self.tree
        if tree is None:
            return np.zeros(0, bool)
        of_function: BoolArray = tree.node >= 0
        return of_function if tree.sides is None else of_function & (tree.width > 0)

    def drawn_box(self, box: int, otherwise: int) -> int:
        """Return a box if it is drawn, or else the other one."""
        tree = self.tree
        is_drawn = tree is None or tree.sides is None or tree.width[box] > 0
        return box if is_drawn else otherwise

    def adjacent_box(self, box: int, key: int) -> int:
        """Return the parent, child or sibling that an arrow key leads to, or the box itself."""
        tree = self.tree
        if tree is None:
            return box
        if key == Qt.Key.Key_Up:
            return max(0, int(tree.parent[box])) if box != self.zoom_root else box
        if key == Qt.Key.Key_Down:
            children = tree.children_of(box)
            return children[0] if len(children) else box
        sibling = box + (1 if key == Qt.Key.Key_Right else -1)
        if box == self.zoom_root or not 0 <= sibling < len(tree):
            return box
        return sibling if tree.parent[sibling] == tree.parent[box] else box

    # ---------------------------------------------------------------- the current box

    def set_current(self, box: int) -> None:
        """Make a box current and select its function in all views."""
        tree = self.tree
        if tree is None or not 0 <= box < len(tree):
            return
        self.current, self.pointed = box, -1
        self.show_box(box)
        self.viewport().update()
        self.current_changed.emit()
        if (node := node_at(tree.node, box)) >= 0:
            self.function_selected.emit(node)

    def activate(self, box: int) -> None:
        """Make the function of a box active."""
        if self.tree is None or box < 0:
            return
        if (node := node_at(self.tree.node, box)) >= 0:
            self.function_activated.emit(node)

    def return_to(self, zoomed: int, current: int) -> None:
        """Zoom to a box of a new tree and make another one current; -1 for none."""
        self.current = current
        if zoomed > 0:
            self.zoom_to(zoomed)
        self.current_changed.emit()

    def zoom_out(self) -> None:
        """Zoom out to the parent of the zoomed box."""
        if self.tree is not None and self.zoom_root > 0:
            self.zoom_to(max(0, int(self.tree.parent[self.zoom_root])))

    def zoom_in(self) -> None:
        """Zoom to the current box."""
        self.zoom_to(self.keyboard_box())

    def zoom_by_step(self, step: Zoom) -> None:
        """Zoom as a button or key requests; the actual size is that of the view."""
        if self.tree is None or not len(self.tree):
            return
        if step is Zoom.IN:
            self.zoom_in()
        elif step is Zoom.OUT:
            self.zoom_out()
        else:
            self.zoom_to(0)

    # ---------------------------------------------------------------- the box under the mouse

    def detail_of(self, box: int) -> Detail | None:
        """Return the line below the picture about a box; None for no box."""
        tree, style = self.tree, self.box_style
        if tree is None or style is None or not 0 <= box < len(tree):
            return None
        color = style.swatch(tree, box, self.palette())
        return Detail(style.name(tree, box), style.details(tree, box), color)

    def _hover(self, position: QPointF) -> None:
        """Outline the box at a viewport position and describe it."""
        box = self.box_at(position) if self.tree is not None else -1
        if box != self.hovered:
            self.hovered = box
            self.viewport().update()
            self._announce_detail()

    def _announce_detail(self) -> None:
        """Describe the box under the mouse, or else the current one."""
        self.detail_changed.emit(
            self.detail_of(self.hovered if self.hovered >= 0 else self.current)
        )

    # ---------------------------------------------------------------- painting

    def is_faded(self, node: NodeId) -> bool:
        """Return whether there is a search that does not match this node."""
        return self.matches is not None and not (node >= 0 and self.matches[node])

    def picture_size(self) -> QSizeF:
        """Return the size of the picture, in logical pixels."""
        return QSizeF(self.viewport().size())

    def paint_picture(self, painter: QPainter) -> None:
        """Paint the picture for export, without outlines and the stale overlay."""
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
        if self.is_grey:
            paint_stale_overlay(painter, self.viewport().rect(), self.palette())
        painter.end()

    def _paint_outlines(self, painter: QPainter, tree: FrameTree) -> None:
        """Outline the boxes of the selected function, and the current box more strongly."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        highlighted = (
            tree.frames_of(self._highlighted_node)
            if self._highlighted_node != NO_NODE
            else np.array([], int)
        )
        text = self.palette().color(QPalette.ColorRole.Text)
        painter.setPen(QPen(text, 1.5))
        for box in self.visible_boxes(highlighted)[:_MAX_OUTLINED].tolist():
            self._paint_outline(painter, box)
        if self.current >= 0:
            painter.setPen(QPen(text, 2.5))
            self._paint_outline(painter, self.current)
        if self.hovered >= 0 and self.hovered != self.current:
            painter.setPen(QPen(text, 1.5))
            self._paint_outline(painter, self.hovered)

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
        event.setAccepted(event.button() == Qt.MouseButton.LeftButton)  # as for the press

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton:
            self.activate(self.box_at(event.position()))

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        position = hover_position(event)
        if position is not None:
            self._hover(position)
        return show_tooltip(self, event, self._tooltip_at) or super().viewportEvent(event)

    def _tooltip_at(self, position: QPoint) -> str:
        box = self.box_at(QPointF(position))
        if self.box_style is None or self.tree is None or box < 0:
            return ""
        return self.box_style.tooltip(self.tree, box, up=self.shows_callers)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        if self.tree is None:
            return
        position, box = event.globalPos(), self.current
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            box = self.box_at(QPointF(self.viewport().mapFromGlobal(position)))
        else:
            box = self.keyboard_box()
            position = self.viewport().mapToGlobal(self.box_rect(box).center().toPoint())
        self.pointed = box
        self._menu.open(position, lambda menu: self.menu_requested.emit(menu, box))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key, current = event.key(), self.keyboard_box()
        arrows = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
        if self.tree is None or not len(self.tree):
            super().keyPressEvent(event)
        elif key in arrows and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            next_ = self.adjacent_box(current, key) if self.current >= 0 else current
            self.set_current(self.drawn_box(next_, current))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(current)
        elif (step := zoom_of_key(event)) is not None:
            self.zoom_by_step(step)
        elif key == Qt.Key.Key_Backspace:
            self.zoom_out()
        elif key == Qt.Key.Key_Home:
            self.zoom_to(0)
        else:
            super().keyPressEvent(event)
