"""The memory of the scanner: columns that grow, names, and the tables built from them.

Unused capacity, and columns of events without costs, take no memory. `scanner` explains why it
needs memoryviews.
"""

from __future__ import annotations

import contextlib
import mmap
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from io import BytesIO
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from qcachegrind_py.formats.callgrind.interner import Interner
from qcachegrind_py.formats.callgrind.scanner import DIAGNOSTIC_KINDS, DIAGNOSTICS_KEPT, Scanner
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.ids import UNKNOWN_TEXT
from qcachegrind_py.profile.tables import (
    UNKNOWN,
    BoolArray,
    Calls,
    CallTargets,
    Costs,
    Functions,
    HalvedColumn,
    Int32Array,
    Int64Array,
    Jumps,
    Runs,
    StringTable,
    read_only,
)

if TYPE_CHECKING:
    import numpy.typing as npt

# ----------------------------------------------------- zeros, page by page
# A page that is never written takes no memory, so columns may be reserved for the longest file
# that fits. Large arrays from `np.zeros` share this property only as long as the C library maps
# them; it takes arrays of up to 32 MB from memory freed earlier and clears them. That cost 3.7 MB
# for each profile.

Column: TypeAlias = "npt.NDArray[Any]"

_SMALLEST_MAPPING = 1 << 16  # bytes; what is smaller costs less from the C library
_HUGE_PAGE = 2 << 20  # bytes
_SAMPLE = 64  # rows
_FIRST_LINES = 1 << 20  # bytes
_SMALL_FILE = 2 << 20  # bytes
_BLOCK_SIZE = 4 << 20  # bytes; a multiple of huge pages
_ALIGNMENT = 64  # bytes: a line of the cache


class ZeroedMemory:
    """The memory of one `array` of zeros; the rows of `drain` are given back one by one."""

    def __init__(
        self, shape: Sequence[int], type_: npt.DTypeLike, shared: _HugePages | None = None
    ) -> None:
        """Reserve an array of this shape and type; raises `MemoryError`."""
        size = prod(shape) * np.dtype(type_).itemsize
        self._mapping, self._start = None, 0
        if shared is not None:
            self._mapping, self._start = shared.mapping, shared.cut(size)
        elif size >= _SMALLEST_MAPPING:
            self._mapping = _mapped(size)
        self.array: Column = (
            np.zeros(shape, type_)
            if self._mapping is None
            else np.frombuffer(self._mapping, type_, prod(shape), self._start).reshape(shape)
        )

    def drain(self, rows: int) -> Iterator[tuple[int, int, Column]]:
        """Yield the first `rows` of each line of the array in blocks, which are then zero.

        Each item has the number of the line, the first row and the block. The memory of a block
        returns to the system before the next one, so that a copy takes no additional memory.
        """
        lines = np.atleast_2d(self.array)
        step = _BLOCK_SIZE // lines.itemsize
        freed = -(-self._start // mmap.PAGESIZE) * mmap.PAGESIZE
        for line in range(len(lines)):
            for start in range(0, rows, step):
                stop = min(start + step, rows)
                yield line, start, lines[line, start:stop]
                end = self._start + (line * lines.shape[1] + stop) * lines.itemsize
                freed = self._free(freed, end)

    def _free(self, start: int, stop: int) -> int:
        """Give back the whole pages of a range of bytes; return the end of the last one."""
        stop -= stop % mmap.PAGESIZE
        if self._mapping is not None and sys.platform == "linux" and stop > start:
            self._mapping.madvise(mmap.MADV_DONTNEED, start, stop - start)
        return stop


class _HugePages:
    """Memory for several arrays that will be filled, one behind the other in huge pages.

    2 MB take 0.2 ms so, 0.9 in pages of 4 kB.
    """

    def __init__(self, size: int) -> None:
        self.mapping = _mapped(size + _HUGE_PAGE)
        address = np.frombuffer(self.mapping, np.uint8).ctypes.data
        self._next = -address % _HUGE_PAGE  # systems differ in where a mapping begins
        if sys.platform == "linux":
            with contextlib.suppress(OSError):  # a kernel may lack them
                whole = size // _HUGE_PAGE * _HUGE_PAGE
                self.mapping.madvise(mmap.MADV_HUGEPAGE, self._next, whole)

    def cut(self, size: int) -> int:
        """Return the offset of the next so many bytes."""
        start = self._next
        self._next += -(-size // _ALIGNMENT) * _ALIGNMENT
        return start


def _mapped(size: int) -> mmap.mmap:
    try:
        if sys.platform == "win32":
            return mmap.mmap(-1, size)
        return mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError, ValueError) as error:
        raise MemoryError from error


def zeros(shape: Sequence[int] | int, type_: npt.DTypeLike) -> Column:
    """Return an array of zeros that takes memory where it is written."""
    return ZeroedMemory((shape,) if isinstance(shape, int) else shape, type_).array


# --------------------------------------------------------- growing columns

_ColumnTypes = dict[str, str]  # names of numpy types
_Number = TypeVar("_Number", bound="np.generic")
_HIGH = "_high"  # the column of upper halves is named after that of the lower ones


class GrowingTable:
    """The columns of one kind of row, which the scanner sees as `PREFIX_COLUMN`.

    The columns `values` and `values_high` have the shape (events, rows), every other one (rows,).
    Upper halves of numbers are in columns `…_high`, which are mostly not written.
    """

    def __init__(self, owner: object, prefix: str, types: _ColumnTypes) -> None:
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
        grown = [name for name in self._types if name.startswith("values")]
        if filled + needed > self._capacity:
            self._capacity = max(filled + needed, expected)
            grown = list(self._types)
        self._events = max(self._events, events)
        written = [name for name in grown if filled and self._is_written(name)]
        full = [name for name in written if self._is_filled(name, filled)]
        huge_pages = self._huge_pages(full, self._capacity - needed)
        for name in grown:
            shared = huge_pages if name in full else None
            memory = ZeroedMemory(self._shape(name), self._types[name], shared)
            if name in written:
                _move_rows(self._memory[name], filled, memory.array)
            self._memory[name] = memory
            setattr(self._owner, f"{self._prefix}_{name}", memory.array.data)

    def _shape(self, name: str) -> tuple[int, ...]:
        return (self._events, self._capacity) if name.startswith("values") else (self._capacity,)

    def _huge_pages(self, columns: Sequence[str], likely: int) -> _HugePages | None:
        """Return memory for these columns, if `likely` rows are worth it."""
        row_size = sum(
            prod(self._shape(name)[:-1]) * np.dtype(self._types[name]).itemsize for name in columns
        )
        size = row_size * self._capacity + _ALIGNMENT * len(columns)
        return _HugePages(size) if row_size * likely >= _HUGE_PAGE else None

    def _is_filled(self, name: str, rows: int) -> bool:
        """Return whether much of a column has been written, by a sample of its rows."""
        sample = self._memory[name].array[..., : rows : rows // _SAMPLE + 1]
        return bool(np.count_nonzero(sample) > _SAMPLE // 4)

    def _is_written(self, name: str) -> bool:
        """Return whether a column may have numbers; one without has no memory to look at."""
        has_none = name.endswith(_HIGH) and not getattr(self._owner, f"has_{name}")
        return name in self._memory and not has_none

    def renumber(self, name: str, number: Column, first: int, stop: int) -> None:
        """Replace each value in rows of a column by `number[value]`."""
        column = self._memory[name].array[first:stop]
        column[:] = number[column]

    def filled_column(self, name: str, rows: int) -> Column:
        """Return the filled rows of a column, read-only."""
        return read_only(self._memory[name].array[..., :rows])

    def halved_column(self, name: str, rows: int, type_: type[_Number]) -> HalvedColumn[_Number]:
        """Return the filled rows of a column of 64-bit numbers, which is stored in halves."""
        has_high = getattr(self._owner, f"has_{name}{_HIGH}")
        high = self.filled_column(name + _HIGH, rows) if has_high else None
        return HalvedColumn(self.filled_column(name, rows), high, type_)


def _move_rows(source: ZeroedMemory, rows: int, target: Column) -> None:
    """Move the first `rows` of a column to a larger one."""
    lines = np.atleast_2d(target)
    for line, start, block in source.drain(rows):
        if block.any():  # what was never written remains without memory
            lines[line, start : start + len(block)] = block


# -------------------------------------------------- callees without a file
# One is the only body of its name (docs/design.md, reading rule 3). Writers that never say where a
# callee is, such as Xdebug 2.0, would otherwise have two functions for one: the first with its
# calls, in the file of the caller, and the second with its costs.


def _joined_callees(
    functions: Functions, is_alone: BoolArray, has_body: BoolArray, *, in_object: bool
) -> tuple[Int64Array, Int64Array]:
    """Return callees, and the bodies that they are.

    The masks have the shape (functions,): callees whose file was not given, and functions with
    costs, calls or jumps. With `in_object`, a body must be in the object of the callee.
    """
    callees = np.flatnonzero(is_alone & ~has_body & (functions.name != UNKNOWN_TEXT))
    bodies = np.flatnonzero(has_body)
    if not len(callees) or not len(bodies):
        return callees[:0], bodies[:0]
    keys = _keys(functions.name, functions.object if in_object else None)
    known, place, count = np.unique(keys[bodies], return_index=True, return_counts=True)
    found = np.minimum(np.searchsorted(known, keys[callees]), len(known) - 1)
    is_body = (known[found] == keys[callees]) & (count[found] == 1)
    return callees[is_body], bodies[place[found[is_body]]]


def _keys(name: Int32Array, object_: Int32Array | None) -> Int64Array:
    keys = name.astype(np.int64)
    return keys if object_ is None else keys << 32 | object_


# ---------------------------------------------------------- names and rows

_UNKNOWN = f"{UNKNOWN}\n".encode()  # text number 0
_TEXT_COLUMNS: _ColumnTypes = {"start": "int64", "hash": "uint64"}
_FUNCTION_COLUMNS: _ColumnTypes = dict.fromkeys(("name", "file", "object"), "int32")
_TARGET_COLUMNS: _ColumnTypes = {"line": "int32", "address": "uint64", "marks": "uint8"}
_COST_COLUMNS: _ColumnTypes = {
    "line": "int32",
    **dict.fromkeys(("address", "address_high", "values", "values_high"), "uint32"),
}
_RUN_COLUMNS: _ColumnTypes = {"start": "int64", "function": "int32", "file": "int32"}
_CALL_COLUMNS: _ColumnTypes = {
    **dict.fromkeys(("caller", "callee", "file", "line"), "int32"),
    **{"address": "uint64", "count": "int64", "values": "int64"},
}
_JUMP_COLUMNS: _ColumnTypes = {
    **dict.fromkeys(("function", "file", "line"), "int32"),
    **dict.fromkeys(("target_function", "target_file", "target_line"), "int32"),
    **dict.fromkeys(("address", "target_address"), "uint64"),
    **dict.fromkeys(("executed", "followed"), "int64"),
    "conditional": "uint8",
}
_OTHER_TARGET_COLUMNS: _ColumnTypes = {"call": "int64", "line": "int32", "address": "uint64"}


@frozen(eq=True)
class _TableType:
    """A table of the scanner: `PREFIX_COLUMN` are its columns there."""

    prefix: str
    columns: _ColumnTypes
    shortest: int = 8  # bytes of the lines for a row, at least


_FILE_IS_GIVEN = 2  # in the marks of a function: by a call of it
_FUNCTIONS_CALLED = (("calls", "callee"), ("jumps", "target_function"))

# by the name of the scanner's counter of rows
_TABLE_TYPES = {
    "costs": _TableType("cost", _COST_COLUMNS, shortest=4),
    "runs": _TableType("run", _RUN_COLUMNS),
    "calls": _TableType("call", _CALL_COLUMNS),
    "jumps": _TableType("jump", _JUMP_COLUMNS),
    "other_targets": _TableType("other", _OTHER_TARGET_COLUMNS),
}


@cache
def _row_size(
    table: str, events: int, has_address: bool, has_address_high: bool, has_values_high: bool
) -> int:
    """Return the bytes of a row; columns that are not written take none."""
    columns = _TABLE_TYPES[table].columns
    sizes = {name: np.dtype(type_).itemsize for name, type_ in columns.items()}
    for name in sizes:
        if name.endswith("address"):
            sizes[name] *= has_address
    if table == "costs":
        sizes["address_high"] *= has_address_high
        sizes["values_high"] *= has_values_high * events
    sizes["values"] = sizes.get("values", 0) * events
    return sum(sizes.values())


class _NameTables:
    """The memory of the interner: texts, functions, ids and their hash slots."""

    def __init__(self) -> None:
        self.interner = Interner()
        self._texts = GrowingTable(self.interner, "text", _TEXT_COLUMNS)
        self._functions = GrowingTable(
            self.interner, "function", _FUNCTION_COLUMNS | _TARGET_COLUMNS
        )
        self._arena = ZeroedMemory((0,), np.uint8)
        self._slots = 1 << 10
        self._ids = zeros((3, 0), np.int64), zeros((3, 0), np.int32)
        self.grow()
        self.reserve(len(_UNKNOWN))
        self._arena.array[: len(_UNKNOWN)] = np.frombuffer(_UNKNOWN, np.uint8)
        self.interner.text_start[1] = len(_UNKNOWN)
        self.interner.texts = 1

    def grow(self) -> None:
        """Make all tables four times as large, retaining ids and names."""
        self._slots *= 4
        half = self._slots // 2 + 1
        self._texts.reserve(self.interner.texts + 1, half, 0)
        self._functions.reserve(self.interner.functions, half, 0)
        self.interner.text_slot = zeros(self._slots, np.int32).data
        self.interner.function_slot = zeros(self._slots, np.int32).data
        self.interner.rehash()
        old = self._ids
        self.clear_ids()
        self.interner.take_ids(old[0].data, old[1].data)

    def clear_ids(self) -> None:
        """Forget all ids, which are valid to the end of their file."""
        self._ids = zeros((3, self._slots), np.int64), zeros((3, self._slots), np.int32)
        self.interner.id_key, self.interner.id_value = self._ids[0].data, self._ids[1].data
        self.interner.ids = 0

    def reserve(self, length: int) -> None:
        """Reserve space for the names in `length` bytes of input, each with a line feed."""
        used = int(self.interner.text_start[self.interner.texts])
        if used + length > len(self._arena.array):
            arena = ZeroedMemory((2 * used + 4 * length,), np.uint8)
            _move_rows(self._arena, used, arena.array)
            self._arena = arena
            self.interner.arena = arena.array.data

    def texts(self) -> StringTable:
        """Return all texts, moved out of the working memory; to be called once, at the end."""
        starts = self._texts.filled_column("start", self.interner.texts + 1).copy()
        texts = BytesIO()
        for _line, _start, block in self._arena.drain(int(starts[-1])):
            texts.write(block.data)
        return StringTable(texts.getvalue(), starts)

    def functions(self, left: Int64Array | None = None) -> Functions:
        """Return all functions, or those of some rows."""
        rows = self.interner.functions
        columns = {name: self._functions.filled_column(name, rows) for name in _FUNCTION_COLUMNS}
        if left is not None and len(left) < rows:
            columns = {name: column[left] for name, column in columns.items()}
        return Functions(**columns)

    def target_column(self, name: str) -> Column:
        """Return what is known of the target of each function's calls."""
        return self._functions.filled_column(name, self.interner.functions)


class ScannerTables:
    """All memory of one scanner, and the tables built from it."""

    def __init__(self) -> None:
        self.names = _NameTables()
        self.scanner = Scanner(self.names.interner)
        self.event_count = 0
        self.discarded = dict.fromkeys(_TABLE_TYPES, 0)  # rows by table
        self._scanned = 0  # bytes
        # the number of each part that began, and its first row in each table
        self._parts: list[tuple[int, dict[str, int]]] = []
        self._joined: set[int] = set()  # functions that became others
        self._tables = {
            name: GrowingTable(self.scanner, type_.prefix, type_.columns)
            for name, type_ in _TABLE_TYPES.items()
        }
        self.clear_diagnostics()

    def clear_diagnostics(self) -> None:
        """Forget the diagnostics of all lines before, as at the start of a file."""
        kinds = len(DIAGNOSTIC_KINDS)
        self.scanner.diagnostics = 0
        self.scanner.diagnostic_count = np.zeros(kinds, np.int64).data
        self.scanner.diagnostic_line = np.zeros((kinds, DIAGNOSTICS_KEPT), np.int64).data
        self.scanner.diagnostic_offset = np.zeros((kinds, DIAGNOSTICS_KEPT), np.int64).data

    def discard_rows(self) -> None:
        """Count all rows as `discarded`; the next ones overwrite them."""
        for name in _TABLE_TYPES:
            self.discarded[name] += getattr(self.scanner, name)
            setattr(self.scanner, name, 0)

    def filled_bytes(self) -> int:
        """Return the memory of all rows filled so far, and of the names, in bytes."""
        names = self.names.interner
        scanner = self.scanner
        has = scanner.has_address, scanner.has_address_high, scanner.has_values_high
        return int(names.text_start[names.texts]) + sum(
            rows * _row_size(name, self.event_count, *has)
            for name, rows in self.row_numbers().items()
        )

    def reserve(self, length: int, to_come: int) -> None:
        """Reserve the rows that the next `length` bytes can need at most.

        A table that must grow gets a capacity for `to_come` bytes more with as many rows in each.
        The first lines may be unlike the others: by them it grows to the thirtyfold at most. For a
        small file, all tables are reserved at once.
        """
        self.names.reserve(length)
        is_small = not self._scanned and to_come < _SMALL_FILE
        at_once = length + to_come if is_small else length
        for name, table in self._tables.items():
            filled = getattr(self.scanner, name)
            needed = at_once // _TABLE_TYPES[name].shortest + 2
            expected = filled * (self._scanned + length + to_come) // max(self._scanned, 1)
            expected = max(2 * filled, expected * 9 // 8)
            if self._scanned < _FIRST_LINES:
                expected = min(expected, 32 * filled)
            table.reserve(filled, needed, expected + needed, self.event_count)
        self._scanned += length

    def begin_part(self, number: int) -> None:
        self.scanner.begin_part()
        self._parts.append((number, self.row_numbers()))

    def set_events(self, columns: list[int], event_count: int) -> None:
        """Set the column of each cost in a line, of `event_count` columns; -1: ignored."""
        self.event_count = event_count
        for name in ("costs", "calls"):
            self._tables[name].reserve(getattr(self.scanner, name), 0, 0, event_count)
        self.scanner.event_column = np.array(columns, np.int32).data
        self.scanner.events = len(columns)
        self.scanner.events_repeat = len(set(columns)) < len(columns)

    def row_numbers(self) -> dict[str, int]:
        """Return how many rows of each table are filled."""
        return {name: int(getattr(self.scanner, name)) for name in _TABLE_TYPES}

    def join_callees(self, first: Mapping[str, int], *, of_callgrind: bool) -> None:
        """Make callees whose file is unknown the only body of their name.

        `first` are the first rows of the file. In a file that gives the file of any callee, one
        without it is in the file of its caller if Callgrind wrote that.
        """
        scanner, functions = self.scanner, self.names.functions()
        if scanner.names_callee_files and of_callgrind:
            return
        is_alone, has_body = np.zeros((2, len(functions)), bool)
        for mask, table, column in (
            (is_alone, "calls", "callee"),
            (has_body, "runs", "function"),
            (has_body, "calls", "caller"),
            (has_body, "jumps", "function"),
        ):
            rows = self._tables[table].filled_column(column, getattr(scanner, table))
            mask[rows[first[table] :]] = True
        is_alone &= self.names.target_column("marks") & _FILE_IS_GIVEN == 0
        in_object = bool(scanner.names_callee_objects)
        callees, bodies = _joined_callees(functions, is_alone, has_body, in_object=in_object)
        if len(callees):
            number = np.arange(len(functions), dtype=np.int32)
            number[callees] = bodies
            for table, column in _FUNCTIONS_CALLED:
                stop = getattr(scanner, table)
                self._tables[table].renumber(column, number, first[table], stop)
            self._joined.update(callees.tolist())

    def drop_joined(self) -> Int64Array:
        """Remove functions that became others; return the rows of those that remain."""
        is_left = np.ones(self.names.interner.functions, bool)
        if not self._joined:
            return np.flatnonzero(is_left)
        is_left[list(self._joined)] = False
        columns = (
            *(("runs", "function"), ("calls", "caller"), ("jumps", "function")),
            *_FUNCTIONS_CALLED,
        )
        for table, column in columns:
            rows = getattr(self.scanner, table)
            is_left[self._tables[table].filled_column(column, rows)] = True
        number = (np.cumsum(is_left) - 1).astype(np.int32)
        for table, column in columns:
            self._tables[table].renumber(column, number, 0, getattr(self.scanner, table))
        return np.flatnonzero(is_left)

    def total_cost(self, column: int, first_row: int, stop_row: int) -> int:
        """Return the sum of one event's costs in a range of rows."""
        if first_row == stop_row:
            return 0
        values = self._tables["costs"].halved_column("values", stop_row, np.int64)
        chosen = slice(column, column + 1), slice(first_row, None)
        return int(values.sums(lambda half: half[chosen].sum(axis=1, dtype=np.int64))[0])

    def runs(self) -> Runs:
        """Return all runs, with the end of the last one."""
        columns = self._with_part("runs", with_address=True)
        columns["start"] = np.append(columns["start"], self.scanner.costs)
        columns["start"].flags.writeable = False
        return Runs(**columns)

    def costs(self, with_address: bool) -> Costs:
        rows, table = self.scanner.costs, self._tables["costs"]
        return Costs(
            line=table.filled_column("line", rows),
            address=table.halved_column("address", rows, np.uint64) if with_address else None,
            values=table.halved_column("values", rows, np.int64),
        )

    def calls(self, with_address: bool) -> Calls:
        return Calls(**self._with_part("calls", with_address))

    def call_targets(self, with_address: bool, left: Int64Array) -> CallTargets:
        """Return the positions of callees; `left` are the rows of functions that remain."""
        others = self._filled("other_targets", with_address)
        return CallTargets(
            line=self.names.target_column("line")[left],
            address=self.names.target_column("address")[left] if with_address else None,
            **{f"other_{name}": column for name, column in others.items()},
        )

    def jumps(self, with_address: bool) -> Jumps:
        columns = self._with_part("jumps", with_address)
        return Jumps(**{**columns, "conditional": columns["conditional"].view(np.bool_)})

    def _with_part(self, name: str, with_address: bool) -> dict[str, Any]:
        """Return the columns of a table, and the part of each row; a single one takes no memory."""
        rows, numbers = getattr(self.scanner, name), [number for number, _ in self._parts]
        starts = [first[name] for _, first in self._parts]
        lengths = np.diff([*starts, rows])
        part = np.array(numbers, np.int32)[lengths > 0]
        part = (
            np.broadcast_to(part, rows) if len(part) == 1 else np.repeat(part, lengths[lengths > 0])
        )
        return {"part": read_only(part), **self._filled(name, with_address)}

    def _filled(self, name: str, with_address: bool) -> dict[str, Any]:
        table, rows = self._tables[name], getattr(self.scanner, name)
        return {
            column: None
            if column.endswith("address") and not with_address
            else table.filled_column(column, rows)
            for column in _TABLE_TYPES[name].columns
        }
