"""Totals of a profile by source file, object or class: for people, as a table, and as JSON.

They are sums of self costs, since inclusive costs of a group would count nested calls repeatedly.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np

from qcachegrind_py.analysis.names.function_names import Grouping, Groups
from qcachegrind_py.analysis.queries import folded_mask
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.exact import (
    ExactCells,
    FullNameCells,
    PathCells,
    ValueCells,
    plain_columns,
)
from qcachegrind_py.present.function_report import (
    cost_columns,
    cost_members,
    head,
    profile_members,
    text_columns,
    with_cumulative,
)
from qcachegrind_py.present.page import Listing, Page, Records
from qcachegrind_py.present.selection import ReportSelection, costliest_first
from qcachegrind_py.present.table import Cells, Column, Table
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.tables import Int64Array

By = Literal["file", "object", "class"]
BY: tuple[By, ...] = ("file", "object", "class")
_TITLES = {"file": "File", "object": "Object", "class": "Class"}


@frozen(eq=True, slots=False)
class GroupTotals:
    """The groups of the functions of a report that pass its filter."""

    selection: ReportSelection
    by: By

    @cached_property
    def groups(self) -> Groups:
        """The groups of all functions."""
        return self.selection.queries.groups(Grouping(self.by), self.selection.scope)

    @cached_property
    def measured(self) -> Int64Array:
        """The self costs of the groups, shape (measured events, groups)."""
        queries = self.selection.queries
        count, costs = queries.function_count, queries.costs(self.selection.scope).self_cost
        if self.selection.visible is not None:
            costs = np.where(self.selection.visible, costs[:, :count], 0)
        return self.groups.sums(costs, count)

    @cached_property
    def functions(self) -> Int64Array:
        """How many functions each group has, shape (groups,)."""
        shown, folded = self.selection.visible, folded_mask(self.selection.queries)
        if folded is not None:
            shown = ~folded if shown is None else shown & ~folded
        return self.groups.counts(shown, self.selection.queries.function_count)

    def self_cost(self, event: EventType) -> CostArray:
        """Return the self cost of each group in an event."""
        return self.selection.queries.events.evaluate(event, self.measured)

    @cached_property
    def rows(self) -> Int64Array:
        """The groups with functions, costliest first or by name, as far as they are asked for."""
        selection, event = self.selection, self.selection.sort_event
        order = np.arange(len(self.groups))
        if selection.order.key == "name":
            order = np.array(sorted(order.tolist(), key=self.groups.names.__getitem__), np.int64)
        elif event is not None:
            for each in (*reversed(selection.order.ties), event):
                order = order[costliest_first(self.self_cost(each)[order])]
        if selection.thresholds:
            order = order[selection.covering(self.self_cost)[order]]
        return order[self.functions[order] > 0][: selection.limit]

    def names(self, rows: Int64Array) -> list[str]:
        """Return the names of these groups."""
        return [self.groups.names[row] for row in rows.tolist()]

    # ---------------------------------------------------------------- what is written

    def page(self) -> Page:
        """Return the facts of the profile, then the groups."""
        selection, event = self.selection, self.selection.sort_event
        costs = None if event is None else self.self_cost(event)
        columns = list(text_columns(selection, self._costs_in, {"self": "Self"}))
        columns = with_cumulative(selection, columns, costs, self.rows)
        names: Cells = PathCells(self.names)
        if self.by == "class":
            names = FullNameCells(lambda rows: [(name, "", "") for name in self.names(rows)])
        columns.append(Column("functions", "Functions", "", ExactCells(self.functions)))
        columns.append(Column("name", _TITLES[self.by], "", names))
        table = Table(tuple(columns), len(self.groups))
        return Page((head(selection), Listing(table, self.rows)))

    def listing(self) -> Listing:
        """Return the table of TSV and CSV."""
        columns = plain_columns(
            *cost_columns(self.selection, self._costs_in),
            ("functions", ExactCells(self.functions)),
            (self.by, ValueCells(self.names)),
        )
        return Listing(Table(columns, len(self.groups)), self.rows)

    def records(self) -> Records:
        """Return the groups as JSON, between members that tell of the profile."""
        before, after = profile_members(self.selection)
        record = {
            self.by: ValueCells(self.names),
            "functions": ExactCells(self.functions),
            **cost_members(self.selection, "self", self.measured),
        }
        return Records({**before, "by": self.by}, {"groups": (record, self.rows)}, after)

    def _costs_in(self, event: EventType) -> dict[str, ExactCells]:
        total = self.selection.total(event)
        cells = ExactCells(self.self_cost(event), total=total, least_width=len("Incl."))
        return {"self": cells}
