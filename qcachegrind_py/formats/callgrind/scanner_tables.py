"""Tables that the scanner fills: growing numpy columns, exposed to it as memoryviews.

Columns are arrays of zeros, which the system allocates page by page on the first write, so unused
capacity and columns of events without costs take no memory. `scanner` explains why it needs
memoryviews.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from qcachegrind_py.formats.callgrind.interner import Interner
from qcachegrind_py.formats.callgrind.scanner import DIAGNOSTIC_KINDS, DIAGNOSTICS_KEPT, Scanner
from qcachegrind_py.profile.string_table import UNKNOWN, StringTable
from qcachegrind_py.profile.tables import Calls, Costs, Functions, Jumps, Runs

Column = npt.NDArray[Any]
_ColumnTypes = dict[str, type[np.generic]]

_UNKNOWN = f"{UNKNOWN}\n".encode()  # text number 0
_BYTES_PER_COST = 10  # of a line in a dense file
_BYTES_PER_CALL = 100
_BYTES_PER_JUMP = 50

_TEXT_COLUMNS: _ColumnTypes = {"start": np.int64, "hash": np.uint64}
_FUNCTION_COLUMNS: _ColumnTypes = dict.fromkeys(("name", "file", "object"), np.int32)
_COST_COLUMNS: _ColumnTypes = {"line": np.int32, "address": np.uint64, "values": np.int64}
_RUN_COLUMNS: _ColumnTypes = {
    "start": np.int64,
    "part": np.int32,
    "function": np.int32,
    "file": np.int32,
}
_CALL_COLUMNS: _ColumnTypes = {
    **dict.fromkeys(("part", "caller", "callee", "file", "line"), np.int32),
    **{"address": np.uint64, "count": np.int64, "values": np.int64},
}
_JUMP_COLUMNS: _ColumnTypes = {
    **dict.fromkeys(("part", "function", "file", "line"), np.int32),
    **dict.fromkeys(("target_function", "target_file", "target_line"), np.int32),
    **dict.fromkeys(("address", "target_address"), np.uint64),
    **dict.fromkeys(("executed", "followed"), np.int64),
    "conditional": np.uint8,
}


class GrowingTable:
    """The columns of one kind of row, which the scanner sees as `PREFIX_COLUMN`."""

    def __init__(self, owner: object, prefix: str, types: _ColumnTypes) -> None:
        self.columns: dict[str, Column] = {}
        self._owner = owner
        self._prefix = prefix
        self._types = types
        self._capacity = 0
        self._events = 0

    def reserve(self, filled: int, needed: int, expected: int, events: int = 0) -> None:
        """Reserve `needed` free rows; if the table must grow, make it `expected` rows long."""
        if filled + needed <= self._capacity and events <= self._events:
            return
        if filled + needed > self._capacity:
            self._capacity = max(filled + needed, expected)
        self._events = max(self._events, events)
        for name, type_ in self._types.items():
            shape = (self._events, self._capacity) if name == "values" else (self._capacity,)
            self._replace(name, np.zeros(shape, type_), filled)

    def _replace(self, name: str, column: Column, filled: int) -> None:
        old = self.columns.get(name)
        if old is not None:
            for new_row, old_row in zip(np.atleast_2d(column), np.atleast_2d(old), strict=False):
                if old_row[:filled].any():  # columns never written remain without memory
                    new_row[:filled] = old_row[:filled]
        self.columns[name] = column
        setattr(self._owner, f"{self._prefix}_{name}", column.data)

    def filled_column(self, name: str, rows: int) -> Column:
        """Return the filled rows of a column, read-only."""
        column = self.columns[name][..., :rows]
        column.flags.writeable = False
        return column


class NameTables:
    """The memory of the interner: texts, functions, ids and their hash slots."""

    def __init__(self) -> None:
        self.interner = Interner()
        self._texts = GrowingTable(self.interner, "text", _TEXT_COLUMNS)
        self._functions = GrowingTable(self.interner, "function", _FUNCTION_COLUMNS)
        self._arena = np.zeros(0, np.uint8)
        self._slots = 1 << 10
        self._ids = np.zeros((3, 0), np.int64), np.zeros((3, 0), np.int32)
        self.grow()
        self.reserve(len(_UNKNOWN))
        self._arena[: len(_UNKNOWN)] = np.frombuffer(_UNKNOWN, np.uint8)
        self.interner.text_start[1] = len(_UNKNOWN)
        self.interner.texts = 1

    def grow(self) -> None:
        """Make all tables four times as large, retaining ids and names."""
        self._slots *= 4
        half = self._slots // 2 + 1
        self._texts.reserve(self.interner.texts + 1, half, 0)
        self._functions.reserve(self.interner.functions, half, 0)
        self.interner.text_slot = np.zeros(self._slots, np.int32).data
        self.interner.function_slot = np.zeros(self._slots, np.int32).data
        self.interner.rehash()
        old = self._ids
        self.clear_ids()
        self.interner.take_ids(old[0].data, old[1].data)

    def clear_ids(self) -> None:
        """Forget all ids, which are valid to the end of their file."""
        keys = np.zeros((3, self._slots), np.int64)
        values = np.full((3, self._slots), -1, np.int32)
        self._ids = keys, values
        self.interner.id_key, self.interner.id_value = keys.data, values.data
        self.interner.ids = 0

    def reserve(self, length: int) -> None:
        """Reserve space for the names in `length` bytes of input, each with a line feed."""
        used = int(self.interner.text_start[self.interner.texts])
        if used + length > len(self._arena):
            arena = np.zeros(2 * used + 4 * length, np.uint8)
            arena[:used] = self._arena[:used]
            self._arena = arena
            self.interner.arena = arena.data

    def texts(self) -> StringTable:
        """Return all texts, copied from the working memory."""
        starts = self._texts.filled_column("start", self.interner.texts + 1).copy()
        return StringTable(self._arena[: starts[-1]].tobytes(), starts)

    def functions(self) -> Functions:
        """Return all functions."""
        rows = self.interner.functions
        return Functions(
            **{name: self._functions.filled_column(name, rows) for name in _FUNCTION_COLUMNS}
        )


class ScannerTables:
    """All memory of one scanner, and the tables built from it."""

    def __init__(self) -> None:
        self.names = NameTables()
        self.scanner = Scanner(self.names.interner)
        self.event_count = 0
        self._costs = GrowingTable(self.scanner, "cost", _COST_COLUMNS)
        self._runs = GrowingTable(self.scanner, "run", _RUN_COLUMNS)
        self._calls = GrowingTable(self.scanner, "call", _CALL_COLUMNS)
        self._jumps = GrowingTable(self.scanner, "jump", _JUMP_COLUMNS)
        kinds = len(DIAGNOSTIC_KINDS)
        self.scanner.diagnostic_count = np.zeros(kinds, np.int64).data
        self.scanner.diagnostic_line = np.zeros((kinds, DIAGNOSTICS_KEPT), np.int64).data
        self.scanner.diagnostic_offset = np.zeros((kinds, DIAGNOSTICS_KEPT), np.int64).data

    def reserve(self, length: int, in_all: int) -> None:
        """Reserve a row for every second byte of the next `length`, the most that lines can need.

        A table that must grow gets the capacity for a dense file of `in_all` bytes, since unused
        capacity takes no memory; copying on repeated growth took a sixth of the time.
        """
        scanner, needed = self.scanner, length // 2 + 1
        self.names.reserve(length)
        for table, filled, dense in (
            (self._costs, scanner.costs, _BYTES_PER_COST),
            (self._runs, scanner.runs, _BYTES_PER_CALL),
            (self._calls, scanner.calls, _BYTES_PER_CALL),
            (self._jumps, scanner.jumps, _BYTES_PER_JUMP),
        ):
            events = self.event_count if table in (self._costs, self._calls) else 0
            table.reserve(filled, needed, filled * 3 // 2 + needed + in_all // dense, events)

    def set_events(self, columns: list[int], event_count: int) -> None:
        """Set the column of each cost in a line, of `event_count` columns; -1: ignored."""
        self.event_count = event_count
        self._costs.reserve(self.scanner.costs, 0, 0, event_count)
        self._calls.reserve(self.scanner.calls, 0, 0, event_count)
        self.scanner.event_column = np.array(columns, np.int32).data
        self.scanner.events = len(columns)
        self.scanner.events_repeat = len(set(columns)) < len(columns)

    def total_cost(self, column: int, first_row: int) -> int:
        """Return the sum of one event's costs from a row on."""
        values = self._costs.columns["values"]
        return int(values[column, first_row : self.scanner.costs].sum())

    def runs(self) -> Runs:
        """Return all runs, with the end of the last one."""
        rows = self.scanner.runs
        start = np.append(self._runs.filled_column("start", rows), self.scanner.costs)
        start.flags.writeable = False
        others = {
            name: self._runs.filled_column(name, rows) for name in _RUN_COLUMNS if name != "start"
        }
        return Runs(start=start, **others)

    def costs(self, with_address: bool) -> Costs:
        """Return all lines of self cost."""
        return Costs(**self._filled(self._costs, _COST_COLUMNS, self.scanner.costs, with_address))

    def calls(self, with_address: bool) -> Calls:
        """Return all calls."""
        return Calls(**self._filled(self._calls, _CALL_COLUMNS, self.scanner.calls, with_address))

    def jumps(self, with_address: bool) -> Jumps:
        """Return all jumps."""
        columns = self._filled(self._jumps, _JUMP_COLUMNS, self.scanner.jumps, with_address)
        return Jumps(**{**columns, "conditional": columns["conditional"].view(np.bool_)})

    @staticmethod
    def _filled(
        table: GrowingTable, types: _ColumnTypes, rows: int, with_address: bool
    ) -> dict[str, Any]:
        columns: dict[str, Any] = {name: table.filled_column(name, rows) for name in types}
        if not with_address:
            columns |= {name: None for name in types if name.endswith("address")}
        return columns
