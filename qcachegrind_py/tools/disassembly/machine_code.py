"""Read and decode the instructions of a function from the profiled binary.

A profile knows a function as addresses with cost. The functions of the binary around them are
decoded; without symbols, the bytes between those addresses. The caller finds the binary, and
decides what to do if it is not the profiled one: see `is_misplaced`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.instructions import Code, InstructionKind, Syntax
from qcachegrind_py.profile.cache import WeightedCache
from qcachegrind_py.profile.errors import CodeNotFound
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, StringTable, UInt64Array
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.tools.disassembly.code_ranges import CodeRange, code_ranges_around
from qcachegrind_py.tools.disassembly.disassembler import Capstone
from qcachegrind_py.tools.disassembly.linear_sweep import concatenate_code, decode_range
from qcachegrind_py.tools.elf.image import ElfImage, Fingerprint, fingerprint_of

_MAX_IMAGES = 4  # in the cache; those of the largest libraries take 60 MB
_MAX_CACHED_ROWS_FACTOR, _FEW_ROWS = (
    4,
    1 << 18,
)  # functions in the cache: 2^20 instructions, at 300 bytes
_MAX_BYTES = 1 << 20  # of code in a function; large ones of compilers have 500 kB
# Characters of a name, in operands and in headings, unless there are too many names.
_MAX_NAME_LENGTH, _MAX_HEADING_LENGTH = 200, 4096
_MIN_CUT_LENGTH = 40
_MAX_NAME_CHARACTERS = 20_000_000  # of all names of a function
_NAMES_PER_CHUNK = 256  # a demangled name may take 100 kB before it is cut
_NOT_PROFILED = "Choose the file that was profiled; it may have been rebuilt."


@dataclass(frozen=True, slots=True, eq=False)
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


def read_code(
    path: Path,
    addresses: UInt64Array,
    syntax: Syntax = Syntax.ATT,
    progress: Progress | None = None,
) -> MachineCode:
    """Decode the function that has cost at these addresses (uint64, sorted, unique).

    If the binary has symbols, whole functions are decoded, including their `.cold` parts. Only
    their bytes are read. Long names are cut: at 200 characters in operands, at 4,096 in headings,
    earlier if there are many. Raises `CodeNotFound`, `UnsuitableFile`, `UnreadableFile` and
    `Cancelled`.
    """
    progress = progress or NoProgress()
    fingerprint = fingerprint_of(path)
    key = path, fingerprint, addresses.tobytes(), syntax
    return _code_cache.get(
        key, lambda: _decode_function(path, fingerprint, addresses, syntax, progress), progress
    )


def _decode_function(
    path: Path, fingerprint: Fingerprint, addresses: UInt64Array, syntax: Syntax, progress: Progress
) -> MachineCode:
    image = _image_cache.get(
        (path, fingerprint), lambda: ElfImage.open(path, progress=progress), progress
    )
    disassembler = Capstone(syntax)
    if not disassembler.supports(image.machine):
        reason = f"is for a processor ({image.machine.name}) that cannot be disassembled."
        raise CodeNotFound(path, reason, "Costs are shown by address.")
    ranges = code_ranges_around(image, addresses, _MAX_BYTES)
    _check_has_code(path, ranges)
    name_addresses = functools.partial(_address_names, image, progress)
    codes = [
        decode_range(image, code_range, disassembler, name_addresses, progress)
        for code_range in ranges
    ]
    return MachineCode(
        path,
        image.machine.name,
        image.modified,
        image.build_id,
        concatenate_code(codes),
        _symbol_headings(image, ranges, progress),
        image.fixed_range,
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


def _address_names(image: ElfImage, progress: Progress, addresses: UInt64Array) -> list[str]:
    """Return the name of each address, such as `fib+0xc`; a cut name ends in `…`."""
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
    """Demangle the names, then cut them."""
    number = {name: row for row, name in enumerate(dict.fromkeys(names), start=1)}
    lines = [b"\n", *(name.encode("utf-8", "replace") + b"\n" for name in number)]
    starts = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    table = demangle_names(StringTable(b"".join(lines), starts))
    readable = table.lookup(map(TextId, range(len(table))))
    shortened = [
        name if len(name) <= max_length else name[: max_length - 1] + "…" for name in readable
    ]
    return [shortened[number[name]] for name in names]


_image_cache = WeightedCache[tuple[Path, Fingerprint], ElfImage](_MAX_IMAGES)
_code_cache = WeightedCache[tuple[Path, Fingerprint, bytes, Syntax], MachineCode](
    _MAX_CACHED_ROWS_FACTOR * _FEW_ROWS, lambda _key, code: max(len(code.code), _FEW_ROWS)
)


def clear_code_cache() -> None:
    """Read binaries again, and search for their debug files again, when they are next needed."""
    _image_cache.clear()
    _code_cache.clear()
