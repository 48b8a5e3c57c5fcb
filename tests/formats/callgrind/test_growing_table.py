"""Columns that grow: their rows survive, and free rows are zero."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from qcachegrind_py.formats.callgrind.scanner_tables import (
    GrowingTable,
    ScannerTables,
    ZeroedMemory,
)

ROWS = 1_500_000  # more than a block


class Owner:
    """Has the columns as attributes."""


def test_rows_survive_growth() -> None:
    """Growing by rows and by events moves what is filled, in any number of blocks."""
    owner = Owner()
    table = GrowingTable(owner, "cost", {"line": np.int32, "values": np.int64})
    table.reserve(0, ROWS, 0, events=2)
    np.asarray(owner.cost_line)[:ROWS] = np.arange(ROWS)
    np.asarray(owner.cost_values)[1, :ROWS] = np.arange(ROWS)
    table.reserve(ROWS, 10, 2 * ROWS, events=3)
    assert np.array_equal(table.filled_column("line", ROWS), np.arange(ROWS))
    wanted = np.array([np.zeros(ROWS), np.arange(ROWS), np.zeros(ROWS)])
    assert np.array_equal(table.filled_column("values", ROWS), wanted)
    assert np.asarray(owner.cost_line).shape == (2 * ROWS,)
    assert not np.asarray(owner.cost_values)[:, ROWS:].any()


def test_a_new_event_leaves_other_columns_where_they_are() -> None:
    """Only costs have a line for each event."""
    owner = Owner()
    table = GrowingTable(owner, "cost", {"line": np.int32, "values": np.int64})
    table.reserve(0, 10, 0, events=1)
    np.asarray(owner.cost_values)[0, :5] = np.arange(5)
    line = owner.cost_line
    table.reserve(5, 0, 0, events=2)
    assert owner.cost_line is line
    assert table.filled_column("values", 5).tolist() == [[0, 1, 2, 3, 4], [0] * 5]


def test_tables_of_a_small_file_are_reserved_once() -> None:
    """No row is moved."""
    tables = ScannerTables()
    tables.reserve(100, 1_000_000)
    reserved = tables.scanner.cost_line.nbytes
    tables.reserve(1_000_000, 0)
    assert tables.scanner.cost_line.nbytes == reserved


def test_columns_are_read_only_outside() -> None:
    """A column of a profile cannot be written."""
    table = GrowingTable(Owner(), "cost", {"line": np.int32})
    table.reserve(0, 10, 0)
    with pytest.raises(ValueError, match="read-only"):
        table.filled_column("line", 5)[0] = 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep the pages")
def test_drained_memory_is_given_back() -> None:
    """A block that was copied returns to the system, so that it reads as zeros."""
    memory = ZeroedMemory((2, ROWS), np.int64)
    memory.array[...] = 7
    blocks = [(line, start, int(block.sum())) for line, start, block in memory.drain(ROWS)]
    assert sum(total for _line, _start, total in blocks) == 2 * ROWS * 7
    assert {line for line, _start, _total in blocks} == {0, 1}
    assert np.count_nonzero(memory.array) < 4096


def test_memory_that_does_not_exist() -> None:
    """More than the address space is a `MemoryError`, as from numpy."""
    with pytest.raises(MemoryError):
        ZeroedMemory((1 << 60,), np.int64)
