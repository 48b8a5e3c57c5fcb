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

from qcachegrind_py.formats.fingerprints import Stamp, Stamps, stamps
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.loading import files_of
from qcachegrind_py.session.session import Session

_SLOT = "watch"
BETWEEN_LOOKS = 2000  # ms


@dataclass(frozen=True, slots=True)
class News:
    """What happened to the files since they were read."""

    changed: tuple[Path, ...] = ()
    new: tuple[Path, ...] = ()  # other parts of the same run

    def __bool__(self) -> bool:
        return bool(self.changed or self.new)


class ProfileWatch(QObject):
    """Says `found(News)` once for each state of the files."""

    found = Signal(object)

    def __init__(self, session: Session, jobs: JobRunner) -> None:
        super().__init__(session)
        self._session, self._jobs = session, jobs
        self._last: Stamps = {}  # as the look before found them
        self._told: Stamps = {}
        self.timer = QTimer(self, interval=BETWEEN_LOOKS)
        self.timer.timeout.connect(self.look)
        session.opened.connect(self._begin)

    def _begin(self, _questions: object) -> None:
        self._jobs.cancel(_SLOT)
        self._last, self._told = {}, {}
        self.timer.start()

    def look(self) -> None:
        """See what the files are like now; the look before may still wait for its disk."""
        session = self._session
        if session.reading is None or session.is_opening or self._jobs.is_running(_SLOT):
            return
        job = self._jobs.start(_SLOT, look, session.paths, session.own_parts)
        job.finished.connect(self._compare)

    def _compare(self, now: Stamps) -> None:
        reading, before = self._session.reading, self._last
        self._last = now
        if reading is None or now != before or now == self._told:
            return
        self._told = now
        if news := news_of(reading.stamps, now):
            self.found.emit(news)


def look(progress: Progress, paths: tuple[Path, ...], own_parts: bool) -> Stamps:
    """The stamps of the files that would be read now."""
    progress.check(0.0)
    return stamps(files_of(paths, own_parts))


def news_of(read: Mapping[Path, Stamp | None], now: Mapping[Path, Stamp | None]) -> News:
    """What is other than it was read. A file that is gone is no news: what was read is here."""
    there = {path: stamp for path, stamp in now.items() if stamp is not None}
    return News(
        changed=tuple(path for path, stamp in there.items() if read.get(path, stamp) != stamp),
        new=tuple(path for path in there if path not in read),
    )
