"""What a program calls in libraries: names of the stubs it calls through, and of their slots.

Linkers write no symbols for the procedure linkage table. On x86 each stub says which slot of the
global offset table it jumps through, elsewhere stubs lie in the order of their relocations; a
relocation names the function of its slot. Layouts are those of the processors' ABI supplements.
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
# Bytes before the first stub, and what each may take, where they lie in order of relocations.
_ORDERED = {
    "aarch64": (32, (16, 24)),
    "riscv32": (32, (16,)),
    "riscv64": (32, (16,)),
    "s390x": (32, (32,)),
    "arm": (20, (12, 16)),
}
# Where in a stub its jump may begin: behind nothing, `bnd`, `endbr64`, or both.
_JUMP_PLACES = (0, 1, 4, 5)
_JUMP_SIZE = 6
_JUMP, _THROUGH_SLOT, _THROUGH_BASE = 0xFF, 0x25, 0xA3  # *disp(%rip) or *slot; *disp(%ebx)


def read_slots(file: ElfBytes, headers: Headers) -> Symbols:
    """What the loader writes where, by name: a row a relocation of a named symbol."""
    dynamic = all_symbols(file, headers, DYNSYM)
    tables = [_relocations(file, headers, row) for row in _relocation_sections(headers)]
    if not tables or not len(dynamic):
        return dynamic.only(np.empty(0, np.int64))
    place, number = (np.concatenate(column) for column in zip(*tables, strict=True))
    is_named = (number > 0) & (number < len(dynamic))
    place, number = place[is_named], number[is_named]
    order = np.argsort(place, kind="stable")
    return dynamic.only(number[order]).moved_to(place[order])


def _relocation_sections(headers: Headers) -> list[int]:
    sections = headers.sections
    is_loaded = (sections["flags"] & _IN_MEMORY) != 0
    return [
        int(row) for row in np.flatnonzero(is_loaded & np.isin(sections["type"], (_RELA, _REL)))
    ]


def _relocations(file: ElfBytes, headers: Headers, row: int) -> tuple[UInt64Array, Int64Array]:
    """The address that each relocation is for, and the number of its symbol; in file order."""
    section = headers.sections[row]
    record = headers.layout("rela" if section["type"] == _RELA else "rel")
    table = file.table(int(section["offset"]), int(section["size"]), record, "relocations")
    number = table["info"] >> (32 if headers.bits == 64 else 8)
    return table["offset"].astype(np.uint64), number.astype(np.int64)


def with_stubs(file: ElfBytes, headers: Headers, symbols: Symbols, slots: Symbols) -> Symbols:
    """The symbols, and `puts@plt` for each stub that stands for a function of a library."""
    if not len(slots):
        return symbols
    if headers.machine.name in _ORDERED:
        return _with_ordered_stubs(file, headers, symbols)
    if headers.machine.name not in ("x86", "x86-64"):
        return symbols
    found = [_jumping_stubs(file, headers, row, slots) for row in _tables(headers)]
    if not found:
        return symbols
    start, size, slot = (np.concatenate(column) for column in zip(*found, strict=True))
    return with_stubs_of(symbols, start, size, slots.only(slot))


def _tables(headers: Headers) -> list[int]:
    """The sections with stubs, at most one of each name, of a size that may be."""
    rows = [row for row in map(headers.row, _TABLES) if row >= 0]
    sections = headers.sections
    is_plain = sections["type"] != _NO_BYTES
    return [row for row in rows if is_plain[row] and int(sections["size"][row]) <= _LARGEST_PLT]


def _jumping_stubs(
    file: ElfBytes, headers: Headers, row: int, slots: Symbols
) -> tuple[UInt64Array, UInt64Array, Int64Array]:
    """For x86: start and size of each stub, and the row of the slot that is in its jump."""
    section = headers.sections[row]
    stub = _SHORT_STUB if section["entry"] == _SHORT_STUB else _STUB
    data = file.read(int(section["offset"]), int(section["size"]), "stubs")
    stubs = np.frombuffer(data[: len(data) - len(data) % stub], np.uint8).reshape(-1, stub)
    start = section["address"].astype(np.uint64) + np.arange(
        0, stub * len(stubs), stub, dtype=np.uint64
    )
    slot = _slots_of(headers, stubs, start)
    rows = np.minimum(np.searchsorted(slots.address, slot), len(slots) - 1)
    is_known = (slots.address[rows] == slot) & (slot > 0)
    start = start[is_known]
    return start, np.full(len(start), stub, np.uint64), rows[is_known].astype(np.int64)


def _slots_of(headers: Headers, stubs: npt.NDArray[np.uint8], start: UInt64Array) -> UInt64Array:
    """Where each stub jumps through; 0 where it does not jump like that."""
    is_wide = headers.machine.name == "x86-64"
    base = headers.row(".got.plt")
    base_address = headers.sections["address"][base].astype(np.uint64) if base >= 0 else 0
    slot = np.zeros(len(stubs), np.uint64)
    for place in _JUMP_PLACES:
        end = place + _JUMP_SIZE
        if end > stubs.shape[1]:
            break
        is_jump = (stubs[:, place] == _JUMP) & (slot == 0)
        distance = np.ascontiguousarray(stubs[:, end - 4 : end]).view("<i4")[:, 0]
        wide = distance.astype(np.int64).astype(np.uint64)
        through = start + np.uint64(end) + wide if is_wide else distance.view(np.uint32)
        slot = np.where(is_jump & (stubs[:, place + 1] == _THROUGH_SLOT), through, slot)
        is_based = is_jump & (stubs[:, place + 1] == _THROUGH_BASE) & (not is_wide)
        slot = np.where(is_based, wide + np.uint64(base_address), slot)
    return slot.astype(np.uint64)


def _with_ordered_stubs(file: ElfBytes, headers: Headers, symbols: Symbols) -> Symbols:
    """Elsewhere: the stubs of `.plt` lie in the order of the relocations of `.rela.plt`."""
    relocations = max(headers.row(".rela.plt"), headers.row(".rel.plt"))
    plt = headers.row(".plt")
    if relocations < 0 or plt < 0:
        return symbols
    dynamic = all_symbols(file, headers, DYNSYM)
    _place, number = _relocations(file, headers, relocations)
    before, sizes = _ORDERED[headers.machine.name]
    section = headers.sections[plt]
    stub = (int(section["size"]) - before) // max(len(number), 1)
    if stub not in sizes:
        return symbols
    first = section["address"].astype(np.uint64) + np.uint64(before)
    start = first + np.arange(0, stub * len(number), stub, dtype=np.uint64)
    is_named = (number > 0) & (number < len(dynamic))
    start = start[is_named]
    size = np.full(len(start), stub, np.uint64)
    return with_stubs_of(symbols, start, size, dynamic.only(number[is_named]))
