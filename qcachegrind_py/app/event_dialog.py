"""Defines an event by a formula of others, and says what is wrong with it while one types."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QWidget

from qcachegrind_py.models.plain_text import cell_text, short_text
from qcachegrind_py.profile.definitions import check_definition
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.events import Definition, EventTypes

_BUTTON = QDialogButtonBox.StandardButton


class EventDialog(QDialog):
    """For a new event, or one to change."""

    defined = Signal(object)  # Definition

    def __init__(
        self,
        parent: QWidget,
        events: EventTypes,
        others: tuple[Definition, ...],
        definition: Definition | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Add Event" if definition is None else "Change Event")
        self._events, self._others = events, others
        given = definition or Definition("", "", "")
        self.name = QLineEdit(given.name)
        self.long_name = QLineEdit(given.long_name)
        self.formula = QLineEdit(given.formula)
        self.name.setPlaceholderText("MissRate")
        self.long_name.setPlaceholderText("L1 miss rate of reads")
        self.formula.setPlaceholderText("D1mr / Dr   or   Ir + 10 Bm")
        self.problem = QLabel(wordWrap=True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setMinimumHeight(3 * self.fontMetrics().height())
        names = ", ".join(short_text(event.name) for event in events.all[:40])
        known = QLabel(f"Events to use: {names}", wordWrap=True)
        known.setTextFormat(Qt.TextFormat.PlainText)
        self.buttons = QDialogButtonBox(_BUTTON.Ok | _BUTTON.Cancel)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        form = QFormLayout(self)
        form.addRow("&Name:", self.name)
        form.addRow("&Long name:", self.long_name)
        form.addRow("&Formula:", self.formula)
        form.addRow(known)
        form.addRow(self.problem)
        form.addRow(self.buttons)
        for edit in (self.name, self.long_name, self.formula):
            edit.textChanged.connect(lambda _text: self._check())
        self.resize(self.fontMetrics().horizontalAdvance("0") * 70, self.sizeHint().height())
        self._check()

    def definition(self) -> Definition:
        """What is written."""
        texts = (edit.text().strip() for edit in (self.name, self.long_name, self.formula))
        return Definition(*texts)

    def _check(self) -> None:
        problem = ""
        try:
            check_definition(self.definition(), self._events, self._others)
        except ProfileError as error:
            problem = cell_text(str(error))
        is_begun = bool(self.name.text() and self.formula.text())
        self.problem.setText(problem if is_begun else "")
        self.buttons.button(_BUTTON.Ok).setEnabled(not problem)

    def _accept(self) -> None:
        self.defined.emit(self.definition())
        self.accept()
