"""The frame tree of call maps and flame graphs: frames nested by call, from one or several roots.

A profile records the cost of single calls, not of paths of several calls. A frame is therefore
either exact or an estimate in proportion to the costs of the calls. It is exact if its parent is
exact and, in addition, either the parent has the whole cost of its node, so that its calls count as
recorded, or the call accounts for the whole cost of the callee, so that all cost of the parent's
frame goes on to it. Functions recorded with their callers in the name (`f'g'h`) become exact by
this rule, without special treatment of their names.

Calls may cost more than the function that makes them: in damaged files, without cycle detection, or
with negative costs. Costs then stay as recorded, but frames are drawn narrower than their caller.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.costs.estimates import float_sums, rounded_like
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_BATCH_SIZE = 500_000  # frames created at once, before narrow ones are dropped
_SHARED_COLUMNS = ("node", "cost", "start", "width", "is_exact", "is_recursion")


@dataclass(frozen=True, slots=True, eq=False)
class FrameTree:
    """The frames, one row each, level by level; siblings are adjacent, costliest first."""

    node: Int64Array  # function or cycle; -1: the frame around several roots
    parent: Int64Array  # row of the parent; -1 for frame 0
    depth: Int64Array  # 0 for frame 0
    cost: CostArray  # as recorded if exact; else a rounded estimate, at most the parent's
    start: Float64Array  # left edge in units of cost, from 0; the first child starts at its parent
    width: Float64Array  # cost as drawn, not rounded; all children fit into their parent's width
    first_child: Int64Array  # row of the first child, or where it would be
    child_count: Int64Array
    is_exact: BoolArray  # False: an estimate in proportion to the costs of calls
    is_recursion: BoolArray  # the node is its own ancestor here: the frame is not expanded
    min_width: float  # narrower frames were omitted, and equally wide ones beyond the maximum
    omitted_calls: int  # calls not followed because of their width or the maximum
    filtered_calls: int  # calls not followed because the filter hides their other end

    def __len__(self) -> int:
        return len(self.node)

    @property
    def level_count(self) -> int:
        """The number of levels."""
        return int(self.depth[-1]) + 1 if len(self) else 0

    @property
    def self_width(self) -> Float64Array:
        """The width of each frame that its children leave free; computed at each access."""
        inside = np.zeros(len(self))
        np.add.at(inside, self.parent[1:], self.width[1:])
        return np.maximum(self.width - inside, 0)

    def children_of(self, frame: int) -> range:
        """Return the rows of a frame's children."""
        first = int(self.first_child[frame])
        return range(first, first + int(self.child_count[frame]))

    def path(self, frame: int) -> list[int]:
        """Return the rows from frame 0 down to this one."""
        path = [frame]
        while (above := int(self.parent[path[-1]])) >= 0:
            path.append(above)
        return path[::-1]

    def frames_of(self, node: NodeId) -> Int64Array:
        """Return the rows of all frames of a node."""
        return np.flatnonzero(self.node == node)

    def combined_cost(self, nodes: BoolArray) -> tuple[int, bool]:
        """Return the total cost of all frames of these nodes, and whether it is exact.

        `nodes` is a mask of shape (nodes,). Only the outermost of nested frames counts, so no cost
        is counted twice.
        """
        matches = (self.node >= 0) & nodes[self.node]
        covered = np.zeros(len(self), bool)  # inside a matching frame
        levels = np.searchsorted(self.depth, np.arange(1, self.level_count + 1)).tolist()
        for begin, end in pairwise(levels):
            above = self.parent[begin:end]
            covered[begin:end] = covered[above] | matches[above]
        counted = matches & ~covered
        return sum(self.cost[counted].tolist()), bool(self.is_exact[counted].all())


def build_frame_tree(
    graph: CallGraph,
    roots: Sequence[NodeId],
    *,
    up: bool = False,
    min_share: float = 1e-4,
    max_frames: int = 20_000,
    max_depth: int | None = None,
    unexpanded: frozenset[NodeId] = frozenset(),
    visible: BoolArray | None = None,
    progress: Progress | None = None,
) -> FrameTree:
    """Build the tree of the callees of the roots, or with `up` of their callers, transitively.

    A single root is frame 0 itself; several roots are children of a frame 0 with their sum. A call
    is followed if it has cost, if the mask `visible` of shape (nodes,) includes its other end, and
    if its frame has at least the share `min_share` of frame 0's width. At most the `max_frames`
    widest frames are retained. Frames of nodes in `unexpanded` and frames at `max_depth` have no
    children. Raises `Cancelled` if `progress` is cancelled.
    """
    frame_0, started = _root_frames(graph, roots)
    grown = _FrameCollector(max(1, max_frames), min_share * float(frame_0.width[0]))
    branches = _build_branches(graph, frame_0, started, grown.min_width, visible, unexpanded, up=up)
    waiting = deque([grown.add(frame_0.subset(slice(len(roots))))])  # empty if there are no roots
    progress = progress or NoProgress()
    while waiting and len(waiting[0].above) != max_depth:
        progress.check(0.0)
        frames = branches.expandable(grown.wide_enough(waiting.popleft()))
        lengths = branches.child_counts(frames, grown.width_threshold)
        if lengths.sum() > _BATCH_SIZE and len(frames) > 1:
            half = len(frames) // 2
            waiting.extendleft((frames.subset(slice(half, None)), frames.subset(slice(half))))
        elif lengths.any():
            has_any = lengths > 0
            inside = branches.child_frames(frames.subset(has_any), lengths[has_any], grown.count)
            waiting.append(grown.add(inside))
    return _finished_tree(grown, branches, max_depth)


@dataclass(frozen=True, slots=True, eq=False)
class _FrameBatch:
    """Frames of one depth, from left to right."""

    row: Int64Array  # among all frames created
    parent: Int64Array
    node: Int64Array
    cost: CostArray
    amount: Float64Array  # the cost before rounding
    start: Float64Array
    width: Float64Array
    is_exact: BoolArray
    is_recursion: BoolArray
    above: Int64Array  # the nodes of the ancestors of each, shape (depth, frames)

    def __len__(self) -> int:
        return len(self.row)

    def subset(self, chosen: BoolArray | slice) -> _FrameBatch:
        """Return only the selected frames."""
        return _FrameBatch(*(getattr(self, field.name)[..., chosen] for field in fields(self)))


class _FrameCollector:
    """All frames created so far, and the width required to be among the widest."""

    def __init__(self, max_frames: int, min_width: float) -> None:
        self.max_frames, self.min_width, self.count = max_frames, min_width, 0
        self._columns: defaultdict[str, list[CostArray]] = defaultdict(list)
        self._widest = np.empty(0)
        self._is_full = False

    @property
    def width_threshold(self) -> float:
        """The width that a new frame must have; of equally wide frames the earlier are retained."""
        return float(np.nextafter(self.min_width, np.inf)) if self._is_full else self.min_width

    def add(self, frames: _FrameBatch) -> _FrameBatch:
        """Add frames and return them."""
        # `above` is not stored: it grows with the depth and would take too much memory
        for name in (
            *_SHARED_COLUMNS,
            "parent",
        ):
            self._columns[name].append(getattr(frames, name))
        self._columns["depth"].append(np.full(len(frames), len(frames.above)))
        self.count += len(frames)
        widest = np.concatenate((self._widest, frames.width))
        if len(widest) > self.max_frames:
            widest = np.partition(widest, -self.max_frames)[-self.max_frames :]
            self.min_width, self._is_full = float(widest[0]), True
        self._widest = widest
        return frames

    def wide_enough(self, frames: _FrameBatch) -> _FrameBatch:
        """Return the frames that may still be among the widest."""
        return frames.subset(frames.width >= self.min_width)

    def column(self, name: str) -> CostArray:
        """Return one column of all frames created."""
        return np.concatenate(self._columns[name])

    def widest(self) -> Int64Array:
        """Return the rows of the widest frames in ascending order; their parents are included."""
        rows = np.argsort(-self.column("width"), kind="stable")
        return np.sort(rows[: self.max_frames])


@dataclass(frozen=True, slots=True, eq=False)
class _Branches:
    """The calls to follow from each node, costliest first; the calls of node -1 are the roots.

    Node -1 has the last element in the arrays over nodes, where numpy finds it by the index -1.
    """

    first: Int64Array  # of each node: index of its first call in the arrays over calls
    count: Int64Array  # number of its calls, without those that are too cheap
    visible_count: Int64Array  # number including those that are too cheap
    filtered_count: Int64Array  # number hidden by the filter
    inclusive: CostArray
    available_width: (
        Float64Array  # the width divided among its calls: the inclusive cost or, if more, their sum
    )
    node: Int64Array  # of each call: the node at its other end
    cost: CostArray
    weight: Float64Array  # the cost as floating point

    def expandable(self, frames: _FrameBatch) -> _FrameBatch:
        """Return the frames that may have children."""
        return frames.subset(~frames.is_recursion & (self.count[frames.node] > 0))

    def child_counts(self, frames: _FrameBatch, threshold: float) -> Int64Array:
        """Return for each frame how many of its calls are wide enough, found by bisection.

        Calls are in order of cost, so these are the first ones.
        """
        first, count = self.first[frames.node], self.count[frames.node]
        scale = self._scale(frames)
        lengths = np.zeros(len(frames), np.int64)
        step = 1 << int(count.max(initial=0)).bit_length()
        while step:
            tried = np.minimum(lengths + step, count)
            is_wide = self.weight[first + tried - 1] * scale >= threshold
            lengths = np.where(is_wide, tried, lengths)
            step //= 2
        return lengths

    def child_frames(self, around: _FrameBatch, lengths: Int64Array, row: int) -> _FrameBatch:
        """Create frames for the first calls of each frame: `lengths[i]` of them for frame i.

        All lengths are at least 1; the new frames are numbered from `row`.
        """
        owner = np.repeat(np.arange(len(around)), lengths)
        ends = np.cumsum(lengths)
        rows = np.arange(ends[-1]) + (self.first[around.node] - ends + lengths)[owner]
        node, weight = self.node[rows], self.weight[rows]
        cost, amount, is_exact = self._costs(around, owner, rows)
        width = np.minimum(weight * self._scale(around)[owner], around.width[owner])
        before = np.concatenate((np.zeros(1), np.cumsum(width)[:-1]))
        above = np.vstack((around.above, around.node))[:, owner]
        return _FrameBatch(
            row=np.arange(row, row + len(rows)),
            parent=around.row[owner],
            node=node,
            cost=cost,
            amount=amount,
            start=around.start[owner] + before - before[ends - lengths][owner],
            width=width,
            is_exact=is_exact,
            is_recursion=(above == node).any(axis=0),
            above=above,
        )

    def _scale(self, frames: _FrameBatch) -> Float64Array:
        """Return the drawn width of a cost of 1 inside each frame, at most 1."""
        return np.minimum(frames.width / self.available_width[frames.node], 1)

    def _costs(
        self, around: _FrameBatch, owner: Int64Array, rows: Int64Array
    ) -> tuple[CostArray, Float64Array, BoolArray]:
        """Return the rounded cost, the unrounded cost and whether it is exact, for each call.

        `owner` is the index in `around` of each call's frame, `rows` are the calls.
        """
        inclusive, limit, recorded = (
            self.inclusive[around.node],
            around.cost[owner],
            self.cost[rows],
        )
        is_known = around.is_exact & (around.cost <= inclusive).astype(bool)
        is_whole = (is_known & (around.cost == inclusive).astype(bool))[owner]
        is_all = is_known[owner] & (recorded == inclusive[owner]).astype(bool)
        share = np.minimum(around.amount / inclusive.astype(np.float64), 1)
        amount = np.minimum(self.weight[rows] * share[owner], around.amount[owner])
        cost = np.minimum(rounded_like(amount, limit.dtype), limit).astype(limit.dtype)
        cost = np.where(is_whole, recorded, np.where(is_all, limit, cost))
        is_exact = is_whole | is_all
        return cost, np.where(is_exact, cost.astype(np.float64), amount), is_exact


def _root_frames(graph: CallGraph, roots: Sequence[NodeId]) -> tuple[_FrameBatch, Int64Array]:
    """Return frame 0 and the roots that have cost, costliest first."""
    node = np.array(roots, np.int64)
    cost = graph.inclusive[node]
    rows = np.flatnonzero((cost > 0).astype(bool))
    rows = rows[np.argsort(-cost[rows], kind="stable")]
    total = sum(cost[rows].tolist())
    is_large = total >= 1 << 63 or object in (graph.cost.dtype, graph.inclusive.dtype)
    none, width = np.array([-1]), np.array([float(total)])
    frame_0 = _FrameBatch(
        row=np.array([0]),
        parent=none,
        node=node if len(node) == 1 else none,
        cost=np.array([total], object if is_large else np.int64),
        amount=width,
        start=np.zeros(1),
        width=width,
        is_exact=np.array([len(node) != 1 or bool(cost[0] >= 0)]),
        is_recursion=np.array([False]),
        above=np.empty((0, 1), np.int64),
    )
    return frame_0, node[rows]


def _build_branches(
    graph: CallGraph,
    frame_0: _FrameBatch,
    roots: Int64Array,
    min_width: float,
    visible: BoolArray | None,
    unexpanded: frozenset[NodeId],
    *,
    up: bool,
) -> _Branches:
    """Index the calls of the graph by node, with the roots as the calls of node -1."""
    near, far, cost = _branch_calls(graph, frame_0, roots, up=up)
    inclusive = np.append(graph.inclusive.astype(frame_0.cost.dtype), frame_0.cost)
    can_open = (inclusive > 0).astype(bool)  # without cost there are no shares
    can_open[list(unexpanded)] = False
    has_cost = (cost > 0).astype(bool) & can_open[near]
    passes = has_cost
    if visible is not None:
        passes = has_cost & (visible[far] | (near == len(graph.inclusive)))
    weight = cost.astype(np.float64)
    rows = _by_owner(np.flatnonzero(passes & (weight >= min_width)), near, cost)
    count, visible_count, filtered_count = (
        np.bincount(near[chosen], minlength=len(inclusive))
        for chosen in (rows, passes, has_cost & ~passes)
    )
    called = float_sums(weight[has_cost], near[has_cost], len(inclusive))
    return _Branches(
        first=np.cumsum(count) - count,
        count=count,
        visible_count=visible_count,
        filtered_count=filtered_count,
        inclusive=inclusive,
        available_width=np.maximum(called, inclusive.astype(np.float64)),
        node=far[rows],
        cost=cost[rows],
        weight=weight[rows],
    )


def _branch_calls(
    graph: CallGraph, frame_0: _FrameBatch, roots: Int64Array, *, up: bool
) -> tuple[Int64Array, Int64Array, CostArray]:
    """Return the near end, far end and cost of each call, followed by those of the roots."""
    shape = graph.adjacency
    near, far = (shape.callee, shape.caller) if up else (shape.caller, shape.callee)
    return (
        np.append(near, np.full(len(roots), len(graph.inclusive))),
        np.append(far, roots),
        np.append(graph.cost, graph.inclusive[roots]).astype(frame_0.cost.dtype),
    )


def _by_owner(rows: Int64Array, owner: Int64Array, cost: CostArray) -> Int64Array:
    """Sort the rows by owner, and costliest first for each owner."""
    rows = rows[np.argsort(-cost[rows], kind="stable")]
    return rows[np.argsort(owner[rows], kind="stable")]


def _finished_tree(grown: _FrameCollector, branches: _Branches, max_depth: int | None) -> FrameTree:
    """Renumber the widest of all frames created."""
    widest = grown.widest()
    row = np.zeros(grown.count, np.int64)
    row[widest] = np.arange(len(widest))
    columns = {name: grown.column(name)[widest] for name in _SHARED_COLUMNS}
    depth, parent = grown.column("depth")[widest], grown.column("parent")[widest]
    parent = np.where(depth > 0, row[parent], -1)
    children = np.bincount(parent[1:], minlength=len(widest))
    is_opened = ~columns["is_recursion"] & (depth != (-1 if max_depth is None else max_depth))
    opened = columns["node"][is_opened]
    return FrameTree(
        parent=parent,
        depth=depth,
        first_child=1 + np.cumsum(children) - children,
        child_count=children,
        min_width=grown.min_width,
        omitted_calls=int(branches.visible_count[opened].sum()) - len(parent[1:]),
        filtered_calls=int(branches.filtered_count[opened].sum()),
        **columns,
    )
