"""The program's log: a file of bounded size, and warnings on standard error.

Records that cannot be written are dropped: a full disk or a read-only folder stops nothing.
"""

from __future__ import annotations

import contextlib
import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs

from qcachegrind_py.visible_text import visible_lines

_NAME = "qcachegrind_py"
_MAX_BYTES = 256 * 1024  # per log file; the latest backups are kept
_BACKUP_COUNT = 2
_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class _QuietFileHandler(RotatingFileHandler):
    """A rotating log file that ignores write errors."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Drop the record."""

    def close(self) -> None:
        """Close the file, also if a dropped record is still to be written to a full disk."""
        with contextlib.suppress(OSError):
            super().close()


class _VisibleFormatter(logging.Formatter):
    """Shows messages, which may quote names or what another program says, as visible text."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        return visible_lines(super().format(record))


def log_folder() -> Path:
    """The folder of logs and crash reports; it may not exist yet."""
    return Path(platformdirs.user_log_path(_NAME, appauthor=False))


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
    """Remove these handlers from the loggers and close them."""
    for name in (_NAME, "qt"):
        logger = logging.getLogger(name)
        logger.handlers = [other for other in logger.handlers if other not in handlers]
        logger.setLevel(logging.NOTSET)
    for handler in handlers:
        handler.close()
