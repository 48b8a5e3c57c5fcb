"""Tables for other programs, as CSV or as JSON, and the cells that all reports share.

Numbers are exact and without digit groups, names in full. JSON is a list with one object per row,
keyed by column title; a missing number is null.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TextIO

from qcachegrind_py.profile.errors import WithheldFile
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import Int64Array, to_display
from qcachegrind_py.visible_text import visible_text

_ROWS_PER_CHECK = 5000  # some 20 ms
_FORMULA_PREFIXES = ("=", "+", "-", "@")


def write_csv_rows(rows: Iterable[Iterable[object]], stream: TextIO, *, end: str = "\r\n") -> None:
    """Write rows of numbers and texts, titles first; lines end as RFC 4180 requires by default.

    Texts are written as `visible_text` shows them.
    """
    writer = csv.writer(stream, lineterminator=end)
    writer.writerows([_csv_cell(value) for value in row] for row in rows)


def _csv_cell(value: object) -> object:
    """Return the value so that a spreadsheet shows a text as it is: not as a formula."""
    return _csv_text_cell(value) if isinstance(value, str) else value


def _csv_text_cell(value: str) -> str:
    text = visible_text(value)
    return f"'{text}" if text.startswith(_FORMULA_PREFIXES) else text


Value = int | float | str | None


@dataclass(frozen=True, slots=True)
class ExportTable:
    """Column titles, and rows of as many values."""

    titles: tuple[str, ...]
    rows: Sequence[Sequence[Value]]
    withheld: tuple[WithheldFile, ...] = ()
    """The source files whose text is left out."""

    def to_csv(self, end: str = "\r\n") -> str:
        """Return one line per row, titles first; None becomes an empty cell."""
        return "".join(self.csv_chunks(NoProgress(), end))

    def csv_chunks(self, progress: Progress, end: str = "\r\n") -> Iterator[str]:
        """Yield the text of `to_csv` in pieces, and report the progress."""
        yield _csv_text([self.titles], end)
        for rows in self._row_chunks(progress):
            yield _csv_text(rows, end)

    def json_chunks(self, progress: Progress) -> Iterator[str]:
        """Yield a list with one object per row, each on its own line; report the progress.

        The text is ASCII, so that names are exact and no control character is written as it is.
        """
        separator = "[\n"
        for rows in self._row_chunks(progress):
            objects = (dict(zip(self.titles, map(_exact, row), strict=True)) for row in rows)
            lines = (json.dumps(row, allow_nan=False) for row in objects)
            yield separator + ",\n".join(lines)
            separator = ",\n"
        yield "\n]\n" if self.rows else "[\n\n]\n"

    def _row_chunks(self, progress: Progress) -> Iterator[Sequence[Sequence[Value]]]:
        for begin in range(0, len(self.rows), _ROWS_PER_CHECK):
            progress.check(begin / len(self.rows))
            yield self.rows[begin : begin + _ROWS_PER_CHECK]


def _exact(value: Value) -> Value:
    """Return the value for JSON, which has no form for bytes that are not UTF-8."""
    return to_display(value) if isinstance(value, str) else value


def _csv_text(rows: Iterable[Sequence[object]], end: str) -> str:
    stream = io.StringIO()
    write_csv_rows(rows, stream, end=end)
    return stream.getvalue()


OutputFormat = Literal["text", "tsv", "csv", "json"]


def write_separated(
    titles: Sequence[str],
    rows: Iterable[Iterable[object]],
    form: Literal["tsv", "csv"],
    stream: TextIO,
) -> None:
    """Write a title line and rows, separated by tabs or as CSV, with texts as they are visible."""
    if form == "csv":
        write_csv_rows(chain([titles], rows), stream)
        return
    for row in chain([titles], rows):
        stream.write("\t".join(map(cell_text, row)) + "\n")


@dataclass(frozen=True, slots=True)
class TableColumns:
    """Some rows of a table as columns of equal length: numbers, and texts to the right of them."""

    numbers: Sequence[Sequence[int | float | str]]  # a str is a number in its final form, or empty
    texts: Sequence[Sequence[str]]

    def rows(self, form: Literal["tsv", "csv"]) -> Iterator[tuple[object, ...]]:
        """Yield the cells of each row, with texts as they are visible."""
        cell = visible_text if form == "tsv" else _csv_text_cell
        return zip(*self.numbers, *(map(cell, column) for column in self.texts), strict=True)


def write_columns(
    titles: Sequence[str],
    chunks: Iterable[TableColumns],
    form: Literal["tsv", "csv"],
    stream: TextIO,
) -> None:
    """Write a title line and rows as `write_separated` does, some thousand rows at a time.

    Texts are known by their column rather than by the type of each cell: 100,000 functions take
    0.2 s instead of 0.6 s.
    """
    if form == "csv":
        writer = csv.writer(stream, lineterminator="\r\n")
        writer.writerow(map(_csv_text_cell, titles))
        for chunk in chunks:
            writer.writerows(chunk.rows(form))
        return
    stream.write("\t".join(map(cell_text, titles)) + "\n")
    for chunk in chunks:
        lines = ("\t".join(map(str, row)) for row in chunk.rows(form))
        stream.write("".join(f"{line}\n" for line in lines))


def costs_by_event(names: tuple[str, ...], costs: Int64Array) -> dict[str, int]:
    """Return costs of shape (events,), int64, by the names of the measured events."""
    return {to_display(name): int(cost) for name, cost in zip(names, costs, strict=True)}


def cell_text(value: object) -> str:
    """Return text without line breaks, column separators or terminal control characters."""
    return visible_text(str(value))


def defined_number(cost: int | float) -> int | float | str:
    """Return a cost, or an empty text for a ratio that is not defined."""
    return cost if math.isfinite(cost) else ""
