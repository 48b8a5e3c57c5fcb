"""A table for other programs: as comma-separated values, or as JSON.

Numbers are exact and bare, names whole. JSON is a list with an object a row, by the titles of the
columns; what is no number where others are is null.
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
    """Write rows of numbers and texts, the first of titles; lines end as the RFC has it."""
    writer = csv.writer(stream, lineterminator=end)
    writer.writerows([neutralize_formula(value) for value in row] for row in rows)


def neutralize_formula(value: object) -> object:
    """The value as a spreadsheet may have it: a text is no formula."""
    is_formula = isinstance(value, str) and value.startswith(_FORMULA_PREFIXES)
    return f"'{value}" if is_formula else value


Value = int | float | str | None


@dataclass(frozen=True, slots=True)
class ExportTable:
    """Titles, and rows of as many values."""

    titles: tuple[str, ...]
    rows: Sequence[Sequence[Value]]

    def to_csv(self, end: str = "\r\n") -> str:
        """A line a row, the first of titles; None is an empty cell."""
        written = io.StringIO()
        write_csv_rows(chain([self.titles], self.rows), written, end=end)
        return written.getvalue()

    def to_json(self) -> str:
        """An object a row, each in a line of its own."""
        objects = (dict(zip(self.titles, row, strict=True)) for row in self.rows)
        lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in objects)
        return "[\n" + ",\n".join(lines) + "\n]\n"
