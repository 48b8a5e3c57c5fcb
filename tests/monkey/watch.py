"""Notices what goes wrong during the steps: exceptions, warnings, and gaps of the event loop."""

from __future__ import annotations

import faulthandler
import logging
import sys
import threading
import time
import traceback
from collections import deque
from dataclasses import dataclass
from typing import IO

from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)

_TICK_MS = 10
_SHOWN_STEPS = 8  # with each finding
_SAMPLE_INTERVAL = 0.1  # seconds
_IGNORED = (
    # the platform without a display has no window manager; see `ignore_offscreen_warnings`
    "does not support raise", "does not support grabbing", "does not support propagateSize",
    "not accepted by receiving widget",  # of QTest, to a disabled widget or an ignored event
)  # fmt: skip
_HARMLESS = (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg)


@dataclass
class Step:
    """What a step is about to do, and what it did."""

    text: str
    outcome: str = "…"  # until it returns, as after a dialog


class Watch(QObject):
    """Collects findings, each with the step at which it was made.

    `limit` is the CPU time in seconds for which the main thread may work between two turns of the
    event loop: other programs on the machine do not count. `log` receives a line for each step at
    once, so that it is complete after a crash. After a crash, or `hang` seconds without a turn of
    the event loop, the program prints the stacks of all threads, and ends; 0 waits for ever.
    """

    def __init__(self, seed: int, log: IO[str], limit: float = 1.0, hang: float = 0) -> None:
        super().__init__()
        self._seed, self._log = seed, log
        self._limit, self._hang = limit, hang
        self._steps: deque[Step] = deque(maxlen=_SHOWN_STEPS)
        self.findings: list[str] = []
        self.longest_gap = self.longest_wall_gap = 0.0  # seconds
        self._clocks = time.thread_time(), time.perf_counter()
        self._timer = QTimer(self, interval=_TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._handler = _LogHandler(self)
        self._sampler = _StackSampler(limit / 2)

    def install(self) -> None:
        """Receive the errors of all threads from now on."""
        sys.excepthook = lambda _kind, error, _trace: self.add("exception", _traceback(error))
        threading.excepthook = lambda args: self.add("thread", _traceback(args.exc_value))
        sys.unraisablehook = lambda args: self.add(
            f"unraisable in {args.object!r}", _traceback(args.exc_value)
        )
        qInstallMessageHandler(self._on_qt_message)
        logging.getLogger().addHandler(self._handler)
        if self._hang:
            faulthandler.enable()
        self._clocks = time.thread_time(), time.perf_counter()
        self._sampler.start()
        self._timer.start()

    def remove(self) -> None:
        """Restore what was there before."""
        self._timer.stop()
        self._sampler.stop()
        if self._hang:
            faulthandler.cancel_dump_traceback_later()
        logging.getLogger().removeHandler(self._handler)
        qInstallMessageHandler(None)
        sys.excepthook, threading.excepthook = sys.__excepthook__, threading.__excepthook__
        sys.unraisablehook = sys.__unraisablehook__

    def begin_step(self, text: str) -> Step:
        """Say what is done next; the outcome may be added."""
        step = Step(text)
        self._steps.append(step)
        self._log.write(f"{text}\n")
        self._log.flush()
        return step

    def add(self, kind: str, text: str) -> None:
        """Keep a finding, and print it."""
        finding = f"{kind}: {text.rstrip()}"
        self.findings.append(finding)
        steps = "\n".join(f"  {step.text}: {step.outcome}" for step in self._steps)
        print(f"seed {self._seed}: {finding}\nafter\n{steps}\n", file=sys.stderr, flush=True)

    def _tick(self) -> None:
        if self._hang:
            faulthandler.dump_traceback_later(self._hang, exit=True)
        stack = self._sampler.reset()
        now = time.thread_time(), time.perf_counter()
        gap, wall = now[0] - self._clocks[0], now[1] - self._clocks[1]
        self._clocks = now
        self.longest_gap = max(self.longest_gap, gap)
        self.longest_wall_gap = max(self.longest_wall_gap, wall)
        if gap > self._limit:
            self.add("gap", f"{gap:.1f} s of CPU time, {wall:.1f} s in all\n{stack}")

    def _on_qt_message(self, kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        if kind not in _HARMLESS and not any(text in message for text in _IGNORED):
            stack = "".join(traceback.format_stack(limit=12)[:-1])
            self.add("Qt", f"{message}\n{stack}")


class _LogHandler(logging.Handler):
    """Makes a finding of each warning that the program logs, such as a failed job."""

    def __init__(self, watch: Watch) -> None:
        super().__init__(logging.WARNING)
        self._watch = watch

    def emit(self, record: logging.LogRecord) -> None:
        self._watch.add("log", self.format(record))


class _StackSampler:
    """Notes what the main thread does once it has worked for `limit` seconds of CPU time."""

    def __init__(self, limit: float) -> None:
        self._limit, self._main = limit, threading.get_ident()
        self._stack, self._since = "", time.thread_time()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stack sampler", daemon=True)

    def start(self) -> None:
        self._since = time.thread_time()
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def reset(self) -> str:
        """Begin anew, and return the stack noted since the last time; called by the main thread."""
        stack, self._stack, self._since = self._stack, "", time.thread_time()
        return stack

    def _run(self) -> None:
        clock = time.pthread_getcpuclockid(self._main)
        while not self._stopped.wait(_SAMPLE_INTERVAL):
            worked = time.clock_gettime(clock) - self._since
            if worked > self._limit and not self._stack:
                frame = sys._current_frames()[self._main]
                self._stack = "".join(traceback.format_stack(frame, limit=14))


def _traceback(error: BaseException | None) -> str:
    return "".join(traceback.format_exception(error))
