"""Placement of edge labels: beside their own path, without covering boxes or other labels.

Of the candidates along its path, a label takes the one that overlaps the fewest paths, preferably
near the middle. Graphviz can reserve space for labels, but does not always place them well: in
graphs from left to right, every tenth one is 10 pixels or more from its arrow, and in clusters they
overlap each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.tables import Int64Array

_GAP = 3.0  # pixels between a path and its label: half a cell, so that no cell has both
_PATH_FRACTIONS = np.array([50, 44, 56, 38, 62, 32, 68, 25, 75, 18, 82, 10, 90]) / 100
_SIDES = np.array([1.0, -1.0, 0.0])  # right of the path, left of it, on it
_STEPS = 16  # line segments per Bézier
_SPACING = 6.0  # pixels between the sample points of a path
_MIN_CELL, _MAX_CELLS = 6.0, 1e6  # pixels; resolution of the grid that counts sample points


def place_labels(
    centres: Float64Array, boxes: Float64Array, paths: Sequence[Float64Array], sizes: Float64Array
) -> Float64Array:
    """Return the centre of each label, shape (paths, 2); NaN if it has no size, or no free space.

    `centres` and `boxes` are the centre and size of each box in pixels, shape (boxes, 2). `paths`
    are cubic Béziers of shape (3k + 1, 2), `sizes` their labels' sizes, shape (paths, 2). Earlier
    labels have priority.
    """
    positions = np.full((len(paths), 2), np.nan)
    labelled = np.flatnonzero((sizes > 0).all(axis=1))
    if len(labelled):
        lines, sizes = _build_polylines(paths), sizes[labelled]
        candidates = _candidates(lines, labelled, sizes)
        overlaps = _overlap_counts(lines.sample_points(), candidates, sizes)
        order = np.argsort(overlaps, axis=1, kind="stable")[..., None]
        candidates = np.take_along_axis(candidates, order, axis=1)
        positions[labelled] = _choose_positions(candidates, sizes, centres, boxes)
    return positions


@dataclass(frozen=True, slots=True, eq=False)
class _Polylines:
    """Paths as line segments, concatenated as if they were one path."""

    points: Float64Array  # shape (points, 2)
    length: Float64Array  # from the first point to each; 0 between one path and the next
    start: Float64Array  # length at which each path begins
    end: Float64Array

    def point_at(self, length: Float64Array) -> Float64Array:
        """Return the point at each length, shape (..., 2)."""
        return np.stack([np.interp(length, self.length, axis) for axis in self.points.T], axis=-1)

    def sample_points(self) -> Float64Array:
        """Return points along all paths at equal distances, shape (points, 2)."""
        return self.point_at(np.arange(0.0, self.length[-1], _SPACING))


def _build_polylines(paths: Sequence[Float64Array]) -> _Polylines:
    t = np.linspace(0, 1, _STEPS + 1)[:, None]
    a, b, c = (np.concatenate([path[k:-1:3] for path in paths])[:, None] for k in range(3))
    d = np.concatenate([path[3::3] for path in paths])[:, None]
    pieces = a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t**2 * (1 - t) + d * t**3
    points = pieces.reshape(-1, 2)
    ends = np.cumsum([len(path) // 3 * (_STEPS + 1) for path in paths])
    steps = np.zeros(len(points))
    steps[1:] = np.hypot(*np.diff(points, axis=0).T)
    steps[ends[:-1]] = 0
    length = np.cumsum(steps)
    end = length[ends - 1]
    return _Polylines(points, length, np.concatenate(([0.0], end[:-1])), end)


def _candidates(lines: _Polylines, rows: Int64Array, sizes: Float64Array) -> Float64Array:
    """Return centres for the labels of these paths, shape (rows, positions, 2), middle ones first.

    A label beside its path touches its tangent, but for the gap.
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
    """Return how many of the points lie in a label at each candidate, shape (labels, positions).

    Points are counted in grid cells, by a summed-area table."""
    half = sizes[:, None] / 2
    low = np.minimum(points.min(axis=0), (candidates - half).min(axis=(0, 1)))
    span = np.maximum(points.max(axis=0), (candidates + half).max(axis=(0, 1))) - low
    cell = max(_MIN_CELL, float(np.sqrt(span.prod() / _MAX_CELLS)))
    columns, rows = (span / cell).astype(np.int64) + 1
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
    """Return each label's first candidate that covers no box and no earlier label: (labels, 2)."""
    chosen = np.full((len(sizes), 2), np.nan)
    x, y = np.concatenate((centres, chosen)).T.copy()
    half_width, half_height = np.concatenate((boxes, sizes)).T / 2
    for label, label_candidates in enumerate(candidates):
        obstacle_count = len(centres) + label
        width = half_width[:obstacle_count] + half_width[obstacle_count]
        height = half_height[:obstacle_count] + half_height[obstacle_count]
        for group in label_candidates[:1], label_candidates[1:]:  # the first one is mostly free
            covers = np.abs(group[:, :1] - x[:obstacle_count]) < width
            covers &= np.abs(group[:, 1:] - y[:obstacle_count]) < height
            free = ~covers.any(axis=1)
            if free.any():
                chosen[label] = x[obstacle_count], y[obstacle_count] = group[np.argmax(free)]
                break
    return chosen
