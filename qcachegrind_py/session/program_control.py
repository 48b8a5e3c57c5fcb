"""Commands to a program that runs under callgrind, and what it says about itself.

The program may have been started by the recorder, or anywhere else on this machine. Commands go
through vgdb, one after another, without blocking. A vgdb that does not return is terminated rather
than killed, so that it can clean up. A process speaks with one vgdb at a time: while that is
another one, the command is sent again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from qcachegrind_py.formats.run_files import file_versions
from qcachegrind_py.tools.valgrind.recording import LiveState, parse_live_state
from qcachegrind_py.tools.valgrind.running_programs import VgdbAddress

_DUMP = "Requested in the window"  # the trigger that the part states
NO_ANSWER = "The program did not respond."
_TIMEOUT = 30_000  # ms: a large part takes long to write
_BUSY = b"Cannot acquire lock"  # vgdb says so while another vgdb speaks with the process
_BUSY_INTERVAL = 100  # ms between two attempts: an answer takes about as long
_MOST_ATTEMPTS = 20
_AnswerHandler = Callable[[bool, str], None]  # whether it succeeded, and the answer


class VgdbClient(QObject):
    """A command queue for one process."""

    def __init__(
        self, vgdb: str, process: int, parent: QObject, address: VgdbAddress | None = None
    ) -> None:
        """Send to this process; one started by this program needs no address."""
        super().__init__(parent)
        self._command = vgdb
        self._options = [f"--pid={process}", *(address.options if address is not None else ())]
        self._queue: deque[tuple[list[str], _AnswerHandler]] = deque()
        self._on_answer: _AnswerHandler | None = None  # of the command being executed
        self._words: list[str] = []  # of that command
        self._attempts = 0
        self._vgdb = QProcess(self)
        self._vgdb.setStandardInputFile(QProcess.nullDevice())
        environment = QProcessEnvironment.systemEnvironment()
        for name, value in address.variables.items() if address is not None else ():
            environment.insert(name, value)
        self._vgdb.setProcessEnvironment(environment)
        self._vgdb.finished.connect(lambda code, _status: self._finish(code == 0))
        self._vgdb.errorOccurred.connect(self._on_error)
        self._timer = QTimer(self, singleShot=True, interval=_TIMEOUT)
        self._timer.timeout.connect(self._vgdb.terminate)

    @property
    def is_idle(self) -> bool:
        return self._on_answer is None

    def send(self, arguments: list[str], on_answer: _AnswerHandler) -> None:
        """Queue a command; `on_answer` receives its result."""
        self._queue.append((arguments, on_answer))
        self._send_next()

    def close(self) -> None:
        """Drop queued commands, and wait until vgdb has stopped."""
        self._queue.clear()
        self._on_answer = None
        self._timer.stop()
        self._vgdb.blockSignals(True)
        if self._vgdb.state() != QProcess.ProcessState.NotRunning:
            self._vgdb.terminate()
            if not self._vgdb.waitForFinished(1000):
                self._vgdb.kill()
                self._vgdb.waitForFinished(1000)

    def _send_next(self) -> None:
        if self._on_answer is None and self._queue:
            self._words, self._on_answer = self._queue.popleft()
            self._attempts = 0
            self._timer.start()
            self._start()

    def _start(self) -> None:
        if self._on_answer is not None:
            self._attempts += 1
            self._vgdb.start(self._command, [*self._options, *self._words])

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._finish(False)

    def _finish(self, is_well: bool) -> None:
        answer = bytes(self._vgdb.readAllStandardOutput().data()).decode("utf-8", "replace")
        is_busy = _BUSY in bytes(self._vgdb.readAllStandardError().data())
        if is_busy and not is_well and self._attempts < _MOST_ATTEMPTS:
            QTimer.singleShot(_BUSY_INTERVAL, self, self._start)
            return
        self._timer.stop()
        answered, self._on_answer = self._on_answer, None
        if answered is not None:
            answered(is_well, answer)
        self._send_next()


class ProgramControl(QObject):
    """Dumps, resets, pauses and queries one program; its owner calls `close` at the end."""

    changed = Signal()  # any of the attributes
    dumped = Signal(object)  # the files of a requested part: one, or one per thread
    failed = Signal(str)  # a sentence about a request that had no effect

    def __init__(
        self, client: VgdbClient, profile: Path, parent: QObject, *, is_counting: bool = True
    ) -> None:
        """Control the client's process, the names of whose dumps begin with `profile`."""
        super().__init__(parent)
        client.setParent(self)
        self._client, self._profile = client, profile
        self.is_dumping = False
        self.is_counting = is_counting
        self.live: LiveState | None = None  # its last answer since the last part
        self.has_parts = False  # whether it has written a part on request

    def dump(self) -> None:
        """Write the costs since the last part into a new part; `dumped` reports its files."""
        if not self.is_dumping:
            self.is_dumping = True
            before = file_versions(self._profile)
            self._client.send(["dump", _DUMP], lambda is_well, _: self._on_dump(is_well, before))
            self.changed.emit()

    def dump_at_end(self, then: Callable[[], None]) -> None:
        """Write a last part, and call `then` whether or not that succeeds."""
        self._client.send(["dump", "Before it was killed"], lambda *_: then())

    def reset_counters(self) -> None:
        self._client.send(["zero"], lambda is_well, _: self._on_reset(is_well))

    def set_counting(self, on: bool) -> None:
        words = ["instrumentation", "on" if on else "off"]
        self._client.send(words, lambda is_well, _: self._on_count(on, is_well))

    def request_status(self) -> None:
        """Query the status, unless another request is being answered."""
        if self._client.is_idle:
            self._client.send(["status", "internal"], lambda _, answer: self._on_status(answer))

    def close(self) -> None:
        """Drop what has not been answered, and wait until vgdb has stopped."""
        self._client.close()
        self.is_dumping = False

    def _on_dump(self, is_well: bool, before: dict[Path, tuple[int, int]]) -> None:
        self.is_dumping = False
        now = file_versions(self._profile)
        files = tuple(sorted(path for path in now if now[path] != before.get(path)))
        if files:
            self.live, self.has_parts = None, True
            self.dumped.emit(files)
        elif is_well:
            self.failed.emit(f"No new part was found in {self._profile.parent}.")
        else:
            self.failed.emit(f"{NO_ANSWER} No part was written.")
        self.changed.emit()

    def _on_reset(self, is_well: bool) -> None:
        if not is_well:
            self.failed.emit(NO_ANSWER)
        self.request_status()

    def _on_count(self, on: bool, is_well: bool) -> None:
        if is_well:
            self.is_counting = on
        else:
            self.failed.emit(NO_ANSWER)
        self.changed.emit()

    def _on_status(self, answer: str) -> None:
        state = parse_live_state(answer)
        if state is not None:
            self.live, self.is_counting = state, state.is_counting
        self.changed.emit()
