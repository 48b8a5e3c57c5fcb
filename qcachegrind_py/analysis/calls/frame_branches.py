"""The calls that frames of a frame tree branch into, and what such calls cost and count there.

A profile counts the calls from one function to another, not those on a path of several calls. The
count of a frame is therefore exact if the frame around it has the whole cost of its function, so
that all calls of that function are made there. Else it is in proportion to the part of the cost.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import (
    AccountedCalls,
    CallGraph,
    FrameRoots,
    call_rows,
    leading_nodes,
)
from qcachegrind_py.analysis.costs.function_costs import find_cycles
from qcachegrind_py.analysis.costs.sums import (
    float_sums,
    quotients,
    rounded_like,
    scaled_costs,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NO_NODE, STAND_INS, NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array, at_rows

MAX_SUM = 1 << 61  # costs and sums of sizes from here on may need more than 64 bits together


@frozen
class FrameBatch:
    """Frames of one depth, from left to right."""

    row: Int64Array  # among all frames created
    parent: Int64Array
    node: Int64Array
    start: Float64Array
    width: Float64Array
    is_recursion: BoolArray
    above: Int64Array  # the ancestors of each that may call themselves, shape (ancestors, frames)
    depth: int

    def __len__(self) -> int:
        return len(self.row)

    def subset(self, chosen: BoolArray | slice) -> FrameBatch:
        if not isinstance(chosen, slice) and chosen.all():
            return self
        return at_rows(self, chosen)


@frozen
class FollowedCalls:
    """All calls with their ends, and those that are followed; those without cost never are."""

    near: Int64Array  # of each call: index of the node that has it, with stand-ins at the end
    far: Int64Array  # the node at its other end
    cost: CostArray
    passes: BoolArray
    is_filtered: BoolArray
    visible_cost: Float64Array  # of each node: what the calls cost together that pass
    available_width: Float64Array  # of each node: `available_widths`
    leading: BoolArray | None  # the nodes that a call that passes leads to; None without a filter

    def omitted_cost(self, node: Int64Array, is_opened: BoolArray, width: Float64Array) -> float:
        """Return what followed calls from within opened frames cost that have no frames.

        The arguments are columns of a frame tree, shape (frames,).
        """
        inside = node[is_opened]
        share = width[is_opened] / np.maximum(self.available_width[inside], 1.0)
        cost = float((share * self.visible_cost[inside]).sum())
        return max(0.0, cost - float(width[1:].sum()))


@frozen
class Branches:
    """The calls to follow from each node, costliest first; the calls of node -1 are the roots.

    The arrays over nodes end with elements of the stand-ins, where numpy finds them by their ids.
    """

    followed: FollowedCalls
    first: Int64Array  # of each node: index of its first call in the arrays over calls
    count: Int64Array  # number of its calls, without those that are too cheap
    visible_count: Int64Array  # number including those that are too cheap
    filtered_count: Int64Array  # number hidden by the filter
    node: Int64Array  # of each call: the node at its other end
    weight: Float64Array  # of each call: its cost
    is_circular: BoolArray  # of each node: it may be its own ancestor

    def expandable(self, frames: FrameBatch) -> FrameBatch:
        return frames.subset(~frames.is_recursion & (self.count[frames.node] > 0))

    def child_counts(self, frames: FrameBatch, threshold: float) -> Int64Array:
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

    def child_frames(self, around: FrameBatch, lengths: Int64Array, row: int) -> FrameBatch:
        """Create frames for the first calls of each frame: `lengths[i]` of them for frame i.

        All lengths are at least 1; the new frames are numbered from `row`.
        """
        owner = np.repeat(np.arange(len(around)), lengths)
        ends = np.cumsum(lengths)
        rows = np.arange(ends[-1]) + (self.first[around.node] - ends + lengths)[owner]
        node, weight = self.node[rows], self.weight[rows]
        width = np.minimum(weight * self._scale(around)[owner], around.width[owner])
        before = np.concatenate((np.zeros(1), np.cumsum(width)[:-1]))
        above = self._above(around)[:, owner]
        return FrameBatch(
            row=np.arange(row, row + len(rows)),
            parent=around.row[owner],
            node=node,
            start=around.start[owner] + before - before[ends - lengths][owner],
            width=width,
            is_recursion=(above == node).any(axis=0),
            above=above,
            depth=around.depth + 1,
        )

    def _above(self, around: FrameBatch) -> Int64Array:
        """Return the ancestors that the children of these frames may repeat.

        Only nodes on circles of calls count: with all ancestors, 20,000 frames in a row took 5 s.
        """
        if not self.is_circular[around.node].any():
            return around.above
        return np.vstack((around.above, around.node))

    def _scale(self, frames: FrameBatch) -> Float64Array:
        """Return the drawn width of a cost of 1 inside each frame, at most 1."""
        return np.minimum(frames.width / self.followed.available_width[frames.node], 1)


def root_frames(roots: FrameRoots) -> tuple[FrameBatch, FrameRoots]:
    """Return frame 0 and the roots that have cost, costliest first."""
    node, cost = roots.node, roots.cost
    rows = np.flatnonzero((cost > 0).astype(bool))
    rows = rows[np.argsort(-cost[rows], kind="stable")]
    none = np.array([NO_NODE])
    is_alone = len(node) == 1 and bool(node[0] >= 0)
    frame_0 = FrameBatch(
        row=np.array([0]),
        parent=none,
        node=node if is_alone else none,
        start=np.zeros(1),
        width=np.array([float(sum(cost[rows].tolist()))]),
        is_recursion=np.array([False]),
        above=np.empty((0, 1), np.int64),
        depth=0,
    )
    return frame_0, FrameRoots(node[rows], cost[rows])


def build_branches(
    calls: AccountedCalls,
    roots: FrameRoots,
    min_width: float,
    visible: BoolArray | None,
    unexpanded: frozenset[NodeId],
    *,
    up: bool,
) -> Branches:
    """Index the calls by node, with the roots as the calls of node -1."""
    found = followed_calls(calls, roots, visible, unexpanded, up=up)
    near, cost, nodes = found.near, found.cost, len(found.available_width)
    weight = cost.astype(np.float64)
    rows = _by_owner(np.flatnonzero(found.passes & (weight >= min_width)), near, cost)
    count, visible_count, filtered_count = (
        np.bincount(near[chosen], minlength=nodes)
        for chosen in (rows, found.passes, found.is_filtered)
    )
    return Branches(
        followed=found,
        first=np.cumsum(count) - count,
        count=count,
        visible_count=visible_count,
        filtered_count=filtered_count,
        node=found.far[rows],
        weight=weight[rows],
        is_circular=_is_circular(calls.graph),
    )


def followed_calls(
    calls: AccountedCalls,
    roots: FrameRoots,
    visible: BoolArray | None,
    unexpanded: frozenset[NodeId],
    *,
    up: bool,
) -> FollowedCalls:
    """Return which calls are followed, with the roots as the calls of node -1 behind all others."""
    ends, nodes = calls.ends(up=up), len(calls.graph.inclusive) + STAND_INS
    near = np.append(ends.near, np.full(len(roots), NO_NODE)) % nodes
    far, graph, total = np.append(ends.far, roots.node), calls.graph, sum(roots.cost.tolist())
    large = total >= MAX_SUM or object in (graph.cost.dtype, graph.inclusive.dtype)
    dtype = object if large else np.int64
    cost = np.concatenate((ends.cost.astype(dtype), roots.cost.astype(dtype)))
    inclusive = np.append(graph.inclusive, calls.stand_in_costs).astype(dtype)
    inclusive[NO_NODE] = total
    can_open = (inclusive > 0).astype(bool)  # without cost there are no shares
    can_open[list(unexpanded)] = False
    has_cost = (cost > 0).astype(bool) & can_open[near]
    passes, leading = has_cost, None
    if visible is not None:
        reached = np.append(visible, np.zeros(STAND_INS, bool))
        leading = leading_nodes(reached, near[has_cost], far[has_cost] % nodes)
        passes = has_cost & (leading[far] | (near == NO_NODE % nodes))
    weight = cost.astype(np.float64)
    visible_cost, called = (
        float_sums(weight[chosen], near[chosen], nodes) for chosen in (passes, has_cost)
    )
    return FollowedCalls(
        near,
        far,
        cost,
        passes,
        has_cost & ~passes,
        visible_cost,
        available_widths(inclusive, called),
        leading,
    )


def available_widths(inclusive: CostArray, called: Float64Array) -> Float64Array:
    """Return the cost that the width of each node's frames is divided by.

    It is the inclusive cost; with costs below 0, at least what its calls cost together, which is
    `called`, without those below 0.
    """
    return np.maximum(called, inclusive.astype(np.float64))


def _is_circular(graph: CallGraph) -> BoolArray:
    """Return whether each node is on a circle of calls; False for the stand-ins."""
    shape, nodes = graph.adjacency, len(graph.inclusive)
    ends = (shape.caller.astype(np.int32), shape.callee.astype(np.int32))
    return find_cycles(*ends, nodes + STAND_INS) > 0


def _by_owner(rows: Int64Array, owner: Int64Array, cost: CostArray) -> Int64Array:
    """Sort the rows by owner, and costliest first for each owner."""
    rows = rows[np.argsort(-cost[rows], kind="stable")]
    return rows[np.argsort(owner[rows], kind="stable")]


# ---------------------------------------------------------------- what is recorded of the calls


def frame_counts(
    accounted: AccountedCalls,
    node: Int64Array,
    parent: Int64Array,
    cost: CostArray,
    is_exact: BoolArray,
    *,
    up: bool,
) -> tuple[Int64Array, BoolArray]:
    """Return the number of calls behind each frame, and whether it is exact; shape (frames,).

    The arguments are columns of a `FrameTree`; with `up`, frames call the frame around them. The
    number is 0 where none is known: for roots, members of cycles, stand-ins, and calls that had not
    returned.
    """
    counts, exact = np.zeros(len(node), np.int64), np.ones(len(node), bool)
    inner = np.flatnonzero((parent >= 0) & (node >= 0) & (node[parent] >= 0))
    around = parent[inner]
    graph = accounted.graph
    edge = call_rows(graph, node[around], node[inner], up=up)
    whole = graph.inclusive[node[around]]
    share = np.minimum(quotients(cost[around], whole), 1)
    counts[inner] = scaled_costs(graph.adjacency.count[edge], share)
    exact[inner] = is_exact[around] & (cost[around] == whole).astype(bool)
    exact[inner] &= ~accounted.recorded.adjacency.is_estimated[edge]
    return counts, exact


@frozen
class FrameCosts:
    """What frames cost, and whether that is proven: shape (frames,)."""

    cost: CostArray
    amount: Float64Array  # the cost before rounding
    is_exact: BoolArray


def inner_costs(around: FrameCosts, inclusive: CostArray, recorded: CostArray) -> FrameCosts:
    """Return what calls from within frames cost there, shape (calls,).

    `around` is the frame of each call, whose node costs `inclusive` in all, and `recorded` the cost
    of the call, wherever it was made from.
    """
    limit = around.cost
    is_known = around.is_exact & (limit <= inclusive).astype(bool)
    is_whole = is_known & (limit == inclusive).astype(bool)
    is_all = is_known & (recorded == inclusive).astype(bool)
    share = np.minimum(quotients(around.amount, inclusive), 1)
    amount = np.minimum(recorded.astype(np.float64) * share, around.amount)
    cost = np.minimum(rounded_like(amount, limit.dtype), limit).astype(limit.dtype)
    cost = np.where(is_whole, recorded, np.where(is_all, limit, cost))
    is_exact = is_whole | is_all
    return FrameCosts(cost, np.where(is_exact, cost.astype(np.float64), amount), is_exact)
