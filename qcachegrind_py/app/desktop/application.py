"""The Qt application: its names on the desktop, and requests of the desktop to open files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

NAME = "qcachegrind_py"


class Application(QApplication):
    """Emits `file_opened` when the desktop opens files by events, as macOS does."""

    file_opened = Signal(object)  # paths

    def __init__(self) -> None:
        super().__init__([NAME])  # X11 identifies windows by it, like the two names below
        self.setApplicationName(NAME)
        self.setApplicationDisplayName("QCachegrind.py")
        self.setDesktopFileName(NAME)

    def event(self, event: QEvent) -> bool:
        """Handle requests to open files."""
        if isinstance(event, QFileOpenEvent) and event.file():
            self.file_opened.emit([Path(event.file())])
            return True
        return super().event(event)
