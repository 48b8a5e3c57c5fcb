"""The control flow as one looks at it: a click chooses an instruction, a double click folds.

How blocks and arrows look is said by `control_flow_items`; what all diagrams do, by
`diagram_canvas`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QGraphicsItem

from qcachegrind_py.views.graph.control_flow.items import BlockItem, FlowArrowItem
from qcachegrind_py.views.graph.control_flow.scene import FlowPicture, fill_scene
from qcachegrind_py.views.graph.control_flow.style import arrow_tooltip, block_tooltip
from qcachegrind_py.views.graph.diagram_canvas import DiagramCanvas


class FlowCanvas(DiagramCanvas):
    """Shows one picture of a function; the key of a block is the address of its first byte."""

    address_selected = Signal(object)  # int: of the instruction that the user went to
    fold_requested = Signal(object)  # int: fold the block of this address, or unfold it
    all_lines_requested = Signal(object)  # int: show all instructions of this block
    picture: FlowPicture | None = None  # of the class: Qt sends events while this is made
    nodes: Sequence[BlockItem]
    arrows: Sequence[FlowArrowItem]

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Control flow")
        self._clicked_line = -1  # of the block that is clicked

    @property
    def diagram(self) -> FlowPicture | None:
        return self.picture

    def set_picture(self, picture: FlowPicture) -> None:
        """Show this picture; the block that it is drawn around stays where it was, if it was."""
        place = self.anchor_position(picture)
        self.close_menu()
        self.picture = picture
        self.scene().clear()
        self.show_items(*fill_scene(self.scene(), picture), place)

    def clear(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        self.picture = None
        self.clear_items()

    def move_current_to(self, key: int) -> None:
        """Let the keyboard be at the block of this key, without choosing it."""
        if self.picture is not None and key in self.picture.keys:
            self.current = list(self.picture.keys).index(key)

    def highlight(self, addresses: Collection[int], keys: Collection[int], *, scroll: bool) -> None:
        """Mark these instructions and the blocks of these keys; let the first one be seen."""
        self.mark_boxes(keys)
        marked = next((node for node in self.nodes if node.is_selected), None)
        if scroll and marked is not None:
            self.ensureVisible(marked.area)
        lit = frozenset(addresses)
        for node in self.nodes:
            if node.highlighted_addresses != lit:
                node.highlighted_addresses = lit
                node.update()

    def highlight_matches(self, text: str, rows: set[int] | None) -> None:
        """Fade the blocks that are not among these rows; write what was found in another colour."""
        for node in self.nodes:
            node.search_text = text.lower()
        self.set_matches(rows)

    def box_selected(self, row: int) -> None:
        text = self.nodes[row].text
        line, self._clicked_line = self._clicked_line, -1
        self.address_selected.emit(text.lines[line].address if line >= 0 else text.address)

    def activate(self, row: int) -> None:
        """Fold a block, or unfold it."""
        if self.picture is not None and 0 <= row < len(self.nodes):
            self.fold_requested.emit(self.key_of(row))

    def handle_click(self, place: QPoint) -> None:
        item = self.diagram_item_at(place)
        if isinstance(item, BlockItem):
            self._clicked_line = item.line_at(self.mapToScene(place))
            if item.is_placeholder_line(self._clicked_line):
                self._clicked_line = -1
                self.all_lines_requested.emit(self.key_of(item.row))
                return
        super().handle_click(place)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        place = event.position().toPoint()
        item = self.diagram_item_at(place)
        if isinstance(item, BlockItem) and item.is_placeholder_line(
            item.line_at(self.mapToScene(place))
        ):
            return  # the first click showed the rest already
        super().mouseDoubleClickEvent(event)

    def tooltip_text(self, item: QGraphicsItem | None) -> str:
        picture = self.picture
        if picture is not None and isinstance(item, BlockItem):
            return block_tooltip(picture.visible_blocks, picture.style, item.row)
        if picture is not None and isinstance(item, FlowArrowItem):
            return arrow_tooltip(picture.visible_blocks, picture.style, item.row)
        return ""

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Home and self.picture is not None:
            self.set_current(0)  # the entry
        else:
            super().keyPressEvent(event)
