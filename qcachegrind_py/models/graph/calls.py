"""The calls of the call graph as a list, for screen readers and for copying."""

from __future__ import annotations

from dataclasses import replace

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
from qcachegrind_py.profile.tables import Int64Array

# for a row or an arrow between members of an expanded cycle
INNER_CALL = "A call inside a cycle; its cost is counted where the cycle is entered."


class GraphCallModel(SubgraphModel):
    """A table with one record per call, numbered as in the subgraph; its function is the callee."""

    COST, BASE, NEW, GROWTH, WHY, COUNT, RECORDED, CALLER, CALLEE, EXACT = range(10)

    def _columns(self) -> tuple[Column, ...]:
        cost = cost_column(
            "cost",
            "Incl.",
            f"Part of the active function's cost that passed along the call. {ESTIMATED}",
            self._costs,
            lambda: self.format,
        )
        return (
            with_estimate_mark(cost, self._is_exact),
            *side_columns(self._compared),
            self._path_count_column(
                "Calls",
                lambda: self.subgraph.call_count,
                self._is_count_exact,
                lambda r: bool(self.subgraph.call_is_active[r]),
            ),
            self._recorded_column("Cost of the call", self._recorded),
            *self._name_columns(),
            exactness_column(lambda: self.record_count, self._is_exact, self._is_count_exact),
        )

    def _name_columns(self) -> tuple[Column, Column]:
        caller, _ = name_columns("Caller", lambda: self._labels, lambda: self._callers)
        callee, _ = name_columns("Callee", lambda: self._labels, lambda: self._callees)
        caller = replace(caller, key="caller", stretches=False, width=24)
        return caller, replace(callee, key="callee")  # one takes the remaining width

    def _compared(self) -> ComparedCosts | None:
        return None if self._sides is None else self._sides.calls

    def _costs(self) -> CostArray:
        return self.subgraph.call_cost if self._sides is None else self._sides.calls.change

    def _recorded(self) -> CostArray:
        sides = self._sides
        return self.subgraph.recorded_call_cost if sides is None else sides.recorded_calls.change

    def _count_records(self) -> int:
        return len(self.subgraph.caller)

    def function_of(self, record: int) -> NodeId:
        """Return the called function or cycle."""
        return node_at(self.subgraph.node, self.subgraph.callee[record])

    def index_of_function(self, function: NodeId) -> QModelIndex:
        """Return the index of the first call to the function; an invalid index if there is none."""
        rows = np.flatnonzero(self._callees[self.order] == function)
        return self.index_of_record(int(self.order[rows[0]])) if len(rows) else QModelIndex()

    def tip_of(self, record: int) -> str:
        """Return both full names, and whether the cost is exact."""
        if self._labels is None:
            return ""
        ends = node_at(self._callers, record), node_at(self._callees, record)
        caller, callee = (self._labels.full_name(node) for node in ends)
        inner = [INNER_CALL] if self.subgraph.is_inner[record] else []
        return tip_text(caller, f"→ {callee}", exactness_text(self._is_exact(record)), *inner)

    @property
    def _callers(self) -> Int64Array:
        return self.subgraph.node[self.subgraph.caller]

    @property
    def _callees(self) -> Int64Array:
        return self.subgraph.node[self.subgraph.callee]

    def _is_exact(self, record: int) -> bool:
        return bool(self.subgraph.call_is_exact[record])

    def _is_count_exact(self, record: int) -> bool:
        return bool(self._exactness_of("call_count_is_exact")[record])
