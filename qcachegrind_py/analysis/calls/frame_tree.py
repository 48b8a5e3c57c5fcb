"""The frame tree of call maps and flame graphs: frames nested by call, from one or more roots.

A profile records the cost of single calls, not of paths of several calls. A frame is therefore
either exact or an estimate in proportion to the costs of the calls. It is exact if its parent is
exact and, in addition, either the parent has the whole cost of its node, so that its calls count as
recorded, or the call accounts for the whole cost of the callee, so that all cost of the parent's
frame goes on to it. Functions recorded with their callers in the name (`f'g'h`) become exact by
this rule, without special treatment of their names.

What is inside a frame adds up to its cost: its own part, the frames of calls, and what is left out
(`accounted_calls`). Only with costs below 0, calls may cost more than the function that makes them;
frames are then drawn narrower than their cost.

Both sides of a comparison have the same frames, so that costs are compared row by row
(`frame_sides` builds such a tree). A change is proven if the costs of both sides are: an estimate
changes with the costs of its callers, though what is called there did not change.

Stacks are the self costs of functions, divided among the frames of a tree.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np

from qcachegrind_py.analysis.calls.accounted_calls import AccountedCalls, FrameRoots
from qcachegrind_py.analysis.calls.frame_branches import (
    Branches,
    FrameBatch,
    build_branches,
    frame_counts,
    reduced_frames,
    root_frames,
)
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.analysis.costs.sums import rounded_like
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NO_NODE, NOT_ATTRIBUTED, NodeId
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_BATCH_SIZE = 500_000  # frames created at once, before narrow ones are dropped
_SHARED_COLUMNS = ("node", "cost", "start", "width", "is_exact", "is_recursion")


@dataclass(frozen=True, slots=True, eq=False)
class FrameSide:
    """The frames as one side has them, shape (frames,); the columns are those of a frame tree."""

    cost: CostArray
    width: Float64Array
    is_exact: BoolArray
    calls: Int64Array
    has_exact_calls: BoolArray

    def of(self, rows: Int64Array) -> FrameSide:
        """Return these frames, in this order."""
        return FrameSide(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True, slots=True, eq=False)
class FrameSides:
    """The frames of both sides, and how much of each frame is a net change."""

    base: FrameSide
    new: FrameSide
    net: Float64Array | None = None  # from 0 to 1, where widths are changes: shape (frames,)
    omitted_cost: tuple[float, float] = (0.0, 0.0)  # of all calls that have no frame: base and new

    @property
    def cost(self) -> BothSides:
        """The costs of both sides, and their change."""
        return BothSides(self.base.cost, self.new.cost)

    @property
    def calls(self) -> BothSides:
        """The numbers of calls on both sides."""
        return BothSides(self.base.calls, self.new.calls)

    @property
    def is_proven(self) -> BoolArray:
        """Which changes are proven, shape (frames,)."""
        proven: BoolArray = self.base.is_exact & self.new.is_exact
        return proven

    @property
    def has_exact_calls(self) -> BoolArray:
        """Which numbers of calls are exact on both sides, shape (frames,)."""
        exact: BoolArray = self.base.has_exact_calls & self.new.has_exact_calls
        return exact


# ---------------------------------------------------------------- the tree


@dataclass(frozen=True, slots=True, eq=False)
class FrameTree:
    """The frames, one row each, level by level; siblings are adjacent, costliest first."""

    node: Int64Array  # function or cycle; -1: the frame around several roots; -2, -3: stand-ins
    parent: Int64Array  # row of the parent; -1 for frame 0
    depth: Int64Array  # 0 for frame 0
    cost: CostArray  # an integer if exact; else a rounded estimate, at most the parent's
    start: Float64Array  # left edge in units of cost, from 0; the first child starts at its parent
    width: Float64Array  # cost as drawn, not rounded; all children fit into their parent's width
    first_child: Int64Array  # row of the first child, or where it would be
    child_count: Int64Array
    is_exact: BoolArray  # False: an estimate in proportion to the costs of calls
    is_recursion: BoolArray  # the node is its own ancestor here: the frame is not expanded
    calls: Int64Array  # number of calls that the frame stands for; 0 where none is known
    has_exact_calls: BoolArray  # False: estimated in proportion to the cost of the parent
    min_width: float  # narrower frames were omitted, and equally wide ones beyond the maximum
    omitted_calls: int  # calls not followed because of their width or the maximum
    filtered_calls: int  # calls not followed because they lead to nothing that passes the filter
    omitted_cost: float  # of all omitted calls; it and what frames have by themselves add up
    filtered_cost: float
    has_exact_omissions: bool = True  # False: the omitted cost is an estimate
    # both sides of a comparison; `is_exact` tells then whether both are proven
    sides: FrameSides | None = None

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

    def outermost(self, nodes: BoolArray) -> BoolArray:
        """Return which frames are of these nodes and inside no such frame, shape (frames,).

        `nodes` is a mask of shape (nodes,). Costs of these frames add up without counting twice.
        """
        matches = self.are_of(nodes)
        return matches & ~self.are_inside(matches)

    def are_of(self, nodes: BoolArray) -> BoolArray:
        """Return which frames are of these nodes, a mask of shape (nodes,); no stand-in is."""
        matches, is_node = np.zeros(len(self), bool), self.node >= 0
        matches[is_node] = nodes[self.node[is_node]]
        return matches

    def are_inside(self, frames: BoolArray) -> BoolArray:
        """Return which frames are inside one of these, at any depth; masks of shape (frames,)."""
        covered = np.zeros(len(self), bool)
        for begin, end in self.levels()[1:]:
            above = self.parent[begin:end]
            covered[begin:end] = covered[above] | frames[above]
        return covered

    def levels(self) -> list[tuple[int, int]]:
        """Return the first row of each level, and the one behind its last."""
        starts = np.searchsorted(self.depth, np.arange(self.level_count + 1)).tolist()
        return list(pairwise(starts))

    def combined_cost(self, nodes: BoolArray) -> tuple[int, bool]:
        """Return the total cost of all frames of these nodes, and whether it is exact.

        `nodes` is a mask of shape (nodes,). Only the outermost of nested frames counts, so no cost
        is counted twice.
        """
        counted = self.outermost(nodes)
        return sum(self.cost[counted].tolist()), bool(self.is_exact[counted].all())


# ---------------------------------------------------------------- building


def build_frame_tree(
    calls: AccountedCalls,
    roots: Sequence[NodeId] | FrameRoots,
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

    Roots have their whole cost unless it is given, as those of the whole program are. A single root
    is frame 0 itself; several roots are children of a frame 0 with their sum. A call is followed if
    it has cost and leads to a node in the mask `visible` of shape (nodes,), directly or over other
    calls, so that no path to such a node is cut; and if its frame has at least the share
    `min_share` of frame 0's width. At most the `max_frames` widest frames are retained. Frames
    of nodes in `unexpanded` and frames at `max_depth` have no children. Raises `Cancelled` if
    `progress` is cancelled.
    """
    if not isinstance(roots, FrameRoots):
        roots = calls.roots_at(roots)
    frame_0, started = root_frames(calls, roots)
    grown = _FrameCollector(max(1, max_frames), min_share * float(frame_0.width[0]))
    branches = build_branches(calls, frame_0, started, grown.min_width, visible, unexpanded, up=up)
    waiting = deque([grown.add(frame_0.subset(slice(len(roots))))])  # empty if there are no roots
    progress = progress or NoProgress()
    while waiting and waiting[0].depth != max_depth:
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
    return _finished_tree(grown, branches, calls, max_depth, up=up)


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

    def add(self, frames: FrameBatch) -> FrameBatch:
        """Add frames and return them."""
        # `above` is not stored: it grows with the depth and would take too much memory
        for name in (*_SHARED_COLUMNS, "parent"):
            self._columns[name].append(getattr(frames, name))
        self._columns["depth"].append(np.full(len(frames), frames.depth))
        self.count += len(frames)
        widest = np.concatenate((self._widest, frames.width))
        if len(widest) > self.max_frames:
            widest = np.partition(widest, -self.max_frames)[-self.max_frames :]
            self.min_width, self._is_full = float(widest[0]), True
        self._widest = widest
        return frames

    def wide_enough(self, frames: FrameBatch) -> FrameBatch:
        """Return the frames that may still be among the widest."""
        return frames.subset(frames.width >= self.min_width)

    def column(self, name: str) -> CostArray:
        """Return one column of all frames created."""
        return np.concatenate(self._columns[name])

    def widest(self) -> Int64Array:
        """Return the rows of the widest frames in ascending order; their parents are included."""
        rows = np.argsort(-self.column("width"), kind="stable")
        return np.sort(rows[: self.max_frames])


def _finished_tree(
    grown: _FrameCollector,
    branches: Branches,
    accounted: AccountedCalls,
    max_depth: int | None,
    *,
    up: bool,
) -> FrameTree:
    """Renumber the widest of all frames created, and count their calls."""
    widest = grown.widest()
    row = np.zeros(grown.count, np.int64)
    row[widest] = np.arange(len(widest))
    columns: dict[str, Any] = {name: grown.column(name)[widest] for name in _SHARED_COLUMNS}
    depth, parent = grown.column("depth")[widest], grown.column("parent")[widest]
    parent = np.where(depth > 0, row[parent], -1)
    children = np.bincount(parent[1:], minlength=len(widest))
    is_opened = ~columns["is_recursion"] & (depth != (-1 if max_depth is None else max_depth))
    node, width, followed = columns["node"], columns["width"], branches.followed
    opened = node[is_opened]
    calls, has_exact_calls = frame_counts(
        accounted, node, parent, columns["cost"], columns["is_exact"], up=up
    )
    is_whole = columns["is_exact"] & (columns["cost"] == followed.inclusive[node]).astype(bool)
    is_whole |= ~is_opened
    columns["is_exact"] = columns["is_exact"] & ~reduced_frames(accounted, node, parent, up=up)
    omitted = int(branches.visible_count[opened].sum()) - len(parent[1:])
    share = width[is_opened] / np.maximum(followed.available_width[opened], 1.0)
    return FrameTree(
        parent=parent,
        depth=depth,
        first_child=1 + np.cumsum(children) - children,
        child_count=children,
        calls=calls,
        has_exact_calls=has_exact_calls,
        min_width=grown.min_width,
        omitted_calls=omitted,
        filtered_calls=int(branches.filtered_count[opened].sum()),
        has_exact_omissions=bool(is_whole[children < branches.visible_count[node]].all()),
        omitted_cost=followed.omitted_cost(node, is_opened, width) if omitted else 0.0,
        filtered_cost=float((share * followed.filtered_cost[opened]).sum()),
        **columns,
    )


# ---------------------------------------------------------------- stacks


@dataclass(frozen=True, slots=True, eq=False)
class Stacks:
    """The stacks of a profile in one event: the path to each frame of a tree is one."""

    tree: FrameTree
    self_cost: CostArray  # of each frame: the part of its node's self cost that is spent there
    # what has self costs that no frame of the tree shows: functions and `NOT_ATTRIBUTED`
    elsewhere: dict[NodeId, int]

    @property
    def frames(self) -> Int64Array:
        """The frames that have a self cost."""
        return np.flatnonzero(self.self_cost)


def divide_self_costs(tree: FrameTree, self_cost: CostArray, not_attributed: int = 0) -> Stacks:
    """Divide the self costs of functions, shape (functions,), among the frames of a tree.

    A function with several frames spends in each what the frame costs in proportion. Recursive
    frames have no part in it, as they are not expanded, unless their function has no others. What
    is not attributed to any function is divided as if it were one.
    """
    functions = len(self_cost)
    owner = np.where(tree.node == NOT_ATTRIBUTED, functions, tree.node)
    owner[tree.node >= functions] = NO_NODE  # cycles
    large = self_cost.dtype == object or not_attributed >= 1 << 62
    whole = np.append(self_cost, not_attributed).astype(object if large else np.int64)
    rows = _sharing_frames(tree, owner, len(whole))
    divided = np.zeros(len(tree), whole.dtype)
    divided[rows] = _shares(whole[owner[rows]], np.maximum(tree.width[rows], 0), owner[rows])
    is_shown = np.zeros(len(whole), bool)
    is_shown[owner[rows]] = True
    hidden = np.flatnonzero(~is_shown & (whole != 0).astype(bool)).tolist()
    return Stacks(
        tree,
        divided,
        {NodeId(row if row < functions else NOT_ATTRIBUTED): int(whole[row]) for row in hidden},
    )


def _sharing_frames(tree: FrameTree, owner: Int64Array, owners: int) -> Int64Array:
    """Return the frames that each owner spends its self cost in, sorted by owner."""
    rows = np.flatnonzero(owner >= 0)
    has_opened = np.zeros(owners, bool)
    has_opened[owner[rows[~tree.is_recursion[rows]]]] = True
    rows = rows[~tree.is_recursion[rows] | ~has_opened[owner[rows]]]
    return rows[np.argsort(owner[rows], kind="stable")]


def _shares(whole: CostArray, weight: Float64Array, node: Int64Array) -> CostArray:
    """Divide `whole` by weight among the adjacent rows of each node; all have the shape (rows,).

    Each part is the difference of two rounded sums, so the parts of a node add up exactly.
    """
    if not len(node):
        return whole
    starts = np.flatnonzero(np.diff(node, prepend=-1))
    lengths = np.diff(starts, append=len(node))
    has_weight = np.repeat(np.add.reduceat(weight, starts) > 0, lengths)
    weight = np.where(has_weight, weight, 1)
    summed = np.cumsum(weight)
    before = np.repeat(summed[starts] - weight[starts], lengths)
    total = np.repeat(np.add.reduceat(weight, starts), lengths)
    until = rounded_like(whole.astype(np.float64) * np.minimum((summed - before) / total, 1))
    ends = starts + lengths - 1
    until = np.where(np.isin(np.arange(len(node)), ends), whole, until)
    parts = np.diff(until, prepend=0)
    parts[starts] = until[starts]
    return parts
