"""The function table as TSV or CSV, and the columns that all forms of it share.

Several events stand side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import text_ids
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.profile.tables import Int32Array, Int64Array
from qcachegrind_py.reports.selection import ReportSelection
from qcachegrind_py.reports.table_export import cell_text, defined_number, write_separated

_NAME_TITLES = ("called", "cycle", "name", "file", "object")


def function_names(
    selection: ReportSelection, rows: Int64Array
) -> tuple[list[str], list[str], list[str]]:
    """Return the names, files and objects of these functions as recorded."""
    functions, texts = selection.profile.functions, selection.profile.texts
    names = texts.lookup(text_ids(functions.name[rows]))
    files, objects = (
        _repeated_names(texts, column[rows]) for column in (functions.file, functions.object)
    )
    return names, files, objects


def _repeated_names(texts: StringTable, numbers: Int32Array) -> list[str]:
    """Return the texts with these numbers, decoding each number once."""
    distinct, places = np.unique(numbers, return_inverse=True)
    names = texts.lookup(text_ids(distinct))
    return [names[place] for place in places.tolist()]


def named_rows(selection: ReportSelection, rows: Int64Array) -> Iterator[tuple[int, str, str, str]]:
    """Yield these functions with their names, files and objects as recorded."""
    yield from zip(rows.tolist(), *function_names(selection, rows), strict=True)


@dataclass(frozen=True, slots=True, eq=False)
class CostColumn:
    """The costs of a report's functions, in their order, and what percentages of them are of."""

    title: str  # `inclusive` or `self`
    event: EventType
    costs: list[int | float]
    total: int | float

    def percentages(self) -> list[float | None]:
        """Return the shares of the total in percent; None for ratios."""
        if self.event.is_ratio:
            return [None] * len(self.costs)
        base = max(1, self.total)
        return [100 * cost / base for cost in self.costs]


def cost_columns(selection: ReportSelection) -> list[CostColumn]:
    """Return inclusive and self cost of each event."""
    rows = selection.functions
    return [
        CostColumn(title, event, costs(event)[rows].tolist(), selection.total(event))
        for event in selection.events
        for title, costs in (("inclusive", selection.inclusive), ("self", selection.self_cost))
    ]


def write_tsv(selection: ReportSelection, stream: TextIO) -> None:
    """Write one line per function after a title line, separated by tabs."""
    write_separated(_titles(selection), _cells(selection), "tsv", stream)


def write_csv(selection: ReportSelection, stream: TextIO) -> None:
    """Write the table separated by commas, and safe to open in a spreadsheet."""
    write_separated(_titles(selection), _cells(selection), "csv", stream)


def _titles(selection: ReportSelection) -> list[str]:
    """Return the column titles; they name the event only where there are several."""
    titles = []
    for column in cost_columns(selection):
        of_event = f" {cell_text(column.event.name)}" if len(selection.events) > 1 else ""
        titles.append(f"{column.title}{of_event}")
        if selection.with_percentages:
            titles.append(f"{column.title}{of_event} %")
    return [*(titles or ["inclusive", "self"]), *_NAME_TITLES]


def _cells(selection: ReportSelection) -> Iterator[list[object]]:
    costs, rows = selection.queries.costs(selection.scope), selection.functions
    columns = list(_cost_cells(selection)) or [[0] * len(rows)] * 2
    numbers = zip(*columns, costs.called[rows].tolist(), costs.cycle[rows].tolist(), strict=True)
    for cells, (_row, *names) in zip(numbers, named_rows(selection, rows), strict=True):
        yield [*cells, *names]


def _cost_cells(selection: ReportSelection) -> Iterator[Sequence[object]]:
    """Yield the columns of costs, each followed by its percentages if they are asked for."""
    for column in cost_columns(selection):
        yield list(map(defined_number, column.costs))
        if selection.with_percentages:
            yield ["" if share is None else f"{share:.4f}" for share in column.percentages()]
