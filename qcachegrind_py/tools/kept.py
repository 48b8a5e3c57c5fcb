"""What was worked out last, kept for the next time, in any thread.

What is kept and when it is out of date is said by its key.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Condition
from typing import Generic, TypeVar

from qcachegrind_py.profile.progress import Progress

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_PATIENCE = 0.05  # seconds, before somebody who waits asks whether to go on


class Kept(Generic[Key, Value]):
    """Values by key, as many as weigh `most` together, those asked for last; at least one.

    Where two threads ask for the same at the same time, one works it out and the other waits.
    """

    def __init__(self, most: int, weight: Callable[[Key, Value], int]) -> None:
        self._most = most
        self._weight = weight
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._in_work: set[Key] = set()
        self._changed = Condition()

    def value(self, key: Key, make: Callable[[], Value], progress: Progress) -> Value:
        """The value, made where it is not kept. Raises what `make` raises, and `Cancelled`."""
        with self._changed:
            while key in self._in_work:
                self._changed.wait(_PATIENCE)
                progress.check(0.0)
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            self._in_work.add(key)
        try:
            value = make()
            self._keep(key, value)
            return value
        finally:
            with self._changed:
                self._in_work.discard(key)
                self._changed.notify_all()

    def clear(self) -> None:
        """Keep nothing: what was worked out may be out of date in ways that no key tells."""
        with self._changed:
            self._values.clear()

    def _keep(self, key: Key, value: Value) -> None:
        with self._changed:
            self._values[key] = value
            weight = sum(self._weight(*item) for item in self._values.items())
            while weight > self._most and len(self._values) > 1:
                weight -= self._weight(*self._values.popitem(last=False))
