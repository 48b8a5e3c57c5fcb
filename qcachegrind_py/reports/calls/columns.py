"""The columns of reports about calls, in tables and JSON: costs, and a function or cycle."""

from __future__ import annotations

import math
from typing import Any

from qcachegrind_py.analysis.names.function_names import FunctionNames, Labels
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NodeId, is_function
from qcachegrind_py.profile.numbers import percentage
from qcachegrind_py.profile.tables import to_display
from qcachegrind_py.reports.calls.rows import CallTable, Costs
from qcachegrind_py.reports.selection import ReportSelection
from qcachegrind_py.reports.table_export import cell_text
from qcachegrind_py.reports.text_layout import TextLayout


class NodeColumns:
    """What identifies a function or cycle in a report: its cycle, and names as recorded."""

    titles = ("cycle", "name", "file", "object")

    def __init__(self, selection: ReportSelection) -> None:
        self._names = FunctionNames(selection.profile)
        self._labels = Labels(self._names, selection.queries.costs(selection.scope).cycle)

    def cells(self, node: NodeId) -> tuple[int, str, str, str]:
        """Return the cells below `titles`; a cycle has neither file nor object."""
        cycle, names = self._labels.cycle(node), self._names
        if not is_function(node, len(names)):
            return cycle, self._labels.name(node), "", ""
        return cycle, names.name(node), names.file(node), names.object(node)

    def members(self, node: NodeId) -> dict[str, Any]:
        """Return the same for JSON; file and object of a cycle are null."""
        cycle, *names = self.cells(node)
        name, file, object_ = map(to_display, names)
        return {"name": name, "file": file or None, "object": object_ or None, "cycle": cycle}

    def line_end(self, node: NodeId, layout: TextLayout, used: int) -> str:
        """Return name and location for the end of a text line of which `used` columns are taken."""
        name, (_, _, file, object_) = self._labels.name(node), self.cells(node)
        if self._labels.is_cycle(node):
            return layout.name(f"{name} ({self._labels.location(node)})", used)
        return layout.located_name(name, file, object_, used)


class CostColumns:
    """Costs in the events of a report, and percentages where they are asked for."""

    def __init__(self, table: CallTable) -> None:
        self._selection, self._events = table.selection, table.events
        self._totals = tuple(map(table.selection.total, table.events))
        self.names = [to_display(event.name) for event in table.events]  # for JSON

    def base(self) -> dict[str, int | float | None]:
        """Return what percentages are of, by event, for JSON."""
        return self._by_event(self._totals)

    def percentage(self, index: int, cost: int | float) -> float | None:
        """Return a cost in percent of the event's total; None where there are no percentages."""
        return percentage(cost, self._totals[index])

    def titles(self, *kinds: str) -> list[str]:
        """Return titles of a table for kinds of costs; they name the event if there are several."""
        percentages = ("", " %") if self._selection.with_percentages else ("",)
        return [
            f"{kind}{f' {cell_text(event.name)}' if len(self._events) > 1 else ''}{percent}"
            for event in self._events
            for kind in kinds
            for percent in percentages
        ]

    def cells(self, *costs: Costs | None) -> list[int | float | str]:
        """Return the cells of a table below `titles`; empty where there is no cost."""
        cells: list[int | float | str] = []
        for index in range(len(self._events)):
            for cost in (math.nan if values is None else values[index] for values in costs):
                cells.append("" if math.isnan(cost) else cost)
                if self._selection.with_percentages:
                    share = None if math.isnan(cost) else self.percentage(index, cost)
                    cells.append("" if share is None else f"{share:.4f}")
        return cells

    def members(self, kind: str, costs: Costs | None) -> dict[str, Any]:
        """Return costs by event as a member of a JSON object, and their percentages as another."""
        members = {kind: None if costs is None else self._by_event(costs)}
        if self._selection.with_percentages:
            members[f"{kind}_percent"] = None if costs is None else self._percentages(costs)
        return members

    def _by_event(self, costs: Costs) -> dict[str, int | float | None]:
        pairs = zip(self.names, costs, strict=True)
        return {name: cost if math.isfinite(cost) else None for name, cost in pairs}

    def _percentages(self, costs: Costs) -> dict[str, int | float | None]:
        def is_shown(event: EventType) -> bool:
            return event in self._selection.events and not event.is_ratio

        return {
            name: self.percentage(index, costs[index])
            for index, (name, event) in enumerate(zip(self.names, self._events, strict=True))
            if is_shown(event)
        }
