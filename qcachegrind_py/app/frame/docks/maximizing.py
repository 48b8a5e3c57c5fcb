"""Shows one dock alone in the window, and restores the layout afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

# the areas beside the central widget, which is as wide as the docks below it
_BESIDE = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)


class Maximizer(QObject):
    """Maximizes a dock; a double click on the title of a dock does the same."""

    def __init__(
        self,
        docks: Mapping[str, QDockWidget],
        save: Callable[[], QByteArray],
        restore: Callable[[QByteArray], bool],
        window: QMainWindow,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._docks, self._save, self._restore = docks, save, restore
        self._before = QByteArray()
        self.maximized = ""  # the id of the dock; empty if there is none

    @property
    def layout_before(self) -> QByteArray:
        """The layout that `restore` brings back; empty if no dock is maximized."""
        return self._before

    def watch(self, dock: QDockWidget) -> None:
        """Maximize this dock, too, by a double click on its title."""
        dock.installEventFilter(self)

    def toggle(self, dock_id: str) -> None:
        """Maximize a dock, or restore the layout if one is maximized."""
        if self.maximized:
            self.restore()
        elif not self._docks[dock_id].isFloating():
            self._before, self.maximized = self._save(), dock_id
            for other_id, other in self._docks.items():
                if other_id != dock_id and not other.isFloating():
                    other.hide()
            self._docks[dock_id].show()
            if self._window.dockWidgetArea(self._docks[dock_id]) in _BESIDE:
                self._show_header(False)  # or it would keep its width

    def restore(self) -> None:
        """Restore the layout from before a dock was maximized."""
        before, dock_id = self._before, self.maximized
        self.forget()
        if dock_id:
            self._restore(before)
            self._docks[dock_id].raise_()

    def forget(self) -> None:
        """Keep the present layout: another one was chosen."""
        self._before, self.maximized = QByteArray(), ""
        self._show_header(True)

    def _show_header(self, is_shown: bool) -> None:
        header = self._window.centralWidget()
        if header is not None:
            header.setVisible(is_shown)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Take double clicks on titles, by which Qt would make the dock float."""
        is_title = event.type() == QEvent.Type.MouseButtonDblClick
        if is_title and isinstance(watched, QDockWidget) and not watched.isFloating():
            self.toggle(next(name for name, dock in self._docks.items() if dock is watched))
            return True
        return False
