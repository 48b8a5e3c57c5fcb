"""The subgraph around the active function on both sides of a comparison, with the same rows.

Nodes and calls are those that cost enough on the side where they cost more, so that what is new
and what is gone is there, too. The costs of each side are those of `subgraph`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.calls.cost_flow import (
    CallFlow,
    CostFlow,
    FlowSide,
    call_flow,
    carrying_edges,
    fold_cycles,
    trace,
)
from qcachegrind_py.analysis.calls.subgraph import Subgraph, SubgraphLimits, assemble, choose
from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int32Array

_LARGER_NODE_COLUMNS = (
    "cost", "self_cost", "count", "recorded_cost", "omitted_incoming_cost", "omitted_outgoing_cost",
)  # fmt: skip
_LARGER_CALL_COLUMNS = "call_cost", "call_count", "recorded_call_cost"
_EXACT_COLUMNS = "is_exact", "call_is_exact"


@dataclass(frozen=True, eq=False)
class ComparedSubgraph:
    """Two subgraphs with the same nodes and calls; what a side lacks costs 0 there.

    `is_split` and `call_is_split` tell where the numbers of calls on both sides are known to
    explain the change: with exact costs and counts, outside cycles, and without recursion.
    """

    base: Subgraph
    new: Subgraph
    is_split: BoolArray  # of each node
    call_is_split: BoolArray  # of each call

    @cached_property
    def larger(self) -> Subgraph:
        """The larger number of both sides in each row; exact where both sides are."""
        base, new = self.base, self.new
        columns: dict[str, CostArray] = {
            name: np.maximum(getattr(base, name), getattr(new, name))
            for name in (*_LARGER_NODE_COLUMNS, *_LARGER_CALL_COLUMNS)
        }
        columns |= {name: getattr(base, name) & getattr(new, name) for name in _EXACT_COLUMNS}
        return replace(new, **columns)  # type: ignore[arg-type]  # arrays only

    def sides(self, column: str) -> BothSides:
        """Return a column of costs or counts on both sides."""
        return BothSides(getattr(self.base, column), getattr(self.new, column))

    def both_exact(self, column: str) -> BoolArray:
        """Return where both sides are exact; `column` is one that tells what is."""
        exact: BoolArray = getattr(self.base, column) & getattr(self.new, column)
        return exact

    @cached_property
    def self_is_exact(self) -> BoolArray:
        """Whether the self cost of each node is exact on both sides."""
        return self.both_exact("self_is_exact")

    @cached_property
    def count_is_exact(self) -> BoolArray:
        """Whether the count of each node is exact on both sides."""
        return self.both_exact("count_is_exact")

    @cached_property
    def call_count_is_exact(self) -> BoolArray:
        """Whether the count of each call is exact on both sides."""
        return self.both_exact("call_count_is_exact")


@dataclass(frozen=True, slots=True, eq=False)
class SideCalls:
    """The calls of one side in one event."""

    graph: CallGraph
    edges: CallEdges
    edge_cost: CostArray  # of `edges`, shape (edges,)


def build_compared_subgraph(
    active: NodeId,
    base: SideCalls,
    new: SideCalls,
    cycle: Int32Array,
    functions: int,
    limits: SubgraphLimits,
    visible: BoolArray | None = None,
) -> ComparedSubgraph:
    """Build the subgraph around a function or cycle on both sides, which are in one frame.

    It takes twice as long as that of one side, so it belongs in a job. The other arguments are
    those of `build_subgraph`.
    """
    folding, sides = fold_cycles(active, cycle, functions, limits.expanded_cycles), (base, new)
    flows = [trace(side.graph, folding) for side in sides]
    both = list(zip(flows, sides, strict=True))
    carries = np.logical_or(*(carrying_edges(flow, side.edges) for flow, side in both))
    calls = [call_flow(flow, side.edges, side.edge_cost, carries) for flow, side in both]
    chosen = choose(_larger_flow(*flows), _larger_calls(*calls), limits, visible)
    before, now = (assemble(*each, chosen) for each in zip(flows, calls, strict=True))
    return ComparedSubgraph(before, now, *_are_split(before, now, _is_plain(new.edges, cycle)))


def _larger_flow(base: CostFlow, new: CostFlow) -> CostFlow:
    """Return the flow of the larger costs, by which nodes are chosen."""
    whole = np.maximum(base.graph.inclusive, new.graph.inclusive)
    return CostFlow(
        replace(new.graph, inclusive=whole),
        new.folding,
        _larger_side(base.down, new.down),
        _larger_side(base.up, new.up),
    )


def _larger_side(base: FlowSide, new: FlowSide) -> FlowSide:
    return replace(
        new, cost=np.maximum(base.cost, new.cost), share=np.maximum(base.share, new.share)
    )


def _larger_calls(base: CallFlow, new: CallFlow) -> CallFlow:
    """Return the calls with the larger costs, in the direction of the larger share."""
    is_up = np.where(base.share > new.share, base.is_up, new.is_up)
    return replace(new, cost=np.maximum(base.cost, new.cost), is_up=is_up)


def _is_plain(edges: CallEdges, cycle: Int32Array) -> BoolArray:
    """Return which nodes neither are nor belong to a cycle nor call themselves, shape (nodes,)."""
    is_plain: BoolArray = cycle == 0
    is_plain[edges.caller[edges.caller == edges.callee]] = False
    return is_plain


def _are_split(base: Subgraph, new: Subgraph, is_plain: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Return which nodes and which calls are split."""
    nodes = is_plain[new.node] & (base.count > 0) & (new.count > 0)
    calls = is_plain[new.node[new.caller]] & is_plain[new.node[new.callee]]
    calls &= (base.call_count > 0) & (new.call_count > 0)
    for side in (base, new):
        nodes &= side.is_exact & side.count_is_exact
        calls &= side.call_is_exact & side.call_count_is_exact
    return nodes, calls
