"""Hears of every exception that nobody caught, in any thread: reports it, saves it, tells of it.

The program goes on: a slot that failed has done a part of its work at worst, and a profile never
changes. What comes again at the same place is counted, and neither saved nor logged each time.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import ClassVar

from qcachegrind_py.app.crash.report import CrashReport, create_report
from qcachegrind_py.app.crash.report_store import CrashReportStore

log = logging.getLogger(__name__)

_Notify = Callable[[CrashReport], None]


class CrashHooks:
    """Installed from `install` to `remove`; `notify` is called in the thread of the error."""

    installed: ClassVar[CrashHooks | None] = None

    def __init__(self, files: CrashReportStore, notify: _Notify | None = None) -> None:
        self._notify = notify
        self._files = files
        self._recorded: dict[object, CrashReport] = {}
        self._previous_hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)

    def set_notifier(self, notify: _Notify) -> None:
        """Call `notify` with each report from now on, in the thread of the error."""
        self._notify = notify

    def install(self) -> None:
        """Hear of exceptions from now on."""
        self._previous_hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._uncaught
        threading.excepthook = self._uncaught_in_thread
        sys.unraisablehook = self._unraisable
        CrashHooks.installed = self

    def remove(self) -> None:
        """Leave them to whoever heard of them before."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._previous_hooks
        CrashHooks.installed = None

    def record(self, error: BaseException, thread: str = "") -> CrashReport:
        """The report of an error: the first time it is saved and logged, later counted."""
        report = create_report(error, thread)
        known = self._recorded.get(report.location)
        if known is None:
            report = self._files.save(report)
            log.error("%s", report.text)
        else:
            report = replace(report, path=known.path, count=known.count + 1)
            log.debug("%s, for the %d. time", report.summary, report.count)
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
            if self._notify is not None:
                self._notify(report)
        except Exception:  # nothing is left but what Python does by itself
            self._previous_hooks[0](kind, error, trace)

    def _uncaught_in_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._uncaught(args.exc_type, args.exc_value, args.exc_traceback)

    def _unraisable(self, args: sys.UnraisableHookArgs) -> None:
        """An error in the end of an object: saved, but nobody is to be disturbed by it."""
        if isinstance(args.exc_value, Exception):
            try:
                self.record(args.exc_value)
            except Exception:
                self._previous_hooks[2](args)
        else:
            self._previous_hooks[2](args)


def record_caught(error: BaseException, thread: str = "") -> CrashReport:
    """The report of an error that was caught: saved and counted where the program is watched."""
    hooks = CrashHooks.installed
    return create_report(error, thread) if hooks is None else hooks.record(error, thread)
