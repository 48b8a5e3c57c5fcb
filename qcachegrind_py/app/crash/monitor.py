"""All that notices a crash, for as long as the program runs: log, hooks, file of the run."""

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
    """What is at work."""

    store: CrashReportStore
    hooks: CrashHooks
    messages: QtMessageHandler


@contextlib.contextmanager
def monitor_crashes(
    folder: Path, messages: QtMessageHandler, *, debug: bool = False
) -> Iterator[CrashMonitor]:
    """Watch from here to the end of the block; then everything is as it was before."""
    handlers = start_logging(folder, debug=debug)
    files = CrashReportStore(folder)
    watch = CrashMonitor(files, CrashHooks(files), messages)
    watch.store.enable_fault_handler()
    watch.hooks.install()
    watch.messages.install()
    log.info("%s started", version_text())
    try:
        yield watch
    finally:
        log.info("ended")
        watch.messages.remove()
        watch.hooks.remove()
        watch.store.disable_fault_handler()
        stop_logging(handlers)
