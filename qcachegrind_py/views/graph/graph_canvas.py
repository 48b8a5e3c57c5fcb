"""The call graph as one looks at it: a click chooses, a double click or Return goes there.

Between two pictures the active function keeps its place on the screen. How it is panned and zoomed
is `zoomable_view`'s; how nodes and arrows look, `graph_items`'.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QGraphicsItem

from qcachegrind_py.views.graph.graph_items import CallItem, NodeItem
from qcachegrind_py.views.graph.graph_look import call_tip, node_tip
from qcachegrind_py.views.graph.graph_overview import GraphOverview
from qcachegrind_py.views.graph.graph_scene import GraphPicture, fill_scene
from qcachegrind_py.views.graph.graph_steps import ARROWS, step
from qcachegrind_py.views.graph.zoomable_view import ZoomableView
from qcachegrind_py.views.picture_canvas import STEP, CanvasMenu, paint_veil, show_tip

_READABLE = 0.7  # zoom
_AROUND = 40  # pixels around the current node that are brought into sight, too
_BASE = QPalette.ColorRole.Base


class GraphCanvas(ZoomableView):
    """Shows one picture of the call graph."""

    activated_function = Signal(object)  # int
    selected_function = Signal(object)  # int
    wanted_menu = Signal(object, object)  # QMenu, int: to be filled for this function; -1: none
    wanted_opening = Signal(object)  # int: of this cycle
    current_changed = Signal()  # another node has the keyboard
    font_changed = Signal()  # the texts of the picture have to be made anew
    picture: GraphPicture | None = None  # of the class: Qt sends events while this is made

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Call graph")
        self.setBackgroundRole(_BASE)
        self.nodes: Sequence[NodeItem] = ()
        self.calls: Sequence[CallItem] = ()
        self.current = -1  # the node that the keyboard is at
        self._is_stale = False
        self._menu = CanvasMenu(self)
        self.overview = GraphOverview(self)
        self.moved.connect(self.overview.follow)

    # ---------------------------------------------------------------- what is shown

    def set_picture(self, picture: GraphPicture) -> None:
        """Show this picture; its active function stays where it was on the screen, if it was.

        What was fitted in is fitted in again.
        """
        place, is_first = self._place_of(picture), self.picture is None
        self._menu.close()
        self.picture = picture
        self.scene().clear()
        self.nodes, self.calls = fill_scene(self.scene(), picture)
        active = self.nodes[picture.drawn.active]
        if is_first:
            self.zoom_first()
        self.allow_any_place()
        self.center_around(active.pos())
        if self.is_fitted:
            self.fit()
        elif place is not None:
            self.move_from(self.mapFromScene(active.pos()), place)
        self.current = picture.drawn.active
        self.overview.draw()
        self.current_changed.emit()

    def clear(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        self._menu.close()
        self.scene().clear()
        self.picture, self.nodes, self.calls, self.current = None, (), (), -1
        self.overview.draw()

    def _place_of(self, picture: GraphPicture) -> QPoint | None:
        """Where on the screen the function is now that will be the active one."""
        if self.picture is None or self.picture.is_horizontal != picture.is_horizontal:
            return None
        active = int(picture.drawn.entry[picture.drawn.active])
        entries = self.picture.drawn.entry.tolist()
        if active not in entries:
            return None
        place = self.mapFromScene(self.nodes[entries.index(active)].pos())
        return place if self.viewport().rect().contains(place) else None

    def set_stale(self, stale: bool) -> None:
        """Grey what is shown: it is about to be replaced."""
        self._is_stale = stale
        self.viewport().update()

    def highlight(self, entry: int) -> None:
        """Mark the node of this function; -1 for none."""
        for node in self.nodes:
            marked = entry >= 0 and self.entry_of(node.row) == entry
            if marked != node.is_selected:
                node.is_selected = marked
                node.update()

    def set_matches(self, rows: set[int] | None) -> None:
        """Fade all nodes but these, and the arrows that touch none of them; None for no search."""
        drawn = self.picture.drawn if self.picture is not None else None
        for node in self.nodes:
            node.is_faded = rows is not None and node.row not in rows
        for call in self.calls:
            if drawn is not None:
                ends = {int(drawn.caller[call.row]), int(drawn.callee[call.row])}
                call.is_faded = rows is not None and not ends & rows
        self.viewport().update()

    # ---------------------------------------------------------------- zoom

    def zoom_around(self, factor: float) -> None:
        """Zoom around the current node, or around the middle where that is not in sight."""
        place = self.mapFromScene(self.nodes[self.current].pos()) if self.nodes else QPoint(-1, -1)
        is_seen = self.viewport().rect().contains(place)
        self.zoom_by(factor, QPointF(place) if is_seen else None)

    def show_in_own_size(self) -> None:
        """Zoom to 100 %."""
        self.zoom_around(1.0 / self.zoom)

    def show_match(self, row: int) -> None:
        """Make a node the current one, in the middle, and large enough to be read."""
        self.set_current(row)
        self.zoom_around(max(self.zoom, _READABLE) / self.zoom)
        self.centerOn(self.nodes[row].pos())

    # ---------------------------------------------------------------- current and chosen

    def entry_of(self, row: int) -> int:
        """The function or cycle of a node; -1 for none."""
        if self.picture is None or not 0 <= row < len(self.nodes):
            return -1
        return int(self.picture.drawn.entry[row])

    def set_current(self, row: int) -> None:
        """Let the keyboard be at a node, bring it into sight, and mark its function everywhere."""
        if self.entry_of(row) < 0:
            return
        self.current = row
        self._mark_current()
        self.ensureVisible(self.nodes[row].area, _AROUND, _AROUND)
        self.current_changed.emit()
        self.selected_function.emit(self.entry_of(row))

    def _mark_current(self) -> None:
        for node in self.nodes:
            node.is_current = node.row == self.current and self.hasFocus()
            node.update()

    def activate(self, row: int) -> None:
        """Go to the function of a node."""
        if self.entry_of(row) >= 0:
            self.activated_function.emit(self.entry_of(row))

    def item_under(self, place: QPoint) -> QGraphicsItem | None:
        """The node or arrow at a place of the viewport."""
        found = self.itemAt(place)
        return found if isinstance(found, NodeItem | CallItem) else None

    def row_of(self, item: QGraphicsItem | None) -> int:
        """The node that an item is, or the callee of an arrow; -1 for none."""
        if isinstance(item, NodeItem):
            return item.row
        if isinstance(item, CallItem) and self.picture is not None:
            return int(self.picture.drawn.callee[item.row])
        return -1

    def clicked(self, place: QPoint) -> None:
        item = self.item_under(place)
        if isinstance(item, NodeItem) and self._is_on_sign(item, place):
            self.wanted_opening.emit(self.entry_of(item.row))
            return
        for call in self.calls:
            call.is_selected = call is item
            call.update()
        self.set_current(self.row_of(item))

    def _is_on_sign(self, node: NodeItem, place: QPoint) -> bool:
        """Whether a place is on the sign that opens a cycle."""
        return node.is_cycle and node.opening().contains(node.mapFromScene(self.mapToScene(place)))

    def tip(self, item: QGraphicsItem | None) -> str:
        """What is said of a node or an arrow."""
        picture = self.picture
        if picture is not None and isinstance(item, NodeItem):
            return node_tip(picture.drawn, picture.look, item.row)
        if picture is not None and isinstance(item, CallItem):
            return call_tip(picture.drawn, picture.look, item.row)
        return ""

    # ---------------------------------------------------------------- pictures elsewhere

    def picture_size(self) -> QSizeF:
        """The size of the whole graph, in logical pixels."""
        return self.whole_area().size()

    def paint_picture(self, painter: QPainter) -> None:
        """Draw the whole graph anywhere else."""
        area = self.whole_area()
        target = QRectF(QPointF(), area.size())
        painter.fillRect(target, self.palette().color(_BASE))
        self.scene().render(painter, target, area)

    # ---------------------------------------------------------------- Qt's events

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:  # noqa: N802
        if self._is_stale:
            paint_veil(painter, rect, self.palette())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton:
            self.activate(self.row_of(self.item_under(event.position().toPoint())))

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        is_tip = show_tip(self, event, lambda place: self.tip(self.item_under(place)))
        return is_tip or super().viewportEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        if self.picture is None:
            return
        place, row = event.globalPos(), self.current
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            row = self.row_of(self.item_under(event.pos()))
        elif row >= 0:
            place = self.viewport().mapToGlobal(self.mapFromScene(self.nodes[row].pos()))
        self._menu.open(place, lambda menu: self.wanted_menu.emit(menu, self.entry_of(row)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key = event.key()
        with_keys = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if self.picture is None:
            super().keyPressEvent(event)
        elif key in ARROWS and not with_keys:
            self.set_current(step(self.picture, self.nodes, self.current, key))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.current)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_around(STEP)
        elif key == Qt.Key.Key_Minus:
            self.zoom_around(1 / STEP)
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key == Qt.Key.Key_1:
            self.show_in_own_size()
        elif key == Qt.Key.Key_Home:
            self.set_current(self.picture.drawn.active)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self._mark_current()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self._mark_current()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if self.picture is None:
            return
        if event.type() == QEvent.Type.PaletteChange:
            self.overview.draw()
            self.viewport().update()
        elif event.type() == QEvent.Type.FontChange:
            self.font_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if self.picture is not None:
            self.allow_any_place()
            self.overview.draw()
