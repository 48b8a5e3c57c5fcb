"""The costs of source lines for editors and scripts: JSON, and a tracefile of LCOV.

`docs/lines.schema.json` describes the JSON, `geninfo(1)` the tracefile, which coverage viewers
read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from qcachegrind_py.present.facts import folds_member
from qcachegrind_py.present.source_lines import LineFile, LineReport
from qcachegrind_py.profile.tables import to_display
from qcachegrind_py.write.json_rows import Members, json_rows, number_cells, write_list


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


def write_lcov(report: LineReport, stream: TextIO) -> None:
    """Write a record for each file; costs without a line are left out, negative ones are 0.

    The count of a line is its self cost in the first event of the report. Lines with calls alone
    have the count 0.
    """
    event = report.selection.event
    if event is None:
        return
    costs = [max(cost, 0) for cost in report.self_cost(event).tolist()]
    lines = report.lines.line.tolist()
    for file in report.files():
        stream.write(f"TN:\nSF:{_on_one_line(file.path)}\n")
        stream.writelines(f"DA:{lines[row]},{costs[row]}\n" for row in file.rows)
        hit = sum(costs[row] > 0 for row in file.rows)
        stream.write(f"LF:{len(file.rows)}\nLH:{hit}\nend_of_record\n")


def _on_one_line(path: str) -> str:
    return " ".join(to_display(path).splitlines())
