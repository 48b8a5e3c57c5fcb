"""Two profiles compared as one JSON object: a contract, see docs/report.schema.json."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

import numpy as np

from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.formats.standard_input import display_name
from qcachegrind_py.profile.tables import Int64Array, to_display
from qcachegrind_py.reports.comparison.contents import (
    ComparisonReport,
    EventComparison,
    FoldedSides,
    ReportSide,
)
from qcachegrind_py.reports.comparison.pairs import FunctionName
from qcachegrind_py.reports.function_table import chunks
from qcachegrind_py.reports.json_rows import (
    Cells,
    Members,
    diagnostic_objects,
    json_rows,
    number_cells,
    write_list,
)


def write_json(report: ComparisonReport, stream: TextIO) -> None:
    """Write the comparison as one JSON object, row by row.

    Functions that meet a rule are listed whatever the report is limited to.
    """
    rows = _rows(report)
    stream.write(json.dumps(_head(report), allow_nan=False)[:-1])
    write_list("functions", _function_objects(report, rows), stream)
    stream.write(f", {json.dumps(_tail(report, rows), allow_nan=False)[1:]}\n")


def _rows(report: ComparisonReport) -> Int64Array:
    """Return the functions of the report, then those that meet a rule and are not among them."""
    met = [result.functions for result in report.rules]
    others = np.setdiff1d(np.concatenate([*met, np.zeros(0, np.int64)]), report.functions)
    return np.concatenate([report.functions, others])


def _head(report: ComparisonReport) -> dict[str, Any]:
    events = report.measured
    names = [to_display(each.event.name) for each in events]
    folded = {} if report.folded is None else {"folds": list(map(to_display, report.folded.folds))}
    return {
        "base": _side(report.base),
        "new": _side(report.new),
        "comparable": [
            {"what": each.what, "base": to_display(each.base), "new": to_display(each.new)}
            for each in report.differences
        ],
        "events": names,
        "only_base": list(map(to_display, report.events_only_base)),
        "only_new": list(map(to_display, report.events_only_new)),
        "total": {name: _sides(each.total) for name, each in zip(names, events, strict=True)},
        "attributed": {
            name: _sides(each.attributed) for name, each in zip(names, events, strict=True)
        },
        "remainder": {
            name: _sides(each.remainder) for name, each in zip(names, events, strict=True)
        },
        "gross": {
            name: {"grown": each.grown, "shrunk": each.shrunk}
            for name, each in zip(names, events, strict=True)
        },
        **folded,
    }


def _side(side: ReportSide | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "file": to_display(display_name(side.files[0])),
        "command": to_display(side.command),
        "totals": {to_display(name): total for name, total in side.totals.items()},
        "damaged": [to_display(display_name(each.path)) for each in side.damage],
        "diagnostics": diagnostic_objects(side.diagnostics),
        "diagnostic_count": side.diagnostic_count,
    }


def _sides(costs: tuple[int | float, int | float] | None) -> dict[str, int | float | None] | None:
    if costs is None:
        return None
    base, new = costs
    return {"base": _number(base), "new": _number(new), "change": _number(new - base)}


def _number(number: int | float) -> int | float | None:
    return number if math.isfinite(number) else None


# ---------------------------------------------------------------- functions


def _function_objects(report: ComparisonReport, rows: Int64Array) -> Iterator[Iterator[str]]:
    pairs, events = report.pairs, report.measured
    for some in chunks(rows):
        yield json_rows(
            {
                "base": _member_cells(pairs.base(some)),
                "new": _member_cells(pairs.new(some)),
                "how": [json.dumps(how.value) for how in pairs.how(some)],
                "self": _by_event(events, [_pair_cells(e.self_cost, some) for e in events]),
                "inclusive": _by_event(events, [_pair_cells(e.inclusive, some) for e in events]),
                "called": _called_cells(report, some),
                "cycle": list(map(str, report.split_cycle[some].tolist())),
                **_estimated(report.folded, some),
                **_changed(events, some),
                "why": _effect_cells(events, some),
            }
        )


def _member_cells(members: Sequence[tuple[FunctionName, ...]]) -> Cells:
    """Return the functions of one side of each row as JSON: a list, or null for none."""
    return [
        f"[{', '.join(map(_name_json, functions))}]" if functions else "null"
        for functions in members
    ]


def _name_json(function: FunctionName) -> str:
    return json.dumps(
        {
            "name": to_display(function.name),
            "file": to_display(function.file),
            "object": to_display(function.object),
        }
    )


def _estimated(folded: FoldedSides | None, rows: Int64Array) -> Members:
    """Return whether self costs are partly estimates on each side; nothing without folds."""
    if folded is None:
        return {}
    sides = (folded.is_estimated_base[rows].tolist(), folded.is_estimated_new[rows].tolist())
    return {"estimated": list(map(json.dumps, zip(*sides, strict=True)))}


def _changed(events: Sequence[EventComparison], rows: Int64Array) -> Members:
    """Return what changed by more than chance, if that is known."""
    known = [each for each in events if each.is_changed is not None]
    columns = [
        ["true" if is_changed else "false" for is_changed in each.is_changed[rows].tolist()]
        for each in known
        if each.is_changed is not None
    ]
    return {"changed": _by_event(known, columns)} if known else {}


def _by_event(events: Sequence[EventComparison], columns: Sequence[Cells]) -> Members:
    return {to_display(each.event.name): cells for each, cells in zip(events, columns, strict=True)}


def _pair_cells(numbers: BothSides, rows: Int64Array) -> Cells:
    base, new = (number_cells(side[rows].tolist()) for side in (numbers.base, numbers.new))
    return [f"[{before}, {now}]" for before, now in zip(base, new, strict=True)]


def _called_cells(report: ComparisonReport, rows: Int64Array) -> Cells:
    """Return the called counts of both sides; null on one that does not count calls."""
    base, new = (
        counts[rows].tolist() if side is None or side.has_call_counts else ["null"] * len(rows)
        for side, counts in (
            (report.base, report.called.base),
            (report.new, report.called.new),
        )
    )
    return [f"[{before}, {now}]" for before, now in zip(base, new, strict=True)]


def _effect_cells(events: Sequence[EventComparison], rows: Int64Array) -> Cells:
    """Return why the costs of each row changed as JSON: effects by event, or null."""
    columns = [
        (
            json.dumps(to_display(each.event.name)),
            each.effects.by_calls[rows].tolist(),
            each.effects.per_call[rows].tolist(),
        )
        for each in events
        if not each.event.is_ratio
    ]
    known = [False] * len(rows)
    if events:
        known = np.any([each.effects.is_known[rows] for each in events], axis=0).tolist()
    return [
        "{"
        + ", ".join(
            f'{name}: {{"calls": {calls[place]}, "per_call": {per_call[place]}}}'
            for name, calls, per_call in columns
        )
        + "}"
        if is_known
        else "null"
        for place, is_known in enumerate(known)
    ]


# ---------------------------------------------------------------- proposals and rules


def _tail(report: ComparisonReport, rows: Int64Array) -> dict[str, Any]:
    place = np.full(len(report.pairs), -1, np.int64)
    place[rows] = np.arange(len(rows))
    return {
        "proposals": [
            {
                "base": json.loads(_name_json(each.base)),
                "new": json.loads(_name_json(each.new)),
                "alike": each.alike,
            }
            for each in report.proposals
        ],
        "rules": [
            {
                "text": to_display(result.rule.text),
                "met": result.is_met,
                "functions": place[result.functions].tolist(),
            }
            for result in report.rules
        ],
        "exit": report.exit_code,
    }
