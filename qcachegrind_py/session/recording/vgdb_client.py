"""Asks a running callgrind by vgdb, one question after another, without waiting for the answers.

A vgdb that does not come back is told to end: it does so in order, which a kill would not let it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, QProcess, QTimer

_PATIENCE = 30_000  # ms: a large part takes long to write
_Answered = Callable[[bool, str], None]  # whether it went well, and what was answered


class RecorderControl(QObject):
    """For one process; questions are kept in order."""

    def __init__(self, vgdb: str, process: int, parent: QObject) -> None:
        super().__init__(parent)
        self._command, self._pid = vgdb, process
        self._questions: deque[tuple[list[str], _Answered]] = deque()
        self._answered: _Answered | None = None  # by what is asked now
        self._vgdb = QProcess(self)
        self._vgdb.setStandardInputFile(QProcess.nullDevice())
        self._vgdb.setStandardErrorFile(QProcess.nullDevice())
        self._vgdb.finished.connect(lambda code, _status: self._take(code == 0))
        self._vgdb.errorOccurred.connect(self._on_error)
        self._timer = QTimer(self, singleShot=True, interval=_PATIENCE)
        self._timer.timeout.connect(self._vgdb.terminate)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being asked."""
        return self._answered is None

    def ask(self, words: list[str], answered: _Answered) -> None:
        """Ask after all that was asked before."""
        self._questions.append((words, answered))
        self._go_on()

    def close(self) -> None:
        """Ask nothing more, and wait until nothing runs."""
        self._questions.clear()
        self._answered = None
        self._timer.stop()
        self._vgdb.blockSignals(True)
        if self._vgdb.state() != QProcess.ProcessState.NotRunning:
            self._vgdb.terminate()
            if not self._vgdb.waitForFinished(1000):
                self._vgdb.kill()
                self._vgdb.waitForFinished(1000)

    def _go_on(self) -> None:
        if self._answered is None and self._questions:
            words, self._answered = self._questions.popleft()
            self._timer.start()
            self._vgdb.start(self._command, [f"--pid={self._pid}", *words])

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._take(False)

    def _take(self, is_well: bool) -> None:
        self._timer.stop()
        answer = bytes(self._vgdb.readAllStandardOutput().data()).decode("utf-8", "replace")
        answered, self._answered = self._answered, None
        if answered is not None:
            answered(is_well, answer)
        self._go_on()
