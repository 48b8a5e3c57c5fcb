"""The lines or instructions of a function with their costs, as JSON, text, tab- or comma-separated.

The JSON is a contract (README, “Reports”): measured events in file order; what has neither cost nor
calls nor jumps is left out of the lines, and kept among the instructions. Texts, decoded
instructions and what is wrong with them are handed in: nothing here looks for a file.
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
    SourceLines,
    function_self_cost,
    rows_of_location,
)
from qcachegrind_py.analysis.code.instruction_costs import InstructionCosts
from qcachegrind_py.analysis.code.instructions import Code
from qcachegrind_py.analysis.code.line_costs import LineCosts
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, function_at, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import to_display
from qcachegrind_py.reports.annotation_text import write_instruction_text, write_line_text
from qcachegrind_py.reports.cells import OutputFormat, cell_row, cell_text, costs_by_event
from qcachegrind_py.reports.table_export import write_csv_rows


def write_lines(
    profile: Profile,
    function: FunctionId,
    lines: LineCosts,
    texts: SourceLines,
    form: OutputFormat,
    event: EventType | None,
    stream: TextIO,
    problem: str = "",
) -> None:
    """The source lines of a function, without hosts; `texts` has the files that could be read.

    `event` is what text and tab-separated values show; None where the profile has none. `problem`
    says, where not empty, why texts are missing.
    """
    annotated = AnnotatedLines(profile, function, lines, texts)
    table = _Table(
        "lines",
        _line_objects(annotated),
        ("file", "line", "self", "inclusive", "text"),
        _line_rows(annotated, event),
        partial(write_line_text, annotated, event),
    )
    _write_table(annotated, table, form, problem, stream)


def write_instructions(
    profile: Profile,
    function: FunctionId,
    costs: InstructionCosts,
    code: Code,
    form: OutputFormat,
    event: EventType | None,
    stream: TextIO,
    problem: str = "",
) -> None:
    """The instructions of a function, those without cost too; `code` is empty where not known."""
    annotated = AnnotatedInstructions(profile, function, costs, code)
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
    """The same in each form; only the one that is asked for is made."""

    key: str  # of the objects, in JSON
    objects: Iterator[dict[str, Any]]
    columns: tuple[str, ...]
    rows: Iterator[tuple[object, ...]]  # by these columns
    write_text: Callable[[str, TextIO], None]  # what is wrong, and where to


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
    lines, names = annotated.costs, annotated.profile.events.names
    for row in annotated.order:
        text = annotated.text(row)
        yield {
            "file": to_display(annotated.file(row)),
            "line": int(lines.line[row]),
            "text": None if text is None else to_display(text),
            "self": costs_by_event(names, lines.self_cost[:, row]),
            "inclusive": costs_by_event(names, lines.inclusive[:, row]),
        }


def _line_rows(annotated: AnnotatedLines, event: EventType | None) -> Iterator[tuple[object, ...]]:
    own, inclusive = annotated.self_cost(event), annotated.inclusive_cost(event)
    for row in annotated.order:
        text = (annotated.text(row) or "").expandtabs()
        yield annotated.file(row), annotated.costs.line[row], own[row], inclusive[row], text


def _instruction_objects(annotated: AnnotatedInstructions) -> Iterator[dict[str, Any]]:
    names = annotated.profile.events.names
    for place, address in enumerate(annotated.address.tolist()):
        row, text = annotated.cost_row[place], annotated.text(place)
        file, line = annotated.location(place)
        yield {
            "address": address,
            "size": annotated.size(place),
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
    own, inclusive = annotated.self_cost(event), annotated.inclusive_cost(event)
    for place, address in enumerate(annotated.address.tolist()):
        row, text = annotated.cost_row[place], annotated.text(place)
        file, line = annotated.location(place)
        costs = (own[row], inclusive[row]) if row >= 0 else (0, 0)
        where = (file or "", "" if line is None else line)
        yield f"{address:#x}", annotated.size(place), *costs, *where, (text or "").expandtabs()


def _call_objects(annotated: AnnotatedInstructions, row: int) -> Iterator[dict[str, Any]]:
    profile, calls = annotated.profile, annotated.costs.calls
    for call in rows_of_location(calls.location, row):
        yield {
            **_function_object(profile, function_at(calls.callee, call)),
            "count": int(calls.count[call]),
            "inclusive": costs_by_event(profile.events.names, calls.inclusive[:, call]),
        }


def _jump_objects(annotated: AnnotatedInstructions, row: int) -> Iterator[dict[str, Any]]:
    jumps = annotated.costs.jumps
    for jump in rows_of_location(jumps.location, row):
        yield {
            "target": int(jumps.target[jump]),
            "executed": int(jumps.executed[jump]),
            "followed": int(jumps.followed[jump]),
            "conditional": bool(jumps.conditional[jump]),
        }
