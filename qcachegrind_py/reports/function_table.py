"""The function table as text, TSV, CSV or JSON, for people and scripts.

The JSON is a contract (docs/command.md): measured events in file order, all calls, cycles as
numbers on their members.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, TextIO

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import call_edges
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts, function_costs
from qcachegrind_py.analysis.costs.part_totals import part_totals, recorded_totals, total
from qcachegrind_py.formats.standard_input import display_name
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import to_display
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.table_export import cell_row, cell_text, costs_by_event, write_csv_rows

SortKey = Literal["inclusive", "self", "called", "name"]
_TITLES = ("inclusive", "self", "called", "cycle", "name", "file", "object")


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The event, order and size of the table."""

    event: EventType | None  # None if the profile has none
    sort: SortKey = "inclusive"
    limit: int | None = None
    with_cycles: bool = True


def write_json(profile: Profile, options: TableOptions, stream: TextIO) -> None:
    """Write the functions, calls, parts and diagnostics as one JSON object."""
    costs = function_costs(profile, cycles=options.with_cycles)
    order = _sorted_functions(profile, costs, options)
    names = profile.events.names
    report: dict[str, Any] = {
        "file": to_display(display_name(profile.paths[0])),
        "creator": to_display(profile.creator),
        "command": to_display(profile.command),
        "events": list(map(to_display, names)),
        "totals": costs_by_event(names, costs.totals),
        "summary": recorded_totals(profile),
        "parts": _part_objects(profile),
        "functions": list(_function_objects(profile, costs, order)),
        "calls": list(_call_objects(profile, order)),
        "diagnostics": [
            {"line": d.line, "kind": d.kind, "message": d.message} for d in profile.diagnostics
        ],
        "diagnostic_count": profile.diagnostic_count,
    }
    json.dump(report, stream)
    stream.write("\n")


def write_tsv(profile: Profile, options: TableOptions, stream: TextIO) -> None:
    """Write one line per function after a title line, separated by tabs."""
    stream.write("\t".join(_TITLES) + "\n")
    for row in _table_rows(profile, options):
        stream.write("\t".join(map(cell_text, row)) + "\n")


def write_csv(profile: Profile, options: TableOptions, stream: TextIO) -> None:
    """Write the table separated by commas, and safe to open in a spreadsheet."""
    write_csv_rows(chain([_TITLES], map(cell_row, _table_rows(profile, options))), stream)


def write_text(profile: Profile, options: TableOptions, stream: TextIO) -> None:
    """Write a table for people, with costs also as percentages of the total."""
    name = options.event.name if options.event else "cost"
    total_cost = total(profile, options.event).base if options.event else 0
    base = max(1, total_cost)
    stream.write(f"{', '.join(cell_text(display_name(path)) for path in profile.paths)}\n")
    if profile.command:
        stream.write(f"Command: {cell_text(profile.command)}\n")
    stream.write(f"Total {cell_text(name)}: {total_cost:,}\n\n")
    stream.write(f"{'Incl.':>16}{'%':>8}{'Self':>16}{'%':>8}{'Called':>12}  Function\n")
    for inclusive, self_cost, called, _, name, file, object_ in _table_rows(profile, options):
        stream.write(
            f"{inclusive:16,}{100 * inclusive / base:8.2f}"
            f"{self_cost:16,}{100 * self_cost / base:8.2f}"
            f"{called:12,}  {cell_text(name)} ({cell_text(object_)}: {cell_text(file)})\n"
        )


def _table_rows(
    profile: Profile, options: TableOptions
) -> Iterator[tuple[int, int, int, int, str, str, str]]:
    costs = function_costs(profile, cycles=options.with_cycles)
    inclusive = _event_costs(profile, costs.inclusive, options)
    self_cost = _event_costs(profile, costs.self_cost, options)
    rows = _sorted_functions(profile, costs, options)
    for row, name, file, object_ in _named_rows(profile, rows):
        yield (
            int(inclusive[row]),
            int(self_cost[row]),
            int(costs.called[row]),
            int(costs.cycle[row]),
            name,
            file,
            object_,
        )


def _named_rows(profile: Profile, rows: Int64Array) -> Iterator[tuple[int, str, str, str]]:
    """Yield each function with its name, file and object as recorded."""
    functions, texts = profile.functions, profile.texts
    columns = (functions.name, functions.file, functions.object)
    names = (texts.lookup(text_ids(column[rows])) for column in columns)
    yield from zip(rows.tolist(), *names, strict=True)


def _sorted_functions(profile: Profile, costs: FunctionCosts, options: TableOptions) -> Int64Array:
    """Return the functions to show, costliest first or by name: int64."""
    if options.sort == "name":
        names = profile.texts.lookup(text_ids(profile.functions.name))
        order = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
    elif options.sort == "called":
        order = np.argsort(~costs.called, kind="stable")
    else:
        measured = costs.self_cost if options.sort == "self" else costs.inclusive
        order = np.argsort(~_event_costs(profile, measured, options), kind="stable")
    return order[: options.limit]


def _event_costs(profile: Profile, measured: Int64Array, options: TableOptions) -> Int64Array:
    """Return the functions' costs in the chosen event, shape (functions,); zeros without one."""
    if options.event is None:
        return np.zeros(measured.shape[1], np.int64)
    return profile.events.evaluate(options.event, measured)


def _function_objects(
    profile: Profile, costs: FunctionCosts, order: Int64Array
) -> Iterator[dict[str, Any]]:
    events = profile.events.names
    for row, name, file, object_ in _named_rows(profile, order):
        yield {
            "name": to_display(name),
            "file": to_display(file),
            "object": to_display(object_),
            "cycle": int(costs.cycle[row]),
            "called": int(costs.called[row]),
            "self": costs_by_event(events, costs.self_cost[:, row]),
            "inclusive": costs_by_event(events, costs.inclusive[:, row]),
        }


def _call_objects(profile: Profile, order: Int64Array) -> Iterator[dict[str, Any]]:
    """Yield the calls between the functions shown, referring to them by their row in the report."""
    edges, names = call_edges(profile), profile.events.names
    report_row = np.full(len(profile.functions), -1, np.int64)
    report_row[order] = np.arange(len(order))
    for row in np.flatnonzero(
        (report_row[edges.caller] >= 0) & (report_row[edges.callee] >= 0)
    ).tolist():
        yield {
            "caller": int(report_row[edges.caller[row]]),
            "callee": int(report_row[edges.callee[row]]),
            "count": int(edges.count[row]),
            "inclusive": costs_by_event(names, edges.inclusive[:, row]),
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
