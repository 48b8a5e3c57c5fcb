"""The canvas of a frame tree, which zooms from box to box; subclasses lay out and paint the boxes.

A click and plus zoom to a box; Escape, Backspace and minus return.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPalette, QPen, QResizeEvent

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.present.call_map import MapLayout
from qcachegrind_py.present.frames import CHANGE_LEVELS, IS_AROUND, IS_FADED, Frames, FrameStyle
from qcachegrind_py.present.picture import NOWHERE, Detail, Spot, Step
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.pictures.canvas import STEPS, Canvas, Zoom
from qcachegrind_py.views.pictures.diagram_items import FontMeasure
from qcachegrind_py.views.widgets.colors import (
    GROWTH,
    SHRINKAGE,
    blended,
    change_fill,
    contrast,
)

_MIN_OUTLINE_WIDTH = 3.0  # pixels
_MAX_OUTLINED = 500  # outlined boxes of the selected function


class BoxCanvas(Canvas):
    """A canvas for one frame tree. Boxes are identified by their row in it; -1 means none."""

    laid_out = Signal()  # boxes have got or lost their room
    picture: Frames | None

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.zoom_root = 0
        self.prepared_layout: MapLayout | None = None  # computed in a job for the tree
        self.matches: BoolArray | None = None  # mask of nodes; None without a search
        self.shows_callers = False  # boxes contain their callers instead of their callees
        self._highlighted_node = NO_NODE
        self._zoomed_before: list[int] = []  # boxes that clicks zoomed away from
        self._colors: BoxColors | None = None

    @property
    def tree(self) -> FrameTree | None:
        return None if self.picture is None else self.picture.tree

    # ---------------------------------------------------------------- content

    def layout_work(self) -> Callable[[FrameTree], MapLayout | None]:
        """Return a function for a job that lays out a new tree in the present size.

        Its result goes to `set_boxes`; None if the canvas needs no layout.
        """
        return lambda _tree: None

    def set_boxes(
        self, tree: FrameTree, style: FrameStyle, layout: MapLayout | None = None
    ) -> None:
        """Show a frame tree, zoomed out; `layout` is the result of `layout_work`, if it ran."""
        self.show_picture(Frames(tree, style, self.shows_callers))
        self.prepared_layout, self.zoom_root, self._zoomed_before = layout, 0, []
        self.set_stale(False)
        self.lay_out()
        self.current_changed.emit()

    def set_box_style(self, style: FrameStyle) -> None:
        if self.picture is not None:
            self.picture = replace(self.picture, style=style)
        self.restyle()
        self.announce()

    def restyle(self) -> None:
        """Paint the boxes again in another style or with other matches."""
        self.lay_out()

    def clear(self) -> None:
        self.matches = self.prepared_layout = self._colors = None
        self.zoom_root, self._highlighted_node = 0, NO_NODE
        super().clear()
        self.lay_out()

    def set_matches(self, matches: BoolArray | None) -> None:
        """Fade boxes of nodes outside this mask, shape (nodes,); None ends the search."""
        self.matches = matches
        self.restyle()

    def highlight(self, node: NodeId) -> None:
        """Outline the boxes of this node; `NO_NODE` outlines none."""
        self._highlighted_node = node
        self.viewport().update()

    # ---------------------------------------------------------------- for the subclasses

    def lay_out(self) -> None:
        """Compute the positions of the boxes after a change, and repaint."""
        raise NotImplementedError

    def box_at(self, position: QPointF) -> int:
        raise NotImplementedError

    def visible_boxes(self, boxes: Int64Array) -> Int64Array:
        """Return the boxes that are inside the viewport; by default, all of them."""
        return boxes

    def paint_boxes(self, painter: QPainter) -> None:
        raise NotImplementedError

    def boxes_without_room(self) -> Int64Array:
        """Return the boxes that are too small for the picture, without those inside of them."""
        return np.empty(0, np.int64)

    def zoom_to(self, box: int) -> None:
        raise NotImplementedError

    def zoom_in(self) -> None:
        raise NotImplementedError

    def zoom_out(self) -> None:
        """Return to where the last click zoomed from, or zoom out to an enclosing box."""
        tree = self.tree
        while self._zoomed_before and tree is not None:
            before = self._zoomed_before.pop()
            if before in tree.path(self.zoom_root)[:-1]:
                self.zoom_to(before)
                return
        self.zoom_out_one()

    def zoom_out_one(self) -> None:
        """Zoom out to the nearest enclosing box that is noticeably larger."""
        raise NotImplementedError

    @property
    def is_zoomed(self) -> bool:
        return self.zoom_root > 0

    def adjacent_box(self, picture: Frames, box: int, step: Step) -> int:
        """Return the parent, child or sibling that an arrow key leads to, or the box itself."""
        return picture.next_box(box, step)

    # ---------------------------------------------------------------- boxes

    def spot_at(self, position: QPointF) -> Spot:
        return Spot(self.box_at(position))

    def click(self, position: QPointF, spot: Spot) -> None:
        """Select a box and zoom to it."""
        super().click(position, spot)
        if spot.box >= 0:
            self.zoom_by_click(spot.box)

    def zoom_by_click(self, box: int) -> None:
        """Zoom to a box so that zooming out returns to the present one."""
        if box != self.zoom_root:
            self._zoomed_before.append(self.zoom_root)
            self.zoom_to(box)

    def color_of(self, spot: Spot, detail: Detail) -> Detail:
        picture, color = self.picture, None
        if spot.box < 0:
            return detail
        if picture is not None and (node := picture.key(spot.box)) >= 0:
            color = picture.style.color(NodeId(node))
            if picture.is_compared:  # whether it passes the filter or not
                key = int(picture.color_keys(None)[spot.box]) & ~IS_FADED
                color = self.colors_of(picture)[key].name()
        return replace(detail, color=color)

    def next_box(self, key: int) -> int:
        box, picture = self.keyboard_box(), self.picture
        if picture is None or self.current < 0:
            return box
        found = self.adjacent_box(picture, box, STEPS[key])
        return found if picture.is_drawn[found] else box

    def show_home(self) -> None:
        self.zoom_to(0)

    def return_to(self, zoomed: int, current: int) -> None:
        """Zoom to a box of a new tree and make another one current; -1 for none."""
        self.current = current
        if zoomed > 0:
            self.zoom_to(zoomed)
        self.current_changed.emit()

    def zoom_by_step(self, step: Zoom) -> None:
        """Zoom as a button or key requests; the actual size is that of the view."""
        if not self.box_count:
            return
        if step is Zoom.IN:
            self.zoom_in()
        elif step is Zoom.OUT:
            self.zoom_out()
        else:
            self.zoom_to(0)

    # ---------------------------------------------------------------- painting

    def colors_of(self, picture: Frames) -> BoxColors:
        """Return the colours of the picture, which are kept as long as it and the palette."""
        if self._colors is None or not self._colors.is_for(picture, self.palette()):
            self._colors = BoxColors(picture, self.palette())
        return self._colors

    def picture_size(self) -> QSizeF:
        return QSizeF(self.viewport().size())

    def paint_picture(self, painter: QPainter) -> None:
        """Paint the picture for export, without outlines and the stale overlay."""
        area = QRectF(QPointF(), self.picture_size())
        painter.fillRect(area, self.palette().color(QPalette.ColorRole.Base))
        if self.picture is not None:
            painter.setFont(self.font())
            self.paint_boxes(painter)

    def paint_content(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the boxes, and outline those of the selected function and the current box."""
        self.paint_boxes(painter)
        picture, node = self.picture, self._highlighted_node
        if picture is None or not len(picture):
            return
        keys, colors = picture.color_keys(self.matches), self.colors_of(picture)

        def ink(box: int) -> QColor:
            return colors.ink(int(keys[box]) if box >= 0 else MERGED)

        painter.setBrush(Qt.BrushStyle.NoBrush)
        if node != NO_NODE:
            for box in self.visible_boxes(picture.tree.frames_of(node))[:_MAX_OUTLINED].tolist():
                self._paint_outline(painter, self.box_rect(box), QPen(ink(box), 1.5))
        if self.hovered != NOWHERE and self.hovered.box != self.current:
            pen = QPen(ink(self.hovered.box), 1.5)
            self._paint_outline(painter, self.spot_rect(self.hovered), pen)
        box = self.keyboard_box() if self.is_led_by_keys else self.current
        if box >= 0:
            self._paint_outline(painter, self.box_rect(box), QPen(ink(box), 2.5))
        if self.is_led_by_keys:
            inner = QPen(text_color(ink(box)), 1.5)  # tells it from a box that was clicked
            self._paint_outline(painter, self.box_rect(box), inner, within=3)

    def _paint_outline(self, painter: QPainter, area: QRectF, pen: QPen, within: int = 1) -> None:
        area = area.intersected(QRectF(self.viewport().rect()))
        if area.height() > 0 and area.width() > 0:
            area.setWidth(max(area.width(), _MIN_OUTLINE_WIDTH))
            painter.setPen(pen)
            painter.drawRect(area.adjusted(within, within, -within, -within))

    # ---------------------------------------------------------------- Qt's events

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.lay_out()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.lay_out()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Escape) and self.is_zoomed:
            self.zoom_out()
        else:
            super().keyPressEvent(event)


# -------------------------------------------------------------------- colours

_WEAKEST = 0.3  # opacity of the smallest change, which is told from grey and from the other colour
_NEUTRAL_OPACITY = 0.3  # of the middle grey, for a box that did not change
_AROUND_OPACITY = 0.75  # of boxes around the zoomed one
MERGED, MERGED_FADED = -1, -2  # keys of slivers that are painted as one grey box
_MERGED_OPACITY = 0.24  # of their grey, which is paler than that of unknown objects
_FADED_PART = 0.4  # of that grey, where none of the boxes passes search and filter
_INKS = "black", "white"


class BoxColors(dict[int, QColor]):
    """The colours of a picture's boxes on a palette by their keys, created on first use."""

    def __init__(self, picture: Frames, palette: QPalette) -> None:
        super().__init__()
        self._picture, self._palette = picture, palette
        self._inks: dict[int, QColor] = {}

    def is_for(self, picture: Frames, palette: QPalette) -> bool:
        return self._picture is picture and self._palette == palette

    def __missing__(self, key: int) -> QColor:
        palette = self._palette
        if key in (MERGED, MERGED_FADED):
            strength = _MERGED_OPACITY * (_FADED_PART if key == MERGED_FADED else 1)
            self[key] = blended(palette.text().color(), palette.base().color(), strength)
            return self[key]
        shade = self._picture.shade(key)
        if shade.level is not None:
            color = level_color(shade.level, palette)
        else:
            color = palette.mid().color() if shade.color is None else QColor(shade.color)
        if shade.opacity < 1:
            color = blended(color, palette.base().color(), shade.opacity)
        if key & IS_AROUND:
            color = blended(color, palette.color(QPalette.ColorRole.Mid), _AROUND_OPACITY)
        self[key] = color
        return color

    def ink(self, key: int) -> QColor:
        """Return the colour of texts and lines in boxes with a key."""
        if key not in self._inks:
            self._inks[key] = text_color(self[key])
        return self._inks[key]

    def net_color(self, key: int) -> QColor | None:
        """Return the colour of the line that tells the net change in a box; None without one."""
        level = self._picture.shade(key).level
        return (GROWTH if level > 0 else SHRINKAGE) if level else None


def level_color(level: int, palette: QPalette) -> QColor:
    """Return the colour of growth, level above 0, or of shrinkage; grey for 0."""
    text, base = palette.text().color(), palette.base().color()
    neutral = blended(text, base, _NEUTRAL_OPACITY)
    if not level:
        return neutral
    strongest = change_fill(palette, is_growth=level > 0)
    opacity = _WEAKEST + (1 - _WEAKEST) * (abs(level) - 1) / (CHANGE_LEVELS - 1)
    return blended(strongest, neutral, opacity)


def text_color(fill: QColor) -> QColor:
    """Return black or white, whichever has more contrast to this colour: at least 4.5."""
    return QColor(max(_INKS, key=lambda ink: contrast(QColor(ink), fill)))


class LabelFont(FontMeasure):
    """The sizes of labels in a font."""

    @property
    def ascent(self) -> float:
        return self._metrics.ascent()

    def elided(self, text: str, width: float, keep: str = "ends") -> str:
        return self._metrics.elidedText(text, _ELISIONS[keep], width)


_ELISIONS = {
    "start": Qt.TextElideMode.ElideRight,
    "end": Qt.TextElideMode.ElideLeft,
    "ends": Qt.TextElideMode.ElideMiddle,
}
