"""The function table as TSV or CSV, and the columns that all forms of it share.

Several events stand side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TextIO

from qcachegrind_py.profile.events import CostArray, EventType, as_number
from qcachegrind_py.profile.ids import text_ids
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.selection import ReportSelection
from qcachegrind_py.reports.table_export import cell_row, cell_text, write_csv_rows

_NAME_TITLES = ("called", "cycle", "name", "file", "object")


def named_rows(selection: ReportSelection, rows: Int64Array) -> Iterator[tuple[int, str, str, str]]:
    """Yield these functions with their names, files and objects as recorded."""
    functions, texts = selection.profile.functions, selection.profile.texts
    columns = (functions.name, functions.file, functions.object)
    names = (texts.lookup(text_ids(column[rows])) for column in columns)
    yield from zip(rows.tolist(), *names, strict=True)


@dataclass(frozen=True, slots=True, eq=False)
class CostColumn:
    """The costs of all functions in one event, and what percentages of them are of."""

    title: str  # `inclusive` or `self`
    event: EventType
    costs: CostArray
    total: int | float

    def percentage(self, row: int) -> float | None:
        """Return the share of the total in percent; None for ratios, and of nothing."""
        if self.event.is_ratio or self.total <= 0:
            return None
        return 100 * int(self.costs[row]) / self.total


def cost_columns(selection: ReportSelection) -> list[CostColumn]:
    """Return inclusive and self cost of each event."""
    return [
        CostColumn(title, event, costs(event), selection.total(event))
        for event in selection.events
        for title, costs in (("inclusive", selection.inclusive), ("self", selection.self_cost))
    ]


def write_tsv(selection: ReportSelection, stream: TextIO) -> None:
    """Write one line per function after a title line, separated by tabs."""
    stream.write("\t".join(_titles(selection)) + "\n")
    for row in _cells(selection):
        stream.write("\t".join(map(cell_text, row)) + "\n")


def write_csv(selection: ReportSelection, stream: TextIO) -> None:
    """Write the table separated by commas, and safe to open in a spreadsheet."""
    write_csv_rows(chain([_titles(selection)], map(cell_row, _cells(selection))), stream)


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
    costs, columns = selection.queries.costs(selection.scope), cost_columns(selection)
    for row, *names in named_rows(selection, selection.functions):
        cells: list[object] = [] if columns else [0, 0]
        for column in columns:
            cells.append(_plain_number(column, row))
            if selection.with_percentages:
                share = column.percentage(row)
                cells.append("" if share is None else f"{share:.4f}")
        yield [*cells, int(costs.called[row]), int(costs.cycle[row]), *names]


def _plain_number(column: CostColumn, row: int) -> int | float | str:
    cost = as_number(column.costs[row])
    return "" if cost != cost else cost  # NaN is a ratio that is not defined
