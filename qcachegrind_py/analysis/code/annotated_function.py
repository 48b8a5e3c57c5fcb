"""Lines and instructions of one function joined with their texts: what all annotations print.

How they print it is the business of `annotation` and `annotation_text`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.code.instruction_costs import InstructionCosts, InstructionJumps
from qcachegrind_py.analysis.code.instructions import Code
from qcachegrind_py.analysis.code.line_costs import LineCosts
from qcachegrind_py.analysis.code.locations import LocationCalls, rows_of_function
from qcachegrind_py.analysis.costs.grouped_sums import find_rows
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array, UInt64Array

SourceLines = Mapping[str, Sequence[str]]  # the lines of each file, by its name as recorded


@dataclass(frozen=True, eq=False)
class AnnotatedLines:
    """The lines of a function, without hosts, and the texts of the files that are known."""

    profile: Profile
    function: FunctionId
    costs: LineCosts
    texts: SourceLines

    @cached_property
    def files(self) -> dict[TextId, list[int]]:
        """The rows of each file, by line: the function's own file first."""
        rows: dict[TextId, list[int]] = {}
        own_file = text_at(self.profile.functions.file, self.function)
        for row in np.lexsort((self.costs.file, self.costs.file != own_file)).tolist():
            rows.setdefault(text_at(self.costs.file, row), []).append(row)
        return rows

    @property
    def order(self) -> list[int]:
        """All rows, file by file."""
        return [row for rows in self.files.values() for row in rows]

    def file(self, row: int) -> str:
        """The file of a row, as recorded."""
        return self.profile.texts[text_at(self.costs.file, row)]

    def text(self, row: int) -> str | None:
        """The text of the line; None where it is not known."""
        lines, line = self.texts.get(self.file(row), ()), int(self.costs.line[row])
        return lines[line - 1] if 1 <= line <= len(lines) else None

    def self_cost(self, event: EventType | None) -> list[int | float]:
        """The self cost of each row in one event."""
        return event_costs(self.profile, event, self.costs.self_cost)

    def inclusive_cost(self, event: EventType | None) -> list[int | float]:
        """The self cost of each row and that of its calls, in one event."""
        return event_costs(self.profile, event, self.costs.inclusive)


class AnnotatedInstructions:
    """A place an address: those that were decoded and those that have cost, in order.

    A row of -1 means that the address is not among the costs, or not decoded.
    """

    def __init__(
        self, profile: Profile, function: FunctionId, costs: InstructionCosts, code: Code
    ) -> None:
        self.profile = profile
        self.function = function
        self.costs = costs
        self.code = code
        self.address: UInt64Array = np.union1d(code.address, costs.address)
        self.code_row: list[int] = find_rows(code.address, self.address).tolist()
        self.cost_row: list[int] = find_rows(costs.address, self.address).tolist()

    def size(self, position: int) -> int:
        """How many bytes the instruction has; 0 where none begins there."""
        row = self.code_row[position]
        return int(self.code.size[row]) if row >= 0 else 0

    def text(self, position: int) -> str | None:
        """The instruction as assembler; None where none begins there."""
        row = self.code_row[position]
        if row < 0:
            return None
        return f"{self.code.mnemonic[row]} {self.code.operands[row]}".rstrip()

    def location(self, position: int) -> tuple[str | None, int | None]:
        """File and line that the instruction was made from, as far as they were recorded."""
        row = self.cost_row[position]
        if row < 0:
            return None, None
        return self.profile.texts[text_at(self.costs.file, row)], int(self.costs.line[row]) or None

    def measured_self_cost(self, row: int) -> Int64Array:
        """The self cost of a row of the costs in the measured events; 0 for row -1."""
        costs = self.costs.self_cost
        return costs[:, row] if row >= 0 else np.zeros(len(costs), np.int64)

    def self_cost(self, event: EventType | None) -> list[int | float]:
        """The self cost of each row of the costs in one event."""
        return event_costs(self.profile, event, self.costs.self_cost)

    def inclusive_cost(self, event: EventType | None) -> list[int | float]:
        """The self cost of each row of the costs and that of its calls, in one event."""
        return event_costs(self.profile, event, self.costs.inclusive)


def empty_instruction_costs(profile: Profile) -> InstructionCosts:
    """The costs by address of a profile that has no addresses."""
    column, numbers = np.zeros(0, np.int64), np.zeros(0, np.int32)
    costs = np.zeros((len(profile.events.names), 0), np.int64)
    addresses, flags = np.zeros(0, np.uint64), np.zeros(0, bool)
    calls = LocationCalls(column, column, column, costs)
    jumps = InstructionJumps(column, addresses, column, column, flags)
    return InstructionCosts(addresses, numbers, numbers, costs, costs, calls, jumps)


def function_self_cost(profile: Profile, function: FunctionId) -> Int64Array:
    """The self cost of a function, shape (events, 1)."""
    rows = rows_of_function(profile, function).costs
    costs: Int64Array = profile.costs.values[:, rows].sum(axis=1, keepdims=True)
    return costs


def event_costs(profile: Profile, event: EventType | None, costs: Int64Array) -> list[int | float]:
    """The costs, shape (events, rows), in one event; 0 where the profile has none."""
    if event is None:
        return [0] * costs.shape[1]
    return [as_number(cost) for cost in profile.events.evaluate(event, costs)]


def rows_of_location(location: Int64Array, row: int) -> range:
    """The calls or jumps of a site: `site` has the site of each, and never falls."""
    start, stop = np.searchsorted(location, (row, row + 1)).tolist()
    return range(start, stop)
