"""The canvas of a diagram of boxes and arrows: keys, mouse, tooltips, menu, overview, search.

When the diagram is replaced, its central box keeps its position on the screen. Subclasses define
boxes and arrows; `zoomable_view` provides panning and zooming.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
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
from PySide6.QtWidgets import QGraphicsItem

from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.views.common.pictures.canvas import (
    ZOOM_STEP,
    CanvasMenu,
    hover_position,
    paint_stale_overlay,
    show_tooltip,
)
from qcachegrind_py.views.common.pictures.detail_line import Detail
from qcachegrind_py.views.common.pictures.zoom import Zoom, zoom_of_key
from qcachegrind_py.views.graph.arrow_item import ArrowItem
from qcachegrind_py.views.graph.box_item import BoxItem
from qcachegrind_py.views.graph.keyboard_navigation import ARROW_KEYS, next_row
from qcachegrind_py.views.graph.overview import DiagramOverview
from qcachegrind_py.views.graph.zoomable_view import ZoomableView

_READABLE_ZOOM = 0.7  # minimum zoom for showing a search match
_VISIBLE_MARGIN = 40  # pixels kept visible around the current box
_BASE = QPalette.ColorRole.Base
NO_KEY = -1


@dataclass(frozen=True, slots=True)
class Pointed:
    """The row of a box or arrow that was pointed at; -1 for none."""

    box: int = -1
    arrow: int = -1


class Diagram(Protocol):
    """The properties that all pictures of boxes and arrows share."""

    @property
    def is_horizontal(self) -> bool:
        """Whether arrows point from left to right."""

    @property
    def anchor_row(self) -> int:
        """The row of the central box."""

    @property
    def keys(self) -> Sequence[int]:
        """A number >= 0 for each box that identifies it in the next diagram."""

    @property
    def endpoints(self) -> tuple[Int64Array, Int64Array]:
        """The rows of the boxes at both ends of each arrow, heaviest arrows first.

        Two arrays of shape (arrows,): sources and targets.
        """


class DiagramCanvas(ZoomableView):
    """A canvas for one diagram. Subclasses create its items, and handle selection and clicks."""

    menu_requested = Signal(object, object)  # QMenu, int: the menu to fill for the box of this key
    current_changed = Signal()  # another box has become the current one
    resized = Signal()
    font_changed = Signal()  # the picture must be built again
    detail_changed = Signal(object)  # Detail | None: of the item under the mouse, or current box

    def __init__(self) -> None:
        super().__init__()
        self.setBackgroundRole(_BASE)
        self.nodes: Sequence[BoxItem] = ()
        self.arrows: Sequence[ArrowItem] = ()
        self.current = -1  # row of the current box, on which keys act; -1 for none
        self.hovered: BoxItem | ArrowItem | None = None  # the item under the mouse
        self.pointed = Pointed()
        self._is_stale = False
        self._menu = CanvasMenu(self)
        self.overview = DiagramOverview(self)
        self.viewport_changed.connect(self.overview.update_frame)
        self.viewport().setMouseTracking(True)
        self.current_changed.connect(self._announce_detail)

    # ---------------------------------------------------------------- for the subclasses

    @property
    def diagram(self) -> Diagram | None:
        """The shown picture."""
        raise NotImplementedError

    def box_selected(self, row: int) -> None:
        """Handle that the user has moved to a box."""
        raise NotImplementedError

    def activate(self, row: int) -> None:
        """Handle a double click or Return on a box."""
        raise NotImplementedError

    def tooltip_text(self, item: QGraphicsItem | None) -> str:
        """Return the tooltip of a box or an arrow."""
        raise NotImplementedError

    def detail_of(self, item: BoxItem | ArrowItem) -> Detail | None:
        """Return the line below the picture about a box or an arrow."""
        raise NotImplementedError

    # ---------------------------------------------------------------- content

    def show_items(
        self, nodes: Sequence[BoxItem], arrows: Sequence[ArrowItem], anchor_position: QPoint | None
    ) -> None:
        """Show the items of a new diagram, which are in the scene already.

        The central box moves to `anchor_position` in the viewport, or to the middle. A fitted view
        fits the new diagram as well.
        """
        diagram, is_first = self.diagram, not self.nodes
        if diagram is None or not nodes:
            return
        self.nodes, self.arrows, self.hovered = nodes, arrows, None
        self.pointed = Pointed()
        anchor = nodes[diagram.anchor_row]
        if is_first:
            self.zoom_initially()
        self.extend_scroll_range()
        self.center_within_content(anchor.pos())
        if self.is_fitted:
            self.fit()
        elif anchor_position is not None:
            self.scroll_point_to(self.mapFromScene(anchor.pos()), anchor_position)
        self.current = diagram.anchor_row
        self.overview.schedule_drawing(self.nodes)
        self.current_changed.emit()

    def clear_items(self) -> None:
        """Remove all items."""
        self._menu.close()
        self.scene().clear()
        self.nodes, self.arrows, self.current, self.hovered = (), (), -1, None
        self.pointed = Pointed()
        self.overview.schedule_drawing(self.nodes)
        self.detail_changed.emit(None)

    def anchor_position(self, next_diagram: Diagram) -> QPoint | None:
        """Return the present viewport position of the next diagram's central box.

        None if the box is not visible or the direction of the diagram changes.
        """
        diagram = self.diagram
        if diagram is None or diagram.is_horizontal != next_diagram.is_horizontal:
            return None
        anchor, keys = next_diagram.keys[next_diagram.anchor_row], list(diagram.keys)
        if anchor not in keys:
            return None
        position = self.mapFromScene(self.nodes[keys.index(anchor)].pos())
        return position if self.viewport().rect().contains(position) else None

    def close_menu(self) -> None:
        """Close the menu, whose items refer to the present picture."""
        self._menu.close()

    def set_stale(self, stale: bool) -> None:
        """Grey the diagram while its replacement is being computed."""
        self._is_stale = stale
        self.viewport().update()

    def mark_boxes(self, keys: Collection[int]) -> None:
        """Highlight exactly the boxes with these keys."""
        row_keys = self.diagram.keys if self.diagram is not None else ()
        for node in self.nodes:
            selected = row_keys[node.row] in keys
            if selected != node.is_selected:
                node.is_selected = selected
                node.update()

    def set_matches(self, rows: set[int] | None) -> None:
        """Fade other boxes, and arrows that touch none of these; None ends the search."""
        for node in self.nodes:
            node.is_faded = rows is not None and node.row not in rows
        for arrow in self.arrows:
            if self.diagram is not None:
                ends = {int(end[arrow.row]) for end in self.diagram.endpoints}
                arrow.is_faded = rows is not None and not ends & rows
        self.viewport().update()

    # ---------------------------------------------------------------- zoom

    def zoom_around(self, factor: float) -> None:
        """Zoom around the current box, or around the middle if that box is not visible."""
        position = (
            self.mapFromScene(self.nodes[self.current].pos()) if self.nodes else QPoint(-1, -1)
        )
        is_seen = self.viewport().rect().contains(position)
        self.zoom_by(factor, QPointF(position) if is_seen else None)

    def zoom_to_actual_size(self) -> None:
        """Zoom to 100 %."""
        self.zoom_around(1.0 / self.zoom)

    def zoom_by_step(self, step: Zoom) -> None:
        """Zoom as a button or key requests."""
        if not self.nodes:
            return
        if step is Zoom.FIT:
            self.fit()
        elif step is Zoom.ACTUAL_SIZE:
            self.zoom_to_actual_size()
        else:
            self.zoom_around(ZOOM_STEP if step is Zoom.IN else 1 / ZOOM_STEP)

    def show_match(self, row: int) -> None:
        """Make a box current, centred and large enough to read."""
        self.set_current(row)
        self.zoom_around(max(self.zoom, _READABLE_ZOOM) / self.zoom)
        self.centerOn(self.nodes[row].pos())

    # ---------------------------------------------------------------- current box

    def key_of(self, row: int) -> int:
        """Return the key of a box, or `NO_KEY`."""
        if self.diagram is None or not 0 <= row < len(self.nodes):
            return NO_KEY
        return int(self.diagram.keys[row])

    def set_current(self, row: int) -> None:
        """Make a box current, scroll to it and select it in all views."""
        if self.key_of(row) == NO_KEY:
            return
        self.current, self.pointed = row, Pointed()
        self._update_current_mark()
        self.ensureVisible(self.nodes[row].area, _VISIBLE_MARGIN, _VISIBLE_MARGIN)
        self.current_changed.emit()
        self.box_selected(row)

    def _update_current_mark(self) -> None:
        for node in self.nodes:
            node.is_current = node.row == self.current and self.hasFocus()
            node.update()

    def _hover(self, position: QPointF) -> None:
        """Outline the item at a viewport position and describe it."""
        item = self.diagram_item_at(position.toPoint()) if self.nodes else None
        if item is self.hovered:
            return
        for changed, is_hovered in ((self.hovered, False), (item, True)):
            if changed is not None:
                changed.is_hovered = is_hovered
                changed.update()
        self.hovered = item
        self._announce_detail()

    def _announce_detail(self) -> None:
        """Describe the item under the mouse, or else the current box."""
        item = self.hovered
        if item is None and 0 <= self.current < len(self.nodes):
            item = self.nodes[self.current]
        self.detail_changed.emit(None if item is None else self.detail_of(item))

    def diagram_item_at(self, position: QPoint) -> BoxItem | ArrowItem | None:
        """Return the box or arrow at a position in the viewport."""
        item = self.itemAt(position)
        return item if isinstance(item, BoxItem | ArrowItem) else None

    def row_of(self, item: QGraphicsItem | None) -> int:
        """Return the row of a box, or of the box that an arrow points to; -1 for none."""
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
        self._point_at(item)

    def _point_at(self, item: BoxItem | ArrowItem | None) -> None:
        """Note what was clicked, or whose menu was opened, until another box is current."""
        is_arrow = isinstance(item, ArrowItem)
        row = -1 if item is None else item.row
        self.pointed = Pointed(arrow=row) if is_arrow else Pointed(box=row)

    # ---------------------------------------------------------------- export

    def picture_size(self) -> QSizeF:
        """Return the size of the whole diagram, in logical pixels."""
        return self.content_area().size()

    def paint_picture(self, painter: QPainter) -> None:
        """Paint the whole diagram."""
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
        position = hover_position(event)
        if position is not None:
            self._hover(position)
        is_tip = show_tooltip(
            self, event, lambda position: self.tooltip_text(self.diagram_item_at(position))
        )
        return is_tip or super().viewportEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        if self.diagram is None:
            return
        position, row = event.globalPos(), self.current
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            item = self.diagram_item_at(event.pos())
            row = self.row_of(item)
            self._point_at(item)
        elif row >= 0:
            position = self.viewport().mapToGlobal(self.mapFromScene(self.nodes[row].pos()))
        self._menu.open(position, lambda menu: self.menu_requested.emit(menu, self.key_of(row)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key, diagram = event.key(), self.diagram
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if diagram is None:
            super().keyPressEvent(event)
        elif key in ARROW_KEYS and not modifiers:
            horizontal = diagram.is_horizontal
            self.set_current(
                next_row(diagram.endpoints, self.nodes, self.current, key, is_horizontal=horizontal)
            )
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.current)
        elif (step := zoom_of_key(event)) is not None:
            self.zoom_by_step(step)
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
            self.resized.emit()
