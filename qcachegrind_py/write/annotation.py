"""Annotated functions and files as JSON, text, TSV or CSV.

The JSON is a contract (docs/command.md): measured events in file order; lines without cost, calls
or jumps are left out, instructions are not. The text has the lines and instructions with cost and
their surroundings, with `…` for what is left out between them; calls and jumps follow the line or
instruction that makes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TextIO

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedInstructions,
    AnnotatedLines,
    line_text,
    rows_of_location,
)
from qcachegrind_py.analysis.costs.function_costs import has_call_counts
from qcachegrind_py.present.annotation import (
    CONTEXT_LINES,
    Annotated,
    Annotation,
    AnnotationReport,
    CodeColumns,
    code_listings,
    function_texts,
    subject_file,
)
from qcachegrind_py.present.exact import costs_by_event, exact
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, function_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import to_display
from qcachegrind_py.visible_text import visible_text
from qcachegrind_py.write.json_rows import json_chunks, write_list
from qcachegrind_py.write.separated import (
    OutputFormat,
    write_separated,
)
from qcachegrind_py.write.text import PLAIN_TEXT, TextLayout, write_listing, write_page

_GAP = "  "
_LOCATION_WIDTH = 10  # of lines and of most addresses
_LEAST_CODE = 24  # columns


def write_annotations(
    report: AnnotationReport,
    form: OutputFormat,
    stream: TextIO,
    layout: TextLayout = PLAIN_TEXT,
    context: int = CONTEXT_LINES,
) -> None:
    """Write a function or file, or several with their share of the total cost in text.

    Several are the list `annotations` of a JSON object. Their tables begin with the columns
    `function` and `object`, which are empty for a file.
    """
    match form:
        case "json":
            _write_json(report, stream)
        case "text":
            _write_text(report, stream, layout, context)
        case _:
            write_separated(_titles(report), _rows(report), form, stream)


# ---------------------------------------------------------------- tables


def _titles(report: AnnotationReport) -> list[str]:
    titles = ["function", "object"] if report.is_list else []
    return titles + [t for each in report.annotations[:1] for t in report.titles(each.annotated)]


def _rows(report: AnnotationReport) -> Iterator[tuple[object, ...]]:
    for each in report.annotations:
        name, _, object_ = function_texts(each.annotated.profile, each.annotated.function)
        begin = (name, object_) if report.is_list else ()
        for row in report.rows(each.annotated):
            yield *begin, *row


# ---------------------------------------------------------------- JSON


def _write_json(report: AnnotationReport, stream: TextIO) -> None:
    stream.write('{"annotations": [' if report.is_list else "")
    for number, each in enumerate(report.annotations):
        stream.write(", " if number else "")
        _write_json_object(report, each, stream)
    stream.write("]}\n" if report.is_list else "\n")


def _write_json_object(report: AnnotationReport, annotation: Annotation, stream: TextIO) -> None:
    """Write an annotation as an object, some thousand lines or instructions at a time."""
    annotated, names = annotation.annotated, annotation.annotated.profile.events.names
    own = costs_by_event(names, report.self_cost(annotated)[:, 0])
    stream.write(json.dumps({**_subject(annotated), "self": own})[:-1])
    if isinstance(annotated, AnnotatedLines):
        write_list("lines", json_chunks(_line_objects(annotated)), stream)
    else:
        write_list("instructions", json_chunks(_instruction_objects(annotated)), stream)
    for key, text in (("problem", annotation.problem), ("warning", annotation.warning)):
        if text:
            stream.write(f', "{key}": {json.dumps(to_display(text))}')
    stream.write("}")


def _subject(annotated: Annotated) -> dict[str, Any]:
    """Return the function with its location, or the file alone."""
    if annotated.function != NO_FUNCTION:
        return _function_object(annotated.profile, annotated.function)
    return {"file": to_display(subject_file(annotated))}


def _function_object(profile: Profile, function: FunctionId) -> dict[str, Any]:
    keys = ("function", "file", "object")
    return dict(zip(keys, map(to_display, function_texts(profile, function)), strict=True))


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


# ---------------------------------------------------------------- text


def _write_text(report: AnnotationReport, stream: TextIO, layout: TextLayout, context: int) -> None:
    """Write each function or file; a list ends with what has no text, and with the sum."""
    columns, left_out = _fitting_columns(report, layout, context)
    for annotation, listings in code_listings(report, columns):
        for line in report.heading(annotation):
            stream.writelines(f"{piece}\n" for piece in layout.wrapped(line, 0))
        for listing in listings:
            stream.write("\n")
            write_listing(listing, stream, layout)
        stream.write("\n" if report.is_list else "")
    if not report.is_list:
        if left_out:
            stream.writelines(f"{line}\n" for line in ("", *left_out))
        return
    if report.missing:
        write_page(report.missing_page(), stream, layout)
        stream.write("\n")
    stream.writelines(f"{line}\n" for line in (*left_out, *report.sum_lines()))


def _fitting_columns(
    report: AnnotationReport, layout: TextLayout, context: int
) -> tuple[CodeColumns, list[str]]:
    """Return the columns that leave room for code, and a line that says what is left out."""
    events = len(report.events)
    if layout.width is None or not events or not report.annotations:
        return CodeColumns(context), []
    widths = [len(_GAP) + max(len(exact(whole)), len("Incl.")) for whole in report.totals]
    room = layout.width - _LOCATION_WIDTH - len(_GAP) - _LEAST_CODE
    share = len(_GAP) + len("100.00")
    columns, said = CodeColumns(context), list[str]()
    if 2 * sum(widths) + share * events > room:
        columns, said = replace(columns, has_shares=False), ["percentages"]
    if 2 * sum(widths) > room:
        columns = replace(columns, has_inclusive=False)
        said.append("inclusive costs, except those of calls")
    while events > 1 and sum(widths[:events]) > room and not columns.has_inclusive:
        events -= 1
    if events < len(widths):
        columns = replace(columns, events=events)
        said.append(", ".join(visible_text(event.name) for event in report.events[events:]))
    text = f"Left out, as lines are short: {'; '.join(said)}."
    return columns, layout.wrapped(text, 0) if said else []
