"""The canvas of the control flow: a click selects an instruction, a double click folds a block.

`items` paints blocks and arrows; `diagram_canvas` handles what all diagrams share.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QGraphicsItem

from qcachegrind_py.views.common.pictures.detail_line import Detail
from qcachegrind_py.views.graph.arrow_item import ArrowItem
from qcachegrind_py.views.graph.box_item import BoxItem
from qcachegrind_py.views.graph.control_flow.items import BlockItem, FlowArrowItem
from qcachegrind_py.views.graph.control_flow.scene import FlowPicture, fill_scene
from qcachegrind_py.views.graph.control_flow.tips import arrow_tooltip, block_tooltip
from qcachegrind_py.views.graph.diagram_canvas import DiagramCanvas


class FlowCanvas(DiagramCanvas):
    """The canvas for a function's control flow; the key of a block is its first address."""

    address_selected = Signal(object)  # int: address of the instruction that the user moved to
    fold_requested = Signal(object)  # int: address of the block to fold or unfold
    all_lines_requested = Signal(object)  # int: address of the block to show in full
    picture: FlowPicture | None = None  # on the class: Qt sends events during construction
    nodes: Sequence[BlockItem]
    arrows: Sequence[FlowArrowItem]

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Control flow")
        self._clicked_line = -1  # line in the clicked block

    @property
    def diagram(self) -> FlowPicture | None:
        return self.picture

    def set_picture(self, picture: FlowPicture) -> None:
        """Show a picture; if its central block was visible, it keeps its screen position."""
        position = self.anchor_position(picture)
        self.close_menu()
        self.picture = picture
        self.scene().clear()
        self.show_items(*fill_scene(self.scene(), picture), position)

    def clear(self) -> None:
        """Remove the picture and every reference to the profile."""
        self.picture = None
        self.clear_items()

    def move_current_to(self, key: int) -> None:
        """Make the block with this key current without selecting it."""
        if self.picture is not None and key in self.picture.keys:
            self.current = list(self.picture.keys).index(key)

    def highlight(self, addresses: Collection[int], keys: Collection[int], *, scroll: bool) -> None:
        """Highlight instructions, and blocks by key; with `scroll`, scroll to the first block."""
        self.mark_boxes(keys)
        first_selected = next((node for node in self.nodes if node.is_selected), None)
        if scroll and first_selected is not None:
            self.ensureVisible(first_selected.area)
        highlighted = frozenset(addresses)
        for node in self.nodes:
            if node.highlighted_addresses != highlighted:
                node.highlighted_addresses = highlighted
                node.update()

    def highlight_matches(self, text: str, rows: set[int] | None) -> None:
        """Fade blocks outside these rows and highlight the lines that contain the text."""
        for node in self.nodes:
            node.search_text = text.lower()
        self.set_matches(rows)

    def box_selected(self, row: int) -> None:
        text = self.nodes[row].text
        line, self._clicked_line = self._clicked_line, -1
        self.address_selected.emit(text.lines[line].address if line >= 0 else text.address)

    def activate(self, row: int) -> None:
        """Fold or unfold a block."""
        if self.picture is not None and 0 <= row < len(self.nodes):
            self.fold_requested.emit(self.key_of(row))

    def handle_click(self, position: QPoint) -> None:
        item = self.diagram_item_at(position)
        if isinstance(item, BlockItem):
            self._clicked_line = item.line_at(self.mapToScene(position))
            if item.is_placeholder_line(self._clicked_line):
                self._clicked_line = -1
                self.all_lines_requested.emit(self.key_of(item.row))
                return
        super().handle_click(position)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        position = event.position().toPoint()
        item = self.diagram_item_at(position)
        if isinstance(item, BlockItem) and item.is_placeholder_line(
            item.line_at(self.mapToScene(position))
        ):
            return  # the first click has already shown the rest
        super().mouseDoubleClickEvent(event)

    def tooltip_text(self, item: QGraphicsItem | None) -> str:
        picture = self.picture
        if picture is not None and isinstance(item, BlockItem):
            return block_tooltip(picture.visible_blocks, picture.style, item.row)
        if picture is not None and isinstance(item, FlowArrowItem):
            return arrow_tooltip(picture.visible_blocks, picture.style, item.row)
        return ""

    def detail_of(self, item: BoxItem | ArrowItem) -> Detail | None:
        picture = self.picture
        if picture is None:
            return None
        if isinstance(item, BoxItem):
            text = picture.blocks[item.row]
            numbers = tuple(filter(None, (text.cost, text.executed)))
            return Detail(text.title, numbers, picture.style.color)
        ends = (picture.blocks[int(end[item.row])].title for end in picture.endpoints)
        label = picture.arrows[item.row].label_text
        return Detail(" → ".join(ends), (label,) if label else ())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Home and self.picture is not None:
            self.set_current(0)  # the entry
        else:
            super().keyPressEvent(event)
