"""The procedure linkage table: names of its stubs and of the slots they jump through.

Linkers write no symbols for the stubs. On x86, each stub contains the slot of the global offset
table it jumps through; elsewhere, stubs are in the order of their relocations. A relocation names
the function of its slot. Layouts are those of the processors' ABI supplements.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.tables import Int64Array, UInt64Array
from qcachegrind_py.tools.elf.bounded_reader import ElfBytes
from qcachegrind_py.tools.elf.headers import Headers
from qcachegrind_py.tools.elf.symbols import DYNSYM, Symbols, all_symbols, with_stubs_of

_RELA, _REL, _NO_BYTES = 4, 9, 8
_IN_MEMORY = 2
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
    dynamic = all_symbols(file, headers, DYNSYM)
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
    is_loaded = (sections["flags"] & _IN_MEMORY) != 0
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
    return with_stubs_of(symbols, start, size, slots.only(slot))


def _tables(headers: Headers) -> list[int]:
    """Return the sections with stubs, at most one per name, unless implausibly large."""
    rows = [row for row in map(headers.row, _TABLES) if row >= 0]
    sections = headers.sections
    is_plain = sections["type"] != _NO_BYTES
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
    dynamic = all_symbols(file, headers, DYNSYM)
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
    return with_stubs_of(symbols, start, size, dynamic.only(number[is_named]))
