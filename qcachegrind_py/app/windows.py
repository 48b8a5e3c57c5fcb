"""All windows of the program, and the choice of the one that shows newly opened files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QWindow

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import OpensIn, Settings
from qcachegrind_py.session.start_files import NO_BASE, ChosenBase

if TYPE_CHECKING:
    from qcachegrind_py.analysis.history import Revision

_LISTEN_DELAY_MS = 1000  # ms after start, when background work no longer delays the first window


class Windows(QObject):
    """Keeps the windows alive until they are closed; the most recently used one is last."""

    def __init__(self, settings: Callable[[], Settings] = Settings) -> None:
        super().__init__()
        self._create_settings = settings
        self.windows: list[MainWindow] = []
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.focusWindowChanged.connect(self._on_focused)

    def add_window(
        self,
        paths: Sequence[Path] = (),
        base: ChosenBase = NO_BASE,
        history: Sequence[Revision] = (),
    ) -> MainWindow:
        """Show another window, with these files open as one profile, compared with `base`.

        Instead, a `history` can be opened.
        """
        window = MainWindow(self._create_settings())
        window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self.windows:
            step = 2 * window.fontMetrics().height()
            window.move(self.windows[-1].pos() + QPoint(step, step))
        self.windows.append(window)
        window.closed.connect(lambda: self.windows.remove(window))
        window.file_commands.window_requested.connect(self.add_window)
        window.actions_.connect({"new_window": lambda: self.add_window(), "quit": self.close_all})
        if paths:
            window.navigation.set(base_programs=base.programs, base_search=base.sources)
            window.file_commands.open_here(paths, base=base.paths)
        elif history:
            window.file_commands.history.open(history)
        if window.session.is_opening:
            window.show_when_opened()
        else:
            window.show()
        return window

    def open_files(self, paths: Sequence[Path]) -> None:
        """Show files opened from the desktop: in an empty, a new or the only window."""
        window = self.windows[-1] if self.windows else self.add_window()
        is_taken = window.session.queries is not None or window.session.is_opening
        if is_taken and window.settings.opens_in is not OpensIn.ONE:
            window = self.add_window(paths)
        elif paths:
            window.file_commands.open_here(paths)
        if window.isMinimized():
            window.showNormal()
        window.raise_()
        window.activateWindow()

    def listen_later(self) -> None:
        """Accept files from later starts of the program, once the first window is shown."""
        QTimer.singleShot(_LISTEN_DELAY_MS, self, self._listen)

    def _listen(self) -> None:
        from qcachegrind_py.app.desktop.single_instance import (
            SingleInstance,  # takes 10 ms to import; few users need it
        )

        self._single_instance = SingleInstance(self)
        self._single_instance.files_received.connect(self.open_files)
        self._single_instance.listen()

    def close_all(self) -> None:
        """Close all windows, or none if the user cancels for one that is busy."""
        if all(window.confirm_close() for window in list(self.windows)):
            for window in list(self.windows):
                window.close()

    def end(self, signals: bytes) -> None:
        """Close all windows without a question, and end the program, if there is a signal.

        What is being written is stopped: the files are left as they were before. The exit code is
        the one that shells expect, such as 143 after SIGTERM.
        """
        if signals:
            for window in list(self.windows):
                window.close_unasked()
            QCoreApplication.exit(128 + signals[-1])

    def _on_focused(self, focused: QWindow | None) -> None:
        """Move the focused window, or the window of the focused dialog, to the end.

        It gets the keys that may have been changed in another window since.
        """
        for window in self.windows:
            handle = window.windowHandle()
            if focused and handle and handle in (focused, focused.transientParent()):
                self.windows.remove(window)
                self.windows.append(window)
                if len(self.windows) > 1:
                    window.shortcuts.apply()
                return
