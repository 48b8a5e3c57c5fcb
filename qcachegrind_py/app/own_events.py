"""Events that the user defines: added, changed and removed, and kept for other profiles."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from qcachegrind_py.app.event_dialog import EventDialog
from qcachegrind_py.profile.events import Definition, EventType
from qcachegrind_py.session.context import Context
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings import Settings


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
