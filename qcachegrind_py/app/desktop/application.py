"""The Qt application: its names on the desktop, requests to open files, and its garbage."""

from __future__ import annotations

import gc
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

NAME = "qcachegrind_py"
_INTERVAL_MS = 1000


class Application(QApplication):
    """Emits `file_opened` when the desktop opens files by events, as macOS does."""

    file_opened = Signal(object)  # paths

    def __init__(self) -> None:
        super().__init__([NAME])  # X11 identifies windows by it, like the two names below
        self.setApplicationName(NAME)
        self.setApplicationDisplayName("QCachegrind.py")
        self.setDesktopFileName("io.github.qcachegrind_py.qcachegrind_py")  # as its file

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self.file_opened.emit([Path(event.file())])
            return True
        return super().event(event)


def collect_garbage_when_idle(parent: QObject) -> None:
    """Collect cyclic garbage from a timer, in place of Python's automatic collection.

    Python collects wherever it happens to create an object: in a thread that loads a profile, or
    inside `connect()`, which holds a lock that a widget among the garbage waits for in its
    destructor. Neither can happen between two events of the window. Objects that exist now are
    never examined, as most of them stay.
    """
    gc.disable()
    gc.freeze()
    timer = QTimer(parent)
    timer.timeout.connect(collect_garbage)
    timer.start(_INTERVAL_MS)


def collect_garbage() -> None:
    """Collect the oldest generation that has reached Python's threshold, and all younger ones."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if counts[generation] > thresholds[generation] > 0:
            gc.collect(generation)
            return
