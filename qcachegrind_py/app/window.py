"""The main window: puts session, views, docks and actions together. It holds no profile logic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QMainWindow, QMenu

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.app.files.commands import FileCommands
from qcachegrind_py.app.files.drop import FileDrop
from qcachegrind_py.app.files.problem_reporter import ProblemReporter
from qcachegrind_py.app.files.profile_notices import file_list_text
from qcachegrind_py.app.files.report_export import ReportExport
from qcachegrind_py.app.files.save_command import SaveCommand
from qcachegrind_py.app.frame import whats_this
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.code_actions import CodeActions
from qcachegrind_py.app.frame.confirm_close import confirm_stop_writing
from qcachegrind_py.app.frame.dock_registry import DockRegistry
from qcachegrind_py.app.frame.docks import Docks, Layouts
from qcachegrind_py.app.frame.event_combo import EventCombo
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.app.frame.function_menu import FunctionMenu
from qcachegrind_py.app.frame.jump_dialog import JumpDialog
from qcachegrind_py.app.frame.menus import (
    HistoryMenus,
    MenuSet,
    add_strip_below_toolbar,
    fill_menu_bar,
    fill_toolbar,
    grouping_menu,
)
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.app.frame.settings_binding import SettingsBinding
from qcachegrind_py.app.frame.status_bar import StatusBar
from qcachegrind_py.app.frame.whats_this import set_whats_this
from qcachegrind_py.app.frame.window_state import WindowState
from qcachegrind_py.app.help.menu import HelpMenu
from qcachegrind_py.app.recording.controller import RecordingController
from qcachegrind_py.app.settings.dialog import SettingsDialog
from qcachegrind_py.app.settings.user_events import UserEvents
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.welcome.presenter import WelcomePresenter
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.views.active_function import ActiveFunctionHeader
from qcachegrind_py.views.common.search_edit import ValidatedEdit

_TITLE = "QCachegrind.py"


class MainWindow(QMainWindow):
    """One window, one profile."""

    closed = Signal()

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.jobs = JobRunner(self)
        self.session = Session(
            self.jobs, lambda program: settings.program(program).place, parent=self
        )
        self.navigation = self.session.navigation
        self.actions_ = Actions(self)
        self.notices = NoticeStrip()
        self.event_combo = EventCombo(self.session.navigation)
        self.second_event_combo = EventCombo(self.session.navigation, is_second=True)
        self.filter_bar = FilterBar(self.session, self.actions_["own_code"])
        self.views = DockRegistry(self.session, self.actions_)
        self._active_function = ActiveFunctionHeader(self.session)
        self.setCentralWidget(self._active_function)
        self.setWindowTitle(_TITLE)
        self.resize(self._initial_size())
        self.docks = Docks(self, self.views.by_title())
        self._jump_dialog = JumpDialog(self)
        self.layouts = Layouts(self, settings, self.docks, self.notices, self.actions_)
        self._menus = MenuSet(
            QMenu("Open Re&cent", self),
            QMenu("Ta&ke Away", self),
            self.layouts.menu,
            grouping_menu(self, self.session.set_grouping),
        )
        self.history_menus = HistoryMenus(self, self.session, settings)
        fill_menu_bar(self, self.actions_, self.docks, self._menus)
        fill_toolbar(
            self,
            self.actions_,
            self.history_menus,
            self.event_combo,
            self.second_event_combo,
            self.filter_bar,
        )
        self._notice_bar = add_strip_below_toolbar(self, self.notices)
        self.notices.has_notices_changed.connect(self._notice_bar.setVisible)
        self.status_bar = StatusBar(self.statusBar(), self.actions_["cancel"])
        self.window_state = WindowState(settings, self.session, self.docks)
        self.user_events = UserEvents(self, settings, self.session)
        self.settings_binding = SettingsBinding(
            settings, self.session, self.actions_, self.filter_bar
        )
        self.code_actions = CodeActions(
            self,
            settings,
            self.settings_binding,
            self.docks,
            self.views,
            self.actions_,
            self.notices,
        )
        self._connect()
        self.report_export = ReportExport(self, self.session, self.actions_["report"], self.notices)
        self.file_commands = FileCommands(
            self, settings, self.session, self.actions_, self.notices, self._menus
        )
        self._file_drop = FileDrop(self)
        self._file_drop.dropped.connect(self.open)
        self._file_drop.added.connect(self.file_commands.add)
        self.recording = RecordingController(self, settings, self.notices, self.open)
        self.actions_["record"].triggered.connect(lambda _checked=False: self.recording.show())
        self.problem_reporter = ProblemReporter(
            self, settings, self.session, self.actions_, self.notices
        )
        self.welcome = WelcomePresenter(
            self, settings, self.session, self.jobs, self.actions_, self.file_commands
        )
        self.welcome.closed_with_focus.connect(lambda: self.docks.show("Functions"))
        self.help_menu = HelpMenu(self, self.actions_)
        self.save_command = SaveCommand(
            self, self.session, self.actions_, self.status_bar, self.notices
        )
        self._set_whats_this()
        self._restore()

    def _initial_size(self) -> QSize:
        """Most of the screen, so that a large one shows more at once."""
        screen = self.screen().availableSize()
        return QSize(1280, 800).expandedTo(screen * 4 / 5).boundedTo(screen)

    # ---------------------------------------------------------------- opening

    def open(self, paths: Sequence[Path], *, own_parts: bool = True) -> None:
        """Open files as one profile; the window stays usable meanwhile."""
        self.file_commands.open(paths, own_parts=own_parts)

    def _on_opening(self, paths: Sequence[Path]) -> None:
        self.status_bar.begin_progress(file_list_text(paths))
        self.actions_["cancel"].setEnabled(True)

    def _cancel(self) -> None:
        """Stop what the status bar tells of."""
        if self.session.is_opening:
            self.session.cancel()
        else:
            self.save_command.cancel()

    def _on_ended(self) -> None:
        self.status_bar.end_progress()
        self.actions_["cancel"].setEnabled(False)
        self.status_bar.show_profile(self.session.queries, self.navigation.context)

    def _on_opened(self, queries: ProfileQueries) -> None:
        self.window_state.switch_program()
        self.actions_["fold_levels"].setEnabled(self.settings.fold_levels or queries.has_levels)
        self.actions_["editor"].setEnabled(True)
        paths = self.session.paths
        more = f" +{len(paths) - 1}" if len(paths) > 1 else ""
        name = cell_text(paths[0].name) + more
        command = queries.profile.command
        program = f" [{cell_text(command)}]" if command else ""
        self.setWindowTitle(f"{name}{program} – {_TITLE}")

    # ---------------------------------------------------------------- the way

    def go_up(self) -> None:
        """Go to the caller that the way came from, or else to the costliest."""
        way = self.navigation.context.stack.path_to_active
        if len(way) > 1:
            self.navigation.select_function(way[-2])

    def _on_changed(self, context: Context, change: Change) -> None:
        self.actions_["back"].setEnabled(bool(self.navigation.back_history))
        self.actions_["forward"].setEnabled(bool(self.navigation.forward_history))
        self.actions_["up"].setEnabled(len(context.stack.path_to_active) > 1)
        self.actions_["no_filter"].setEnabled(bool(context.filter))
        self.actions_["no_second_event"].setEnabled(context.second_event is not None)
        self.actions_["all_parts"].setEnabled(context.scope.parts is not None)
        for action in self._menus.grouping.actions():
            action.setChecked(action.data() is context.grouping)
        if not self.session.is_opening:
            self.status_bar.show_profile(self.session.queries, context)

    def show_jump_dialog(self) -> None:
        """Let the user type a few letters of a function."""
        if self.session.queries is not None:
            self._jump_dialog.open_for(self.session.queries, self.navigation.context)

    def _focus_search(self) -> None:
        self.docks.show("Functions")
        self.views.functions.search.setFocus()
        self.views.functions.search.selectAll()

    def _focus_filter(self) -> None:
        self.filter_bar.setFocus()
        self.filter_bar.selectAll()

    # ---------------------------------------------------------------- settings

    def show_settings(self) -> None:
        """Let the user change how the program works."""
        dialog = SettingsDialog(self.settings, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self.settings_binding.apply)
        dialog.open()

    def _apply_color_scheme(self) -> None:
        theme.apply(self.settings.color_scheme)

    # ---------------------------------------------------------------- putting together

    def _connect(self) -> None:
        actions = self.actions_
        for name, slot in {
            "close": self.close,
            "back": self.navigation.go_back,
            "forward": self.navigation.go_forward,
            "up": self.go_up,
            "jump": self.show_jump_dialog,
            "search": self._focus_search,
            "filter": self._focus_filter,
            "no_filter": self.filter_bar.clear_filter,
            "next_event": self.event_combo.select_next,
            "no_second_event": lambda: self.navigation.set(second_event=None),
            "new_event": self.user_events.add,
            "all_parts": lambda: self.views.parts.select_parts([]),
            "settings": self.show_settings,
        }.items():
            actions[name].triggered.connect(lambda _checked=False, slot=slot: slot())
        for name in ("cancel", "back", "forward", "up", "no_filter", "no_second_event", "editor"):
            actions[name].setEnabled(False)
        actions["cancel"].triggered.connect(lambda _checked=False: self._cancel())
        self.session.opening.connect(self._on_opening)
        self.session.progressed.connect(self.status_bar.set_progress)
        self.session.opened.connect(self._on_opened)
        self.session.ended.connect(self._on_ended)
        self.navigation.changed.connect(self._on_changed)
        self._jump_dialog.chosen.connect(self.navigation.select_function)
        self._function_menu = FunctionMenu(  # kept: a connection alone does not
            self.session,
            self.filter_bar,
            [actions[name] for name in ("back", "forward", "up")],
        )
        for view in self.docks.views.values():
            view.menu_requested.connect(self._function_menu.fill)
        self.views.functions.groups.menu_requested.connect(self._function_menu.fill_group)
        events = self.views.events
        events.new_event_requested.connect(self.user_events.add)
        events.change_requested.connect(self.user_events.change)
        events.removal_requested.connect(self.user_events.remove)
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._apply_color_scheme)  # a lambda would keep the window

    def _set_whats_this(self) -> None:
        """Give everything its What's This."""
        set_whats_this(
            self,
            {
                self._active_function: whats_this.ACTIVE_FUNCTION,
                self.filter_bar: whats_this.FILTER,
                self.event_combo: whats_this.EVENT,
                self.second_event_combo: whats_this.SECOND_EVENT,
                self._notice_bar: whats_this.NOTICES,
                self.welcome.page: whats_this.WELCOME,
                **{
                    getattr(self.status_bar, name): text for name, text in whats_this.STATUS.items()
                },
            },
        )

    def _restore(self) -> None:
        if not self.settings.geometry.isEmpty():
            self.restoreGeometry(self.settings.geometry)
        self.window_state.restore_last()
        self._notice_bar.hide()  # whatever it said when the window was closed
        self.problem_reporter.report_settings_file()
        self.settings_binding.apply()
        self.status_bar.show_profile(None, self.navigation.context)

    def confirm_close(self) -> bool:
        """Whether the window may close; the user is asked where something would be lost."""
        return self.recording.confirm_close() and confirm_stop_writing(self, self.jobs)

    # ---------------------------------------------------------------- Qt's events

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "actions_"):
            self.actions_.recolor(self.palette())
            self.welcome.page.recolor()
            for edit in self.findChildren(ValidatedEdit):
                edit.update_color()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        if not self.confirm_close():
            event.ignore()
            return
        self.settings.geometry = self.saveGeometry()
        self.window_state.save()
        self.jobs.stop()
        self.views.close()
        super().closeEvent(event)
        self.closed.emit()
