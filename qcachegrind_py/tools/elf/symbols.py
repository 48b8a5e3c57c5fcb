"""The symbols of an ELF file as sorted columns: who is at an address, and where functions are.

Which of several names at an address is the one to show follows objdump: functions before data,
large before small, global before others, at last by name; what lies in an earlier section is
before all that. Names are decoded when somebody looks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qcachegrind_py.analysis.code.instructions import Int8Array
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, UInt64Array
from qcachegrind_py.tools.elf.bounded_reader import ElfBytes
from qcachegrind_py.tools.elf.headers import CodeSections, Headers, text_at

SYMTAB, DYNSYM = 2, 11
UNTYPED, OBJECT, FUNCTION, RESOLVED = 0, 1, 2, 10
STUB = 16  # ours, none of ELF's: what it calls has that name
_SECTION, _FILE, _THREAD_LOCAL = 3, 4, 6
_STRTAB = 3
_ABSOLUTE = 0xFFF1  # a number, no address
_BINDINGS = (2, 0, 1)  # local, global, weak: the smaller is shown
_MOST_ALIASES = 64  # names of one address that are looked at
_TOP = np.uint64(np.iinfo(np.uint64).max)
_NOBODY = (0, True, True, 0, 0, "")
# Where some symbols do not name anything, but say what begins: `$a`, `$t`, `$x` code, `$d` data.
_MARKED = frozenset({"arm", "aarch64", "riscv32", "riscv64"})


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """A row a symbol with a name and an address, in order of address."""

    address: UInt64Array
    size: UInt64Array  # bytes; 0 where it is not known
    kind: Int8Array  # as ELF numbers them: UNTYPED, OBJECT, FUNCTION, RESOLVED (when loaded); STUB
    binding: Int8Array  # 0 local, 1 global, 2 weak
    name: Int64Array  # where it begins in `strings`
    section: Int32Array  # where it is defined; 0: in none of this file
    is_thumb: BoolArray
    strings: bytes

    def __len__(self) -> int:
        return len(self.address)

    def best_name(self, address: int) -> str:
        """The name to show of what begins at exactly this address; empty where nothing does.

        Without the version that some linkers write behind it, `stdout@GLIBC_2.2.5`.
        """
        first = int(np.searchsorted(self.address, np.uint64(address), side="left"))
        last = int(np.searchsorted(self.address, np.uint64(address), side="right"))
        rows = range(first, min(last, first + _MOST_ALIASES))
        name = min(map(self._preference, rows), default=_NOBODY)[-1]
        return name if name.endswith("@plt") else name.partition("@")[0] or name

    def _preference(self, row: int) -> tuple[int, bool, bool, int, int, str]:
        kind = int(self.kind[row])
        binding = int(self.binding[row])
        is_function = kind in (FUNCTION, RESOLVED, STUB)
        rank = _BINDINGS[binding] if binding < len(_BINDINGS) else 0
        name = text_at(self.strings, int(self.name[row])) + ("@plt" if kind == STUB else "")
        section = int(self.section[row])
        return section, not is_function, kind != OBJECT, -int(self.size[row]), rank, name

    def begin_before(self, addresses: UInt64Array) -> UInt64Array:
        """Where the last symbol at or before each address begins; the address if there is none."""
        if not len(self):
            return addresses
        rows = np.searchsorted(self.address, addresses, side="right").astype(np.int64) - 1
        return np.where(rows >= 0, self.address[rows], addresses)

    def begin_at(self, addresses: UInt64Array) -> BoolArray:
        """Whether a symbol begins at exactly each address."""
        after = np.searchsorted(self.address, addresses, side="right")
        return after > np.searchsorted(self.address, addresses, side="left")

    def only(self, rows: BoolArray | Int64Array) -> Symbols:
        """These rows, in this order."""
        return Symbols(
            self.address[rows],
            self.size[rows],
            self.kind[rows],
            self.binding[rows],
            self.name[rows],
            self.section[rows],
            self.is_thumb[rows],
            self.strings,
        )

    def moved_to(self, address: UInt64Array) -> Symbols:
        """The same names at other addresses, which are sorted."""
        return replace(self, address=address)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionRanges:
    """A row a function, in order of where it begins; some lie within others."""

    start: UInt64Array
    end: UInt64Array  # behind its last byte
    is_thumb: BoolArray
    furthest: Int64Array  # among this row and those before it, the one that ends last

    def __len__(self) -> int:
        return len(self.start)

    def containing(self, addresses: UInt64Array) -> Int64Array:
        """The row of the function around each address; -1 where there is none."""
        if not len(self):
            return np.full(len(addresses), -1, np.int64)
        rows = np.searchsorted(self.start, addresses, side="right").astype(np.int64) - 1
        around = np.where(addresses < self.end[rows], rows, self.furthest[rows])
        return np.where((rows >= 0) & (addresses < self.end[around]), around, -1)


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """A row a place where code or data begins, in order of address."""

    address: UInt64Array
    sign: Int8Array  # the letter after `$`: a (ARM), t (Thumb), x (code), d (data)


NO_MARKS = Marks(np.empty(0, np.uint64), np.empty(0, np.int8))
NO_SYMBOLS = Symbols(
    np.empty(0, np.uint64),
    np.empty(0, np.uint64),
    np.empty(0, np.int8),
    np.empty(0, np.int8),
    np.empty(0, np.int64),
    np.empty(0, np.int32),
    np.empty(0, np.bool_),
    b"",
)


def read_symbols(file: ElfBytes, headers: Headers, table: int) -> tuple[Symbols, Marks]:
    """The defined symbols of `SYMTAB` or `DYNSYM`, and the marks among them."""
    symbols = all_symbols(file, headers, table)
    is_named = (symbols.section != 0) & (symbols.section != _ABSOLUTE) & (symbols.name != 0)
    for kind in (_SECTION, _FILE, _THREAD_LOCAL):
        is_named &= symbols.kind != kind
    symbols = symbols.only(is_named)
    symbols = symbols.only(np.argsort(symbols.address, kind="stable"))
    return _without_marks(symbols) if headers.machine.name in _MARKED else (symbols, NO_MARKS)


def all_symbols(file: ElfBytes, headers: Headers, table: int) -> Symbols:
    """All rows of the table as they lie in the file."""
    rows = np.flatnonzero(headers.sections["type"] == table)
    if not len(rows):
        return NO_SYMBOLS
    section = headers.sections[rows[0]]
    place, size = int(section["offset"]), int(section["size"])
    records = file.table(place, size, headers.layout("symbol"), "symbols")
    strings = strings_of(file, headers, int(section["link"]))
    value = records["value"].astype(np.uint64)
    kind = (records["info"] & 15).astype(np.int8)
    odd = (value & np.uint64(1)).astype(np.bool_)
    is_thumb = odd & np.isin(kind, (FUNCTION, RESOLVED)) & (headers.machine.name == "arm")
    return Symbols(
        np.where(is_thumb, value - np.uint64(1), value) if is_thumb.any() else value,
        records["size"].astype(np.uint64),
        kind,
        (records["info"] >> 4).astype(np.int8),
        records["name"].astype(np.int64),
        records["section"].astype(np.int32),
        is_thumb,
        strings,
    )


def strings_of(file: ElfBytes, headers: Headers, row: int) -> bytes:
    """The names that a table of symbols refers to; none where it refers to no such section."""
    if not 0 < row < len(headers.sections) or headers.sections["type"][row] != _STRTAB:
        return b""
    section = headers.sections[row]
    return file.read(int(section["offset"]), int(section["size"]), "names of symbols")


def _without_marks(symbols: Symbols) -> tuple[Symbols, Marks]:
    letters = np.frombuffer(symbols.strings + b"\0\0", np.uint8)
    places = np.minimum(symbols.name, len(letters) - 2)
    is_mark = (letters[places] == ord("$")) & (symbols.kind == UNTYPED)
    signs = letters[places + 1].astype(np.int8)
    is_mark &= np.isin(signs, [ord(letter) for letter in "atxd"])
    marks = Marks(symbols.address[is_mark], signs[is_mark])
    return symbols.only(~is_mark), marks


def with_stubs_of(
    symbols: Symbols, address: UInt64Array, size: UInt64Array, called: Symbols
) -> Symbols:
    """The symbols and, among them, stubs at these addresses, each with the symbol that it calls.

    Their names are made when somebody looks: `puts@plt`.
    """
    added = len(address)
    all_of_them = Symbols(
        np.concatenate((symbols.address, address)),
        np.concatenate((symbols.size, size)),
        np.concatenate((symbols.kind, np.full(added, STUB, np.int8))),
        np.concatenate((symbols.binding, np.ones(added, np.int8))),
        np.concatenate((symbols.name, len(symbols.strings) + 1 + called.name)),
        np.concatenate((symbols.section, np.zeros(added, np.int32))),
        np.concatenate((symbols.is_thumb, np.zeros(added, np.bool_))),
        b"".join((symbols.strings, b"\0", called.strings)),
    )
    return all_of_them.only(np.argsort(all_of_them.address, kind="stable"))


def function_ranges(symbols: Symbols, code: CodeSections) -> FunctionRanges:
    """The functions among the symbols, and what else begins in code outside of any function.

    A function without a size, as assembly often has it, ends where the next one begins, or its
    section ends. Within a function of known size, such a symbol is a label and begins nothing.
    """
    in_code = code.holding(symbols.address) >= 0
    kinds = (FUNCTION, RESOLVED, STUB, UNTYPED)
    functions = symbols.only(in_code & np.isin(symbols.kind, kinds))
    is_sized = functions.size > 0
    around = _ranges(functions.only(is_sized), code).containing(functions.address)
    return _ranges(functions.only(is_sized | (around < 0)), code)


def _ranges(functions: Symbols, code: CodeSections) -> FunctionRanges:
    start = functions.address
    section = code.holding(start)
    limit = code.address[section] + (code.size[section] - np.uint64(1))  # its last byte
    next_start = np.append(start, _TOP)[np.searchsorted(start, start, side="right")]
    end = np.where(functions.size > 0, start + functions.size, next_start)
    end = np.where((end < start) | (end > limit), limit + np.uint64(1), end)  # a size may wrap
    order = np.lexsort((end, start))
    return _largest(start[order], end[order], functions.is_thumb[order])


def _largest(start: UInt64Array, end: UInt64Array, is_thumb: BoolArray) -> FunctionRanges:
    """One range for each start: the last, which is the largest."""
    is_last = np.append(start[1:] != start[:-1], True)[: len(start)]
    start, end, is_thumb = start[is_last], end[is_last], is_thumb[is_last]
    reach = np.maximum.accumulate(end)
    rises = np.append(True, reach[1:] > reach[:-1])[: len(start)]
    furthest = np.maximum.accumulate(np.where(rises, np.arange(len(start)), 0))
    return FunctionRanges(start, end, is_thumb, furthest.astype(np.int64))
