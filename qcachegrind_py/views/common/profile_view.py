"""Base of all views: follows the context, idles while hidden, and explains an empty view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QLabel,
    QSizePolicy,
    QSplitter,
    QStackedLayout,
    QTableView,
    QWidget,
)

from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.empty_page import EmptyPage, Remedy
from qcachegrind_py.views.common.plain_text import tip_text

if TYPE_CHECKING:
    from qcachegrind_py.analysis.explanation.numbers import NumberRequest
    from qcachegrind_py.views.common.record_table import RecordTable
    from qcachegrind_py.views.common.table_actions import TableExport, TextExport

_COPY_SLOT = "copy"
NO_PROFILE = "No profile is open.\nOpen one from the File menu, or drop it here."


class NavigableWidget(Protocol):
    """A list, a tree or a picture of functions."""

    function_activated: Any  # Qt signal with a NodeId: go to this function
    function_selected: Any  # Qt signal with a NodeId: highlight this function


class ProfileView(QWidget):
    """A view of the open profile. Subclasses implement `refresh` and may narrow `depends_on`."""

    depends_on = ~Change.code_changes()
    menu_requested = Signal(object, object)  # QMenu, NodeId: the menu to fill for this function
    filter_clearing_requested = Signal()  # as the filter hides all content

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.navigation = session.navigation
        self.initial_focus: QWidget = self  # gets the keyboard focus when the user goes to the view
        self._pending_change = Change.all_changes()
        self._numbering: object = None  # of the functions and cycles in the content
        self._announced = _numbering(session.navigation.context)  # the one of the last change
        self._is_active = True
        self._pages = QStackedLayout(self)
        self._empty_page = EmptyPage()
        self._pages.addWidget(self._empty_page)
        session.navigation.changed.connect(self._on_changed)

    def connect_navigation(self, widget: NavigableWidget) -> None:
        """Make the functions activated and selected in a widget active and selected everywhere.

        Not before the view has been refreshed for the open profile and its cycles: another view
        that hides its list may give the keyboard to one that still has the numbers of before.
        """
        widget.function_activated.connect(self._activate)
        widget.function_selected.connect(self._select)

    def connect_saving(self, table: QWidget, save_requested: Any) -> None:
        """Save a list in a job whenever its signal `save_requested` brings a `TableExport`."""

        def save(export: TableExport) -> None:
            from qcachegrind_py.views.common.table_saving import save_table

            save_table(table, self.session.jobs, table.accessibleName(), export)

        save_requested.connect(save)

    def _copy(self, export: TextExport) -> None:
        """Copy a text, which a job creates: 50,000 rows take a second."""
        job = self.session.jobs.start(_COPY_SLOT, export)
        job.finished.connect(lambda text: QGuiApplication.clipboard().setText(text))

    def set_content(self, content: QWidget) -> None:
        """Set the content widget; the message stays visible until `show_content`."""
        self._pages.addWidget(content)
        for table in _tables_in(content):
            self.connect_saving(table, table.save_requested)
            table.copy_requested.connect(self._copy)
        self.show_message("" if self.session.is_opening else NO_PROFILE)

    def show_message(self, text: str, *remedies: Remedy) -> None:
        """Replace the content by a message: why it is missing and what to do."""
        self._empty_page.show_reason(text, *remedies)
        self._pages.setCurrentIndex(0)

    def show_content(self) -> None:
        """Show the content."""
        self._pages.setCurrentIndex(1)

    @property
    def message(self) -> str:
        """The visible message; empty while the content is visible."""
        return self._empty_page.label.text() if self._pages.currentIndex() == 0 else ""

    def save_state(self) -> list[QByteArray]:
        """Return the state of splitters and table columns, to be saved with the settings."""
        splitters = [splitter.saveState() for splitter in self.findChildren(QSplitter)]
        return [*splitters, *(table.save_columns() for table in _tables_in(self))]

    def restore_state(self, states: list[QByteArray]) -> None:
        """Restore a state from `save_state`; invalid states are ignored."""
        splitters, tables = self.findChildren(QSplitter), _tables_in(self)
        if len(states) == len(splitters) + len(tables):
            for splitter, state in zip(splitters, states, strict=False):
                splitter.restoreState(state)
            for table, state in zip(tables, states[len(splitters) :], strict=True):
                table.restore_columns(state)

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the query's results; `change` is the difference from the last refresh."""
        raise NotImplementedError

    def current_number(self) -> NumberRequest | None:
        """Return the number under the cursor, if it is one that can be explained."""
        return None

    def refresh_for(self, change: Change) -> None:
        """Refresh the view as if this change had happened."""
        self._on_changed(self.navigation.context, change)

    def _activate(self, function: NodeId) -> None:
        if self._numbering == _numbering(self.navigation.context):
            self.navigation.select_function(function)

    def _select(self, function: NodeId) -> None:
        if self._numbering == _numbering(self.navigation.context):
            self.navigation.set(selected=function)

    def _on_changed(self, context: Context, change: Change) -> None:
        self._pending_change |= change & self.depends_on
        self._announced = _numbering(context)
        if self._is_active and self.isVisible():
            self._refresh_pending()

    def set_active(self, active: bool) -> None:
        """Set whether the user can see the view: Qt reports a view behind a tab as visible."""
        self._is_active = active
        self.setEnabled(active)  # keeps Tab from moving the focus into a hidden view
        if active and self.isVisible():
            self._refresh_pending()

    def _refresh_pending(self) -> None:
        """Refresh the view, unless it has yet to be told of another profile or of other cycles.

        Another view that is told before may close its dock, and uncover this one.
        """
        query = self.session.query
        if query is None or self._announced != _numbering(query.context):
            return
        if self._pending_change:
            change, self._pending_change = self._pending_change, Change(0)
            self._numbering = self._announced
            self.refresh(query, change)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        if self._is_active:
            self._refresh_pending()


def _numbering(context: Context) -> object:
    """What the numbers of functions and cycles depend on."""
    return context.profile, context.scope


def _tables_in(widget: QWidget) -> list[RecordTable]:
    if not widget.findChildren(QTableView):
        return []
    from qcachegrind_py.views.common.record_table import RecordTable  # the first frame has none

    return widget.findChildren(RecordTable)


class NoteLabel(QLabel):
    """A one-line label that elides its text and shows it in full in its tooltip."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setContentsMargins(4, 0, 4, 2)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802
        super().setText(text)
        self.setToolTip(tip_text(text) if text else "")

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter, area = QPainter(self), self.contentsRect()
        side = Qt.TextElideMode.ElideRight
        shown = self.fontMetrics().elidedText(self.text(), side, area.width())
        role = self.foregroundRole()
        self.style().drawItemText(
            painter, area, Qt.AlignmentFlag.AlignVCenter, self.palette(), True, shown, role
        )
        painter.end()
