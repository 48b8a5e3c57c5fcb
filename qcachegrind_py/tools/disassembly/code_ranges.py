"""Determine the byte ranges of a binary that belong to a function with cost at given addresses.

Nothing is read or decoded here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.tools.elf.image import ElfImage

_MAX_GAP = 256  # bytes without cost: the code on both sides may belong to two functions
MAX_INSTRUCTION_SIZE = 24  # upper bound in bytes for any processor
_HALF_WORD_BIT = np.uint64(2)
_NO_ADDRESSES = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
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
        end = min(int(addresses[last]) + MAX_INSTRUCTION_SIZE, section_end)
        ranges.append(CodeRange(int(addresses[first]), end, _NO_ADDRESSES, is_thumb, False))
    return ranges


def _merge_overlapping(ranges: list[CodeRange]) -> list[CodeRange]:
    """Merge overlapping ranges; one outside of functions is cut where a function begins."""
    merged: list[CodeRange] = []
    for code_range in ranges:
        if merged and code_range.start < merged[-1].end:
            previous = merged.pop()
            if code_range.is_function and not previous.is_function:
                merged.append(_ending_at(previous, code_range.start))
            else:
                code_range = _ending_at(previous, max(previous.end, code_range.end))
        merged.append(code_range)
    return merged


def _ending_at(code_range: CodeRange, end: int) -> CodeRange:
    return CodeRange(
        code_range.start, end, code_range.addresses, code_range.is_thumb, code_range.is_function
    )


def _with_addresses(code_range: CodeRange, addresses: UInt64Array) -> CodeRange:
    first, last = np.searchsorted(
        addresses, np.array([code_range.start, code_range.end], np.uint64)
    )
    inside = addresses[first:last]
    return CodeRange(
        code_range.start, code_range.end, inside, code_range.is_thumb, code_range.is_function
    )
