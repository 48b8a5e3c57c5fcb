"""The Qt application: its names on the desktop, and requests to open files or to end."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSocketNotifier, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.desktop.signal_pipe import SignalPipe


class EndingSignals(QObject):
    """Emits `received` with the exit code that shells expect, such as 143 after SIGTERM."""

    received = Signal(int)

    def __init__(self, signals: SignalPipe, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._signals = signals
        self._notifier = QSocketNotifier(signals.descriptor, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._emit)

    def _emit(self) -> None:
        for number in self._signals.read():
            self.received.emit(128 + number)


NAME = "qcachegrind_py"


class Application(QApplication):
    """Emits `file_opened` when the desktop opens files by events, as macOS does."""

    file_opened = Signal(object)  # paths

    def __init__(self) -> None:
        super().__init__([NAME])  # X11 identifies windows by it, like the two names below
        self.setApplicationName(NAME)
        self.setApplicationDisplayName("QCachegrind.py")
        self.setDesktopFileName("io.github.qcachegrind_py.qcachegrind_py")  # as its file

    def event(self, event: QEvent) -> bool:
        """Handle requests to open files."""
        if isinstance(event, QFileOpenEvent) and event.file():
            self.file_opened.emit([Path(event.file())])
            return True
        return super().event(event)
