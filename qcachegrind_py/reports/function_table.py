"""The function table as TSV or CSV, and the columns that all forms of it share.

Several events stand side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import text_ids
from qcachegrind_py.profile.numbers import percentages
from qcachegrind_py.profile.tables import Int32Array, Int64Array, StringTable
from qcachegrind_py.reports.selection import ReportSelection
from qcachegrind_py.reports.table_export import (
    TableColumns,
    cell_text,
    defined_number,
    write_columns,
)

_ROWS_AT_ONCE = 5000  # a MB or two of text
_NAME_TITLES = ("called", "cycle", "name", "file", "object")


def function_names(
    selection: ReportSelection, rows: Int64Array
) -> tuple[list[str], list[str], list[str]]:
    """Return the names, files and objects of these functions as recorded."""
    functions, texts = selection.profile.functions, selection.profile.texts
    names = texts.lookup(text_ids(functions.name[rows]))
    files, objects = (
        repeated_names(texts, column[rows]) for column in (functions.file, functions.object)
    )
    return names, files, objects


def repeated_names(texts: StringTable, numbers: Int32Array) -> list[str]:
    """Return the texts with these numbers, decoding each number once."""
    distinct, places = np.unique(numbers, return_inverse=True)
    names = texts.lookup(text_ids(distinct))
    return [names[place] for place in places.tolist()]


def chunks(rows: Int64Array) -> Iterator[Int64Array]:
    """Yield some thousand rows at a time, so that memory does not grow with their number."""
    for begin in range(0, len(rows), _ROWS_AT_ONCE):
        yield rows[begin : begin + _ROWS_AT_ONCE]


@dataclass(frozen=True, slots=True, eq=False)
class CostColumn:
    """The costs of all functions and cycles, shape (nodes,), and what percentages are of."""

    title: str  # `inclusive` or `self`
    event: EventType
    costs: CostArray
    total: int | float

    def percentages(self, costs: Sequence[int | float]) -> list[float] | None:
        """Return these costs in percent of the total; None where there are no percentages."""
        return percentages(costs, self.total)


def cost_columns(selection: ReportSelection) -> list[CostColumn]:
    """Return inclusive and self cost of each event."""
    return [
        CostColumn(title, event, costs(event, selection.scope), selection.total(event))
        for event in selection.events
        for title, costs in (
            ("inclusive", selection.queries.inclusive),
            ("self", selection.queries.self_cost),
        )
    ]


def write_tsv(selection: ReportSelection, stream: TextIO) -> None:
    """Write one line per function after a title line, separated by tabs."""
    write_columns(_titles(selection), _cells(selection), "tsv", stream)


def write_csv(selection: ReportSelection, stream: TextIO) -> None:
    """Write the table separated by commas, and safe to open in a spreadsheet."""
    write_columns(_titles(selection), _cells(selection), "csv", stream)


def _titles(selection: ReportSelection) -> list[str]:
    """Return the column titles; they name the event only where there are several."""
    titles = []
    for column in cost_columns(selection):
        of_event = f" {cell_text(column.event.name)}" if len(selection.events) > 1 else ""
        titles.append(f"{column.title}{of_event}")
        if selection.with_percentages:
            titles.append(f"{column.title}{of_event} %")
    return [*(titles or ["inclusive", "self"]), *_NAME_TITLES]


def _cells(selection: ReportSelection) -> Iterator[TableColumns]:
    costs, columns = selection.queries.costs(selection.scope), cost_columns(selection)
    for rows in chunks(selection.functions):
        numbers = list(_cost_cells(selection, columns, rows)) or [[0] * len(rows)] * 2
        called = costs.called[rows].tolist() if costs.has_call_counts else [""] * len(rows)
        numbers += [called, costs.cycle[rows].tolist()]
        yield TableColumns(numbers, function_names(selection, rows))


def _cost_cells(
    selection: ReportSelection, columns: Sequence[CostColumn], rows: Int64Array
) -> Iterator[Sequence[int | float | str]]:
    """Yield the columns of costs, each followed by its percentages if they are asked for."""
    for column in columns:
        costs = column.costs[rows].tolist()
        yield list(map(defined_number, costs)) if column.event.is_ratio else costs
        if selection.with_percentages:
            shares = column.percentages(costs)
            yield [""] * len(rows) if shares is None else list(map("{:.4f}".format, shares))
