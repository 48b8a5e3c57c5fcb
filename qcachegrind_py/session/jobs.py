"""Background jobs: plain functions run in threads, one per slot; the latest wins.

A job is a function whose first argument is a `Progress`. Its return value is emitted by `finished`
in the GUI thread, unless another job has taken the slot since: stale results are dropped here and
nowhere else.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, QTimer, Signal, Slot

from qcachegrind_py.profile.errors import Cancelled, ProfileError

log = logging.getLogger(__name__)

_THREAD_COUNT = 4  # a layout job waits for another process while pictures are built
_REPORT_INTERVAL = 0.05  # seconds: twenty a second is what an eye can follow


class Job(QObject):
    """A running job; emits signals in the GUI thread as long as it is the latest in its slot."""

    progressed = Signal(float)
    finished = Signal(object)
    failed = Signal(object)  # a ProfileError; never for a cancelled job
    ended = Signal()  # after finished, failed or cancelled

    _reported = Signal(float)
    _returned = Signal(object)
    _raised = Signal(object)
    _left = Signal()  # the thread no longer uses this object, so it may be deleted

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.cancelled = threading.Event()
        self.is_running = True
        queued = Qt.ConnectionType.QueuedConnection
        self._reported.connect(self._report, queued)
        self._returned.connect(self._return, queued)
        self._raised.connect(self._raise, queued)
        self._left.connect(self.deleteLater, queued)

    def cancel(self) -> None:
        """Stop at the job's next check; from now on only `ended` is emitted."""
        if self.is_running:
            self.cancelled.set()
            self._end()

    @Slot(float)
    def _report(self, fraction: float) -> None:
        if self.is_running:
            self.progressed.emit(fraction)

    @Slot(object)
    def _return(self, result: object) -> None:
        if self.is_running:
            self.finished.emit(result)
            self._end()

    @Slot(object)
    def _raise(self, error: ProfileError) -> None:
        if self.is_running:
            self.failed.emit(error)
            self._end()

    def _end(self) -> None:
        if self.is_running:
            self.is_running = False
            self.ended.emit()


class JobProgress:
    """The `Progress` passed to a job: throttles reports, raises `Cancelled` once cancelled."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._cancelled = job.cancelled
        self._last = 0.0

    def check(self, fraction: float, text: str = "") -> None:
        """Report the fraction if the last report is old enough; raises `Cancelled`."""
        if self._cancelled.is_set():
            raise Cancelled
        now = time.monotonic()
        if now - self._last >= _REPORT_INTERVAL:
            self._last = now
            self._job._reported.emit(fraction)


class _Runnable(QRunnable):
    def __init__(self, job: Job, function: Callable[..., object], arguments: Any) -> None:
        super().__init__()
        self._job, self._function, self._arguments = job, function, arguments

    def run(self) -> None:
        job, function, arguments = self._job, self._function, self._arguments
        # PySide never frees the runnable of a quick job: it must not keep a profile alive
        del self._job, self._function, self._arguments
        if job.cancelled.is_set():  # while it waited for a thread
            _emit(job._left)
            return
        try:
            result = function(JobProgress(job), *arguments)
        except Cancelled:
            return
        except ProfileError as error:
            _emit(job._raised, error)
        except Exception as error:  # a bug must reach the user, not vanish in a thread
            log.exception("job failed")
            _emit(job._raised, JobFailed(error))
        else:
            _emit(job._returned, result)
        finally:
            _emit(job._left)


class JobFailed(ProfileError):
    """A bug in this program, raised inside a job."""

    def __init__(self, cause: BaseException) -> None:
        self.cause = cause
        super().__init__(cause)

    def __str__(self) -> str:
        return f"Internal error: {type(self.cause).__name__}: {self.cause}"


def _emit(signal: Any, *values: object) -> None:
    try:
        signal.emit(*values)
    except RuntimeError:  # the window was closed, and its jobs with it
        log.debug("a job outlived its window")


class JobRunner(QObject):
    """Runs jobs in named slots: a new job cancels the previous one in its slot."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(_THREAD_COUNT)
        self._slots: dict[str, Job] = {}
        self._prefix = ""  # of its slots among those of all runners with the same threads
        self._waiting: list[QRunnable] = []  # until the window is painted
        # not `singleShot(0, …)`, which Qt posts like an event and so handles before it paints; two
        # turns, as the window paints a profile that has been opened a turn later
        turn, self._two_turns = (QTimer(self, singleShot=True, interval=0) for _ in range(2))
        self._two_turns.timeout.connect(turn.start)
        turn.timeout.connect(self._start_waiting)

    def with_own_slots(self, prefix: str, parent: QObject) -> JobRunner:
        """Return a runner with the same threads whose slots are not those of this runner.

        `is_idle` and `stop` of either concern the jobs of both.
        """
        runner = JobRunner(parent)
        runner._pool, runner._slots, runner._prefix = self._pool, self._slots, prefix
        return runner

    def start(self, slot: str, function: Callable[..., object], *arguments: object) -> Job:
        """Run `function(progress, *arguments)` in a thread; the job's signals tell its outcome."""
        job, runnable = self._take_slot(slot, function, arguments)
        self._pool.start(runnable)
        return job

    def start_when_painted(
        self, slot: str, function: Callable[..., object], *arguments: object
    ) -> Job:
        """Run a job once what has changed in the window is painted.

        Python runs one thread at a time: beside the job, painting would take twice as long.
        """
        job, runnable = self._take_slot(slot, function, arguments)
        self._waiting.append(runnable)
        self._two_turns.start()
        return job

    def _start_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for runnable in waiting:
            self._pool.start(runnable)

    def _take_slot(
        self, slot: str, function: Callable[..., object], arguments: Any
    ) -> tuple[Job, QRunnable]:
        self.cancel(slot)
        job, slot = Job(self), self._prefix + slot
        self._slots[slot] = job
        job.ended.connect(lambda: self._slots.pop(slot) if self._slots.get(slot) is job else None)
        return job, _Runnable(job, function, arguments)

    def cancel(self, slot: str) -> None:
        """Stop the job of the slot, if there is one."""
        job = self._slots.get(self._prefix + slot)
        if job is not None:
            job.cancel()

    def is_running(self, slot: str) -> bool:
        return self._prefix + slot in self._slots

    @property
    def is_idle(self) -> bool:
        return not self._slots

    def stop(self) -> None:
        """Cancel all jobs and wait for their threads; called before the program exits."""
        for job in list(self._slots.values()):
            job.cancel()
        self._pool.waitForDone()
