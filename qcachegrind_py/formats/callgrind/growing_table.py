"""Growing tables: columns that the scanner fills row by row, exposed to it as memoryviews."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from qcachegrind_py.formats.callgrind.zeroed_memory import Column, ZeroedMemory

ColumnTypes = dict[str, type[np.generic]]


class GrowingTable:
    """The columns of one kind of row, which the scanner sees as `PREFIX_COLUMN`.

    The column `values` has the shape (events, rows), every other one (rows,).
    """

    def __init__(self, owner: object, prefix: str, types: ColumnTypes) -> None:
        self._memory: dict[str, ZeroedMemory] = {}
        self._owner = owner
        self._prefix = prefix
        self._types = types
        self._capacity = 0
        self._events = 0
        self.before_growth: Callable[[], object] = _nothing

    def reserve(self, filled: int, needed: int, expected: int, events: int = 0) -> None:
        """Reserve `needed` free rows; if the table must grow, make it `expected` rows long."""
        if "values" not in self._types:
            events = 0
        if filled + needed <= self._capacity and events <= self._events:
            return
        self.before_growth()
        if filled + needed > self._capacity:
            self._capacity = max(filled + needed, expected)
        self._events = max(self._events, events)
        for name, type_ in self._types.items():
            shape = (self._events, self._capacity) if name == "values" else (self._capacity,)
            memory = ZeroedMemory(shape, type_)
            if name in self._memory:
                _move_rows(self._memory[name], filled, memory.array)
            self._memory[name] = memory
        self.expose(self._owner)

    def expose(self, owner: object) -> None:
        """Make the columns attributes of `owner`, now and when they grow."""
        self._owner = owner
        for name, memory in self._memory.items():
            setattr(owner, f"{self._prefix}_{name}", memory.array.data)

    def has_room(self, filled: int, needed: int) -> bool:
        """Return whether `needed` rows behind the `filled` ones are reserved."""
        return filled + needed <= self._capacity

    def close_gap(self, filled: int, first: int, rows: int) -> None:
        """Move `rows` from `first` on up to the `filled` ones; the rows behind become zero."""
        stop = filled + rows
        for memory in self._memory.values():
            for line in np.atleast_2d(memory.array):
                line[filled:stop] = line[first : first + rows]
                line[stop : first + rows] = 0

    def column(self, name: str) -> Column:
        """Return a whole column, including free rows."""
        return self._memory[name].array

    def filled_column(self, name: str, rows: int) -> Column:
        """Return the filled rows of a column, read-only."""
        column = self._memory[name].array[..., :rows]
        column.flags.writeable = False
        return column


def _move_rows(source: ZeroedMemory, rows: int, target: Column) -> None:
    """Move the first `rows` of a column to a larger one."""
    lines = np.atleast_2d(target)
    for line, start, block in source.drain(rows):
        if block.any():  # what was never written remains without memory
            lines[line, start : start + len(block)] = block


def _nothing() -> None:
    """Do nothing."""
