"""One frame tree over both sides of a comparison, with the costs that each side has in it.

The tree is that of the costs of both sides together, so it has all frames of either. Costs of a
side are then passed down along its frames by the same rules as in a tree of that side alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qcachegrind_py.analysis.calls.accounted_calls import AccountedCalls, FrameRoots
from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.calls.compared.sides import FrameSide, FrameSides
from qcachegrind_py.analysis.calls.frame_branches import (
    FollowedCalls,
    FrameCosts,
    available_widths,
    followed_calls,
    inner_costs,
    root_frames,
)
from qcachegrind_py.analysis.calls.frame_counts import frame_counts
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree, reduced_frames
from qcachegrind_py.analysis.costs.sums import float_sums
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NO_NODE, STAND_INS, NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_MAX_SUM = 1 << 61  # of a cost, so that those of both sides and of all roots fit into 64 bits


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
            _omitted_cost(tree.node, is_opened, sides.base.width, followed(base)),
            _omitted_cost(tree.node, is_opened, sides.new.width, followed(new)),
        )
        sides = replace(sides, omitted_cost=omitted)
    return replace(
        tree,
        sides=sides,
        is_exact=sides.is_proven,
        calls=sides.new.calls,
        has_exact_calls=sides.has_exact_calls,
    )


def _omitted_cost(
    node: Int64Array, is_opened: BoolArray, width: Float64Array, calls: FollowedCalls
) -> float:
    """Return what the calls cost that frames of a side have inside, and that have no frames."""
    inside = node[is_opened]
    share = width[is_opened] / np.maximum(calls.available_width[inside], 1.0)
    followed = float((share * calls.visible_cost[inside]).sum())
    return max(0.0, followed - float(width[1:].sum()))


def frame_side(tree: FrameTree, calls: AccountedCalls, roots: FrameRoots, *, up: bool) -> FrameSide:
    """Return what the frames of a tree cost with calls that have the rows of the tree's calls."""
    recorded, is_estimated = _recorded_costs(tree, calls, roots, up=up)
    costs = _costs_of_frames(tree, calls, recorded, is_estimated)
    width = _widths(tree, calls, recorded, up=up)
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
    tree: FrameTree, calls: AccountedCalls, recorded: CostArray, is_estimated: BoolArray
) -> FrameCosts:
    """Pass the costs of roots on, level by level."""
    inclusive = _inclusive(calls, recorded)
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
    tree: FrameTree, calls: AccountedCalls, recorded: CostArray, *, up: bool
) -> Float64Array:
    """Return how wide the frames of a side are drawn, as `build_frame_tree` does."""
    ends, nodes = calls.ends(up=up), len(calls.graph.inclusive) + STAND_INS
    called = float_sums(np.maximum(ends.cost.astype(np.float64), 0), ends.near % nodes, nodes)
    available = available_widths(_inclusive(calls, recorded), called)
    weight = np.maximum(recorded.astype(np.float64), 0)
    width = weight.copy()
    for begin, end in tree.levels()[1:]:
        around = tree.parent[begin:end]
        whole = available[tree.node[around]]
        scale = np.divide(width[around], whole, out=np.zeros(len(whole)), where=whole > 0)
        width[begin:end] = np.minimum(weight[begin:end] * np.minimum(scale, 1), width[around])
    return width
