"""The Event Types dock: events with the active function's costs, and user-defined events."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Signal, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QToolButton, QWidget

from qcachegrind_py.analysis.explanation.numbers import NumberKey, NumberKind, NumberRequest
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.events import event_table, no_events
from qcachegrind_py.present.number_request import number_request
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.profile_view import ProfileView, header_row, stacked
from qcachegrind_py.views.tables.item_model import AnyIndex
from qcachegrind_py.views.tables.record_table import RecordTable
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import RowGround, event_color
from qcachegrind_py.views.widgets.empty_page import NO_FUNCTION_CHOSEN


class EventList(ProfileView):
    """The list of events. A click shows an event in all views, a double click as second event."""

    depends_on = ~(
        Change.SELECTION
        | Change.FILTER
        | Change.GROUPING
        | Change.COLORS
        | Change.NAMES
        | Change.code_changes()
    )
    new_event_requested = Signal()
    change_requested = Signal(object)  # EventType: a user event
    removal_requested = Signal(object)  # EventType: a user event

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.model = TableModel(no_events(), self)
        self.model.tell_events_apart(True)
        self._events: tuple[EventType, ...] = ()
        self.table = RecordTable(self.model, "Event Types")
        self.table.activates_rows = True
        # the event before the last click: a double click restores it
        self._previous_event: EventType | None = None
        self.table.clicked.connect(self._show_event)
        self.table.row_activated.connect(self._show_event)
        self.table.doubleClicked.connect(self._toggle_second_event)
        self.table.row_menu_requested.connect(self._fill_menu)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._update_actions())
        self.add_event_action = QAction("Add E&vent…", self, toolTip="Define an event by a formula")
        self.add_event_action.triggered.connect(lambda: self.new_event_requested.emit())
        tip = "Change the name or formula of a user-defined event"
        self.change_event_action = QAction("&Change…", self, toolTip=tip)
        self.change_event_action.triggered.connect(
            lambda: self._emit_current(self.change_requested)
        )
        tip = "Remove a user-defined event"
        self.remove_event_action = QAction("&Remove", self, toolTip=tip)
        self.remove_event_action.triggered.connect(
            lambda: self._emit_current(self.removal_requested)
        )
        self._actions = self.add_event_action, self.change_event_action, self.remove_event_action
        self.set_content(self._create_content(), self.table)

    def _create_content(self) -> QWidget:
        buttons, space = [QToolButton() for _ in self._actions], QWidget()
        for button, action in zip(buttons, self._actions, strict=True):
            button.setDefaultAction(action)
        return stacked(QWidget(), header_row(*buttons, space, most=space), self.table)

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the active function's costs of each event."""
        context = query.context
        if context.function == NO_NODE:
            self.model.clear()
            self._events = ()
            self.show_message(NO_FUNCTION_CHOSEN)
            return
        table = event_table(query)
        if query.events.all == self._events:
            self.model.show_numbers(table)
        else:
            self.model.show(table)
        self._events = events = query.events.all
        palette = QApplication.palette()
        self.model.set_colors(
            lambda record: event_color(events[record].name, palette, RowGround.PLAIN)
        )
        self.table.show_comparison(query.is_comparing)
        self.table.fit_numbers(only_wider=not change & (Change.PROFILE | Change.UNIT))
        if context.event in events:
            self.table.selectRow(self.model.index_of_record(events.index(context.event)).row())
        self._update_actions()
        self.show_content()

    def current_number(self) -> NumberRequest | None:
        """Return the inclusive or the self cost of the active function in the current event."""
        query, index = self.session.query, self.table.currentIndex()
        if query is None or not index.isValid() or query.context.function == NO_NODE:
            return None
        kind = NumberKind.SELF if self.table.current_key() == "self" else NumberKind.INCLUSIVE
        key = NumberKey(kind, query.context.function)
        return number_request(query, key, event=self._event_at(index))

    def _event_at(self, index: AnyIndex) -> EventType:
        return self._events[self.model.record(index)]

    def _show_event(self, index: QModelIndex) -> None:
        self._previous_event = self.navigation.context.event
        if self._event_at(index).name not in self.navigation.context.one_sided:
            self.navigation.set(event=self._event_at(index))

    def _toggle_second_event(self, index: QModelIndex) -> None:
        event = self._event_at(index)
        shown = self.navigation.context.second_event == event
        self.navigation.set(event=self._previous_event, second_event=None if shown else event)

    def _fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        if index.isValid():
            event, navigation = self._event_at(index), self.navigation
            show = menu.addAction("&Show This Event", lambda: navigation.set(event=event))
            show.setEnabled(event.name not in navigation.context.one_sided)
            menu.addAction("Show as &Second Event", lambda: navigation.set(second_event=event))
        if self.navigation.context.second_event is not None:
            menu.addAction("&Hide Second Event", lambda: self.navigation.set(second_event=None))
        menu.addSeparator()
        menu.addActions(self._actions)
        self.menu_requested.emit(menu, NO_NODE)

    def _update_actions(self) -> None:
        """Enable changing and removing for user events only."""
        index, names = self.table.currentIndex(), self._user_event_names()
        is_user_event = index.isValid() and self._event_at(index).name in names
        self.change_event_action.setEnabled(is_user_event)
        self.remove_event_action.setEnabled(is_user_event)

    def _user_event_names(self) -> set[str]:
        return {event.name for event in self.session.preparation.user_events}

    def _emit_current(self, signal: SignalInstance) -> None:
        index = self.table.currentIndex()
        if index.isValid():
            signal.emit(self._event_at(index))
