"""Where the docks are at first: functions on the left, callers above callees beside them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

_AREA = Qt.DockWidgetArea


class Docks:
    """The docks of the window by name."""

    def __init__(self, window: QMainWindow, views: dict[str, QWidget]) -> None:
        self._window = window
        self.by_name = {title: self._dock(title, view) for title, view in views.items()}
        left = Qt.DockWidgetArea.LeftDockWidgetArea
        window.setCorner(Qt.Corner.TopLeftCorner, left)
        window.setCorner(Qt.Corner.BottomLeftCorner, left)
        window.setDockNestingEnabled(True)
        self.reset()

    def _dock(self, title: str, view: QWidget) -> QDockWidget:
        dock = QDockWidget(title, self._window)
        dock.setObjectName(title)  # for saveState
        dock.setWidget(view)
        dock.toggleViewAction().setStatusTip(f"Show or hide {title}")
        return dock

    def reset(self) -> None:
        """Put all docks where they were at first."""
        functions, callers, callees = self.by_name.values()
        window = self._window
        for dock in self.by_name.values():
            if dock.isFloating():
                dock.setFloating(False)
            window.removeDockWidget(dock)
        window.addDockWidget(_AREA.LeftDockWidgetArea, functions)
        window.addDockWidget(_AREA.BottomDockWidgetArea, callers)
        window.splitDockWidget(callers, callees, Qt.Orientation.Vertical)
        for dock in self.by_name.values():
            dock.show()
        window.resizeDocks([functions], [window.width() * 45 // 100], Qt.Orientation.Horizontal)
        window.resizeDocks([callers, callees], [1, 1], Qt.Orientation.Vertical)
