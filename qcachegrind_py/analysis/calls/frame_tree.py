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

The tree of a comparison is that of the costs of both sides together, so it has all frames of
either. Costs are passed down its frames for each side by the same rules as in a tree of that side
alone. A change is proven if the costs of both sides are: an estimate changes with the costs of its
callers, though what is called there did not change. `frame_widths` makes such frames as wide as
they are drawn.

Stacks are the self costs of functions, divided among the frames of a tree.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import AccountedCalls, CallEnds, CallGraph, FrameRoots
from qcachegrind_py.analysis.calls.frame_branches import (
    MAX_SUM,
    FollowedCalls,
    FrameBatch,
    FrameCosts,
    available_widths,
    build_branches,
    followed_calls,
    frame_counts,
    inner_costs,
    root_frames,
)
from qcachegrind_py.analysis.costs.scope import BothSides
from qcachegrind_py.analysis.costs.sums import float_sums, rounded_like
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NO_NODE, NOT_ATTRIBUTED, STAND_INS, NodeId
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array, at_rows

_NOTHING, _NEVER = np.empty(0, np.int64), np.empty(0, bool)
_BATCH_SIZE = 500_000  # frames created at once, before narrow ones are dropped
_SHARED_COLUMNS = ("node", "start", "width", "is_recursion")

CallsFrom = tuple[AccountedCalls, FrameRoots]  # the calls of a side, and where a tree begins there


@frozen
class FrameSide:
    """The frames as one side has them, shape (frames,)."""

    cost: CostArray  # an integer if exact; else a rounded estimate, at most the parent's
    width: Float64Array  # cost as drawn, not rounded; all children fit into their parent's width
    is_exact: BoolArray  # False: an estimate in proportion to the costs of calls
    calls: Int64Array  # number of calls that the frame stands for; 0 where none is known
    has_exact_calls: BoolArray  # False: estimated in proportion to the cost of the parent
    omitted_cost: float = 0.0  # of all omitted calls; it and what frames have by themselves add up
    has_exact_omissions: bool = True  # False: the omitted cost is an estimate

    def of(self, rows: Int64Array) -> FrameSide:
        return at_rows(self, rows)


NO_SIDE = FrameSide(_NOTHING, np.empty(0), _NEVER, _NOTHING, _NEVER)


@frozen(slots=False)
class FrameTree:
    """The frames, one row each, level by level; siblings are adjacent, the widest first."""

    node: Int64Array  # function or cycle; -1: the frame around several roots; -2, -3: stand-ins
    parent: Int64Array  # row of the parent; -1 for frame 0
    depth: Int64Array  # 0 for frame 0
    start: Float64Array  # left edge in units of cost, from 0; the first child starts at its parent
    width: Float64Array  # as drawn: that of a side, or of the change; those of both sides together
    first_child: Int64Array  # row of the first child, or where it would be
    child_count: Int64Array
    is_recursion: BoolArray  # the node is its own ancestor here: the frame is not expanded
    base: FrameSide  # `new` itself if nothing is compared
    new: FrameSide
    min_width: float = (
        0.0  # narrower frames, and of equal ones those beyond the maximum, are omitted
    )
    omitted_calls: int = 0  # calls not followed because of their width or the maximum
    filtered_calls: int = (
        0  # calls not followed because they lead to nothing that passes the filter
    )
    net: Float64Array | None = (
        None  # the part of each that is a net change, where widths are changes
    )

    def __len__(self) -> int:
        return len(self.node)

    @property
    def level_count(self) -> int:
        return int(self.depth[-1]) + 1 if len(self) else 0

    @property
    def self_width(self) -> Float64Array:
        """The width of each frame that its children leave free; computed at each access."""
        inside = np.zeros(len(self))
        np.add.at(inside, self.parent[1:], self.width[1:])
        return np.maximum(self.width - inside, 0)

    def children_of(self, frame: int) -> range:
        first = int(self.first_child[frame])
        return range(first, first + int(self.child_count[frame]))

    def path(self, frame: int) -> list[int]:
        path = [frame]
        while (above := int(self.parent[path[-1]])) >= 0:
            path.append(above)
        return path[::-1]

    def frames_of(self, node: NodeId) -> Int64Array:
        return np.flatnonzero(self.node == node)

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
        return _levels(self.depth)

    @property
    def is_compared(self) -> bool:
        return self.base is not self.new

    @property
    def cost(self) -> CostArray:
        return self.new.cost

    @property
    def both_costs(self) -> BothSides:
        return BothSides(self.base.cost, self.new.cost)

    @cached_property
    def is_exact(self) -> BoolArray:
        """Which frames are exact on both sides, so that their change is proven, shape (frames,)."""
        exact: BoolArray = self.base.is_exact & self.new.is_exact
        return exact

    def combined_costs(self, nodes: BoolArray) -> tuple[int, int, bool]:
        """Return what all frames of these nodes cost in the base and now, and whether it is exact.

        `nodes` is a mask of shape (nodes,). Only the outermost of nested frames counts, so no cost
        is counted twice.
        """
        matches = self.are_of(nodes)
        counted = matches & ~self.are_inside(matches)
        base, new = (sum(side.cost[counted].tolist()) for side in (self.base, self.new))
        return base, new, bool(self.is_exact[counted].all())


# ---------------------------------------------------------------- building


def build_frame_tree(
    calls: AccountedCalls,
    roots: Sequence[NodeId] | FrameRoots,
    *,
    base: CallsFrom | None = None,
    up: bool = False,
    min_share: float = 1e-4,
    max_frames: int = 20_000,
    max_depth: int | None = None,
    unexpanded: frozenset[NodeId] = frozenset(),
    visible: BoolArray | None = None,
    progress: Progress | None = None,
) -> FrameTree:
    """Build the tree of the callees of the roots, or with `up` of their callers, transitively.

    Roots have their whole cost unless it is given, as those of the whole program are
    (`AccountedCalls.program_roots`, or `self_roots` with `up`: inverted). A single root is frame 0
    itself; several roots are children of a frame 0 with their sum. A call is followed if
    it has cost and leads to a node in the mask `visible` of shape (nodes,), directly or over other
    calls, so that no path to such a node is cut; and if its frame has at least the share
    `min_share` of frame 0's width. At most the `max_frames` widest frames are retained. Frames
    of nodes in `unexpanded` and frames at `max_depth` have no children. Raises `Cancelled` if
    `progress` is cancelled.

    With a `base`, which has the same nodes, the tree is that of both sides.
    """
    if not isinstance(roots, FrameRoots):
        roots = calls.roots_at(roots)
    sides = [(calls, roots)]
    if base is not None:
        sides = [base, (calls, roots)]
        calls = _calls_of_both(base[0], calls)
        roots = _roots_of_both(base[1], roots, len(calls.graph.inclusive))
    frame_0, started = root_frames(roots)
    grown = FrameCollector(max(1, max_frames), min_share * float(frame_0.width[0]))
    branches = build_branches(calls, started, grown.min_width, visible, unexpanded, up=up)
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

    tree, _ = grown.tree()
    node, parent, children = tree.node, tree.parent, tree.child_count
    is_opened = ~tree.is_recursion & (tree.depth != (-1 if max_depth is None else max_depth))
    opened, offered = node[is_opened], branches.visible_count
    costing = _Costing(node, parent, tree.levels(), is_opened, children < offered[node], up)
    omitted = int(offered[opened].sum()) - len(parent[1:])
    if base is None:
        old = new = costing.side(calls, roots, branches.followed if omitted else None, tree.width)
    else:
        old, new = (
            costing.side(
                *side,
                _followed_on(side, roots, branches.followed, unexpanded, up=up)
                if omitted
                else None,
            )
            for side in sides
        )
    return replace(
        tree,
        base=old,
        new=new,
        omitted_calls=omitted,
        filtered_calls=int(branches.filtered_count[opened].sum()),
    )


class FrameCollector:
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

    def tree(self) -> tuple[FrameTree, Int64Array]:
        """Return the tree of the widest frames, without costs, and which of all frames these are.

        Parents are at least as wide, and were created before.
        """
        columns = {name: np.concatenate(each) for name, each in self._columns.items()}
        rows = np.sort(np.argsort(-columns["width"], kind="stable")[: self.max_frames])
        node, start, width, is_recursion, depth, parent = (
            columns[name][rows] for name in (*_SHARED_COLUMNS, "depth", "parent")
        )
        row = np.zeros(self.count, np.int64)
        row[rows] = np.arange(len(rows))
        parent = np.where(depth > 0, row[parent], -1)
        children = np.bincount(parent[1:], minlength=len(rows))
        tree = FrameTree(
            node,
            parent,
            depth,
            start,
            width,
            1 + np.cumsum(children) - children,
            children,
            is_recursion,
            NO_SIDE,
            NO_SIDE,
            self.min_width,
        )
        return tree, rows


# ---------------------------------------------------------------- what the frames cost


@frozen(eq=True)
class _Costing:
    """Passes the costs of a side down the frames of a tree, shape (frames,) each."""

    node: Int64Array
    parent: Int64Array
    levels: list[tuple[int, int]]
    is_opened: BoolArray
    lacks_calls: BoolArray  # whether there are fewer children than calls that could be followed
    up: bool

    def side(
        self,
        calls: AccountedCalls,
        roots: FrameRoots,
        followed: FollowedCalls | None,
        width: Float64Array | None = None,
    ) -> FrameSide:
        """Return what the frames cost with calls that have the nodes of the tree's calls.

        `followed` is None if no call was left out; `width` is None if it is not that of the tree.
        """
        recorded, is_estimated, is_reduced = self._recorded(calls, roots)
        inclusive = np.append(calls.graph.inclusive, calls.stand_in_costs).astype(recorded.dtype)
        if len(recorded):
            inclusive[NO_NODE] = recorded[0]
        costs = counted = self._passed_on(inclusive, recorded, is_estimated)
        if roots.are_self_costs:  # which are divided among all calls, and these are counted
            is_root = self.parent == (0 if (self.node[:1] == NO_NODE).any() else -1)
            whole = np.where(is_root, inclusive[self.node], recorded)
            counted = self._passed_on(inclusive, whole, is_estimated)
        if width is None:
            width = self._widths(calls.ends(up=self.up), inclusive, recorded)
        counts, has_exact_calls = frame_counts(
            calls, self.node, self.parent, counted.cost, counted.is_exact, up=self.up
        )
        is_whole = costs.is_exact & (costs.cost == inclusive[self.node]).astype(bool)
        return FrameSide(
            costs.cost,
            width,
            costs.is_exact & ~is_reduced,
            counts,
            has_exact_calls,
            followed.omitted_cost(self.node, self.is_opened, width) if followed else 0.0,
            bool(is_whole[self.is_opened & self.lacks_calls].all()),
        )

    def _recorded(
        self, calls: AccountedCalls, roots: FrameRoots
    ) -> tuple[CostArray, BoolArray, BoolArray]:
        """Return the cost of the call behind each frame, and that of roots.

        The other arrays tell which of them are estimates, as those of calls through folded
        functions, and which are less than is recorded.
        """
        node, graph = self.node, calls.graph
        total = sum(cost for cost in roots.cost.tolist() if cost > 0)
        large = total >= MAX_SUM or object in (graph.cost.dtype, graph.inclusive.dtype)
        around = np.where(self.parent >= 0, node[self.parent], NO_NODE)
        is_inner = around != NO_NODE
        is_estimated, is_reduced = np.zeros((2, len(node)), bool)
        if not roots.are_self_costs:
            is_reduced = calls.are_reduced(node)
        recorded = _costs_by_node(roots, len(graph.inclusive))[node].astype(
            object if large else np.int64
        )
        recorded[is_inner], is_estimated[is_inner], is_reduced[is_inner] = calls.between(
            around[is_inner], node[is_inner], up=self.up
        )
        if len(node) and node[0] == NO_NODE:
            recorded[0] = total
        return recorded, is_estimated, is_reduced

    def _passed_on(
        self, inclusive: CostArray, recorded: CostArray, is_estimated: BoolArray
    ) -> FrameCosts:
        cost, amount = recorded.copy(), recorded.astype(np.float64)
        is_exact = np.ones(len(recorded), bool)
        for begin, end in self.levels[1:]:
            around, costs = self.parent[begin:end], recorded[begin:end]
            outer = FrameCosts(cost[around], amount[around], is_exact[around])
            inner = inner_costs(outer, inclusive[self.node[around]], costs)
            # where nothing is called, or nothing calls, there is no cost, whatever is estimated
            is_nothing = (costs == 0).astype(bool) | (
                outer.is_exact & (outer.cost == 0).astype(bool)
            )
            cost[begin:end] = np.where(is_nothing, 0, inner.cost)
            amount[begin:end] = np.where(is_nothing, 0, inner.amount)
            is_exact[begin:end] = is_nothing | (inner.is_exact & ~is_estimated[begin:end])
        return FrameCosts(cost, amount, is_exact)

    def _widths(self, ends: CallEnds, inclusive: CostArray, recorded: CostArray) -> Float64Array:
        """Return how wide the frames of a side are drawn, as those of a tree of that side are."""
        nodes = len(inclusive)
        called = float_sums(np.maximum(ends.cost.astype(np.float64), 0), ends.near % nodes, nodes)
        available = available_widths(inclusive, called)
        weight = np.maximum(recorded.astype(np.float64), 0)
        return nested_widths(weight, available[self.node], self.parent, self.levels)


def nested_widths(
    weight: Float64Array, whole: Float64Array, parent: Int64Array, levels: list[tuple[int, int]]
) -> Float64Array:
    """Return how wide frames of these weights are inside each other, shape (frames,).

    `whole` is the cost that each frame's width is divided by.
    """
    width = weight.copy()
    for begin, end in levels[1:]:
        around = parent[begin:end]
        space, cost = width[around], whole[around]
        scale = np.divide(space, cost, out=np.zeros(len(cost)), where=cost > 0)
        width[begin:end] = np.minimum(weight[begin:end] * np.minimum(scale, 1), space)
    return width


def _levels(depth: Int64Array) -> list[tuple[int, int]]:
    count = int(depth[-1]) + 1 if len(depth) else 0
    return list(pairwise(np.searchsorted(depth, np.arange(count + 1)).tolist()))


# ---------------------------------------------------------------- both sides of a comparison


def _calls_of_both(base: AccountedCalls, new: AccountedCalls) -> AccountedCalls:
    """Return the calls with the costs of both sides together; negative ones count as 0."""
    graph = CallGraph(
        new.graph.adjacency,
        _together(base.graph.cost, new.graph.cost),
        _together(base.graph.inclusive, new.graph.inclusive),
        _together(base.graph.self_cost, new.graph.self_cost),
    )
    return replace(
        new,
        graph=graph,
        begun=_together(base.begun, new.begun),
        excess=_together(base.excess, new.excess),
        missing=_together(base.missing, new.missing),
        remainder=base.remainder + new.remainder,
    )


def _roots_of_both(base: FrameRoots, new: FrameRoots, nodes: int) -> FrameRoots:
    """Return all roots of either side, once each."""
    node = np.unique(np.concatenate((base.node, new.node)))
    cost = _together(_costs_by_node(base, nodes), _costs_by_node(new, nodes))
    return FrameRoots(node, cost[node])


def _followed_on(
    side: CallsFrom,
    roots: FrameRoots,
    both: FollowedCalls,
    unexpanded: frozenset[NodeId],
    *,
    up: bool,
) -> FollowedCalls:
    own = _costs_by_node(side[1], len(side[0].graph.inclusive))
    _, begun = root_frames(FrameRoots(roots.node, own[roots.node]))
    visible = None if both.leading is None else both.leading[:-STAND_INS]
    return followed_calls(side[0], begun, visible, unexpanded, up=up)


def _costs_by_node(roots: FrameRoots, nodes: int) -> CostArray:
    """Return what each node and stand-in has as a root, shape (nodes + STAND_INS,)."""
    costs = np.zeros(nodes + STAND_INS, roots.cost.dtype)
    costs[roots.node] = roots.cost
    return costs


def _together(base: CostArray, new: CostArray) -> CostArray:
    """Add costs above 0: exact, as Python integers if need be."""
    sides = [np.maximum(side, 0) for side in (base, new)]
    if any(side.max(initial=0) >= MAX_SUM for side in sides):
        sides = [side.astype(object) for side in sides]
    total: CostArray = sides[0] + sides[1]
    return total


# ---------------------------------------------------------------- stacks


@frozen
class Stacks:
    """The stacks of a profile in one event: the path to each frame of a tree is one."""

    tree: FrameTree
    self_cost: CostArray  # of each frame: the part of its node's self cost that is spent there
    # what has self costs that no frame of the tree shows: functions and `NOT_ATTRIBUTED`
    elsewhere: dict[NodeId, int]

    @property
    def frames(self) -> Int64Array:
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
