"""What all views share: they follow the context, sleep while hidden, and say why they are empty."""

from __future__ import annotations

from typing import Any, Protocol

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QLabel,
    QSizePolicy,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.record_table import RecordTable

NO_PROFILE = "No profile is open.\nOpen one with Ctrl+O, or drop it here."


class NavigableWidget(Protocol):
    """A list, a tree or a picture of functions."""

    function_activated: Any  # a signal of Qt, with a NodeId: go to this function
    function_selected: Any  # the same: mark it


class ProfileView(QWidget):
    """A view of the open profile. Subclasses may narrow `concerns`, and implement `refresh`."""

    depends_on = ~Change.code_changes()
    menu_requested = Signal(object, object)  # QMenu, NodeId: to be filled for this function

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.navigation = session.navigation
        self.initial_focus: QWidget = self  # what has the keyboard when one goes to the view
        self._pending_change = Change.all_changes()
        self._is_active = True
        self._pages = QStackedLayout(self)
        self._message_label = message_label()
        empty = QWidget()
        column = QVBoxLayout(empty)
        column.addStretch()
        column.addWidget(self._message_label)
        column.addStretch()
        self._pages.addWidget(empty)
        session.navigation.changed.connect(self._on_changed)

    def connect_navigation(self, widget: NavigableWidget) -> None:
        """Go where the user goes in a widget, and mark everywhere what is selected in it."""
        navigation = self.navigation
        widget.function_activated.connect(navigation.select_function)
        widget.function_selected.connect(lambda function: navigation.set(selected=function))

    def set_content(self, content: QWidget) -> None:
        """Say what is seen where there is something to see; until then it is the message."""
        self._pages.addWidget(content)
        self.show_message(NO_PROFILE)

    def show_message(self, text: str) -> None:
        """Show, instead of the content, why there is none and what to do."""
        self._message_label.setText(text)
        self._pages.setCurrentIndex(0)

    def show_content(self) -> None:
        """Show the content."""
        self._pages.setCurrentIndex(1)

    @property
    def message(self) -> str:
        """The message that is seen; empty where the content is."""
        return self._message_label.text() if self._pages.currentIndex() == 0 else ""

    def save_state(self) -> list[QByteArray]:
        """What of the view is to be found again tomorrow: how room is shared out, and columns."""
        rooms = [splitter.saveState() for splitter in self.findChildren(QSplitter)]
        return [*rooms, *(table.save_columns() for table in self.findChildren(RecordTable))]

    def restore_state(self, states: list[QByteArray]) -> None:
        """Bring it back; what makes no sense is ignored."""
        splitters, tables = self.findChildren(QSplitter), self.findChildren(RecordTable)
        if len(states) == len(splitters) + len(tables):
            for splitter, state in zip(splitters, states, strict=False):
                splitter.restoreState(state)
            for table, state in zip(tables, states[len(splitters) :], strict=True):
                table.restore_columns(state)

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Show the context; `change` is what differs from the last time."""
        raise NotImplementedError

    def refresh_for(self, change: Change) -> None:
        """Refresh as after this change."""
        self._on_changed(self.navigation.context, change)

    def _on_changed(self, _context: Context, change: Change) -> None:
        self._pending_change |= change & self.depends_on
        if self._is_active and self.isVisible():
            self._refresh_pending()

    def set_active(self, active: bool) -> None:
        """Say whether it is in sight: behind a tab, Qt takes a view for visible."""
        self._is_active = active
        self.setEnabled(active)  # or Tab leads to it
        if active and self.isVisible():
            self._refresh_pending()

    def _refresh_pending(self) -> None:
        queries = self.session.queries
        if self._pending_change and queries is not None:
            change, self._pending_change = self._pending_change, Change(0)
            self.refresh(queries, self.navigation.context, change)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        if self._is_active:
            self._refresh_pending()


def message_label() -> QLabel:
    """Words in the middle of an empty view."""
    label = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    label.setMargin(label.fontMetrics().height())
    return label


class NoteLabel(QLabel):
    """Says in full what it says in its tooltip, too, where it is cut."""

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
