"""Tables for other programs, as TSV, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Literal, TextIO, cast

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.exact import chunks
from qcachegrind_py.present.page import Listing
from qcachegrind_py.present.table import Column
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


@frozen(eq=True)
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
        stream.write("\t".join(visible_text(str(cell)) for cell in row) + "\n")


def write_table(listing: Listing, form: Literal["tsv", "csv"], stream: TextIO) -> None:
    """Write a title line and rows as `write_separated` does, some thousand rows at a time.

    Texts are known by their column rather than by the type of each cell: 100,000 functions take
    0.2 s instead of 0.6 s.
    """
    text = {"tsv": visible_text, "csv": _csv_text_cell}[form]
    titles = [text(column.title) for column in listing.table.columns]
    writer = csv.writer(stream, lineterminator="\r\n")
    if form == "csv":
        writer.writerow(titles)
    else:
        stream.write("\t".join(titles) + "\n")
    for some in chunks(listing.rows):
        columns = [_column_cells(column, some, text) for column in listing.table.columns]
        if form == "csv":
            writer.writerows(zip(*columns, strict=True))
        else:
            lines = ("\t".join(map(str, row)) for row in zip(*columns, strict=True))
            stream.write("".join(f"{line}\n" for line in lines))


def _column_cells(column: Column, rows: Int64Array, text: Callable[[str], str]) -> Sequence[object]:
    """Return the cells of a column: texts as they are visible, and nothing for what is unknown."""
    values = column.cells.values(rows)
    if not column.is_number:
        return list(map(text, cast("list[str]", values)))
    return ["" if value is None else value for value in values] if None in values else values
