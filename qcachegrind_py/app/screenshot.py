"""Screenshots of the window with a profile open, rendered without a display."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import (
    QEventLoop,
    QMessageLogContext,
    QSize,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QImage, QPixmap

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.formats.compression import atomic_write
from qcachegrind_py.formats.saved_views import read_views
from qcachegrind_py.profile.errors import ProfileError, UnwritableFile
from qcachegrind_py.session.settings.file import store_without_file
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.session.start_files import StartFiles
from qcachegrind_py.views.widgets.saving import encoded_image
from qcachegrind_py.visible_text import print_message

_PNG_QUALITY = 60  # compression level 3: as small as the default, in two thirds of the time
_POLL_INTERVAL_MS = 5  # between looks while a job runs; without one, each look follows all events
_QUIET_POLLS = 3


def save_screenshot(opened: StartFiles, picture: Path, size: tuple[int, int]) -> int:
    """Render the window with what is opened and save it; return the exit code.

    Without files and without a history it shows the welcome page. The
    ending of the picture's name, by default PNG, says its format. The light palette is used; the
    user's settings are neither read nor written.
    """
    qInstallMessageHandler(_forward_qt_message)
    if opened.view is not None:
        try:
            read_views(opened.view)  # the window would show the problem in the picture
        except ProfileError as error:
            print_message(str(error))
            return 1
    theme.apply_palette(dark=False)
    window = MainWindow(Settings(store_without_file()), QSize(*size))
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    window.setUpdatesEnabled(False)  # it is painted once, when it is grabbed
    problem = _open_and_wait(window, opened)
    window.setUpdatesEnabled(True)
    if problem is None:
        try:
            _save_picture(window.grab(), picture)
        except UnwritableFile as error:
            problem = str(error)
    window.close()
    if problem is not None:
        print_message(problem)
    return 0 if problem is None else 1


def _save_picture(pixels: QPixmap, picture: Path) -> None:
    """Save in the format of the file's ending; raises `UnwritableFile`."""
    ending = picture.suffix[1:].lower() or "png"
    quality = _PNG_QUALITY if ending == "png" else -1
    image = pixels.toImage()
    image.reinterpretAsFormat(QImage.Format.Format_RGB32)  # a fourth less to write; it is opaque
    content = encoded_image(image, ending, quality)
    if not content:
        reason = f"cannot be written: this Qt has no plugin for .{ending}."
        raise UnwritableFile(picture, reason, remedy="Let its name end in .png.")
    with atomic_write(picture) as stream:
        stream.write(content)


def _forward_qt_message(_kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    """Print Qt's messages, except the one that the offscreen platform prints for every window."""
    if "propagateSizeHints" not in message:
        print_message(*message.split("\n"))


class _QuietPolls:
    """Counts the looks in a row that found nothing left to do: one thing may start another."""

    def __init__(self, window: MainWindow) -> None:
        self._window, self._count = window, 0

    def are_enough(self) -> bool:
        """Look again; return whether nothing has happened between several looks."""
        self._count = 0 if self._is_busy() else self._count + 1
        return self._count >= _QUIET_POLLS

    def _is_busy(self) -> bool:
        """Return whether a job runs or a view waits to draw, which is to do so at once.

        Views wait until the user has stopped resizing or scrolling, for up to a second.
        """
        if not self._window.jobs.is_idle:
            return True
        timers = self._window.findChildren(QTimer)  # takes long: each child becomes an object
        waiting = [timer for timer in timers if timer.isSingleShot() and timer.isActive()]
        for timer in waiting:
            timer.start(0)
        return bool(waiting)


def _open_and_wait(window: MainWindow, opened: StartFiles) -> str | None:
    """Open the files and let the window draw itself; return the error text, if any."""
    errors: list[ProfileError] = []
    loop = QEventLoop()
    timer = QTimer(interval=_POLL_INTERVAL_MS)
    polls = _QuietPolls(window)

    def look() -> None:
        if polls.are_enough():
            loop.quit()
        timer.setInterval(0 if window.jobs.is_idle else _POLL_INTERVAL_MS)

    timer.timeout.connect(look)
    window.session.failed.connect(errors.append)
    window.session.ended.connect(timer.start)
    if opened.profile:
        base = opened.base
        window.navigation.set(base_programs=base.programs, base_search=base.sources)
        window.file_commands.open_here(opened.profile, base=base.paths)
    elif opened.history:
        window.file_commands.history.open(opened.history)
    else:
        timer.start()
    if opened.view is not None:
        window.saved_views.open(opened.view)
    window.show()
    loop.exec()
    return str(errors[0]) if errors else None
