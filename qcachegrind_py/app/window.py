"""The main window: puts session, views, docks and actions together. It holds no profile logic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QMainWindow, QMenu

from qcachegrind_py.analysis.queries import Questions
from qcachegrind_py.app.files.commands import FileCommands
from qcachegrind_py.app.files.drop import FileDrop
from qcachegrind_py.app.files.problem_reporter import Troubles
from qcachegrind_py.app.files.profile_notices import listed
from qcachegrind_py.app.files.report_export import ReportExport
from qcachegrind_py.app.files.save_command import Saving
from qcachegrind_py.app.frame import whats_this
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.code_actions import CodeDocks
from qcachegrind_py.app.frame.confirm_close import may_stop_writing
from qcachegrind_py.app.frame.dock_registry import Views
from qcachegrind_py.app.frame.docks import Docks, Layouts
from qcachegrind_py.app.frame.event_combo import EventChoice
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.app.frame.function_menu import FunctionMenu
from qcachegrind_py.app.frame.jump_dialog import JumpDialog
from qcachegrind_py.app.frame.menus import (
    Menus,
    WayMenus,
    fill_menu_bar,
    fill_toolbar,
    grouping_menu,
    strip_below_toolbar,
)
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.app.frame.settings_binding import Preferences
from qcachegrind_py.app.frame.status_bar import Status
from qcachegrind_py.app.frame.whats_this import explain
from qcachegrind_py.app.frame.window_state import Memory
from qcachegrind_py.app.help.menu import Help
from qcachegrind_py.app.recording.controller import Recordings
from qcachegrind_py.app.settings.dialog import SettingsDialog
from qcachegrind_py.app.settings.user_events import OwnEvents
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.welcome.presenter import StartPage
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.views.active_function import ActiveFunction
from qcachegrind_py.views.search_edit import CheckedEdit

_TITLE = "QCachegrind.py"


class MainWindow(QMainWindow):
    """One window, one profile."""

    closed = Signal()

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.jobs = JobRunner(self)
        self.navigation = Navigation(self)
        self.session = Session(self.jobs, self.navigation)
        self.actions_ = Actions(self)
        self.notices = NoticeStrip()
        self.events = EventChoice(self.navigation)
        self.second_events = EventChoice(self.navigation, is_second=True)
        self.filter = FilterBar(self.session, self.navigation, self.actions_["own_code"])
        self.views = Views(self.session, self.navigation, self.actions_)
        self._active_function = ActiveFunction(self.session, self.navigation)
        self.setCentralWidget(self._active_function)
        self.setWindowTitle(_TITLE)
        self.resize(self._first_size())
        self.docks = Docks(self, self.views.by_title())
        self._jump = JumpDialog(self)
        self.layouts = Layouts(self, settings, self.docks, self.notices, self.actions_)
        self._menus = Menus(
            QMenu("Open Re&cent", self),
            QMenu("Ta&ke Away", self),
            self.layouts.menu,
            grouping_menu(self, self.session.group_by),
        )
        self.ways = WayMenus(self, self.session, self.navigation, settings)
        fill_menu_bar(self, self.actions_, self.docks, self._menus)
        fill_toolbar(self, self.actions_, self.ways, self.events, self.second_events, self.filter)
        self._strip = strip_below_toolbar(self, self.notices)
        self.notices.filled.connect(self._strip.setVisible)
        self.status = Status(self.statusBar(), self.actions_["cancel"])
        self.memory = Memory(settings, self.session, self.docks)
        self.own_events = OwnEvents(self, settings, self.session, self.navigation)
        self.preferences = Preferences(
            settings, self.session, self.navigation, self.actions_, self.filter
        )
        self.code_docks = CodeDocks(
            self, settings, self.preferences, self.docks, self.views, self.actions_, self.notices
        )
        self._connect()
        self.reports = ReportExport(
            self, self.session, self.navigation, self.actions_["report"], self.notices
        )
        self.files = FileCommands(
            self, settings, self.session, self.actions_, self.notices, self._menus
        )
        self._drop = FileDrop(self)
        self._drop.dropped.connect(self.open)
        self._drop.added.connect(self.files.add)
        self.recordings = Recordings(self, settings, self.notices, self.open)
        self.actions_["record"].triggered.connect(lambda _checked=False: self.recordings.show())
        self.troubles = Troubles(self, settings, self.session, self.actions_, self.notices)
        self.start_page = StartPage(
            self, settings, self.session, self.jobs, self.actions_, self.files
        )
        self.start_page.gave_way.connect(lambda: self.docks.show("Functions"))
        self.help = Help(self, self.actions_)
        self.saving = Saving(
            self, self.session, self.navigation, self.actions_, self.status, self.notices
        )
        self._explain()
        self._restore()

    def _first_size(self) -> QSize:
        """Most of the screen, so that a large one shows more at once."""
        screen = self.screen().availableSize()
        return QSize(1280, 800).expandedTo(screen * 4 / 5).boundedTo(screen)

    # ---------------------------------------------------------------- opening

    def open(self, paths: Sequence[Path], *, own_parts: bool = True) -> None:
        """Open files as one profile; the window stays usable meanwhile."""
        self.files.open(paths, own_parts=own_parts)

    def _on_opening(self, paths: Sequence[Path]) -> None:
        self.status.begin_progress(listed(paths))
        self.actions_["cancel"].setEnabled(True)

    def _stop(self) -> None:
        """Stop what the status bar tells of."""
        if self.session.is_opening:
            self.session.cancel()
        else:
            self.saving.cancel()

    def _on_ended(self) -> None:
        self.status.end_progress()
        self.actions_["cancel"].setEnabled(False)
        self.status.describe(self.session.questions, self.navigation.context)

    def _on_opened(self, questions: Questions) -> None:
        self.memory.enter()
        self.actions_["fold_levels"].setEnabled(self.settings.fold_levels or questions.has_levels)
        self.actions_["editor"].setEnabled(True)
        paths = self.session.paths
        more = f" +{len(paths) - 1}" if len(paths) > 1 else ""
        name = cell_text(paths[0].name) + more
        command = questions.profile.command
        program = f" [{cell_text(command)}]" if command else ""
        self.setWindowTitle(f"{name}{program} – {_TITLE}")

    # ---------------------------------------------------------------- the way

    def go_up(self) -> None:
        """Go to the caller that the way came from, or else to the costliest."""
        way = self.navigation.context.stack.way
        if len(way) > 1:
            self.navigation.select_function(way[-2])

    def _on_changed(self, context: Context, change: Change) -> None:
        self.actions_["back"].setEnabled(bool(self.navigation.behind))
        self.actions_["forward"].setEnabled(bool(self.navigation.ahead))
        self.actions_["up"].setEnabled(len(context.stack.way) > 1)
        self.actions_["no_filter"].setEnabled(bool(context.filter))
        self.actions_["no_second_event"].setEnabled(context.second_event is not None)
        self.actions_["all_parts"].setEnabled(context.scope.parts is not None)
        for action in self._menus.grouping.actions():
            action.setChecked(action.data() is context.grouping)
        if not self.session.is_opening:
            self.status.describe(self.session.questions, context)

    def jump(self) -> None:
        """Let the user type a few letters of a function."""
        if self.session.questions is not None:
            self._jump.begin(self.session.questions, self.navigation.context)

    def _search(self) -> None:
        self.docks.show("Functions")
        self.views.functions.search.setFocus()
        self.views.functions.search.selectAll()

    def _edit_filter(self) -> None:
        self.filter.setFocus()
        self.filter.selectAll()

    # ---------------------------------------------------------------- settings

    def show_settings(self) -> None:
        """Let the user change how the program works."""
        dialog = SettingsDialog(self.settings, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self.preferences.apply)
        dialog.open()

    def _follow_system(self) -> None:
        theme.apply(self.settings.color_scheme)

    # ---------------------------------------------------------------- putting together

    def _connect(self) -> None:
        actions = self.actions_
        for name, slot in {
            "close": self.close,
            "back": self.navigation.go_back,
            "forward": self.navigation.go_forward,
            "up": self.go_up,
            "jump": self.jump,
            "search": self._search,
            "filter": self._edit_filter,
            "no_filter": self.filter.remove,
            "next_event": self.events.choose_next,
            "no_second_event": lambda: self.navigation.set(second_event=None),
            "new_event": self.own_events.add,
            "all_parts": lambda: self.views.parts.choose([]),
            "settings": self.show_settings,
        }.items():
            actions[name].triggered.connect(lambda _checked=False, slot=slot: slot())
        for name in ("cancel", "back", "forward", "up", "no_filter", "no_second_event", "editor"):
            actions[name].setEnabled(False)
        actions["cancel"].triggered.connect(lambda _checked=False: self._stop())
        self.session.opening.connect(self._on_opening)
        self.session.progressed.connect(self.status.set_progress)
        self.session.opened.connect(self._on_opened)
        self.session.ended.connect(self._on_ended)
        self.navigation.changed.connect(self._on_changed)
        self._jump.chosen.connect(self.navigation.select_function)
        self._function_menu = FunctionMenu(  # kept: a connection alone does not
            self.session,
            self.navigation,
            self.filter,
            [actions[name] for name in ("back", "forward", "up")],
        )
        for view in self.docks.views.values():
            view.wanted_menu.connect(self._function_menu.fill)
        self.views.functions.groups.wanted_menu.connect(self._function_menu.fill_group)
        events = self.views.events
        events.wanted_new.connect(self.own_events.add)
        events.wanted_change.connect(self.own_events.change)
        events.wanted_removal.connect(self.own_events.remove)
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._follow_system)  # a lambda would keep the window

    def _explain(self) -> None:
        """Give everything its What's This."""
        explain(
            self,
            {
                self._active_function: whats_this.ACTIVE_FUNCTION,
                self.filter: whats_this.FILTER,
                self.events: whats_this.EVENT,
                self.second_events: whats_this.SECOND_EVENT,
                self._strip: whats_this.NOTICES,
                self.start_page.page: whats_this.WELCOME,
                **{getattr(self.status, name): text for name, text in whats_this.STATUS.items()},
            },
        )

    def _restore(self) -> None:
        if not self.settings.geometry.isEmpty():
            self.restoreGeometry(self.settings.geometry)
        self.memory.begin()
        self._strip.hide()  # whatever it said when the window was closed
        self.troubles.begin()
        self.preferences.apply()
        self.status.describe(None, self.navigation.context)

    def may_close(self) -> bool:
        """Whether the window may close; the user is asked where something would be lost."""
        return self.recordings.may_close() and may_stop_writing(self, self.jobs)

    # ---------------------------------------------------------------- Qt's events

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "actions_"):
            self.actions_.recolor(self.palette())
            self.start_page.page.recolor()
            for edit in self.findChildren(CheckedEdit):
                edit.recolor()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        if not self.may_close():
            event.ignore()
            return
        self.settings.geometry = self.saveGeometry()
        self.memory.keep()
        self.jobs.stop()
        self.views.close()
        super().closeEvent(event)
        self.closed.emit()
