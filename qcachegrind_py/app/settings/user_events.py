"""User-defined events: the dialog that edits one, and commands to add, change and remove them.

They are stored in the settings and apply to all profiles.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from qcachegrind_py.app.style.forms import FormDialog, StandardButton
from qcachegrind_py.app.style.text_widgets import WrappedLabel
from qcachegrind_py.present.context import Context
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.events import EventType, EventTypes, UserEvent, check_user_event
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings


class EventDialog(FormDialog):
    """Edits the name and formula of a new or an existing event; emits `defined`."""

    defined = Signal(object)  # UserEvent

    def __init__(
        self,
        parent: QWidget,
        events: EventTypes,
        others: tuple[UserEvent, ...],
        definition: UserEvent | None = None,
    ) -> None:
        title = "Add Event" if definition is None else "Change Event"
        super().__init__(parent, title)
        self._events, self._others = events, others
        initial = definition or UserEvent("", "", "")
        self.name = QLineEdit(initial.name, placeholderText="MissRate")
        self.long_name = QLineEdit(initial.long_name, placeholderText="L1 miss rate of reads")
        self.formula = QLineEdit(initial.formula, placeholderText="D1mr / Dr   or   Ir + 10 Bm")
        self.form.add_row("&Name:", self.name)
        self.form.add_row("&Long name:", self.long_name)
        self.form.add_row("&Formula:", self.formula)
        names = ", ".join(short_text(event.name) for event in events.all[:40])
        self.form.add_wide(WrappedLabel(f"Events to use: {names}"))
        self.problem = self.add_problem(3)
        self.add_buttons(StandardButton.Ok | StandardButton.Cancel)
        for edit in (self.name, self.long_name, self.formula):
            edit.textChanged.connect(lambda _text: self._check())
        self.resize(self.fontMetrics().horizontalAdvance("0") * 70, self.sizeHint().height())
        self._check()

    def definition(self) -> UserEvent:
        texts = (edit.text().strip() for edit in (self.name, self.long_name, self.formula))
        return UserEvent(*texts)

    def _check(self) -> None:
        problem = ""
        try:
            check_user_event(self.definition(), self._events, self._others)
        except ProfileError as error:
            problem = cell_text(str(error))
        is_begun = bool(self.name.text() and self.formula.text())
        self.problem.setText(problem if is_begun else "")
        self.buttons.button(StandardButton.Ok).setEnabled(not problem)

    def accept(self) -> None:
        self.defined.emit(self.definition())
        super().accept()


class UserEvents:
    """Changes the user's events in settings and session, so that all views show them at once."""

    def __init__(self, window: QWidget, settings: Settings, session: Session) -> None:
        self._window = window
        self._settings = settings
        self._session = session
        self._navigation = session.navigation

    def add(self) -> None:
        self._open_dialog(None)

    def change(self, event: EventType) -> None:
        for definition in self._settings.definitions:
            if definition.name == event.name:
                self._open_dialog(definition)

    def remove(self, event: EventType) -> None:
        self._store(tuple(d for d in self._settings.definitions if d.name != event.name))

    def _open_dialog(self, edited: UserEvent | None) -> None:
        others = tuple(d for d in self._settings.definitions if d != edited)
        dialog = EventDialog(self._window, self._navigation.context.events, others, edited)
        dialog.defined.connect(lambda definition: self._apply(edited, definition))
        dialog.open()

    def _apply(self, edited: UserEvent | None, definition: UserEvent) -> None:
        definitions = list(self._settings.definitions)
        if edited in definitions:
            definitions[definitions.index(edited)] = definition
        else:
            definitions.append(definition)
        context = self._navigation.context
        self._store(tuple(definitions))
        if edited is not None:  # it may have been renamed
            self._reselect(edited.name, definition.name, context)

    def _reselect(self, old_name: str, new_name: str, context: Context) -> None:
        """Select the changed event again where the old one was selected."""
        event = self._navigation.context.events.find(new_name)
        if event is not None and context.event is not None and context.event.name == old_name:
            self._navigation.set(event=event)
        if context.second_event is not None and context.second_event.name == old_name:
            self._navigation.set(second_event=event)

    def _store(self, definitions: tuple[UserEvent, ...]) -> None:
        self._settings.definitions = definitions
        self._session.set_user_events(definitions)
