"""All windows of the program: which one shows what is to be opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QWindow

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import OpensIn, Settings

_ONCE_SHOWN = 1000  # ms until there is time for what is not seen


class Windows(QObject):
    """Keeps the windows until they are closed; the one used last stands last."""

    def __init__(self, settings: Callable[[], Settings] = Settings) -> None:
        super().__init__()
        self._settings = settings
        self.all: list[MainWindow] = []
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.focusWindowChanged.connect(self._remember)

    def add(self, paths: Sequence[Path] = ()) -> MainWindow:
        """Show another window, with these files as one profile."""
        window = MainWindow(self._settings())
        window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self.all:
            step = 2 * window.fontMetrics().height()
            window.move(self.all[-1].pos() + QPoint(step, step))
        self.all.append(window)
        window.closed.connect(lambda: self.all.remove(window))
        window.files.wanted_window.connect(self.add)
        window.actions_["new_window"].triggered.connect(lambda _checked=False: self.add())
        window.actions_["quit"].triggered.connect(lambda _checked=False: self.close())
        window.show()
        if paths:
            window.files.open_here(paths)
        return window

    def open(self, paths: Sequence[Path]) -> None:
        """Show files that the desktop asks for: in the empty window or another, or in the one."""
        window = self.all[-1] if self.all else self.add()
        is_taken = window.session.questions is not None or window.session.is_opening
        if is_taken and window.settings.opens_in is not OpensIn.ONE:
            window = self.add(paths)
        elif paths:
            window.files.open_here(paths)
        if window.isMinimized():
            window.showNormal()
        window.raise_()
        window.activateWindow()

    def listen_soon(self) -> None:
        """Take what other starts of the program hand over, once the first window stands."""
        QTimer.singleShot(_ONCE_SHOWN, self, self._listen)

    def _listen(self) -> None:
        from qcachegrind_py.app.desktop.single_instance import OneWindow  # 10 ms of import, for few

        self._one = OneWindow(self)
        self._one.wanted.connect(self.open)
        self._one.listen()

    def close(self) -> None:
        """Close all windows; none where the user wants to keep what one of them is busy with."""
        if all(window.may_close() for window in list(self.all)):
            for window in list(self.all):
                window.close()

    def _remember(self, focused: QWindow | None) -> None:
        """Put the window to the end that the user has come to, or a dialog of it."""
        for window in self.all:
            handle = window.windowHandle()
            if focused and handle and handle in (focused, focused.transientParent()):
                self.all.remove(window)
                self.all.append(window)
                return
