"""The moment when a window has been painted for the first time."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget


class FirstFrame(QObject):
    """Emits `painted` once, in the turn of the event loop after the window's first repaint.

    Whatever the first frame does not show can be created then.
    """

    painted = Signal()

    def __init__(self, window: QWidget) -> None:
        # The widget, not its QWindow: at the address of one that was deleted, PySide takes a new
        # QWindow for the old one, and raises an error at each use.
        super().__init__(window)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() is QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.painted.emit)  # the window has repainted by then
        return False
