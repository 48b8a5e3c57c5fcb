"""Annotated lines and instructions for people: a table of what has cost and what is around it.

Stretches without cost are left out, and their place is marked by `…`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedInstructions,
    AnnotatedLines,
    event_costs,
    function_self_cost,
    rows_of_location,
)
from qcachegrind_py.analysis.code.locations import LocationCalls
from qcachegrind_py.analysis.costs.part_totals import total
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, function_at, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.reports.cells import cell_text

_CONTEXT_LINES = 3  # lines or instructions around each that has cost
_ELLIPSIS = "…"
_CODE_WIDTH = 44
_NO_INSTRUCTION = "(no instruction begins here)"
_NO_COSTS = ("", "", "")


def write_line_text(
    annotated: AnnotatedLines, event: EventType | None, problem: str, stream: TextIO
) -> None:
    """The lines file by file; calls and jumps under the line that makes them."""
    table = _AnnotationTable(annotated.profile, event, stream)
    table.write_header(annotated.function, problem)
    own, inclusive = annotated.self_cost(event), annotated.inclusive_cost(event)
    for file, rows in annotated.files.items():
        name = annotated.profile.texts[file]
        text = annotated.texts.get(name, ())
        row_of = {int(annotated.costs.line[row]): row for row in rows}
        stream.write(f"\n{cell_text(name)}\n")
        table.write_row("Line", ("Self", "%", "Incl."), "Source")
        for line in _lines_with_context(row_of, len(text)):
            row = row_of.get(line or 0, -1) if line is not None else -1
            source = text[line - 1] if line and 1 <= line <= len(text) else ""
            costs = table.cost_cells(own[row], inclusive[row]) if row >= 0 else _NO_COSTS
            table.write_row(_ELLIPSIS if line is None else str(line), costs, _location_text(source))
            _write_line_calls_and_jumps(table, annotated, row)


def _write_line_calls_and_jumps(
    table: _AnnotationTable, annotated: AnnotatedLines, row: int
) -> None:
    jumps, texts = annotated.costs.jumps, annotated.profile.texts
    table.write_calls(annotated.costs.calls, row)
    for jump in rows_of_location(jumps.location, row):
        file, line = text_at(jumps.target_file, jump), int(jumps.target_line[jump])
        is_here = file == text_at(annotated.costs.file, row)
        target = f"line {line}" if is_here else f"{base_name(texts[file])}:{line}"
        table.write_jump(jump, jumps.executed, jumps.followed, jumps.conditional, target)


def write_instruction_text(
    annotated: AnnotatedInstructions, event: EventType | None, problem: str, stream: TextIO
) -> None:
    """The instructions by address; calls and jumps under the one that makes them."""
    table = _AnnotationTable(annotated.profile, event, stream)
    table.write_header(annotated.function, problem)
    own, inclusive = annotated.self_cost(event), annotated.inclusive_cost(event)
    addresses, jumps = annotated.address.tolist(), annotated.costs.jumps
    stream.write("\n")
    table.write_row("Address", ("Self", "%", "Incl."), f"{'Instruction':{_CODE_WIDTH}}  Source")
    with_cost = [place + 1 for place, row in enumerate(annotated.cost_row) if row >= 0]
    for number in _lines_with_context(with_cost, len(addresses)):
        if number is None:
            table.write_row(_ELLIPSIS, _NO_COSTS, "")
            continue
        row = annotated.cost_row[number - 1]
        costs = table.cost_cells(own[row], inclusive[row]) if row >= 0 else _NO_COSTS
        table.write_row(
            f"{addresses[number - 1]:#x}", costs, _instruction_text(annotated, number - 1)
        )
        table.write_calls(annotated.costs.calls, row)
        for jump in rows_of_location(jumps.location, row):
            target = f"{int(jumps.target[jump]):#x}"
            table.write_jump(jump, jumps.executed, jumps.followed, jumps.conditional, target)


def _instruction_text(annotated: AnnotatedInstructions, position: int) -> str:
    """The instruction and the source line it was made from."""
    missing = _NO_INSTRUCTION if len(annotated.code) else ""
    text = _location_text(annotated.text(position) or missing)
    file, line = annotated.location(position)
    return f"{text:{_CODE_WIDTH}}  {cell_text(base_name(file or ''))}:{line}" if line else text


class _AnnotationTable:
    """Writes rows of a place in the code, its costs in one event and its text."""

    def __init__(self, profile: Profile, event: EventType | None, stream: TextIO) -> None:
        self._profile = profile
        self._event = event
        self._stream = stream
        self._total = total(profile, event).base if event else 0

    def write_header(self, function: FunctionId, problem: str) -> None:
        """Which function it is, what it cost of all, and what could not be shown."""
        texts, functions = self._profile.texts, self._profile.functions
        self._stream.write(
            f"{cell_text(texts[text_at(functions.name, function)])}\n"
            f"File: {cell_text(texts[text_at(functions.file, function)])}\n"
            f"Object: {cell_text(texts[text_at(functions.object, function)])}\n"
        )
        (own,) = event_costs(
            self._profile, self._event, function_self_cost(self._profile, function)
        )
        number, percentage, _ = self.cost_cells(own, own)
        event = cell_text(self._event.name) if self._event else "cost"
        self._stream.write(
            f"Self {event}: {number} of {_cost_number(self._total)} ({percentage} %)\n"
        )
        if problem:
            self._stream.write(f"Problem: {cell_text(problem)}\n")

    def write_row(self, location: str, costs: tuple[str, str, str], text: str) -> None:
        """One row."""
        own, percentage, inclusive = costs
        row = f"{location:>18}{own:>16}{percentage:>8}{inclusive:>16}  {text}"
        self._stream.write(row.rstrip() + "\n")

    def write_calls(self, calls: LocationCalls, row: int) -> None:
        """The calls of a line or instruction, a row each."""
        names, functions = self._profile.texts, self._profile.functions
        site = rows_of_location(calls.location, row)
        costs = event_costs(self._profile, self._event, calls.inclusive[:, site.start : site.stop])
        for call, inclusive in zip(site, costs, strict=True):
            callee, count = function_at(calls.callee, call), int(calls.count[call])
            name, file = (
                names[text_at(functions.name, callee)],
                names[text_at(functions.file, callee)],
            )
            often = f"{count:,}x" if count else "active"
            text = f"  → {cell_text(name)} {often} ({cell_text(base_name(file))})"
            self.write_row("", ("", "", _cost_number(inclusive)), text)

    def write_jump(
        self,
        jump: int,
        executed: Int64Array,
        followed: Int64Array,
        conditional: BoolArray,
        target: str,
    ) -> None:
        """A jump of a line or instruction."""
        often = f"{int(executed[jump]):,}x"
        if conditional[jump]:
            often = f"{int(followed[jump]):,} of {often}"
        self.write_row("", _NO_COSTS, f"  ↷ {often} to {cell_text(target)}")

    def cost_cells(self, self_cost: int | float, inclusive: int | float) -> tuple[str, str, str]:
        """Self cost, its share of the profile's total, and inclusive cost."""
        share = (
            "" if self._event and self._event.is_ratio else 100 * self_cost / max(1, self._total)
        )
        percentage = f"{share:.2f}" if isinstance(share, float) else ""
        return _cost_number(self_cost), percentage, _cost_number(inclusive)


def _lines_with_context(marked: Iterable[int], last: int) -> Iterator[int | None]:
    """What is marked, and what is around it from 1 to `last`; None where any is left out."""
    numbers = set(marked)
    for number in [number for number in numbers if 1 <= number <= last]:
        numbers.update(
            range(max(1, number - _CONTEXT_LINES), min(last, number + _CONTEXT_LINES) + 1)
        )
    before = 0
    for number in sorted(numbers):
        if min(number, last + 1) > max(before + 1, 1):
            yield None
        yield number
        before = number
    if before < last:
        yield None


def _cost_number(cost: int | float) -> str:
    return f"{cost:,}" if isinstance(cost, int) else f"{cost:,.4g}"


def _location_text(source: str) -> str:
    return cell_text(source.expandtabs())
