"""The nodes of the call graph as a list, for screen readers and for copying."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QModelIndex, QObject

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.analysis.explanation.exactness import exactness_text
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import (
    ESTIMATED,
    cost_column,
    exactness_column,
    name_columns,
    path_count_column,
    with_estimate_mark,
)
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.models.graph.columns import RECORDED_GIVES_WAY, side_columns, with_both_counts
from qcachegrind_py.models.graph.sides import ComparedCosts, GraphSides
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NodeId, node_at

_NOTHING, _NEVER = np.empty(0, np.int64), np.empty(0, bool)
EMPTY_SUBGRAPH = Subgraph(
    active=-1, node=_NOTHING, cost=_NOTHING, self_cost=_NOTHING, count=_NOTHING,
    node_is_active=_NEVER, recorded_cost=_NOTHING,
    is_exact=_NEVER, cluster=_NOTHING, caller=_NOTHING, callee=_NOTHING, call_cost=_NOTHING,
    call_count=_NOTHING, call_is_active=_NEVER, recorded_call_cost=_NOTHING,
    call_is_exact=_NEVER, is_inner=_NEVER,
    omitted_incoming_cost=_NOTHING, omitted_outgoing_cost=_NOTHING, node_threshold=0,
    call_threshold=0, omitted_nodes=0,
    omitted_calls=0, max_omitted_cost=0, filtered_nodes=0,
)  # fmt: skip


class GraphNodeModel(ArrayTableModel):
    """A table with one record per node, numbered as in the subgraph."""

    (
        INCLUSIVE, SELF, BASE, NEW, GROWTH, WHY, COUNT, RECORDED, NAME, LOCATION, EXACT,
    ) = range(11)  # fmt: skip

    def __init__(self, parent: QObject | None = None) -> None:
        self._labels: Labels | None = None
        self.subgraph = EMPTY_SUBGRAPH
        self._self_is_exact, self._count_is_exact = _NEVER, _NEVER
        self.format = NO_FORMAT
        self._sides: GraphSides | None = None  # costs are changes then
        super().__init__(
            (
                *self._cost_columns(),
                *side_columns(self._compared),
                self._count_column(),
                cost_column(
                    "recorded",
                    "Recorded",
                    "Inclusive cost as recorded, on all call paths",
                    self._recorded,
                    lambda: replace(self.format, can_exceed=True),
                    gives_way=RECORDED_GIVES_WAY,
                ),
                *name_columns("Function", lambda: self._labels, lambda: self.subgraph.node),
                exactness_column(
                    lambda: self.record_count,
                    self._is_exact,
                    self._is_self_exact,
                    self._is_count_exact,
                ),
            ),
            parent,
        )

    def _cost_columns(self) -> tuple[Column, Column]:
        inclusive = cost_column(
            "inclusive",
            "Incl.",
            f"Part of the active function's cost that passed through here. {ESTIMATED}",
            self._costs,
            lambda: self.format,
        )
        self_cost = cost_column(
            "self",
            "Self",
            f"Self cost, in proportion to the calls on these paths. {ESTIMATED}",
            self._self_costs,
            lambda: self.format,
        )
        return with_estimate_mark(inclusive, self._is_exact), with_estimate_mark(
            self_cost, self._is_self_exact
        )

    def _count_column(self) -> Column:
        column = path_count_column(
            "count",
            "Called",
            f"Number of calls on these paths. {ESTIMATED}",
            lambda: self.subgraph.count,
            self._is_count_exact,
            lambda r: bool(self.subgraph.node_is_active[r]),
            lambda: self.format,
        )
        return with_both_counts(column, self._compared)

    def _compared(self) -> ComparedCosts | None:
        return None if self._sides is None else self._sides.nodes

    def _costs(self) -> CostArray:
        return self.subgraph.cost if self._sides is None else self._sides.nodes.change

    def _self_costs(self) -> CostArray:
        return self.subgraph.self_cost if self._sides is None else self._sides.self_change

    def _recorded(self) -> CostArray:
        sides = self._sides
        return self.subgraph.recorded_cost if sides is None else sides.recorded_nodes.change

    def set_nodes(
        self,
        labels: Labels | None,
        subgraph: Subgraph,
        format_: CostFormat,
        sides: GraphSides | None = None,
    ) -> None:
        """Show these nodes; resets the model. Costs are changes if there are two `sides`."""
        self._labels, self.subgraph, self.format = labels, subgraph, format_
        self._sides = sides
        graph = subgraph if sides is None else sides.graph
        self._self_is_exact, self._count_is_exact = graph.self_is_exact, graph.count_is_exact
        self._reset(len(subgraph.node))

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.set_nodes(None, EMPTY_SUBGRAPH, NO_FORMAT)

    def mark_of(self, record: int) -> str:
        """Return the word that marks a function in a comparison."""
        return "" if self._sides is None else self._sides.mark(self.function_of(record))

    def function_of(self, record: int) -> NodeId:
        """Return the function or cycle of the node."""
        return node_at(self.subgraph.node, record)

    def index_of_function(self, function: NodeId) -> QModelIndex:
        """Return the index of the function's row; an invalid index if it has none."""
        nodes = np.flatnonzero(self.subgraph.node == function)
        return self.index_of_record(int(nodes[0])) if len(nodes) else QModelIndex()

    def tip_of(self, record: int) -> str:
        """Return full name and location, and whether the cost is exact."""
        if self._labels is None:
            return ""
        return tip_text(
            *self._labels.details(self.function_of(record)), exactness_text(self._is_exact(record))
        )

    def _is_exact(self, record: int) -> bool:
        return bool(self.subgraph.is_exact[record])

    def _is_self_exact(self, record: int) -> bool:
        return bool(self._self_is_exact[record])

    def _is_count_exact(self, record: int) -> bool:
        return bool(self._count_is_exact[record])
