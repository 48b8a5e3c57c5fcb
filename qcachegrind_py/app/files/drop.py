"""Drag and drop of files onto any part of a window.

Text fields would insert a dropped file as text, and a floating dock is a window of its own, so
both are watched. Other drops, such as text on a field, are left to Qt.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QDockWidget, QLineEdit, QWidget

from qcachegrind_py.profile.files import local_path

_DRAG_EVENTS = (QEvent.Type.DragEnter, QEvent.Type.DragMove)


class FileDrop(QObject):
    """Emits `dropped` with the paths, `added` if Ctrl is held, or `compared` if Alt is held."""

    dropped = Signal(object)
    added = Signal(object)
    compared = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._watch_widget(window)
        for dock in window.findChildren(QDockWidget):
            self._watch_widget(dock)
        self.watch_line_edits(window)

    def watch_line_edits(self, root: QWidget) -> None:
        """Take files dropped on the line edits below `root`, which would insert them as text."""
        for edit in root.findChildren(QLineEdit):
            self._watch_widget(edit)

    def _watch_widget(self, widget: QWidget) -> None:
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Handle drags of files; leave other events to the widget."""
        if event.type() in _DRAG_EVENTS and isinstance(event, QDragMoveEvent):
            return self._accept_drag(event)
        if event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent):
            return self._accept_drag(event) and self._take_drop(event)
        return False

    def _accept_drag(self, event: QDropEvent) -> bool:
        if not _files(event):
            return False
        event.setDropAction(Qt.DropAction.CopyAction)  # never move the file
        event.accept()
        return True

    def _take_drop(self, event: QDropEvent) -> bool:
        signal = self.dropped
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            signal = self.compared
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            signal = self.added
        signal.emit(_files(event))
        return True


def _files(event: QDropEvent) -> list[Path]:
    urls = [url for url in event.mimeData().urls() if url.isLocalFile()]
    return [Path(local_path(bytes(url.toEncoded().data()).decode())) for url in urls]
