"""The layout of diagrams: boxes and arrows with their texts come in, a `Diagram` goes out.

The layout engine gets no arrow from a box to itself: such a loop is drawn beside its box, whose
size in the layout includes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.picture import Arrow, Box, Diagram, Frame, TextMeasure
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout, LayoutInput

_TITLE_GAP = 4.0  # above and below the title of a frame, in total
_MIN_THICKNESS, _MAX_THICKNESS = 1.0, 8.0  # of arrows
_LOOP_REACH = 40.0  # from the box to the control points of a loop
_LOOP_GAP = 5.0  # between a loop and its label
_MAX_LOOP_HALF_WIDTH = 18.0  # from the middle of the box's side to each end


@frozen(eq=True)
class Arrangement:
    """Direction and gaps of a layout."""

    is_horizontal: bool = False
    node_gap: float = 24.0
    rank_gap: float = 40.0
    is_circular: bool = False  # the anchor in the middle of the others


def lay_out(
    boxes: Sequence[Box],
    arrows: Sequence[Arrow],
    frames: Sequence[Frame],
    arrangement: Arrangement,
    titles: TextMeasure,
    layout: GraphLayout,
    progress: Progress,
    *,
    anchor: int = 0,
    home: int = 0,
) -> Diagram:
    """Place boxes and arrows; `titles` measures those of frames.

    Raises what `GraphLayout.layout` raises.
    """
    is_horizontal = arrangement.is_horizontal
    sizes = np.array([(box.width, box.height) for box in boxes], float).reshape(-1, 2)
    is_loop = np.array([arrow.source == arrow.target for arrow in arrows], bool)
    loops, others = (np.flatnonzero(found).tolist() for found in (is_loop, ~is_loop))
    spaces = sizes.copy()
    for row in loops:
        box = arrows[row].source
        spaces[box] = _size_with_loop(sizes[box], arrows[row], is_horizontal)
    placed = layout.layout(
        LayoutInput(
            nodes=tuple(map(tuple, spaces.tolist())),
            calls=tuple(
                (arrow.source, arrow.target, arrow.width, arrow.height)
                for arrow in (arrows[row] for row in others)
            ),
            clusters=tuple(frame.boxes for frame in frames),
            centre=anchor if arrangement.is_circular else None,
            title_height=ceil(titles.height) + _TITLE_GAP,
            is_horizontal=is_horizontal,
            node_gap=arrangement.node_gap,
            rank_gap=arrangement.rank_gap,
        ),
        progress,
    )
    centers = placed.nodes - (spaces - sizes) / 2
    paths: list[Float64Array] = [np.empty((0, 2))] * len(arrows)
    labels = np.full((len(arrows), 2), np.nan)
    labels[others] = placed.label_centres
    for row, path in zip(others, placed.paths, strict=True):
        paths[row] = _joined_to_boxes(path, arrows[row], centers, sizes) if loops else path
    for row in loops:
        box = arrows[row].source
        paths[row], labels[row] = _loop(centers[box], sizes[box], arrows[row], is_horizontal)
    return Diagram(
        boxes, arrows, frames, centers, paths, labels, placed.cluster_frames, is_horizontal,
        anchor, home,
    )  # fmt: skip


def arrow_thickness(share: float) -> float:
    """Return the thickness for a share from 0 to 1, on a logarithmic scale."""
    steps = log2(1 + 1000 * min(1.0, share)) / log2(1001)
    return _MIN_THICKNESS + (_MAX_THICKNESS - _MIN_THICKNESS) * steps**2


# -------------------------------------------------------------------- loops


def _size_with_loop(size: Float64Array, arrow: Arrow, is_horizontal: bool) -> Float64Array:
    """Return the size of a box with a loop to its right, or below in a horizontal diagram."""
    reach = _LOOP_REACH + _LOOP_GAP + (arrow.height if is_horizontal else arrow.width)
    if is_horizontal:
        return np.array([max(size[0], arrow.width), size[1] + reach])
    return np.array([size[0] + reach, max(size[1], arrow.height)])


def _joined_to_boxes(
    path: Float64Array, arrow: Arrow, centers: Float64Array, sizes: Float64Array
) -> Float64Array:
    """Return the path with its ends on the boxes where they lie in the space of a loop."""
    path = path.copy()
    for end, box in ((0, arrow.source), (-1, arrow.target)):
        low, high = centers[box] - sizes[box] / 2, centers[box] + sizes[box] / 2
        if (path[end] > high + 1).any():
            path[end] = np.clip(path[end], low, high)
    return path


def _loop(
    center: Float64Array, size: Float64Array, arrow: Arrow, is_horizontal: bool
) -> tuple[Float64Array, Float64Array]:
    """Return the path of a loop, shape (4, 2), and the centre of its label, shape (2,)."""
    along, out = (0, 1) if is_horizontal else (1, 0)
    half = min(_MAX_LOOP_HALF_WIDTH, size[along] / 4)
    side = center[out] + size[out] / 2
    path = np.empty((4, 2))
    path[:, along] = center[along] + np.array([half, half + 10, -half - 10, -half])
    path[:, out] = side + np.array([0, _LOOP_REACH, _LOOP_REACH, 0])
    label = np.full(2, np.nan)
    if arrow.width:
        label_size = arrow.height if is_horizontal else arrow.width
        label[along] = center[along]
        label[out] = side + _LOOP_REACH * 0.75 + _LOOP_GAP + label_size / 2
    return path, label
