"""The frames of both profiles as one tree, with their costs on each side.

The tree is that of all calls of both sides; each side then has its own costs in it, by the rule of
`analysis/calls/frame_tree.py`: a frame has the recorded cost of a call where its caller's frame is
all there is of the caller, and else a share of it, which is an estimate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.estimates import quotients, rounded_like
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.profile.events import CostArray, EventType, Float64Array
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.reports.comparison.html.frame_widths import (
    change_widths,
    cost_widths,
    levels_of,
    placed,
)

MIN_SHARE = 1e-3  # of the picture: narrower frames are left out
_MOST_FRAMES = 3000
_MOST_TREE_FRAMES = 30_000  # before those are chosen that are wide enough on one side
_MIN_TREE_SHARE = 2e-5
_MAX_DEPTH = 200
_Places = tuple[Float64Array, Float64Array]


@dataclass(frozen=True, slots=True, eq=False)
class ComparedFrames:
    """The frames to show, level by level; all arrays have the shape (frames,)."""

    node: Int64Array  # function or cycle; -1: the whole program
    parent: Int64Array  # row of the parent; -1 for frame 0
    depth: Int64Array
    cost: BothSides
    is_proven: BoolArray  # exact on both sides, so that the change is known
    is_recursion: BoolArray
    places: tuple[_Places, ...]  # by New, Base and Change: left edge and width as fractions
    omitted: int  # frames that were too narrow on both sides

    def __len__(self) -> int:
        return len(self.node)


def compared_frames(
    compared: Comparison, event: EventType, visible: BoolArray | None, progress: Progress
) -> ComparedFrames | None:
    """Return the frames of a measured event; None if there are no calls with cost.

    With `visible`, a mask of shape (nodes,), only calls are followed that lead to such nodes.
    """
    queries = compared.queries
    both = _scope_of_both(compared)
    tree = build_frame_tree(
        queries.call_graph(event, both),
        queries.root_nodes(event, both),
        min_share=_MIN_TREE_SHARE,
        max_frames=_MOST_TREE_FRAMES,
        max_depth=_MAX_DEPTH,
        visible=visible,
        progress=progress,
    )
    if len(tree) < 2:  # a frame alone shows nothing
        return None
    base, new = (
        side_costs(tree, queries.call_graph(event, scope))
        for scope in (compared.base, compared.new)
    )
    return _chosen(tree, BothSides(base[0], new[0]), base[1] & new[1])


def _scope_of_both(compared: Comparison) -> Scope:
    parts = (compared.base.parts or frozenset()) | (compared.new.parts or frozenset())
    return replace(compared.new, parts=parts)


def side_costs(tree: FrameTree, graph: CallGraph) -> tuple[CostArray, BoolArray]:
    """Return the costs of the frames on one side, and which are exact, shape (frames,).

    A call without cost on this side costs nothing in any frame, which is exact.
    """
    kind = object if object in (graph.cost.dtype, graph.inclusive.dtype) else np.int64
    cost, is_exact = np.zeros(len(tree), kind), np.ones(len(tree), bool)
    amount = np.zeros(len(tree))  # the cost before rounding
    first, *below = levels_of(tree)
    if tree.node[0] >= 0:
        cost[first] = graph.inclusive[tree.node[first]]
    amount[first] = cost[first].astype(np.float64)
    for level in below:
        node, parent = tree.node[level], tree.parent[level]
        above = tree.node[parent]
        if above[0] < 0:
            cost[level] = graph.inclusive[node]
            amount[level], cost[0] = cost[level].astype(np.float64), sum(cost[level].tolist())
            continue
        recorded = graph.cost[_edges(graph, above, node)]
        around, whole = cost[parent], graph.inclusive[above]
        is_known = is_exact[parent] & (around <= whole).astype(bool)
        is_whole = is_known & (around == whole).astype(bool)
        is_all = is_known & (recorded == whole).astype(bool)
        share = np.minimum(quotients(amount[parent], whole), 1)
        part = np.minimum(recorded.astype(np.float64) * share, amount[parent])
        estimate = np.minimum(rounded_like(part, cost.dtype), around)
        cost[level] = np.where(is_whole, recorded, np.where(is_all, around, estimate))
        is_exact[level] = is_whole | is_all | (recorded == 0).astype(bool)
        amount[level] = np.where(is_exact[level], cost[level].astype(np.float64), part)
    return cost, is_exact


def _edges(graph: CallGraph, caller: Int64Array, callee: Int64Array) -> Int64Array:
    """Return the rows of these calls: the adjacency, equal on both sides, is sorted by both."""
    shape, nodes = graph.adjacency, len(graph.inclusive)
    return np.searchsorted(shape.caller * nodes + shape.callee, caller * nodes + callee)


def _chosen(tree: FrameTree, cost: BothSides, proven: BoolArray) -> ComparedFrames:
    """Return the widest frames; none is wider than its parent, which is therefore among them."""
    widths = (
        cost_widths(cost.new),
        cost_widths(cost.base),
        change_widths(tree, cost.change, proven),
    )
    places = [placed(tree, each) for each in widths]
    for each, (_, width) in zip(widths, places, strict=True):
        if each[0] <= 0:
            width[:] = 0  # the side has no cost, or nothing changed
    widest = np.max([width for _, width in places], axis=0)
    order = np.argsort(-widest, kind="stable")[:_MOST_FRAMES]
    rows = np.sort(order[widest[order] >= MIN_SHARE])
    row = np.zeros(len(tree), np.int64)
    row[rows] = np.arange(len(rows))
    parent = tree.parent[rows]
    return ComparedFrames(
        tree.node[rows],
        np.where(parent >= 0, row[parent], -1),
        tree.depth[rows],
        BothSides(cost.base[rows], cost.new[rows]),
        proven[rows],
        tree.is_recursion[rows],
        tuple((start[rows], width[rows]) for start, width in places),
        len(tree) - len(rows) + tree.omitted_calls,
    )
