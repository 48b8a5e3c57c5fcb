"""The columns of reports about calls: costs in each event, a count, and a function or cycle."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.number_format import (
    ACTIVE,
    IN_CYCLE,
    NumberStyle,
    format_call_count,
    format_count,
    format_exact,
)
from qcachegrind_py.profile.string_table import to_display
from qcachegrind_py.reports.call_rows import CallRow, CallTable, Costs
from qcachegrind_py.reports.table_export import cell_text
from qcachegrind_py.reports.text_layout import TextLayout, columns_of

TEXT_STYLE = NumberStyle(group_separator=",")  # of text reports
_COST_WIDTH, _PERCENTAGE_WIDTH = 16, 8  # a longer event name makes its columns wider


class NodeColumns:
    """What identifies a function or cycle in a report: names as recorded, and its cycle."""

    titles = ("cycle", "name", "file", "object")

    def __init__(self, table: CallTable) -> None:
        self._queries = table.queries
        self._labels = table.queries.labels(table.scope)

    def cells(self, node: NodeId) -> tuple[int, str, str, str]:
        """Return the cells below `titles`; a cycle has neither file nor object."""
        cycle, names = self._labels.cycle(node), self._queries.names
        if not self._queries.is_function(node):
            return cycle, self._labels.name(node), "", ""
        return cycle, names.name(node), names.file(node), names.object(node)

    def object(self, node: NodeId) -> dict[str, Any]:
        """Return the same for JSON; file and object of a cycle are null."""
        cycle, name, file, object_ = self.cells(node)
        return {
            "name": name,
            "file": file or None,
            "object": object_ or None,
            "cycle": cycle,
        }

    def line_end(self, node: NodeId, layout: TextLayout, used: int) -> str:
        """Return name and location for the end of a text line of which `used` columns are taken."""
        name, (_, _, file, object_) = self._labels.name(node), self.cells(node)
        if self._labels.is_cycle(node):
            return layout.name(f"{name} ({self._labels.location(node)})", used)
        return layout.located_name(name, file, object_, used)


class CostColumns:
    """Costs in the events of a report; text has two each: of a node or call, and self cost."""

    def __init__(self, table: CallTable) -> None:
        self.events = table.events
        self._table = table

    @property
    def names(self) -> list[str]:
        """The names of the events, for JSON."""
        return [to_display(event.name) for event in self.events]

    @property
    def text_width(self) -> int:
        """The number of columns that the costs take in text."""
        return sum(2 * (self._width(event) + _PERCENTAGE_WIDTH) for event in self.events)

    def titles(self, *kinds: str) -> list[str]:
        """Return titles for the kinds of costs, with the event if the report has several."""
        return [f"{kind}{self._suffix(event)}" for event in self.events for kind in kinds]

    def text_titles(self, first: str) -> str:
        """Return the title line of text, up to the last cost."""
        return "".join(
            f"{cell_text(title + self._suffix(event)):>{self._width(event)}}"
            f"{'%':>{_PERCENTAGE_WIDTH}}"
            for event in self.events
            for title in (first, "Self")
        )

    def cells(self, *costs: Costs | None) -> list[int | float | str]:
        """Return the costs of a row below `titles`; empty cells where there is none."""
        return [
            "" if values is None else values[index]
            for index in range(len(self.events))
            for values in costs
        ]

    def object(self, costs: Costs | None) -> dict[str, int | float | None] | None:
        """Return costs by event for JSON; a ratio that is not defined is null."""
        if costs is None:
            return None
        return {
            to_display(event.name): cost if math.isfinite(cost) else None
            for event, cost in zip(self.events, costs, strict=True)
        }

    def totals_object(self) -> dict[str, int | float | None] | None:
        """Return the totals that percentages are of, by event, for JSON."""
        return self.object(self._totals)

    def total_lines(self) -> str:
        """Return a line of text per event: the total that percentages are of."""
        return "".join(
            f"Total {cell_text(event.name)}: {format_exact(total, '', TEXT_STYLE)}\n"
            for event, total in zip(self.events, self._totals, strict=True)
        )

    def text(self, first: Costs | None, self_cost: Costs | None, layout: TextLayout) -> str:
        """Return the cells of a text line; a call within a cycle has no cost of its own."""
        return "".join(
            self._text_cells(None if costs is None else costs[index], missing, event, layout)
            for index, event in enumerate(self.events)
            for costs, missing in ((first, IN_CYCLE), (self_cost, ""))
        )

    @cached_property
    def _totals(self) -> Costs:
        queries, parts = self._table.queries, self._table.scope.parts
        return tuple(queries.total(event, parts).base for event in self.events)

    def _width(self, event: EventType) -> int:
        return max(_COST_WIDTH, len("  Incl.") + columns_of(cell_text(self._suffix(event))))

    def _suffix(self, event: EventType) -> str:
        return f" {event.name}" if len(self.events) > 1 else ""

    def _text_cells(
        self, cost: int | float | None, missing: str, event: EventType, layout: TextLayout
    ) -> str:
        width = self._width(event)
        if cost is None:
            return f"{missing:>{width}}{'':{_PERCENTAGE_WIDTH}}"
        number = f"{format_exact(cost, '', TEXT_STYLE):>{width}}"
        if event.is_ratio:
            return number + " " * _PERCENTAGE_WIDTH
        percentage = 100 * cost / max(1, self._totals[self.events.index(event)])
        return layout.cost(f"{number}{percentage:{_PERCENTAGE_WIDTH}.2f}", percentage)


def called_text(row: CallRow) -> str:
    """Return in text how often a function or cycle was called."""
    return format_call_count(row.count or 0, TEXT_STYLE, is_active=row.is_active)


def count_text(row: CallRow | None) -> str:
    """Return in text how many calls a caller or callee has; empty for a member of a cycle."""
    if row is None or row.count is None:
        return ""
    return ACTIVE if row.is_active else f"{format_count(row.count, TEXT_STYLE)}x"
