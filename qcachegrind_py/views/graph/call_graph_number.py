"""The number of a box or an arrow of the call graph, or of a row of its tables, to be explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qcachegrind_py.analysis.explanation.numbers import (
    AnyKey,
    EstimateKey,
    EstimateKind,
    Measure,
    NumberKey,
    NumberKind,
    call_key,
)
from qcachegrind_py.present.call_graph import CallGraph
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.views.pictures.diagram_canvas import DiagramCanvas
from qcachegrind_py.views.profile_view import has_cursor
from qcachegrind_py.views.tables.record_table import FunctionTable
from qcachegrind_py.views.tables.table_model import TableModel

_MEASURES = {"self": Measure.SELF, "count": Measure.COUNT}  # by columns; others have costs


@dataclass(frozen=True, slots=True)
class GraphNumbers:
    """Names the numbers of boxes, arrows and rows of a graph."""

    query: ViewQuery
    graph: CallGraph
    expanded: frozenset[NodeId]  # cycles that are shown as their members

    def current(
        self,
        canvas: DiagramCanvas,
        lists: Sequence[tuple[FunctionTable, TableModel]],
        *,
        recorded: bool,
    ) -> AnyKey | None:
        """Return the number of the table with the focus, or what is pointed at or current.

        With `recorded`, those of the picture are costs as recorded.
        """
        for (table, model), of_row in zip(lists, (self._of_node, self._of_call), strict=True):
            index, key = table.currentIndex(), table.current_key()
            if has_cursor(table) and index.isValid():
                row, measure = model.record(index), _MEASURES.get(key, Measure.COST)
                return of_row(row, measure, key == "recorded")
        if canvas.pointed.arrow >= 0:
            return self._of_call(canvas.pointed.arrow, Measure.COST, recorded)
        row = canvas.pointed.box if canvas.pointed.box >= 0 else canvas.current
        return self._of_node(row, Measure.COST, recorded) if row >= 0 else None

    def _of_node(self, row: int, measure: Measure, recorded: bool) -> AnyKey:
        """Return what of the active function's cost is in a box, or all that was recorded."""
        node = self.graph.node(row)
        if recorded:
            return NumberKey(NumberKind.INCLUSIVE, node)
        return self._estimate(EstimateKind.GRAPH_NODE, (node,), measure)

    def _of_call(self, row: int, measure: Measure, recorded: bool) -> AnyKey:
        """Return what of the active function's cost is in an arrow, or all that was recorded."""
        caller, callee = self.graph.ends(row)
        if not recorded:
            return self._estimate(EstimateKind.GRAPH_CALL, (caller, callee), measure)
        if self.graph.subgraph.is_inner[row]:
            return NumberKey(NumberKind.INNER_CALL_COST, caller, callee)
        return call_key(self.query.queries, self.query.context.scope, caller, callee)

    def _estimate(
        self, kind: EstimateKind, nodes: tuple[NodeId, ...], measure: Measure
    ) -> EstimateKey:
        path = (self.query.context.function, *nodes)
        return EstimateKey(kind, path, measure, expanded=self.expanded)
