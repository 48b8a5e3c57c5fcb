"""One frame tree over both sides of a comparison: what each costs in it, and how wide it is drawn.

The tree is that of the costs of both sides together, so it has all frames of either. Costs of a
side are then passed down along its frames by the same rules as in a tree of that side alone.

Frames are drawn as wide as the new side, the base, or what changed. By change, a frame is as wide
as growth and shrinkage of all that is inside it, so that changes that cancel out are seen. Only
proven changes count; frames with estimates share what the frame around them has left. Frames
without width stay in the tree and are not drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from qcachegrind_py.analysis.calls.accounted_calls import AccountedCalls, CallEnds, FrameRoots
from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.calls.frame_branches import (
    FollowedCalls,
    FrameCosts,
    available_widths,
    followed_calls,
    frame_counts,
    inner_costs,
    reduced_frames,
    root_frames,
)
from qcachegrind_py.analysis.calls.frame_tree import (
    FrameSide,
    FrameSides,
    FrameTree,
    build_frame_tree,
)
from qcachegrind_py.analysis.costs.sums import float_sums
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NO_NODE, STAND_INS, NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_MAX_SUM = 1 << 61  # costs and sums of sizes from here on may need more than 64 bits together


def build_compared_frames(
    base: tuple[AccountedCalls, FrameRoots],
    new: tuple[AccountedCalls, FrameRoots],
    *,
    up: bool = False,
    max_depth: int | None = None,
    unexpanded: frozenset[NodeId] = frozenset(),
    visible: BoolArray | None = None,
    **options: Any,
) -> FrameTree:
    """Build the tree of both sides; each is its calls with the roots to begin with.

    Both have the same rows, as those of scopes with one frame have. All options are those of
    `build_frame_tree`. Starts, widths and costs are sums of both sides: `frames_by_width` returns
    the tree as it is drawn.
    """
    calls = _calls_of_both(base[0], new[0])
    roots = _roots_of_both(base[1], new[1], len(calls.graph.inclusive))
    tree = build_frame_tree(
        calls,
        roots,
        up=up,
        max_depth=max_depth,
        unexpanded=unexpanded,
        visible=visible,
        **options,
    )
    sides = FrameSides(frame_side(tree, *base, up=up), frame_side(tree, *new, up=up))
    if tree.omitted_calls:
        if visible is not None:  # what leads to them on either side, as in the tree
            both = followed_calls(calls, *root_frames(calls, roots), visible, unexpanded, up=up)
            visible = None if both.leading is None else both.leading[:-STAND_INS]
        is_opened = ~tree.is_recursion & (tree.depth != (-1 if max_depth is None else max_depth))

        def followed(side: tuple[AccountedCalls, FrameRoots]) -> FollowedCalls:
            own = _costs_by_node(side[1], len(calls.graph.inclusive))
            begun = root_frames(side[0], FrameRoots(roots.node, own[roots.node]))
            return followed_calls(side[0], *begun, visible, unexpanded, up=up)

        omitted = (
            followed(base).omitted_cost(tree.node, is_opened, sides.base.width),
            followed(new).omitted_cost(tree.node, is_opened, sides.new.width),
        )
        sides = replace(sides, omitted_cost=omitted)
    return replace(
        tree,
        sides=sides,
        is_exact=sides.is_proven,
        calls=sides.new.calls,
        has_exact_calls=sides.has_exact_calls,
    )


def frame_side(tree: FrameTree, calls: AccountedCalls, roots: FrameRoots, *, up: bool) -> FrameSide:
    """Return what the frames of a tree cost with calls that have the rows of the tree's calls."""
    recorded, is_estimated = _recorded_costs(tree, calls, roots, up=up)
    inclusive = _inclusive(calls, recorded)
    costs = _costs_of_frames(tree, inclusive, recorded, is_estimated)
    width = _widths(tree, calls.ends(up=up), inclusive, recorded)
    counts, has_exact_calls = frame_counts(
        calls, tree.node, tree.parent, costs.cost, costs.is_exact, up=up
    )
    is_reduced = reduced_frames(calls, tree.node, tree.parent, up=up)
    return FrameSide(costs.cost, width, costs.is_exact & ~is_reduced, counts, has_exact_calls)


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


def _costs_by_node(roots: FrameRoots, nodes: int) -> CostArray:
    """Return what each node and stand-in has as a root, shape (nodes + STAND_INS,)."""
    costs = np.zeros(nodes + STAND_INS, roots.cost.dtype)
    costs[roots.node] = roots.cost
    return costs


def _together(base: CostArray, new: CostArray) -> CostArray:
    """Add costs above 0: exact, as Python integers if need be."""
    sides = [np.maximum(side, 0) for side in (base, new)]
    if any(side.max(initial=0) >= _MAX_SUM for side in sides):
        sides = [side.astype(object) for side in sides]
    total: CostArray = sides[0] + sides[1]
    return total


def _recorded_costs(
    tree: FrameTree, calls: AccountedCalls, roots: FrameRoots, *, up: bool
) -> tuple[CostArray, BoolArray]:
    """Return the cost of the call behind each frame, and that of roots: shape (frames,).

    The second array tells which of them are estimates, as those of calls through folded functions.
    """
    graph = calls.graph
    total = sum(roots.cost.tolist())
    large = total >= _MAX_SUM or object in (graph.cost.dtype, graph.inclusive.dtype)
    recorded = np.zeros(len(tree), object if large else np.int64)
    is_inner = (tree.parent >= 0) & (tree.node[tree.parent] != NO_NODE)
    inner = np.flatnonzero(is_inner)
    is_estimated = np.zeros(len(tree), bool)
    recorded[inner], is_estimated[inner], _ = calls.between(
        tree.node[tree.parent[inner]], tree.node[inner], up=up
    )
    is_root = ~is_inner & (tree.node != NO_NODE)
    recorded[is_root] = _costs_by_node(roots, len(graph.inclusive))[tree.node[is_root]]
    if len(tree) and tree.node[0] == NO_NODE:
        recorded[0] = total
    return recorded, is_estimated


def _inclusive(calls: AccountedCalls, recorded: CostArray) -> CostArray:
    """Return what each node and stand-in has, shape (nodes + STAND_INS,); -1 has frame 0."""
    inclusive = np.append(calls.graph.inclusive, calls.stand_in_costs).astype(recorded.dtype)
    if len(recorded):
        inclusive[NO_NODE] = recorded[0]
    return inclusive


def _costs_of_frames(
    tree: FrameTree, inclusive: CostArray, recorded: CostArray, is_estimated: BoolArray
) -> FrameCosts:
    """Pass the costs of roots on, level by level."""
    cost, amount = recorded.copy(), recorded.astype(np.float64)
    is_exact = np.ones(len(tree), bool)
    for begin, end in tree.levels()[1:]:
        around, costs = tree.parent[begin:end], recorded[begin:end]
        outer = FrameCosts(cost[around], amount[around], is_exact[around])
        inner = inner_costs(outer, inclusive[tree.node[around]], np.arange(len(around)), costs)
        # where nothing is called, or nothing calls, there is no cost, whatever else is estimated
        is_nothing = (costs == 0).astype(bool) | (outer.is_exact & (outer.cost == 0).astype(bool))
        cost[begin:end] = np.where(is_nothing, 0, inner.cost)
        amount[begin:end] = np.where(is_nothing, 0, inner.amount)
        is_exact[begin:end] = is_nothing | (inner.is_exact & ~is_estimated[begin:end])
    return FrameCosts(cost, amount, is_exact)


def _widths(
    tree: FrameTree, ends: CallEnds, inclusive: CostArray, recorded: CostArray
) -> Float64Array:
    """Return how wide the frames of a side are drawn, as `build_frame_tree` does."""
    nodes = len(inclusive)
    called = float_sums(np.maximum(ends.cost.astype(np.float64), 0), ends.near % nodes, nodes)
    available = available_widths(inclusive, called)
    weight = np.maximum(recorded.astype(np.float64), 0)
    width = weight.copy()
    for begin, end in tree.levels()[1:]:
        around = tree.parent[begin:end]
        whole = available[tree.node[around]]
        scale = np.divide(width[around], whole, out=np.zeros(len(whole)), where=whole > 0)
        width[begin:end] = np.minimum(weight[begin:end] * np.minimum(scale, 1), width[around])
    return width


# ---------------------------------------------------------------- widths as drawn


class BoxWidth(Enum):
    """What the boxes of a comparison are as wide as."""

    NEW = "new"
    BASE = "base"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class Undrawn:
    """Frames of a comparison that have no width, and how much they changed together."""

    count: int
    change: int
    is_exact: bool


def frames_by_width(tree: FrameTree, by: BoxWidth) -> FrameTree:
    """Return the frames of a tree of both sides as they are drawn, widest siblings first."""
    sides = tree.sides
    assert sides is not None
    cost, width = _drawn_costs(tree, sides, by)
    if by is BoxWidth.CHANGE:
        sides = replace(sides, net=_net_shares(sides, width))
    rows = _order(tree, width)
    return _arranged(replace(tree, cost=cost, width=width, sides=sides), rows)


def frame_places(tree: FrameTree, by: BoxWidth) -> tuple[Float64Array, Float64Array]:
    """Return left edge and width of each frame in units of cost, shape (frames,).

    Siblings keep the order that they have in the tree, by whatever they are as wide as.
    """
    assert tree.sides is not None
    _, width = _drawn_costs(tree, tree.sides, by)
    return _starts(tree.parent, width, tree.levels()), width


def undrawn_frames(tree: FrameTree) -> Undrawn:
    """Return the frames without width; of nested ones the change of the outermost counts."""
    assert tree.sides is not None
    hidden = tree.width <= 0
    counted = hidden & ~tree.are_inside(hidden)
    change = sum(tree.sides.cost.change[counted].tolist())
    return Undrawn(int(hidden.sum()), change, bool(tree.is_exact[counted].all()))


def combined_sides(tree: FrameTree, nodes: BoolArray) -> tuple[int, int, bool]:
    """Return what all frames of these nodes cost in the base and now, and whether it is exact.

    `nodes` is a mask of shape (nodes,). No cost is counted twice.
    """
    assert tree.sides is not None
    counted, cost = tree.outermost(nodes), tree.sides.cost
    base, new = (sum(side[counted].tolist()) for side in (cost.base, cost.new))
    return base, new, bool(tree.is_exact[counted].all())


def _drawn_costs(
    tree: FrameTree, sides: FrameSides, by: BoxWidth
) -> tuple[CostArray, Float64Array]:
    """Return what the frames are as wide as, and their widths; both of shape (frames,)."""
    if by is BoxWidth.CHANGE:
        return _gross_changes(tree, sides)
    side = sides.new if by is BoxWidth.NEW else sides.base
    return side.cost, side.width


# ---------------------------------------------------------------- growth and shrinkage


def _gross_changes(tree: FrameTree, sides: FrameSides) -> tuple[CostArray, Float64Array]:
    """Return growth and shrinkage inside each frame, and its width; both of shape (frames,)."""
    change = sides.cost.change
    if float(np.abs(change.astype(np.float64)).sum()) >= _MAX_SUM:
        change = change.astype(object)
    counted = _counted_frames(tree, sides.is_proven)
    own, inner = change.copy(), np.flatnonzero(counted & (tree.parent >= 0))
    np.subtract.at(own, tree.parent[inner], change[inner])
    gross = np.where(counted, np.abs(own), 0)
    for begin, end in tree.levels()[:0:-1]:
        rows = np.flatnonzero(counted[begin:end]) + begin
        np.add.at(gross, tree.parent[rows], gross[rows])
    width = gross.astype(np.float64)
    _share_rest(tree, counted, change, np.abs(own.astype(np.float64)), width)
    return np.where(counted, gross, np.rint(width).astype(np.int64)), width


def _counted_frames(tree: FrameTree, is_proven: BoolArray) -> BoolArray:
    """Return the frames whose change is proven, and those of all frames around them."""
    counted = is_proven.copy()
    for begin, end in tree.levels()[1:]:
        counted[begin:end] &= counted[tree.parent[begin:end]]
    return counted


def _share_rest(
    tree: FrameTree, counted: BoolArray, change: CostArray, rest: Float64Array, width: Float64Array
) -> None:
    """Give estimates the width that the frame around them has left, at most their own size."""
    size = np.where(counted, 0.0, np.abs(change.astype(np.float64)))
    wanted = float_sums(size[1:], tree.parent[1:], len(tree))
    for begin, end in tree.levels()[1:]:
        rows = np.flatnonzero(~counted[begin:end]) + begin
        around = tree.parent[rows]
        room = np.where(counted[around], rest[around], width[around])
        whole = np.maximum(wanted[around], 1.0)
        width[rows] = size[rows] * np.minimum(room / whole, 1.0)


def _net_shares(sides: FrameSides, width: Float64Array) -> Float64Array:
    """Return how much of each width is a proven net change, from 0 to 1."""
    net = np.where(sides.is_proven, np.abs(sides.cost.change.astype(np.float64)), 0.0)
    shares = np.divide(net, width, out=np.zeros(len(width)), where=width > 0)
    return np.minimum(shares, 1.0)


# ---------------------------------------------------------------- arranging


def _order(tree: FrameTree, width: Float64Array) -> Int64Array:
    """Return the rows level by level, siblings together and the widest first."""
    place = np.zeros(len(tree), np.int64)
    rows = np.arange(len(tree))
    for begin, end in tree.levels()[1:]:
        level = np.arange(begin, end)
        rows[begin:end] = level[np.lexsort((-width[level], place[tree.parent[level]]))]
        place[rows[begin:end]] = level
    return rows


def _arranged(tree: FrameTree, rows: Int64Array) -> FrameTree:
    """Return the frames in this order, siblings side by side."""
    place = np.empty_like(rows)
    place[rows] = np.arange(len(rows))
    parent = np.where(tree.parent[rows] >= 0, place[tree.parent[rows]], -1)
    width, count = tree.width[rows], tree.child_count[rows]
    sides = tree.sides
    assert sides is not None
    columns = ("node", "depth", "cost", "is_exact", "is_recursion", "calls", "has_exact_calls")
    return replace(
        tree,
        parent=parent,
        width=width,
        start=_starts(parent, width, tree.levels()),
        first_child=1 + np.cumsum(count) - count,
        child_count=count,
        sides=replace(
            sides,
            base=sides.base.of(rows),
            new=sides.new.of(rows),
            net=None if sides.net is None else sides.net[rows],
        ),
        **{name: getattr(tree, name)[rows] for name in columns},
    )


def _starts(parent: Int64Array, width: Float64Array, levels: list[tuple[int, int]]) -> Float64Array:
    """Return the left edges: the first child begins where its parent does."""
    start = np.zeros(len(parent))
    for begin, end in levels[1:]:
        around, inside = parent[begin:end], width[begin:end]
        before = np.concatenate((np.zeros(1), np.cumsum(inside)[:-1]))
        first = np.searchsorted(around, around)
        start[begin:end] = start[around] + before - before[first]
    return start
