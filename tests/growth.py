"""How the work of a function grows with the size of its input, measured in CPU time.

A busy machine delays a test, and slows its processor down for a while; so tests compare the CPU
time of this thread for two sizes, each the least of several runs. The large one is run again only
while it took too long.
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
    small = min(_cpu_time(work, size // _FACTOR) for _ in range(_RUNS))
    assert any(_cpu_time(work, size) < _LIMIT * small for _ in range(_RUNS))


def _cpu_time(work: Callable[[int], object], size: int) -> float:
    """The seconds for which the processor runs `work(size)` in this thread."""
    start = time.thread_time()
    work(size)
    return time.thread_time() - start
