"""Where the labels of arrows stand: beside their own way, over no box and no other label.

Of the places along its way a label takes the one that the fewest ways run through, near the middle.
Graphviz can leave room for labels, but where it puts them is not always good: in graphs from left
to right every tenth one stands 10 pixels or more away from its arrow, and in clusters they lie over
one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.tables import Int64Array

_GAP = 3.0  # pixels between a way and its label: half a cell, so that it does not count as in it
_PATH_FRACTIONS = np.array([50, 44, 56, 38, 62, 32, 68, 25, 75, 18, 82, 10, 90]) / 100
_SIDES = np.array([1.0, -1.0, 0.0])  # right of the way, left of it, on it
_STEPS = 16  # straight pieces of a Bézier
_SPACING = 6.0  # pixels between the points that stand for a way
_MIN_CELL, _MAX_CELLS = 6.0, 1e6  # pixels; how finely these points are counted


def place_labels(
    centres: Float64Array, boxes: Float64Array, paths: Sequence[Float64Array], sizes: Float64Array
) -> Float64Array:
    """The centre of each label, shape (ways, 2); NaN where it has no size, or finds no room.

    `centres` and `boxes` are the centre and size of each box, in pixels, `ways` cubic Béziers of
    shape (3k + 1, 2), `sizes` those of their labels. Earlier labels choose first.
    """
    places = np.full((len(paths), 2), np.nan)
    labelled = np.flatnonzero((sizes > 0).all(axis=1))
    if len(labelled):
        lines, sizes = _build_polylines(paths), sizes[labelled]
        candidates = _candidates(lines, labelled, sizes)
        crowd = _overlap_counts(lines.sample_points(), candidates, sizes)
        order = np.argsort(crowd, axis=1, kind="stable")[..., None]
        candidates = np.take_along_axis(candidates, order, axis=1)
        places[labelled] = _choose_positions(candidates, sizes, centres, boxes)
    return places


@dataclass(frozen=True, slots=True, eq=False)
class _Polylines:
    """Ways as straight pieces, one way behind the other as if they were one."""

    points: Float64Array  # shape (points, 2)
    length: Float64Array  # from the first point to each; from way to way it takes none
    start: Float64Array  # length at which each way begins
    end: Float64Array

    def point_at(self, length: Float64Array) -> Float64Array:
        """The point at each length, shape (..., 2)."""
        return np.stack([np.interp(length, self.length, axis) for axis in self.points.T], axis=-1)

    def sample_points(self) -> Float64Array:
        """Points along all ways, as far apart from one another."""
        return self.point_at(np.arange(0.0, self.length[-1], _SPACING))


def _build_polylines(paths: Sequence[Float64Array]) -> _Polylines:
    t = np.linspace(0, 1, _STEPS + 1)[:, None]
    a, b, c = (np.concatenate([way[k:-1:3] for way in paths])[:, None] for k in range(3))
    d = np.concatenate([way[3::3] for way in paths])[:, None]
    pieces = a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t**2 * (1 - t) + d * t**3
    points = pieces.reshape(-1, 2)
    ends = np.cumsum([len(way) // 3 * (_STEPS + 1) for way in paths])
    steps = np.zeros(len(points))
    steps[1:] = np.hypot(*np.diff(points, axis=0).T)
    steps[ends[:-1]] = 0
    length = np.cumsum(steps)
    end = length[ends - 1]
    return _Polylines(points, length, np.concatenate(([0.0], end[:-1])), end)


def _candidates(lines: _Polylines, rows: Int64Array, sizes: Float64Array) -> Float64Array:
    """Centres for the labels of these ways, shape (rows, places, 2); those in the middle first.

    A label beside its way touches, but for the gap, the tangent there.
    """
    start, end = lines.start[rows, None], lines.end[rows, None]
    length = start + (end - start) * _PATH_FRACTIONS
    along = lines.point_at(length + 1) - lines.point_at(length - 1)
    across = np.stack((along[..., 1], -along[..., 0]), axis=-1)
    across /= np.maximum(np.hypot(along[..., :1], along[..., 1:]), 1e-9)
    across *= np.where(across[..., :1] < 0, -1, 1)  # to the right
    reach = (np.abs(across) * sizes[:, None]).sum(axis=-1, keepdims=True) / 2 + _GAP
    beside: Float64Array = (across * reach)[:, :, None] * _SIDES[:, None]
    return (lines.point_at(length)[:, :, None] + beside).reshape(len(rows), -1, 2)


def _overlap_counts(
    points: Float64Array, candidates: Float64Array, sizes: Float64Array
) -> Int64Array:
    """How many of the points lie in a label at each candidate, shape (labels, places).

    Counted in cells: for those that make up a label, by sums over all cells above and left of one.
    """
    half = sizes[:, None] / 2
    low = np.minimum(points.min(axis=0), (candidates - half).min(axis=(0, 1)))
    extent = np.maximum(points.max(axis=0), (candidates + half).max(axis=(0, 1))) - low
    cell = max(_MIN_CELL, float(np.sqrt(extent.prod() / _MAX_CELLS)))
    columns, rows = (extent / cell).astype(np.int64) + 1
    x, y = ((points - low) / cell).astype(np.int64).T
    sums = np.zeros((rows + 1, columns + 1), np.int64)
    counts = np.bincount(y * columns + x, minlength=rows * columns).reshape(rows, columns)
    sums[1:, 1:] = counts.cumsum(axis=0).cumsum(axis=1)
    left, top = np.moveaxis(np.rint((candidates - half - low) / cell).astype(np.int64), -1, 0)
    right, bottom = np.moveaxis(np.rint((candidates + half - low) / cell).astype(np.int64), -1, 0)
    inside: Int64Array = sums[bottom, right] - sums[top, right] - sums[bottom, left]
    inside += sums[top, left]
    return inside


def _choose_positions(
    candidates: Float64Array, sizes: Float64Array, centres: Float64Array, boxes: Float64Array
) -> Float64Array:
    """The first candidate of each label, shape (labels, 2), that covers no box nor label before."""
    chosen = np.full((len(sizes), 2), np.nan)
    x, y = np.concatenate((centres, chosen)).T.copy()
    half_width, half_height = np.concatenate((boxes, sizes)).T / 2
    for label, own in enumerate(candidates):
        here = len(centres) + label
        width = half_width[:here] + half_width[here]
        height = half_height[:here] + half_height[here]
        for some in own[:1], own[1:]:  # the first one is mostly free
            covers = np.abs(some[:, :1] - x[:here]) < width
            covers &= np.abs(some[:, 1:] - y[:here]) < height
            free = ~covers.any(axis=1)
            if free.any():
                chosen[label] = x[here], y[here] = some[np.argmax(free)]
                break
    return chosen
