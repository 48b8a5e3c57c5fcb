"""The program's log: a file that never grows large, and warnings on standard error.

What cannot be written is not logged: a full disk or a folder that is not ours stops nothing.
"""

from __future__ import annotations

import contextlib
import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs

_NAME = "qcachegrind_py"
_MAX_BYTES = 256 * 1024  # of a log file, of which the last ones are kept
_BACKUP_COUNT = 2
_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class _QuietFileHandler(RotatingFileHandler):
    """Says nothing where it cannot write."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Let the record go."""


def log_folder() -> Path:
    """Where logs and crash reports are; it need not be there yet."""
    return Path(platformdirs.user_log_path(_NAME, appauthor=False))


def start_logging(folder: Path, *, debug: bool = False) -> list[logging.Handler]:
    """Log what we and Qt say, from information on, or all of it; gives the handlers."""
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
    file.setFormatter(logging.Formatter(_FORMAT))
    seen = logging.StreamHandler()
    seen.setLevel(logging.DEBUG if debug else logging.WARNING)
    seen.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    for name in (_NAME, "qt"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.DEBUG if debug else logging.INFO)
        logger.handlers = [file, seen]
    return [file, seen]


def stop_logging(handlers: list[logging.Handler]) -> None:
    """Log to these no more, and close them."""
    for name in (_NAME, "qt"):
        logger = logging.getLogger(name)
        logger.handlers = [kept for kept in logger.handlers if kept not in handlers]
        logger.setLevel(logging.NOTSET)
    for handler in handlers:
        handler.close()
