"""Tables as comma-separated values (RFC 4180), for spreadsheets and other programs.

A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula, and runs it, while
the names of a profile may be anything. Such a text gets an apostrophe in front, which tells a
spreadsheet that it is text; other programs see it. Numbers stay as they are, and so does all JSON.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import TextIO

_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_rows(rows: Iterable[Sequence[object]], stream: TextIO, *, end: str = "\r\n") -> None:
    """Write rows of numbers and texts, the first of titles; lines end as the RFC has it."""
    writer = csv.writer(stream, lineterminator=end)
    writer.writerows([harmless(value) for value in row] for row in rows)


def harmless(value: object) -> object:
    """The value as a spreadsheet may have it: a text is no formula."""
    is_formula = isinstance(value, str) and value.startswith(_FORMULAS)
    return f"'{value}" if is_formula else value
