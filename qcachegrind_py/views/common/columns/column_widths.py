"""The widths of the columns of a list: they follow its content, its width, and the user.

Numbers get what they need, names and locations share the rest. In a narrow list, columns that give
way are hidden one by one, and come back as soon as there is room.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from PySide6.QtWidgets import QHeaderView

from qcachegrind_py.views.common.columns.header_state import (
    HeaderState,
    apply_header_state,
    header_state,
)

_MIN_NAME_WIDTH = 16  # digits
_EASY_NAME_WIDTH = 22  # digits: names with less take the room of locations
_MIN_LOCATION_WIDTH = 10


class FittedColumn(Protocol):
    """What the widths depend on: `present.table.Column` has it."""

    @property
    def key(self) -> str:
        """The name of the column in saved headers."""

    @property
    def is_number(self) -> bool:
        """Whether the column has numbers, and not names or locations."""

    @property
    def stretches(self) -> bool:
        """Whether the column takes the remaining width."""

    @property
    def gives_way(self) -> int:
        """When the column is hidden in a narrow list: 1 first, then 2 and so on; 0: never."""

    @property
    def is_comparison(self) -> bool:
        """Whether the column is there only while profiles are compared."""

    @property
    def width(self) -> int:
        """The width in digits as long as the content is unknown."""


class ColumnWidths:
    """Fits the sections of a header; widths that the user has set stay."""

    def __init__(self, header: QHeaderView, columns: Sequence[FittedColumn]) -> None:
        self._header, self._columns = header, columns
        self._text_widths: dict[int, int] = {}  # pixels that the texts of a column need
        self._number_widths: dict[int, int] = {}  # likewise, of the numbers of a column
        self._is_fitting = False
        self.by_user: dict[int, int] = {}  # widths in pixels that the user has set, by column
        self.narrow: set[int] = set()  # columns hidden as long as there is no room for them
        header.sectionResized.connect(self._on_resized)

    def fit(self, measure: Callable[[int], int], *, only_wider: bool = False) -> None:
        """Fit all columns to their contents; `measure` returns the pixels that a column needs.

        With `only_wider`, columns of numbers never become narrower.
        """
        for number, column in enumerate(self._columns):
            if not column.is_number:
                self._text_widths[number] = measure(number)
            elif number not in self.by_user:
                least = self._number_width(number) if only_wider else 0
                self._number_widths[number] = max(measure(number), least)
                self.set_width(number, self._number_widths[number])
        self.distribute()

    def distribute(self) -> None:
        """Share the width that numbers leave: locations get what they need, names the rest.

        Names that need more get most of it. A list that is too narrow without the columns that
        give way scrolls.
        """
        digit = self._header.fontMetrics().horizontalAdvance("0")
        width_left, least = self._make_room(digit), _MIN_NAME_WIDTH * digit
        names = max(
            (self._text_widths.get(n, 0) for n, c in enumerate(self._columns) if c.stretches),
            default=0,
        )
        for number, column in enumerate(self._columns):
            is_location = not column.is_number and not column.stretches
            if is_location and not self._header.isSectionHidden(number):
                needed = self._text_widths.get(number) or digit * column.width
                most = min(max(width_left * 2 // 5, width_left - names), width_left - least)
                self.set_width(number, max(_MIN_LOCATION_WIDTH * digit, min(needed, most)))
                width_left -= self._header.sectionSize(number)
        for number, column in enumerate(self._columns):
            if column.stretches:
                self.set_width(number, max(least, width_left))

    def _make_room(self, digit: int) -> int:
        """Hide columns until the others have room; return the pixels that numbers leave."""
        numbers = [n for n, c in enumerate(self._columns) if c.is_number and self.has_place(n)]
        # as wide as the viewport, for whose wrapper PySide would create 36 enums
        width_left = self._header.width() - sum(map(self._number_width, numbers))
        giving_way = [n for n, each in enumerate(self._columns) if each.gives_way]
        for number in sorted(giving_way, key=lambda n: self._columns[n].gives_way):
            column, is_number = self._columns[number], self._columns[number].is_number
            least = self._easy_width()
            if is_number:
                least = _EASY_NAME_WIDTH if column.is_comparison else _MIN_NAME_WIDTH
            is_sorted = is_number and number == self._header.sortIndicatorSection()
            self._hide_if_narrow(number, width_left < least * digit and not is_sorted)
            if number in self.narrow and is_number:
                width_left += self._number_width(number)
        return width_left

    def _easy_width(self) -> int:
        """Return the width, in digits, in which names and all locations can be read."""
        texts = [n for n, column in enumerate(self._columns) if not column.is_number]
        locations = [n for n in texts if not self._columns[n].stretches and self.has_place(n)]
        return _EASY_NAME_WIDTH + len(locations) * _MIN_LOCATION_WIDTH

    def has_place(self, column: int) -> bool:
        """Return whether the column is shown, or would be in a wider list."""
        return column in self.narrow or not self._header.isSectionHidden(column)

    def _number_width(self, column: int) -> int:
        """Return the width of a column, or the one it will have when there is room for it."""
        return self._header.sectionSize(column) or self._number_widths.get(column, 0)

    def _hide_if_narrow(self, column: int, is_narrow: bool) -> None:
        """Hide the column or show it again, unless the user hid it or set its width."""
        header = self._header
        if column in self.narrow and not is_narrow:
            self.narrow.remove(column)
            header.setSectionHidden(column, False)
        elif is_narrow and not header.isSectionHidden(column) and column not in self.by_user:
            self.narrow.add(column)
            header.setSectionHidden(column, True)

    def set_width(self, column: int, width: int) -> None:
        """Set the width of a column unless the user has set it."""
        if column not in self.by_user and width != self._header.sectionSize(column):
            self._is_fitting = True
            self._header.resizeSection(column, width)
            self._is_fitting = False

    def _on_resized(self, column: int, before: int, after: int) -> None:
        """Remember that the user set the width; hiding and showing a column does not count."""
        if before and after and not self._is_fitting:
            self.by_user[column] = after

    # ---------------------------------------------------------------- showing and hiding

    def show(self, columns: Sequence[int], shown: bool) -> None:
        """Show or hide a group of columns."""
        for column in columns:
            if self.has_place(column) != shown:
                self.narrow.discard(column)
                self._header.setSectionHidden(column, not shown)

    def show_by_user(self, column: int, shown: bool) -> None:
        """Show or hide a column as the user wants it, also where there is no room for it."""
        if shown and column in self.narrow:
            self.narrow.remove(column)
            digit = self._header.fontMetrics().horizontalAdvance("0")
            self.by_user[column] = digit * self._columns[column].width
        self._header.setSectionHidden(column, not shown)
        if column in self.by_user:
            self._header.resizeSection(column, self.by_user[column])

    # ---------------------------------------------------------------- saved headers

    def state(self) -> HeaderState:
        """Return order, widths and sorting of the columns."""
        return header_state(self._header, self._keys, self.by_user, self.narrow)

    def restore(self, state: HeaderState) -> None:
        """Restore order and widths of the columns; sorting is up to the list."""
        self._is_fitting = True
        apply_header_state(self._header, self._keys, state)
        self._is_fitting = False
        self.narrow.clear()
        known = {key: column for column, key in enumerate(self._keys)}
        self.set_by_user(
            {
                known[column.key]: column.width
                for column in state.columns
                if column.is_user_width and column.width and column.key in known
            }
        )
        self.distribute()

    def set_by_user(self, widths: Mapping[int, int]) -> None:
        """Take these as the widths that the user has set, in pixels by column."""
        self.by_user = dict(widths)

    @property
    def _keys(self) -> list[str]:
        return [column.key for column in self._columns]
