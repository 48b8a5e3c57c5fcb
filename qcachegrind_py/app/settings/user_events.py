"""Events that the user defines: added, changed and removed, and kept for other profiles."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QWidget

from qcachegrind_py.models.base.plain_text import cell_text, short_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.events import Definition, EventType, EventTypes
from qcachegrind_py.profile.user_events import check_definition
from qcachegrind_py.session.context import Context
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings

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


class OwnEvents:
    """Each change is seen at once in all views."""

    def __init__(
        self, window: QWidget, settings: Settings, session: Session, navigation: Navigation
    ) -> None:
        self._window = window
        self._settings = settings
        self._session = session
        self._navigation = navigation

    def add(self) -> None:
        """Ask for a new event."""
        self._ask(None)

    def change(self, event: EventType) -> None:
        """Ask what one of the user's events shall be."""
        for definition in self._settings.definitions:
            if definition.name == event.name:
                self._ask(definition)

    def remove(self, event: EventType) -> None:
        """Forget one of the user's events."""
        self._define(tuple(d for d in self._settings.definitions if d.name != event.name))

    def _ask(self, before: Definition | None) -> None:
        others = tuple(d for d in self._settings.definitions if d != before)
        dialog = EventDialog(self._window, self._navigation.context.events, others, before)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.defined.connect(lambda definition: self._take(before, definition))
        dialog.open()

    def _take(self, before: Definition | None, definition: Definition) -> None:
        definitions = list(self._settings.definitions)
        if before in definitions:
            definitions[definitions.index(before)] = definition
        else:
            definitions.append(definition)
        context = self._navigation.context
        self._define(tuple(definitions))
        if before is not None:  # by another name, it is the same event
            self._show_again(before.name, definition.name, context)

    def _show_again(self, before: str, after: str, context: Context) -> None:
        """Show the event where it was shown before it was changed."""
        event = self._navigation.context.events.find(after)
        if event is not None and context.event is not None and context.event.name == before:
            self._navigation.set(event=event)
        if context.second_event is not None and context.second_event.name == before:
            self._navigation.set(second_event=event)

    def _define(self, definitions: tuple[Definition, ...]) -> None:
        self._settings.definitions = definitions
        self._session.define_events(definitions)
