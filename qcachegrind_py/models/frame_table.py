"""The boxes of call maps and flame graphs as a list, for screen readers and for copying.

There are up to 20,000: texts are made for the rows that are seen, keys for the column that sorts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QModelIndex, QObject

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.costs.estimates import rounded_like
from qcachegrind_py.analysis.names.function_names import ranks
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.base.columns import (
    ESTIMATED,
    cost_column,
    count_column,
    exactness_column,
    location_column,
    name_column,
    with_estimate_mark,
)
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.exactness_text import exactness_text
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel, Column
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at, node_ids
from qcachegrind_py.profile.tables import BoolArray, Int64Array

WHOLE_PROGRAM = "Whole program"  # the box around several top functions
_NOTHING, _NEVER, _NOWHERE = np.empty(0, np.int64), np.empty(0, bool), np.empty(0)
NO_FRAMES = FrameTree(
    node=_NOTHING, parent=_NOTHING, depth=_NOTHING, cost=_NOTHING, start=_NOWHERE,
    width=_NOWHERE, first_child=_NOTHING, child_count=_NOTHING, is_exact=_NEVER,
    is_recursion=_NEVER,
    min_width=0, omitted_calls=0, filtered_calls=0,
)  # fmt: skip


class FrameModel(ArrayTableModel):
    """A record a box, of the same number as in the nesting."""

    COST, SELF, DEPTH, NAME, PARENT, LOCATION, EXACT = range(7)

    def __init__(self, parent: QObject | None = None) -> None:
        self._labels: Labels | None = None
        self.tree = NO_FRAMES
        self._self_cost, self._self_is_exact = self_costs(NO_FRAMES)
        self.format = NO_FORMAT
        proof = exactness_column(lambda: self.record_count, self._is_exact, self._is_self_exact)
        super().__init__((*self._number_columns(), *self._name_columns(), proof), parent)

    def _number_columns(self) -> tuple[Column, Column, Column]:
        cost = cost_column(
            "Cost",
            f"Cost of the box, with all boxes inside. {ESTIMATED}",
            lambda: self.tree.cost,
            lambda: self.format,
        )
        rest_ = cost_column(
            "Rest",
            "What no box inside accounts for: its self cost, and calls that have no box. "
            + ESTIMATED,
            lambda: self._self_cost,
            lambda: self.format,
        )
        depth = count_column(
            "Depth",
            "In how many boxes it is",
            lambda: self.tree.depth,
            lambda count: self.format.count_text(count),
        )
        return (
            with_estimate_mark(cost, self._is_exact),
            with_estimate_mark(rest_, self._is_self_exact),
            depth,
        )

    def _name_columns(self) -> tuple[Column, Column, Column]:
        name = name_column(
            "Function",
            lambda r: self._name(self.function_of(r)),
            lambda: self._ranks(
                self._full_name
            ),  # as in the list of functions: short ones take long
            lambda r: self._full_name(self.function_of(r)),
        )
        inside = name_column(
            "Inside",
            lambda r: self._parent_name(r, self._name),
            self._parent_ranks,
            lambda r: self._parent_name(r, self._full_name),
        )
        location = location_column(
            lambda r: self._location(self.function_of(r)), lambda: self._ranks(self._location)
        )
        return name, replace(inside, tip="The box around it", stretches=False, width=24), location

    def set_frames(self, labels: Labels | None, tree: FrameTree, format_: CostFormat) -> None:
        """Show these. Resets the model."""
        self._labels, self.tree, self.format = labels, tree, format_
        self._self_cost, self._self_is_exact = self_costs(tree)
        self._reset(len(tree))

    def set_style(self, labels: Labels, format_: CostFormat) -> None:
        """Write the same boxes otherwise. Rows keep their indexes, and are sorted anew."""
        self._labels, self.format = labels, format_
        self._costs_changed()

    def clear(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        self.set_frames(None, NO_FRAMES, NO_FORMAT)

    def function_of(self, record: int) -> NodeId:
        """The function or cycle of the box; `NO_NODE` for the box around several."""
        return node_at(self.tree.node, record)

    def index_of_function(self, function: NodeId) -> QModelIndex:
        """The first row about the function; an invalid index where there is none."""
        rows = np.flatnonzero(self.tree.node[self.order] == function)
        return self.index_of_record(int(self.order[rows[0]])) if len(rows) else QModelIndex()

    def tip_of(self, record: int) -> str:
        """Name and place in full, what it is in, and whether the cost is exact."""
        if self._labels is None:
            return ""
        node, around = self.function_of(record), self._parent_name(record, self._full_name)
        lines = self._labels.details(node) if node != NO_NODE else [WHOLE_PROGRAM]
        lines += [f"Inside {around}"] if around else []
        return tip_text(*lines, exactness_text(self._is_exact(record)))

    def _is_exact(self, record: int) -> bool:
        return bool(self.tree.is_exact[record])

    def _is_self_exact(self, record: int) -> bool:
        return bool(self._self_is_exact[record])

    # ---------------------------------------------------------------- names

    def _name(self, node: NodeId) -> str:
        return self._labels.name(node) if self._labels and node != NO_NODE else WHOLE_PROGRAM

    def _full_name(self, node: NodeId) -> str:
        return self._labels.full_name(node) if self._labels and node != NO_NODE else WHOLE_PROGRAM

    def _location(self, node: NodeId) -> str:
        return self._labels.location(node) if self._labels and node != NO_NODE else ""

    def _parent_name(self, record: int, name: Callable[[NodeId], str]) -> str:
        """The name of the box around a box; of box 0, nothing."""
        parent = int(self.tree.parent[record])
        return name(self.function_of(parent)) if parent >= 0 else ""

    def _parent_ranks(self) -> Int64Array:
        parent = self.tree.parent
        return np.where(parent >= 0, self._ranks(self._full_name)[parent], -1)

    def _ranks(self, text: Callable[[NodeId], str]) -> Int64Array:
        """The place of each box in order of such texts; each function's is made once."""
        nodes, place = np.unique(self.tree.node, return_inverse=True)
        return ranks([text(node).lower() for node in node_ids(nodes)])[place]


def self_costs(tree: FrameTree) -> tuple[CostArray, BoolArray]:
    """What no box inside accounts for, of each box; and whether that is proven.

    It is, where the box and all in it are. Where it is not, or where odd files have calls that cost
    more than their caller, it is what is seen in the picture, rounded.
    """
    above = tree.parent[1:]
    inside, is_exact = np.zeros_like(tree.cost), tree.is_exact.copy()
    np.add.at(inside, above, tree.cost[1:])
    np.logical_and.at(is_exact, above, tree.is_exact[1:])
    costs = tree.cost - inside
    is_exact &= (costs >= 0).astype(bool)
    return np.where(is_exact, costs, rounded_like(tree.self_width)), is_exact
