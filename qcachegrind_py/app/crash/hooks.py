"""Exception hooks that report, save and announce uncaught exceptions of all threads.

The program goes on: at worst, a failed slot has done part of its work, and profiles never change.
An error that recurs at the same location is counted instead of being saved and logged again.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar

from qcachegrind_py.app.crash.report_store import CrashReportStore

if TYPE_CHECKING:  # imported with the first report
    from qcachegrind_py.app.crash.report import CrashReport

log = logging.getLogger(__name__)

_Notify = Callable[["CrashReport"], None]


class CrashHooks:
    """The hooks of Python, replaced between `install` and `remove`.

    `notify` is called with each report, in the thread of the error.
    """

    installed: ClassVar[CrashHooks | None] = None

    def __init__(self, store: CrashReportStore, notify: _Notify | None = None) -> None:
        self._notify = notify
        self._store = store
        self._recorded: dict[object, CrashReport] = {}
        self._previous_hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)

    def set_notifier(self, notify: _Notify) -> None:
        """Call `notify` with each report from now on, in the thread of the error."""
        self._notify = notify

    def install(self) -> None:
        """Replace Python's hooks for uncaught exceptions."""
        self._previous_hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._uncaught
        threading.excepthook = self._uncaught_in_thread
        sys.unraisablehook = self._unraisable
        CrashHooks.installed = self

    def remove(self) -> None:
        """Restore the previous hooks."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._previous_hooks
        CrashHooks.installed = None

    def record(self, error: BaseException, thread: str = "") -> CrashReport:
        """Return the report of an error; save and log it the first time, later count it."""
        from qcachegrind_py.app.crash.report import create_report

        report = create_report(error, thread)
        previous = self._recorded.get(report.location)
        if previous is None:
            report = self._store.save(report)
            log.error("%s", report.text)
        else:
            report = replace(report, path=previous.path, count=previous.count + 1)
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
        except Exception:  # reporting failed: fall back to Python's own hook
            self._previous_hooks[0](kind, error, trace)

    def _uncaught_in_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._uncaught(args.exc_type, args.exc_value, args.exc_traceback)

    def _unraisable(self, args: sys.UnraisableHookArgs) -> None:
        """Save an error raised while an object was destroyed, without notifying the user."""
        if isinstance(args.exc_value, Exception):
            try:
                self.record(args.exc_value)
            except Exception:
                self._previous_hooks[2](args)
        else:
            self._previous_hooks[2](args)


def record_caught(error: BaseException, thread: str = "") -> CrashReport:
    """Return the report of a caught error; save and count it if hooks are installed."""
    from qcachegrind_py.app.crash.report import create_report

    hooks = CrashHooks.installed
    return create_report(error, thread) if hooks is None else hooks.record(error, thread)
