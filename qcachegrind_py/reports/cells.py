"""Text cells shared by all reports: costs by event name, and texts safe for columns.

The layout of each report is its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from qcachegrind_py.profile.string_table import to_display
from qcachegrind_py.profile.tables import Int64Array

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
