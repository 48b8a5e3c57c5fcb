"""The rows of a code table that are shown: folded ranges, and closed groups of inlined lines.

A closed group shows the sum of its costs at the line that brought the inlined lines in, so that the
visible costs always add up to those of the function.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, Qt

from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.models.code.code_costs import NO_COSTS, CodeCosts
from qcachegrind_py.models.code.jump_lanes import JumpLanes, assign_lanes
from qcachegrind_py.models.code.records import (
    NO_RECORDS,
    NO_ROWS,
    Arrows,
    CodeRows,
    RecordKind,
)
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_ASCENDING = Qt.SortOrder.AscendingOrder
# Arrows that get other lanes when a group is closed or opened: 5,000 take 25 ms in the GUI thread.
_MAX_MOVED_ARROWS = 5_000


class FoldingModel(ArrayTableModel):
    """The base of code tables that decides which records are rows, and where they show sums."""

    LOCATION = 0

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        self.rows = NO_ROWS
        self.first_costs = self.second_costs = NO_COSTS  # as shown, with sums of closed groups
        self.arrows: Arrows = NO_RECORDS.arrows  # as shown, between visible records
        self.lanes: JumpLanes = NO_RECORDS.lanes
        self.is_folded = False
        self.hides_inlined = False  # whether groups of inlined lines are closed at first
        self._costs = (NO_COSTS, NO_COSTS)  # without sums
        self._opened: set[int] = set()  # fold numbers
        self._closed = np.empty(0, bool)  # mask of the groups
        super().__init__(columns, parent)
        self._sorted_by = (self.LOCATION, _ASCENDING)

    @property
    def is_in_code_order(self) -> bool:
        """Whether rows are in code order, so that arrows and folds make sense."""
        return self._sorted_by == (self.LOCATION, _ASCENDING)

    def _show_rows(self, rows: CodeRows, costs: tuple[CodeCosts, CodeCosts]) -> None:
        """Show other code; resets the model."""
        self._opened.clear()
        self.rows, self._costs = rows, costs
        self._closed = np.full(len(rows.records.groups), self.hides_inlined)
        self._update_costs()
        self._update_arrows()
        self._reset(len(rows.records))
        self._update_rows()

    def _show_costs(self, costs: tuple[CodeCosts, CodeCosts]) -> None:
        """Show other costs of the same code."""
        self._costs = costs
        self._update_costs()
        self._costs_changed()

    # ---------------------------------------------------------------- ranges without cost

    def fold(self, folded: bool) -> None:
        """Fold all ranges without cost, or none."""
        self.is_folded = folded
        self._opened.clear()
        self._update_rows()

    def reveal(self, record: int) -> None:
        """Unfold the range and open the group that hide the record."""
        stretch = int(self.rows.records.stretch[record])
        if self.is_folded and stretch >= 0:
            self._opened.add(stretch)
            self._update_rows()
        if self.shown_record(record) != record:
            self.set_group_closed(record, closed=False)

    # ---------------------------------------------------------------- groups of inlined lines

    @property
    def has_groups(self) -> bool:
        """Whether lines of other files were inlined into the code."""
        return len(self.rows.records.groups) > 0

    def group_of(self, record: int) -> int:
        """Return the group of a host, an inlined line or a call of these; -1 for others."""
        records = self.rows.records
        return int(records.groups.of_location[records.location[record]])

    def host_of(self, record: int) -> int:
        """Return the record of the line that brought a record in; else the record itself."""
        records, group = self.rows.records, self.group_of(record)
        return record if group < 0 else int(records.record_of_location[records.groups.host[group]])

    def is_host(self, record: int) -> bool:
        """Whether the record is a line with inlined lines below it."""
        return self.group_of(record) >= 0 and self.host_of(record) == record

    def is_inlined(self, record: int) -> bool:
        """Whether the record is an inlined line, or a call from one."""
        records, group = self.rows.records, self.group_of(record)
        return group >= 0 and bool(records.location[record] != records.groups.host[group])

    def is_closed(self, record: int) -> bool:
        """Whether the record belongs to a closed group."""
        group = self.group_of(record)
        return group >= 0 and bool(self._closed[group])

    def shown_record(self, record: int) -> int:
        """Return the record, or the host of a closed group that hides it."""
        is_hidden = self.is_closed(record) and self.is_inlined(record)
        return self.host_of(record) if is_hidden else record

    def closed_members(self, record: int) -> Int64Array:
        """Return the records of the inlined lines that a host hides; empty for other records."""
        records, group = self.rows.records, self.group_of(record)
        if group < 0 or not self._closed[group] or self.host_of(record) != record:
            return records.record_of_location[:0]
        host, size = int(records.groups.host[group]), int(records.groups.size[group])
        return records.record_of_location[host + 1 : host + 1 + size]

    def set_group_closed(self, record: int, *, closed: bool) -> None:
        """Close or open the group of a record."""
        group = self.group_of(record)
        if group >= 0 and bool(self._closed[group]) != closed:
            self._closed = self._closed.copy()  # a snapshot of the model may be read in a job
            self._closed[group] = closed
            self._update_costs()
            self._update_arrows()
            self._sorted = None
            self._update_rows()
            self.redraw()

    def _hidden_locations(self) -> BoolArray:
        """Return the mask of the inlined lines of closed groups, shape (locations,)."""
        groups = self.rows.records.groups
        is_closed = np.append(self._closed, False)  # the last one is for lines without a group
        hidden: BoolArray = groups.is_inlined() & is_closed[groups.of_location]
        return hidden

    def _update_costs(self) -> None:
        """Show the sums of closed groups at their hosts."""
        self.first_costs, self.second_costs = self._costs
        if self._closed.any():
            records = self.rows.records
            hosts = records.record_of_location[records.groups.host]
            visible = records.record_of_location[~self._hidden_locations()]
            self.first_costs, self.second_costs = (
                costs.with_sums(self._closed, hosts, visible) for costs in self._costs
            )

    def _update_arrows(self) -> None:
        """Let arrows of hidden lines start and end at their hosts; those within a group vanish.

        Too many to do so in the GUI thread stay where they are, with ends that are hidden.
        """
        records = self.rows.records
        self.arrows, self.lanes = records.arrows, records.lanes
        if self._closed.any() and len(records.arrows) <= _MAX_MOVED_ARROWS:
            groups, hidden = records.groups, self._hidden_locations()
            shown = np.arange(len(hidden))
            shown[hidden] = groups.host[groups.of_location[hidden]]
            source, target = shown[self.arrows.source], shown[self.arrows.target]
            visible = source != target
            self.arrows = self.arrows.selected(visible)
            record = records.record_of_location
            self.lanes = assign_lanes(record[source[visible]], record[target[visible]])

    # ---------------------------------------------------------------- rows

    def _update_rows(self) -> None:
        """Show the records that are neither folded nor in a closed group."""
        records = self.rows.records
        kind, is_fold = records.kind, records.kind == RecordKind.FOLD
        if self.is_folded and self.is_in_code_order:
            is_open = np.zeros(len(records.lengths) + 1, bool)
            is_open[list(self._opened)] = True
            is_open[-1] = True  # records outside all ranges
            mask = is_open[records.stretch] != is_fold
        else:
            mask = ~is_fold
            if not self.is_in_code_order:
                mask &= kind != RecordKind.SOURCE
        if self._closed.any():
            mask &= ~self._hidden_locations()[records.location]
        self.set_filter(None if mask.all() else mask)

    def _sorted_order(self) -> Int64Array:
        if not self.is_in_code_order:
            return super()._sorted_order()
        return np.arange(self._records) if self._mask is None else np.flatnonzero(self._mask)

    def sort(self, column: int, order: Qt.SortOrder = _ASCENDING) -> None:
        super().sort(column, order)
        self._update_rows()
