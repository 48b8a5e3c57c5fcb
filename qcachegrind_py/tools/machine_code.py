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

from qcachegrind_py.analysis.code import Code, Kind, Syntax
from qcachegrind_py.profile.errors import NoCode
from qcachegrind_py.profile.names import Texts
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, UInt64Array
from qcachegrind_py.tools.code_stretches import Stretch, stretches_around
from qcachegrind_py.tools.decoding import decoded_stretch, joined
from qcachegrind_py.tools.demangler import demangled
from qcachegrind_py.tools.disassembler import Capstone
from qcachegrind_py.tools.elf_image import ElfImage, Stamp, stamp_of

_MOST_IMAGES = 4  # that are kept; those of the largest libraries take 60 MB
_MOST_BYTES = 1 << 22  # of code in a function; large ones of compilers have 500 kB
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
    read. Raises `NoCode`, `UnsuitableFile`, `UnreadableFile` and `Cancelled`.
    """
    progress = progress or NoProgress()
    image = _image(path, stamp_of(path))
    disassembler = Capstone(syntax)
    if not disassembler.knows(image.machine):
        reason = f"is for a processor ({image.machine.name}) that cannot be disassembled."
        raise NoCode(path, reason, "Costs can be seen by address.")
    stretches = stretches_around(image, addresses, _MOST_BYTES)
    _require_some(path, stretches)
    named = functools.partial(_names, image)
    codes = [decoded_stretch(image, one, disassembler, named, progress) for one in stretches]
    return MachineCode(
        path,
        image.machine.name,
        image.modified,
        image.build_id,
        joined(codes),
        _headings(image, stretches),
    )


def misplaced(code: Code, addresses: UInt64Array) -> BoolArray:
    """Of each address, whether no instruction begins there.

    In the binary that was profiled, one does wherever there is cost; in another one, not for long.
    """
    return ~np.isin(addresses, code.address[code.kind != Kind.DATA])


@functools.lru_cache(maxsize=_MOST_IMAGES)
def _image(path: Path, stamp: Stamp) -> ElfImage:
    """The parsed file. A file that changed has another stamp, and is parsed again."""
    return ElfImage.open(path)


def _require_some(path: Path, stretches: list[Stretch]) -> None:
    if not stretches:
        raise NoCode(path, "has no machine code at the addresses of the profile.", _NOT_PROFILED)
    total = sum(stretch.end - stretch.start for stretch in stretches)
    if total > _MOST_BYTES:
        reason = f"has {total / 1e6:,.1f} MB of machine code for this function."
        raise NoCode(path, reason, _NOT_PROFILED)


def _names(image: ElfImage, addresses: UInt64Array) -> list[str]:
    """What is at each address: `fib+0xc`."""
    found = image.named(addresses)
    readable = _readable([name for name, _distance in found])
    return [
        f"{name}+{distance:#x}" if name and distance else name
        for name, (_name, distance) in zip(readable, found, strict=True)
    ]


def _headings(image: ElfImage, stretches: list[Stretch]) -> tuple[tuple[int, str], ...]:
    start = image.functions.start
    ranges = [np.searchsorted(start, np.array([s.start, s.end], np.uint64)) for s in stretches]
    found = [int(one) for first, last in ranges for one in start[first:last]]
    names = _readable([image.symbols.best_name(one) for one in found])
    return tuple(zip(found, names, strict=True))


def _readable(names: list[str]) -> list[str]:
    """The names, demangled."""
    number = {name: row for row, name in enumerate(dict.fromkeys(names), start=1)}
    lines = [b"\n", *(name.encode("utf-8", "replace") + b"\n" for name in number)]
    starts = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    readable = demangled(Texts(b"".join(lines), starts)).select(range(len(lines)))
    return [readable[number[name]] for name in names]
