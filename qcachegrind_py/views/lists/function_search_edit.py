"""Search field of the function list; Escape clears it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.common.search_edit import ValidatedEdit


class FunctionSearchEdit(ValidatedEdit):
    """Search of the function list: Down enters the list, Return opens the first function."""

    def __init__(self, table: FunctionTable) -> None:
        super().__init__("Search functions")
        self._table = table

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            if not self._table.currentIndex().isValid():
                self._table.selectRow(0)
            self._table.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._table.selectRow(0)
            self._table.activate_current()
        else:
            super().keyPressEvent(event)
