"""Line costs as JSON, for editors and scripts; `docs/lines.schema.json` describes it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from qcachegrind_py.profile.tables import to_display
from qcachegrind_py.reports.folding import folds_member
from qcachegrind_py.reports.json_rows import Members, json_rows, number_cells, write_list
from qcachegrind_py.reports.lines.contents import LineFile, LineReport


def write_lines_json(report: LineReport, stream: TextIO) -> None:
    """Write the lines of all files, one file after the other."""
    stream.write(json.dumps(_head(report), allow_nan=False)[:-1])
    write_list("files", _files(report), stream)
    stream.write("}\n")


def _head(report: LineReport) -> dict[str, Any]:
    selection, lost = report.selection, report.without_line
    counted = [event for event in selection.events if not event.is_ratio]
    return {
        "profile": to_display(selection.profile.paths[0]),
        "command": to_display(selection.profile.command),
        "events": [event.name for event in selection.events],
        "totals": {
            event.name: selection.queries.total(event, selection.scope.parts).counted
            for event in counted
        },
        "without_line": {
            event.name: sum(report.self_cost(event)[lost].tolist()) for event in counted
        },
        **folds_member(selection.queries),
    }


def _files(report: LineReport) -> Iterator[list[str]]:
    columns = _columns(report)
    for file in report.files():
        head = {"path": to_display(file.recorded), "found": to_display(file.found) or None}
        lines = ", ".join(json_rows(_of_file(columns, file)))
        yield [f'{json.dumps(head)[:-1]}, "lines": [{lines}]}}']


def _columns(report: LineReport) -> Members:
    events = report.selection.events
    return {
        "line": report.lines.line.tolist(),
        "self": {e.name: number_cells(report.self_cost(e).tolist()) for e in events},
        "calls": report.lines.calls.tolist(),
        "called": {e.name: number_cells(report.call_cost(e).tolist()) for e in events},
    }


def _of_file(columns: Members, file: LineFile) -> Members:
    """Return the rows of one file."""
    rows = slice(file.rows.start, file.rows.stop)
    return {
        key: _of_file(cells, file) if isinstance(cells, Mapping) else cells[rows]
        for key, cells in columns.items()
    }
