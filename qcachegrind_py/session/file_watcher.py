"""Notices that the files of the open profile have changed, or that its run wrote more of them.

It looks at the files' stamps now and then, in a job: notifications of the system do not reach every
file system, and a disk that does not answer must not stop the window. What is being written is
left alone until two looks find it the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from qcachegrind_py.formats.fingerprints import Fingerprint, Fingerprints, fingerprints
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.loading import files_to_read
from qcachegrind_py.session.session import Session

_SLOT = "watch"
POLL_INTERVAL = 2000  # ms


@dataclass(frozen=True, slots=True)
class FileChanges:
    """What happened to the files since they were read."""

    changed: tuple[Path, ...] = ()
    new: tuple[Path, ...] = ()  # other parts of the same run

    def __bool__(self) -> bool:
        return bool(self.changed or self.new)


class FileWatcher(QObject):
    """Says `found(News)` once for each state of the files."""

    files_changed = Signal(object)

    def __init__(self, session: Session, jobs: JobRunner) -> None:
        super().__init__(session)
        self._session, self._jobs = session, jobs
        self._last: Fingerprints = {}  # as the look before found them
        self._announced: Fingerprints = {}
        self.timer = QTimer(self, interval=POLL_INTERVAL)
        self.timer.timeout.connect(self.poll)
        session.opened.connect(self._begin)

    def _begin(self, _queries: object) -> None:
        self._jobs.cancel(_SLOT)
        self._last, self._announced = {}, {}
        self.timer.start()

    def poll(self) -> None:
        """See what the files are like now; the look before may still wait for its disk."""
        session = self._session
        if session.loaded is None or session.is_opening or self._jobs.is_running(_SLOT):
            return
        job = self._jobs.start(_SLOT, current_fingerprints, session.paths, session.with_siblings)
        job.finished.connect(self._compare)

    def _compare(self, now: Fingerprints) -> None:
        reading, before = self._session.loaded, self._last
        self._last = now
        if reading is None or now != before or now == self._announced:
            return
        self._announced = now
        if news := file_changes(reading.fingerprints, now):
            self.files_changed.emit(news)


def current_fingerprints(
    progress: Progress, paths: tuple[Path, ...], with_siblings: bool
) -> Fingerprints:
    """The stamps of the files that would be read now."""
    progress.check(0.0)
    return fingerprints(files_to_read(paths, with_siblings))


def file_changes(
    read: Mapping[Path, Fingerprint | None], now: Mapping[Path, Fingerprint | None]
) -> FileChanges:
    """What is other than it was read. A file that is gone is no news: what was read is here."""
    there = {path: stamp for path, stamp in now.items() if stamp is not None}
    return FileChanges(
        changed=tuple(path for path, stamp in there.items() if read.get(path, stamp) != stamp),
        new=tuple(path for path in there if path not in read),
    )
