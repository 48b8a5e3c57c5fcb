"""Long-running work: progress, cancellation, and a cache in which no value is computed twice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Condition
from typing import Generic, Protocol, TypeVar


class Progress(Protocol):
    """The argument of long-running work, which calls `check` at least every 100 ms."""

    def check(self, fraction: float, text: str = "") -> None:
        """Report the fraction done (0 to 1); raises `Cancelled` if the user cancelled the work."""


class PartialProgress:
    """The progress of one part of the work, reported as progress of the whole."""

    def __init__(self, whole: Progress, begin: float, end: float) -> None:
        """`begin` and `end` are the fractions of the whole, 0 to 1, between which the part lies."""
        self._whole, self._begin, self._share = whole, begin, end - begin

    def check(self, fraction: float, text: str = "") -> None:
        """Report the fraction of this part; raises `Cancelled` as the whole does."""
        self._whole.check(self._begin + fraction * self._share, text)


class NoProgress:
    """Progress that is ignored and never cancelled."""

    def check(self, fraction: float, text: str = "") -> None:
        """Do nothing."""


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_WAIT = 0.05  # seconds a waiting thread sleeps before it checks for cancellation


class WeightedCache(Generic[Key, Value]):
    """The most recently used values, with a total weight of at most `capacity`.

    The newest value is always retained, whatever its weight. A key must include everything that its
    value depends on. If two threads request the same key, one computes the value and the other
    waits.
    """

    def __init__(
        self, capacity: int, weight: Callable[[Key, Value], int] = lambda _key, _value: 1
    ) -> None:
        """Create a cache; without `weight`, `capacity` is the number of values.

        The weight of an item must not change.
        """
        self._capacity = capacity
        self._weight = weight
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._total = 0  # weight
        self._computing: set[Key] = set()
        self._changed = Condition()

    def get(
        self, key: Key, compute: Callable[[], Value], progress: Progress | None = None
    ) -> Value:
        """Return the cached value, or compute it. Errors are not cached.

        Raises what `compute` raises, and `Cancelled` from `progress` while waiting.
        """
        with self._changed:
            self._wait_for(key, progress or NoProgress())
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            self._computing.add(key)
        try:
            value = compute()
            self._store(key, value)
            return value
        finally:
            with self._changed:
                self._computing.discard(key)
                self._changed.notify_all()

    def clear(self) -> None:
        """Drop all values, after changes that the keys do not reflect."""
        with self._changed:
            self._values.clear()
            self._total = 0

    def _wait_for(self, key: Key, progress: Progress) -> None:
        """Wait until no other thread computes this value; the caller holds the lock."""
        while key in self._computing:
            self._changed.wait(_WAIT)
            progress.check(0.0)

    def _store(self, key: Key, value: Value) -> None:
        with self._changed:
            self._values[key] = value
            self._total += self._weight(key, value)
            while self._total > self._capacity and len(self._values) > 1:
                self._total -= self._weight(*self._values.popitem(last=False))
