"""What all reports have in common: costs by the name of their event, and text for columns.

How a report looks is its own business.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from qcachegrind_py.profile.string_table import to_display
from qcachegrind_py.profile.tables import Int64Array

OutputFormat = Literal["text", "tsv", "csv", "json"]


def costs_by_event(names: tuple[str, ...], costs: Int64Array) -> dict[str, int]:
    """The costs of one thing, shape (events,), under the names of the measured events."""
    return {to_display(name): int(cost) for name, cost in zip(names, costs, strict=True)}


def cell_text(value: object) -> str:
    """Text that breaks no line and no column, and reaches no terminal as a command."""
    return "".join(
        c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in to_display(str(value))
    )


def cell_row(row: Iterable[object]) -> list[object]:
    """A row whose texts are those of `cell`, and whose numbers are as they are."""
    return [cell_text(value) if isinstance(value, str) else value for value in row]
