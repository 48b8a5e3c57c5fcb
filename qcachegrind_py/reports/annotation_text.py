"""Annotated lines and instructions as text: a table of rows with cost and their surroundings.

Omitted ranges without cost are marked by `…`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedInstructions,
    AnnotatedLines,
    event_costs,
    line_text,
    rows_of_location,
)
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_FUNCTION, text_at
from qcachegrind_py.profile.numbers import percentage
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.reports.annotation_calls import CallLines
from qcachegrind_py.reports.annotation_style import (
    AnnotationStyle,
    cost_columns,
    cost_text,
    measured_self_cost,
    subject_file,
)
from qcachegrind_py.reports.table_export import cell_text
from qcachegrind_py.reports.text_layout import columns_of

_ELLIPSIS = "…"  # lines or instructions around each with cost
_CODE_WIDTH = 44
_NO_INSTRUCTION = "(no instruction begins here)"
_NO_COSTS = ("", "", "")


def write_annotation_text(
    annotated: AnnotatedLines | AnnotatedInstructions,
    problem: str,
    style: AnnotationStyle,
    stream: TextIO,
) -> None:
    """Write the lines file by file, or the instructions by address.

    Calls and jumps follow the line or instruction that makes them.
    """
    table = _AnnotationTable(annotated, style, stream)
    table.write_header(problem)
    if isinstance(annotated, AnnotatedLines):
        _write_lines(table, annotated, style, stream)
    else:
        _write_instructions(table, annotated, style, stream)


def write_share(
    annotated: Sequence[AnnotatedLines | AnnotatedInstructions],
    style: AnnotationStyle,
    stream: TextIO,
) -> None:
    """Write how much of the total cost several functions or files have in each event.

    Functions and files together would count some costs twice, and have no such line.
    """
    is_once = len({each.function == NO_FUNCTION for each in annotated}) == 1
    for event in style.events if is_once else ():
        profile = annotated[0].profile
        costs = sum(measured_self_cost(each, style) for each in annotated)
        (cost,) = event_costs(profile, event, np.asarray(costs))
        whole = style.total(profile, event)
        stream.write(f"Annotated {_share_text(event, cost, whole)}\n")


def _share_text(event: EventType | None, cost: int | float, whole: int | float) -> str:
    """Return a cost with its event, the total, and the percentage if there is one."""
    text = f"{cell_text(event.name) if event else 'cost'}: {cost_text(cost)}"
    if event and event.is_ratio:
        return text
    share = percentage(cost, whole)
    return f"{text} of {cost_text(whole)}" + ("" if share is None else f" ({share:.2f} %)")


def _write_lines(
    table: _AnnotationTable, annotated: AnnotatedLines, style: AnnotationStyle, stream: TextIO
) -> None:
    for file, rows in annotated.files.items():
        text = annotated.texts.get(file, ())
        row_of = {int(annotated.lines.line[row]): row for row in rows}
        stream.write(f"\n{cell_text(annotated.profile.texts[file])}\n")
        table.write_titles("Line", "Source")
        for line in _lines_with_context(row_of, len(text), style.context):
            row = row_of.get(line or 0, -1) if line is not None else -1
            source = line_text(annotated.texts, file, line or 0) or ""
            location = _ELLIPSIS if line is None else str(line)
            table.write_costs(location, row, _location_text(source))
            _write_line_calls_and_jumps(table, annotated, row)


def _write_line_calls_and_jumps(
    table: _AnnotationTable, annotated: AnnotatedLines, row: int
) -> None:
    jumps, texts = annotated.lines.jumps, annotated.profile.texts
    table.write_calls(row)
    for jump in rows_of_location(jumps.location, row):
        file, line = text_at(jumps.target_file, jump), int(jumps.target_line[jump])
        is_here = file == text_at(annotated.lines.file, row)
        target = f"line {line}" if is_here else f"{base_name(texts[file])}:{line}"
        table.write_jump(jump, jumps.executed, jumps.followed, jumps.conditional, target)


def _write_instructions(
    table: _AnnotationTable,
    annotated: AnnotatedInstructions,
    style: AnnotationStyle,
    stream: TextIO,
) -> None:
    addresses, jumps = annotated.address.tolist(), annotated.recorded.jumps
    cost_rows = annotated.cost_row.tolist()
    stream.write("\n")
    table.write_titles("Address", f"{'Instruction':{_CODE_WIDTH}}  Source")
    with_cost = [position + 1 for position, row in enumerate(cost_rows) if row >= 0]
    for number in _lines_with_context(with_cost, len(addresses), style.context):
        if number is None:
            table.write_costs(_ELLIPSIS, -1, "")
            continue
        row, address = cost_rows[number - 1], addresses[number - 1]
        table.write_costs(f"{address:#x}", row, _instruction_text(annotated, number - 1))
        table.write_calls(row)
        for jump in rows_of_location(jumps.location, row):
            target = f"{int(jumps.target[jump]):#x}"
            table.write_jump(jump, jumps.executed, jumps.followed, jumps.conditional, target)


def _instruction_text(annotated: AnnotatedInstructions, position: int) -> str:
    """Return an instruction and the source line it was compiled from."""
    missing = _NO_INSTRUCTION if len(annotated.code) else ""
    text = _location_text(annotated.text(position) or missing)
    file, line = annotated.location(position)
    return f"{text:{_CODE_WIDTH}}  {cell_text(base_name(file or ''))}:{line}" if line else text


class _AnnotationTable:
    """Writes table rows: a code location, its costs in each event, and its text."""

    def __init__(
        self,
        annotated: AnnotatedLines | AnnotatedInstructions,
        style: AnnotationStyle,
        stream: TextIO,
    ) -> None:
        self._annotated, self._profile = annotated, annotated.profile
        self._style, self._stream = style, stream
        self._events: tuple[EventType | None, ...] = style.events or (None,)
        self._totals = [style.total(self._profile, event) if event else 0 for event in self._events]
        self._columns = cost_columns(annotated, style)
        is_narrow, is_lines = style.layout.width is not None, isinstance(annotated, AnnotatedLines)
        self._location_width = 7 if is_narrow and is_lines else 18
        self._cost_width = 16
        if is_narrow:  # of titles with the event, and of the costliest row
            texts = [f"Self {each.name}" for each in style.events]
            texts += map(cost_text, (*self._totals, *(max(c, default=0) for c in self._columns)))
            self._cost_width = 2 + max(map(len, texts), default=0)
        self._calls = CallLines(
            self._profile, annotated.costs, style, self._location_width, self._cost_width
        )

    def write_header(self, problem: str) -> None:
        """Write function or file, its share of the total cost, and the problem, if any."""
        self._stream.write("".join(f"{line}\n" for line in self._subject()))
        measured = measured_self_cost(self._annotated, self._style)
        for event, whole in zip(self._events, self._totals, strict=True):
            (self_cost,) = event_costs(self._profile, event, measured)
            self._stream.write(f"Self {_share_text(event, self_cost, whole)}\n")
        if problem:
            self._stream.write(f"Problem: {cell_text(problem)}\n")

    def _subject(self) -> list[str]:
        function = self._annotated.function
        if function == NO_FUNCTION:
            return [f"File: {cell_text(subject_file(self._annotated))}"]
        texts, functions = self._profile.texts, self._profile.functions
        return [
            cell_text(texts[text_at(functions.name, function)]),
            f"File: {cell_text(texts[text_at(functions.file, function)])}",
            f"Object: {cell_text(texts[text_at(functions.object, function)])}",
        ]

    def write_titles(self, location: str, text: str) -> None:
        """Write the titles of the columns; they name the event only where there are several."""
        cells = []
        for event in self._events:
            name = f" {cell_text(event.name)}" if event and len(self._events) > 1 else ""
            cells += [f"Self{name}", "%", f"Incl.{name}"]
        self._write_row(location, cells, text)

    def write_costs(self, location: str, row: int, text: str) -> None:
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
        layout = self._style.layout
        triples = (cells[start : start + 3] for start in range(0, len(cells), 3))
        width = self._cost_width
        costs = "".join(f"{own:>{width}}{share:>8}{incl:>{width}}" for own, share, incl in triples)
        begin = f"{location:>{self._location_width}}{costs}  "
        row = begin + layout.code(text, columns_of(begin))
        self._stream.write(layout.cost(row.rstrip(), hottest) + "\n")

    def write_calls(self, row: int) -> None:
        """Write the calls of a line or instruction, one row each."""
        self._stream.writelines(f"{line}\n" for line in self._calls.of_location(row))

    def write_jump(
        self,
        jump: int,
        executed: Int64Array,
        followed: Int64Array,
        conditional: BoolArray,
        target: str,
    ) -> None:
        """Write a jump of a line or instruction."""
        count_text = f"{int(executed[jump]):,}x"
        if conditional[jump]:
            count_text = f"{int(followed[jump]):,} of {count_text}"
        cells = _NO_COSTS * len(self._events)
        self._write_row("", cells, f"  ↷ {count_text} to {cell_text(target)}")


def _lines_with_context(marked: Iterable[int], last: int, context: int) -> Iterator[int | None]:
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


def _location_text(source: str) -> str:
    return cell_text(source.expandtabs())
