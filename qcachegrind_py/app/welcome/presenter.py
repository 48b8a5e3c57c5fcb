"""Shows the welcome page over the docks until the first profile is open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QTabBar, QToolBar, QWidget

from qcachegrind_py.app.files.commands import FileCommands
from qcachegrind_py.app.files.profile_status import file_list_text
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.whats_this import WELCOME, fill_in_whats_this
from qcachegrind_py.app.welcome.page import WelcomePage
from qcachegrind_py.formats.run_files import summarize_all
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings

_GEOMETRY_EVENTS = {
    QEvent.Type.Resize,
    QEvent.Type.Move,
    QEvent.Type.Show,
    QEvent.Type.Hide,
    QEvent.Type.LayoutRequest,
    QEvent.Type.ChildAdded,  # a new tab bar would cover the page
    QEvent.Type.ZOrderChange,  # a dock was raised
}


class Overlay(QObject):
    """Keeps the page on top of all widgets between the toolbars and the status bar."""

    def __init__(self, window: QMainWindow, page: QWidget) -> None:
        super().__init__(window)
        self._window, self._page = window, page
        page.setParent(window)
        page.setAutoFillBackground(True)
        self._geometry_timer = QTimer(self, singleShot=True, interval=0)
        self._geometry_timer.timeout.connect(self._update_geometry)
        self._watched = (window, window.statusBar(), *self._bars(), *self._docks())
        for widget in self._watched:
            widget.installEventFilter(self)
        self.show()

    def show(self) -> None:
        """Cover the docks."""
        self._page.show()
        self._update_geometry()

    def remove(self) -> None:
        """Uncover the docks and stop watching the window."""
        for widget in self._watched:
            widget.removeEventFilter(self)
        self._geometry_timer.stop()
        self._page.hide()
        for widget in self._covered_widgets():
            widget.setEnabled(True)

    @property
    def has_focus(self) -> bool:
        """Whether the page has the keyboard focus."""
        focus = QApplication.focusWidget()
        return focus is not None and self._page.isAncestorOf(focus)

    def _bars(self) -> list[QToolBar]:
        return self._window.findChildren(QToolBar)

    def _docks(self) -> list[QDockWidget]:
        return self._window.findChildren(QDockWidget)

    def _covered_widgets(self) -> list[QWidget]:
        """The widgets below the page; Qt creates and removes tab bars at any time."""
        bars = [bar for bar in self._window.findChildren(QTabBar) if bar.parent() is self._window]
        widgets: list[QWidget | None] = [self._window.centralWidget(), *self._docks(), *bars]
        return [widget for widget in widgets if widget is not None]

    def _update_geometry(self) -> None:
        """Fill the space between the bars, and disable the covered widgets."""
        window = self._window
        above = [window.menuBar(), *(bar for bar in self._bars() if bar.parent() is window)]
        top = max(bar.geometry().bottom() + 1 for bar in above if not bar.isHidden())
        status = window.statusBar()
        bottom = window.height() if status.isHidden() else status.y()
        self._page.setGeometry(0, top, window.width(), max(0, bottom - top))
        for widget in self._covered_widgets():  # or Tab reaches it; a floating dock is visible
            widget.setEnabled(widget.isWindow())
        self._page.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() in _GEOMETRY_EVENTS:
            self._geometry_timer.start()
            if isinstance(watched, QDockWidget):
                watched.setEnabled(watched.isWindow())
        return super().eventFilter(watched, event)


_ACTION_NAMES = ("open", "record", "compare_two", "example", "guide")
_SLOT = "recent files"


class WelcomePresenter(QObject):
    """Fills the welcome page and connects it to the session; inactive once a profile is open."""

    closed_with_focus = Signal()  # the page had the keyboard focus, which is free now

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        session: Session,
        jobs: JobRunner,
        actions: Actions,
        files: FileCommands,
    ) -> None:
        super().__init__(window)
        self._settings, self._session, self._jobs, self._files = settings, session, jobs, files
        choices = [actions[name] for name in _ACTION_NAMES]
        self.page = WelcomePage(choices, actions["cancel"])
        self.page.setWhatsThis(WELCOME)
        fill_in_whats_this(self.page)
        self.overlay = Overlay(window, self.page)
        self.page.chosen.connect(lambda path: files.open([path]))
        self.page.removal_requested.connect(files.forget_recent)
        files.recent_changed.connect(self.show_recent)
        session.opening.connect(self._on_opening)
        session.progressed.connect(self.page.set_progress)
        session.ended.connect(self.page.end_opening)
        session.opened.connect(lambda _queries: self._close())
        self.show_recent()
        self.page.setFocus()

    def show(self) -> None:
        """Show the page, unless it is visible already."""
        if self.page.isHidden():
            self.overlay.show()

    def show_recent(self) -> None:
        """Show the recent files, and start a job that adds their summaries."""
        if self._session.queries is not None:
            return
        paths = self._settings.recent_files
        self.page.set_recent(paths)
        if paths:
            job = self._jobs.start(_SLOT, summarize_all, paths)
            job.finished.connect(self.page.recent.set_summaries)

    def _on_opening(self, paths: Sequence[Path]) -> None:
        if self._session.queries is None:
            self.page.begin_opening(file_list_text(paths))

    def _close(self) -> None:
        if self.page.isHidden():
            return
        had_keyboard = self.overlay.has_focus
        self.overlay.remove()
        if had_keyboard:
            self.closed_with_focus.emit()
