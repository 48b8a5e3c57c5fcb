"""Screenshots of the window with a profile open, rendered without a display."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import (
    QEventLoop,
    QMessageLogContext,
    QSettings,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.settings.store import Settings


def save_screenshot(files: Sequence[Path], picture: Path, size: tuple[int, int]) -> int:
    """Render the window with these files and save it; return the exit code.

    Without files it shows the welcome page. The ending of the picture's name, by default PNG, says
    its format. The light palette is used; the user's settings are neither read nor written.
    """
    qInstallMessageHandler(_forward_qt_message)
    theme.apply_palette(dark=False)
    with tempfile.TemporaryDirectory() as folder:
        store = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        window = MainWindow(Settings(store))
        window.resize(*size)
        window.docks.reset()
        window.show()
        problem = _open_and_wait(window, files)
        if problem is None and not window.grab().save(str(picture), picture.suffix[1:] or "png"):
            problem = f"{picture}: the picture cannot be written."
        window.close()
        store.sync()  # or it would write after the folder is removed
    if problem is not None:
        print(problem, file=sys.stderr)
    return 0 if problem is None else 1


def _forward_qt_message(_kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    """Print Qt's messages, except the one that the offscreen platform prints for every window."""
    if "propagateSizeHints" not in message:
        print(message, file=sys.stderr)


def _open_and_wait(window: MainWindow, files: Sequence[Path]) -> str | None:
    """Open the files and let the window draw itself; return the error text, if any."""
    errors: list[ProfileError] = []
    loop = QEventLoop()
    window.session.failed.connect(errors.append)
    window.session.ended.connect(lambda: QTimer.singleShot(100, loop.quit))
    if files:
        window.open(files)
    else:
        QTimer.singleShot(100, loop.quit)
    loop.exec()
    return str(errors[0]) if errors else None
