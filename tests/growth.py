"""How the work of a function grows with the size of its input, measured in CPU time.

A busy machine delays a test, and slows its processor down for a while; so tests compare the CPU
time of this thread for two sizes, the small one just before and after the large one. They try
again if the large one took too long.
"""

from __future__ import annotations

import time
from collections.abc import Callable

_FACTOR = 8  # between the sizes
_TRIES = 5
# Linear work takes 8 times as long, quadratic work 64 times.
_LIMIT = 24


def assert_linear(work: Callable[[int], object], size: int) -> None:
    """Fail if `work(size)` takes much more than 8 times as long as `work(size // 8)`."""
    small = size // _FACTOR
    for _ in range(_TRIES):
        before, large, after = (_cpu_time(work, rows) for rows in (small, size, small))
        if large < _LIMIT * min(before, after):
            return
    raise AssertionError(f"{large:.3f} s for {size}, {min(before, after):.3f} s for {small}")


def _cpu_time(work: Callable[[int], object], size: int) -> float:
    """The seconds for which the processor runs `work(size)` in this thread."""
    start = time.thread_time()
    work(size)
    return time.thread_time() - start
