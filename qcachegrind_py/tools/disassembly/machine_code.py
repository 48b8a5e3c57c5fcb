"""The instructions of a function, out of the binary that was profiled.

A profile knows a function as addresses with cost. What is decoded are the functions of the binary
around them; where it has no symbols, the bytes between those addresses. Where binaries are found is
decided elsewhere, and so is what to do if this is another one than was profiled: see `misplaced`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.instructions import Code, InstructionKind, Syntax
from qcachegrind_py.profile.errors import CodeNotFound
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.profile.tables import BoolArray, UInt64Array
from qcachegrind_py.profile.weighted_cache import WeightedCache
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.tools.disassembly.code_ranges import CodeRange, code_ranges_around
from qcachegrind_py.tools.disassembly.disassembler import Capstone
from qcachegrind_py.tools.disassembly.linear_sweep import concatenate_code, decode_range
from qcachegrind_py.tools.elf.image import ElfImage, Stamp, stamp_of

_MAX_IMAGES = 4  # that are kept; those of the largest libraries take 60 MB
_MAX_CACHED_ROWS_FACTOR, _FEW_ROWS = (
    4,
    1 << 18,
)  # functions that are kept: with 2^20 instructions, at 300 bytes
_MAX_BYTES = 1 << 20  # of code in a function; large ones of compilers have 500 kB
# Letters of a name, in operands and in heads, as long as there are not too many of them.
_MAX_NAME_LENGTH, _MAX_HEADING_LENGTH = 200, 4096
_MIN_CUT_LENGTH = 40
_MAX_NAME_CHARACTERS = 20_000_000  # of all names of a function
_NAMES_PER_CHUNK = 256  # a name that is made readable may take 100 kB before it is cut
_NOT_PROFILED = "Choose the file that was profiled; it may have been built anew since."


@dataclass(frozen=True, slots=True, eq=False)
class MachineCode:
    """The instructions of a function, and where they come from."""

    path: Path
    machine: str  # `x86-64`, `aarch64`, …
    modified: float  # seconds since 1970
    build_id: str  # in hex; empty where there is none
    code: Code
    symbols: tuple[tuple[int, str], ...]  # where a function begins, and its name; by address


def read_code(
    path: Path,
    addresses: UInt64Array,
    syntax: Syntax = Syntax.ATT,
    progress: Progress | None = None,
) -> MachineCode:
    """The instructions of the function that has cost at these addresses (sorted, unique).

    Whole functions of the binary, its `.cold` parts too, where it has symbols. Only their bytes are
    read. Long names are cut: in operands at 200 letters, in heads at 4,096, where there are many
    earlier. Raises `NoCode`, `UnsuitableFile`, `UnreadableFile` and `Cancelled`.
    """
    progress = progress or NoProgress()
    stamp = stamp_of(path)
    key = path, stamp, addresses.tobytes(), syntax
    return _code_cache.get(
        key, lambda: _decode_function(path, stamp, addresses, syntax, progress), progress
    )


def _decode_function(
    path: Path, stamp: Stamp, addresses: UInt64Array, syntax: Syntax, progress: Progress
) -> MachineCode:
    image = _image_cache.get(
        (path, stamp), lambda: ElfImage.open(path, progress=progress), progress
    )
    disassembler = Capstone(syntax)
    if not disassembler.supports(image.machine):
        reason = f"is for a processor ({image.machine.name}) that cannot be disassembled."
        raise CodeNotFound(path, reason, "Costs can be seen by address.")
    stretches = code_ranges_around(image, addresses, _MAX_BYTES)
    _check_has_code(path, stretches)
    named = functools.partial(_address_names, image, progress)
    codes = [decode_range(image, one, disassembler, named, progress) for one in stretches]
    return MachineCode(
        path,
        image.machine.name,
        image.modified,
        image.build_id,
        concatenate_code(codes),
        _symbol_headings(image, stretches, progress),
    )


def is_misplaced(code: Code, addresses: UInt64Array) -> BoolArray:
    """Of each address, whether no instruction begins there.

    In the binary that was profiled, one does wherever there is cost; in another one, not for long.
    """
    return ~np.isin(addresses, code.address[code.kind != InstructionKind.DATA])


def _check_has_code(path: Path, stretches: list[CodeRange]) -> None:
    if not stretches:
        raise CodeNotFound(
            path, "has no machine code at the addresses of the profile.", _NOT_PROFILED
        )
    total = sum(stretch.end - stretch.start for stretch in stretches)
    if total > _MAX_BYTES:
        reason = f"has {total / 1e6:,.1f} MB of machine code for this function."
        raise CodeNotFound(path, reason, _NOT_PROFILED)


def _address_names(image: ElfImage, progress: Progress, addresses: UInt64Array) -> list[str]:
    """What is at each address: `fib+0xc`. A name that was cut ends in `…`."""
    most = _max_name_length(len(addresses), _MAX_NAME_LENGTH)
    found: list[str] = []
    for first in range(0, len(addresses), _NAMES_PER_CHUNK):
        progress.check(first / len(addresses))
        named = image.named(addresses[first : first + _NAMES_PER_CHUNK])
        names = _demangle_and_cut([name for name, _distance in named], most)
        found += [
            f"{name}+{distance:#x}" if name and distance else name
            for name, (_name, distance) in zip(names, named, strict=True)
        ]
    return found


def _symbol_headings(
    image: ElfImage, stretches: list[CodeRange], progress: Progress
) -> tuple[tuple[int, str], ...]:
    start = image.functions.start
    ranges = [np.searchsorted(start, np.array([s.start, s.end], np.uint64)) for s in stretches]
    found = [int(one) for first, last in ranges for one in start[first:last]]
    most = _max_name_length(len(found), _MAX_HEADING_LENGTH)
    names: list[str] = []
    for first in range(0, len(found), _NAMES_PER_CHUNK):
        progress.check(first / len(found))
        some = found[first : first + _NAMES_PER_CHUNK]
        names += _demangle_and_cut([image.symbols.best_name(one) for one in some], most)
    return tuple(zip(found, names, strict=True))


def _max_name_length(count: int, most: int) -> int:
    """How many letters each of so many names may have."""
    return max(_MIN_CUT_LENGTH, min(most, _MAX_NAME_CHARACTERS // max(count, 1)))


def _demangle_and_cut(names: list[str], most: int) -> list[str]:
    """The names, demangled, then cut."""
    number = {name: row for row, name in enumerate(dict.fromkeys(names), start=1)}
    lines = [b"\n", *(name.encode("utf-8", "replace") + b"\n" for name in number)]
    starts = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    readable = demangle_names(StringTable(b"".join(lines), starts)).lookup(
        map(TextId, range(len(lines)))
    )
    cut = [name if len(name) <= most else name[: most - 1] + "…" for name in readable]
    return [cut[number[name]] for name in names]


_image_cache = WeightedCache[tuple[Path, Stamp], ElfImage](_MAX_IMAGES)
_code_cache = WeightedCache[tuple[Path, Stamp, bytes, Syntax], MachineCode](
    _MAX_CACHED_ROWS_FACTOR * _FEW_ROWS, lambda _key, code: max(len(code.code), _FEW_ROWS)
)


def clear_code_cache() -> None:
    """Read binaries anew, and look for their debug files, when they are next needed."""
    _image_cache.clear()
    _code_cache.clear()
