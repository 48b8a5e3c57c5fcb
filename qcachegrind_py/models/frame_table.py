"""The frames of call maps and flame graphs as a list, for screen readers and for copying.

There may be 20,000: texts are created for visible rows only, sort keys for the sorted column only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QModelIndex, QObject

from qcachegrind_py.analysis.calls.frame_tree import FrameSides, FrameTree
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.analysis.costs.sums import rounded_like
from qcachegrind_py.analysis.explanation.numbers import exactness_text
from qcachegrind_py.analysis.names.function_names import Labels, ranks
from qcachegrind_py.models.base.column import Column, InComparison
from qcachegrind_py.models.base.columns import (
    ESTIMATED,
    cost_column,
    count_column,
    exactness_column,
    location_column,
    name_column,
    path_count_column,
    with_estimate_mark,
)
from qcachegrind_py.models.base.comparison_columns import ComparedRows, side_columns
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NodeId, node_at, node_ids
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_NOTHING, _NEVER, _NOWHERE = np.empty(0, np.int64), np.empty(0, bool), np.empty(0)
NO_FRAMES = FrameTree(
    node=_NOTHING, parent=_NOTHING, depth=_NOTHING, cost=_NOTHING, start=_NOWHERE,
    width=_NOWHERE, first_child=_NOTHING, child_count=_NOTHING, is_exact=_NEVER,
    is_recursion=_NEVER, calls=_NOTHING, has_exact_calls=_NEVER,
    min_width=0, omitted_calls=0, filtered_calls=0, omitted_cost=0, filtered_cost=0,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ComparedFormats:
    """The formats of a comparison beside that of the new side, and the changes in its unit."""

    base_format: CostFormat
    change_format: CostFormat
    changes: Callable[[BothSides], CostArray]


class FrameModel(ArrayTableModel):
    """A table with one record per frame, numbered as in the frame tree."""

    COST, SELF, BASE, NEW, GROWTH, CALLED, DEPTH, NAME, PARENT, LOCATION, EXACT = range(11)

    def __init__(self, parent: QObject | None = None) -> None:
        self._labels: Labels | None = None
        self.tree = NO_FRAMES
        self._cost = NO_FRAMES.cost
        self._self_cost, self._self_is_exact = self_costs(NO_FRAMES)
        self.format = self._cost_format = NO_FORMAT
        self._compared: ComparedRows | None = None
        exactness = exactness_column(lambda: self.record_count, self._is_exact, self._is_self_exact)
        super().__init__((*self._number_columns(), *self._name_columns(), exactness), parent)

    def _number_columns(self) -> tuple[Column, ...]:
        cost = cost_column(
            "cost",
            "Incl.",
            f"Inclusive cost of the box. {ESTIMATED}",
            lambda: self._cost,
            lambda: self._cost_format,
        )
        rest = cost_column(
            "self",
            "Self",
            "Cost not covered by nested boxes: self cost and calls without a box. " + ESTIMATED,
            lambda: self._self_cost,
            lambda: self._cost_format,
        )
        depth = count_column(
            "depth",
            "Depth",
            "Number of enclosing boxes",
            lambda: self.tree.depth,
            lambda count: self.format.count_text(count),
        )
        return (
            with_estimate_mark(cost, self._is_exact),
            with_estimate_mark(rest, self._is_self_exact),
            *self._comparison_columns(),
            depth,
        )

    def _comparison_columns(self) -> tuple[Column, ...]:
        """Return the columns of both sides, which are there while profiles are compared."""
        base, new, growth = side_columns(lambda: self._compared, "Inclusive cost")
        called = path_count_column(
            "called",
            "Calls",
            "Number of calls that the box stands for",
            lambda: self.tree.calls,
            lambda r: bool(self.tree.has_exact_calls[r]),
            lambda _r: False,
            lambda: self.format,
            lambda: self._compared,
        )
        called = replace(called, is_optional=True, in_comparison=InComparison.SHOWN)
        return (
            with_estimate_mark(base, lambda r: self._is_side_exact(r, is_base=True)),
            with_estimate_mark(new, lambda r: self._is_side_exact(r, is_base=False)),
            with_estimate_mark(growth, self._is_exact),
            called,
        )

    def _name_columns(self) -> tuple[Column, Column, Column]:
        name = name_column(
            "name",
            "Function",
            lambda r: self._name(self.function_of(r)),
            # as in the list of functions: short names take too long
            lambda: self._ranks(self._full_name),
            lambda r: self._full_name(self.function_of(r)),
        )
        inside = name_column(
            "parent",
            "Inside",
            lambda r: self._parent_name(r, self._name),
            self._parent_ranks,
            lambda r: self._parent_name(r, self._full_name),
        )
        location = location_column(
            lambda r: self._location(self.function_of(r)), lambda: self._ranks(self._location)
        )
        return name, replace(inside, tip="The enclosing box", stretches=False, width=24), location

    def set_frames(
        self,
        labels: Labels | None,
        tree: FrameTree,
        format_: CostFormat,
        compared: ComparedFormats | None = None,
    ) -> None:
        """Show these frames, with changes if both sides are given; resets the model."""
        self.tree = tree
        self._set_numbers(labels, format_, compared)
        self._reset(len(tree))

    def set_style(
        self, labels: Labels, format_: CostFormat, compared: ComparedFormats | None = None
    ) -> None:
        """Format the same frames in another style; rows keep their indexes and are sorted again."""
        self._set_numbers(labels, format_, compared)
        self._costs_changed()

    def _set_numbers(
        self, labels: Labels | None, format_: CostFormat, compared: ComparedFormats | None
    ) -> None:
        tree = self.tree
        self._labels, self.format, self._cost_format = labels, format_, format_
        self._cost, self._compared = tree.cost, None
        if compared is None or tree.sides is None:
            self._self_cost, self._self_is_exact = self_costs(tree)
            return
        self._cost_format = compared.change_format
        self._cost = compared.changes(tree.sides.cost)
        selves, self._self_is_exact = self_costs_of_sides(tree, tree.sides)
        self._self_cost = compared.changes(selves)
        self._compared = ComparedRows(
            tree.sides.cost,
            tree.sides.calls,
            np.zeros(len(tree), bool),
            format_,
            compared.base_format,
        )

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.set_frames(None, NO_FRAMES, NO_FORMAT)

    def function_of(self, record: int) -> NodeId:
        """Return the function or cycle of the frame; an id below 0 for one that is of none."""
        return node_at(self.tree.node, record)

    def index_of_function(self, function: NodeId) -> QModelIndex:
        """Return the index of the function's first row; an invalid index if it has none."""
        rows = np.flatnonzero(self.tree.node[self.order] == function)
        return self.index_of_record(int(self.order[rows[0]])) if len(rows) else QModelIndex()

    def tip_of(self, record: int) -> str:
        """Return full name and location, the enclosing frame, and whether the cost is exact."""
        if self._labels is None:
            return ""
        node, parent_name = self.function_of(record), self._parent_name(record, self._full_name)
        lines = self._labels.details(node)
        lines += [f"Inside {parent_name}"] if parent_name else []
        return tip_text(*lines, exactness_text(self._is_exact(record)))

    def _is_exact(self, record: int) -> bool:
        return bool(self.tree.is_exact[record])

    def _is_side_exact(self, record: int, *, is_base: bool) -> bool:
        sides = self.tree.sides
        if sides is None:
            return True
        return bool((sides.base if is_base else sides.new).is_exact[record])

    def _is_self_exact(self, record: int) -> bool:
        return bool(self._self_is_exact[record])

    # ---------------------------------------------------------------- names

    def _name(self, node: NodeId) -> str:
        return self._labels.name(node) if self._labels else ""

    def _full_name(self, node: NodeId) -> str:
        return self._labels.full_name(node) if self._labels else ""

    def _location(self, node: NodeId) -> str:
        return self._labels.location(node) if self._labels else ""

    def _parent_name(self, record: int, name: Callable[[NodeId], str]) -> str:
        """Return the name of the enclosing frame; empty for frame 0."""
        parent = int(self.tree.parent[record])
        return name(self.function_of(parent)) if parent >= 0 else ""

    def _parent_ranks(self) -> Int64Array:
        parent = self.tree.parent
        return np.where(parent >= 0, self._ranks(self._full_name)[parent], -1)

    def _ranks(self, text: Callable[[NodeId], str]) -> Int64Array:
        """Return each frame's rank in the order of the texts; computes one text per function."""
        nodes, inverse = np.unique(self.tree.node, return_inverse=True)
        return ranks([text(node).lower() for node in node_ids(nodes)])[inverse]


def self_costs(tree: FrameTree) -> tuple[CostArray, BoolArray]:
    """Return each frame's cost outside its child frames, and whether that is exact.

    Both have shape (frames,). The cost is exact if the frame and its children are. Otherwise, and
    in profiles whose calls cost more than their caller, it is the displayed width, rounded.
    """
    parents = tree.parent[1:]
    child_costs, is_exact = np.zeros_like(tree.cost), tree.is_exact.copy()
    np.add.at(child_costs, parents, tree.cost[1:])
    np.logical_and.at(is_exact, parents, tree.is_exact[1:])
    costs = tree.cost - child_costs
    is_exact &= (costs >= 0).astype(bool)
    return np.where(is_exact, costs, rounded_like(tree.self_width)), is_exact


def self_costs_of_sides(tree: FrameTree, sides: FrameSides) -> tuple[BothSides, BoolArray]:
    """Return each frame's cost outside its child frames on both sides, and which are exact."""
    parents, is_exact = tree.parent[1:], sides.is_proven
    np.logical_and.at(is_exact, parents, is_exact[1:].copy())
    costs = []
    for side in (sides.base, sides.new):
        inside = np.zeros_like(side.cost)
        np.add.at(inside, parents, side.cost[1:])
        costs.append(side.cost - inside)
    return BothSides(*costs), is_exact
