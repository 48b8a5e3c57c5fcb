"""Background jobs: they finish, fail, are cancelled and replaced, and drop stale results."""

from __future__ import annotations

import logging
import threading
import time

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QThread, QThreadPool, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.profile.errors import Cancelled, NotAProfile, ProfileError
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.jobs import Job, JobFailed, JobRunner
from tests.patience import PATIENCE


class Gate:
    """A job that signals its start, and finishes when it is released."""

    def __init__(self, result: object = "through") -> None:
        self.begun, self.open, self.left = threading.Event(), threading.Event(), threading.Event()
        self.result = result

    def __call__(self, progress: Progress) -> object:
        self.begun.set()
        self.open.wait(PATIENCE)
        self.left.set()
        return self.result


class Endless:
    """A job that ends only when cancelled, and records whether it was."""

    def __init__(self) -> None:
        self.begun, self.was_cancelled = threading.Event(), False

    def __call__(self, progress: Progress) -> None:
        self.begun.set()
        deadline = time.monotonic() + PATIENCE
        try:
            while time.monotonic() < deadline:
                progress.check(0.5)
        except Cancelled:
            self.was_cancelled = True
            raise


def signals_of(job: Job) -> list[object]:
    """All signals of the job from now on, in order."""
    signals: list[object] = []
    job.finished.connect(lambda result: signals.append(("finished", result)))
    job.failed.connect(lambda error: signals.append(("failed", str(error))))
    job.ended.connect(lambda: signals.append("ended"))
    return signals


def not_a_profile(_progress: Progress) -> None:
    raise NotAProfile("a.png", "is a picture.")


def test_job_gives_its_result_in_the_thread_of_the_window(qtbot: QtBot, jobs: JobRunner) -> None:
    """The work runs in another thread, and its result arrives in this one, as it is.

    The slot is free when the job says that it ended.
    """
    threads: list[object] = []

    def work(_progress: Progress, *arguments: object) -> object:
        threads.append(QThread.currentThread() is qapp_thread)
        return arguments[0]

    qapp_thread = QCoreApplication.instance().thread()  # type: ignore[union-attr]
    result, free = {"profile": 2**63}, list[bool]()
    job = jobs.start("any", work, result)
    signals = signals_of(job)
    job.finished.connect(lambda _result: threads.append(QThread.currentThread() is qapp_thread))
    job.ended.connect(lambda: free.append(not jobs.is_running("any")))
    with qtbot.waitSignal(job.ended):
        pass

    ((_finished, received), ended) = signals
    assert (received is result, ended) == (True, "ended")
    assert (threads, free) == ([False, True], [True])


def test_job_that_fails_says_why(qtbot: QtBot, jobs: JobRunner) -> None:
    """A profile error arrives as it was raised, and the job does not finish."""
    job = jobs.start("open", not_a_profile)
    signals = signals_of(job)
    with qtbot.waitSignal(job.failed) as failed:
        pass

    assert signals == [("failed", "a.png is a picture."), "ended"]
    assert [type(error) for error in failed.args or ()] == [NotAProfile]


def test_bug_in_a_job_reaches_the_user_and_the_log(
    qtbot: QtBot, jobs: JobRunner, caplog: pytest.LogCaptureFixture
) -> None:
    """An unexpected exception is a failure that names it, and is logged in full."""

    def work(_progress: Progress) -> None:
        raise ZeroDivisionError("oh")

    job = jobs.start("open", work)
    signals = signals_of(job)
    with qtbot.waitSignal(job.failed) as failed, caplog.at_level(logging.ERROR):
        pass

    text = "Internal error: ZeroDivisionError: oh"
    assert signals == [("failed", text), "ended"]
    assert [type(error) for error in failed.args or ()] == [JobFailed]
    assert issubclass(JobFailed, ProfileError)
    assert [r.exc_info[0] for r in caplog.records if r.exc_info] == [ZeroDivisionError]


def test_cancelled_job_only_ends(qtbot: QtBot, jobs: JobRunner) -> None:
    """Cancelling ends a job at once: it neither finishes nor fails, and frees its thread."""
    endless = Endless()
    job = jobs.start("open", endless)
    signals = signals_of(job)
    with qtbot.waitSignal(job.progressed):
        pass

    jobs.cancel("open")
    at_once = (list(signals), jobs.is_running("open"))
    jobs.stop()
    QCoreApplication.processEvents()

    assert at_once == (["ended"], False)
    assert (signals, endless.was_cancelled) == (["ended"], True)


def test_latest_job_of_a_slot_wins(qtbot: QtBot, jobs: JobRunner) -> None:
    """A new job cancels the previous one in its slot, and leaves other slots alone."""
    other = Gate("other")
    kept = jobs.start("names", other)
    endless = Endless()
    first = jobs.start("open", endless)
    assert endless.begun.wait(PATIENCE)
    first_signals, kept_signals = signals_of(first), signals_of(kept)

    second = jobs.start("open", lambda _progress: "second")
    second_signals = signals_of(second)
    running = [jobs.is_running("open"), jobs.is_running("names")]
    with qtbot.waitSignals([second.ended, kept.ended]):
        other.open.set()
    jobs.stop()

    assert running == [True, True]
    assert (first_signals, endless.was_cancelled) == (["ended"], True)
    assert second_signals == [("finished", "second"), "ended"]
    assert kept_signals == [("finished", "other"), "ended"]


def test_stale_result_is_dropped(qtbot: QtBot, jobs: JobRunner) -> None:
    """A result that arrives after its job was replaced is not delivered."""
    late = Gate("stale")
    first = jobs.start("open", late)
    first_signals = signals_of(first)
    assert late.begun.wait(PATIENCE)

    second = jobs.start("open", lambda _progress: "fresh")
    second_signals = signals_of(second)
    with qtbot.waitSignal(second.ended):
        pass
    late.open.set()
    jobs.stop()
    QCoreApplication.processEvents()

    assert late.left.is_set()
    assert first_signals == ["ended"]
    assert second_signals == [("finished", "fresh"), "ended"]


@pytest.mark.parametrize("kind", ["result", "failure", "report"])
def test_signal_in_transit_when_a_job_is_cancelled_is_dropped(jobs: JobRunner, kind: str) -> None:
    """A job cancelled between the end of its work and its signal delivers nothing."""

    def work(progress: Progress) -> int:
        if kind == "failure":
            not_a_profile(progress)
        if kind == "report":
            progress.check(0.5)
        return 1

    job = jobs.start("open", work)
    signals = signals_of(job)
    job.progressed.connect(signals.append)
    pool = jobs.findChild(QThreadPool)
    assert isinstance(pool, QThreadPool)
    pool.waitForDone()

    jobs.cancel("open")
    QCoreApplication.processEvents()

    assert signals == ["ended"]


def test_stale_failure_is_dropped(
    qtbot: QtBot, jobs: JobRunner, caplog: pytest.LogCaptureFixture
) -> None:
    """An error that arrives after its job was cancelled is not delivered."""
    gate = Gate()

    def work(progress: Progress) -> None:
        gate(progress)
        not_a_profile(progress)

    job = jobs.start("open", work)
    signals = signals_of(job)
    assert gate.begun.wait(PATIENCE)

    jobs.cancel("open")
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gate.open.set()
    jobs.stop()
    QCoreApplication.processEvents()

    assert signals == ["ended"]


def test_progress_is_throttled(qtbot: QtBot, jobs: JobRunner) -> None:
    """However often a job reports, few progress signals arrive, and they never go backwards."""

    def work(progress: Progress) -> None:
        for step in range(100_000):
            progress.check(step / 100_000)

    job = jobs.start("open", work)
    fractions: list[float] = []
    job.progressed.connect(fractions.append)
    with qtbot.waitSignal(job.finished):
        pass

    assert fractions == sorted(fractions)
    assert 1 <= len(fractions) < 1_000
    assert all(0.0 <= fraction <= 1.0 for fraction in fractions)


def test_stop_waits_for_the_threads(jobs: JobRunner) -> None:
    """After `stop` no job is running, not even one that is slow to notice."""
    ended = threading.Event()
    endless = Endless()

    def work(progress: Progress) -> None:
        try:
            endless(progress)
        finally:
            for _ in range(200_000):  # something that cannot be cancelled
                pass
            ended.set()

    job = jobs.start("open", work)
    signals = signals_of(job)
    assert endless.begun.wait(PATIENCE)

    jobs.stop()

    assert (ended.is_set(), endless.was_cancelled) == (True, True)
    assert (signals, jobs.is_running("open")) == (["ended"], False)


def test_ended_jobs_are_not_retained(qtbot: QtBot, jobs: JobRunner) -> None:
    """No finished, failed or cancelled job is retained, however long the program runs."""

    for work in (lambda _progress: 1, not_a_profile, Endless()):
        job = jobs.start("open", work)
        if isinstance(work, Endless):
            jobs.cancel("open")
        else:
            with qtbot.waitSignal(job.ended):
                pass
    jobs.stop()

    qtbot.waitUntil(lambda: jobs.findChildren(Job) == [])


def test_job_cancelled_in_the_queue_does_not_run(qtbot: QtBot, jobs: JobRunner) -> None:
    """While all threads are busy, a job cancelled in the queue never starts."""
    gate, ran = threading.Event(), []
    busy = [jobs.start(f"busy {n}", lambda _progress: gate.wait(5)) for n in range(4)]
    jobs.start("waiting", lambda _progress: ran.append("first"))
    last = jobs.start("waiting", lambda _progress: ran.append("second"))

    with qtbot.waitSignals([last.finished, *(job.finished for job in busy)]):
        gate.set()

    assert ran == ["second"]


class Painted(QWidget):
    """A widget that records when it is painted, which takes so long that a job could begin."""

    def __init__(self, done: list[str]) -> None:
        super().__init__()
        self.done = done

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        time.sleep(0.02)
        self.done.append("painted")


def test_a_view_is_painted_before_its_job_begins(qtbot: QtBot, jobs: JobRunner) -> None:
    """Beside a job that computes, painting takes twice as long; one that is replaced never runs.

    Views ask for jobs while posted events are handled, all of which come before painting.
    """
    done = list[str]()
    widget = Painted(done)
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    done.clear()

    def refresh() -> None:
        jobs.start_when_painted("picture", lambda _progress: done.append("first"))
        jobs.start_when_painted("picture", lambda _progress: done.append("second"))
        widget.update()

    QTimer.singleShot(0, widget, refresh)
    qtbot.waitUntil(lambda: "second" in done)

    assert done == ["painted", "second"]
