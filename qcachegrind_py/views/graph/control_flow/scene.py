"""A picture of the control flow: what is drawn, how it is written and where it is placed.

`draw_up` makes one, in a job: it needs no widget. `fill_scene` makes the items, in the window. The
layout knows no arrow from a box to itself: such a loop stands beside its box, whose room is larger
for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QGraphicsScene

from qcachegrind_py.analysis.code.visible_blocks import VisibleBlocks
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.tools.layout.protocol import GraphLayout, LayoutInput, LayoutResult
from qcachegrind_py.views.graph.arrow_item import LabelLayer
from qcachegrind_py.views.graph.call_graph_style import small_font
from qcachegrind_py.views.graph.control_flow.items import BlockItem, FlowArrowItem
from qcachegrind_py.views.graph.control_flow.style import (
    BlockText,
    FlowArrowText,
    FlowStyle,
    arrow_texts,
    block_texts,
    instruction_text,
)

_LOOP_REACH = 40.0  # pixels that the curve of a loop reaches out with its control points
_LOOP_GAP = 5.0  # between it and its label
_MAX_LOOP_HALF_WIDTH = 18.0  # from the middle of the side to each end, at the most
_RANK_GAP, _NODE_GAP = 34.0, 26.0


@dataclass(frozen=True, slots=True, eq=False)
class FlowPicture:
    """All that is needed to draw it; ways and labels by arrow, places by block."""

    visible_blocks: VisibleBlocks
    style: FlowStyle
    blocks: Sequence[BlockText]
    arrows: Sequence[FlowArrowText]
    search_texts: Sequence[str]  # the texts of all instructions of each block, in small letters
    centers: Float64Array  # shape (blocks, 2): centres
    paths: Sequence[Float64Array]
    label_centers: Float64Array
    is_horizontal: bool
    keys: Sequence[int]  # the address of each block
    anchor_row: int  # the block that keeps its place on the screen

    @property
    def endpoints(self) -> tuple[Int64Array, Int64Array]:
        """The blocks where each arrow begins and ends."""
        return self.visible_blocks.source, self.visible_blocks.target


def build_picture(
    visible_blocks: VisibleBlocks,
    style: FlowStyle,
    is_horizontal: bool,
    anchor_address: int,
    layout: GraphLayout,
    progress: Progress,
) -> FlowPicture:
    """Write the texts, and have them placed. Raises what `GraphLayout.place` does."""
    blocks, arrows = block_texts(visible_blocks, style), arrow_texts(visible_blocks, style)
    progress.check(0.0)
    own = np.array([(block.width, block.height) for block in blocks], float)
    rooms = _sizes_with_loops(visible_blocks, own, arrows, is_horizontal)
    placed = layout.layout(_layout_input(visible_blocks, rooms, arrows, is_horizontal), progress)
    places = placed.nodes - (rooms - own) / 2
    ways, labels = _arrow_paths(visible_blocks, arrows, placed, places, own, is_horizontal)
    addresses = [block.address for block in blocks]
    home = addresses.index(anchor_address) if anchor_address in addresses else 0
    return FlowPicture(
        visible_blocks, style, blocks, arrows, _search_texts(visible_blocks, style), places, ways,
        labels,
        is_horizontal, addresses, home,
    )  # fmt: skip


def _layout_input(
    drawn: VisibleBlocks, sizes: Float64Array, arrows: Sequence[FlowArrowText], is_horizontal: bool
) -> LayoutInput:
    """What the layout is asked to place: no loops."""
    calls = (
        (int(drawn.source[a]), int(drawn.target[a]), arrows[a].width, arrows[a].height)
        for a in np.flatnonzero(drawn.source != drawn.target).tolist()
    )
    return LayoutInput(
        nodes=tuple(map(tuple, sizes.tolist())),
        calls=tuple(calls),
        is_horizontal=is_horizontal,
        node_gap=_NODE_GAP,
        rank_gap=_RANK_GAP,
    )


def _search_texts(drawn: VisibleBlocks, look: FlowStyle) -> list[str]:
    start = drawn.blocks.start
    return [
        "\n".join(
            f"{int(drawn.blocks.address[row]):x} {instruction_text(look, drawn, row)}"
            for row in range(int(start[block]), int(start[block + 1]))
        ).lower()
        for block in drawn.row.tolist()
    ]


# ---------------------------------------------------------------- loops


def _sizes_with_loops(
    drawn: VisibleBlocks,
    block_sizes: Float64Array,
    arrows: Sequence[FlowArrowText],
    is_horizontal: bool,
) -> Float64Array:
    """The room of each block, that of its loop included, where `own` is without; (blocks, 2)."""
    rooms = block_sizes.copy()
    for arrow in np.flatnonzero(drawn.source == drawn.target).tolist():
        block = drawn.source[arrow]
        rooms[block] = _size_with_loop(block_sizes[block], arrows[arrow], is_horizontal)
    return rooms


def _size_with_loop(
    block_size: Float64Array, text: FlowArrowText, is_horizontal: bool
) -> Float64Array:
    """The room of a block with a loop: on its right, or below where arrows lead to the right."""
    reach = _LOOP_REACH + (_LOOP_GAP + (text.height if is_horizontal else text.width))
    if is_horizontal:
        return np.array([max(block_size[0], text.width), block_size[1] + reach])
    return np.array([block_size[0] + reach, max(block_size[1], text.height)])


def _arrow_paths(
    drawn: VisibleBlocks,
    arrows: Sequence[FlowArrowText],
    layout_result: LayoutResult,
    centers: Float64Array,
    block_sizes: Float64Array,
    is_horizontal: bool,
) -> tuple[list[Float64Array], Float64Array]:
    """The way of each arrow and the place of its label: as laid out, or beside its block."""
    is_loop = drawn.source == drawn.target
    others = np.flatnonzero(~is_loop)
    ways: list[Float64Array] = [np.empty((0, 2))] * len(arrows)
    labels = np.full((len(arrows), 2), np.nan)
    labels[others] = layout_result.label_centres
    for arrow, way in zip(others.tolist(), layout_result.paths, strict=True):
        way = way.copy()
        for end, block in ((0, drawn.source[arrow]), (-1, drawn.target[arrow])):
            way[end] = _clipped_to_block(way[end], centers[block], block_sizes[block])
        ways[arrow] = way
    for arrow in np.flatnonzero(is_loop).tolist():
        block = int(drawn.source[arrow])
        ways[arrow], labels[arrow] = _loop_path(
            centers[block], block_sizes[block], arrows[arrow], is_horizontal
        )
    return ways, labels


def _clipped_to_block(
    point: Float64Array, centre: Float64Array, size: Float64Array
) -> Float64Array:
    """The point, or where it is in the room of a loop, the nearest one of the block itself."""
    low, high = centre - size / 2, centre + size / 2
    return np.clip(point, low, high) if (point > high + 1).any() else point


def _loop_path(
    centre: Float64Array, size: Float64Array, text: FlowArrowText, is_horizontal: bool
) -> tuple[Float64Array, Float64Array]:
    """The way out of a block and back into it, and the place of its label."""
    along, out = (0, 1) if is_horizontal else (1, 0)
    half = min(_MAX_LOOP_HALF_WIDTH, size[along] / 4)
    side = centre[out] + size[out] / 2
    way = np.empty((4, 2))
    way[:, along] = centre[along] + np.array([half, half + 10, -half - 10, -half])
    way[:, out] = side + np.array([0, _LOOP_REACH, _LOOP_REACH, 0])
    label = np.full(2, np.nan)
    if text.width:
        extent = text.height if is_horizontal else text.width
        label[along] = centre[along]
        label[out] = side + _LOOP_REACH * 0.75 + _LOOP_GAP + extent / 2
    return way, label


# ---------------------------------------------------------------- items


def fill_scene(
    scene: QGraphicsScene, picture: FlowPicture
) -> tuple[list[BlockItem], list[FlowArrowItem]]:
    """Make the items of the picture; gives those of blocks and arrows, by row."""
    look, drawn = picture.style, picture.visible_blocks
    blocks = []
    for row, text in enumerate(picture.blocks):
        item = BlockItem(row, text, look.color, look.font, look.code_font)
        item.setPos(QPointF(*picture.centers[row]))
        item.is_active = int(drawn.row[row]) == drawn.blocks.entry
        item.is_horizontal = picture.is_horizontal
        item.has_stubs = bool(drawn.has_hidden_incoming[row]), bool(drawn.has_hidden_outgoing[row])
        blocks.append(item)
    arrows = [
        FlowArrowItem(row, text, picture.paths[row], picture.label_centers[row])
        for row, text in enumerate(picture.arrows)
    ]
    for each in [*arrows, LabelLayer(arrows, (), small_font(look.font)), *blocks]:
        scene.addItem(each)
    return blocks, arrows
