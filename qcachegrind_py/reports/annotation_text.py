"""Annotated lines and instructions for people: a table of what has cost and what is around it.

Stretches without cost are left out, and their place is marked by `…`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedInstructions,
    AnnotatedLines,
    costs_of,
    rows_at,
    self_cost_of,
)
from qcachegrind_py.analysis.code.locations import SiteCalls
from qcachegrind_py.analysis.costs.part_totals import total
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.reports.cells import cell

_CONTEXT = 3  # lines or instructions around each that has cost
_LEFT_OUT = "…"
_CODE_WIDTH = 44
_NO_INSTRUCTION = "(no instruction begins here)"
_NO_COSTS = ("", "", "")


def write_line_text(
    annotated: AnnotatedLines, event: EventType | None, problem: str, stream: TextIO
) -> None:
    """The lines file by file; calls and jumps under the line that makes them."""
    table = _Table(annotated.profile, event, stream)
    table.write_head(annotated.function, problem)
    own, inclusive = annotated.self_cost(event), annotated.inclusive(event)
    for file, rows in annotated.files.items():
        name = annotated.profile.texts[file]
        text = annotated.texts.get(name, ())
        row_of = {int(annotated.costs.line[row]): row for row in rows}
        stream.write(f"\n{cell(name)}\n")
        table.write("Line", ("Self", "%", "Incl."), "Source")
        for line in _shown(row_of, len(text)):
            row = row_of.get(line or 0, -1) if line is not None else -1
            source = text[line - 1] if line and 1 <= line <= len(text) else ""
            costs = table.costs(own[row], inclusive[row]) if row >= 0 else _NO_COSTS
            table.write(_LEFT_OUT if line is None else str(line), costs, _printed(source))
            _write_line_calls_and_jumps(table, annotated, row)


def _write_line_calls_and_jumps(table: _Table, annotated: AnnotatedLines, row: int) -> None:
    jumps, texts = annotated.costs.jumps, annotated.profile.texts
    table.write_calls(annotated.costs.calls, row)
    for jump in rows_at(jumps.site, row):
        file, line = int(jumps.target_file[jump]), int(jumps.target_line[jump])
        is_here = file == int(annotated.costs.file[row])
        target = f"line {line}" if is_here else f"{base_name(texts[file])}:{line}"
        table.write_jump(jump, jumps.executed, jumps.followed, jumps.conditional, target)


def write_instruction_text(
    annotated: AnnotatedInstructions, event: EventType | None, problem: str, stream: TextIO
) -> None:
    """The instructions by address; calls and jumps under the one that makes them."""
    table = _Table(annotated.profile, event, stream)
    table.write_head(annotated.function, problem)
    own, inclusive = annotated.self_cost(event), annotated.inclusive(event)
    addresses, jumps = annotated.address.tolist(), annotated.costs.jumps
    stream.write("\n")
    table.write("Address", ("Self", "%", "Incl."), f"{'Instruction':{_CODE_WIDTH}}  Source")
    with_cost = [place + 1 for place, row in enumerate(annotated.cost_row) if row >= 0]
    for number in _shown(with_cost, len(addresses)):
        if number is None:
            table.write(_LEFT_OUT, _NO_COSTS, "")
            continue
        row = annotated.cost_row[number - 1]
        costs = table.costs(own[row], inclusive[row]) if row >= 0 else _NO_COSTS
        table.write(f"{addresses[number - 1]:#x}", costs, _instruction(annotated, number - 1))
        table.write_calls(annotated.costs.calls, row)
        for jump in rows_at(jumps.site, row):
            target = f"{int(jumps.target[jump]):#x}"
            table.write_jump(jump, jumps.executed, jumps.followed, jumps.conditional, target)


def _instruction(annotated: AnnotatedInstructions, place: int) -> str:
    """The instruction and the source line it was made from."""
    missing = _NO_INSTRUCTION if len(annotated.code) else ""
    text = _printed(annotated.text(place) or missing)
    file, line = annotated.source(place)
    return f"{text:{_CODE_WIDTH}}  {cell(base_name(file or ''))}:{line}" if line else text


class _Table:
    """Writes rows of a place in the code, its costs in one event and its text."""

    def __init__(self, profile: Profile, event: EventType | None, stream: TextIO) -> None:
        self._profile = profile
        self._event = event
        self._stream = stream
        self._total = total(profile, event).base if event else 0

    def write_head(self, function: int, problem: str) -> None:
        """Which function it is, what it cost of all, and what could not be shown."""
        texts, functions = self._profile.texts, self._profile.functions
        self._stream.write(
            f"{cell(texts[int(functions.name[function])])}\n"
            f"File: {cell(texts[int(functions.file[function])])}\n"
            f"Object: {cell(texts[int(functions.object[function])])}\n"
        )
        (own,) = costs_of(self._profile, self._event, self_cost_of(self._profile, function))
        number, percentage, _ = self.costs(own, own)
        event = cell(self._event.name) if self._event else "cost"
        self._stream.write(f"Self {event}: {number} of {_number(self._total)} ({percentage} %)\n")
        if problem:
            self._stream.write(f"Problem: {cell(problem)}\n")

    def write(self, place: str, costs: tuple[str, str, str], text: str) -> None:
        """One row."""
        own, percentage, inclusive = costs
        row = f"{place:>18}{own:>16}{percentage:>8}{inclusive:>16}  {text}"
        self._stream.write(row.rstrip() + "\n")

    def write_calls(self, calls: SiteCalls, row: int) -> None:
        """The calls of a line or instruction, a row each."""
        names, functions = self._profile.texts, self._profile.functions
        site = rows_at(calls.site, row)
        costs = costs_of(self._profile, self._event, calls.inclusive[:, site.start : site.stop])
        for call, inclusive in zip(site, costs, strict=True):
            callee, count = int(calls.callee[call]), int(calls.count[call])
            name, file = names[int(functions.name[callee])], names[int(functions.file[callee])]
            often = f"{count:,}x" if count else "active"
            text = f"  → {cell(name)} {often} ({cell(base_name(file))})"
            self.write("", ("", "", _number(inclusive)), text)

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
        self.write("", _NO_COSTS, f"  ↷ {often} to {cell(target)}")

    def costs(self, own: int | float, inclusive: int | float) -> tuple[str, str, str]:
        """Self cost, its share of the profile's total, and inclusive cost."""
        share = "" if self._event and self._event.is_ratio else 100 * own / max(1, self._total)
        percentage = f"{share:.2f}" if isinstance(share, float) else ""
        return _number(own), percentage, _number(inclusive)


def _shown(marked: Iterable[int], last: int) -> Iterator[int | None]:
    """What is marked, and what is around it from 1 to `last`; None where any is left out."""
    numbers = set(marked)
    for number in [number for number in numbers if 1 <= number <= last]:
        numbers.update(range(max(1, number - _CONTEXT), min(last, number + _CONTEXT) + 1))
    before = 0
    for number in sorted(numbers):
        if min(number, last + 1) > max(before + 1, 1):
            yield None
        yield number
        before = number
    if before < last:
        yield None


def _number(cost: int | float) -> str:
    return f"{cost:,}" if isinstance(cost, int) else f"{cost:,.4g}"


def _printed(source: str) -> str:
    return cell(source.expandtabs())
