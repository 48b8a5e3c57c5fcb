"""A diagram of boxes and arrows as one looks at it: keys, mouse, tips, menu, overview, search.

Between two diagrams the box that it is drawn around keeps its place on the screen. What boxes and
arrows are, a subclass says. How it is panned and zoomed is `zoomable_view`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

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
from PySide6.QtWidgets import QGraphicsItem, QToolButton

from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.views.common.buttons import flat_button
from qcachegrind_py.views.common.picture_canvas import (
    ZOOM_STEP,
    CanvasMenu,
    paint_stale_overlay,
    show_tooltip,
)
from qcachegrind_py.views.graph.arrow_item import ArrowItem
from qcachegrind_py.views.graph.box_item import BoxItem
from qcachegrind_py.views.graph.keyboard_navigation import ARROW_KEYS, next_row
from qcachegrind_py.views.graph.overview import DiagramOverview
from qcachegrind_py.views.graph.zoomable_view import ZoomableView

_READABLE_ZOOM = 0.7  # zoom
_VISIBLE_MARGIN = 40  # pixels around the current box that are brought into sight, too
_BASE = QPalette.ColorRole.Base
NO_KEY = -1


class Diagram(Protocol):
    """What a picture of boxes and arrows has in any case."""

    @property
    def is_horizontal(self) -> bool:
        """Whether arrows lead from left to right."""

    @property
    def anchor_row(self) -> int:
        """The row of the box that it is drawn around."""

    @property
    def keys(self) -> Sequence[int]:
        """What each box stands for, from 0 on: in the next diagram it is known by that."""

    @property
    def endpoints(self) -> tuple[Int64Array, Int64Array]:
        """The rows of the boxes where each arrow begins and ends; arrows of most weight first."""


class DiagramCanvas(ZoomableView):
    """Shows one diagram. Subclasses make its items, and say what going to a box means."""

    menu_requested = Signal(object, object)  # QMenu, int: to be filled for the box of this key
    current_changed = Signal()  # another box has the keyboard
    font_changed = Signal()  # the texts of the picture have to be made anew

    def __init__(self) -> None:
        super().__init__()
        self.setBackgroundRole(_BASE)
        self.nodes: Sequence[BoxItem] = ()
        self.arrows: Sequence[ArrowItem] = ()
        self.current = -1  # the box that the keyboard is at
        self._is_stale = False
        self._menu = CanvasMenu(self)
        self.overview = DiagramOverview(self)
        self.viewport_changed.connect(self.overview.update_frame)

    # ---------------------------------------------------------------- for the subclasses

    @property
    def diagram(self) -> Diagram | None:
        """The picture that is shown."""
        raise NotImplementedError

    def box_selected(self, row: int) -> None:
        """The user went to a box."""
        raise NotImplementedError

    def activate(self, row: int) -> None:
        """The user wants more of a box: by a double click, or Return."""
        raise NotImplementedError

    def tooltip_text(self, item: QGraphicsItem | None) -> str:
        """What is said of a box or an arrow."""
        raise NotImplementedError

    # ---------------------------------------------------------------- what is shown

    def show_items(
        self, nodes: Sequence[BoxItem], arrows: Sequence[ArrowItem], anchor_position: QPoint | None
    ) -> None:
        """Show the items of another diagram, which are in the scene already.

        The box that it is drawn around comes to the place on the screen, or to the middle; what was
        fitted in is fitted in again.
        """
        diagram, is_first = self.diagram, not self.nodes
        if diagram is None or not nodes:
            return
        self.nodes, self.arrows = nodes, arrows
        home = nodes[diagram.anchor_row]
        if is_first:
            self.zoom_initially()
        self.extend_scroll_range()
        self.center_within_content(home.pos())
        if self.is_fitted:
            self.fit()
        elif anchor_position is not None:
            self.scroll_point_to(self.mapFromScene(home.pos()), anchor_position)
        self.current = diagram.anchor_row
        self.overview.schedule_drawing(self.nodes)
        self.current_changed.emit()

    def clear_items(self) -> None:
        """Show nothing."""
        self._menu.close()
        self.scene().clear()
        self.nodes, self.arrows, self.current = (), (), -1
        self.overview.schedule_drawing(self.nodes)

    def anchor_position(self, next_diagram: Diagram) -> QPoint | None:
        """Where on the screen the box is now that the coming diagram is drawn around."""
        shown = self.diagram
        if shown is None or shown.is_horizontal != next_diagram.is_horizontal:
            return None
        home, keys = next_diagram.keys[next_diagram.anchor_row], list(shown.keys)
        if home not in keys:
            return None
        place = self.mapFromScene(self.nodes[keys.index(home)].pos())
        return place if self.viewport().rect().contains(place) else None

    def close_menu(self) -> None:
        """Close the menu, which names what is drawn."""
        self._menu.close()

    def set_stale(self, stale: bool) -> None:
        """Grey what is shown: it is about to be replaced."""
        self._is_stale = stale
        self.viewport().update()

    def mark_boxes(self, keys: Collection[int]) -> None:
        """Mark the boxes of these keys, and no others."""
        known = self.diagram.keys if self.diagram is not None else ()
        for node in self.nodes:
            marked = known[node.row] in keys
            if marked != node.is_selected:
                node.is_selected = marked
                node.update()

    def set_matches(self, rows: set[int] | None) -> None:
        """Fade all boxes but these, and the arrows that touch none of them; None for no search."""
        for node in self.nodes:
            node.is_faded = rows is not None and node.row not in rows
        for arrow in self.arrows:
            if self.diagram is not None:
                ends = {int(end[arrow.row]) for end in self.diagram.endpoints}
                arrow.is_faded = rows is not None and not ends & rows
        self.viewport().update()

    # ---------------------------------------------------------------- zoom

    def zoom_around(self, factor: float) -> None:
        """Zoom around the current box, or around the middle where that is not in sight."""
        place = self.mapFromScene(self.nodes[self.current].pos()) if self.nodes else QPoint(-1, -1)
        is_seen = self.viewport().rect().contains(place)
        self.zoom_by(factor, QPointF(place) if is_seen else None)

    def zoom_to_actual_size(self) -> None:
        """Zoom to 100 %."""
        self.zoom_around(1.0 / self.zoom)

    def show_match(self, row: int) -> None:
        """Make a box the current one, in the middle, and large enough to be read."""
        self.set_current(row)
        self.zoom_around(max(self.zoom, _READABLE_ZOOM) / self.zoom)
        self.centerOn(self.nodes[row].pos())

    # ---------------------------------------------------------------- current and chosen

    def key_of(self, row: int) -> int:
        """What a box stands for; NO_KEY for none."""
        if self.diagram is None or not 0 <= row < len(self.nodes):
            return NO_KEY
        return int(self.diagram.keys[row])

    def set_current(self, row: int) -> None:
        """Let the keyboard be at a box, bring it into sight, and mark it everywhere."""
        if self.key_of(row) == NO_KEY:
            return
        self.current = row
        self._update_current_mark()
        self.ensureVisible(self.nodes[row].area, _VISIBLE_MARGIN, _VISIBLE_MARGIN)
        self.current_changed.emit()
        self.box_selected(row)

    def _update_current_mark(self) -> None:
        for node in self.nodes:
            node.is_current = node.row == self.current and self.hasFocus()
            node.update()

    def diagram_item_at(self, position: QPoint) -> QGraphicsItem | None:
        """The box or arrow at a place of the viewport."""
        found = self.itemAt(position)
        return found if isinstance(found, BoxItem | ArrowItem) else None

    def row_of(self, item: QGraphicsItem | None) -> int:
        """The box that an item is, or to which an arrow leads; -1 for none."""
        if isinstance(item, BoxItem):
            return item.row
        if isinstance(item, ArrowItem) and self.diagram is not None:
            return int(self.diagram.endpoints[1][item.row])
        return -1

    def handle_click(self, position: QPoint) -> None:
        item = self.diagram_item_at(position)
        for arrow in self.arrows:
            arrow.is_selected = arrow is item
            arrow.update()
        self.set_current(self.row_of(item))

    # ---------------------------------------------------------------- pictures elsewhere

    def picture_size(self) -> QSizeF:
        """The size of the whole diagram, in logical pixels."""
        return self.content_area().size()

    def paint_picture(self, painter: QPainter) -> None:
        """Draw the whole diagram anywhere else."""
        area = self.content_area()
        target = QRectF(QPointF(), area.size())
        painter.fillRect(target, self.palette().color(_BASE))
        self.scene().render(painter, target, area)

    # ---------------------------------------------------------------- Qt's events

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:  # noqa: N802
        if self._is_stale:
            paint_stale_overlay(painter, rect, self.palette())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton:
            self.activate(self.row_of(self.diagram_item_at(event.position().toPoint())))

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        is_tip = show_tooltip(
            self, event, lambda place: self.tooltip_text(self.diagram_item_at(place))
        )
        return is_tip or super().viewportEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        if self.diagram is None:
            return
        place, row = event.globalPos(), self.current
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            row = self.row_of(self.diagram_item_at(event.pos()))
        elif row >= 0:
            place = self.viewport().mapToGlobal(self.mapFromScene(self.nodes[row].pos()))
        self._menu.open(place, lambda menu: self.menu_requested.emit(menu, self.key_of(row)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key, diagram = event.key(), self.diagram
        with_keys = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if diagram is None:
            super().keyPressEvent(event)
        elif key in ARROW_KEYS and not with_keys:
            turned = diagram.is_horizontal
            self.set_current(
                next_row(diagram.endpoints, self.nodes, self.current, key, is_horizontal=turned)
            )
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.current)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_around(ZOOM_STEP)
        elif key == Qt.Key.Key_Minus:
            self.zoom_around(1 / ZOOM_STEP)
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key == Qt.Key.Key_1:
            self.zoom_to_actual_size()
        elif key == Qt.Key.Key_Home:
            self.set_current(diagram.anchor_row)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self._update_current_mark()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self._update_current_mark()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if self.diagram is None:
            return
        if event.type() == QEvent.Type.PaletteChange:
            self.overview.schedule_drawing(self.nodes)
            self.viewport().update()
        elif event.type() == QEvent.Type.FontChange:
            self.font_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if self.diagram is not None:
            self.extend_scroll_range()
            self.overview.schedule_drawing(self.nodes)


def create_zoom_buttons(canvas: DiagramCanvas) -> list[QToolButton]:
    """Smaller, larger, all of it."""
    buttons = []
    for text, tip, act in (
        ("−", "Zoom out (−, or Ctrl and the wheel)", lambda: canvas.zoom_around(1 / ZOOM_STEP)),
        ("+", "Zoom in (+, or Ctrl and the wheel)", lambda: canvas.zoom_around(ZOOM_STEP)),
        ("Fit", "Show the whole graph (0); 1 shows it in its own size", canvas.fit),
    ):
        button = flat_button(text, tip)
        button.clicked.connect(lambda _checked=False, act=act: act())
        buttons.append(button)
    return buttons
