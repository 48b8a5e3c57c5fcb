"""All that notices a crash, for as long as the program runs: log, hooks, file of the run."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from qcachegrind_py.app.crash.hooks import CrashHooks
from qcachegrind_py.app.crash.log_file import start_logging, stop_logging
from qcachegrind_py.app.crash.qt_messages import QtMessages
from qcachegrind_py.app.crash.report_store import CrashFiles
from qcachegrind_py.version import version_text

log = logging.getLogger(__name__)


class CrashWatch(NamedTuple):
    """What is at work."""

    files: CrashFiles
    hooks: CrashHooks
    messages: QtMessages


@contextlib.contextmanager
def crash_watch(folder: Path, *, debug: bool = False) -> Iterator[CrashWatch]:
    """Watch from here to the end of the block; then everything is as it was before."""
    handlers = start_logging(folder, debug=debug)
    files = CrashFiles(folder)
    watch = CrashWatch(files, CrashHooks(files), QtMessages())
    watch.files.watch()
    watch.hooks.install()
    watch.messages.install()
    log.info("%s started", version_text())
    try:
        yield watch
    finally:
        log.info("ended")
        watch.messages.remove()
        watch.hooks.remove()
        watch.files.unwatch()
        stop_logging(handlers)
