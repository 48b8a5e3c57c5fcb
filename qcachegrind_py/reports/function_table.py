"""The function table as text, tab- or comma-separated values or JSON, for people and scripts.

The JSON is a contract (README, “Reports”): measured events in file order, all calls, cycles as
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
from qcachegrind_py.profile.ids import text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import to_display
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.cells import cell_row, cell_text, costs_by_event
from qcachegrind_py.reports.table_export import write_csv_rows

SortKey = Literal["inclusive", "self", "called", "name"]
_TITLES = ("inclusive", "self", "called", "cycle", "name", "file", "object")


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What the report shows, and in which order."""

    event: EventType | None  # None where the profile has none
    sort: SortKey = "inclusive"
    limit: int | None = None
    with_cycles: bool = True


def write_json(profile: Profile, choice: TableOptions, stream: TextIO) -> None:
    """Everything that is known of functions and calls, as one JSON object."""
    costs = function_costs(profile, cycles=choice.with_cycles)
    order = _sorted_functions(profile, costs, choice)
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


def write_tsv(profile: Profile, choice: TableOptions, stream: TextIO) -> None:
    """A line a function with a title line, divided by tabs."""
    stream.write("\t".join(_TITLES) + "\n")
    for row in _table_rows(profile, choice):
        stream.write("\t".join(map(cell_text, row)) + "\n")


def write_csv(profile: Profile, choice: TableOptions, stream: TextIO) -> None:
    """The same, divided by commas, and harmless in a spreadsheet."""
    write_csv_rows(chain([_TITLES], map(cell_row, _table_rows(profile, choice))), stream)


def write_text(profile: Profile, choice: TableOptions, stream: TextIO) -> None:
    """A table for people: costs as percentages of the total, too."""
    name = choice.event.name if choice.event else "cost"
    whole = total(profile, choice.event).base if choice.event else 0
    base = max(1, whole)
    stream.write(f"{', '.join(cell_text(display_name(path)) for path in profile.paths)}\n")
    if profile.command:
        stream.write(f"Command: {cell_text(profile.command)}\n")
    stream.write(f"Total {cell_text(name)}: {whole:,}\n\n")
    stream.write(f"{'Incl.':>16}{'%':>8}{'Self':>16}{'%':>8}{'Called':>12}  Function\n")
    for inclusive, own, called, _, name, file, object_ in _table_rows(profile, choice):
        stream.write(
            f"{inclusive:16,}{100 * inclusive / base:8.2f}{own:16,}{100 * own / base:8.2f}"
            f"{called:12,}  {cell_text(name)} ({cell_text(object_)}: {cell_text(file)})\n"
        )


def _table_rows(
    profile: Profile, choice: TableOptions
) -> Iterator[tuple[int, int, int, int, str, str, str]]:
    costs = function_costs(profile, cycles=choice.with_cycles)
    inclusive = _event_costs(profile, costs.inclusive, choice)
    own = _event_costs(profile, costs.self_cost, choice)
    functions, texts = profile.functions, profile.texts
    for row in _sorted_functions(profile, costs, choice).tolist():
        yield (
            int(inclusive[row]),
            int(own[row]),
            int(costs.called[row]),
            int(costs.cycle[row]),
            texts[text_at(functions.name, row)],
            texts[text_at(functions.file, row)],
            texts[text_at(functions.object, row)],
        )


def _sorted_functions(profile: Profile, costs: FunctionCosts, choice: TableOptions) -> Int64Array:
    """The functions to show: costliest first, or by name."""
    if choice.sort == "name":
        names = profile.texts.lookup(profile.functions.name.tolist())
        order = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
    elif choice.sort == "called":
        order = np.argsort(~costs.called, kind="stable")
    else:
        measured = costs.self_cost if choice.sort == "self" else costs.inclusive
        order = np.argsort(~_event_costs(profile, measured, choice), kind="stable")
    return order[: choice.limit]


def _event_costs(profile: Profile, measured: Int64Array, choice: TableOptions) -> Int64Array:
    """The costs of the functions in the event chosen."""
    if choice.event is None:
        return np.zeros(measured.shape[1], np.int64)
    return profile.events.evaluate(choice.event, measured)


def _function_objects(
    profile: Profile, costs: FunctionCosts, order: Int64Array
) -> Iterator[dict[str, Any]]:
    names, texts = profile.events.names, profile.texts
    for row in order.tolist():
        yield {
            "name": to_display(texts[text_at(profile.functions.name, row)]),
            "file": to_display(texts[text_at(profile.functions.file, row)]),
            "object": to_display(texts[text_at(profile.functions.object, row)]),
            "cycle": int(costs.cycle[row]),
            "called": int(costs.called[row]),
            "self": costs_by_event(names, costs.self_cost[:, row]),
            "inclusive": costs_by_event(names, costs.inclusive[:, row]),
        }


def _call_objects(profile: Profile, order: Int64Array) -> Iterator[dict[str, Any]]:
    """Calls between the functions that are shown, by their place in the report."""
    pairs, names = call_edges(profile), profile.events.names
    place = np.full(len(profile.functions), -1, np.int64)
    place[order] = np.arange(len(order))
    for row in np.flatnonzero((place[pairs.caller] >= 0) & (place[pairs.callee] >= 0)).tolist():
        yield {
            "caller": int(place[pairs.caller[row]]),
            "callee": int(place[pairs.callee[row]]),
            "count": int(pairs.count[row]),
            "inclusive": costs_by_event(names, pairs.inclusive[:, row]),
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
