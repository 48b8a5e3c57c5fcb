"""The events with the active function's costs in each: to choose from, to add to, to change."""

from __future__ import annotations

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.table import AnyIndex
from qcachegrind_py.models.events import EventModel, EventRow
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.context_formats import cost_format
from qcachegrind_py.views.common.profile_view import ProfileView
from qcachegrind_py.views.common.record_table import RecordTable
from qcachegrind_py.views.lists.call_list_base import NO_FUNCTION


class EventList(ProfileView):
    """A click shows an event's costs everywhere, a double click shows them beside the first's."""

    concerns = ~(
        Change.SELECTION | Change.FILTER | Change.GROUPING | Change.NAMES | Change.code_changes()
    )
    wanted_new = Signal()
    wanted_change = Signal(object)  # EventType: one of the user's
    wanted_removal = Signal(object)  # EventType

    def __init__(self, session: Session, navigation: Navigation) -> None:
        super().__init__(session, navigation)
        self.model = EventModel(self)
        self.table = _EventTable(self.model, "Event Types")
        self._before: EventType | None = None  # a click: the first of a double one shows it, too
        self.table.clicked.connect(self._choose)
        self.table.activated_row.connect(self._choose)
        self.table.doubleClicked.connect(self._toggle_second)
        self.table.wanted_menu.connect(self._fill_menu)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._allow())
        self.new = QAction("Add E&vent…", self)
        self.new.setToolTip("Define an event by a formula of others")
        self.new.triggered.connect(lambda: self.wanted_new.emit())
        self.change = QAction("&Change…", self)
        self.change.setToolTip("Change the name or the formula of an event of yours")
        self.change.triggered.connect(lambda: self._emit_current(self.wanted_change))
        self.removal = QAction("&Remove", self)
        self.removal.setToolTip("Remove an event of yours")
        self.removal.triggered.connect(lambda: self._emit_current(self.wanted_removal))
        self.set_content(self._arranged())
        self.first = self.table

    def _arranged(self) -> QWidget:
        content, row = QWidget(), QHBoxLayout()
        row.setContentsMargins(4, 2, 4, 2)
        for action in (self.new, self.change, self.removal):
            button = QToolButton(autoRaise=True)
            button.setDefaultAction(action)
            row.addWidget(button)
        row.addStretch()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.table)
        return content

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Show the costs of the active function."""
        if context.function < 0:
            self.model.clear()
            self.show_message(NO_FUNCTION)
            return
        self.model.set_rows(tuple(_row(queries, context, event) for event in queries.events.all))
        self.table.fit_numbers(only_wider=not change & (Change.PROFILE | Change.UNIT))
        events = queries.events.all
        if context.event in events:
            self.table.selectRow(self.model.index_of_record(events.index(context.event)).row())
        self._allow()
        self.show_content()

    def _event(self, index: AnyIndex) -> EventType:
        return self.model.rows[self.model.record(index)].event

    def _choose(self, index: QModelIndex) -> None:
        self._before = self.navigation.context.event
        self.navigation.set(event=self._event(index))

    def _toggle_second(self, index: QModelIndex) -> None:
        event = self._event(index)
        shown = self.navigation.context.second_event == event
        self.navigation.set(event=self._before, second_event=None if shown else event)

    def _fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        if index.isValid():
            event, navigation = self._event(index), self.navigation
            menu.addAction("&Show This Event", lambda: navigation.set(event=event))
            menu.addAction("Show as &Second Event", lambda: navigation.set(second_event=event))
        if self.navigation.context.second_event is not None:
            menu.addAction("&Hide Second Event", lambda: self.navigation.set(second_event=None))
        menu.addSeparator()
        menu.addActions([self.new, self.change, self.removal])

    def _allow(self) -> None:
        """What is built in or of the file cannot be changed."""
        index, names = self.table.currentIndex(), self._own_names()
        own = index.isValid() and self._event(index).name in names
        self.change.setEnabled(own)
        self.removal.setEnabled(own)

    def _own_names(self) -> set[str]:
        return {definition.name for definition in self.session.preparation.user_events}

    def _emit_current(self, signal: SignalInstance) -> None:
        index = self.table.currentIndex()
        if index.isValid():
            signal.emit(self._event(index))


def _row(queries: ProfileQueries, context: Context, event: EventType) -> EventRow:
    costs = queries.node_costs(context.function, event, context.scope)
    return EventRow(event, *costs, cost_format(queries, context, event))


class _EventTable(RecordTable):
    wanted_menu = Signal(object, object)  # QMenu, QPersistentModelIndex
    activated_row = Signal(object)  # QModelIndex: Return was pressed there

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.activated_row.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        self.wanted_menu.emit(menu, index)
