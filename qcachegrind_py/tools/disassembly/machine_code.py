"""The machine code of functions: its ranges in a binary, their instructions and headings.

A profile knows a function as addresses with cost. The functions of the binary around them are
decoded; without symbols, the bytes between those addresses. The caller finds the binary, and
decides what to do if it is not the profiled one: see `is_misplaced`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.instructions import (
    Code,
    InstructionKind,
    Syntax,
    concatenate_code,
)
from qcachegrind_py.analysis.costs.sums import find_rows
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import CodeNotFound
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.progress import NoProgress, Progress, WeightedCache
from qcachegrind_py.profile.tables import BoolArray, StringTable, UInt64Array
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.tools.disassembly.disassembler import AddressNamer, Capstone, data_rows
from qcachegrind_py.tools.elf.headers import Machine
from qcachegrind_py.tools.elf.image import ElfImage, Fingerprint, fingerprint_of

# ------------------------------------------------------------------ ranges

_MAX_GAP = 256  # bytes without cost: the code on both sides may belong to two functions
_MAX_INSTRUCTION_SIZE = 24  # upper bound in bytes for any processor
_HALF_WORD_BIT = np.uint64(2)
_NO_ADDRESSES = np.empty(0, np.uint64)


@frozen
class CodeRange:
    """A contiguous byte range, to be decoded from its first byte."""

    start: int
    end: int  # exclusive
    addresses: UInt64Array  # those with cost, within the range
    is_thumb: bool
    is_function: bool  # otherwise instructions after the last address belong to no known function


def code_ranges_around(image: ElfImage, addresses: UInt64Array, max_size: int) -> list[CodeRange]:
    """Return the functions around the addresses, and ranges for addresses outside of functions.

    `addresses` are sorted uint64. The result is in order of address, without overlaps. A symbol of
    more than `max_size` bytes is not taken for a function.
    """
    functions = image.functions
    rows = functions.containing(addresses)
    if len(functions):
        size = functions.end[rows] - functions.start[rows]
        rows = np.where(size <= max_size, rows, -1)
    ranges = [_function_range(image, int(row)) for row in np.unique(rows[rows >= 0])]
    ranges += _ranges_outside_functions(image, addresses[rows < 0])
    merged = _merge_overlapping(sorted(ranges, key=lambda code_range: code_range.start))
    return [_with_addresses(code_range, addresses) for code_range in merged]


def _function_range(image: ElfImage, row: int) -> CodeRange:
    functions = image.functions
    start, end = int(functions.start[row]), int(functions.end[row])
    return CodeRange(start, end, _NO_ADDRESSES, bool(functions.is_thumb[row]), True)


def _ranges_outside_functions(image: ElfImage, addresses: UInt64Array) -> list[CodeRange]:
    """Return ranges from one address with cost to another, broken at wide gaps and at functions."""
    section = image.code.holding(addresses)
    addresses, section = addresses[section >= 0], section[section >= 0]
    if not len(addresses):
        return []
    is_thumb = image.machine.name == "arm" and bool((addresses & _HALF_WORD_BIT).any())
    # number of functions that begin before
    functions = np.searchsorted(image.functions.start, addresses)
    is_apart = (np.diff(addresses) > _MAX_GAP) | (np.diff(section) != 0) | (np.diff(functions) != 0)
    firsts = np.flatnonzero(np.append(True, is_apart))
    lasts = np.append(firsts[1:], len(addresses)) - 1
    ranges = []
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        row = section[last]
        section_end = int(image.code.address[row]) + int(image.code.size[row])
        end = min(int(addresses[last]) + _MAX_INSTRUCTION_SIZE, section_end)
        ranges.append(CodeRange(int(addresses[first]), end, _NO_ADDRESSES, is_thumb, False))
    return ranges


def _merge_overlapping(ranges: list[CodeRange]) -> list[CodeRange]:
    """Merge overlapping ranges; one outside of functions is cut where a function begins."""
    merged: list[CodeRange] = []
    for code_range in ranges:
        if merged and code_range.start < merged[-1].end:
            previous = merged.pop()
            if code_range.is_function and not previous.is_function:
                merged.append(replace(previous, end=code_range.start))
            else:
                code_range = replace(previous, end=max(previous.end, code_range.end))
        merged.append(code_range)
    return merged


def _with_addresses(code_range: CodeRange, addresses: UInt64Array) -> CodeRange:
    bounds = np.array([code_range.start, code_range.end], np.uint64)
    first, last = np.searchsorted(addresses, bounds)
    return replace(code_range, addresses=addresses[first:last])


# ------------------------------------------------------------ linear sweep
# Instructions are decoded one after another from the first byte. Some code contains data, such as
# jump tables, after which decoding is no longer aligned with the executed instructions. On ARM
# and RISC-V, mapping symbols mark data. Elsewhere, decoding restarts at an address with cost that
# is not the start of a decoded instruction, if
#
# - an instruction that ends the flow (jump or return) precedes it,
# - nothing between the two has cost, and
# - the restarted decoding is free of undecodable bytes, and aligned with the costs, up to the next
#   instruction that ends the flow.
#
# The bytes between are data then. All other misplaced addresses stay as they are: their number
# shows that the binary is not the profiled one. The extra work is bounded, as in another build of
# the program costs always request a restart.

_MAX_RESTARTS = 32  # per range
# Bytes decoded in restarts: a multiple of the range's size, plus an allowance for small ranges.
_MAX_EXTRA_FACTOR, _EXTRA_BYTES = 2, 1 << 14
_FIRST_WINDOW = 512  # bytes decoded to judge a restart, doubled at each further step
_FLOW_ENDS = (InstructionKind.JUMP, InstructionKind.RETURN)
_WORD, _TABLE_ENTRY = 4, 8  # bytes
_DATA, _THUMB = ord("d"), ord("t")


def decode_range(
    image: ElfImage,
    code_range: CodeRange,
    disassembler: Capstone,
    name_addresses: AddressNamer,
    progress: Progress,
    distance: int = 0,
) -> Code:
    """Decode the instructions and data of a range, to addresses at a distance from their own."""
    data = image.bytes_at(code_range.start, code_range.end - code_range.start)
    addresses = moved(code_range.addresses, distance)
    codes = []
    for start, end, mark in _marked_ranges(image, code_range):
        piece = data[start - code_range.start : end - code_range.start]
        if mark == _DATA:
            codes.append(data_rows(start + distance, piece, _WORD, image.machine.is_big_endian))
            continue
        machine = replace(image.machine, name="thumb") if mark == _THUMB else image.machine
        sweep = _LinearSweep(
            machine, start + distance, piece, disassembler, name_addresses, progress
        )
        codes.append(sweep.decode_aligned(addresses))
    code = concatenate_code(codes)
    if code_range.is_function or not len(addresses):
        return code
    return code.part(0, int(np.searchsorted(code.address, addresses[-1], side="right")))


def _marked_ranges(image: ElfImage, code_range: CodeRange) -> list[tuple[int, int, int]]:
    """Return start, end and mark of each subrange with a single mark; the mark may be 0: none."""
    marks = image.marks
    inside = (marks.address > code_range.start) & (marks.address < code_range.end)
    starts = [code_range.start, *marks.address[inside].tolist()]
    kinds = [_mark_before(image, code_range), *marks.sign[inside].tolist()]
    return list(zip(starts, [*starts[1:], code_range.end], kinds, strict=True))


def _mark_before(image: ElfImage, code_range: CodeRange) -> int:
    """Return the last mark before the range, if it belongs to the same section."""
    start = np.uint64(code_range.start)
    before = int(np.searchsorted(image.marks.address, start, side="right")) - 1
    if before >= 0:
        mark = image.marks.address[before]
        mark_section, start_section = image.code.holding(np.array([mark, start], np.uint64))
        if mark_section == start_section:
            return int(image.marks.sign[before])
    return _THUMB if code_range.is_thumb else 0


@dataclass(slots=True)
class _LinearSweep:
    """Decodes bytes from the first to the last, with restarts."""

    machine: Machine
    start: int
    data: bytes
    disassembler: Capstone
    name_addresses: AddressNamer
    progress: Progress
    bytes_left: int = field(init=False)
    """Bytes left for restarts; in another build of the program they would never end."""

    def __post_init__(self) -> None:
        self.bytes_left = _MAX_EXTRA_FACTOR * len(self.data) + _EXTRA_BYTES

    def decode_aligned(self, addresses: UInt64Array) -> Code:
        """Return the instructions, restarted at addresses with cost where the rule allows it."""
        end = self.start + len(self.data)
        addresses = addresses[(addresses >= self.start) & (addresses < end)]
        code = self._decode(self.start, len(self.data))
        first = 0
        for _start in range(_MAX_RESTARTS):
            rows = find_rows(code.address, addresses[first:])
            is_misplaced = (
                (rows < 0) | (code.kind[rows] == InstructionKind.DATA) if len(code) else rows < 0
            )
            if not is_misplaced.any() or self.bytes_left <= 0:
                break
            first += int(is_misplaced.argmax()) + 1
            code = self._restart(code, int(addresses[first - 1]), addresses) or code
        return code

    def _decode(self, address: int, size: int) -> Code:
        offset = address - self.start
        data = self.data[offset : offset + size]
        return self.disassembler.decode(
            self.machine, address, data, self.name_addresses, self.progress
        )

    def _restart(self, code: Code, address: int, addresses: UInt64Array) -> Code | None:
        """Return the code restarted at that address; None if the rule forbids it."""
        row = int(np.searchsorted(code.address, np.uint64(address)))
        ends = np.flatnonzero(np.isin(code.kind[:row], _FLOW_ENDS))
        if not len(ends):
            return None
        flow_end = int(code.address[ends[-1]]) + int(code.size[ends[-1]])
        has_cost_before = ((addresses >= flow_end) & (addresses < address)).any()
        if flow_end > address or has_cost_before:
            return None
        restart = self._decode_until_aligned(code, address, addresses)
        if restart is None:
            return None
        decoded, next_row = restart
        between = self.data[flow_end - self.start : address - self.start]
        table = data_rows(flow_end, between, _TABLE_ENTRY, self.machine.is_big_endian)
        before = code.part(0, int(ends[-1]) + 1)
        after = code.part(next_row, len(code))
        return concatenate_code([before, table, *decoded, after])

    def _decode_until_aligned(
        self, code: Code, address: int, addresses: UInt64Array
    ) -> tuple[list[Code], int] | None:
        """Decode from an address until a row of `code` begins there, too; return that row's number.

        None if the rule forbids it. From the same byte on, decoding gives the same result, so it
        stops where the new instructions meet the existing ones.
        """
        decoded: list[Code] = []
        is_aligned: bool | None = None
        for piece in self._windows(address):
            rows = find_rows(code.address, piece.address)
            common = np.flatnonzero(rows >= 0)[:1]
            new_code = piece.part(0, int(common[0])) if len(common) else piece
            decoded.append(new_code)
            if is_aligned is None:
                is_aligned = _is_aligned(new_code, addresses)
            if len(common) and is_aligned is None:
                is_aligned = _is_aligned(code.part(int(rows[common[0]]), len(code)), addresses)
            if is_aligned is False:
                return None
            if len(common):
                return decoded, int(rows[common[0]])
        return decoded, len(code)

    def _windows(self, address: int) -> Iterator[Code]:
        """Yield the instructions from an address to the last byte, in windows of growing size."""
        size = _FIRST_WINDOW
        end = self.start + len(self.data)
        while address < end:
            code = self._decode(address, size + _MAX_INSTRUCTION_SIZE)
            self.bytes_left -= size
            if address + size + _MAX_INSTRUCTION_SIZE < end:  # the last one may be cut
                code = code.part(0, int(np.searchsorted(code.address, np.uint64(address + size))))
            yield code
            address = int(code.address[-1]) + int(code.size[-1])
            size *= 2


def _is_aligned(code: Code, addresses: UInt64Array) -> bool | None:
    """Whether all rows up to the first flow end are instructions, and all costs are on them.

    None if they are, but the flow does not end.
    """
    if not len(code):
        return None
    ends = np.flatnonzero(np.isin(code.kind, _FLOW_ENDS))
    last = int(ends[0]) if len(ends) else len(code) - 1
    end = int(code.address[last]) + int(code.size[last])
    costs = addresses[(addresses >= code.address[0]) & (addresses < end)]
    if (code.kind[: last + 1] == InstructionKind.DATA).any() or (
        find_rows(code.address, costs) < 0
    ).any():
        return False
    return True if len(ends) else None


# --------------------------------------------------------------- functions

_MAX_IMAGES = 4  # in the cache; those of the largest libraries take 60 MB
_FEW_ROWS = 1 << 18  # instructions of a function in the cache, at 300 bytes
_MAX_CACHED_ROWS = 4 * _FEW_ROWS
_MAX_BYTES = 1 << 20  # of code in a function; large ones of compilers have 500 kB
# Characters of a name, in operands and in headings, unless there are too many names.
_MAX_NAME_LENGTH, _MAX_HEADING_LENGTH = 200, 4096
_MIN_CUT_LENGTH = 40
_MAX_NAME_CHARACTERS = 20_000_000  # of all names of a function
_NAMES_PER_CHUNK = 256  # a demangled name may take 100 kB before it is cut
_NOT_PROFILED = "Choose the file that was profiled; it may have been rebuilt."


@frozen
class MachineCode:
    """The instructions of a function, and the binary they come from."""

    path: Path
    machine: str  # `x86-64`, `aarch64`, …
    modified: float  # seconds since 1970
    build_id: str  # in hex; empty if there is none
    code: Code
    # address and name of each function that begins in the code, by address
    symbols: tuple[tuple[int, str], ...]
    fixed: range = range(0)  # addresses of the binary, if it is linked to a fixed place


def moved(addresses: UInt64Array, distance: int) -> UInt64Array:
    return addresses + np.uint64(distance % (1 << 64)) if distance else addresses


def read_image(path: Path, progress: Progress | None = None) -> ElfImage:
    """Return the parsed binary, which stays in a cache; raises like `ElfImage.open`."""
    key = path, fingerprint_of(path)
    return _image_cache.get(key, lambda: ElfImage.open(path, progress=progress), progress)


def read_code(
    path: Path,
    addresses: UInt64Array,
    syntax: Syntax = Syntax.ATT,
    progress: Progress | None = None,
    distance: int = 0,
) -> MachineCode:
    """Decode the function that has cost at these addresses (uint64, sorted, unique).

    They, and those of the code, exceed the addresses of the binary by `distance`.

    If the binary has symbols, whole functions are decoded, including their `.cold` parts. Only
    their bytes are read. Long names are cut: at 200 characters in operands, at 4,096 in headings,
    earlier if there are many. Raises `CodeNotFound`, `UnsuitableFile`, `UnreadableFile` and
    `Cancelled`.
    """
    progress = progress or NoProgress()
    fingerprint = fingerprint_of(path)
    key = path, fingerprint, addresses.tobytes(), syntax, distance
    return _code_cache.get(
        key, lambda: _decode_function(path, addresses, syntax, progress, distance), progress
    )


def _decode_function(
    path: Path, addresses: UInt64Array, syntax: Syntax, progress: Progress, distance: int
) -> MachineCode:
    image = read_image(path, progress)
    disassembler = Capstone(syntax)
    if not disassembler.supports(image.machine):
        reason = f"is for a processor ({image.machine.name}) that cannot be disassembled."
        raise CodeNotFound(path, reason, "Costs are shown by address.")
    ranges = code_ranges_around(image, moved(addresses, -distance), _MAX_BYTES)
    _check_has_code(path, ranges)
    name_addresses = functools.partial(_address_names, image, progress, distance)
    codes = [
        decode_range(image, code_range, disassembler, name_addresses, progress, distance)
        for code_range in ranges
    ]
    return MachineCode(
        path,
        image.machine.name,
        image.modified,
        image.build_id,
        concatenate_code(codes),
        tuple(
            (start + distance, name) for start, name in _symbol_headings(image, ranges, progress)
        ),
        range(0) if distance else image.fixed_range,
    )


def is_misplaced(code: Code, addresses: UInt64Array) -> BoolArray:
    """Tell for each address whether no instruction begins there: shape (addresses,), bool.

    In the profiled binary, one begins wherever there is cost; in another build, soon not.
    """
    return ~np.isin(addresses, code.address[code.kind != InstructionKind.DATA])


def _check_has_code(path: Path, ranges: list[CodeRange]) -> None:
    if not ranges:
        raise CodeNotFound(
            path, "has no machine code at the addresses of the profile.", _NOT_PROFILED
        )
    total = sum(code_range.end - code_range.start for code_range in ranges)
    if total > _MAX_BYTES:
        reason = f"has {total / 1e6:,.1f} MB of machine code for this function."
        raise CodeNotFound(path, reason, _NOT_PROFILED)


def _address_names(
    image: ElfImage, progress: Progress, distance: int, addresses: UInt64Array
) -> list[str]:
    """Return the name of each address, such as `fib+0xc`; a cut name ends in `…`."""
    addresses = moved(addresses, -distance)
    max_length = _max_name_length(len(addresses), _MAX_NAME_LENGTH)
    result: list[str] = []
    for first in range(0, len(addresses), _NAMES_PER_CHUNK):
        progress.check(first / len(addresses))
        symbols = image.named(addresses[first : first + _NAMES_PER_CHUNK])
        names = _demangle_and_cut([name for name, _distance in symbols], max_length)
        result += [
            f"{name}+{distance:#x}" if name and distance else name
            for name, (_name, distance) in zip(names, symbols, strict=True)
        ]
    return result


def _symbol_headings(
    image: ElfImage, code_ranges: list[CodeRange], progress: Progress
) -> tuple[tuple[int, str], ...]:
    start = image.functions.start
    ranges = [np.searchsorted(start, np.array([s.start, s.end], np.uint64)) for s in code_ranges]
    starts = [int(function_start) for first, last in ranges for function_start in start[first:last]]
    max_length = _max_name_length(len(starts), _MAX_HEADING_LENGTH)
    names: list[str] = []
    for first in range(0, len(starts), _NAMES_PER_CHUNK):
        progress.check(first / len(starts))
        chunk = starts[first : first + _NAMES_PER_CHUNK]
        names += _demangle_and_cut(
            [image.symbols.best_name(function_start) for function_start in chunk], max_length
        )
    return tuple(zip(starts, names, strict=True))


def _max_name_length(count: int, max_length: int) -> int:
    """Return how many characters each of `count` names may have."""
    return max(_MIN_CUT_LENGTH, min(max_length, _MAX_NAME_CHARACTERS // max(count, 1)))


def _demangle_and_cut(names: list[str], max_length: int) -> list[str]:
    number = {name: row for row, name in enumerate(dict.fromkeys(names), start=1)}
    # text 0 of a table is that of unknown names
    lines = [b"\n", *(name.encode("utf-8", "replace") + b"\n" for name in number)]
    starts = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    table = demangle_names(StringTable(b"".join(lines), starts))
    readable = table.lookup(map(TextId, range(len(table))))
    shortened = [
        name if len(name) <= max_length else name[: max_length - 1] + "…" for name in readable
    ]
    return [shortened[number[name]] for name in names]


_image_cache = WeightedCache[tuple[Path, Fingerprint], ElfImage](_MAX_IMAGES)
_code_cache = WeightedCache[tuple[Path, Fingerprint, bytes, Syntax, int], MachineCode](
    _MAX_CACHED_ROWS, lambda _key, code: max(len(code.code), _FEW_ROWS)
)


def clear_code_cache() -> None:
    """Read binaries again, and search for their debug files again, when they are next needed."""
    _image_cache.clear()
    _code_cache.clear()
