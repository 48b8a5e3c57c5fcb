"""The moment when a window has been painted for the first time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal

if TYPE_CHECKING:
    from PySide6.QtGui import QWindow


class FirstFrame(QObject):
    """Emits `painted` once, in the turn of the event loop after the window's first repaint.

    Whatever the first frame does not show can be created then.
    """

    painted = Signal()

    def __init__(self, window: QWindow) -> None:
        super().__init__(window)
        self._window = window
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() is QEvent.Type.Expose and self._window.isExposed():
            self._window.removeEventFilter(self)
            QTimer.singleShot(0, self.painted.emit)  # the window repaints when this returns
        return False
