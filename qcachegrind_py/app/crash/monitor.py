"""Crash monitoring while the program runs: log, exception hooks, fault handler."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import ClassVar

from qcachegrind_py.app.crash.qt_messages import QtMessageHandler
from qcachegrind_py.app.crash.report import CrashReport, CrashReportStore, create_report
from qcachegrind_py.version import version_text
from qcachegrind_py.visible_text import visible_lines

log = logging.getLogger(__name__)

# ---------------------------------------------------------------- the log

_NAME = "qcachegrind_py"
_MAX_BYTES = 256 * 1024  # per log file; the latest backups are kept
_BACKUP_COUNT = 2
_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class _QuietFileHandler(RotatingFileHandler):
    """A rotating log file that drops what cannot be written."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        pass

    def close(self) -> None:
        with contextlib.suppress(OSError):  # a dropped record is still to be written
            super().close()


class _VisibleFormatter(logging.Formatter):
    """Shows messages, which may quote names or what another program says, as visible text."""

    def format(self, record: logging.LogRecord) -> str:
        return visible_lines(super().format(record))


def start_logging(folder: Path, *, debug: bool = False) -> list[logging.Handler]:
    """Log messages of the program and of Qt; return the handlers.

    The level of the file is INFO, that of standard error WARNING; with `debug`, both are DEBUG.
    """
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    file = _QuietFileHandler(
        folder / f"{_NAME}.log",
        maxBytes=_MAX_BYTES,
        backupCount=_BACKUP_COUNT,
        encoding="utf-8",
        errors="backslashreplace",
        delay=True,
    )
    file.setFormatter(_VisibleFormatter(_FORMAT))
    console = logging.StreamHandler()
    console.setLevel(logging.DEBUG if debug else logging.WARNING)
    console.setFormatter(_VisibleFormatter("%(name)s: %(message)s"))
    for name in (_NAME, "qt"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.DEBUG if debug else logging.INFO)
        logger.handlers = [file, console]
    return [file, console]


def stop_logging(handlers: list[logging.Handler]) -> None:
    for name in (_NAME, "qt"):
        logger = logging.getLogger(name)
        logger.handlers = [other for other in logger.handlers if other not in handlers]
        logger.setLevel(logging.NOTSET)
    for handler in handlers:
        handler.close()


# ---------------------------------------------------------------- exceptions


class CrashHooks:
    """The hooks of Python, replaced between `install` and `remove`."""

    installed: ClassVar[CrashHooks | None] = None

    def __init__(
        self, store: CrashReportStore, notify: Callable[[CrashReport], None] | None = None
    ) -> None:
        """`notify` is called with each report, in the thread of the error."""
        self.store, self.notify = store, notify
        self._recorded: dict[object, CrashReport] = {}
        self._previous_hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)

    def install(self) -> None:
        self._previous_hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._uncaught
        threading.excepthook = self._uncaught_in_thread
        sys.unraisablehook = self._unraisable
        CrashHooks.installed = self

    def remove(self) -> None:
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._previous_hooks
        CrashHooks.installed = None

    def record(self, error: BaseException, thread: str = "") -> CrashReport:
        """Return the report of an error; save and log it the first time, later count it."""
        report = create_report(error, thread)
        previous = self._recorded.get(report.location)
        if previous is None:
            report = self.store.save(report)
            log.error("%s", report.text)
        else:
            report = replace(report, path=previous.path, count=previous.count + 1)
            log.debug("%s (occurrence %d)", report.summary, report.count)
        self._recorded[report.location] = report
        return report

    def _uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, Exception):  # KeyboardInterrupt
            self._previous_hooks[0](kind, error, trace)
            return
        try:
            report = self.record(error)
            if self.notify is not None:
                self.notify(report)
        except Exception:  # reporting failed: fall back to Python's own hook
            self._previous_hooks[0](kind, error, trace)

    def _uncaught_in_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._uncaught(args.exc_type, args.exc_value, args.exc_traceback)

    def _unraisable(self, args: sys.UnraisableHookArgs) -> None:
        """Save an error raised while an object was destroyed, without notifying the user."""
        try:
            if isinstance(args.exc_value, Exception):
                self.record(args.exc_value)
                return
        except Exception:  # as above
            log.debug("an error could not be recorded")
        self._previous_hooks[2](args)


def record_caught(error: BaseException, thread: str = "") -> CrashReport:
    """Return the report of a caught error; save and count it if hooks are installed."""
    hooks = CrashHooks.installed
    return create_report(error, thread) if hooks is None else hooks.record(error, thread)


@contextlib.contextmanager
def monitor_crashes(
    folder: Path, messages: QtMessageHandler, *, debug: bool = False
) -> Iterator[CrashHooks]:
    """Monitor crashes within the block; restore the previous state at its end."""
    handlers = start_logging(folder, debug=debug)
    hooks = CrashHooks(CrashReportStore(folder))
    hooks.store.enable_fault_handler()
    hooks.install()
    messages.install()
    log.info("%s started", version_text())
    try:
        yield hooks
    finally:
        log.info("ended")
        messages.remove()
        hooks.remove()
        hooks.store.disable_fault_handler()
        stop_logging(handlers)
