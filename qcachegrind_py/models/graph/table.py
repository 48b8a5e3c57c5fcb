"""The base of the tables of nodes and calls of the call graph: a subgraph, on one side or two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import ESTIMATED, cost_column, path_count_column
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.models.graph.columns import RECORDED_GIVES_WAY, with_both_counts
from qcachegrind_py.models.graph.sides import ComparedCosts, GraphSides
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import BoolArray, Int64Array

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


class SubgraphModel(ArrayTableModel):
    """A table whose records are rows of a subgraph; subclasses say which ones."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._labels: Labels | None = None
        self.subgraph = EMPTY_SUBGRAPH
        self.format = NO_FORMAT
        self._sides: GraphSides | None = None  # costs are changes then
        super().__init__(self._columns(), parent)

    def set_subgraph(
        self,
        labels: Labels | None,
        subgraph: Subgraph,
        format_: CostFormat,
        sides: GraphSides | None = None,
    ) -> None:
        """Show a subgraph; resets the model. Costs are changes if there are two `sides`."""
        self._labels, self.subgraph, self.format = labels, subgraph, format_
        self._sides = sides
        self._reset(self._count_records())

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.set_subgraph(None, EMPTY_SUBGRAPH, NO_FORMAT)

    # ---------------------------------------------------------------- for the subclasses

    def _columns(self) -> tuple[Column, ...]:
        """Return the columns; called once."""
        raise NotImplementedError

    def _count_records(self) -> int:
        """Return how many records the subgraph has."""
        raise NotImplementedError

    def _compared(self) -> ComparedCosts | None:
        """Return the costs of the records on both sides; None if nothing is compared."""
        raise NotImplementedError

    def _exactness_of(self, column: str) -> BoolArray:
        """Return where a column that tells what is exact holds, on both sides if compared."""
        graph = self.subgraph if self._sides is None else self._sides.graph
        exact: BoolArray = getattr(graph, column)
        return exact

    def _path_count_column(
        self,
        title: str,
        counts: Callable[[], Int64Array],
        is_exact: Callable[[int], bool],
        is_active: Callable[[int], bool],
    ) -> Column:
        """Return the column of the numbers of calls on the paths through the active function."""
        column = path_count_column(
            "count",
            title,
            f"Number of calls on these paths. {ESTIMATED}",
            counts,
            is_exact,
            is_active,
            lambda: self.format,
        )
        return with_both_counts(column, self._compared)

    def _recorded_column(self, cost: str, costs: Callable[[], CostArray]) -> Column:
        """Return the column of costs on all call paths; `cost` says which in a few words."""
        return cost_column(
            "recorded",
            "Recorded",
            f"{cost} as recorded, on all call paths",
            costs,
            lambda: replace(self.format, can_exceed=True),
            gives_way=RECORDED_GIVES_WAY,
        )
