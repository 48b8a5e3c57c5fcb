"""Annotated lines and instructions as text: a table of rows with cost and their surroundings.

Omitted ranges without cost are marked by `…`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedCosts,
    AnnotatedInstructions,
    AnnotatedLines,
    event_costs,
    function_self_cost,
    line_text,
    rows_of_location,
)
from qcachegrind_py.analysis.costs.part_totals import total
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, function_at, text_at
from qcachegrind_py.profile.number_format import ACTIVE, IN_CYCLE
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.reports.table_export import cell_text

_CONTEXT_LINES = 3  # lines or instructions around each that has cost
_ELLIPSIS = "…"  # lines or instructions around each with cost
_CODE_WIDTH = 44
_NO_INSTRUCTION = "(no instruction begins here)"
_NO_COSTS = ("", "", "")


def write_line_text(
    annotated: AnnotatedLines, event: EventType | None, problem: str, stream: TextIO
) -> None:
    """Write the lines file by file; calls and jumps follow the line that makes them."""
    table = _AnnotationTable(annotated.profile, event, stream)
    table.write_header(annotated.function, problem)
    self_cost, inclusive = annotated.self_cost(event), annotated.inclusive_cost(event)
    for file, rows in annotated.files.items():
        text = annotated.texts.get(file, ())
        row_of = {int(annotated.lines.line[row]): row for row in rows}
        stream.write(f"\n{cell_text(annotated.profile.texts[file])}\n")
        table.write_row("Line", ("Self", "%", "Incl."), "Source")
        for line in _lines_with_context(row_of, len(text)):
            row = row_of.get(line or 0, -1) if line is not None else -1
            source = line_text(annotated.texts, file, line or 0) or ""
            costs = table.cost_cells(self_cost[row], inclusive[row]) if row >= 0 else _NO_COSTS
            table.write_row(_ELLIPSIS if line is None else str(line), costs, _location_text(source))
            _write_line_calls_and_jumps(table, annotated, row)


def _write_line_calls_and_jumps(
    table: _AnnotationTable, annotated: AnnotatedLines, row: int
) -> None:
    jumps, texts = annotated.lines.jumps, annotated.profile.texts
    table.write_calls(annotated.costs, row)
    for jump in rows_of_location(jumps.location, row):
        file, line = text_at(jumps.target_file, jump), int(jumps.target_line[jump])
        is_here = file == text_at(annotated.lines.file, row)
        target = f"line {line}" if is_here else f"{base_name(texts[file])}:{line}"
        table.write_jump(jump, jumps.executed, jumps.followed, jumps.conditional, target)


def write_instruction_text(
    annotated: AnnotatedInstructions, event: EventType | None, problem: str, stream: TextIO
) -> None:
    """Write the instructions by address; calls and jumps follow the one that makes them."""
    table = _AnnotationTable(annotated.profile, event, stream)
    table.write_header(annotated.function, problem)
    self_cost, inclusive = annotated.self_cost(event), annotated.inclusive_cost(event)
    addresses, jumps = annotated.address.tolist(), annotated.recorded.jumps
    cost_rows = annotated.cost_row.tolist()
    stream.write("\n")
    table.write_row("Address", ("Self", "%", "Incl."), f"{'Instruction':{_CODE_WIDTH}}  Source")
    with_cost = [position + 1 for position, row in enumerate(cost_rows) if row >= 0]
    for number in _lines_with_context(with_cost, len(addresses)):
        if number is None:
            table.write_row(_ELLIPSIS, _NO_COSTS, "")
            continue
        row = cost_rows[number - 1]
        costs = table.cost_cells(self_cost[row], inclusive[row]) if row >= 0 else _NO_COSTS
        table.write_row(
            f"{addresses[number - 1]:#x}", costs, _instruction_text(annotated, number - 1)
        )
        table.write_calls(annotated.costs, row)
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
    """Writes table rows: a code location, its costs in one event, and its text."""

    def __init__(self, profile: Profile, event: EventType | None, stream: TextIO) -> None:
        self._profile = profile
        self._event = event
        self._stream = stream
        self._total = total(profile, event).base if event else 0

    def write_header(self, function: FunctionId, problem: str) -> None:
        """Write the function's names, its share of the total cost, and the problem, if any."""
        texts, functions = self._profile.texts, self._profile.functions
        self._stream.write(
            f"{cell_text(texts[text_at(functions.name, function)])}\n"
            f"File: {cell_text(texts[text_at(functions.file, function)])}\n"
            f"Object: {cell_text(texts[text_at(functions.object, function)])}\n"
        )
        (self_cost,) = event_costs(
            self._profile, self._event, function_self_cost(self._profile, function)
        )
        number, percentage, _ = self.cost_cells(self_cost, self_cost)
        event = cell_text(self._event.name) if self._event else "cost"
        self._stream.write(
            f"Self {event}: {number} of {_cost_number(self._total)} ({percentage} %)\n"
        )
        if problem:
            self._stream.write(f"Problem: {cell_text(problem)}\n")

    def write_row(self, location: str, costs: tuple[str, str, str], text: str) -> None:
        """Write one row."""
        self_cost, percentage, inclusive = costs
        row = f"{location:>18}{self_cost:>16}{percentage:>8}{inclusive:>16}  {text}"
        self._stream.write(row.rstrip() + "\n")

    def write_calls(self, annotated: AnnotatedCosts, row: int) -> None:
        """Write the calls of a line or instruction, one row each."""
        calls = annotated.calls
        names, functions = self._profile.texts, self._profile.functions
        call_rows = rows_of_location(calls.location, row)
        costs = event_costs(
            self._profile, self._event, calls.inclusive[:, call_rows.start : call_rows.stop]
        )
        for call, inclusive in zip(call_rows, costs, strict=True):
            callee, count = function_at(calls.callee, call), int(calls.count[call])
            name, file = (
                names[text_at(functions.name, callee)],
                names[text_at(functions.file, callee)],
            )
            count_text = ACTIVE if calls.is_active[call] else f"{count:,}x"
            text = f"  → {cell_text(name)} {count_text} ({cell_text(base_name(file))})"
            cost = IN_CYCLE if annotated.within_cycle[call] else _cost_number(inclusive)
            self.write_row("", ("", "", cost), text)

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
        self.write_row("", _NO_COSTS, f"  ↷ {count_text} to {cell_text(target)}")

    def cost_cells(self, self_cost: int | float, inclusive: int | float) -> tuple[str, str, str]:
        """Return self cost, its share of the profile's total, and inclusive cost."""
        share = (
            "" if self._event and self._event.is_ratio else 100 * self_cost / max(1, self._total)
        )
        percentage = f"{share:.2f}" if isinstance(share, float) else ""
        return _cost_number(self_cost), percentage, _cost_number(inclusive)


def _lines_with_context(marked: Iterable[int], last: int) -> Iterator[int | None]:
    """Yield the marked numbers with context, from 1 to `last`; None for each gap."""
    numbers = set(marked)
    for number in [number for number in numbers if 1 <= number <= last]:
        numbers.update(
            range(max(1, number - _CONTEXT_LINES), min(last, number + _CONTEXT_LINES) + 1)
        )
    previous = 0
    for number in sorted(numbers):
        if min(number, last + 1) > max(previous + 1, 1):
            yield None
        yield number
        previous = number
    if previous < last:
        yield None


def _cost_number(cost: int | float) -> str:
    return f"{cost:,}" if isinstance(cost, int) else f"{cost:,.4g}"


def _location_text(source: str) -> str:
    return cell_text(source.expandtabs())
