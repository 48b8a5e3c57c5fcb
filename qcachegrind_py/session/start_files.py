"""The files that the command names, and their reading beside the import of Qt.

This module imports neither Qt nor numpy: the thread that reads imports what it needs.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch

if TYPE_CHECKING:  # the start imports nothing of histories
    from qcachegrind_py.analysis.history import Revision
    from qcachegrind_py.session.loading import ReadFiles

_REPORT_INTERVAL = 0.02  # seconds between reports to the job that waits for the profile


@frozen(eq=True)
class ChosenBase:
    """The files of a base, and where its program and sources are, as they were then."""

    paths: tuple[Path, ...] = ()
    program: str = ""  # empty: where the profile says
    sources: BaseSearch = NO_BASE_SEARCH

    @property
    def programs(self) -> tuple[tuple[str, str], ...]:
        return (("", str(Path(self.program).absolute())),) if self.program else ()


NO_BASE = ChosenBase()


@frozen(eq=True)
class StartFiles:
    """The files that the command names: a profile, compared or not, or else a history."""

    profile: Sequence[Path] = ()
    base: ChosenBase = NO_BASE  # what it is compared with
    history: Sequence[Revision] = ()
    view: Path | None = None  # of saved views, the first of which is shown

    @property
    def are_files_alone(self) -> bool:
        """Whether there is a profile and nothing else, which a running program can open."""
        return not (self.base.paths or self.history or self.view)


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
        self._progress.is_cancelled = True


class _Progress:
    """The `Progress` of the thread: remembers the fraction until the job asks for it."""

    def __init__(self) -> None:
        self.fraction = 0.0
        self.is_cancelled = False

    def check(self, fraction: float, text: str = "") -> None:
        if self.is_cancelled:
            raise Cancelled
        self.fraction = fraction
