"""Qt's own messages: into the log; where Qt finds no platform, a sentence instead of an abort.

Qt ends the program by a signal right after its last message, so whoever hears that one has to end
it first. What is said before the application stands is held back until then: it is about plugins
that were tried, and says nothing once one of them works.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
_IGNORED_MESSAGE = (
    "This plugin does not support propagateSizeHints"  # of any window without a display
)


class QtMessageHandler:
    """Logs Qt's messages from `install` to `remove`.

    `explain_start_problem` turns the last message of a Qt that cannot start into a sentence with
    the remedy; that sentence ends the program.
    """

    def __init__(self, explain_start_problem: Callable[[str], str]) -> None:
        self._explain_start_problem = explain_start_problem
        self._is_starting = True

    def install(self) -> None:
        """Hear Qt's messages from now on."""
        qInstallMessageHandler(self._handle)

    def remove(self) -> None:
        """Leave them to Qt again."""
        qInstallMessageHandler(None)

    def mark_started(self) -> None:
        """The application stands: from now on everything counts."""
        self._is_starting = False

    def _handle(self, kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        if kind is QtMsgType.QtFatalMsg and self._is_starting:
            self._exit_with(message)
        level = logging.DEBUG if self._is_starting or _IGNORED_MESSAGE in message else _LEVELS[kind]
        category = (context.category or "default").removeprefix("qt.")
        logging.getLogger(f"qt.{category}").log(level, "%s", message)

    def _exit_with(self, message: str) -> None:
        text = f"qcachegrind-py: {self._explain_start_problem(message)}"
        print(text, file=sys.stderr, flush=True)
        os._exit(1)
