"""The dialog for the name and the note of a view that is saved."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.style.wrapped_label import FaintWrappedLabel
from qcachegrind_py.formats.saved_views import MAX_NAME, MAX_NOTE

_BUTTON = QDialogButtonBox.StandardButton
_CONTENT = (
    "A view keeps the active function, events, filter, grouping, costs, cycles, parts and the "
    "layout of the docks."
)
_REPLACES = "A view of this name is saved already. It will be replaced."


class SaveViewDialog(QDialog):
    """Emits `chosen` with name and note; the names of saved views are replaced by the same name."""

    chosen = Signal(str, str)

    def __init__(self, proposed: str, taken: Collection[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save View")
        self._taken = taken
        self.name = QLineEdit(proposed, maxLength=MAX_NAME)
        self.name.selectAll()
        self.note = QPlainTextEdit()
        self.note.setTabChangesFocus(True)
        self.note.setPlaceholderText("What there is to see, for you or for others")
        self.hint = FaintWrappedLabel(_CONTENT)
        self.buttons = QDialogButtonBox(_BUTTON.Save | _BUTTON.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        form = QFormLayout()
        form.addRow("&Name:", self.name)
        form.addRow("N&ote:", self.note)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.hint)
        column.addWidget(self.buttons)
        self.name.textChanged.connect(lambda _text: self._update())
        self._update()
        line = self.fontMetrics().height()
        self.resize(line * 28, line * 15)

    @property
    def _chosen_name(self) -> str:
        return self.name.text().strip()

    def _update(self) -> None:
        """Say whether a view will be replaced; a view needs a name."""
        self.hint.setText(_REPLACES if self._chosen_name in self._taken else _CONTENT)
        self.buttons.button(_BUTTON.Save).setEnabled(bool(self._chosen_name))

    def accept(self) -> None:
        """Emit name and note; without a name, stay open."""
        if self._chosen_name:
            super().accept()
            self.chosen.emit(self._chosen_name, self.note.toPlainText().strip()[:MAX_NOTE])
