"""Annotated functions and files as JSON, text, TSV or CSV.

The JSON is a contract (docs/command.md): measured events in file order; lines without cost, calls
or jumps are left out, instructions are not. The text has the lines and instructions with cost and
their surroundings, with `…` for what is left out between them; calls and jumps follow the line or
instruction that makes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TextIO

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedCosts,
    AnnotatedInstructions,
    AnnotatedLines,
    event_costs,
    line_text,
    rows_of_location,
)
from qcachegrind_py.analysis.code.location_costs import InstructionJumps, LineJumps
from qcachegrind_py.analysis.costs.call_edges import has_call_counts
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.present.annotation import (
    Annotated,
    Annotation,
    AnnotationReport,
    cost_text,
    function_texts,
    subject_file,
)
from qcachegrind_py.present.exact import costs_by_event, repeated_names
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, TextId, function_at, text_at
from qcachegrind_py.profile.numbers import ACTIVE, IN_CYCLE, UNDEFINED, percentage
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array, to_display
from qcachegrind_py.visible_text import visible_text
from qcachegrind_py.write.json_rows import json_chunks, write_list
from qcachegrind_py.write.separated import (
    OutputFormat,
    write_separated,
)
from qcachegrind_py.write.text import PLAIN_TEXT, TextLayout, columns_of

CONTEXT_LINES = 3  # lines or instructions around each that has cost, by default

_ELLIPSIS = "…"  # lines or instructions around each with cost
_CODE_WIDTH = 44
_NO_INSTRUCTION = "(no instruction begins here)"
_NO_COSTS = ("", "", "")
_CALLS_AT_ONCE = 5000


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
    if annotation.problem:
        stream.write(f', "problem": {json.dumps(to_display(annotation.problem))}')
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
    for each in report.annotations:
        stream.writelines(f"{line}\n" for line in report.heading(each))
        text = _CodeText(report, each.annotated, stream, layout, context)
        if isinstance(each.annotated, AnnotatedLines):
            _write_lines(text, each.annotated)
        else:
            _write_instructions(text, each.annotated)
        stream.write("\n" if report.is_list else "")
    if report.is_list:
        stream.writelines(f"{line}\n" for line in report.sum_lines())


def _write_lines(text: _CodeText, annotated: AnnotatedLines) -> None:
    """Write the lines file by file."""
    jumps, texts = annotated.lines.jumps, annotated.profile.texts

    def target(jump: int) -> str:
        file, line = text_at(jumps.target_file, jump), int(jumps.target_line[jump])
        here = text_at(annotated.lines.file, int(jumps.location[jump]))
        return f"line {line}" if file == here else f"{base_name(texts[file])}:{line}"

    for file, rows in annotated.files.items():
        row_of = {int(annotated.lines.line[row]): row for row in rows}
        text.write_titles(visible_text(texts[file]), "Line", "Source")
        text.write_rows(
            row_of,
            len(annotated.texts.get(file, ())),
            partial(_line, annotated, file),
            jumps,
            target,
        )


def _line(annotated: AnnotatedLines, file: TextId, line: int) -> tuple[str, str]:
    source = line_text(annotated.texts, file, line) or ""
    return str(line), visible_text(source.expandtabs())


def _write_instructions(text: _CodeText, annotated: AnnotatedInstructions) -> None:
    """Write the instructions by address."""
    addresses, jumps = annotated.address.tolist(), annotated.recorded.jumps
    rows = enumerate(annotated.cost_row.tolist(), 1)
    text.write_titles(None, "Address", f"{'Instruction':{_CODE_WIDTH}}  Source")
    text.write_rows(
        {number: row for number, row in rows if row >= 0},
        len(addresses),
        lambda number: (f"{addresses[number - 1]:#x}", _instruction(annotated, number - 1)),
        jumps,
        lambda jump: f"{int(jumps.target[jump]):#x}",
    )


def _instruction(annotated: AnnotatedInstructions, position: int) -> str:
    """Return an instruction and the source line it was compiled from."""
    missing = _NO_INSTRUCTION if len(annotated.code) else ""
    text = visible_text((annotated.text(position) or missing).expandtabs())
    file, line = annotated.location(position)
    return f"{text:{_CODE_WIDTH}}  {visible_text(base_name(file or ''))}:{line}" if line else text


class _CodeText:
    """Writes rows of a function or file: a code location, its costs in each event, and its text."""

    def __init__(
        self,
        report: AnnotationReport,
        annotated: Annotated,
        stream: TextIO,
        layout: TextLayout,
        context: int,
    ) -> None:
        self._stream, self._layout, self._context = stream, layout, context
        self._events: tuple[EventType | None, ...] = report.events or (None,)
        self._totals, self._columns = report.totals, report.costs(annotated)
        is_narrow, is_lines = layout.width is not None, isinstance(annotated, AnnotatedLines)
        self._location_width = 7 if is_narrow and is_lines else 18
        self._cost_width = 16
        if is_narrow:  # of titles with the event, and of the costliest row
            texts = [f"Self {each.name}" for each in report.events]
            texts += map(cost_text, (*self._totals, *(max(c, default=0) for c in self._columns)))
            self._cost_width = 2 + max(map(len, texts), default=0)
        self._calls = _CallLines(
            annotated.profile,
            annotated.costs,
            self._events,
            layout,
            self._location_width,
            self._cost_width,
        )

    def write_titles(self, file: str | None, location: str, text: str) -> None:
        """Write the titles of the columns below the name of a file, if any.

        They name the event only where there are several.
        """
        self._stream.write("\n" if file is None else f"\n{file}\n")
        cells = []
        for event in self._events:
            name = f" {visible_text(event.name)}" if event and len(self._events) > 1 else ""
            cells += [f"Self{name}", "%", f"Incl.{name}"]
        self._write_row(location, cells, text)

    def write_rows(
        self,
        row_of: dict[int, int],
        last: int,
        code: Callable[[int], tuple[str, str]],
        jumps: LineJumps | InstructionJumps,
        target: Callable[[int], str],
    ) -> None:
        """Write the numbers that have a row of costs, and their surroundings up to `last`.

        `code` returns location and text of a number, `target` where a jump leads.
        """
        for number in _with_context(row_of, last, self._context):
            if number is None:
                self._write_costs(_ELLIPSIS, -1, "")
                continue
            row = row_of.get(number, -1)
            location, text = code(number)
            self._write_costs(location, row, text)
            self._stream.writelines(f"{line}\n" for line in self._calls.of_location(row))
            for jump in rows_of_location(jumps.location, row):
                count = f"{int(jumps.executed[jump]):,}x"
                if jumps.conditional[jump]:
                    count = f"{int(jumps.followed[jump]):,} of {count}"
                cells = _NO_COSTS * len(self._events)
                self._write_row("", cells, f"  ↷ {count} to {visible_text(target(jump))}")

    def _write_costs(self, location: str, row: int, text: str) -> None:
        """Write a location with its costs; row -1 has none."""
        cells: list[str] = []
        hottest = 0.0
        for index, whole in enumerate(self._totals):
            if row < 0:
                cells += _NO_COSTS
                continue
            self_cost, inclusive = (self._columns[2 * index + i][row] for i in (0, 1))
            share = percentage(self_cost, whole)
            percent = "" if share is None else f"{share:.2f}"
            cells += [cost_text(self_cost), percent, cost_text(inclusive)]
            hottest = max(hottest, share or 0.0)
        self._write_row(location, cells, text, hottest)

    def _write_row(
        self, location: str, cells: Sequence[str], text: str, hottest: float = 0.0
    ) -> None:
        triples = (cells[start : start + 3] for start in range(0, len(cells), 3))
        width = self._cost_width
        costs = "".join(f"{own:>{width}}{share:>8}{incl:>{width}}" for own, share, incl in triples)
        begin = f"{location:>{self._location_width}}{costs}  "
        row = begin + self._layout.code(text, columns_of(begin))
        self._stream.write(self._layout.cost(row.rstrip(), hottest) + "\n")


class _CallLines:
    """The lines of all calls of an annotation, which are asked for in order of location.

    They are made from columns, some thousand calls at a time: a function with a million calls
    takes 2 s, against 7 s call by call.
    """

    def __init__(
        self,
        profile: Profile,
        costs: AnnotatedCosts,
        events: Sequence[EventType | None],
        layout: TextLayout,
        location_width: int,
        cost_width: int,
    ) -> None:
        self._profile, self._costs = profile, costs
        self._events, self._layout = events, layout
        self._indent, self._cost_width = " " * location_width, cost_width
        locations = costs.self_cost.shape[1]
        self._starts = np.searchsorted(costs.calls.location, np.arange(locations + 1)).tolist()
        self._block, self._lines = -1, [""]  # the calls made last

    def of_location(self, row: int) -> Iterator[str]:
        """Yield the lines of the calls at a line or instruction; none for row -1."""
        for call in range(self._starts[row], self._starts[row + 1]) if row >= 0 else ():
            block, place = divmod(call, _CALLS_AT_ONCE)
            if block != self._block:
                begin = block * _CALLS_AT_ONCE
                stop = min(begin + _CALLS_AT_ONCE, len(self._costs.calls))
                self._block, self._lines = block, list(self._made(np.arange(begin, stop)))
            yield self._lines[place]

    def _made(self, rows: Int64Array) -> Iterator[str]:
        cells = (self._cost_cells(event, rows) for event in self._events)
        for text, *costs in zip(self._texts(rows), *cells, strict=True):
            begin = f"{self._indent}{''.join(costs)}  "
            yield (begin + self._layout.code(text, len(begin))).rstrip()

    def _cost_cells(self, event: EventType | None, rows: Int64Array) -> Iterator[str]:
        """Yield the inclusive cost of each call, below empty cells of self cost and share."""
        costs = event_costs(self._profile, event, self._costs.calls.inclusive[:, rows])
        form = f"{{:>{2 * self._cost_width + 8}}}".format
        for cost, is_within in zip(costs, self._costs.within_cycle[rows].tolist(), strict=True):
            yield form(IN_CYCLE if is_within else cost_text(cost))

    def _texts(self, rows: Int64Array) -> Iterator[str]:
        """Yield the callee of each call, with count and file."""
        calls, functions, texts = self._costs.calls, self._profile.functions, self._profile.texts
        callees, has_counts = calls.callee[rows], has_call_counts(self._profile)
        columns = (
            repeated_names(texts, functions.name[callees]),
            repeated_names(texts, functions.file[callees]),
            calls.count[rows].tolist(),
            calls.is_active[rows].tolist(),
        )
        for name, file, count, is_active in zip(*columns, strict=True):
            count_text = ACTIVE if is_active else f"{count:,}x" if has_counts else UNDEFINED
            yield f"  → {visible_text(name)} {count_text} ({visible_text(base_name(file))})"


def _with_context(marked: Iterable[int], last: int, context: int) -> Iterator[int | None]:
    """Yield the marked numbers with context, from 1 to `last`; None for each gap."""
    numbers = set(marked)
    for number in [number for number in numbers if 1 <= number <= last]:
        numbers.update(range(max(1, number - context), min(last, number + context) + 1))
    previous = 0
    for number in sorted(numbers):
        if min(number, last + 1) > max(previous + 1, 1):
            yield None
        yield number
        previous = number
    if previous < last:
        yield None
