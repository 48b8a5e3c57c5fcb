"""Tables for other programs, as CSV or as JSON.

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
from typing import TextIO

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
