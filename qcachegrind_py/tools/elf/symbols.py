"""Symbols of ELF files, those of stubs of the procedure linkage table among them.

Of several names at an address, the preferred one is as in objdump: functions before data, large
before small, global before others, then by name; an earlier section precedes all of these. Names
are decoded on request.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.code.instructions import Int8Array
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, UInt64Array
from qcachegrind_py.tools.elf.headers import (
    IN_MEMORY,
    NO_BYTES,
    CodeSections,
    ElfBytes,
    Headers,
    text_at,
)

SYMTAB, DYNSYM = 2, 11
UNTYPED, OBJECT, FUNCTION, RESOLVED = 0, 1, 2, 10
STUB = 16  # our own, not one of ELF's: named after the function it calls
_SECTION, _FILE, _THREAD_LOCAL = 3, 4, 6
_STRTAB = 3
_UNDEFINED = 0
_ABSOLUTE = 0xFFF1  # an absolute value, no address
_BINDINGS = (2, 0, 1)  # local, global, weak: the smallest is preferred
_MOST_ALIASES = 64  # names compared per address
_TOP = np.uint64(np.iinfo(np.uint64).max)
_NOBODY = (0, True, True, 0, 0, "")
# Machines whose mapping symbols mark what begins: `$a`, `$t`, `$x` code, `$d` data.
_MARKED = frozenset({"arm", "aarch64", "riscv32", "riscv64"})


@frozen
class Symbols:
    """Symbols with a name and an address, one row each, in order of address."""

    address: UInt64Array
    size: UInt64Array  # bytes; 0 if unknown
    kind: Int8Array  # ELF's UNTYPED, OBJECT, FUNCTION, RESOLVED (when loaded), or our STUB
    binding: Int8Array  # 0 local, 1 global, 2 weak
    name: Int64Array  # offset in `strings`
    section: Int32Array  # of the definition; 0: undefined in this file
    is_thumb: BoolArray
    strings: bytes

    def __len__(self) -> int:
        return len(self.address)

    def best_name(self, address: int) -> str:
        """Return the preferred name of a symbol at exactly this address; empty if there is none.

        A version appended by some linkers, as in `stdout@GLIBC_2.2.5`, is left out.
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
        """Return the start of the last symbol at or before each address; the address if none."""
        if not len(self):
            return addresses
        rows = np.searchsorted(self.address, addresses, side="right").astype(np.int64) - 1
        return np.where(rows >= 0, self.address[rows], addresses)

    def begin_at(self, addresses: UInt64Array) -> BoolArray:
        """Tell whether a symbol begins at exactly each address: shape (addresses,), bool."""
        after = np.searchsorted(self.address, addresses, side="right")
        return after > np.searchsorted(self.address, addresses, side="left")

    def only(self, rows: BoolArray | Int64Array) -> Symbols:
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
        """Return the same symbols at other addresses, which must be sorted."""
        return replace(self, address=address)


@frozen
class FunctionRanges:
    """Functions by start address, one row each; some may be nested."""

    start: UInt64Array
    end: UInt64Array  # exclusive
    is_thumb: BoolArray
    furthest: Int64Array  # row of the function that ends last among this one and those before

    def __len__(self) -> int:
        return len(self.start)

    def containing(self, addresses: UInt64Array) -> Int64Array:
        """Return the row of the function around each address, shape (addresses,); -1 if none."""
        if not len(self):
            return np.full(len(addresses), -1, np.int64)
        rows = np.searchsorted(self.start, addresses, side="right").astype(np.int64) - 1
        enclosing = np.where(addresses < self.end[rows], rows, self.furthest[rows])
        return np.where((rows >= 0) & (addresses < self.end[enclosing]), enclosing, -1)


@frozen
class Marks:
    """Mapping symbols, which mark where code or data begins: one row each, in order of address."""

    address: UInt64Array
    sign: Int8Array  # the letter after `$`: a (ARM), t (Thumb), x (code), d (data)


_NO_MARKS = Marks(np.empty(0, np.uint64), np.empty(0, np.int8))
_NO_SYMBOLS = Symbols(
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
    """Read the defined symbols of `SYMTAB` or `DYNSYM`, and the mapping symbols among them."""
    symbols = _all_symbols(file, headers, table)
    is_named = (
        (symbols.section != _UNDEFINED) & (symbols.section != _ABSOLUTE) & (symbols.name != 0)
    )
    for kind in (_SECTION, _FILE, _THREAD_LOCAL):
        is_named &= symbols.kind != kind
    symbols = symbols.only(is_named)
    symbols = symbols.only(np.argsort(symbols.address, kind="stable"))
    return _without_marks(symbols) if headers.machine.name in _MARKED else (symbols, _NO_MARKS)


def _all_symbols(file: ElfBytes, headers: Headers, table: int) -> Symbols:
    """Read all rows of the table in file order."""
    rows = np.flatnonzero(headers.sections["type"] == table)
    if not len(rows):
        return _NO_SYMBOLS
    section = headers.sections[rows[0]]
    offset, size = int(section["offset"]), int(section["size"])
    records = file.table(offset, size, headers.layout("symbol"), "symbols")
    strings = _strings_of(file, headers, int(section["link"]))
    value = records["value"].astype(np.uint64)
    kind = (records["info"] & 15).astype(np.int8)
    is_odd = (value & np.uint64(1)).astype(np.bool_)
    is_thumb = is_odd & np.isin(kind, (FUNCTION, RESOLVED)) & (headers.machine.name == "arm")
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


def _strings_of(file: ElfBytes, headers: Headers, row: int) -> bytes:
    """Return the string table that a symbol table refers to; empty if it refers to none."""
    if not 0 < row < len(headers.sections) or headers.sections["type"][row] != _STRTAB:
        return b""
    section = headers.sections[row]
    return file.read(int(section["offset"]), int(section["size"]), "names of symbols")


def _without_marks(symbols: Symbols) -> tuple[Symbols, Marks]:
    letters = np.frombuffer(symbols.strings + b"\0\0", np.uint8)
    offsets = np.minimum(symbols.name, len(letters) - 2)
    is_mark = (letters[offsets] == ord("$")) & (symbols.kind == UNTYPED)
    signs = letters[offsets + 1].astype(np.int8)
    is_mark &= np.isin(signs, [ord(letter) for letter in "atxd"])
    marks = Marks(symbols.address[is_mark], signs[is_mark])
    return symbols.only(~is_mark), marks


def _with_stubs_of(
    symbols: Symbols, address: UInt64Array, size: UInt64Array, called: Symbols
) -> Symbols:
    """Return the symbols with stubs added at these addresses, each with the symbol that it calls.

    Names such as `puts@plt` are built on request.
    """
    added = len(address)
    merged = Symbols(
        np.concatenate((symbols.address, address)),
        np.concatenate((symbols.size, size)),
        np.concatenate((symbols.kind, np.full(added, STUB, np.int8))),
        np.concatenate((symbols.binding, np.ones(added, np.int8))),
        np.concatenate((symbols.name, len(symbols.strings) + 1 + called.name)),
        np.concatenate((symbols.section, np.zeros(added, np.int32))),
        np.concatenate((symbols.is_thumb, np.zeros(added, np.bool_))),
        b"".join((symbols.strings, b"\0", called.strings)),
    )
    return merged.only(np.argsort(merged.address, kind="stable"))


def function_ranges(symbols: Symbols, code: CodeSections) -> FunctionRanges:
    """Return the ranges of functions, and of other code symbols outside of any function.

    A function without a size, as assembly often has it, ends where the next one begins, or where
    its section ends. Within a function of known size, a symbol without size is a label and starts
    nothing.
    """
    in_code = code.holding(symbols.address) >= 0
    kinds = (FUNCTION, RESOLVED, STUB, UNTYPED)
    functions = symbols.only(in_code & np.isin(symbols.kind, kinds))
    is_sized = functions.size > 0
    enclosing = _ranges(functions.only(is_sized), code).containing(functions.address)
    return _ranges(functions.only(is_sized | (enclosing < 0)), code)


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
    """Return one range per start address: the largest, which is last."""
    is_last = np.append(start[1:] != start[:-1], True)[: len(start)]
    start, end, is_thumb = start[is_last], end[is_last], is_thumb[is_last]
    reach = np.maximum.accumulate(end)
    rises = np.append(True, reach[1:] > reach[:-1])[: len(start)]
    furthest = np.maximum.accumulate(np.where(rises, np.arange(len(start)), 0))
    return FunctionRanges(start, end, is_thumb, furthest.astype(np.int64))


# ------------------------------------------------- procedure linkage table
# Linkers write no symbols for the stubs. On x86, each stub contains the slot of the global offset
# table it jumps through; elsewhere, stubs are in the order of their relocations. A relocation
# names the function of its slot. Layouts are those of the processors' ABI supplements.

_RELA, _REL = 4, 9
_LARGEST_PLT = 1 << 22  # bytes: 260,000 stubs
_TABLES = (".plt", ".plt.sec", ".plt.got", ".plt.bnd")
_STUB, _SHORT_STUB = 16, 8
# Bytes before the first stub, and possible stub sizes, where stubs are in order of relocations.
_ORDERED = {
    "aarch64": (32, (16, 24)),
    "riscv32": (32, (16,)),
    "riscv64": (32, (16,)),
    "s390x": (32, (32,)),
    "arm": (20, (12, 16)),
}
# Offset of the jump in a stub: after nothing, `bnd`, `endbr64`, or both.
_JUMP_PLACES = (0, 1, 4, 5)
_JUMP_SIZE = 6
_JUMP, _THROUGH_SLOT, _THROUGH_BASE = 0xFF, 0x25, 0xA3  # *disp(%rip) or *slot; *disp(%ebx)


def read_slots(file: ElfBytes, headers: Headers) -> Symbols:
    """Return the slots that the loader fills, as a row per relocation of a named symbol."""
    dynamic = _all_symbols(file, headers, DYNSYM)
    tables = [_relocations(file, headers, row) for row in _relocation_sections(headers)]
    if not tables or not len(dynamic):
        return dynamic.only(np.empty(0, np.int64))
    address, number = (np.concatenate(column) for column in zip(*tables, strict=True))
    is_named = (number > 0) & (number < len(dynamic))
    address, number = address[is_named], number[is_named]
    order = np.argsort(address, kind="stable")
    return dynamic.only(number[order]).moved_to(address[order])


def _relocation_sections(headers: Headers) -> list[int]:
    sections = headers.sections
    is_loaded = (sections["flags"] & IN_MEMORY) != 0
    return [
        int(row) for row in np.flatnonzero(is_loaded & np.isin(sections["type"], (_RELA, _REL)))
    ]


def _relocations(file: ElfBytes, headers: Headers, row: int) -> tuple[UInt64Array, Int64Array]:
    """Return the address of each relocation, and the number of its symbol; in file order."""
    section = headers.sections[row]
    record = headers.layout("rela" if section["type"] == _RELA else "rel")
    table = file.table(int(section["offset"]), int(section["size"]), record, "relocations")
    number = table["info"] >> (32 if headers.bits == 64 else 8)
    return table["offset"].astype(np.uint64), number.astype(np.int64)


def with_stubs(file: ElfBytes, headers: Headers, symbols: Symbols, slots: Symbols) -> Symbols:
    """Return the symbols, plus one such as `puts@plt` for each stub of a library function."""
    if not len(slots):
        return symbols
    if headers.machine.name in _ORDERED:
        return _with_ordered_stubs(file, headers, symbols)
    if headers.machine.name not in ("x86", "x86-64"):
        return symbols
    stubs = [_jumping_stubs(file, headers, row, slots) for row in _tables(headers)]
    if not stubs:
        return symbols
    start, size, slot = (np.concatenate(column) for column in zip(*stubs, strict=True))
    return _with_stubs_of(symbols, start, size, slots.only(slot))


def _tables(headers: Headers) -> list[int]:
    """Return the sections with stubs, at most one per name, unless implausibly large."""
    rows = [row for row in map(headers.row, _TABLES) if row >= 0]
    sections = headers.sections
    is_plain = sections["type"] != NO_BYTES
    return [row for row in rows if is_plain[row] and int(sections["size"][row]) <= _LARGEST_PLT]


def _jumping_stubs(
    file: ElfBytes, headers: Headers, row: int, slots: Symbols
) -> tuple[UInt64Array, UInt64Array, Int64Array]:
    """Return start, size and slot row of each stub that jumps through a known slot (x86)."""
    section = headers.sections[row]
    stub_size = _SHORT_STUB if section["entry"] == _SHORT_STUB else _STUB
    data = file.read(int(section["offset"]), int(section["size"]), "stubs")
    stubs = np.frombuffer(data[: len(data) - len(data) % stub_size], np.uint8).reshape(
        -1, stub_size
    )
    start = section["address"].astype(np.uint64) + np.arange(
        0, stub_size * len(stubs), stub_size, dtype=np.uint64
    )
    slot = _slots_of(headers, stubs, start)
    rows = np.minimum(np.searchsorted(slots.address, slot), len(slots) - 1)
    is_known = (slots.address[rows] == slot) & (slot > 0)
    start = start[is_known]
    return start, np.full(len(start), stub_size, np.uint64), rows[is_known].astype(np.int64)


def _slots_of(headers: Headers, stubs: npt.NDArray[np.uint8], start: UInt64Array) -> UInt64Array:
    """Return the slot that each stub jumps through, shape (stubs,), uint64; 0 if there is none."""
    is_wide = headers.machine.name == "x86-64"
    base = headers.row(".got.plt")
    base_address = headers.sections["address"][base].astype(np.uint64) if base >= 0 else 0
    slot = np.zeros(len(stubs), np.uint64)
    for offset in _JUMP_PLACES:
        end = offset + _JUMP_SIZE
        if end > stubs.shape[1]:
            break
        is_jump = (stubs[:, offset] == _JUMP) & (slot == 0)
        distance = np.ascontiguousarray(stubs[:, end - 4 : end]).view("<i4")[:, 0]
        wide = distance.astype(np.int64).astype(np.uint64)
        through = start + np.uint64(end) + wide if is_wide else distance.view(np.uint32)
        slot = np.where(is_jump & (stubs[:, offset + 1] == _THROUGH_SLOT), through, slot)
        is_based = is_jump & (stubs[:, offset + 1] == _THROUGH_BASE) & (not is_wide)
        slot = np.where(is_based, wide + np.uint64(base_address), slot)
    return slot.astype(np.uint64)


def _with_ordered_stubs(file: ElfBytes, headers: Headers, symbols: Symbols) -> Symbols:
    """Return the symbols with stubs of `.plt`, which are in the order of the relocations."""
    relocations = max(headers.row(".rela.plt"), headers.row(".rel.plt"))
    plt = headers.row(".plt")
    if relocations < 0 or plt < 0:
        return symbols
    dynamic = _all_symbols(file, headers, DYNSYM)
    _address, number = _relocations(file, headers, relocations)
    header_size, sizes = _ORDERED[headers.machine.name]
    section = headers.sections[plt]
    stub_size = (int(section["size"]) - header_size) // max(len(number), 1)
    if stub_size not in sizes:
        return symbols
    first = section["address"].astype(np.uint64) + np.uint64(header_size)
    start = first + np.arange(0, stub_size * len(number), stub_size, dtype=np.uint64)
    is_named = (number > 0) & (number < len(dynamic))
    start = start[is_named]
    size = np.full(len(start), stub_size, np.uint64)
    return _with_stubs_of(symbols, start, size, dynamic.only(number[is_named]))
