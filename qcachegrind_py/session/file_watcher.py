"""Detect changes of the open profile's files, and new files written by the same run.

A job polls the files' stat data: change notifications do not work on every file system, and a disk
that does not respond must not block the window. A file being written is ignored until two polls
find it unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.files import Fingerprint, Fingerprints, fingerprints
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.session import Session

_SLOT = "watch"
POLL_INTERVAL = 2000  # ms


@frozen(eq=True)
class FileChanges:
    """Changes of the files since they were loaded."""

    changed: tuple[Path, ...] = ()
    new: tuple[Path, ...] = ()  # further parts of the same run

    def __bool__(self) -> bool:
        return bool(self.changed or self.new)


class FileWatcher(QObject):
    """Emits `files_changed` with a `FileChanges` once for each new state of the files."""

    files_changed = Signal(object)

    def __init__(self, session: Session, jobs: JobRunner) -> None:
        super().__init__(session)
        self._session, self._jobs = session, jobs
        self._last: Fingerprints = {}  # as of the previous poll
        self._announced: Fingerprints = {}
        self.timer = QTimer(self, interval=POLL_INTERVAL)
        self.timer.timeout.connect(self.poll)
        session.opened.connect(self._begin)

    def _begin(self, _queries: object) -> None:
        self._jobs.cancel(_SLOT)
        self._last, self._announced = {}, {}
        self.timer.start()

    def poll(self) -> None:
        """Start reading the fingerprints, unless the previous poll still waits for its disk."""
        session = self._session
        if session.loaded is None or session.is_opening or self._jobs.is_running(_SLOT):
            return
        job = self._jobs.start(_SLOT, _current_fingerprints, session.chosen)
        job.finished.connect(self._compare)

    def _compare(self, now: Fingerprints) -> None:
        loaded, before = self._session.loaded, self._last
        self._last = now
        if loaded is None or now != before or now == self._announced:
            return
        self._announced = now
        if changes := file_changes(loaded.read.fingerprints, now):
            self.files_changed.emit(changes)


def _current_fingerprints(progress: Progress, chosen: ProfileFiles) -> Fingerprints:
    """Return the current fingerprints of the files that reopening the profile would read."""
    progress.check(0.0)
    return fingerprints(chosen.to_read())


def file_changes(
    loaded: Mapping[Path, Fingerprint | None], now: Mapping[Path, Fingerprint | None]
) -> FileChanges:
    """Return the files that changed or appeared since they were read.

    Deleted files are left out: their content is already loaded.
    """
    existing = {path: fingerprint for path, fingerprint in now.items() if fingerprint is not None}
    return FileChanges(
        changed=tuple(
            path
            for path, fingerprint in existing.items()
            if loaded.get(path, fingerprint) != fingerprint
        ),
        new=tuple(path for path in existing if path not in loaded),
    )
