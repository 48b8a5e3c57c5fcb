"""The whole profile as one JSON object: functions, calls, parts and diagnostics.

It is a contract (docs/command.md): measured events in file order, all calls, cycles as numbers on
their members.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TextIO

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.totals import part_totals, recorded_totals
from qcachegrind_py.analysis.facts import profile_facts
from qcachegrind_py.analysis.folded_queries import FoldedQueries, unfolded_queries
from qcachegrind_py.formats.standard_input import display_name
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.numbers import percentage
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array, to_display
from qcachegrind_py.reports.facts import facts_object
from qcachegrind_py.reports.folding import folds_member
from qcachegrind_py.reports.function_table import chunks, function_names
from qcachegrind_py.reports.json_rows import (
    Cells,
    Members,
    json_rows,
    number_cells,
    text_cells,
    write_list,
)
from qcachegrind_py.reports.selection import ReportSelection
from qcachegrind_py.reports.table_export import costs_by_event


def write_json(selection: ReportSelection, stream: TextIO) -> None:
    """Write the functions, calls, parts and diagnostics as one JSON object, row by row."""
    queries, scope = selection.queries, selection.scope
    profile = unfolded_queries(queries).profile  # the facts are those of what was read
    names = profile.events.names
    costs, recorded = queries.costs(scope), recorded_totals(profile, scope.parts)
    before: dict[str, Any] = {
        "file": to_display(display_name(profile.paths[0])),
        "creator": to_display(profile.creator),
        "command": to_display(profile.command),
        "header": facts_object(profile_facts(profile, scope.parts, queries.events)),
        "events": list(map(to_display, names)),
        "totals": costs_by_event(names, _counted(costs.self_cost, selection).sum(axis=1)),
        "summary": recorded and {to_display(name): cost for name, cost in recorded.items()},
        "parts": _part_objects(profile),
        **folds_member(queries),
    }
    after: dict[str, Any] = {
        "diagnostics": [
            {"line": d.line, "kind": d.kind, "message": d.message} for d in profile.diagnostics
        ],
        "diagnostic_count": profile.diagnostic_count,
    }
    stream.write(json.dumps(before, allow_nan=False)[:-1])
    write_list("functions", _function_objects(selection), stream)
    write_list("calls", _call_objects(selection), stream)
    stream.write(f", {json.dumps(after, allow_nan=False)[1:]}\n")


def _counted(values: Int64Array, selection: ReportSelection) -> Int64Array:
    """Return the columns of functions, without those of cycles."""
    return values[:, : selection.queries.function_count]


class _CostObjects:
    """Costs of one kind, inclusive or self, as objects by event."""

    def __init__(self, selection: ReportSelection, kind: str, measured: Int64Array) -> None:
        self._kind, events = kind, selection.queries.events
        names = selection.profile.events.names
        self._costs: dict[str, CostArray] = {
            to_display(name): values for name, values in zip(names, measured, strict=True)
        }
        for event in selection.events:
            if event.is_derived:
                self._costs[to_display(event.name)] = events.evaluate(event, measured)
        self._shares = (
            [
                (to_display(event.name), events.evaluate(event, measured), selection.total(event))
                for event in selection.events
                if not event.is_ratio
            ]
            if selection.with_percentages
            else []
        )

    def members(self, rows: Int64Array) -> Members:
        """Return the costs of these rows, and percentages where they are asked for."""
        costs = {name: _cost_cells(values[rows]) for name, values in self._costs.items()}
        if not self._shares:
            return {self._kind: costs}
        shares = {
            name: number_cells(percentage(value, total) for value in values[rows].tolist())
            for name, values, total in self._shares
        }
        return {self._kind: costs, f"{self._kind}_percent": shares}


def _cost_cells(costs: CostArray) -> Cells:
    if costs.dtype.kind == "f":
        return number_cells(costs.tolist())
    integers: list[int] = costs.tolist()
    return integers


def _count_cells(counts: Int64Array, *, is_known: bool) -> Cells:
    integers: list[int] = counts.tolist()
    return integers if is_known else ["null"] * len(integers)


def _function_objects(selection: ReportSelection) -> Iterator[Iterator[str]]:
    costs = selection.queries.costs(selection.scope)
    own = _CostObjects(selection, "self", costs.self_cost)
    inclusive = _CostObjects(selection, "inclusive", costs.inclusive)
    for rows in chunks(selection.functions):
        names, files, objects = function_names(selection, rows)
        yield json_rows(
            {
                "name": text_cells(names),
                "file": text_cells(files),
                "object": text_cells(objects),
                "cycle": costs.cycle[rows].tolist(),
                "called": _count_cells(costs.called[rows], is_known=costs.has_call_counts),
                **own.members(rows),
                **inclusive.members(rows),
                **_charges(selection, rows),
            }
        )


def _charges(selection: ReportSelection, rows: Int64Array) -> Members:
    """Return what of the self costs is of folded functions; nothing if none is folded."""
    queries, scope = selection.queries, selection.scope
    if not isinstance(queries, FoldedQueries):
        return {}
    names, charged = selection.profile.events.names, queries.folding.charged(scope.parts)
    estimated = queries.folding.is_estimated(scope.parts)
    return {
        "charged": {
            to_display(name): charged[event, rows].tolist() for event, name in enumerate(names)
        },
        "estimated": _truth_cells(estimated[rows]),
    }


def _estimates(edges: CallEdges, rows: Int64Array) -> Members:
    """Return whether calls are estimates; nothing if no function is folded."""
    if edges.is_estimated is None:
        return {}
    return {"estimated": _truth_cells(edges.is_estimated[rows])}


def _truth_cells(truths: BoolArray) -> Cells:
    return ["true" if truth else "false" for truth in truths.tolist()]


def _call_objects(selection: ReportSelection) -> Iterator[Iterator[str]]:
    """Yield the calls between the functions shown, referring to them by their row in the report."""
    queries, order = selection.queries, selection.functions
    edges = queries.call_edges(selection.scope)
    inclusive = _CostObjects(selection, "inclusive", edges.inclusive)
    report_row = np.full(queries.function_count, -1, np.int64)
    report_row[order] = np.arange(len(order))
    is_shown = (report_row[edges.caller] >= 0) & (report_row[edges.callee] >= 0)
    for rows in chunks(np.flatnonzero(is_shown)):
        yield json_rows(
            {
                "caller": report_row[edges.caller[rows]].tolist(),
                "callee": report_row[edges.callee[rows]].tolist(),
                "count": _count_cells(edges.count[rows], is_known=edges.has_counts),
                **inclusive.members(rows),
                **_estimates(edges, rows),
            }
        )


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
