"""The tables of a profile: its texts, and frozen bundles of read-only columns in file order.

Each text is stored once as bytes and decoded on access. The columns of a table have equal length:
`name`, `file` and `object` are numbers in the profile's `texts`; `function`, `caller` and `callee`
are rows of `Functions`; `part` is an index of the profile's parts. `values` has the shape (events,
rows), with the costs of each event contiguous in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.ids import NO_TEXT, UNKNOWN_TEXT, TextId, text_ids

if TYPE_CHECKING:
    import numpy.typing as npt
    from _typeshed import DataclassInstance

UNKNOWN = "???"


class StringTable:
    """The names of functions, files and objects by number; number 0 is the unknown name.

    Bytes that are not UTF-8 become lone surrogates, so that the bytes of a name can be restored.
    """

    def __init__(self, arena: bytes, starts: npt.NDArray[np.int64]) -> None:
        """Wrap the concatenated texts, each followed by a line feed.

        `starts` has the offset of each text and the end of the last, shape (texts + 1,).
        """
        self.arena = arena
        self.starts = starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        return f"<StringTable of {len(self):,} texts>"

    def __getitem__(self, number: TextId) -> str:
        if number == UNKNOWN_TEXT:
            return UNKNOWN
        start, stop = int(self.starts[number]), int(self.starts[number + 1]) - 1
        return self.arena[start:stop].decode("utf-8", "surrogateescape")

    def index_of(self, text: str) -> TextId:
        """Return the number of a text, or `NO_TEXT` if the profile does not have it."""
        if text == UNKNOWN:
            return UNKNOWN_TEXT
        length = len(text.encode("utf-8", "surrogateescape")) + 1
        for number in text_ids(np.flatnonzero(np.diff(self.starts) == length)):
            if number and self[number] == text:
                return number
        return NO_TEXT

    @classmethod
    def from_bytes(cls, raw_strings: Iterable[bytes]) -> StringTable:
        """Build a table of these texts in order; the first one is the unknown name."""
        lines = [word + b"\n" for word in raw_strings]
        starts = np.cumsum([0, *map(len, lines)], dtype=np.int64)
        starts.flags.writeable = False
        return cls(b"".join(lines), starts)

    def raw_strings(self) -> list[bytes]:
        """Return the bytes of all texts, in order."""
        return [self.arena[start : stop - 1] for start, stop in pairwise(self.starts.tolist())]

    def lookup(self, indexes: Iterable[TextId]) -> list[str]:
        """Return the texts with these numbers, in order."""
        numbers = np.fromiter(indexes, np.int64)
        begins, ends = self.starts[numbers].tolist(), self.starts[numbers + 1].tolist()
        arena = self.arena
        texts = [
            arena[begin : end - 1].decode("utf-8", "surrogateescape")
            for begin, end in zip(begins, ends, strict=True)
        ]
        for row in np.flatnonzero(numbers == UNKNOWN_TEXT).tolist():
            texts[row] = UNKNOWN
        return texts


def to_display(name: str) -> str:
    r"""Return a name that can be encoded anywhere: a byte that is not UTF-8 becomes, say, `\xe9`.

    `visible_text` shows such bytes alike, and control characters, too.
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


Int32Array: TypeAlias = "npt.NDArray[np.int32]"
Int64Array: TypeAlias = "npt.NDArray[np.int64]"
UInt64Array: TypeAlias = "npt.NDArray[np.uint64]"
BoolArray: TypeAlias = "npt.NDArray[np.bool_]"


UInt32Array: TypeAlias = "npt.NDArray[np.uint32]"
_Number = TypeVar("_Number", bound="np.generic")


class HalvedColumn(Generic[_Number]):
    """A column of 64-bit numbers; their upper halves take memory only if there are some.

    Indexing returns numbers of 64 bits, so that whatever is done with them is as exact as with an
    array. Sums of whole columns are formed of the halves, without a copy.
    """

    def __init__(self, low: UInt32Array, high: UInt32Array | None, type_: type[_Number]) -> None:
        """`high` is None if all upper halves are 0; `type_` is `np.int64` or `np.uint64`."""
        self.low = low
        self.high = high
        self.dtype = np.dtype(type_)
        self.shape = low.shape

    def __len__(self) -> int:
        return len(self.low)

    def __getitem__(self, rows: Any) -> npt.NDArray[_Number]:
        numbers: UInt64Array = self.low[rows].astype(np.uint64)
        if self.high is not None:
            numbers |= self.high[rows].astype(np.uint64) << np.uint64(32)
        return numbers.view(self.dtype)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return self[...].astype(dtype or self.dtype, copy=False)

    def view(self, rows: Any) -> HalvedColumn[_Number]:
        """Return some rows, or those of one event, without a copy."""
        high = None if self.high is None else self.high[rows]
        return HalvedColumn(self.low[rows], high, self.dtype.type)

    def copy(self) -> HalvedColumn[_Number]:
        """Return a column whose memory is its own, read-only."""
        high = None if self.high is None else read_only(self.high.copy())
        return HalvedColumn(read_only(self.low.copy()), high, self.dtype.type)

    @staticmethod
    def joined(columns: Sequence[HalvedColumn[_Number]]) -> HalvedColumn[_Number]:
        """Return all rows of the columns, one behind the other."""
        low = read_only(np.concatenate([column.low for column in columns], axis=-1))
        high = None
        if any(column.high is not None for column in columns):
            highs = [
                np.zeros(column.shape, np.uint32) if column.high is None else column.high
                for column in columns
            ]
            high = read_only(np.concatenate(highs, axis=-1))
        return HalvedColumn(low, high, columns[0].dtype.type)

    def sums(self, add: Callable[[UInt32Array], Int64Array]) -> Int64Array:
        """Return the sums that `add` forms of unsigned numbers, modulo 2^64 as elsewhere."""
        low = add(self.low)
        return low if self.high is None else low + (add(self.high) << 32)


Int64Column: TypeAlias = "Int64Array | HalvedColumn[np.int64]"
AddressColumn: TypeAlias = "UInt64Array | HalvedColumn[np.uint64]"


def read_only(column: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """Return the column, which nobody may change from now on."""
    column.flags.writeable = False
    return column


_Table = TypeVar("_Table", bound="DataclassInstance")


def at_rows(table: _Table, rows: Int64Array | BoolArray | slice) -> _Table:
    """Return a bundle with these rows of its columns: indexes, a mask of all rows, or a slice.

    Rows are along the last axis, and contiguous for each event. What is no array stays as it is.
    """
    if isinstance(rows, np.ndarray) and rows.dtype == bool:
        rows = np.flatnonzero(rows)
    columns: dict[str, Any] = {}
    for name in _column_names(type(table)):
        column = getattr(table, name)
        if isinstance(column, np.ndarray):
            column = column[..., rows] if isinstance(rows, slice) else column.take(rows, axis=-1)
        columns[name] = column
    return type(table)(**columns)


def joined(tables: Sequence[_Table]) -> _Table:
    """Return a bundle with the rows of all these, one after another; all its columns are arrays."""
    names = _column_names(type(tables[0]))
    return type(tables[0])(
        **{n: np.concatenate([getattr(each, n) for each in tables], axis=-1) for n in names}
    )


@cache
def _column_names(kind: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


@frozen
class Functions:
    """The functions: one row for each triple of name, file and object."""

    name: Int32Array
    file: Int32Array
    object: Int32Array

    def __len__(self) -> int:
        return len(self.name)


@frozen
class Runs:
    """Runs of consecutive cost lines with the same part, function and file, one row each.

    For inlined code, `file` is the file the code came from.
    """

    start: Int64Array  # first row in `Costs` of each run and the end of the last, shape (runs + 1,)
    part: Int32Array
    function: Int32Array
    file: Int32Array

    def __len__(self) -> int:
        return len(self.part)


@frozen
class Costs:
    """The lines of self cost, one row each."""

    line: Int32Array
    address: AddressColumn | None  # None if no part was recorded with instructions
    values: Int64Column

    def __len__(self) -> int:
        return len(self.line)

    def of_event(self, event: int) -> Int64Column:
        """Return the values of one event, without a copy."""
        values = self.values
        return values.view(event) if isinstance(values, HalvedColumn) else values[event]


@frozen
class Calls:
    """The `calls=` lines, one row each: count, call site, and cost spent in the callee."""

    part: Int32Array
    caller: Int32Array
    callee: Int32Array
    file: Int32Array
    line: Int32Array
    address: UInt64Array | None
    count: Int64Array  # 0: still running when the profile was written
    values: Int64Array

    def __len__(self) -> int:
        return len(self.caller)


@frozen
class CallTargets:
    """The positions that `calls=` lines give for their callees, which only a saved file needs.

    Most calls of a function have the same one: that of its first call. The others are listed.
    """

    line: Int32Array  # of each function, shape (functions,); 0: unknown
    address: UInt64Array | None
    other_call: Int64Array  # rows in `Calls` with another target, ascending
    other_line: Int32Array
    other_address: UInt64Array | None

    def positions(
        self, callee: Int32Array, calls: Int64Array
    ) -> tuple[Int64Array, UInt64Array | None]:
        """Return the lines and addresses of some calls, of which `callee` are the functions."""
        line = self.line[callee].astype(np.int64)
        address = None if self.address is None else self.address[callee]
        own, others = self._others(calls)
        line[own] = self.other_line[others]
        if address is not None and self.other_address is not None:
            address[own] = self.other_address[others]
        return line, address

    def of_calls(self, calls: Int64Array) -> CallTargets:
        own, others = self._others(calls)
        address = None if self.other_address is None else self.other_address[others]
        return CallTargets(self.line, self.address, own, self.other_line[others], address)

    def _others(self, calls: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return which of the calls have another target, and its row."""
        place = np.searchsorted(self.other_call, calls)
        place[place == len(self.other_call)] = 0
        if not len(self.other_call):
            return place[:0], place[:0]
        own = np.flatnonzero(self.other_call[place] == calls)
        return own, place[own]


@frozen
class Jumps:
    """The `jump=` and `jcnd=` lines, one row each; unconditional jumps are always followed."""

    part: Int32Array
    function: Int32Array
    file: Int32Array
    line: Int32Array
    address: UInt64Array | None
    target_function: Int32Array
    target_file: Int32Array
    target_line: Int32Array
    target_address: UInt64Array | None
    executed: Int64Array
    followed: Int64Array
    conditional: BoolArray

    def __len__(self) -> int:
        return len(self.function)


def no_jumps(*, has_addresses: bool = False) -> Jumps:
    none, counts = read_only(np.zeros(0, np.int32)), read_only(np.zeros(0, np.int64))
    addresses = read_only(np.zeros(0, np.uint64)) if has_addresses else None
    place, is_conditional = (none, none, none, addresses), read_only(np.zeros(0, np.bool_))
    return Jumps(none, *place, *place, counts, counts, is_conditional)
