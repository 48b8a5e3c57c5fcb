"""Reading of the files named on the command line, beside the import of Qt.

This module imports neither Qt nor numpy: the thread that reads imports what it needs.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.progress import Progress

if TYPE_CHECKING:
    from qcachegrind_py.session.loading import ReadFiles

_REPORT_INTERVAL = 0.02  # seconds between reports to the job that waits for the profile


class EarlyReading:
    """Reads files in a thread of its own; a job of the session takes over the result."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(path.absolute() for path in paths)
        self._progress = _Progress()
        self._read: ReadFiles | None = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="early reading", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            from qcachegrind_py.session.loading import ProfileFiles

            self._read = ProfileFiles(self.paths).result(self._progress)
        except Exception as error:  # raised again in the job, which reports it
            self._error = error

    def result(self, progress: Progress) -> ReadFiles:
        """Wait for the profile; to be called once.

        Raises what reading raised, and `Cancelled` as soon as `progress` does.
        """
        while self._thread.is_alive():
            try:
                progress.check(self._progress.fraction)
            except Cancelled:
                self.cancel()
                raise
            self._thread.join(_REPORT_INTERVAL)
        read, self._read = self._read, None  # the profile must not live as long as this object
        if read is None or self._progress.is_cancelled:
            raise self._error or Cancelled
        return read

    def cancel(self) -> None:
        """Stop reading at the next check."""
        self._progress.is_cancelled = True


class _Progress:
    """The `Progress` of the thread: remembers the fraction until the job asks for it."""

    def __init__(self) -> None:
        self.fraction = 0.0
        self.is_cancelled = False

    def check(self, fraction: float, text: str = "") -> None:
        """Remember the fraction; raises `Cancelled` once cancelled."""
        if self.is_cancelled:
            raise Cancelled
        self.fraction = fraction
