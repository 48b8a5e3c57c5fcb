"""The columns of a list: their widths follow content and user, and settings keep them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QByteArray, QMetaObject, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import Column
from qcachegrind_py.views.tables.bars import bar_gap, cell_margin, full_bar_room, least_bar_room
from qcachegrind_py.views.tables.column_header import arrow_room
from qcachegrind_py.views.tables.item_model import AnyIndex

_MAX_WIDTH = 100_000  # pixels; anything wider is not a valid state
_DESCENDING, _ASCENDING = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder


@frozen(eq=True, slots=False)
class ColumnState:
    """One column as it is saved."""

    key: str
    width: int  # pixels; 0: unknown, as for a hidden column
    is_user_width: bool  # the user dragged it to this width
    is_hidden: bool


@frozen(eq=True, slots=False)
class HeaderState:
    """The columns of a list, from the left, and the column it is sorted by."""

    columns: tuple[ColumnState, ...]
    sorted_by: str  # a key
    is_descending: bool

    @property
    def sort_order(self) -> Qt.SortOrder:
        return _DESCENDING if self.is_descending else _ASCENDING

    def to_bytes(self) -> QByteArray:
        """Return the state as JSON, the form in settings."""
        # dataclasses.asdict copies deeply: 16 ms for all lists of a window
        saved = vars(self) | {"columns": list(map(vars, self.columns))}
        return QByteArray(json.dumps(saved).encode())

    @classmethod
    def from_bytes(cls, data: QByteArray) -> HeaderState | None:
        """Return the saved state; None if the bytes are not a valid one."""
        try:
            saved = json.loads(bytes(data.data()))
            columns = tuple(_column_state(column) for column in saved["columns"])
            return cls(columns, str(saved["sorted_by"]), bool(saved["is_descending"]))
        except (ValueError, LookupError, TypeError, RecursionError):
            return None


def _column_state(saved: Mapping[str, Any]) -> ColumnState:
    width = saved["width"]
    if not isinstance(width, int) or not 0 <= width <= _MAX_WIDTH:
        raise ValueError("no width of a column")
    is_user_width, is_hidden = bool(saved["is_user_width"]), bool(saved["is_hidden"])
    return ColumnState(str(saved["key"]), width, is_user_width, is_hidden)


def header_state(
    header: QHeaderView,
    keys: Sequence[str],
    user_widths: Mapping[int, int],
    narrow: Collection[int] = (),
) -> HeaderState:
    """Return the current state of a header.

    `keys` are the keys of its sections. `user_widths` are the widths in pixels that the user has
    set, by section; a hidden section keeps its own. Those in `narrow` are hidden for lack of room
    only, and saved as shown.
    """
    columns = tuple(
        ColumnState(
            keys[section],
            user_widths.get(section, header.sectionSize(section)),
            section in user_widths,
            header.isSectionHidden(section) and section not in narrow,
        )
        for section in map(header.logicalIndex, range(header.count()))
    )
    is_descending = header.sortIndicatorOrder() == _DESCENDING
    sorted_by = header.sortIndicatorSection()
    is_known = 0 <= sorted_by < len(keys)
    return HeaderState(columns, keys[sorted_by] if is_known else "", is_descending)


def apply_header_state(header: QHeaderView, keys: Sequence[str], state: HeaderState) -> None:
    """Restore order, widths and visibility of the sections; sorting is up to the list.

    A column that the state lacks keeps its width and follows its left neighbour.
    """
    saved = {column.key: column for column in state.columns if column.key in keys}
    for section, key in enumerate(keys):
        if column := saved.get(key):
            header.setSectionHidden(section, False)
            if column.width:
                header.resizeSection(section, column.width)
            header.setSectionHidden(section, column.is_hidden)
    for position, key in enumerate(_merged_order(keys, list(saved))):
        header.moveSection(header.visualIndex(keys.index(key)), position)


def former_state(saved: QByteArray, keys: Sequence[str]) -> HeaderState | None:
    """Return a state that was saved by position, before columns had keys; None if it is invalid.

    It is the positions of the columns whose width the user has set, `:`, and Qt's state of the
    header. `keys` are those of the columns that the list had then.
    """
    user_columns, _, columns = bytes(saved.data()).partition(b":")
    model, header = _Sections(len(keys)), QHeaderView(Qt.Orientation.Horizontal)
    header.setModel(model)
    if not header.restoreState(QByteArray(columns)):
        return None
    widths = {
        column: _shown_width(header, column)
        for column in range(header.count())
        if str(column).encode() in user_columns.split(b",")
    }
    return header_state(header, keys, widths)


class _Sections(QAbstractTableModel):
    """A table of so many columns and no rows."""

    def __init__(self, columns: int) -> None:
        super().__init__()
        self._columns = columns

    def rowCount(self, _parent: AnyIndex | None = None) -> int:  # noqa: N802
        return 0

    def columnCount(self, _parent: AnyIndex | None = None) -> int:  # noqa: N802
        return self._columns


def _shown_width(header: QHeaderView, section: int) -> int:
    """Return the width of a section, or the width a hidden one has when it is shown again."""
    is_hidden = header.isSectionHidden(section)
    header.setSectionHidden(section, False)
    width = header.sectionSize(section)
    header.setSectionHidden(section, is_hidden)
    return width


def _merged_order(keys: Sequence[str], saved: Sequence[str]) -> list[str]:
    """Return the saved order, with each missing key after the key it is declared after."""
    order = list(saved)
    for position, key in enumerate(keys):
        if key not in saved:
            order.insert(order.index(keys[position - 1]) + 1 if position else 0, key)
    return order


_MIN_NAME_WIDTH = 16  # digits
_EASY_NAME_WIDTH = 22  # digits: names with less take the room of locations and of bars
_MOST_NAME_WIDTH = 36  # digits: longer names lose arguments before locations are cut
_MIN_LOCATION_WIDTH = 10
_PADDING = "00"  # beside texts


def needed_widths(
    column: Column,
    metrics: QFontMetrics,
    texts: Sequence[str] = (),
    *,
    is_sortable: bool = True,
) -> tuple[int, int]:
    """Return the pixels that a column needs for its contents, and for numbers in fewer digits.

    `texts` are contents; those of a column of numbers are told by its cells, too. The title is
    never cut, with an arrow beside it if it `is_sortable`.
    """
    cells, width = column.cells, metrics.horizontalAdvance
    if not cells.is_number:
        needed = max((width(f"{text}{_PADDING}") for text in texts), default=0)
        return needed, needed
    title = width(column.heading) + (arrow_room() if is_sortable else 0)
    needed = max(map(width, (*texts, cells.widest())))
    short = min(needed, width(cells.widest_short() or cells.widest()))
    margins = 2 * cell_margin()
    return max(title, needed) + margins, max(title, short) + margins


class ColumnWidths:
    """Fits the sections of a header; widths that the user has set stay.

    A number is never cut. In a narrow list locations give way first, then bars become shorter, then
    numbers have fewer digits, then whole columns give way; names keep a width to read them.
    """

    def __init__(
        self, header: QHeaderView, columns: Sequence[Column], beside_bars: dict[int, int]
    ) -> None:
        """`beside_bars` is filled with the width of the numbers in each column with bars."""
        self._header, self._columns, self._beside_bars = header, columns, beside_bars
        digit = header.fontMetrics().horizontalAdvance("0")
        # pixels that the contents of a column need, and at least need; without its bars
        self._needed = {n: (digit * c.width,) * 2 for n, c in enumerate(columns) if c.is_number}
        self._text_widths: dict[int, int] = {}  # pixels that the texts of a column need
        self._fitted: set[int] = set()  # columns that have been measured
        self._is_short = False  # whether numbers have fewer digits
        self.by_user: dict[int, int] = {}  # widths in pixels that the user has set, by column
        self.narrow: set[int] = set()  # columns hidden as long as there is no room for them
        self._reappearing: set[int] = set()  # that are hidden, and may get room again
        header.sectionResized.connect(self._on_resized)

    def fit(self, measure: Callable[[int], tuple[int, int]], *, only_wider: bool = False) -> None:
        """Fit all columns that are shown to their contents.

        `measure` returns what `needed_widths` does. With `only_wider`, columns of numbers never
        become narrower.
        """
        for number, column in enumerate(self._columns):
            if not self.has_place(number):
                continue
            needed, least = measure(number)
            if not column.is_number:
                self._text_widths[number] = needed
                continue
            if only_wider and number in self._fitted:
                needed = max(needed, self._needed[number][0])
                least = max(least, self._needed[number][1])
            self._needed[number] = needed, least
            self._fitted.add(number)
            if column.cells.has_bars:
                self._beside_bars[number] = needed - 2 * cell_margin()
            if self.by_user.get(number, least) < least:
                self.by_user[number] = least
                self._resize(number, least)
        self.distribute()

    @contextmanager
    def changing_together(self) -> Iterator[None]:
        """Lay the list out and paint it once for all that changes within, and before it is painted.

        Told of each column, Qt paints the list as it is, and again when a timer has ended.
        """
        header = self._header
        if header.signalsBlocked():
            yield
            return
        header.blockSignals(True)
        before = self._places()
        try:
            yield
        finally:
            header.blockSignals(False)
        if self._places() != before:
            view = header.parent()
            assert isinstance(view, QAbstractItemView)
            QMetaObject.invokeMethod(view, "updateGeometries", Qt.ConnectionType.QueuedConnection)
            view.viewport().update()

    def _places(self) -> list[tuple[int, int]]:
        """Return the position and the width of each section."""
        header = self._header
        return [(header.visualIndex(n), header.sectionSize(n)) for n in range(header.count())]

    def distribute(self) -> None:
        """Share the width that numbers leave: names get what they need, locations the rest.

        Very long names leave locations what these need.

        A list that is too narrow without the columns that give way scrolls.
        """
        with self.changing_together():
            self._distribute()

    def _distribute(self) -> None:
        digit = self._header.fontMetrics().horizontalAdvance("0")
        least = _MIN_NAME_WIDTH * digit
        self._is_short = False
        self._is_short = self._width_left() < least
        self._give_way(digit)
        self._is_short = False
        self._is_short = self._width_left() < least
        width_left = self._width_left()
        barred = [n for n in self._shown_numbers() if self._has_bars(n) and n not in self.by_user]
        bar = self._bar_room(width_left, len(barred), digit)
        for number in self._shown_numbers():
            is_barred = bar and number in barred
            self.set_width(number, self._number_width(number) + is_barred * (bar_gap() + bar))
        width_left -= len(barred) * (bar_gap() + bar) if bar else 0
        names = max(
            (self._text_widths.get(n, 0) for n, c in enumerate(self._columns) if c.stretches),
            default=0,
        )
        for number, column in enumerate(self._columns):
            is_location = not column.is_number and not column.stretches
            if is_location and not self._header.isSectionHidden(number):
                needed = self._text_widths.get(number) or digit * column.width
                most = width_left - max(min(names, _MOST_NAME_WIDTH * digit), least)
                self.set_width(number, max(_MIN_LOCATION_WIDTH * digit, min(needed, most)))
                width_left -= self._header.sectionSize(number)
        for number, column in enumerate(self._columns):
            if column.stretches:
                self.set_width(number, max(least, width_left))

    def _bar_room(self, width_left: int, count: int, digit: int) -> int:
        """Return the width of each of so many bars: 0 where names need all the room."""
        if not count:
            return 0
        beside_easy = (width_left - self._easy_width() * digit) // count - bar_gap()
        if beside_easy >= least_bar_room():
            return min(beside_easy, full_bar_room())
        beside_least = (width_left - _MIN_NAME_WIDTH * digit) // count - bar_gap()
        return least_bar_room() if beside_least >= least_bar_room() else 0

    def _give_way(self, digit: int) -> None:
        """Hide columns until the others have room."""
        giving_way = [n for n, each in enumerate(self._columns) if each.gives_way]
        self._reappearing = self.narrow.intersection(giving_way)
        self.narrow -= self._reappearing
        for number in sorted(giving_way, key=lambda n: self._columns[n].gives_way):
            column, is_number = self._columns[number], self._columns[number].is_number
            least, width_left = self._easy_width(), self._width_left()
            if is_number:
                least = _EASY_NAME_WIDTH if column.is_comparison else _MIN_NAME_WIDTH
            if column.is_comparison or not is_number:
                bars = sum(map(self._has_bars, self._shown_numbers()))
                width_left -= bars * (bar_gap() + least_bar_room())
            is_sorted = is_number and number == self._header.sortIndicatorSection()
            is_narrow = width_left < least * digit and not is_sorted
            if is_narrow and self._is_shown(number) and number not in self.by_user:
                self.narrow.add(number)
        before, self._reappearing = self._reappearing, set()
        for number in before.symmetric_difference(self.narrow.intersection(giving_way)):
            self._header.setSectionHidden(number, number in self.narrow)

    def _is_shown(self, column: int) -> bool:
        """Return whether the column is shown, once those that give way are hidden."""
        if column in self.narrow:
            return False
        return column in self._reappearing or not self._header.isSectionHidden(column)

    def _width_left(self) -> int:
        """Return the pixels that numbers leave; they are as wide as the viewport together.

        The viewport's wrapper is not asked: PySide would create 36 enums for it.
        """
        return self._header.width() - sum(map(self._number_width, self._shown_numbers()))

    def _shown_numbers(self) -> list[int]:
        return [n for n, c in enumerate(self._columns) if c.is_number and self._is_shown(n)]

    def _has_bars(self, column: int) -> bool:
        return self._columns[column].cells.has_bars

    def _easy_width(self) -> int:
        """Return the width, in digits, in which names and all locations can be read."""
        texts = [n for n, column in enumerate(self._columns) if not column.is_number]
        locations = [n for n in texts if not self._columns[n].stretches and self._is_shown(n)]
        return _EASY_NAME_WIDTH + len(locations) * _MIN_LOCATION_WIDTH

    def has_place(self, column: int) -> bool:
        """Return whether the column is shown, or would be in a wider list."""
        return column in self.narrow or not self._header.isSectionHidden(column)

    def _number_width(self, column: int) -> int:
        """Return the width of a column of numbers without its bars."""
        return self.by_user.get(column, self._needed[column][self._is_short])

    def hide_if_narrow(self, column: int, *, is_narrow: bool) -> None:
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
            self._resize(column, width)

    def _resize(self, column: int, width: int) -> None:
        with self.changing_together():
            self._header.resizeSection(column, width)

    def _on_resized(self, column: int, before: int, after: int) -> None:
        """Remember that the user set the width; hiding and showing a column does not count.

        A number stays readable in the narrowest column.
        """
        if before and after:
            least = self._needed[column][1] if self._columns[column].is_number else 0
            self.by_user[column] = max(after, least)
            if after < least:
                self._resize(column, least)

    # ---------------------------------------------------------------- showing and hiding

    def show(self, columns: Sequence[int], shown: bool) -> None:
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
        with self.changing_together():
            apply_header_state(self._header, self._keys, state)
        self.narrow.clear()
        known = {key: column for column, key in enumerate(self._keys)}
        self.by_user = {
            known[column.key]: column.width
            for column in state.columns
            if column.is_user_width and column.width and column.key in known
        }
        self.distribute()

    @property
    def _keys(self) -> list[str]:
        return [column.key for column in self._columns]
