"""The nodes of the call graph as a list, for screen readers and for copying."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex, QObject

from qcachegrind_py.analysis.labels import Labels
from qcachegrind_py.analysis.surroundings import Surroundings
from qcachegrind_py.models.columns import (
    ESTIMATED,
    cost_column,
    marked,
    name_columns,
    way_count_column,
)
from qcachegrind_py.models.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.plain_text import tip_text
from qcachegrind_py.models.table import ArrayTableModel, Column
from qcachegrind_py.profile.tables import BoolArray

_NOTHING, _NEVER = np.empty(0, np.int64), np.empty(0, bool)
NO_SURROUNDINGS = Surroundings(
    active=-1, entry=_NOTHING, cost=_NOTHING, self_cost=_NOTHING, count=_NOTHING, whole=_NOTHING,
    is_exact=_NEVER, cluster=_NOTHING, caller=_NOTHING, callee=_NOTHING, call_cost=_NOTHING,
    call_count=_NOTHING, call_whole=_NOTHING, call_is_exact=_NEVER, is_inner=_NEVER,
    skipped_in=_NOTHING, skipped_out=_NOTHING, least_node=0, least_call=0, nodes_left_out=0,
    calls_left_out=0, cost_left_out=0, hidden=0,
)  # fmt: skip


class GraphNodeModel(ArrayTableModel):
    """A record a node, of the same number as in the surroundings."""

    INCLUSIVE, SELF, COUNT, RECORDED, NAME, LOCATION = range(6)

    def __init__(self, parent: QObject | None = None) -> None:
        self._labels: Labels | None = None
        self.surroundings = NO_SURROUNDINGS
        self._is_count_exact = counts_are_exact(NO_SURROUNDINGS)
        self.format = NO_FORMAT
        super().__init__(
            (
                *self._cost_columns(),
                way_count_column(
                    "Count",
                    f"How often it was called on the way. {ESTIMATED}",
                    lambda: self.surroundings.count,
                    lambda r: bool(self._is_count_exact[r]),
                    lambda: self.format,
                ),
                cost_column(
                    "Recorded",
                    "Inclusive cost as recorded, on whatever ways of calls",
                    lambda: self.surroundings.whole,
                    lambda: self.format,
                ),
                *name_columns("Function", lambda: self._labels, lambda: self.surroundings.entry),
            ),
            parent,
        )

    def _cost_columns(self) -> tuple[Column, Column]:
        inclusive = cost_column(
            "Incl.",
            f"Cost of the active function that passed here. {ESTIMATED}",
            lambda: self.surroundings.cost,
            lambda: self.format,
        )
        own = cost_column(
            "Self",
            f"Its self cost, in proportion to what passed here. {ESTIMATED}",
            lambda: self.surroundings.self_cost,
            lambda: self.format,
        )
        return marked(inclusive, self._is_exact), marked(own, self._is_self_exact)

    def set_nodes(
        self, labels: Labels | None, surroundings: Surroundings, format_: CostFormat
    ) -> None:
        """Show these. Resets the model."""
        self._labels, self.surroundings, self.format = labels, surroundings, format_
        self._is_count_exact = counts_are_exact(surroundings)
        self._reset(len(surroundings.entry))

    def clear(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        self.set_nodes(None, NO_SURROUNDINGS, NO_FORMAT)

    def function_of(self, record: int) -> int:
        """The function or cycle of the node."""
        return int(self.surroundings.entry[record])

    def index_of_function(self, function: int) -> QModelIndex:
        """Where the function is shown; an invalid index where it is not."""
        nodes = np.flatnonzero(self.surroundings.entry == function)
        return self.index_of_record(int(nodes[0])) if len(nodes) else QModelIndex()

    def tip_of(self, record: int) -> str:
        """Name and place in full, and whether the cost is exact."""
        if self._labels is None:
            return ""
        exact = "exact" if self._is_exact(record) else "an estimate: see the titles"
        return tip_text(*self._labels.details(self.function_of(record)), f"The cost is {exact}.")

    def _is_exact(self, record: int) -> bool:
        return bool(self.surroundings.is_exact[record])

    def _is_self_exact(self, record: int) -> bool:
        """Only where all that the function cost passed here."""
        around = self.surroundings
        return self._is_exact(record) and bool(around.cost[record] == around.whole[record])


def counts_are_exact(around: Surroundings) -> BoolArray:
    """Whether the count of each node is proven; its cost may be where this is not.

    It is where all that the node cost passed here, or all that the calls cost which it counts: on
    the way down those to the node, on the way up those by it.
    """
    whole = around.call_is_exact & (around.call_cost == around.call_whole)
    exact: BoolArray = around.is_exact & (around.cost == around.whole)
    ends = (around.callee, around.skipped_in), (around.caller, around.skipped_out)
    for end, skipped in ends:
        counted = np.zeros_like(around.count)
        np.add.at(counted, end[whole], around.call_count[whole])
        exact |= (counted == around.count) & (skipped == 0)
    return exact
