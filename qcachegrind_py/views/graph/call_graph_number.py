"""The number of a box or an arrow of the call graph, or of a row of its tables, to be explained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.analysis.explanation.numbers import (
    AnyKey,
    EstimateKey,
    EstimateKind,
    Measure,
    NumberKey,
    NumberKind,
    NumberRequest,
    call_key,
)
from qcachegrind_py.models.graph.calls import GraphCallModel
from qcachegrind_py.models.graph.nodes import GraphNodeModel
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.views.common.numbers.request import (
    has_cursor,
    number_request,
    parent_of_calls,
)
from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.graph.call_graph_canvas import CallGraphCanvas
from qcachegrind_py.views.graph.call_graph_scene import GraphPicture

_NODE_MEASURES = {GraphNodeModel.SELF: Measure.SELF, GraphNodeModel.COUNT: Measure.COUNT}


class _Graph(Protocol):
    """The view of the call graph, with a table of functions and one of calls."""

    canvas: CallGraphCanvas
    node_model: GraphNodeModel
    call_model: GraphCallModel
    tables: Sequence[FunctionTable]

    @property
    def expanded_cycles(self) -> frozenset[NodeId]: ...


def graph_number(query: ViewQuery, graph: _Graph, picture: GraphPicture) -> NumberRequest | None:
    """Return the number that is pointed at or current; None without one."""
    numbers = _GraphNumbers(query, picture, graph.expanded_cycles)
    key = _of_tables(numbers, graph) or _of_picture(numbers, graph.canvas)
    parent = parent_of_calls(query, query.context.function)
    return None if key is None else number_request(query, key, parent=parent)


def _of_tables(numbers: _GraphNumbers, graph: _Graph) -> AnyKey | None:
    """Return the number of the table that has the keyboard focus."""
    nodes, calls = graph.tables
    if has_cursor(nodes) and nodes.currentIndex().isValid():
        index = nodes.currentIndex()
        recorded = index.column() == GraphNodeModel.RECORDED
        measure = _NODE_MEASURES.get(index.column(), Measure.COST)
        return numbers.of_node(graph.node_model.record(index), measure, recorded=recorded)
    if has_cursor(calls) and calls.currentIndex().isValid():
        index = calls.currentIndex()
        recorded = index.column() == GraphCallModel.RECORDED
        measure = Measure.COUNT if index.column() == GraphCallModel.COUNT else Measure.COST
        return numbers.of_call(graph.call_model.record(index), measure, recorded=recorded)
    return None


def _of_picture(numbers: _GraphNumbers, canvas: CallGraphCanvas) -> AnyKey | None:
    pointed, recorded = canvas.pointed, numbers.picture.style.shows_recorded_costs
    if pointed.arrow >= 0:
        return numbers.of_call(pointed.arrow, Measure.COST, recorded=recorded)
    row = pointed.box if pointed.box >= 0 else canvas.current
    return numbers.of_node(row, Measure.COST, recorded=recorded) if row >= 0 else None


class _GraphNumbers:
    """Names the numbers of rows of a graph."""

    def __init__(
        self, query: ViewQuery, picture: GraphPicture, expanded: frozenset[NodeId]
    ) -> None:
        self._query, self.picture, self._expanded = query, picture, expanded
        self._graph: Subgraph = picture.subgraph

    def of_node(self, row: int, measure: Measure, *, recorded: bool) -> AnyKey:
        """Return what of the active function's cost is in a box, or all that was recorded."""
        node = node_at(self._graph.node, row)
        if recorded:
            return NumberKey(NumberKind.INCLUSIVE, node)
        return self._estimate(EstimateKind.GRAPH_NODE, (node,), measure)

    def of_call(self, row: int, measure: Measure, *, recorded: bool) -> AnyKey:
        """Return what of the active function's cost is in an arrow, or all that was recorded."""
        ends = self._graph.caller[row], self._graph.callee[row]
        caller, callee = (node_at(self._graph.node, int(end)) for end in ends)
        if not recorded:
            return self._estimate(EstimateKind.GRAPH_CALL, (caller, callee), measure)
        if self._graph.is_inner[row]:
            return NumberKey(NumberKind.INNER_CALL_COST, caller, callee)
        return call_key(self._query.queries, self._query.context.scope, caller, callee)

    def _estimate(
        self, kind: EstimateKind, nodes: tuple[NodeId, ...], measure: Measure
    ) -> EstimateKey:
        path = (self._query.context.function, *nodes)
        return EstimateKey(kind, path, measure, expanded=self._expanded)
