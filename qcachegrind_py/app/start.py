"""Program start: creates the application and its windows, or saves a screenshot."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from qcachegrind_py.session.start_files import ChosenBase, StartFiles
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch
from qcachegrind_py.visible_text import print_message

if TYPE_CHECKING:
    from qcachegrind_py.analysis.history import Revision
    from qcachegrind_py.app.crash.qt_messages import QtMessageHandler
    from qcachegrind_py.app.desktop.application import Application

_COLLECTION_DELAY_MS = 2000  # after the start; the first window and its profile are shown by then


_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl+C, `kill` or logging out, a closed terminal


class SignalPipe:
    """The numbers of the signals received since it was created; on Windows, none.

    Python runs the handlers of signals between its own instructions, and Qt's event loop has none:
    the system writes the number of each signal to a pipe, which the event loop watches. This needs
    no Qt, so that a signal during the start is not lost either.

    A signal that the program was started to ignore, as by `nohup`, stays ignored.
    """

    def __init__(self) -> None:
        self.descriptor, write_end = os.pipe()
        if sys.platform == "win32":
            return
        for end in (self.descriptor, write_end):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        for number in (getattr(signal, name) for name in _SIGNALS):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda _number, _frame: None)

    def read(self) -> bytes:
        """Return the numbers of the signals that came since the last call."""
        with suppress(BlockingIOError):
            return os.read(self.descriptor, 64)
        return b""


def run(
    files: Sequence[str],
    screenshot: str | None,
    size: tuple[int, int],
    *,
    base: Sequence[str] = (),
    history: Sequence[Revision] = (),
    base_program: str = "",
    base_search: BaseSearch = NO_BASE_SEARCH,
    view: str | None = None,
    debug: bool = False,
) -> int:
    """Show the window until it is closed, or save a screenshot of it; return the exit code.

    The files are compared with those of `base`, if there are any, which were recorded with the
    `base_program` from sources that `base_search` finds; or a `history` is opened. The first view
    of a file of saved views is shown if `view` names one.
    """
    if screenshot and "QT_QPA_PLATFORM" not in os.environ:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # a screenshot needs no display
    paths = [Path(file) for file in files]
    chosen_base = ChosenBase(tuple(map(Path, base)), base_program, base_search)
    opened = StartFiles(paths, chosen_base, history, Path(view) if view else None)
    signals = None if screenshot else SignalPipe()  # a signal ends a screenshot at once
    gc.disable()  # 35 ms of a start for nothing: modules and widgets stay
    try:
        from qcachegrind_py.app.library_imports import (
            create_enums_simply,
            import_numpy_late,
            import_shiboken,
        )

        import_numpy_late()
        create_enums_simply()
        import_shiboken()
        from PySide6.QtWidgets import QApplication  # noqa: F401
    except ImportError as error:
        from qcachegrind_py.app.doctor.checks import why_not_imported

        print_message(*f"qcachegrind-py: {why_not_imported(error)}".split("\n"))
        return 1
    try:
        if signals is not None:
            return _run_window(opened, signals, debug)
        return _save_screenshot(opened, Path(screenshot or ""), size)
    finally:
        gc.freeze()  # the process ends, and its memory with it
        gc.enable()


def _create_application(messages: QtMessageHandler) -> Application:
    """Create the application; if Qt cannot start, the program exits with an explanation."""
    from qcachegrind_py.app.desktop.application import Application

    messages.install()
    application = Application()
    messages.mark_started()
    return application


def _create_message_handler() -> QtMessageHandler:
    from qcachegrind_py.app.crash.qt_messages import QtMessageHandler

    return QtMessageHandler(_explain_start_problem)


def _explain_start_problem(message: str) -> str:
    from qcachegrind_py.app.doctor.checks import why_not_started  # 15 ms of every start

    return why_not_started(message)


def _save_screenshot(opened: StartFiles, picture: Path, size: tuple[int, int]) -> int:
    application = _create_application(_create_message_handler())  # noqa: F841 (alive until the picture is drawn)
    from qcachegrind_py.app.screenshot import save_screenshot

    return save_screenshot(opened, picture, size)


def _run_window(opened: StartFiles, signals: SignalPipe, debug: bool) -> int:
    from qcachegrind_py.app.crash.monitor import monitor_crashes
    from qcachegrind_py.app.crash.report import log_folder

    messages = _create_message_handler()
    with monitor_crashes(log_folder(), messages, debug=debug) as hooks:
        application = _create_application(messages)
        from PySide6.QtCore import QSocketNotifier, QTimer

        from qcachegrind_py.app.style import icons, theme
        from qcachegrind_py.session.settings.store import OpensIn, Settings

        settings = Settings()
        if settings.opens_in is OpensIn.ONE and opened.are_files_alone:
            from qcachegrind_py.app.desktop.single_instance import send_to_running

            if send_to_running(opened.profile):
                return 0
        from qcachegrind_py.app.crash.notifier import CrashNotifier
        from qcachegrind_py.app.desktop.application import collect_garbage_when_idle
        from qcachegrind_py.app.windows import Windows

        theme.apply(settings.color_scheme)
        application.setWindowIcon(icons.application_icon())
        notifier = CrashNotifier(application)
        hooks.notify = notifier.notify
        first_settings = [settings]  # this one has read the file and knows its problems
        ending = QSocketNotifier(signals.descriptor, QSocketNotifier.Type.Read)
        windows = Windows(lambda: first_settings.pop() if first_settings else Settings())
        application.file_opened.connect(windows.open_files)
        ending.activated.connect(lambda: windows.end(signals.read()))
        window = windows.add_window(opened.profile, opened.base, opened.history)
        if opened.view is not None:
            window.saved_views.open(opened.view)
        notifier.notify_previous_crash(hooks.store.previous_crash(), window.notices)
        windows.listen_later()
        QTimer.singleShot(_COLLECTION_DELAY_MS, lambda: collect_garbage_when_idle(application))
        return application.exec()
