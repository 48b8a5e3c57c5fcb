"""Report the lines or instructions of a function with their costs as JSON, text, TSV or CSV.

The JSON is a contract (docs/command.md): measured events in file order; lines without cost, calls
or jumps are left out, instructions are not. The caller supplies source texts, decoded instructions
and problems with them: this module opens no file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, TextIO

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedInstructions,
    AnnotatedLines,
    function_self_cost,
    rows_of_location,
)
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, function_at, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import to_display
from qcachegrind_py.reports.annotation_text import write_instruction_text, write_line_text
from qcachegrind_py.reports.table_export import (
    OutputFormat,
    cell_row,
    cell_text,
    costs_by_event,
    write_csv_rows,
)


def write_lines(
    annotated: AnnotatedLines,
    form: OutputFormat,
    event: EventType | None,
    stream: TextIO,
    problem: str = "",
) -> None:
    """Write the source lines of a function.

    `event` is the event shown in text and tab-separated values; None if the profile has none.
    `problem` tells why texts are missing, unless it is empty.
    """
    table = _Table(
        "lines",
        _line_objects(annotated),
        ("file", "line", "self", "inclusive", "text"),
        _line_rows(annotated, event),
        partial(write_line_text, annotated, event),
    )
    _write_table(annotated, table, form, problem, stream)


def write_instructions(
    annotated: AnnotatedInstructions,
    form: OutputFormat,
    event: EventType | None,
    stream: TextIO,
    problem: str = "",
) -> None:
    """Write the instructions of a function, with or without cost.

    `event` and `problem` are as in `write_lines`.
    """
    table = _Table(
        "instructions",
        _instruction_objects(annotated),
        ("address", "size", "self", "inclusive", "file", "line", "text"),
        _instruction_rows(annotated, event),
        partial(write_instruction_text, annotated, event),
    )
    _write_table(annotated, table, form, problem, stream)


@dataclass(frozen=True, slots=True)
class _Table:
    """A report's content in each form; only the requested one is computed."""

    key: str  # of the list of objects, in JSON
    objects: Iterator[dict[str, Any]]
    columns: tuple[str, ...]
    rows: Iterator[tuple[object, ...]]  # in the order of `columns`
    write_text: Callable[[str, TextIO], None]  # its arguments: the problem and the stream


def _write_table(
    annotated: AnnotatedLines | AnnotatedInstructions,
    table: _Table,
    form: OutputFormat,
    problem: str,
    stream: TextIO,
) -> None:
    match form:
        case "json":
            _write_json(annotated, table, problem, stream)
        case "tsv":
            stream.write("\t".join(table.columns) + "\n")
            for row in table.rows:
                stream.write("\t".join(map(cell_text, row)) + "\n")
        case "csv":
            write_csv_rows(chain([table.columns], map(cell_row, table.rows)), stream)
        case "text":
            table.write_text(problem, stream)


def _write_json(
    annotated: AnnotatedLines | AnnotatedInstructions, table: _Table, problem: str, stream: TextIO
) -> None:
    profile, function = annotated.profile, annotated.function
    names = profile.events.names
    report = {
        **_function_object(profile, function),
        "self": costs_by_event(names, function_self_cost(profile, function)[:, 0]),
        table.key: list(table.objects),
    }
    if problem:
        report["problem"] = to_display(problem)
    json.dump(report, stream)
    stream.write("\n")


def _function_object(profile: Profile, function: FunctionId) -> dict[str, Any]:
    texts, functions = profile.texts, profile.functions
    return {
        "function": to_display(texts[text_at(functions.name, function)]),
        "file": to_display(texts[text_at(functions.file, function)]),
        "object": to_display(texts[text_at(functions.object, function)]),
    }


def _line_objects(annotated: AnnotatedLines) -> Iterator[dict[str, Any]]:
    costs, names = annotated.costs, annotated.profile.events.names
    for row in annotated.order:
        text = annotated.text(row)
        yield {
            "file": to_display(annotated.file(row)),
            "line": int(annotated.lines.line[row]),
            "text": None if text is None else to_display(text),
            "self": costs_by_event(names, costs.self_cost[:, row]),
            "inclusive": costs_by_event(names, costs.inclusive[:, row]),
        }


def _line_rows(annotated: AnnotatedLines, event: EventType | None) -> Iterator[tuple[object, ...]]:
    self_cost, inclusive = annotated.self_cost(event), annotated.inclusive_cost(event)
    for row in annotated.order:
        text = (annotated.text(row) or "").expandtabs()
        yield annotated.file(row), annotated.lines.line[row], self_cost[row], inclusive[row], text


def _instruction_objects(annotated: AnnotatedInstructions) -> Iterator[dict[str, Any]]:
    names = annotated.profile.events.names
    for position, address in enumerate(annotated.address.tolist()):
        row, text = int(annotated.cost_row[position]), annotated.text(position)
        file, line = annotated.location(position)
        yield {
            "address": address,
            "size": annotated.size(position),
            "text": None if text is None else to_display(text),
            "file": None if file is None else to_display(file),
            "line": line,
            "self": costs_by_event(names, annotated.measured_self_cost(row)),
            "calls": list(_call_objects(annotated, row)),
            "jumps": list(_jump_objects(annotated, row)),
        }


def _instruction_rows(
    annotated: AnnotatedInstructions, event: EventType | None
) -> Iterator[tuple[object, ...]]:
    self_cost, inclusive = annotated.self_cost(event), annotated.inclusive_cost(event)
    for position, address in enumerate(annotated.address.tolist()):
        row, text = int(annotated.cost_row[position]), annotated.text(position)
        file, line = annotated.location(position)
        costs = (self_cost[row], inclusive[row]) if row >= 0 else (0, 0)
        location = (file or "", "" if line is None else line)
        yield (
            f"{address:#x}",
            annotated.size(position),
            *costs,
            *location,
            (text or "").expandtabs(),
        )


def _call_objects(annotated: AnnotatedInstructions, row: int) -> Iterator[dict[str, Any]]:
    profile, calls = annotated.profile, annotated.costs.calls
    for call in rows_of_location(calls.location, row):
        yield {
            **_function_object(profile, function_at(calls.callee, call)),
            "count": int(calls.count[call]),
            "inclusive": costs_by_event(profile.events.names, calls.inclusive[:, call]),
        }


def _jump_objects(annotated: AnnotatedInstructions, row: int) -> Iterator[dict[str, Any]]:
    jumps = annotated.recorded.jumps
    for jump in rows_of_location(jumps.location, row):
        yield {
            "target": int(jumps.target[jump]),
            "executed": int(jumps.executed[jump]),
            "followed": int(jumps.followed[jump]),
            "conditional": bool(jumps.conditional[jump]),
        }
