"""Python's cyclic garbage, collected only while the event loop of the window is idle."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_INTERVAL_MS = 1000


class GarbageCollector(QObject):
    """Collects cyclic garbage from a timer, in place of Python's automatic collection.

    Python collects wherever it happens to create an object: in a thread that loads a profile, or
    inside `connect()`, which holds a lock that a widget among the garbage waits for in its
    destructor. Neither can happen between two events of the window.
    """

    def __init__(self, parent: QObject) -> None:
        """Start collecting; objects that exist now are never examined, as most of them stay."""
        super().__init__(parent)
        gc.disable()
        gc.freeze()
        self._timer = QTimer(self)
        self._timer.timeout.connect(collect_garbage)
        self._timer.start(_INTERVAL_MS)


def collect_garbage() -> None:
    """Collect the oldest generation that has reached Python's threshold, and all younger ones."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if counts[generation] > thresholds[generation] > 0:
            gc.collect(generation)
            return
