"""Memory of the scanner's columns: zeros that the system provides page by page.

A page that is never written takes no memory, so columns may be reserved for the longest file that
fits. Large arrays from `np.zeros` share this property only as long as the C library maps them; it
takes arrays of up to 32 MB from memory freed earlier and clears them. That cost 3.7 MB for each
profile.
"""

from __future__ import annotations

import contextlib
import mmap
import sys
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[Any]

_SMALLEST_MAPPING = 1 << 16  # bytes; what is smaller costs less from the C library
# bytes of a line; a file of 100 MB takes 0.25 s with huge pages, 0.32 s without
_HUGE_PAGES_FROM = 16 << 20
_BLOCK_SIZE = 4 << 20  # bytes; a multiple of huge pages


class ZeroedMemory:
    """The memory of one `array` of zeros; the rows of `drain` are given back one by one."""

    def __init__(self, shape: Sequence[int], type_: npt.DTypeLike) -> None:
        """Reserve an array of this shape and type; raises `MemoryError`."""
        size = prod(shape) * np.dtype(type_).itemsize
        line = size // (prod(shape[:-1]) or 1)
        self._mapping = _mapped(size, line) if size >= _SMALLEST_MAPPING else None
        self.array: Column = (
            np.zeros(shape, type_)
            if self._mapping is None
            else np.frombuffer(self._mapping, type_, prod(shape)).reshape(shape)
        )

    def drain(self, rows: int) -> Iterator[tuple[int, int, Column]]:
        """Yield the first `rows` of each line of the array in blocks, which are then zero.

        Each item has the number of the line, the first row and the block. The memory of a block
        returns to the system before the next one, so that a copy takes no additional memory.
        """
        lines = np.atleast_2d(self.array)
        step = _BLOCK_SIZE // lines.itemsize
        freed = 0
        for line in range(len(lines)):
            for start in range(0, rows, step):
                stop = min(start + step, rows)
                yield line, start, lines[line, start:stop]
                end = (line * lines.shape[1] + stop) * lines.itemsize
                freed = self._free(freed, end)

    def _free(self, start: int, stop: int) -> int:
        """Give back the whole pages of a range of bytes; return the end of the last one."""
        stop -= stop % mmap.PAGESIZE
        if self._mapping is not None and sys.platform == "linux" and stop > start:
            self._mapping.madvise(mmap.MADV_DONTNEED, start, stop - start)
        return stop


def _mapped(size: int, line: int) -> mmap.mmap:
    """Map memory for lines of this many bytes, with huge pages if each line fills several.

    With one row in each of 250 short lines they took 500 MB for a file of 1 MB.
    """
    try:
        if sys.platform == "win32":
            return mmap.mmap(-1, size)
        mapping = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError, ValueError) as error:
        raise MemoryError from error
    if sys.platform == "linux" and line >= _HUGE_PAGES_FROM:
        with contextlib.suppress(OSError):  # a kernel may lack them
            mapping.madvise(mmap.MADV_HUGEPAGE)
    return mapping


def zeros(shape: Sequence[int] | int, type_: npt.DTypeLike) -> Column:
    """Return an array of zeros that takes memory where it is written."""
    return ZeroedMemory((shape,) if isinstance(shape, int) else shape, type_).array
