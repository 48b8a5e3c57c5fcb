"""Which bytes of a binary belong to a function that has cost at certain addresses.

Nothing is read or decoded here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.tools.elf.image import ElfImage

_MAX_GAP = 256  # bytes without cost: what is on both sides may be of two functions
MAX_INSTRUCTION_SIZE = 24  # bytes that an instruction of any processor may have
_HALF_WORD_BIT = np.uint64(2)
_NO_ADDRESSES = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class CodeRange:
    """Bytes behind one another, to be decoded from the first one."""

    start: int
    end: int  # behind the last byte
    addresses: UInt64Array  # with cost, within
    is_thumb: bool
    is_function: bool  # else the instructions behind the last address belong to nobody known


def code_ranges_around(image: ElfImage, addresses: UInt64Array, max_size: int) -> list[CodeRange]:
    """The functions around the addresses, and what lies between those that are in none.

    In order of address, without overlaps. A function of more than `most` bytes is not believed.
    """
    functions = image.functions
    rows = functions.containing(addresses)
    if len(functions):
        size = functions.end[rows] - functions.start[rows]
        rows = np.where(size <= max_size, rows, -1)
    found = [_function_range(image, int(row)) for row in np.unique(rows[rows >= 0])]
    found += _ranges_outside_functions(image, addresses[rows < 0])
    merged = _merge_overlapping(sorted(found, key=lambda stretch: stretch.start))
    return [_with_addresses(stretch, addresses) for stretch in merged]


def _function_range(image: ElfImage, row: int) -> CodeRange:
    functions = image.functions
    start, end = int(functions.start[row]), int(functions.end[row])
    return CodeRange(start, end, _NO_ADDRESSES, bool(functions.is_thumb[row]), True)


def _ranges_outside_functions(image: ElfImage, addresses: UInt64Array) -> list[CodeRange]:
    """Of addresses in no function: from one with cost to one before a far gap or a function."""
    section = image.code.holding(addresses)
    addresses, section = addresses[section >= 0], section[section >= 0]
    if not len(addresses):
        return []
    is_thumb = image.machine.name == "arm" and bool((addresses & _HALF_WORD_BIT).any())
    functions = np.searchsorted(image.functions.start, addresses)  # that begin before
    is_apart = (np.diff(addresses) > _MAX_GAP) | (np.diff(section) != 0) | (np.diff(functions) != 0)
    firsts = np.flatnonzero(np.append(True, is_apart))
    lasts = np.append(firsts[1:], len(addresses)) - 1
    stretches = []
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        row = section[last]
        section_end = int(image.code.address[row]) + int(image.code.size[row])
        end = min(int(addresses[last]) + MAX_INSTRUCTION_SIZE, section_end)
        stretches.append(CodeRange(int(addresses[first]), end, _NO_ADDRESSES, is_thumb, False))
    return stretches


def _merge_overlapping(stretches: list[CodeRange]) -> list[CodeRange]:
    """Those that overlap as one; what is loose ends where a function begins."""
    merged: list[CodeRange] = []
    for stretch in stretches:
        if merged and stretch.start < merged[-1].end:
            before = merged.pop()
            if stretch.is_function and not before.is_function:
                merged.append(_ending_at(before, stretch.start))
            else:
                stretch = _ending_at(before, max(before.end, stretch.end))
        merged.append(stretch)
    return merged


def _ending_at(stretch: CodeRange, end: int) -> CodeRange:
    return CodeRange(stretch.start, end, stretch.addresses, stretch.is_thumb, stretch.is_function)


def _with_addresses(stretch: CodeRange, addresses: UInt64Array) -> CodeRange:
    first, last = np.searchsorted(addresses, np.array([stretch.start, stretch.end], np.uint64))
    inside = addresses[first:last]
    return CodeRange(stretch.start, stretch.end, inside, stretch.is_thumb, stretch.is_function)
