"""Opens the context menu of the widget with the keyboard focus."""

from __future__ import annotations

from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication


def open_focused_menu() -> None:
    """Open the context menu as the menu key does: Qt knows Shift+F10 for it on Windows only."""
    widget = QApplication.focusWidget()
    if widget is not None:
        place = widget.rect().center()
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place)))
