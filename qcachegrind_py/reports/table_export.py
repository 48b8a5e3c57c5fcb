"""Tables for other programs, as CSV or as JSON, and the cells that all reports share.

Numbers are exact and without digit groups, names in full. JSON is a list with one object per row,
keyed by column title; a missing number is null.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TextIO

from qcachegrind_py.profile.string_table import to_display
from qcachegrind_py.profile.tables import Int64Array

_FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_csv_rows(rows: Iterable[Sequence[object]], stream: TextIO, *, end: str = "\r\n") -> None:
    """Write rows of numbers and texts, titles first; lines end as RFC 4180 requires by default."""
    writer = csv.writer(stream, lineterminator=end)
    writer.writerows([neutralize_formula(value) for value in row] for row in rows)


def neutralize_formula(value: object) -> object:
    """Return the value so that a spreadsheet does not take a text for a formula."""
    is_formula = isinstance(value, str) and value.startswith(_FORMULA_PREFIXES)
    return f"'{value}" if is_formula else value


Value = int | float | str | None


@dataclass(frozen=True, slots=True)
class ExportTable:
    """Column titles, and rows of as many values."""

    titles: tuple[str, ...]
    rows: Sequence[Sequence[Value]]

    def to_csv(self, end: str = "\r\n") -> str:
        """Return one line per row, titles first; None becomes an empty cell."""
        stream = io.StringIO()
        write_csv_rows(chain([self.titles], self.rows), stream, end=end)
        return stream.getvalue()

    def to_json(self) -> str:
        """Return a list with one object per row, each on its own line."""
        objects = (dict(zip(self.titles, row, strict=True)) for row in self.rows)
        lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in objects)
        return "[\n" + ",\n".join(lines) + "\n]\n"


OutputFormat = Literal["text", "tsv", "csv", "json"]


def costs_by_event(names: tuple[str, ...], costs: Int64Array) -> dict[str, int]:
    """Return costs of shape (events,), int64, by the names of the measured events."""
    return {to_display(name): int(cost) for name, cost in zip(names, costs, strict=True)}


def cell_text(value: object) -> str:
    """Return text without line breaks, column separators or terminal control characters."""
    return "".join(
        c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in to_display(str(value))
    )


def cell_row(row: Iterable[object]) -> list[object]:
    """Return a row with its texts sanitised by `cell_text`, and its numbers unchanged."""
    return [cell_text(value) if isinstance(value, str) else value for value in row]
