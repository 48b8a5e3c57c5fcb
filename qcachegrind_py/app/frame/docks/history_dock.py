"""Opens the dock *History* when a history is opened."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.session.session import HistorySession

_ID = DockRegistry.history.id


class HistoryDock(QObject):
    """Brings the dock to the front for another history, and closes it without one."""

    def __init__(self, docks: Docks, history: HistorySession) -> None:
        super().__init__(docks.by_id[_ID])
        self._docks, self._history = docks, history
        # in a turn of its own, after the layout of another program was restored
        self._opening = QTimer(self, singleShot=True, interval=0)
        self._opening.timeout.connect(lambda: docks.show(_ID))
        history.opened.connect(self._opening.start)
        history.changed.connect(lambda _state: self.apply())

    def apply(self) -> None:
        """Close the dock without a history, also if a restored layout has it open."""
        is_open = self._history.state.opened is not None
        self._docks.keep(_ID, is_open)
        if not is_open:
            self._docks.by_id[_ID].hide()
