"""The costs of source lines for editors and scripts: JSON, and a tracefile of LCOV.

`docs/lines.schema.json` describes the JSON, `geninfo(1)` the tracefile, which coverage viewers
read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from typing import Any, TextIO

import numpy as np

from qcachegrind_py.analysis.code.location_costs import ProgramLines, program_lines
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.exact import ExactCells, Record
from qcachegrind_py.present.facts import folds_member
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.errors import AnnotationError
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.tables import UNKNOWN, Int64Array, to_display
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.write.json_rows import records, write_list


@frozen(eq=True)
class LineFile:
    """A source file and its lines with costs."""

    recorded: str  # its path in the profile
    found: str  # its absolute path here; empty if it was not found
    rows: range  # its rows in `LineReport.lines`

    @property
    def path(self) -> str:
        """The path to open: where the file is, or else as recorded."""
        return self.found or self.recorded


@frozen(eq=True, slots=False)
class LineReport:
    """The lines of the functions of a report; files are searched for with `search`."""

    selection: ReportSelection
    search: FileSearch

    @cached_property
    def lines(self) -> ProgramLines:
        selection = self.selection
        return program_lines(selection.profile, selection.scope.parts, selection.visible)

    def self_cost(self, event: EventType) -> CostArray:
        """Return the self cost of each line, shape (lines,)."""
        return self.selection.queries.events.evaluate(event, self.lines.self_cost)

    def call_cost(self, event: EventType) -> CostArray:
        """Return the inclusive cost of the calls from each line, shape (lines,)."""
        return self.selection.queries.events.evaluate(event, self.lines.call_cost)

    @cached_property
    def without_line(self) -> Int64Array:
        return np.flatnonzero((self.lines.line == 0) | (self.lines.file == 0))

    def head(self) -> dict[str, Any]:
        """Return what JSON says of the profile, its totals, and costs without a line."""
        selection, parts = self.selection, self.selection.scope.parts
        queries, lost = selection.queries, self.without_line
        counted = [event for event in selection.events if not event.is_ratio]
        return {
            "profile": to_display(selection.profile.paths[0]),
            "command": to_display(selection.profile.command),
            "events": [event.name for event in selection.events],
            "totals": {event.name: queries.total(event, parts).counted for event in counted},
            "without_line": {
                event.name: sum(self.self_cost(event)[lost].tolist()) for event in counted
            },
            **folds_member(queries),
        }

    def record(self) -> Record:
        events = self.selection.events
        return {
            "line": ExactCells(self.lines.line),
            "self": {event.name: ExactCells(self.self_cost(event)) for event in events},
            "calls": ExactCells(self.lines.calls),
            "called": {event.name: ExactCells(self.call_cost(event)) for event in events},
        }

    def files(self) -> Iterator[LineFile]:
        """Yield the files in the order of the lines, without those whose lines are unknown."""
        numbers, starts = np.unique(self.lines.file, return_index=True)
        ends = np.append(starts, len(self.lines))[1:].tolist()
        for number, start, end in zip(numbers.tolist(), starts.tolist(), ends, strict=True):
            first = start + int(self.lines.line[start] == 0)
            recorded = self.selection.profile.texts[number]
            if recorded != UNKNOWN and first < end:
                yield LineFile(recorded, self._found(recorded), range(first, end))

    def _found(self, recorded: str) -> str:
        try:
            return str(self.search.find(recorded).absolute())
        except AnnotationError:
            return ""


def write_lines_json(report: LineReport, stream: TextIO) -> None:
    """Write the lines of all files, one file after the other."""
    stream.write(json.dumps(report.head(), allow_nan=False)[:-1])
    write_list("files", _files(report), stream)
    stream.write("}\n")


def _files(report: LineReport) -> Iterator[list[str]]:
    record = report.record()
    for file in report.files():
        head = {"path": to_display(file.recorded), "found": to_display(file.found) or None}
        rows = np.arange(file.rows.start, file.rows.stop)
        lines = ", ".join(chain.from_iterable(records(record, rows)))
        yield [f'{json.dumps(head)[:-1]}, "lines": [{lines}]}}']


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
