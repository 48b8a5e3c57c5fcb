"""The list of functions of the history."""

from __future__ import annotations

from PySide6.QtCore import QPersistentModelIndex, Signal
from PySide6.QtWidgets import QMenu

from qcachegrind_py.models.base.table import AnyIndex, Role
from qcachegrind_py.models.history.history_table import HistoryModel
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.history.sparkline import SparklineDelegate


class HistoryTable(FunctionTable):
    """Return goes to a function that the open profile has; the menu pins its line in the chart."""

    pin_toggled = Signal(int)  # the function of the history

    def __init__(self, model: HistoryModel) -> None:
        super().__init__(model, "History")
        self._model = model
        self.setItemDelegateForColumn(HistoryModel.COURSE, SparklineDelegate(self))
        self.pinned: frozenset[int] = frozenset()

    def _activate(self, index: AnyIndex) -> None:
        if index.isValid() and index.data(Role.FUNCTION) != NO_NODE:
            super()._activate(index)

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        """Add what can be done with a function of the history, and with that of the profile."""
        record = self._model.record(index)
        if record < 0:
            return
        pin = menu.addAction("&Unpin Line" if record in self.pinned else "&Pin Line")
        pin.setToolTip("Keep the line of this function in the chart, or no longer")
        pin.triggered.connect(lambda: self.pin_toggled.emit(record))
        if index.data(Role.FUNCTION) != NO_NODE:
            menu.addSeparator()
            super().fill_menu(menu, index)
