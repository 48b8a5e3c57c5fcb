"""The call graph around a function: its figures and its two tables.

Costs are those of call paths through the active function, or costs as recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.calls.subgraph import Subgraph, SubgraphLimits
from qcachegrind_py.analysis.costs.function_costs import CallEdges
from qcachegrind_py.analysis.explanation.numbers import exactness_text
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import Counts, Figures, Reasons
from qcachegrind_py.present.no_figures import NO_COUNTS, NO_FIGURES, NO_NUMBERS, NO_REASONS
from qcachegrind_py.present.table import (
    ACTIVE_TIP,
    ESTIMATED,
    Column,
    NameCells,
    PathCountCells,
    Table,
    cost_column,
    exactness_column,
    name_columns,
    reason_column,
    side_columns,
)
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.profile.tables import BoolArray, Int64Array

# for a row or an arrow between members of an expanded cycle
INNER_CALL = "A call inside a cycle; its cost is counted where the cycle is entered."


# -------------------------------------------------------------------- figures


@frozen
class FlowFigures:
    """The numbers of nodes, or of calls, shape (rows,) each."""

    on_paths: Figures = NO_FIGURES  # through the active function
    recorded: Figures = NO_FIGURES
    counts: Counts = NO_COUNTS  # of calls on these paths
    reasons: Reasons = NO_REASONS
    recorded_reasons: Reasons = NO_REASONS


@frozen
class CallGraph:
    """What is drawn of the calls around a function or cycle; in a comparison, of both sides."""

    subgraph: Subgraph  # in a comparison, the larger number of both sides
    labels: Labels
    active: NodeId
    nodes: FlowFigures
    calls: FlowFigures
    self_cost: Figures  # of nodes
    omitted: tuple[tuple[str, Figures], ...]  # costs of calls that are not drawn, of each node
    mark: Callable[[NodeId], str]  # the word that marks a function in lists, such as "moved"
    recording_advice: str = ""  # command that records exact costs; empty if there is none

    @property
    def unit(self) -> Unit:
        return self.nodes.on_paths.unit

    @property
    def is_compared(self) -> bool:
        return self.nodes.on_paths.is_compared

    def node(self, row: int) -> NodeId:
        return node_at(self.subgraph.node, row)

    def ends(self, call: int) -> tuple[NodeId, NodeId]:
        subgraph = self.subgraph
        return self.node(int(subgraph.caller[call])), self.node(int(subgraph.callee[call]))


_OMITTED = (("calls to it", "omitted_incoming_cost"), ("its calls", "omitted_outgoing_cost"))


def call_graph(
    query: ViewQuery, event: EventType, limits: SubgraphLimits, recording_advice: str
) -> CallGraph:
    """Return the calls around the active function, in a comparison of both sides."""
    context, queries = query.context, query.queries
    scopes = [scope for scope in (context.base, context.scope) if scope is not None]
    subgraph = queries.subgraph(context.function, event, scopes, limits, query.visible_nodes())
    unit, known = query.call_unit(event, context.function), [(True, True), (True, True)]
    if context.base is not None:
        totals = [queries.total(event, scope.parts).base for scope in scopes]
        unit = replace(query.unit(event), bar_total=max(totals))
        sides = zip(query.known(event), map(queries.call_edges, scopes), strict=True)
        # whether a side has costs, and whether these come with counts
        known = [(has_event and _have_calls(edges), edges.has_counts) for has_event, edges in sides]
    has_costs = known[0][0], known[1][0]
    has_counts = all(known[0]), all(known[1])

    samples = query.sampling(event)

    def costs(column: str, is_exact: BoolArray | None = None) -> Figures:
        base, new = (getattr(side, column) for side in subgraph.sides)
        is_estimate = None if is_exact is None else ~is_exact
        return Figures(unit, new, base, has_costs, is_estimate, sampling=samples)

    def counts(column: str, active_column: str, is_exact: BoolArray) -> Counts:
        base, new = (getattr(side, column) for side in subgraph.sides)
        before, now = (getattr(side, active_column) for side in subgraph.sides)
        return Counts(new, base, unit.style, has_counts, (before, now), ~is_exact)

    def flow(
        on_paths: Figures, recorded: Figures, counts: Counts, *splits: BoolArray
    ) -> FlowFigures:
        reasons, recorded_reasons = (
            Reasons(figures, counts, split)
            for figures, split in zip((on_paths, recorded), splits, strict=True)
        )
        recorded = replace(recorded, unit=on_paths.unit)
        return FlowFigures(on_paths, recorded, counts, reasons, recorded_reasons)

    nodes = flow(
        costs("cost", subgraph.is_exact).with_longest_bar(),
        costs("recorded_cost"),
        counts("count", "node_is_active", subgraph.count_is_exact),
        subgraph.is_split,
        np.zeros(len(subgraph.node), bool),  # the costs are those of other calls, too
    )
    calls = flow(
        costs("call_cost", subgraph.call_is_exact).with_longest_bar(),
        costs("recorded_call_cost"),
        counts("call_count", "call_is_active", subgraph.call_count_is_exact),
        subgraph.call_is_split,
        subgraph.call_is_split,
    )
    self_cost = replace(costs("self_cost", subgraph.self_is_exact), unit=nodes.on_paths.unit)
    omitted = tuple((what, costs(column)) for what, column in _OMITTED)
    return CallGraph(
        subgraph, query.labels(), context.function, nodes, calls, self_cost, omitted, query.mark,
        recording_advice,
    )  # fmt: skip


def _have_calls(edges: CallEdges) -> bool:
    return len(edges) > 0 if edges.occurs is None else bool(edges.occurs.any())


# -------------------------------------------------------------------- tables


def node_table(graph: CallGraph) -> Table:
    """Return the table of functions and cycles, with a row for each box."""
    labels, flow, nodes = graph.labels, graph.nodes, graph.subgraph.node

    def tip(row: int) -> tuple[str, ...]:
        is_exact = not flow.on_paths.is_estimated(row)
        return *labels.details(graph.node(row)), exactness_text(is_exact)

    columns = _node_columns(flow, graph.self_cost, labels, nodes)
    return Table(columns, len(nodes), nodes, tip, lambda row: graph.mark(graph.node(row)))


def _node_columns(
    flow: FlowFigures, self_cost: Figures, labels: Labels | None, nodes: Int64Array
) -> tuple[Column, ...]:
    inclusive_tip = f"Part of the active function's cost that passed through here. {ESTIMATED}"
    self_tip = f"Self cost, in proportion to the calls on these paths. {ESTIMATED}"
    return (
        cost_column("inclusive", "Incl.", inclusive_tip, flow.on_paths),
        cost_column("self", "Self", self_tip, self_cost),
        *_side_columns(flow),
        _count_column(flow.counts),
        _recorded_column("Inclusive cost", flow.recorded),
        *name_columns("Function", labels, nodes),
        exactness_column(flow.on_paths.is_estimate, self_cost.is_estimate, flow.counts.is_estimate),
    )


def call_table(graph: CallGraph) -> Table:
    """Return the table of calls, with a row for each arrow, which is about the callee."""
    subgraph, labels, flow = graph.subgraph, graph.labels, graph.calls

    def tip(row: int) -> tuple[str, ...]:
        caller, callee = (labels.full_name(node) for node in graph.ends(row))
        inner = (INNER_CALL,) if subgraph.is_inner[row] else ()
        is_exact = not flow.on_paths.is_estimated(row)
        return caller, f"→ {callee}", exactness_text(is_exact), *inner

    callers, callees = subgraph.node[subgraph.caller], subgraph.node[subgraph.callee]
    return Table(_call_columns(flow, labels, callers, callees), len(callees), callees, tip)


def _call_columns(
    flow: FlowFigures, labels: Labels | None, callers: Int64Array, callees: Int64Array
) -> tuple[Column, ...]:
    cost_tip = f"Part of the active function's cost that passed along the call. {ESTIMATED}"
    return (
        cost_column("cost", "Incl.", cost_tip, flow.on_paths),
        *_side_columns(flow),
        _count_column(flow.counts),
        _recorded_column("Cost of the call", flow.recorded),
        Column("caller", "Caller", "Name", NameCells(labels, callers), width=24),
        Column("callee", "Callee", "Name", NameCells(labels, callees), stretches=True),
        exactness_column(flow.on_paths.is_estimate, flow.counts.is_estimate),
    )


def _side_columns(flow: FlowFigures) -> tuple[Column, ...]:
    """Return the columns Base, New, Growth and Why, which give way before the recorded costs."""
    base, new, growth = side_columns(flow.on_paths, "Inclusive cost")
    return (
        replace(base, gives_way=6),
        replace(new, gives_way=7),
        replace(growth, gives_way=5),
        replace(reason_column(flow.reasons), gives_way=4),
    )


def _count_column(counts: Counts) -> Column:
    tip = f"Number of calls on these paths. {ESTIMATED}. {ACTIVE_TIP}"
    return Column("count", "Calls", tip, PathCountCells(counts), gives_way=2)


def _recorded_column(cost: str, recorded: Figures) -> Column:
    """Return the column of costs on all call paths; `cost` says which in a few words."""
    figures = replace(recorded, unit=replace(recorded.unit, can_exceed=True))
    tip = f"{cost} as recorded, on all call paths"
    return cost_column("recorded", "Recorded", tip, figures, gives_way=3)


_NO_FLOW = FlowFigures()
NO_GRAPH_NODES = Table(_node_columns(_NO_FLOW, NO_FIGURES, None, NO_NUMBERS), nodes=NO_NUMBERS)
NO_GRAPH_CALLS = Table(_call_columns(_NO_FLOW, None, NO_NUMBERS, NO_NUMBERS), nodes=NO_NUMBERS)
