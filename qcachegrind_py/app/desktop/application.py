"""The application as the desktop knows it: its names, and the files that it is told to open."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

NAME = "qcachegrind_py"


class Application(QApplication):
    """Says `file_opened` where a desktop opens files by messages, as that of macOS does."""

    file_opened = Signal(object)  # paths

    def __init__(self) -> None:
        super().__init__([NAME])  # by which X knows whose a window is, as by the two others
        self.setApplicationName(NAME)
        self.setApplicationDisplayName("QCachegrind.py")
        self.setDesktopFileName(NAME)

    def event(self, event: QEvent) -> bool:
        """Take what is for the application itself."""
        if isinstance(event, QFileOpenEvent) and event.file():
            self.file_opened.emit([Path(event.file())])
            return True
        return super().event(event)
