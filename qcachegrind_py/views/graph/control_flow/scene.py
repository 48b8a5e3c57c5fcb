"""Pictures of the control flow: visible blocks with texts and layout, and the graphics items.

`build_picture` runs in a job, because it needs no widget; `fill_scene` creates the items in the
main thread. The layout engine gets no arrows from a box to itself: such a loop is drawn beside its
box, whose size in the layout includes it.
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
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout, LayoutInput, LayoutResult
from qcachegrind_py.views.graph.arrow_item import LabelLayer
from qcachegrind_py.views.graph.arrow_shape import ArrowShape, create_arrow_shape
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

_LOOP_REACH = 40.0  # pixels from the block to the control points of a loop
_LOOP_GAP = 5.0  # pixels between a loop and its label
_MAX_LOOP_HALF_WIDTH = 18.0  # pixels from the middle of the block's side to each end
_RANK_GAP, _NODE_GAP = 34.0, 26.0


@dataclass(frozen=True, slots=True, eq=False)
class FlowPicture:
    """Everything needed to paint the control flow; paths and labels by arrow, centres by block."""

    visible_blocks: VisibleBlocks
    style: FlowStyle
    blocks: Sequence[BlockText]
    arrows: Sequence[FlowArrowText]
    search_texts: Sequence[str]  # all instructions of each block, in lower case
    centers: Float64Array  # shape (blocks, 2)
    paths: Sequence[Float64Array]
    outlines: Sequence[ArrowShape]
    label_centers: Float64Array
    is_horizontal: bool
    keys: Sequence[int]  # address of each block
    anchor_row: int  # block that keeps its position on the screen

    @property
    def endpoints(self) -> tuple[Int64Array, Int64Array]:
        """The blocks at both ends of each arrow, two arrays of shape (arrows,)."""
        return self.visible_blocks.source, self.visible_blocks.target


def build_picture(
    visible_blocks: VisibleBlocks,
    style: FlowStyle,
    is_horizontal: bool,
    anchor_address: int,
    layout: GraphLayout,
    progress: Progress,
) -> FlowPicture:
    """Create the texts and the layout. Raises what `GraphLayout.layout` raises."""
    blocks, arrows = block_texts(visible_blocks, style), arrow_texts(visible_blocks, style)
    progress.check(0.0)
    block_sizes = np.array([(block.width, block.height) for block in blocks], float)
    sizes = _sizes_with_loops(visible_blocks, block_sizes, arrows, is_horizontal)
    layout_result = layout.layout(
        _layout_input(visible_blocks, sizes, arrows, is_horizontal), progress
    )
    centers = layout_result.nodes - (sizes - block_sizes) / 2
    paths, labels = _arrow_paths(
        visible_blocks, arrows, layout_result, centers, block_sizes, is_horizontal
    )
    outlines = [
        create_arrow_shape(path, text.thickness) for path, text in zip(paths, arrows, strict=True)
    ]
    addresses = [block.address for block in blocks]
    anchor_row = addresses.index(anchor_address) if anchor_address in addresses else 0
    return FlowPicture(
        visible_blocks, style, blocks, arrows, _search_texts(visible_blocks, style), centers, paths,
        outlines, labels, is_horizontal, addresses, anchor_row,
    )  # fmt: skip


def _layout_input(
    visible: VisibleBlocks,
    sizes: Float64Array,
    arrows: Sequence[FlowArrowText],
    is_horizontal: bool,
) -> LayoutInput:
    """Return the input of the layout engine, without loops."""
    calls = (
        (int(visible.source[a]), int(visible.target[a]), arrows[a].width, arrows[a].height)
        for a in np.flatnonzero(visible.source != visible.target).tolist()
    )
    return LayoutInput(
        nodes=tuple(map(tuple, sizes.tolist())),
        calls=tuple(calls),
        is_horizontal=is_horizontal,
        node_gap=_NODE_GAP,
        rank_gap=_RANK_GAP,
    )


def _search_texts(visible: VisibleBlocks, style: FlowStyle) -> list[str]:
    start = visible.blocks.start
    return [
        "\n".join(
            f"{int(visible.blocks.address[row]):x} {instruction_text(style, visible, row)}"
            for row in range(int(start[block]), int(start[block + 1]))
        ).lower()
        for block in visible.row.tolist()
    ]


# ---------------------------------------------------------------- loops


def _sizes_with_loops(
    visible: VisibleBlocks,
    block_sizes: Float64Array,
    arrows: Sequence[FlowArrowText],
    is_horizontal: bool,
) -> Float64Array:
    """Return the size of each block with its loop, in pixels; shapes (blocks, 2)."""
    sizes = block_sizes.copy()
    for arrow in np.flatnonzero(visible.source == visible.target).tolist():
        block = visible.source[arrow]
        sizes[block] = _size_with_loop(block_sizes[block], arrows[arrow], is_horizontal)
    return sizes


def _size_with_loop(
    block_size: Float64Array, text: FlowArrowText, is_horizontal: bool
) -> Float64Array:
    """Return the size of a block with a loop to its right, or below in a horizontal diagram."""
    reach = _LOOP_REACH + (_LOOP_GAP + (text.height if is_horizontal else text.width))
    if is_horizontal:
        return np.array([max(block_size[0], text.width), block_size[1] + reach])
    return np.array([block_size[0] + reach, max(block_size[1], text.height)])


def _arrow_paths(
    visible: VisibleBlocks,
    arrows: Sequence[FlowArrowText],
    layout_result: LayoutResult,
    centers: Float64Array,
    block_sizes: Float64Array,
    is_horizontal: bool,
) -> tuple[list[Float64Array], Float64Array]:
    """Return the path of each arrow, and label centres of shape (arrows, 2), NaN for no label.

    They come from the layout, except for loops, which are drawn beside their block.
    """
    is_loop = visible.source == visible.target
    others = np.flatnonzero(~is_loop)
    paths: list[Float64Array] = [np.empty((0, 2))] * len(arrows)
    labels = np.full((len(arrows), 2), np.nan)
    labels[others] = layout_result.label_centres
    for arrow, path in zip(others.tolist(), layout_result.paths, strict=True):
        path = path.copy()
        for end, block in ((0, visible.source[arrow]), (-1, visible.target[arrow])):
            path[end] = _clipped_to_block(path[end], centers[block], block_sizes[block])
        paths[arrow] = path
    for arrow in np.flatnonzero(is_loop).tolist():
        block = int(visible.source[arrow])
        paths[arrow], labels[arrow] = _loop_path(
            centers[block], block_sizes[block], arrows[arrow], is_horizontal
        )
    return paths, labels


def _clipped_to_block(
    point: Float64Array, centre: Float64Array, size: Float64Array
) -> Float64Array:
    """Return the point, moved onto the block if it lies in the space of the block's loop."""
    low, high = centre - size / 2, centre + size / 2
    return np.clip(point, low, high) if (point > high + 1).any() else point


def _loop_path(
    centre: Float64Array, size: Float64Array, text: FlowArrowText, is_horizontal: bool
) -> tuple[Float64Array, Float64Array]:
    """Return the path of a loop, shape (4, 2), and the centre of its label, shape (2,)."""
    along, out = (0, 1) if is_horizontal else (1, 0)
    half = min(_MAX_LOOP_HALF_WIDTH, size[along] / 4)
    side = centre[out] + size[out] / 2
    path = np.empty((4, 2))
    path[:, along] = centre[along] + np.array([half, half + 10, -half - 10, -half])
    path[:, out] = side + np.array([0, _LOOP_REACH, _LOOP_REACH, 0])
    label = np.full(2, np.nan)
    if text.width:
        label_size = text.height if is_horizontal else text.width
        label[along] = centre[along]
        label[out] = side + _LOOP_REACH * 0.75 + _LOOP_GAP + label_size / 2
    return path, label


# ---------------------------------------------------------------- items


def fill_scene(
    scene: QGraphicsScene, picture: FlowPicture
) -> tuple[list[BlockItem], list[FlowArrowItem]]:
    """Add the picture's items to the scene; return those of blocks and of arrows, by row."""
    style, visible = picture.style, picture.visible_blocks
    blocks = []
    for row, text in enumerate(picture.blocks):
        item = BlockItem(row, text, style.color, style.font, style.code_font)
        item.setPos(QPointF(*picture.centers[row]))
        item.is_active = int(visible.row[row]) == visible.blocks.entry
        item.is_horizontal = picture.is_horizontal
        item.has_stubs = (
            bool(visible.has_hidden_incoming[row]),
            bool(visible.has_hidden_outgoing[row]),
        )
        blocks.append(item)
    arrows = [
        FlowArrowItem(row, text, picture.outlines[row], picture.label_centers[row])
        for row, text in enumerate(picture.arrows)
    ]
    for graphics_item in [*arrows, LabelLayer(arrows, (), small_font(style.font)), *blocks]:
        scene.addItem(graphics_item)
    return blocks, arrows
