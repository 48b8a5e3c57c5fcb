"""Docks that come and go: *Explain Change* with a comparison, *History* with a history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QDockWidget

from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.session.session import HistorySession, Session
from qcachegrind_py.session.settings.store import Settings

_EXPLAIN_CHANGE = DockRegistry.explain_change.id


class ComparisonDock(QObject):
    """Shows the dock when a comparison begins, unless the user has closed it in an earlier one.

    Built-in layouts leave it open meanwhile. Opening it during a comparison brings it back for the
    next ones.
    """

    def __init__(self, docks: Docks, session: Session, settings: Settings) -> None:
        self._dock = docks.by_id[_EXPLAIN_CHANGE]
        super().__init__(self._dock)
        self._docks, self._settings = docks, settings
        self._is_comparing = False
        self._covered: QDockWidget | None = None  # what was in front before
        # in a turn of its own, after the views that follow the comparison: the new one takes 35 ms
        self._opening = QTimer(self, singleShot=True, interval=0)
        self._opening.timeout.connect(self._open)
        self._dock.installEventFilter(self)
        self._dock.toggleViewAction().triggered.connect(self._remember)
        docks.go_to_action(_EXPLAIN_CHANGE).triggered.connect(lambda: self._remember(True))
        session.navigation.changed.connect(self._follow)

    def _follow(self, context: Context, change: Change) -> None:
        is_comparing = context.base_parts is not None
        if change & Change.SCOPE and is_comparing != self._is_comparing:
            self._is_comparing = is_comparing
            self.apply()

    def apply(self) -> None:
        """Open or close the dock as fits, also after a layout was restored."""
        is_open = self._is_comparing and self._settings.explains_changes
        self._docks.keep(_EXPLAIN_CHANGE, is_open)
        if is_open:
            self._opening.start()
        else:
            self._close()

    def _open(self) -> None:
        """Show the dock, and remember the one that it covers."""
        if not self._dock.isHidden():
            return
        seen = [dock for dock_id, dock in self._docks.by_id.items() if self._docks.is_seen(dock_id)]
        self._dock.show()
        self._dock.raise_()
        tabs = self._docks.tabs_of(self._dock)
        self._covered = next((dock for dock in seen if dock in tabs), None)

    def _close(self) -> None:
        self._opening.stop()
        with self.behind():
            self._dock.hide()
        self._covered = None

    @contextmanager
    def behind(self) -> Iterator[None]:
        """Have in front what the dock covers, for a layout that is saved or left without it."""
        covered = self._covered if self._docks.is_seen(_EXPLAIN_CHANGE) else None
        if covered is None or covered.isHidden():
            yield
            return
        covered.raise_()
        yield
        if not self._dock.isHidden():
            self._dock.raise_()

    def _remember(self, is_open: bool) -> None:
        """Remember what the user did with the dock during a comparison."""
        if self._is_comparing and is_open != self._settings.explains_changes:
            self._settings.explains_changes = is_open
            self._docks.keep(_EXPLAIN_CHANGE, is_open)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Notice that the user closes the dock: layouts hide it, and close nothing."""
        if event.type() == QEvent.Type.Close:
            self._remember(False)
        return False


_NUMBER = DockRegistry.explain_number.id


class NumberDock(QObject):
    """Closes *Explanation* with its program, unless the user opened it as a view."""

    def __init__(self, docks: Docks, settings: Settings) -> None:
        self._dock = docks.by_id[_NUMBER]
        super().__init__(self._dock)
        self._docks, self._settings = docks, settings
        self._dock.installEventFilter(self)
        self._dock.toggleViewAction().triggered.connect(self._remember)

    def apply(self) -> None:
        """Close the dock after a layout was restored, unless it is to be kept."""
        is_kept = self._settings.keeps_explanation
        self._docks.keep(_NUMBER, is_kept)
        if not is_kept:
            self._dock.hide()

    def _remember(self, is_kept: bool) -> None:
        if is_kept != self._settings.keeps_explanation:
            self._settings.keeps_explanation = is_kept
            self._docks.keep(_NUMBER, is_kept)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Notice that the user closes the dock: layouts hide it, and close nothing."""
        if event.type() == QEvent.Type.Close:
            self._remember(False)
        return False


_HISTORY = DockRegistry.history.id


class HistoryDock(QObject):
    """Brings the dock to the front for another history, and closes it without one."""

    def __init__(self, docks: Docks, history: HistorySession) -> None:
        super().__init__(docks.by_id[_HISTORY])
        self._docks, self._history = docks, history
        # in a turn of its own, after the layout of another program was restored
        self._opening = QTimer(self, singleShot=True, interval=0)
        self._opening.timeout.connect(lambda: docks.show(_HISTORY))
        history.opened.connect(self._opening.start)
        history.changed.connect(lambda _state: self.apply())

    def apply(self) -> None:
        """Close the dock without a history, also if a restored layout has it open."""
        is_open = self._history.state.opened is not None
        self._docks.keep(_HISTORY, is_open)
        if not is_open:
            self._docks.by_id[_HISTORY].hide()
