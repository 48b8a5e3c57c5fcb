"""Headers of ELF files: machine, sections and segments, read within bounds.

Tables become arrays, and names are compared as bytes: a malicious file may have 100,000 sections
with names of a megabyte. Symbols and instructions are read elsewhere.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile import files
from qcachegrind_py.profile.errors import UnsuitableFile
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array, UInt64Array

# --------------------------------------------------------- bounded reading
# All bytes of ELF files are read here, from a file that is open only meanwhile. The layouts of
# the tables are those of the System V ABI, chapters 4 and 5; the callers interpret them.

Records: TypeAlias = npt.NDArray[np.void]

# Raised by reading malformed tables.
_MALFORMED = (ValueError, LookupError, OverflowError, MemoryError)
# The largest browsers have 100 MB of symbols, and 500 MB of their names.
_LARGEST_TABLE = 1 << 29
# Limit of all reads of a file: twice its size, since headers and symbols are read more than once.
# It is exceeded only if tables claim the same bytes repeatedly.
_MOST_TIMES = 2
_SMALL = 1 << 20
_MOST_READ = 1 << 30

_ANOTHER = "Choose the file that was profiled."
_AGAIN = "Copy or build it again."

_LAYOUTS = {
    # the header after its first 16 bytes
    (
        "header",
        32,
    ): "type u2,machine u2,version u4,entry u4,segments u4,sections u4,flags u4,size u2,"
    "segment_size u2,segment_count u2,section_size u2,section_count u2,section_names u2",
    (
        "header",
        64,
    ): "type u2,machine u2,version u4,entry u8,segments u8,sections u8,flags u4,size u2,"
    "segment_size u2,segment_count u2,section_size u2,section_count u2,section_names u2",
    ("section", 32): "name u4,type u4,flags u4,address u4,offset u4,size u4,link u4,info u4,"
    "align u4,entry u4",
    ("section", 64): "name u4,type u4,flags u8,address u8,offset u8,size u8,link u4,info u4,"
    "align u8,entry u8",
    ("segment", 32): "type u4,offset u4,address u4,physical u4,size u4,memory u4,flags u4,align u4",
    ("segment", 64): "type u4,flags u4,offset u8,address u8,physical u8,size u8,memory u8,align u8",
    ("symbol", 32): "name u4,value u4,size u4,info u1,other u1,section u2",
    ("symbol", 64): "name u4,info u1,other u1,section u2,value u8,size u8",
    ("rel", 32): "offset u4,info u4",
    ("rel", 64): "offset u8,info u8",
    ("rela", 32): "offset u4,info u4,addend i4",
    ("rela", 64): "offset u8,info u8,addend i8",
}


def layout(record: str, bits: int, is_big_endian: bool) -> np.dtype[np.void]:
    """Return the dtype of a record of `_LAYOUTS`, such as `symbol`, in a 32-bit or 64-bit file."""
    order = ">" if is_big_endian else "<"
    fields = (field.split() for field in _LAYOUTS[record, bits].split(","))
    return np.dtype([(name, order + kind) for name, kind in fields])


class ElfBytes:
    """An open file, read in pieces that lie within it, up to a total limit."""

    def __init__(
        self, path: Path, stream: BinaryIO, status: os.stat_result, progress: Progress
    ) -> None:
        self.path = path
        self.stream = stream
        self.status = status
        self.progress = progress
        self._left = min(_MOST_TIMES * status.st_size + _SMALL, _MOST_READ)

    def read(self, offset: int, size: int, content: str) -> bytes:
        """Return the bytes at an offset; `what` names them in error messages.

        Raises `UnsuitableFile` and `Cancelled`.
        """
        self.progress.check(0.0)
        if offset + size > self.status.st_size:
            raise UnsuitableFile(self.path, f"is truncated: it ends before its {content}.", _AGAIN)
        if size > _LARGEST_TABLE:
            reason = f"has {size / 1e6:,.0f} MB for its {content}, which is impossible."
            raise UnsuitableFile(self.path, reason, _ANOTHER)
        self._left -= size
        if self._left < 0:
            reason = "is malformed: its tables overlap."
            raise UnsuitableFile(self.path, reason, _AGAIN)
        self.stream.seek(offset)
        data = self.stream.read(size)
        if len(data) < size:
            raise UnsuitableFile(self.path, "was truncated while it was read.", _AGAIN)
        return data

    def table(self, offset: int, size: int, record: np.dtype[np.void], content: str) -> Records:
        """Return the whole records at an offset; a partial last one is left out."""
        return np.frombuffer(self.read(offset, size - size % record.itemsize, content), record)


@contextlib.contextmanager
def opened(path: Path, progress: Progress | None = None) -> Iterator[ElfBytes]:
    """Open a regular file; errors from reading malformed tables become `UnsuitableFile`.

    Each read checks `progress` for cancellation. Raises `UnreadableFile` if the system denies
    reading.
    """
    with files.reading(path, "a program or library") as (stream, status):
        try:
            yield ElfBytes(path, stream, status, progress or NoProgress())
        except _MALFORMED as error:
            raise UnsuitableFile(path, "is malformed.", _AGAIN) from error


# ----------------------------------------------------------------- headers

_NOTE, NO_BYTES, _LOADED, _NOTE_SEGMENT = 7, 8, 1, 4
IN_MEMORY, _EXECUTABLE, _EXECUTABLE_SEGMENT = 2, 4, 1
_BUILD_ID = 3  # NT_GNU_BUILD_ID
_MOST_NOTES = 16
_LARGEST_NOTE = 1 << 16
_LONGEST_NAME = 1 << 12
_LONGEST_LINK = 1 << 12
_IDENT_SIZE = 16
_BITS = {1: 32, 2: 64}
_BIG_ENDIAN = {1: False, 2: True}
_ELSEWHERE = 0xFFFF  # SHN_XINDEX, PN_XNUM: the first section has the number

_PROGRAM_TYPES = (2, 3)  # ET_EXEC, ET_DYN: linked, a program or a library
# Processors by their numbers in ELF files.
_MACHINES = {
    2: "sparc",
    3: "x86",
    4: "m68k",
    6: "x86",
    8: "mips",
    18: "sparc",
    20: "ppc",
    21: "ppc64",
    22: "s390x",
    40: "arm",
    43: "sparc64",
    62: "x86-64",
    183: "aarch64",
    243: "riscv",
    # used in messages only: they cannot be decoded
    15: "parisc",
    42: "sh",
    50: "ia_64",
    75: "vax",
    83: "avr",
    258: "loongarch",
}
_WITH_WIDTH = frozenset({"riscv", "mips"})


@frozen(eq=True)
class Machine:
    """An instruction set, such as `x86-64` or `mips32`, and its byte order."""

    name: str
    is_big_endian: bool = False


@frozen
class CodeSections:
    """Ranges of machine code in memory, one row each, in order of address."""

    address: UInt64Array
    size: UInt64Array
    offset: UInt64Array  # in the file

    def __len__(self) -> int:
        return len(self.address)

    def holding(self, addresses: UInt64Array) -> Int64Array:
        """Return the row that contains each address, shape (addresses,), int64; -1 if none does."""
        rows = np.searchsorted(self.address, addresses, side="right").astype(np.int64) - 1
        if len(self):
            rows[addresses - self.address[rows] >= self.size[rows]] = -1
        return rows


@frozen
class Headers:
    """The tables of an ELF file."""

    machine: Machine
    bits: int  # 32 or 64
    sections: Records  # dtype: `layout("section")`
    section_strings: bytes  # section names, at the offsets in `sections`
    segments: Records
    code: CodeSections
    build_id: str  # in hex; empty if there is none
    debug_link: tuple[str, int] | None  # name and CRC of the file with the symbols

    def layout(self, record: str) -> np.dtype[np.void]:
        """Return the dtype of such a record in this file."""
        return layout(record, self.bits, self.machine.is_big_endian)

    def row(self, name: str) -> int:
        """Return the first section of that name; -1 if there is none."""
        rows = np.flatnonzero(self._has_name(name))
        return int(rows[0]) if len(rows) else -1

    def _has_name(self, name: str) -> BoolArray:
        """Tell for each section whether it has that name: shape (sections,), bool."""
        needle = name.encode() + b"\0"
        letters = np.frombuffer(self.section_strings + bytes(len(needle)), np.uint8)
        start = np.minimum(self.sections["name"], len(self.section_strings)).astype(np.int64)
        matches = np.ones(len(start), np.bool_)
        for offset, letter in enumerate(needle):
            matches &= letters[start + offset] == letter
        return matches


def read_headers(file: ElfBytes) -> Headers:
    """Read the headers of a program or library; raises `UnsuitableFile`."""
    first = _file_header(file)
    sections, name_row = _sections(file, first)
    segments = _segments(file, first, sections)
    headers = Headers(
        first.machine,
        first.bits,
        sections,
        _section_strings(file, sections, name_row),
        segments,
        _code(sections) if len(sections) > 1 else _code_of_segments(segments),
        _build_id(file, first.machine, sections, segments),
        None,
    )
    return replace(headers, debug_link=_debug_link(file, headers))


@frozen
class _FileHeader:
    """The header at the beginning of the file."""

    machine: Machine
    bits: int
    fields: np.void  # a `header`

    def layout(self, record: str) -> np.dtype[np.void]:
        return layout(record, self.bits, self.machine.is_big_endian)


def _file_header(file: ElfBytes) -> _FileHeader:
    ident = file.read(0, min(_IDENT_SIZE, file.status.st_size), "header")
    if ident[:4] != b"\x7fELF":
        raise UnsuitableFile(file.path, "is not an ELF file.", "Choose the program or library.")
    if len(ident) < _IDENT_SIZE or ident[4] not in _BITS or ident[5] not in _BIG_ENDIAN:
        raise UnsuitableFile(file.path, "has a malformed header.")
    bits, is_big_endian = _BITS[ident[4]], _BIG_ENDIAN[ident[5]]
    kind = layout("header", bits, is_big_endian)
    fields = file.table(_IDENT_SIZE, kind.itemsize, kind, "header")[0]
    if fields["type"] not in _PROGRAM_TYPES:
        reason = "is neither a program nor a shared library."
        raise UnsuitableFile(file.path, reason, "Choose the linked program or library.")
    return _FileHeader(_machine(int(fields["machine"]), bits, is_big_endian), bits, fields)


def _machine(number: int, bits: int, is_big_endian: bool) -> Machine:
    name = _MACHINES.get(number, f"machine {number}")
    return Machine(f"{name}{bits}" if name in _WITH_WIDTH else name, is_big_endian)


def _sections(file: ElfBytes, first: _FileHeader) -> tuple[Records, int]:
    """Return the sections, empty if the file has no such table, and the row of their names.

    Numbers too large for the file header are in the first row.
    """
    kind = first.layout("section")
    fields = ("sections", "section_count", "section_names")
    offset, count, names = (int(first.fields[field]) for field in fields)
    if offset == 0:
        return np.empty(0, kind), 0
    _require_size(file, int(first.fields["section_size"]), kind)
    row = file.table(offset, kind.itemsize, kind, "table of sections")[0]
    count = count or int(row["size"])
    names = int(row["link"]) if names == _ELSEWHERE else names
    return file.table(offset, count * kind.itemsize, kind, "table of sections"), names


def _segments(file: ElfBytes, first: _FileHeader, sections: Records) -> Records:
    kind = first.layout("segment")
    offset, count = int(first.fields["segments"]), int(first.fields["segment_count"])
    if count == _ELSEWHERE and len(sections):
        count = int(sections["info"][0])
    if offset == 0 or count == 0:
        return np.empty(0, kind)
    _require_size(file, int(first.fields["segment_size"]), kind)
    return file.table(offset, count * kind.itemsize, kind, "table of segments")


def _require_size(file: ElfBytes, size: int, kind: np.dtype[np.void]) -> None:
    if size != kind.itemsize:
        raise UnsuitableFile(file.path, "is malformed: entries of a table are of a wrong size.")


def _section_strings(file: ElfBytes, sections: Records, row: int) -> bytes:
    if not 0 < row < len(sections) or sections["type"][row] == NO_BYTES:
        return b""
    offset, size = int(sections["offset"][row]), int(sections["size"][row])
    return file.read(offset, size, "names of sections")


def text_at(strings: bytes, offset: int) -> str:
    """Return the text from an offset to the next zero byte, at most 4 kB; empty beyond the end."""
    end = strings.find(b"\0", offset, offset + _LONGEST_NAME)
    return strings[offset : end if end >= 0 else offset + _LONGEST_NAME].decode("utf-8", "replace")


def _code(sections: Records) -> CodeSections:
    executable = IN_MEMORY | _EXECUTABLE
    is_code = (sections["flags"] & executable == executable) & (sections["type"] != NO_BYTES)
    return _code_sections(sections, is_code)


def _code_of_segments(segments: Records) -> CodeSections:
    """Return the executable segments of a file without sections."""
    is_code = (segments["type"] == _LOADED) & (segments["flags"] & _EXECUTABLE_SEGMENT != 0)
    return _code_sections(segments, is_code)


def _code_sections(table: Records, is_code: BoolArray) -> CodeSections:
    address, size = (table[column].astype(np.uint64) for column in ("address", "size"))
    fits = size <= ~address  # the end of a range fits into 64 bits, too
    rows = np.flatnonzero(is_code & (size > 0) & fits)
    rows = rows[np.argsort(address[rows], kind="stable")]
    return CodeSections(address[rows], size[rows], table["offset"][rows].astype(np.uint64))


def _build_id(file: ElfBytes, machine: Machine, sections: Records, segments: Records) -> str:
    """Return the build-id from the notes of sections, else from those of segments."""
    section_notes = sections[sections["type"] == _NOTE]
    for notes in (section_notes, segments[segments["type"] == _NOTE_SEGMENT]):
        for note in notes[:_MOST_NOTES]:
            size = min(int(note["size"]), _LARGEST_NOTE)
            build_id = _build_id_in(file.read(int(note["offset"]), size, "notes"), machine)
            if build_id:
                return build_id
    return ""


def _build_id_in(notes: bytes, machine: Machine) -> str:
    """Return the build-id in notes: name size, content size, type, name, content; padded to 4."""
    offset = 0
    while offset + 12 <= len(notes):
        name_size, size, kind = (_word(notes, offset + field, machine) for field in (0, 4, 8))
        content = offset + 12 + _padded(name_size)
        if kind == _BUILD_ID and notes[offset + 12 : offset + 16] == b"GNU\0":
            return notes[content : content + size].hex()
        offset = content + _padded(size)
    return ""


def _debug_link(file: ElfBytes, headers: Headers) -> tuple[str, int] | None:
    """Return file name and CRC from `.gnu_debuglink`: a text, padded to 4 bytes, and a word."""
    row = headers.row(".gnu_debuglink")
    if row < 0:
        return None
    section = headers.sections[row]
    size = min(int(section["size"]), _LONGEST_LINK)
    link = file.read(int(section["offset"]), size, "link to symbols")
    name = link.partition(b"\0")[0]
    crc = _word(link, _padded(len(name) + 1), headers.machine)
    return name.decode("utf-8", "surrogateescape"), crc


def _word(data: bytes, offset: int, machine: Machine) -> int:
    order: Literal["little", "big"] = "big" if machine.is_big_endian else "little"
    return int.from_bytes(data[offset : offset + 4], order)


def _padded(size: int) -> int:
    return (size + 3) // 4 * 4
