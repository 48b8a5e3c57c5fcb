"""One frame tree over both sides of a comparison, with the costs that each side has in it.

The tree is that of the costs of both sides together, so it has all frames of either. Costs of a
side are then passed down along its frames by the same rules as in a tree of that side alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.calls.compared.sides import FrameSide, FrameSides
from qcachegrind_py.analysis.calls.frame_branches import FrameCosts, inner_costs
from qcachegrind_py.analysis.calls.frame_counts import call_rows, frame_counts
from qcachegrind_py.analysis.calls.frame_roots import FrameRoots
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.costs.estimates import float_sums
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_MAX_SUM = 1 << 61  # of a cost, so that those of both sides and of all roots fit into 64 bits


def build_compared_frames(
    base: tuple[CallGraph, FrameRoots],
    new: tuple[CallGraph, FrameRoots],
    *,
    up: bool = False,
    **options: Any,
) -> FrameTree:
    """Build the tree of both sides; each is a call graph with the roots to begin with.

    Both graphs have the same rows, as those of scopes with one frame have. `options` are those of
    `build_frame_tree`. Starts, widths and costs are sums of both sides: `frames_by_width` returns
    the tree as it is drawn.
    """
    graph = _graph_of_both(base[0], new[0])
    roots = _roots_of_both(base[1], new[1], len(graph.inclusive))
    tree = build_frame_tree(graph, roots, up=up, **options)
    sides = FrameSides(frame_side(tree, *base, up=up), frame_side(tree, *new, up=up))
    return replace(
        tree,
        sides=sides,
        is_exact=sides.is_proven,
        calls=sides.new.calls,
        has_exact_calls=sides.has_exact_calls,
    )


def frame_side(tree: FrameTree, graph: CallGraph, roots: FrameRoots, *, up: bool) -> FrameSide:
    """Return what the frames of a tree cost in a graph that has the rows of the tree's graph."""
    recorded, is_estimated = _recorded_costs(tree, graph, roots, up=up)
    costs = _costs_of_frames(tree, graph, recorded, is_estimated)
    width = _widths(tree, graph, recorded, up=up)
    calls, has_exact_calls = frame_counts(
        graph, tree.node, tree.parent, costs.cost, costs.is_exact, up=up
    )
    return FrameSide(costs.cost, width, costs.is_exact, calls, has_exact_calls)


def _graph_of_both(base: CallGraph, new: CallGraph) -> CallGraph:
    """Return the graph with the costs of both sides together; negative ones count as 0."""
    return CallGraph(
        new.adjacency,
        _together(base.cost, new.cost),
        _together(base.inclusive, new.inclusive),
        _together(base.self_cost, new.self_cost),
    )


def _roots_of_both(base: FrameRoots, new: FrameRoots, nodes: int) -> FrameRoots:
    """Return all roots of either side, once each."""
    node = np.unique(np.concatenate((base.node, new.node)))
    cost = _together(_costs_by_node(base, nodes), _costs_by_node(new, nodes))
    return FrameRoots(node, cost[node])


def _costs_by_node(roots: FrameRoots, nodes: int) -> CostArray:
    costs = np.zeros(nodes, roots.cost.dtype)
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
    tree: FrameTree, graph: CallGraph, roots: FrameRoots, *, up: bool
) -> tuple[CostArray, BoolArray]:
    """Return the cost of the call behind each frame, and that of roots: shape (frames,).

    The second array tells which of them are estimates, as those of calls through folded functions.
    """
    total = sum(roots.cost.tolist())
    large = total >= _MAX_SUM or object in (graph.cost.dtype, graph.inclusive.dtype)
    recorded = np.zeros(len(tree), object if large else np.int64)
    is_inner = (tree.parent >= 0) & (tree.node[tree.parent] >= 0)
    inner = np.flatnonzero(is_inner)
    near, far = tree.node[tree.parent[inner]], tree.node[inner]
    rows = call_rows(graph, near, far, up=up)
    recorded[inner] = graph.cost[rows]
    is_estimated = np.zeros(len(tree), bool)
    is_estimated[inner] = graph.adjacency.is_estimated[rows]
    is_root = ~is_inner & (tree.node >= 0)
    recorded[is_root] = _costs_by_node(roots, len(graph.inclusive))[tree.node[is_root]]
    if len(tree) and tree.node[0] < 0:
        recorded[0] = total
    return recorded, is_estimated


def _costs_of_frames(
    tree: FrameTree, graph: CallGraph, recorded: CostArray, is_estimated: BoolArray
) -> FrameCosts:
    """Pass the costs of roots on, level by level."""
    inclusive = np.append(graph.inclusive.astype(recorded.dtype), recorded[:1])  # -1: the last
    cost, amount = recorded.copy(), recorded.astype(np.float64)
    is_exact = np.ones(len(tree), bool)
    for begin, end in tree.levels()[1:]:
        around, calls = tree.parent[begin:end], recorded[begin:end]
        outer = FrameCosts(cost[around], amount[around], is_exact[around])
        inner = inner_costs(outer, inclusive[tree.node[around]], np.arange(len(around)), calls)
        # where nothing is called, or nothing calls, there is no cost, whatever else is estimated
        is_nothing = (calls == 0).astype(bool) | (outer.is_exact & (outer.cost == 0).astype(bool))
        cost[begin:end] = np.where(is_nothing, 0, inner.cost)
        amount[begin:end] = np.where(is_nothing, 0, inner.amount)
        is_exact[begin:end] = is_nothing | (inner.is_exact & ~is_estimated[begin:end])
    return FrameCosts(cost, amount, is_exact)


def _widths(tree: FrameTree, graph: CallGraph, recorded: CostArray, *, up: bool) -> Float64Array:
    """Return how wide the frames of a side are drawn, as `build_frame_tree` does."""
    available = _available_widths(graph, recorded, up=up)
    weight = np.maximum(recorded.astype(np.float64), 0)
    width = weight.copy()
    for begin, end in tree.levels()[1:]:
        around = tree.parent[begin:end]
        whole = available[tree.node[around]]
        scale = np.divide(width[around], whole, out=np.zeros(len(whole)), where=whole > 0)
        width[begin:end] = np.minimum(weight[begin:end] * np.minimum(scale, 1), width[around])
    return width


def _available_widths(graph: CallGraph, recorded: CostArray, *, up: bool) -> Float64Array:
    """Return the cost that the width of each node's frames is divided by; last that of node -1."""
    shape, nodes = graph.adjacency, len(graph.inclusive)
    near: Int64Array = shape.callee if up else shape.caller
    called = float_sums(np.maximum(graph.cost.astype(np.float64), 0), near, nodes)
    whole = np.maximum(called, graph.inclusive.astype(np.float64))
    return np.append(whole, recorded[:1].astype(np.float64))
