"""Crash monitoring while the program runs: log, exception hooks, fault handler."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from qcachegrind_py.app.crash.hooks import CrashHooks
from qcachegrind_py.app.crash.log_file import start_logging, stop_logging
from qcachegrind_py.app.crash.qt_messages import QtMessageHandler
from qcachegrind_py.app.crash.report_store import CrashReportStore
from qcachegrind_py.version import version_text

log = logging.getLogger(__name__)


class CrashMonitor(NamedTuple):
    """The active parts of crash monitoring."""

    store: CrashReportStore
    hooks: CrashHooks
    messages: QtMessageHandler


@contextlib.contextmanager
def monitor_crashes(
    folder: Path, messages: QtMessageHandler, *, debug: bool = False
) -> Iterator[CrashMonitor]:
    """Monitor crashes within the block; restore the previous state at its end."""
    handlers = start_logging(folder, debug=debug)
    store = CrashReportStore(folder)
    monitor = CrashMonitor(store, CrashHooks(store), messages)
    monitor.store.enable_fault_handler()
    monitor.hooks.install()
    monitor.messages.install()
    log.info("%s started", version_text())
    try:
        yield monitor
    finally:
        log.info("ended")
        monitor.messages.remove()
        monitor.hooks.remove()
        monitor.store.disable_fault_handler()
        stop_logging(handlers)
