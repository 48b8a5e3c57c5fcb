"""Cells of reports: exact numbers and recorded names of many rows at a time.

100,000 cells are formatted as a column in 20 ms, one by one in ten times that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from qcachegrind_py.present.table import Cells, NumberCells, Numbers, Table, known_numbers
from qcachegrind_py.profile.ids import text_ids
from qcachegrind_py.profile.numbers import (
    ACTIVE,
    UNDEFINED,
    NumberStyle,
    format_exact,
    format_percentage,
    fraction_of,
    has_percentages,
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


class Values(Protocol):
    """Cells for other programs."""

    def values(self, rows: Int64Array) -> list[Any]:
        """Return the cells of these rows."""


Record = Mapping[str, "Values | Record"]  # the members of a JSON object for each row


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
    return f"{'-' if number < 0 else '+' if signed else ''}{rounded}"


def percentage_text(change: int | float, base: int | float, style: NumberStyle) -> str:
    """Format a change in percent of a value in the base; a dash if there are no percentages."""
    if isinstance(change, float) or isinstance(base, float):
        return fixed_text(100 * change / abs(base), style, signed=True) if base else UNDEFINED
    text = format_percentage(change, base, style)
    return signed_text(text, change) if any(digit in text for digit in "123456789") else text


@dataclass(frozen=True, slots=True, eq=False)
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
        values = known_numbers(self.costs[rows])
        if self.is_absent is not None:
            for place in np.flatnonzero(self.is_absent[rows]).tolist():
                values[place] = None
        return values

    def text(self, row: int) -> str:
        return self.texts(np.array([row]))[0]

    def texts(self, rows: Int64Array) -> list[str]:
        """Return the texts of these rows."""
        costs = self.costs[rows]
        form = "{:,}".format if self.form is exact and costs.dtype.kind == "i" else self.form
        texts = list(map(form, costs.tolist()))
        if self.is_estimate is not None:
            for place in np.flatnonzero(self.is_estimate[rows]).tolist():
                texts[place] = ESTIMATE_SIGN + texts[place]
        if self.is_absent is not None:
            for place in np.flatnonzero(self.is_absent[rows]).tolist():
                texts[place] = self.absent
        return texts

    def width(self, rows: Int64Array) -> int:
        """Return the length of the longest text of these rows."""
        costs, least = self.costs[rows], self.least_width
        if not len(rows):
            return least
        if costs.dtype.kind == "f" or self.is_absent is not None:
            return max(least, *map(len, self.texts(rows)))
        marked = self.is_estimate is not None and bool(self.is_estimate[rows].any())
        return max(least, *(marked + len(self.form(int(n))) for n in (costs.min(), costs.max())))

    @property
    def has_shares(self) -> bool:
        """Whether percentages of a total stand beside the numbers."""
        return self.total is not None

    def shares(self, rows: Int64Array) -> list[float | None]:
        """Return the percentages of these rows; None where there are none."""
        shares: list[float | None] = [None] * len(rows)
        if self.total is not None and has_percentages(self.total):
            shares = list(percentages(self.costs[rows].tolist(), self.total) or ())
        if self.is_absent is not None:
            for place in np.flatnonzero(self.is_absent[rows]).tolist():
                shares[place] = None
        return shares

    def weights(self, rows: Int64Array) -> list[float | None] | None:
        """Return the percentages by which rows are in bold; None if none is."""
        if self.weight is None:
            return self.shares(rows) if self.has_shares else None
        numbers, total = self.weight
        return [percentage(abs(number), total) for number in numbers[rows].tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class PhraseCells(ExactCells):
    """Numbers that text has with words or signs: new, gone, 3 → 4."""

    phrases: Callable[[Int64Array], list[str]] = field(kw_only=True)

    def texts(self, rows: Int64Array) -> list[str]:
        return self.phrases(rows)

    def width(self, rows: Int64Array) -> int:
        return max([self.least_width, *map(len, self.phrases(rows))])


@dataclass(frozen=True, slots=True, eq=False)
class BarCells(PhraseCells):
    """Numbers with bars: those of changes begin in the middle, and grow both ways."""

    longest: int | float | None = field(kw_only=True)  # has the longest bar; None: no bars
    are_changes: bool = field(default=False, kw_only=True)

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


@dataclass(frozen=True, slots=True, eq=False)
class ShareCells(NumberCells):
    """Costs in percent of a total; with `decimals`, as texts of numbers."""

    costs: Numbers
    total: int | float
    decimals: int | None = None
    is_absent: BoolArray | None = None

    def numbers(self) -> Numbers:
        return self.costs

    def values(self, rows: Int64Array) -> list[Any]:
        shares = ExactCells(self.costs, total=self.total, is_absent=self.is_absent).shares(rows)
        if self.decimals is None:
            return [
                None if share is None or not math.isfinite(share) else share for share in shares
            ]
        form = f"{{:.{self.decimals}f}}".format
        return ["" if share is None else form(share) for share in shares]

    def text(self, row: int) -> str:
        return str(self.values(np.array([row]))[0])


def call_cells(
    counts: Int64Array, *, is_known: bool, is_active: BoolArray | None = None
) -> ExactCells:
    """Return the called counts of text: a dash if calls are not counted, or `(active)`."""
    if not is_known:
        return ExactCells(counts, is_absent=np.ones(len(counts), bool), least_width=len(ACTIVE))
    return ExactCells(counts, is_absent=is_active, absent=ACTIVE, least_width=len(ACTIVE))


@dataclass(frozen=True, slots=True, eq=False)
class PairCells:
    """Numbers of both sides, which JSON has as a list of two."""

    base: ExactCells
    new: ExactCells

    def values(self, rows: Int64Array) -> list[Any]:
        """Return both numbers of each row."""
        return list(zip(self.base.values(rows), self.new.values(rows), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class ObjectCells:
    """Cells that are computed for some rows at a time, of any kind that JSON has."""

    values: Callable[[Int64Array], list[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class WordCells(Cells):
    """Texts that are looked up for some rows at a time; reports are in order."""

    words: Callable[[Int64Array], list[Any]]

    def text(self, row: int) -> str:
        return str(self.words(np.array([row]))[0])

    def values(self, rows: Int64Array) -> list[Any]:
        return self.words(rows)


def row_texts(table: Table, rows: Int64Array) -> list[tuple[str, ...]]:
    """Return the texts of these rows in the columns of exact numbers."""
    columns = [column.cells for column in table.columns]
    texts = [cells.texts(rows) for cells in columns if isinstance(cells, ExactCells)]
    return list(zip(*texts, strict=True))


def costs_by_event(names: tuple[str, ...], costs: Int64Array) -> dict[str, int]:
    """Return costs of shape (events,), int64, by the names of the measured events."""
    return {to_display(name): int(cost) for name, cost in zip(names, costs, strict=True)}


# ---------------------------------------------------------------- names


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function as recorded; a text that is all that is said of a row has no file."""

    name: str
    file: str = ""
    object: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class FullNameCells(Cells):
    """The names of functions, with program or library and source file as far as they fit."""

    names: Callable[[Int64Array], Sequence[FunctionName]]
    prefix: Callable[[int], str] = field(default=lambda _row: "")

    def values(self, rows: Int64Array) -> list[Any]:
        """Return the names alone."""
        return [each.name for each in self.names(rows)]

    def text(self, row: int) -> str:
        """Return the name of a row."""
        return self.names(np.array([row]))[0].name


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
