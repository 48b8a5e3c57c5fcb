"""How the work of a function grows with the size of its input, measured in CPU time.

A busy machine delays a test, and slows its processor down for a while; so tests compare the CPU
time of this thread for two sizes, each the least of several runs taken in turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable

_FACTOR = 8  # between the sizes
_RUNS = 5
# Linear work takes 8 times as long, quadratic work 64 times.
_LIMIT = 24


def assert_linear(work: Callable[[int], object], size: int) -> None:
    """Fail if `work(size)` takes much more than 8 times as long as `work(size // 8)`."""
    small, large = [], []
    for _ in range(_RUNS):
        small.append(_cpu_time(work, size // _FACTOR))
        large.append(_cpu_time(work, size))
    assert min(large) < _LIMIT * min(small)


def _cpu_time(work: Callable[[int], object], size: int) -> float:
    """The seconds for which the processor runs `work(size)` in this thread."""
    start = time.thread_time()
    work(size)
    return time.thread_time() - start
