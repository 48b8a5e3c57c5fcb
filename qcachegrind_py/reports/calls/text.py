"""Rows about calls as lines of text: costs and percentages in each event, a count, and a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.numbers import (
    ACTIVE,
    IN_CYCLE,
    UNDEFINED,
    format_call_count,
    format_count,
    format_exact,
)
from qcachegrind_py.reports.calls.columns import CostColumns, NodeColumns
from qcachegrind_py.reports.calls.rows import CallRow, CallTable, Costs
from qcachegrind_py.reports.facts import TEXT_STYLE
from qcachegrind_py.reports.folding import ESTIMATE_SIGN
from qcachegrind_py.reports.table_export import cell_text
from qcachegrind_py.reports.text_layout import TextLayout, columns_of

_GAP = "  "
_PERCENTAGE_WIDTH = len("100.00")


@dataclass(frozen=True, slots=True)
class TextRow:
    """One line: two costs in each event, a count as text, a mark and a function or cycle."""

    cost: Costs | None  # None: of a call within a cycle
    self_cost: Costs | None  # None: not shown
    count: str
    mark: str
    node: NodeId
    is_estimated: bool = False  # part of the self cost is


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cost as text, and its share of the total in percent; None if that says nothing."""

    text: str
    share: float | None


def write_rows(
    table: CallTable,
    titles: tuple[str, str],
    blocks: Iterable[Iterable[TextRow]],
    stream: TextIO,
    layout: TextLayout,
) -> None:
    """Write title lines and the rows of each block, with an empty line above each.

    `titles` are those of the first cost and of the count.
    """
    lines = _Lines(table, [list(rows) for rows in blocks], titles, layout)
    for line in lines:
        stream.write(f"{line}\n")


def called_text(row: CallRow) -> str:
    """Return how often a function or cycle was called."""
    return format_call_count(row.count, TEXT_STYLE, is_active=row.is_active)


def count_text(row: CallRow | None) -> str:
    """Return how many calls a caller or callee has; empty for a member of a cycle."""
    if row is None or row.is_member:
        return ""
    if row.count is None:
        return UNDEFINED
    sign = ESTIMATE_SIGN if row.is_estimated else ""
    return ACTIVE if row.is_active else f"{sign}{format_count(row.count, TEXT_STYLE)}x"


class _Lines:
    """The lines of a report, in columns that are as wide as their widest cell."""

    def __init__(
        self,
        table: CallTable,
        blocks: list[list[TextRow]],
        titles: tuple[str, str],
        layout: TextLayout,
    ) -> None:
        self._table, self._blocks, self._layout = table, blocks, layout
        self._cost_titles, self._count_title = (titles[0], "Self") * len(table.events), titles[1]
        self._nodes, self._costs = NodeColumns(table.selection), CostColumns(table)
        rows = [row for block in blocks for row in block]
        self._cells = {id(row): list(self._cost_cells(row)) for row in rows}
        columns = zip(*self._cells.values(), strict=True) if rows else [()] * len(self._cost_titles)
        self._widths = [
            max([len(title), *(len(cell.text) for cell in column)])
            for title, column in zip(self._cost_titles, columns, strict=True)
        ]
        counts = (len(row.count) for row in rows)
        self._count_width = max([len(self._count_title), len(ACTIVE), *counts])
        self._ends: dict[tuple[NodeId, int], str] = {}  # functions are in many blocks
        self._mark_width = max([0, *(len(row.mark) for row in rows)])

    def __iter__(self) -> Iterator[str]:
        yield from self._titles()
        for block in self._blocks:
            yield ""
            yield from map(self._line, block)

    def _titles(self) -> Iterator[str]:
        widths = [width + len(_GAP) + _PERCENTAGE_WIDTH for width in self._widths]
        pairs = [sum(pair) + len(_GAP) for pair in zip(widths[::2], widths[1::2], strict=True)]
        events = (
            self._layout.fit(cell_text(event.name), width).ljust(width)
            for event, width in zip(self._table.events, pairs, strict=True)
        )
        yield _GAP.join(events).rstrip()
        titles = [
            f"{title:>{width}}{_GAP}{'%':>{_PERCENTAGE_WIDTH}}"
            for title, width in zip(self._cost_titles, self._widths, strict=True)
        ]
        last = f"{self._count_title:>{self._count_width}}"
        yield _GAP.join((*titles, last, " " * self._mark_width + "Function"))

    def _line(self, row: TextRow) -> str:
        plain, texts = 0, []
        for cell, width in zip(self._cells[id(row)], self._widths, strict=True):
            percentage = "" if cell.share is None else f"{cell.share:.2f}"
            text = f"{cell.text:>{width}}{_GAP}{percentage:>{_PERCENTAGE_WIDTH}}"
            plain += len(text) + len(_GAP)
            texts.append(self._layout.cost(text, cell.share or 0.0))
        count = f"{row.count:>{self._count_width}}{_GAP}{row.mark}"
        return _GAP.join((*texts, count + self._end(row.node, plain + columns_of(count))))

    def _end(self, node: NodeId, used: int) -> str:
        """Return name and location of a node for the end of a line, made once."""
        key = node, used
        if key not in self._ends:
            self._ends[key] = self._nodes.line_end(node, self._layout, used)
        return self._ends[key]

    def _cost_cells(self, row: TextRow) -> Iterator[_Cell]:
        for index in range(len(self._table.events)):
            for costs, missing in ((row.cost, IN_CYCLE), (row.self_cost, "")):
                if costs is None:
                    yield _Cell(missing, None)
                else:
                    share = self._costs.percentage(index, costs[index])
                    text = format_exact(costs[index], "", TEXT_STYLE)
                    is_estimated = row.is_estimated and costs is row.self_cost
                    yield _Cell(f"{ESTIMATE_SIGN}{text}" if is_estimated else text, share)
