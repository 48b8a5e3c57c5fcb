"""Report the lines or instructions of functions and files as JSON, text, TSV or CSV.

The JSON is a contract (docs/command.md): measured events in file order; lines without cost, calls
or jumps are left out, instructions are not. The caller supplies source texts, decoded instructions
and problems with them: this module opens no file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TextIO

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedInstructions,
    AnnotatedLines,
    line_text,
    rows_of_location,
)
from qcachegrind_py.analysis.costs.call_edges import has_call_counts
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, function_at, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import to_display
from qcachegrind_py.reports.annotation_style import (
    AnnotationStyle,
    cost_columns,
    measured_self_cost,
    subject_file,
)
from qcachegrind_py.reports.annotation_text import write_annotation_text, write_share
from qcachegrind_py.reports.json_rows import json_chunks, write_list
from qcachegrind_py.reports.table_export import (
    OutputFormat,
    cell_text,
    costs_by_event,
    defined_number,
    write_csv_rows,
)


@dataclass(frozen=True, slots=True)
class Annotation:
    """A function or a source file with its costs.

    `problem` tells why texts are missing, unless it is empty.
    """

    annotated: AnnotatedLines | AnnotatedInstructions
    problem: str = ""


def write_annotation(
    annotation: Annotation, form: OutputFormat, style: AnnotationStyle, stream: TextIO
) -> None:
    """Write the lines or instructions of one function, or the lines of one file."""
    match form:
        case "json":
            _write_json(annotation, style, stream)
            stream.write("\n")
        case "text":
            write_annotation_text(annotation.annotated, annotation.problem, style, stream)
        case _:
            annotated = annotation.annotated
            _write_table(_titles(annotated, style), _rows(annotated, style), form, stream)


def write_annotations(
    annotations: Sequence[Annotation], form: OutputFormat, style: AnnotationStyle, stream: TextIO
) -> None:
    """Write several functions or files, and in text their share of the total cost.

    They are the list `annotations` of a JSON object. Tables begin with the columns `function` and
    `object`, which are empty for a file.
    """
    if form == "json":
        stream.write('{"annotations": [')
        for number, each in enumerate(annotations):
            stream.write(", " if number else "")
            _write_json(each, style, stream)
        stream.write("]}\n")
    elif form == "text":
        for each in annotations:
            write_annotation_text(each.annotated, each.problem, style, stream)
            stream.write("\n")
        write_share([each.annotated for each in annotations], style, stream)
    else:
        titles = ["function", "object"]
        if annotations:
            titles += _titles(annotations[0].annotated, style)
        rows = (
            (*_function_cells(each.annotated), *row)
            for each in annotations
            for row in _rows(each.annotated, style)
        )
        _write_table(titles, rows, form, stream)


# ---------------------------------------------------------------- tables


def _write_table(
    titles: Sequence[str], rows: Iterable[Sequence[object]], form: OutputFormat, stream: TextIO
) -> None:
    if form == "csv":
        write_csv_rows(chain([titles], rows), stream)
        return
    stream.write("\t".join(titles) + "\n")
    for row in rows:
        stream.write("\t".join(map(cell_text, row)) + "\n")


def _titles(annotated: AnnotatedLines | AnnotatedInstructions, style: AnnotationStyle) -> list[str]:
    """Return the column titles; they name the event only where there are several."""
    costs = ["self", "inclusive"]
    if len(style.events) > 1:
        names = (cell_text(event.name) for event in style.events)
        costs = [f"{kind} {name}" for name in names for kind in ("self", "inclusive")]
    if isinstance(annotated, AnnotatedLines):
        return ["file", "line", *costs, "text"]
    return ["address", "size", *costs, "file", "line", "text"]


def _rows(
    annotated: AnnotatedLines | AnnotatedInstructions, style: AnnotationStyle
) -> Iterator[tuple[object, ...]]:
    if isinstance(annotated, AnnotatedLines):
        return _line_rows(annotated, style)
    return _instruction_rows(annotated, style)


def _function_cells(annotated: AnnotatedLines | AnnotatedInstructions) -> tuple[str, str]:
    function, texts = annotated.function, annotated.profile.texts
    if function == NO_FUNCTION:
        return "", ""
    functions = annotated.profile.functions
    return texts[text_at(functions.name, function)], texts[text_at(functions.object, function)]


# ---------------------------------------------------------------- JSON


def _write_json(annotation: Annotation, style: AnnotationStyle, stream: TextIO) -> None:
    """Write an annotation as an object, some thousand lines or instructions at a time."""
    annotated, names = annotation.annotated, annotation.annotated.profile.events.names
    own = costs_by_event(names, measured_self_cost(annotated, style)[:, 0])
    stream.write(json.dumps({**_subject(annotated), "self": own})[:-1])
    if isinstance(annotated, AnnotatedLines):
        write_list("lines", json_chunks(_line_objects(annotated)), stream)
    else:
        write_list("instructions", json_chunks(_instruction_objects(annotated)), stream)
    if annotation.problem:
        stream.write(f', "problem": {json.dumps(to_display(annotation.problem))}')
    stream.write("}")


def _subject(annotated: AnnotatedLines | AnnotatedInstructions) -> dict[str, Any]:
    """Return the function with its location, or the file alone."""
    if annotated.function != NO_FUNCTION:
        return _function_object(annotated.profile, annotated.function)
    return {"file": to_display(subject_file(annotated))}


def _function_object(profile: Profile, function: FunctionId) -> dict[str, Any]:
    texts, functions = profile.texts, profile.functions
    return {
        "function": to_display(texts[text_at(functions.name, function)]),
        "file": to_display(texts[text_at(functions.file, function)]),
        "object": to_display(texts[text_at(functions.object, function)]),
    }


def _line_objects(annotated: AnnotatedLines) -> Iterator[dict[str, Any]]:
    names = list(map(to_display, annotated.profile.events.names))
    lines, costs = annotated.lines.line.tolist(), annotated.costs
    self_costs, inclusive = costs.self_cost.T, costs.inclusive.T
    for file, rows in annotated.files.items():
        file_name = to_display(annotated.profile.texts[file])
        for row in rows:
            text = line_text(annotated.texts, file, lines[row])
            yield {
                "file": file_name,
                "line": lines[row],
                "text": None if text is None else to_display(text),
                "self": dict(zip(names, self_costs[row].tolist(), strict=True)),
                "inclusive": dict(zip(names, inclusive[row].tolist(), strict=True)),
            }


def _line_rows(annotated: AnnotatedLines, style: AnnotationStyle) -> Iterator[tuple[object, ...]]:
    costs = cost_columns(annotated, style)
    for row in annotated.order:
        text = (annotated.text(row) or "").expandtabs()
        cells = (defined_number(column[row]) for column in costs)
        yield annotated.file(row), annotated.lines.line[row], *cells, text


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
    annotated: AnnotatedInstructions, style: AnnotationStyle
) -> Iterator[tuple[object, ...]]:
    costs = cost_columns(annotated, style)
    for position, address in enumerate(annotated.address.tolist()):
        row, text = int(annotated.cost_row[position]), annotated.text(position)
        file, line = annotated.location(position)
        yield (
            f"{address:#x}",
            annotated.size(position),
            *(defined_number(column[row]) if row >= 0 else 0 for column in costs),
            *(file or "", "" if line is None else line),
            (text or "").expandtabs(),
        )


def _call_objects(annotated: AnnotatedInstructions, row: int) -> Iterator[dict[str, Any]]:
    profile, calls = annotated.profile, annotated.costs.calls
    has_counts = has_call_counts(profile)
    for call in rows_of_location(calls.location, row):
        yield {
            **_function_object(profile, function_at(calls.callee, call)),
            "count": int(calls.count[call]) if has_counts else None,
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
