"""The annotated function: its source lines or instructions with their costs, calls and texts.

The window, `--annotate` and the HTML page show the same annotated function. Texts and decoded
instructions are arguments; this module opens no files. Of two versions, `align_costs` puts the
costs of both sides into the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from qcachegrind_py.analysis.code.calling_instructions import at_calling_instructions
from qcachegrind_py.analysis.code.function_files import file_of_function
from qcachegrind_py.analysis.code.instructions import NO_ROW, AlignedRows, Code
from qcachegrind_py.analysis.code.location_costs import (
    InstructionCosts,
    InstructionJumps,
    LineCosts,
    LineJumps,
    LocationCalls,
    LocationJumps,
    rows_of_function,
    united_calls,
)
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.analysis.costs.sums import find_rows, sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import (
    BoolArray,
    Int32Array,
    Int64Array,
    UInt64Array,
    joined,
)

SourceLines = Mapping[TextId, Sequence[str]]  # the lines of each source file that was found


@frozen
class AnnotatedCosts:
    """The costs of lines or instructions, without calls within the function's cycle.

    Calls that lead back into the cycle, or to the function itself, add nothing to the inclusive
    cost of their location: their cost contains the function again and would count repeatedly.
    """

    self_cost: Int64Array  # shape (events, locations)
    inclusive: Int64Array  # shape (events, locations): self cost and the cost of all other calls
    calls: LocationCalls  # all calls, with costs as recorded
    within_cycle: BoolArray  # shape (calls,)


def annotated_costs(
    recorded: LineCosts | InstructionCosts,
    function: FunctionId,
    cycle: Int32Array,
    *,
    are_stacks: bool = False,
) -> AnnotatedCosts:
    """Compute the costs of the locations of a function without calls within its cycle.

    `cycle` has the cycle number of each function, 0: none (as `FunctionCosts.cycle`). For the lines
    of a whole file, `function` is `NO_FUNCTION`, and all calls count. So they do in whole stacks,
    of which inclusive costs have each once.
    """
    calls = recorded.calls
    within = _calls_within_cycle(calls, NO_FUNCTION if are_stacks else function, cycle)
    inclusive = recorded.inclusive
    if within.any():
        inclusive = inclusive - sums_by_group(
            calls.inclusive[:, within], calls.location[within], inclusive.shape[1]
        )
    return AnnotatedCosts(recorded.self_cost, inclusive, calls, within)


def _calls_within_cycle(calls: LocationCalls, function: FunctionId, cycle: Int32Array) -> BoolArray:
    if function == NO_FUNCTION:
        return np.zeros(len(calls), bool)
    own_cycle = cycle[function]
    within: BoolArray = calls.callee == function
    if own_cycle > 0:
        within |= cycle[calls.callee] == own_cycle
    return within


@frozen(slots=False)
class _Annotated:
    """The costs of a function's lines or instructions, or of a file over all functions."""

    profile: Profile
    function: FunctionId  # `NO_FUNCTION`: all functions
    costs: AnnotatedCosts

    def self_cost(self, event: EventType | None) -> list[int | float]:
        """Return the self cost of each row of `costs` in one event."""
        return event_costs(self.profile, event, self.costs.self_cost)

    def inclusive_cost(self, event: EventType | None) -> list[int | float]:
        """Return the inclusive cost of each row of `costs`, without calls within the cycle."""
        return event_costs(self.profile, event, self.costs.inclusive)


# ---------------------------------------------------------------- source lines


@frozen(slots=False)
class AnnotatedLines(_Annotated):
    """The lines of a function, or of a file over all functions, with the texts found."""

    lines: LineCosts
    texts: SourceLines

    @cached_property
    def files(self) -> dict[TextId, list[int]]:
        """The rows of each file in order of line, with the function's own file first."""
        rows: dict[TextId, list[int]] = {}
        for row, file in enumerate(text_ids(self.lines.file)):
            rows.setdefault(file, []).append(row)
        if self.function == NO_FUNCTION:
            return rows
        own_file = file_of_function(self.profile, self.function)
        return {
            file: rows[file] for file in sorted(rows, key=lambda file: (file != own_file, file))
        }

    @property
    def jumps(self) -> LineJumps:
        return self.lines.jumps

    @property
    def order(self) -> list[int]:
        """All rows, file by file."""
        return [row for rows in self.files.values() for row in rows]

    def file(self, row: int) -> str:
        return self.profile.texts[text_at(self.lines.file, row)]

    def text(self, row: int) -> str | None:
        """Return the source text of a row, or None if it is unknown."""
        return line_text(self.texts, text_at(self.lines.file, row), int(self.lines.line[row]))


def annotate_lines(
    profile: Profile,
    function: FunctionId,
    lines: LineCosts,
    cycle: Int32Array,
    texts: SourceLines,
) -> AnnotatedLines:
    """Join lines with their texts; `function` and `cycle` are as in `annotated_costs`."""
    are_stacks = profile.contexts is not None
    costs = annotated_costs(lines, function, cycle, are_stacks=are_stacks)
    return AnnotatedLines(profile, function, costs, lines, texts)


def line_text(texts: SourceLines, file: TextId, line: int) -> str | None:
    """Return the text of a line, or None if its file was not found or has no such line."""
    lines = texts.get(file, ())
    return lines[line - 1] if 1 <= line <= len(lines) else None


# ---------------------------------------------------------------- instructions


@frozen(slots=False)
class AnnotatedInstructions(_Annotated):
    """The instructions of a function: all decoded ones and all recorded addresses, in order.

    A row of -1 means that the address has no recorded costs, or that no instruction was decoded
    there.
    """

    recorded: InstructionCosts
    code: Code
    address: UInt64Array
    code_row: Int64Array  # of each address
    cost_row: Int64Array  # of each address

    @property
    def jumps(self) -> InstructionJumps:
        return self.recorded.jumps

    def size(self, position: int) -> int:
        """Return the size of the instruction in bytes; 0 if none begins there."""
        row = self.code_row[position]
        return int(self.code.size[row]) if row >= 0 else 0

    def text(self, position: int) -> str | None:
        """Return the instruction in assembler, or None if none begins there."""
        row = self.code_row[position]
        if row < 0:
            return None
        return f"{self.code.mnemonic[row]} {self.code.operands[row]}".rstrip()

    def location(self, position: int) -> tuple[str | None, int | None]:
        """Return the source file and line of the instruction, each None if not recorded."""
        row = int(self.cost_row[position])
        if row < 0:
            return None, None
        file = self.profile.texts[text_at(self.recorded.file, row)]
        return file, int(self.recorded.line[row]) or None

    def measured_self_cost(self, row: int) -> Int64Array:
        """Return the self cost of a row of `costs`, shape (measured events,); zeros for row -1."""
        costs = self.costs.self_cost
        return costs[:, row] if row >= 0 else np.zeros(len(costs), np.int64)


def annotate_instructions(
    profile: Profile,
    function: FunctionId,
    recorded: InstructionCosts,
    cycle: Int32Array,
    code: Code,
) -> AnnotatedInstructions:
    """Join instructions with their costs; `code` is `NO_CODE` if none was found.

    `cycle` is as for `annotated_costs`. Calls of samples, which are recorded where they return to,
    are at the instructions that call.
    """
    recorded = at_calling_instructions(profile, recorded, code)
    address = np.union1d(code.address, recorded.address)
    return AnnotatedInstructions(
        profile,
        function,
        annotated_costs(recorded, function, cycle, are_stacks=profile.contexts is not None),
        recorded,
        code,
        address,
        find_rows(code.address, address),
        find_rows(recorded.address, address),
    )


def empty_instruction_costs(profile: Profile) -> InstructionCosts:
    """Return instruction costs without rows, for profiles that have no addresses."""
    column, numbers = np.zeros(0, np.int64), np.zeros(0, np.int32)
    costs = np.zeros((len(profile.events.names), 0), np.int64)
    addresses, flags = np.zeros(0, np.uint64), np.zeros(0, bool)
    calls = LocationCalls(column, column, column, costs, flags)
    jumps = InstructionJumps(
        location=column, target=addresses, executed=column, followed=column, conditional=flags
    )
    return InstructionCosts(addresses, numbers, numbers, costs, costs, calls, jumps)


# ---------------------------------------------------------------- costs of rows


def joined_costs(
    many: Sequence[AnnotatedLines | AnnotatedInstructions],
) -> tuple[AnnotatedCosts, LocationJumps]:
    """Return costs and jumps of several functions, the rows of one behind those of another."""
    costs, jumps = [each.costs for each in many], [each.jumps for each in many]
    counts = [each.self_cost.shape[1] for each in costs]
    first_row = np.cumsum([0, *counts[:-1]])
    self_cost, inclusive, within = (
        np.concatenate(columns, axis=-1)
        for columns in zip(
            *((each.self_cost, each.inclusive, each.within_cycle) for each in costs), strict=True
        )
    )
    calls = _behind_others([each.calls for each in costs], first_row)
    return AnnotatedCosts(self_cost, inclusive, calls, within), _behind_others(jumps, first_row)


_AtLocations = TypeVar("_AtLocations", LocationCalls, LocationJumps)


def _behind_others(tables: Sequence[_AtLocations], first_row: Int64Array) -> _AtLocations:
    """Return calls or jumps of several functions, counted from the first row of each."""
    all_ = joined(tables)
    return replace(all_, location=all_.location + np.repeat(first_row, list(map(len, tables))))


def function_self_cost(profile: Profile, function: FunctionId, parts: Parts) -> Int64Array:
    """Return the self cost of a function in the active parts, shape (events, 1)."""
    rows = rows_of_function(profile, function, parts).costs
    costs: Int64Array = profile.costs.values[:, rows].sum(axis=1, keepdims=True)
    return costs


def event_costs(profile: Profile, event: EventType | None, costs: Int64Array) -> list[int | float]:
    """Evaluate costs of shape (events, rows) in one event; all 0 if `event` is None."""
    if event is None:
        return [0] * costs.shape[1]
    numbers: list[int | float] = profile.events.evaluate(event, costs).tolist()
    return numbers


def rows_of_location(location: Int64Array, row: int) -> range:
    """Return the range of calls or jumps at one location.

    `location` is the row of the line or instruction of each call or jump, in ascending order.
    """
    start, stop = np.searchsorted(location, (row, row + 1)).tolist()
    return range(start, stop)


# ---------------------------------------------------------------- instructions of both sides


@frozen
class AlignedCosts:
    """Costs and calls by row; those of all rows are the function's on that side."""

    base: AnnotatedCosts  # shape (events, rows)
    new: AnnotatedCosts
    has_cost: BoolArray  # whether a side has recorded the instruction
    file: Int32Array  # source file of each row on the new side, of which the texts are; 0: unknown
    line: Int32Array


def align_costs(
    base: AnnotatedInstructions, new: AnnotatedInstructions, rows: AlignedRows
) -> AlignedCosts:
    """Put the costs of both sides into the same rows, those of `align_rows`.

    Both sides are of one profile and its events. They have the same calls, too, with costs and
    counts of 0 where a side lacks them.
    """
    sides, count = (base, new), len(rows)
    places = _rows_of_costs(base, rows.base), _rows_of_costs(new, rows.new)
    calls = united_calls(base.costs.calls, new.costs.calls, *places)
    within = np.zeros(len(calls[0][0]), bool)  # on both sides, as calls lead to the same functions
    for side, (_, row) in zip(sides, calls, strict=True):
        within[row[side.costs.within_cycle]] = True
    before, after = (
        AnnotatedCosts(
            sums_by_group(side.costs.self_cost, place, count),
            sums_by_group(side.costs.inclusive, place, count),
            of_side,
            within,
        )
        for side, place, (of_side, _) in zip(sides, places, calls, strict=True)
    )
    has_cost = np.zeros(count, bool)
    has_cost[np.concatenate(places)] = True
    file, line = np.zeros(count, np.int32), np.zeros(count, np.int32)
    file[places[1]], line[places[1]] = new.recorded.file, new.recorded.line
    return AlignedCosts(before, after, has_cost, file, line)


def _rows_of_costs(annotated: AnnotatedInstructions, position: Int64Array) -> Int64Array:
    """Return the row of each recorded instruction; `position` is where each row has its own."""
    cost_row = np.append(annotated.cost_row, NO_ROW)[position]
    rows = np.flatnonzero(cost_row != NO_ROW)
    place = np.zeros(len(annotated.recorded), np.int64)
    place[cost_row[rows]] = rows
    return place
