"""Starts the program: the application, its windows, or a picture of one."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qcachegrind_py.app.crash.qt_messages import QtMessages
    from qcachegrind_py.app.desktop.application import Application

_WHICH = "What is missing here, and how to get it, is said by:"


def run(
    files: Sequence[str], screenshot: str | None, size: tuple[int, int], *, debug: bool = False
) -> int:
    """Show the window until it is closed, or save a picture of it; gives the exit code."""
    if screenshot and "QT_QPA_PLATFORM" not in os.environ:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # a picture needs no display
    try:
        from PySide6.QtWidgets import QApplication  # noqa: F401
    except ImportError as error:
        from qcachegrind_py.app.doctor.qt_checks import why_not_imported

        print(f"qcachegrind-py: {why_not_imported(error)}", file=sys.stderr)
        return 1
    paths = [Path(file) for file in files]
    try:
        return _save_picture(paths, Path(screenshot), size) if screenshot else _show(paths, debug)
    except ModuleNotFoundError as error:
        if not error.name or error.name.startswith("qcachegrind_py"):
            raise
        from qcachegrind_py.app.doctor.python_packages import program_line

        says = f"{error.name} is not installed. {_WHICH} {program_line('--doctor')}"
        print(f"qcachegrind-py: {says}", file=sys.stderr)
        return 1


def _application(messages: QtMessages) -> Application:
    """The application; where it cannot start, the program ends with a sentence."""
    from qcachegrind_py.app.desktop.application import Application

    messages.install()
    application = Application()
    messages.has_started()
    return application


def _save_picture(files: Sequence[Path], picture: Path, size: tuple[int, int]) -> int:
    from qcachegrind_py.app.crash.qt_messages import QtMessages

    application = _application(QtMessages())  # noqa: F841 (kept until the picture is drawn)
    from qcachegrind_py.app.screenshot import save_screenshot

    return save_screenshot(files, picture, size)


def _show(files: Sequence[Path], debug: bool) -> int:
    from qcachegrind_py.app.crash.log_file import log_folder
    from qcachegrind_py.app.crash.monitor import crash_watch

    with crash_watch(log_folder(), debug=debug) as watch:
        application = _application(watch.messages)
        from qcachegrind_py.app.style import icons, theme
        from qcachegrind_py.session.settings.store import OpensIn, Settings

        settings = Settings()
        if settings.opens_in is OpensIn.ONE:
            from qcachegrind_py.app.desktop.single_instance import hand_over

            if hand_over(files):
                return 0
        from qcachegrind_py.app.crash.report_dialog import CrashTeller
        from qcachegrind_py.app.windows import Windows

        theme.apply(settings.color_scheme)
        application.setWindowIcon(icons.application_icon())
        teller = CrashTeller(application)
        watch.hooks.tell = teller.tell
        of_first = [settings]  # which has found out what is odd about their file
        windows = Windows(lambda: of_first.pop() if of_first else Settings())
        application.file_opened.connect(windows.open)
        window = windows.add(files)
        teller.tell_of_before(watch.files.of_before(), window.notices)
        windows.listen_soon()
        return application.exec()
