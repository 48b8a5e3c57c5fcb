"""The nodes of the call graph as a list, for screen readers and for copying."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex

from qcachegrind_py.analysis.explanation.numbers import exactness_text
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import (
    ESTIMATED,
    cost_column,
    exactness_column,
    name_columns,
    with_estimate_mark,
)
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.graph.columns import side_columns
from qcachegrind_py.models.graph.sides import ComparedCosts
from qcachegrind_py.models.graph.table import SubgraphModel
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NodeId, node_at


class GraphNodeModel(SubgraphModel):
    """A table with one record per node, numbered as in the subgraph."""

    (
        INCLUSIVE, SELF, BASE, NEW, GROWTH, WHY, COUNT, RECORDED, NAME, LOCATION, EXACT,
    ) = range(11)  # fmt: skip

    def _columns(self) -> tuple[Column, ...]:
        return (
            *self._cost_columns(),
            *side_columns(self._compared),
            self._path_count_column(
                "Called",
                lambda: self.subgraph.count,
                self._is_count_exact,
                lambda r: bool(self.subgraph.node_is_active[r]),
            ),
            self._recorded_column("Inclusive cost", self._recorded),
            *name_columns("Function", lambda: self._labels, lambda: self.subgraph.node),
            exactness_column(
                lambda: self.record_count,
                self._is_exact,
                self._is_self_exact,
                self._is_count_exact,
            ),
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

    def _compared(self) -> ComparedCosts | None:
        return None if self._sides is None else self._sides.nodes

    def _costs(self) -> CostArray:
        return self.subgraph.cost if self._sides is None else self._sides.nodes.change

    def _self_costs(self) -> CostArray:
        return self.subgraph.self_cost if self._sides is None else self._sides.self_change

    def _recorded(self) -> CostArray:
        sides = self._sides
        return self.subgraph.recorded_cost if sides is None else sides.recorded_nodes.change

    def _count_records(self) -> int:
        return len(self.subgraph.node)

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
        return bool(self._exactness_of("self_is_exact")[record])

    def _is_count_exact(self, record: int) -> bool:
        return bool(self._exactness_of("count_is_exact")[record])
