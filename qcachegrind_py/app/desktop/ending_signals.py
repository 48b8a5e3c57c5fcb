"""End the program as if its windows were closed when the system or a terminal asks it to end."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSocketNotifier, Signal

from qcachegrind_py.app.desktop.signal_pipe import SignalPipe


class EndingSignals(QObject):
    """Emits `received` with the exit code that shells expect, such as 143 after SIGTERM."""

    received = Signal(int)

    def __init__(self, signals: SignalPipe, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._signals = signals
        self._notifier = QSocketNotifier(signals.descriptor, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._emit)

    def _emit(self) -> None:
        for number in self._signals.read():
            self.received.emit(128 + number)
