"""The list of what the change of the active function consists of."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QMenu

from qcachegrind_py.models.base.index import make_index
from qcachegrind_py.models.base.table import AnyIndex
from qcachegrind_py.models.explanation.contribution_rows import ContributionRows
from qcachegrind_py.models.explanation.contributions import ContributionModel
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.views.common.record_table import FunctionTable

_SELECT = QItemSelectionModel.SelectionFlag
_WHOLE_ROW, _NO_ROW = _SELECT.ClearAndSelect | _SELECT.Rows, _SELECT.NoUpdate


class ContributionTable(FunctionTable):
    """A call leads to its callee, the row Self to its lines, and Backspace back."""

    self_activated = Signal()
    back_requested = Signal()

    def __init__(self, model: ContributionModel) -> None:
        super().__init__(model, "Explain Change")
        self._model = model

    def show_rows(
        self, rows: ContributionRows, changes: CostFormat, *, is_new: bool, came_from: NodeId
    ) -> None:
        """Show what a change consists of.

        The current row stays, unless the change `is_new`: then it is that of the function that the
        user `came_from`, or else the largest contribution.
        """
        is_chosen, current = self.selectionModel().hasSelection(), self.currentIndex()
        function, column = self.current_function(), max(0, current.column())
        self._model.set_rows(rows, changes)
        if is_new:
            function = came_from
            self.scrollToTop()
        index = self._model.index_of_function(function).siblingAtColumn(column)
        if not index.isValid():
            index = make_index(self._model, 0, column)
        is_selected = self.hasFocus() or (is_chosen and not is_new)
        self._is_programmatic = True
        self.selectionModel().setCurrentIndex(index, _WHOLE_ROW if is_selected else _NO_ROW)
        self._is_programmatic = False

    def is_call(self, index: AnyIndex) -> bool:
        """Whether a row is a call."""
        record = self._model.record(index)
        return record >= 0 and self._model.rows.is_call(record)

    def is_self(self, index: AnyIndex) -> bool:
        """Whether a row is the change of the function itself."""
        record = self._model.record(index)
        return record >= 0 and self._model.rows.is_self(record)

    def _activate(self, index: AnyIndex) -> None:
        if self.is_self(index):
            self.self_activated.emit()
        elif self.is_call(index):
            super()._activate(index)

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        """Add what can be done with a call, or with the function itself."""
        if self.is_call(index):
            super().fill_menu(menu, index)
        elif self.is_self(index):
            menu.addAction("Show or Hide &Lines", self.self_activated.emit)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Select the current row, which Return acts on."""
        if not self.selectionModel().hasSelection():
            self._is_programmatic = True
            self.selectionModel().setCurrentIndex(self.currentIndex(), _WHOLE_ROW)
            self._is_programmatic = False
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Backspace:
            self.back_requested.emit()
        else:
            super().keyPressEvent(event)
