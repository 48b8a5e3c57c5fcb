"""Bases of all views: they follow the context, idle while hidden, and explain an empty view."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QByteArray, QEvent, QSize, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLayout,
    QSplitter,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.widgets.empty_page import EmptyPage, Remedy
from qcachegrind_py.views.widgets.grid import around, grid

if TYPE_CHECKING:
    from qcachegrind_py.analysis.explanation.numbers import NumberRequest
    from qcachegrind_py.views.tables.record_table import RecordTable
    from qcachegrind_py.views.tables.table_actions import TableExport, TextExport


_COPY_SLOT = "copy"
_LEAST_STEPS = 8  # of the grid: the least height of a view
NO_PROFILE = "No profile is open.\nOpen one from the File menu, or drop it here."


def stacked(content: QWidget, *parts: QWidget | QLayout, most: QWidget | None = None) -> QWidget:
    """Put widgets and layouts below each other, without room around and between them.

    `most` gets the height that the others leave. Return the content.
    """
    column = QVBoxLayout(content)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part in parts:
        if isinstance(part, QLayout):
            column.addLayout(part)
        else:
            column.addWidget(part, int(part is most))
    return content


def header_row(*widgets: QWidget, most: QWidget) -> QHBoxLayout:
    """Return a row of controls above a content; `most` gets the width that the others leave."""
    row = QHBoxLayout()
    row.setContentsMargins(around(0.5))
    row.setSpacing(grid(0.5))
    for widget in widgets:
        row.addWidget(widget, int(widget is most))
    return row


class NavigableWidget(Protocol):
    """A list, a tree or a picture of functions."""

    function_activated: Any  # Qt signal with a NodeId: go to this function
    function_selected: Any  # Qt signal with a NodeId: highlight this function


class ProfileView(QWidget):
    """A view of the open profile. Subclasses implement `refresh` and may narrow `depends_on`."""

    depends_on = ~Change.code_changes()
    keeps_room = False  # whether the content, as it is seen, always has its least height
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
        self._item_views: list[QAbstractItemView] = []
        self._pages = QStackedLayout(self)
        self._empty_page = EmptyPage()
        self._pages.addWidget(self._empty_page)
        self._covered = self._pages  # a message takes the place of what is in these pages
        session.navigation.changed.connect(self._on_changed)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Let a low window show all docks: no view asks for more than some rows.

        Of a picture above a list too little would be left; it has its room while the user sees it.
        """
        size = super().minimumSizeHint()
        if self.keeps_room and self._is_active and not self.message:
            return size
        return QSize(size.width(), min(size.height(), grid(_LEAST_STEPS)))

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
            from qcachegrind_py.views.tables.table_actions import save_table

            save_table(table, self.session.jobs, table.accessibleName(), export)

        save_requested.connect(save)

    def _copy(self, export: TextExport) -> None:
        """Copy a text, which a job creates: 50,000 rows take a second."""
        job = self.session.jobs.start(_COPY_SLOT, export)
        job.finished.connect(lambda text: QGuiApplication.clipboard().setText(text))

    def set_content(self, content: QWidget, initial_focus: QWidget | None = None) -> None:
        """Set the content widget; the message stays visible until `show_content`."""
        self._pages.addWidget(_ViewContent(content))
        self.initial_focus = initial_focus or self.initial_focus
        self._item_views = content.findChildren(QAbstractItemView)
        for table in _tables_in(content):
            self.connect_saving(table, table.save_requested)
            table.copy_requested.connect(self._copy)
        self.show_message("" if self.session.is_opening else NO_PROFILE)

    def show_message(self, text: str, *remedies: Remedy) -> None:
        """Replace the content by a message: why it is missing and what to do."""
        self._empty_page.show_reason(text, *remedies)
        self._show_page(0)

    def show_content(self) -> None:
        self._show_page(1)

    def _show_page(self, page: int) -> None:
        if page != self._covered.currentIndex():
            self._covered.setCurrentIndex(page)
            self.updateGeometry()

    def cover_by_messages(self, part: QWidget) -> QWidget:
        """Let messages take the place of a part of the content; return what it is in."""
        area = QWidget()
        self._covered = QStackedLayout(area)
        self._covered.addWidget(self._empty_page)
        # within another widget: one that is hidden itself would not take the keyboard
        self._covered.addWidget(stacked(QWidget(), part, most=part))
        return area

    @property
    def shows_content(self) -> bool:
        return self._covered.currentIndex() == 1

    @property
    def message(self) -> str:
        """The visible message; empty while the content is visible."""
        return "" if self.shows_content else self._empty_page.label.text()

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
        self.updateGeometry()
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
            for view in self._item_views:
                if view.isVisible():  # Qt lays out new rows while it paints, and then paints again
                    view.executeDelayedItemsLayout()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        if self._is_active:
            self._refresh_pending()


class _ViewContent(QWidget):
    """Holds the content of a view, and tells the window only if that needs more room than ever.

    Otherwise Qt lays out the whole window, dock by dock, after each text that changes in one.
    """

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        content.setParent(self)
        self._least = content.minimumSizeHint()  # the most of it since the content is visible

    def sizeHint(self) -> QSize:  # noqa: N802
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self._least.expandedTo(self._content.minimumSizeHint())

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._least = self._content.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._content.setGeometry(self.rect())

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            before, self._least = self._least, self.minimumSizeHint()
            if before != self._least:
                self.updateGeometry()
        return super().event(event)


def _numbering(context: Context) -> object:
    """What the numbers of functions and cycles depend on."""
    return context.profile, context.scope


def _tables_in(widget: QWidget) -> list[RecordTable]:
    if not widget.findChildren(QTableView):
        return []
    from qcachegrind_py.views.tables.record_table import RecordTable  # the first frame has none

    return widget.findChildren(RecordTable)


def has_cursor(widget: QWidget) -> bool:
    """Whether keys go to a widget, also while a menu is open or another window is in front."""
    return widget.window().focusWidget() is widget


BUSY_TEXT = "One moment…"
_STALE_DELAY = 120  # ms: faster jobs finish without the content turning grey


class JobView(ProfileView):
    """A view with one background job at a time; subclasses call `start_job` in `refresh`.

    While a job runs, the previous content stays visible and turns grey.
    """

    invalidated_by = Change.PROFILE | Change.SCOPE  # these renumber functions and cycles

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(session)
        self.title = title
        self._stale_timer = QTimer(self, singleShot=True, interval=_STALE_DELAY)
        self._stale_timer.timeout.connect(self._show_busy)

    # ---------------------------------------------------------------- for the subclasses

    def content_inputs(self, context: Context) -> object:
        """Return the inputs of the content; a result computed from other inputs is discarded."""
        raise NotImplementedError

    def clear(self) -> None:
        """Remove the content and every reference to the profile."""
        raise NotImplementedError

    def set_stale(self, stale: bool) -> None:
        """Grey the content while its replacement is being computed."""
        raise NotImplementedError

    def show_result(self, result: Any, show: Callable[[Any], None]) -> None:
        self.show_content()
        show(result)

    def show_error(self, error: ProfileError) -> None:
        self.show_placeholder(cell_text(str(error)))

    # ---------------------------------------------------------------- jobs

    def start_job(self, work: Callable[..., object], show: Callable[[Any], None]) -> None:
        """Start computing new content; grey the old if that is slow."""
        inputs = self.content_inputs(self.navigation.context)
        job = self.session.jobs.start_when_painted(self.title, work)
        job.finished.connect(lambda result: self._on_finished(result, show, inputs))
        job.failed.connect(self.show_error)
        if not self._stale_timer.isActive():
            self._stale_timer.start()

    def _show_busy(self) -> None:
        """Grey the old content, or replace an outdated message."""
        if self.message:
            self.show_message(BUSY_TEXT)
        else:
            self.set_stale(True)

    def cancel_job(self) -> None:
        self.session.jobs.cancel(self.title)
        self._stale_timer.stop()

    def show_placeholder(self, message: str, *remedies: Remedy) -> None:
        self.cancel_job()
        self.clear()
        self.show_message(message, *remedies)

    def invalidate(self) -> None:
        """Discard content that refers to functions and cycles by number."""
        self.cancel_job()
        self.clear()

    def _on_changed(self, context: Context, change: Change) -> None:
        """Discard the content of another profile at once, even in an inactive view."""
        if change & self.invalidated_by:
            self.invalidate()
        super()._on_changed(context, change)

    def _on_finished(self, result: object, show: Callable[[Any], None], inputs: object) -> None:
        self._stale_timer.stop()
        if inputs != self.content_inputs(self.navigation.context):
            return  # the view was inactive when the inputs changed; it starts a new job once shown
        self.set_stale(False)
        self.show_result(result, show)
