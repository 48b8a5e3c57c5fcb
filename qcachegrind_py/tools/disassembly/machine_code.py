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

from qcachegrind_py.analysis.code.instructions import Code, Kind, Syntax
from qcachegrind_py.profile.errors import NoCode
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.string_table import Texts
from qcachegrind_py.profile.tables import BoolArray, UInt64Array
from qcachegrind_py.profile.weighted_cache import WeightedCache
from qcachegrind_py.tools.demangler import demangled
from qcachegrind_py.tools.disassembly.code_ranges import Stretch, stretches_around
from qcachegrind_py.tools.disassembly.disassembler import Capstone
from qcachegrind_py.tools.disassembly.linear_sweep import decoded_stretch, joined
from qcachegrind_py.tools.elf.image import ElfImage, Stamp, stamp_of

_MOST_IMAGES = 4  # that are kept; those of the largest libraries take 60 MB
_MOST_CODES, _FEW_ROWS = 4, 1 << 18  # functions that are kept: with 2^20 instructions, at 300 bytes
_MOST_BYTES = 1 << 20  # of code in a function; large ones of compilers have 500 kB
# Letters of a name, in operands and in heads, as long as there are not too many of them.
_LONGEST_NAME, _LONGEST_HEAD = 200, 4096
_SHORTEST_CUT = 40
_MOST_LETTERS = 20_000_000  # of all names of a function
_NAMES_AT_ONCE = 256  # a name that is made readable may take 100 kB before it is cut
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
    return _codes.get(key, lambda: _read(path, stamp, addresses, syntax, progress), progress)


def _read(
    path: Path, stamp: Stamp, addresses: UInt64Array, syntax: Syntax, progress: Progress
) -> MachineCode:
    image = _images.get((path, stamp), lambda: ElfImage.open(path, progress=progress), progress)
    disassembler = Capstone(syntax)
    if not disassembler.knows(image.machine):
        reason = f"is for a processor ({image.machine.name}) that cannot be disassembled."
        raise NoCode(path, reason, "Costs can be seen by address.")
    stretches = stretches_around(image, addresses, _MOST_BYTES)
    _require_some(path, stretches)
    named = functools.partial(_names, image, progress)
    codes = [decoded_stretch(image, one, disassembler, named, progress) for one in stretches]
    return MachineCode(
        path,
        image.machine.name,
        image.modified,
        image.build_id,
        joined(codes),
        _headings(image, stretches, progress),
    )


def misplaced(code: Code, addresses: UInt64Array) -> BoolArray:
    """Of each address, whether no instruction begins there.

    In the binary that was profiled, one does wherever there is cost; in another one, not for long.
    """
    return ~np.isin(addresses, code.address[code.kind != Kind.DATA])


def _require_some(path: Path, stretches: list[Stretch]) -> None:
    if not stretches:
        raise NoCode(path, "has no machine code at the addresses of the profile.", _NOT_PROFILED)
    total = sum(stretch.end - stretch.start for stretch in stretches)
    if total > _MOST_BYTES:
        reason = f"has {total / 1e6:,.1f} MB of machine code for this function."
        raise NoCode(path, reason, _NOT_PROFILED)


def _names(image: ElfImage, progress: Progress, addresses: UInt64Array) -> list[str]:
    """What is at each address: `fib+0xc`. A name that was cut ends in `…`."""
    most = _most_letters(len(addresses), _LONGEST_NAME)
    found: list[str] = []
    for first in range(0, len(addresses), _NAMES_AT_ONCE):
        progress.check(first / len(addresses))
        named = image.named(addresses[first : first + _NAMES_AT_ONCE])
        names = _readable([name for name, _distance in named], most)
        found += [
            f"{name}+{distance:#x}" if name and distance else name
            for name, (_name, distance) in zip(names, named, strict=True)
        ]
    return found


def _headings(
    image: ElfImage, stretches: list[Stretch], progress: Progress
) -> tuple[tuple[int, str], ...]:
    start = image.functions.start
    ranges = [np.searchsorted(start, np.array([s.start, s.end], np.uint64)) for s in stretches]
    found = [int(one) for first, last in ranges for one in start[first:last]]
    most = _most_letters(len(found), _LONGEST_HEAD)
    names: list[str] = []
    for first in range(0, len(found), _NAMES_AT_ONCE):
        progress.check(first / len(found))
        some = found[first : first + _NAMES_AT_ONCE]
        names += _readable([image.symbols.best_name(one) for one in some], most)
    return tuple(zip(found, names, strict=True))


def _most_letters(count: int, most: int) -> int:
    """How many letters each of so many names may have."""
    return max(_SHORTEST_CUT, min(most, _MOST_LETTERS // max(count, 1)))


def _readable(names: list[str], most: int) -> list[str]:
    """The names, demangled, then cut."""
    number = {name: row for row, name in enumerate(dict.fromkeys(names), start=1)}
    lines = [b"\n", *(name.encode("utf-8", "replace") + b"\n" for name in number)]
    starts = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    readable = demangled(Texts(b"".join(lines), starts)).select(range(len(lines)))
    cut = [name if len(name) <= most else name[: most - 1] + "…" for name in readable]
    return [cut[number[name]] for name in names]


_images = WeightedCache[tuple[Path, Stamp], ElfImage](_MOST_IMAGES)
_codes = WeightedCache[tuple[Path, Stamp, bytes, Syntax], MachineCode](
    _MOST_CODES * _FEW_ROWS, lambda _key, code: max(len(code.code), _FEW_ROWS)
)


def forget_code() -> None:
    """Read binaries anew, and look for their debug files, when they are next needed."""
    _images.clear()
    _codes.clear()
