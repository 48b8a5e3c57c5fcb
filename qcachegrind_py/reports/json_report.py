"""The whole profile as one JSON object: functions, calls, parts and diagnostics.

It is a contract (docs/command.md): measured events in file order, all calls, cycles as numbers on
their members.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, TextIO

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.part_totals import part_totals, recorded_totals
from qcachegrind_py.analysis.facts import profile_facts
from qcachegrind_py.formats.fingerprints import file_sizes
from qcachegrind_py.formats.standard_input import display_name
from qcachegrind_py.profile.events import CostArray, EventType, as_number
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import to_display
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.facts import facts_object
from qcachegrind_py.reports.function_table import named_rows
from qcachegrind_py.reports.selection import ReportSelection
from qcachegrind_py.reports.table_export import costs_by_event


def write_json(selection: ReportSelection, stream: TextIO) -> None:
    """Write the functions, calls, parts and diagnostics as one JSON object."""
    profile, queries, scope = selection.profile, selection.queries, selection.scope
    order = selection.functions
    names = profile.events.names
    costs, sizes = queries.costs(scope), file_sizes(profile.paths)
    report: dict[str, Any] = {
        "file": to_display(display_name(profile.paths[0])),
        "creator": to_display(profile.creator),
        "command": to_display(profile.command),
        "header": facts_object(profile_facts(profile, scope.parts, queries.events, sizes)),
        "events": list(map(to_display, names)),
        "totals": costs_by_event(names, _counted(costs.self_cost, selection).sum(axis=1)),
        "summary": recorded_totals(profile, scope.parts),
        "parts": _part_objects(profile),
        "functions": list(_function_objects(selection, order)),
        "calls": list(_call_objects(selection, queries.call_edges(scope.parts), order)),
        "diagnostics": [
            {"line": d.line, "kind": d.kind, "message": d.message} for d in profile.diagnostics
        ],
        "diagnostic_count": profile.diagnostic_count,
    }
    json.dump(report, stream, allow_nan=False)
    stream.write("\n")


def _counted(values: Int64Array, selection: ReportSelection) -> Int64Array:
    """Return the columns of functions, without those of cycles."""
    return values[:, : selection.queries.function_count]


class _CostObjects:
    """Costs of one kind, inclusive or self, as objects by event."""

    def __init__(self, selection: ReportSelection, kind: str, measured: Int64Array) -> None:
        self._names, self._measured = selection.profile.events.names, measured
        events = selection.queries.events
        self._derived: list[tuple[EventType, CostArray]] = [
            (event, events.evaluate(event, measured))
            for event in selection.events
            if event.is_derived
        ]
        self._shares = (
            [
                (event, events.evaluate(event, measured), selection.total(event))
                for event in selection.events
                if not event.is_ratio
            ]
            if selection.with_percentages
            else []
        )
        self._kind = kind

    def members(self, row: int) -> dict[str, Any]:
        """Return the costs of a row, and percentages where they are asked for."""
        column = self._measured[:, row]
        costs: dict[str, Any] = {**costs_by_event(self._names, column)}
        for event, values in self._derived:
            costs[to_display(event.name)] = _json_number(as_number(values[row]))
        members = {self._kind: costs}
        if self._shares:
            members[f"{self._kind}_percent"] = {
                to_display(event.name): 100 * int(values[row]) / total if total > 0 else None
                for event, values, total in self._shares
            }
        return members


def _json_number(number: int | float) -> int | float | None:
    return number if math.isfinite(number) else None


def _function_objects(selection: ReportSelection, order: Int64Array) -> Iterator[dict[str, Any]]:
    costs = selection.queries.costs(selection.scope)
    own = _CostObjects(selection, "self", costs.self_cost)
    inclusive = _CostObjects(selection, "inclusive", costs.inclusive)
    for row, name, file, object_ in named_rows(selection, order):
        yield {
            "name": to_display(name),
            "file": to_display(file),
            "object": to_display(object_),
            "cycle": int(costs.cycle[row]),
            "called": int(costs.called[row]),
            **own.members(row),
            **inclusive.members(row),
        }


def _call_objects(
    selection: ReportSelection, edges: CallEdges, order: Int64Array
) -> Iterator[dict[str, Any]]:
    """Yield the calls between the functions shown, referring to them by their row in the report."""
    inclusive = _CostObjects(selection, "inclusive", edges.inclusive)
    report_row = np.full(selection.queries.function_count, -1, np.int64)
    report_row[order] = np.arange(len(order))
    for row in np.flatnonzero(
        (report_row[edges.caller] >= 0) & (report_row[edges.callee] >= 0)
    ).tolist():
        yield {
            "caller": int(report_row[edges.caller[row]]),
            "callee": int(report_row[edges.callee[row]]),
            "count": int(edges.count[row]),
            **inclusive.members(row),
        }


def _part_objects(profile: Profile) -> list[dict[str, Any]]:
    totals = part_totals(profile)
    return [
        {
            "file": to_display(display_name(part.path)),
            "part": part.part,
            "pid": part.pid,
            "thread": part.thread,
            "trigger": to_display(part.trigger),
            "totals": costs_by_event(profile.events.names, totals[:, index]),
        }
        for index, part in enumerate(profile.parts)
    ]
