"""Growing tables: columns that the scanner fills row by row, exposed to it as memoryviews."""

from __future__ import annotations

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

    def reserve(self, filled: int, needed: int, expected: int, events: int = 0) -> None:
        """Reserve `needed` free rows; if the table must grow, make it `expected` rows long."""
        if "values" not in self._types:
            events = 0
        if filled + needed <= self._capacity and events <= self._events:
            return
        if filled + needed > self._capacity:
            self._capacity = max(filled + needed, expected)
        self._events = max(self._events, events)
        for name, type_ in self._types.items():
            shape = (self._events, self._capacity) if name == "values" else (self._capacity,)
            memory = ZeroedMemory(shape, type_)
            if name in self._memory:
                _move_rows(self._memory[name], filled, memory.array)
            self._memory[name] = memory
            setattr(self._owner, f"{self._prefix}_{name}", memory.array.data)

    def renumber(self, name: str, number: Column, first: int, stop: int) -> None:
        """Replace each value in rows of a column by `number[value]`."""
        column = self._memory[name].array[first:stop]
        column[:] = number[column]

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
