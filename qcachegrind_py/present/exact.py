"""Cells of reports: exact numbers and recorded names of many rows at a time.

100,000 cells are formatted as a column in 20 ms, one by one in ten times that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import isfinite
from typing import Any, TypeAlias

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import Cells, Column, NumberCells, Numbers, known_numbers
from qcachegrind_py.profile.ids import text_ids
from qcachegrind_py.profile.numbers import (
    ACTIVE,
    MINUS,
    UNDEFINED,
    NumberStyle,
    format_exact,
    format_percentage,
    fraction_of,
    percentage,
    percentages,
    signed_text,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, StringTable, to_display

TEXT_STYLE = NumberStyle(group_separator=",")  # of text reports
ESTIMATE_SIGN = "≈"
_ROWS_AT_ONCE = 5000  # a MB or two of text


def chunks(rows: Int64Array) -> Iterator[Int64Array]:
    """Yield some thousand rows at a time, so that memory does not grow with their number."""
    for begin in range(0, len(rows), _ROWS_AT_ONCE):
        yield rows[begin : begin + _ROWS_AT_ONCE]


# what JSON has for each row: cells, objects, or lists of as many cells or objects
Record = Mapping[str, "Member"]
Member: TypeAlias = "Cells | Record | Sequence[Member] | Nullable | Lists"


@frozen
class Nullable:
    """What JSON has for each row, and null where it is absent."""

    member: Member
    is_absent: BoolArray


@frozen
class Lists:
    """For each row a list of rows of another table, from one up to another."""

    member: Member
    begin: Int64Array
    end: Int64Array


def exact(number: int | float) -> str:
    """Return a number in full: 1,250."""
    return format_exact(number, "", TEXT_STYLE)


def fixed_text(number: float, style: NumberStyle, *, signed: bool = False) -> str:
    """Format a fraction with the decimals of the style: +12.35."""
    if number != number:
        return UNDEFINED
    rounded = f"{abs(number):,.{style.decimals}f}".replace(",", style.group_separator)
    if not any(digit in rounded for digit in "123456789"):
        return rounded
    return f"{MINUS if number < 0 else '+' if signed else ''}{rounded}"


def share_in_text(share: float) -> str:
    """Format a percentage of a text report: 12.50, −3.00."""
    return f"{share:z.2f}".replace("-", MINUS)


def percentage_text(change: int | float, base: int | float, style: NumberStyle) -> str:
    """Format a change in percent of a value in the base; a dash if there are no percentages."""
    if isinstance(change, float) or isinstance(base, float):
        return fixed_text(100 * change / abs(base), style, signed=True) if base else UNDEFINED
    text = format_percentage(change, base, style)
    return signed_text(text, change) if any(digit in text for digit in "123456789") else text


@frozen
class ExactCells(NumberCells):
    """Numbers of rows as they are, by default in full; with a total, percentages stand beside."""

    costs: Numbers
    form: Callable[[Any], str] = exact
    total: int | float | None = None
    is_estimate: BoolArray | None = None
    is_absent: BoolArray | None = None  # rows that have no such number
    absent: str = UNDEFINED  # what text has for these
    weight: tuple[Numbers, int | float] | None = None  # numbers and a total: large ones are bold
    least_width: int = 0

    def numbers(self) -> Numbers:
        return self.costs

    def values(self, rows: Int64Array) -> list[Any]:
        return self._with_absent(known_numbers(self.costs[rows]), rows, None)

    def texts(self, rows: Int64Array) -> list[str]:
        costs = self.costs[rows]
        if self.form is exact and costs.dtype.kind == "i":  # the same, and faster
            texts = [f"{cost:,}" for cost in costs.tolist()]
            for place in np.flatnonzero(costs < 0).tolist():
                texts[place] = texts[place].replace("-", MINUS)
        else:
            texts = list(map(self.form, costs.tolist()))
        if self.is_estimate is not None:
            for place in np.flatnonzero(self.is_estimate[rows]).tolist():
                texts[place] = ESTIMATE_SIGN + texts[place]
        return self._with_absent(texts, rows, self.absent)

    def width(self, rows: Int64Array) -> int:
        widths = [self.least_width]
        if self.is_absent is not None:
            is_absent = self.is_absent[rows]
            widths.append(len(self.absent) * bool(is_absent.any()))
            rows = rows[~is_absent]
        costs = self.costs[rows]
        if costs.dtype.kind == "f":
            widths.append(Cells.width(self, rows))
        elif len(rows):  # one of the ends is the longest
            marked = self.is_estimate is not None and bool(self.is_estimate[rows].any())
            widths += [marked + len(self.form(int(end))) for end in (costs.min(), costs.max())]
        return max(widths)

    @property
    def has_shares(self) -> bool:
        return self.total is not None

    def shares(self, rows: Int64Array) -> list[float | None]:
        shares = None if self.total is None else percentages(self.costs[rows].tolist(), self.total)
        return [None] * len(rows) if shares is None else self._with_absent(shares, rows, None)

    def weights(self, rows: Int64Array) -> list[float | None]:
        if self.weight is None:
            return self.shares(rows)
        numbers, total = self.weight
        return [percentage(abs(number), total) for number in numbers[rows].tolist()]

    def _with_absent(self, cells: list[Any], rows: Int64Array, absent: Any) -> list[Any]:
        """Return cells of these rows with another one where there is no number."""
        if self.is_absent is not None:
            for place in np.flatnonzero(self.is_absent[rows]).tolist():
                cells[place] = absent
        return cells


@frozen
class PhraseCells(ExactCells):
    """Numbers written with words or signs, such as new, gone and 3 → 4; they may have bars.

    Bars of changes begin in the middle, and grow both ways.
    """

    phrases: Callable[[Int64Array], list[str]] = field(kw_only=True)
    longest: int | float | None = field(default=None, kw_only=True)  # of a full bar; None: no bars
    are_changes: bool = field(default=False, kw_only=True)

    def texts(self, rows: Int64Array) -> list[str]:
        return self.phrases(rows)

    def width(self, rows: Int64Array) -> int:
        return max(self.least_width, Cells.width(self, rows))

    @property
    def is_change(self) -> bool:
        return self.are_changes

    @property
    def has_bars(self) -> bool:
        return self.longest is not None

    def bar(self, row: int) -> float:
        if not self.longest:
            return 0.0
        number = self.costs[row : row + 1].tolist()[0]
        if not self.are_changes:
            return fraction_of(number, self.longest)
        return number / self.longest if number == number else 0.0


@frozen
class _WrittenNumbers(NumberCells):
    """Numbers as they were written for all rows."""

    cells: NumberCells
    written: tuple[list[str], list[float | None], list[float | None]]  # texts, shares and weights
    least_width: int

    def numbers(self) -> Numbers:
        return self.cells.numbers()

    def texts(self, rows: Int64Array) -> list[str]:
        texts = self.written[0]
        return [texts[row] for row in rows.tolist()]

    def width(self, rows: Int64Array) -> int:
        return max(self.least_width, NumberCells.width(self, rows))

    @property
    def has_shares(self) -> bool:
        return self.cells.has_shares

    def shares(self, rows: Int64Array) -> list[float | None]:
        shares = self.written[1]
        return [shares[row] for row in rows.tolist()]

    def weights(self, rows: Int64Array) -> list[float | None]:
        weights = self.written[2]
        return [weights[row] for row in rows.tolist()]


def written_once(column: Column, rows: int) -> Column:
    """Return a column of that many rows whose texts exist, to be listed a few rows at a time."""
    cells, all_ = column.cells, np.arange(rows)
    texts = cells.texts(all_)
    if not isinstance(cells, ExactCells):
        return replace(column, cells=CodeCells(lambda few: [texts[row] for row in few.tolist()]))
    written = texts, cells.shares(all_), cells.weights(all_)
    return replace(column, cells=_WrittenNumbers(cells, written, cells.least_width))


@frozen
class ShareCells(NumberCells):
    """The percentages beside other cells, as a column; with `decimals`, as texts of numbers."""

    of: ExactCells
    decimals: int | None = None

    def numbers(self) -> Numbers:
        return self.of.costs

    def values(self, rows: Int64Array) -> list[Any]:
        shares = self.of.shares(rows)
        if self.decimals is None:
            return [share if share is None or isfinite(share) else None for share in shares]
        form = f"{{:.{self.decimals}f}}".format
        return ["" if share is None else form(share) for share in shares]

    def texts(self, rows: Int64Array) -> list[str]:
        return list(map(str, self.values(rows)))


@frozen
class ValueCells(Cells):
    """Values of any kind that JSON has, looked up for some rows at a time."""

    look_up: Callable[[Int64Array], list[Any]]

    def texts(self, rows: Int64Array) -> list[str]:
        return list(map(str, self.values(rows)))

    def values(self, rows: Int64Array) -> list[Any]:
        return self.look_up(rows)


def truths(mask: BoolArray) -> ValueCells:
    return ValueCells(lambda rows: mask[rows].tolist())


@frozen
class FullNameCells(Cells):
    """The names of functions, with program or library and source file as far as they fit."""

    look_up: Callable[[Int64Array], Iterable[tuple[str, str, str]]]  # name, file and object

    def names(self, rows: Int64Array) -> Iterable[tuple[str, str, str]]:
        return self.look_up(rows)

    def texts(self, rows: Int64Array) -> list[str]:
        return [name for name, _, _ in self.look_up(rows)]

    values = texts


@frozen
class CodeCells(Cells):
    """Printable lines of code, which lose their ends where they are too long."""

    look_up: Callable[[Int64Array], list[str]]

    def texts(self, rows: Int64Array) -> list[str]:
        return self.look_up(rows)

    values = texts


@frozen
class PathCells(CodeCells):
    """Paths, which lose their beginnings where they are too long."""


def call_cells(
    counts: Int64Array, *, is_known: bool, is_active: BoolArray | None = None
) -> ExactCells:
    """Return called counts: a dash in text if calls are not counted, or `(active)`."""
    if not is_known:
        return ExactCells(counts, is_absent=np.ones(len(counts), bool), least_width=len(ACTIVE))
    return ExactCells(counts, is_absent=is_active, absent=ACTIVE, least_width=len(ACTIVE))


def plain_columns(*cells: tuple[str, Cells]) -> tuple[Column, ...]:
    """Return the columns of a table for other programs, each by its title."""
    return tuple(Column(title, title, "", each) for title, each in cells)


def costs_by_event(names: tuple[str, ...], costs: Int64Array) -> dict[str, int]:
    """Return costs of shape (events,), int64, by the names of the measured events."""
    return {to_display(name): int(cost) for name, cost in zip(names, costs, strict=True)}


def recorded_names(
    profile: Profile, rows: Int64Array, texts: StringTable | None = None
) -> tuple[list[str], list[str], list[str]]:
    """Return the names, files and objects of these functions, as recorded by default."""
    functions, texts = profile.functions, texts or profile.texts
    files, objects = (
        repeated_names(texts, column[rows]) for column in (functions.file, functions.object)
    )
    return texts.lookup(text_ids(functions.name[rows])), files, objects


def repeated_names(texts: StringTable, numbers: Int32Array) -> list[str]:
    """Return the texts with these numbers, decoding each number once."""
    distinct, places = np.unique(numbers, return_inverse=True)
    names = texts.lookup(text_ids(distinct))
    return [names[place] for place in places.tolist()]
