"""Qt's messages in the log, and the end of a program whose Qt cannot start."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from qcachegrind_py.visible_text import print_message

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
_IGNORED_MESSAGE = (
    "This plugin does not support propagateSizeHints"  # for every window of the offscreen platform
)


class QtMessageHandler:
    """Logs Qt's messages from `install` to `remove`.

    After a fatal message Qt aborts the program, so it has to exit first. Messages logged before
    the application exists are only debug output: they list the platform plugins that Qt tried,
    which no longer matters once one of them works.

    `explain_start_problem` turns the fatal message of a Qt that cannot start into a sentence with
    the remedy, which is printed before the program exits.
    """

    def __init__(self, explain_start_problem: Callable[[str], str]) -> None:
        self._explain_start_problem = explain_start_problem
        self._is_starting = True

    def install(self) -> None:
        qInstallMessageHandler(self._handle)

    def remove(self) -> None:
        qInstallMessageHandler(None)

    def mark_started(self) -> None:
        """The application exists: log messages at their own level from now on."""
        self._is_starting = False

    def _handle(self, kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        if kind is QtMsgType.QtFatalMsg and self._is_starting:
            self._exit_with(message)
        level = logging.DEBUG if self._is_starting or _IGNORED_MESSAGE in message else _LEVELS[kind]
        category = (context.category or "default").removeprefix("qt.")
        logging.getLogger(f"qt.{category}").log(level, "%s", message)

    def _exit_with(self, message: str) -> None:
        text = f"qcachegrind-py: {self._explain_start_problem(message)}"
        print_message(*text.split("\n"))
        os._exit(1)
