"""Send commands to a running callgrind through vgdb, one after another, without blocking.

A vgdb that does not return is terminated rather than killed, so that it can clean up. A process
speaks with one vgdb at a time: while that is another one, the command is sent again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer

from qcachegrind_py.tools.valgrind.running_programs import VgdbAddress

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
        """Whether no command is being executed."""
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
