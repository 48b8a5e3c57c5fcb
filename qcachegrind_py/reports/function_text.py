"""The function table as text for people: the facts of the profile, then costs with percentages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TextIO

from qcachegrind_py.analysis.facts import profile_facts
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.number_format import ACTIVE, format_call_count, format_exact
from qcachegrind_py.reports.facts import TEXT_STYLE, write_facts
from qcachegrind_py.reports.function_table import CostColumn, cost_columns, named_rows
from qcachegrind_py.reports.selection import ReportSelection
from qcachegrind_py.reports.table_export import cell_text
from qcachegrind_py.reports.text_layout import PLAIN_TEXT, TextLayout

_GAP = "  "
_PERCENTAGE_WIDTH = len("100.00")

LinesBeside = Callable[[int], tuple[Iterable[str], Iterable[str]]]
"""Returns the lines to print above and below that of a function."""


def write_text(
    selection: ReportSelection,
    stream: TextIO,
    layout: TextLayout = PLAIN_TEXT,
    beside: LinesBeside | None = None,
) -> None:
    """Write the facts of the profile and the functions, with the lines `beside` each of them."""
    queries, scope = selection.queries, selection.scope
    write_facts(profile_facts(selection.profile, scope.parts, queries.events), stream)
    stream.write("\n")
    table = FunctionLines(selection, layout)
    for title in table.titles():
        stream.write(f"{title}\n")
    for row, name, file, object_ in named_rows(selection, selection.functions):
        above, below = beside(row) if beside else ((), ())
        for line in (*above, table.line(row, f"{name} ({object_}: {file})"), *below):
            stream.write(f"{line}\n")


class FunctionLines:
    """The functions of a report as lines: costs in each event, called count, and name."""

    def __init__(self, selection: ReportSelection, layout: TextLayout) -> None:
        self._layout = layout
        self._events = selection.events
        self._columns = cost_columns(selection)
        self._costs = selection.queries.costs(selection.scope)
        rows = selection.functions.tolist()
        self._widths = [
            max([len("Incl."), *(len(_cost_text(column, row)) for row in rows)])
            for column in self._columns
        ]
        self._called_width = max([len(ACTIVE), *(len(self._called_text(row)) for row in rows)])

    def titles(self) -> list[str]:
        """Return the events above their columns, and the titles of the columns."""
        if not self._events:
            return [f"{'Called':>{self._called_width}}{_GAP}Function"]
        widths = [width + len(_GAP) + _PERCENTAGE_WIDTH for width in self._widths]
        events = [
            self._layout.fit(cell_text(event.name), sum(pair) + len(_GAP)).ljust(sum(pair))
            for event, pair in zip(
                self._events, zip(widths[::2], widths[1::2], strict=True), strict=True
            )
        ]
        titles = [
            f"{title:>{width}}{_GAP}{'%':>{_PERCENTAGE_WIDTH}}"
            for title, width in zip(
                ("Incl.", "Self") * len(self._events), self._widths, strict=True
            )
        ]
        last = f"{'Called':>{self._called_width}}"
        return [(_GAP * 2).join(events).rstrip(), _GAP.join((*titles, last, "Function"))]

    def line(self, row: int, name: str) -> str:
        """Return the line of a function, with its name at the end."""
        cells, plain = [], 0
        for column, width in zip(self._columns, self._widths, strict=True):
            share = column.percentage(row)
            percentage = "" if share is None else f"{share:.2f}"
            text = f"{_cost_text(column, row):>{width}}{_GAP}{percentage:>{_PERCENTAGE_WIDTH}}"
            plain += len(text) + len(_GAP)
            cells.append(self._layout.cost(text, share or 0.0))
        called = f"{self._called_text(row):>{self._called_width}}"
        used = plain + len(called) + len(_GAP)
        return _GAP.join((*cells, called, self._layout.name(name, used)))

    def _called_text(self, row: int) -> str:
        is_active = bool(self._costs.is_active[row])
        return format_call_count(int(self._costs.called[row]), TEXT_STYLE, is_active=is_active)


def _cost_text(column: CostColumn, row: int) -> str:
    return format_exact(as_number(column.costs[row]), "", TEXT_STYLE)
