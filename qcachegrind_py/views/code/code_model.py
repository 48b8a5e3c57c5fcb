"""The Qt model of code: the rows of a listing that are shown, in code order or sorted by numbers.

If the table is sorted otherwise than in code order, calls stay below their line, while arrows and
folds are hidden.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal

from qcachegrind_py.present.code_listing import Chunk, CodeListing
from qcachegrind_py.present.code_records import CodeCosts
from qcachegrind_py.profile.ids import NO_FUNCTION
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.tools.sources.highlighting import Highlights
from qcachegrind_py.views.tables.table_model import TableModel

_ASCENDING = Qt.SortOrder.AscendingOrder


class CodeModel(TableModel):
    """A table of source lines or instructions that folds ranges and groups."""

    colored = Signal()  # only the colours of lines have changed

    def __init__(self, empty: CodeListing, parent: QObject | None = None) -> None:
        """`empty` has the columns, and no records."""
        self.listing, self._nothing = empty, empty
        self.is_folded = False
        self.colors: dict[Chunk, Highlights] = {}  # of source lines, as far as they are known
        self._opened: set[int] = set()  # numbers of ranges without cost
        self._matched = np.empty(0, bool)  # records of the selected position
        super().__init__(empty.table, parent)
        self._sorted_by = (0, _ASCENDING)

    @property
    def is_in_code_order(self) -> bool:
        """Whether rows are in code order, so that arrows and folds make sense."""
        return self._sorted_by == (0, _ASCENDING)

    # ---------------------------------------------------------------- content

    def show_listing(self, listing: CodeListing) -> None:
        """Show other code; resets the model."""
        self.listing = listing
        self.colors.clear()
        self._opened.clear()
        self._matched = np.zeros(len(listing.rows.records), bool)
        self.show(listing.table)
        self._update_rows()

    def show_costs(self, costs: CodeCosts) -> None:
        """Show other costs of the same code: rows move along with their indexes."""
        self.listing = self.listing.with_costs(costs)
        self.show_numbers(self.listing.table)

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.show_listing(self._nothing)

    @property
    def has_rows(self) -> bool:
        return self.listing is not self._nothing

    def add_colors(self, chunk: Chunk, colors: Highlights) -> None:
        self.colors[chunk] = colors
        self.colored.emit()

    # ---------------------------------------------------------------- folding

    def fold(self, folded: bool) -> None:
        self.is_folded = folded
        self._opened.clear()
        self._update_rows()

    def reveal(self, record: int) -> None:
        """Unfold the range and open the group that hide the record."""
        stretch = int(self.listing.rows.records.stretch[record])
        if self.is_folded and stretch >= 0:
            self._opened.add(stretch)
            self._update_rows()
        if self.listing.shown_record(record) != record:
            self.set_group_closed(record, closed=False)

    def set_group_closed(self, record: int, *, closed: bool) -> None:
        listing = self.listing.with_group(record, closed=closed)
        if listing is not self.listing:
            self.listing, self.table, self._sorted = listing, listing.table, None
            self._update_rows()
            self.redraw()

    def _update_rows(self) -> None:
        """Show the records that are neither folded nor in a closed group."""
        opened = self._opened if self.is_folded else None
        mask = self.listing.visible(opened, in_code_order=self.is_in_code_order)
        self.set_filter(None if mask.all() else mask)

    def _sorted_order(self) -> Int64Array:
        if not self.is_in_code_order:
            return super()._sorted_order()
        return np.arange(self.table.length) if self._mask is None else np.flatnonzero(self._mask)

    def sort(self, column: int, order: Qt.SortOrder = _ASCENDING) -> None:
        super().sort(column, order)
        self._update_rows()

    # ---------------------------------------------------------------- position

    def set_position(self, matched: BoolArray) -> None:
        """Mark these records: those of the line or instruction selected elsewhere."""
        if not np.array_equal(matched, self._matched):
            self._matched = matched
            self.redraw()

    @property
    def matched(self) -> BoolArray:
        """The mask of the records of the selected position."""
        return self._matched

    def is_marked(self, record: int) -> bool:
        """Whether the record belongs to the selected position or function."""
        if self._highlighted != NO_FUNCTION and self.table.node(record) == self._highlighted:
            return True
        return bool(
            self._matched[record] or self._matched[self.listing.hidden_members(record)].any()
        )
