"""The function table as text for people: the facts of the profile, then costs with percentages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

import numpy as np

from qcachegrind_py.analysis.facts import profile_facts
from qcachegrind_py.analysis.folded_queries import FoldedQueries, unfolded_queries
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.numbers import ACTIVE, UNDEFINED, format_exact
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.reports.facts import TEXT_STYLE, less_than_self_text, write_facts
from qcachegrind_py.reports.folding import ESTIMATE_SIGN, folding_facts
from qcachegrind_py.reports.function_table import (
    CostColumn,
    chunks,
    cost_columns,
    function_names,
)
from qcachegrind_py.reports.selection import ReportSelection
from qcachegrind_py.reports.table_export import cell_text
from qcachegrind_py.reports.text_layout import PLAIN_TEXT, TextLayout

_GAP = "  "
_PERCENTAGE_WIDTH = len("100.00")


def write_text(selection: ReportSelection, stream: TextIO, layout: TextLayout = PLAIN_TEXT) -> None:
    """Write the facts of the profile and the functions."""
    write_head(selection, stream, layout)
    table = _FunctionLines(selection, layout)
    for title in table.titles():
        stream.write(f"{title}\n")
    for rows in chunks(selection.nodes):
        stream.write("".join(f"{line}\n" for line in table.lines(rows)))


def write_head(selection: ReportSelection, stream: TextIO, layout: TextLayout) -> None:
    """Write the facts of the profile, with the sizes of its files, and an empty line."""
    queries, scope = selection.queries, selection.scope
    profile = unfolded_queries(queries).profile  # the facts are those of what was read
    facts = profile_facts(profile, scope.parts, queries.events)
    less = less_than_self_text(queries, scope)
    more = [("Doubtful", less)] if less else []
    write_facts(facts, stream, layout, more=[*more, *folding_facts(queries, [scope])])
    stream.write("\n")


class _FunctionLines:
    """The functions and cycles of a report as lines: costs in each event, called count, and name.

    Cells are formatted column by column, some thousand functions at a time: 100,000 take 0.3 s,
    against 0.7 s cell by cell.
    """

    def __init__(self, selection: ReportSelection, layout: TextLayout) -> None:
        self._selection, self._layout = selection, layout
        self._costs = selection.queries.costs(selection.scope)
        rows = selection.nodes
        self._columns = cost_columns(selection)
        self._estimated = _have_estimates(selection)
        self._widths = [
            max(len("Incl."), _width_of(column.costs[rows]) + self._has_marks(column, rows))
            for column in self._columns
        ]
        self._called_width = max(len(ACTIVE), _width_of(self._costs.called[rows]))

    def titles(self) -> list[str]:
        """Return the events above their columns, and the titles of the columns."""
        events = self._selection.events
        if not events:
            return [f"{'Called':>{self._called_width}}{_GAP}Function"]
        widths = [width + len(_GAP) + _PERCENTAGE_WIDTH for width in self._widths]
        names = [
            self._layout.fit(cell_text(event.name), sum(pair) + len(_GAP)).ljust(sum(pair))
            for event, pair in zip(events, zip(widths[::2], widths[1::2], strict=True), strict=True)
        ]
        titles = [
            f"{title:>{width}}{_GAP}{'%':>{_PERCENTAGE_WIDTH}}"
            for title, width in zip(("Incl.", "Self") * len(events), self._widths, strict=True)
        ]
        last = f"{'Called':>{self._called_width}}"
        return [(_GAP * 2).join(names).rstrip(), _GAP.join((*titles, last, "Function"))]

    def lines(self, rows: Int64Array) -> Iterator[str]:
        """Return the lines of these functions, with name and location at the end of each."""
        cells = [
            self._cost_cells(column, width, rows)
            for column, width in zip(self._columns, self._widths, strict=True)
        ]
        plain, shown = zip(*cells, strict=True) if cells else ((), ())
        called = self._called_cells(rows)
        used = [
            sum(map(len, row)) + len(_GAP) * len(row) for row in zip(*plain, called, strict=True)
        ]
        ends = self._ends(rows, used)
        return map(_GAP.join, zip(*shown, called, ends, strict=True))

    def _ends(self, rows: Int64Array, used: list[int]) -> list[str]:
        """Return the names and locations for the ends of lines, as far as they have room."""
        cycle, count = self._costs.cycle[rows], self._selection.queries.function_count
        functions = rows[rows < count]
        located = zip(*function_names(self._selection, functions), strict=True)
        ends = []
        for node, number, width in zip(rows.tolist(), cycle.tolist(), used, strict=True):
            if node >= count:
                members = len(self._costs.nodes_of_cycle(number)) - 1  # it is one of the nodes
                ends.append(self._layout.name(f"<cycle {number}> ({members} members)", width))
                continue
            name, file, object_ = next(located)
            name = f"{name} <cycle {number}>" if number else name
            ends.append(self._layout.located_name(name, file, object_, width))
        return ends

    def _cost_cells(
        self, column: CostColumn, width: int, rows: Int64Array
    ) -> tuple[list[str], list[str]]:
        """Return costs with percentages, and the same with hot costs in bold."""
        costs: list[int | float] = column.costs[rows].tolist()
        shares = column.percentages(costs)
        if shares is None:
            end = _GAP + " " * _PERCENTAGE_WIDTH
            cells = [f"{_cost_text(cost):>{width}}{end}" for cost in costs]
        else:
            form = f"{{:>{width},}}{_GAP}{{:>{_PERCENTAGE_WIDTH}.2f}}"
            cells = list(map(form.format, costs, shares))
        if self._has_marks(column, rows):
            for place in np.flatnonzero(self._estimated[rows]).tolist():
                cells[place] = _marked(cells[place])
        if shares is None or not self._layout.is_colored:
            return cells, cells
        return cells, list(map(self._layout.cost, cells, shares))

    def _has_marks(self, column: CostColumn, rows: Int64Array) -> bool:
        """Return whether some of the costs are estimates."""
        return column.title == "self" and bool(self._estimated[rows].any())

    def _called_cells(self, rows: Int64Array) -> list[str]:
        if not self._costs.has_call_counts:
            return [f"{UNDEFINED:>{self._called_width}}"] * len(rows)
        cells = list(map(f"{{:>{self._called_width},}}".format, self._costs.called[rows].tolist()))
        for place in np.flatnonzero(self._costs.is_active[rows]).tolist():
            cells[place] = f"{ACTIVE:>{self._called_width}}"
        return cells


def _have_estimates(selection: ReportSelection) -> BoolArray:
    """Return whether self costs are partly estimates, shape (nodes,)."""
    queries, scope = selection.queries, selection.scope
    if isinstance(queries, FoldedQueries):
        return queries.has_estimates(scope)
    return np.zeros(len(queries.costs(scope).cycle), bool)


def _marked(cell: str) -> str:
    """Return a right-aligned cost with a sign before it that says that it is an estimate."""
    number = cell.lstrip()
    return f"{ESTIMATE_SIGN}{number}".rjust(len(cell))


def _width_of(numbers: CostArray) -> int:
    """Return the length of the longest of these numbers as text; 0 if there is none."""
    if not len(numbers):
        return 0
    if numbers.dtype.kind == "f":
        return max(map(len, map(_cost_text, numbers.tolist())))
    return max(len(f"{int(number):,}") for number in (numbers.min(), numbers.max()))


def _cost_text(cost: int | float) -> str:
    return format_exact(cost, "", TEXT_STYLE)
