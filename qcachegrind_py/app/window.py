"""The main window: creates session, docks, bars and commands, and connects them.

It contains no profile logic.
"""

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
from qcachegrind_py.app.files.profile_status import ProfileStatus
from qcachegrind_py.app.files.report_export import REPORT_JOB, ReportExport
from qcachegrind_py.app.files.save_command import SAVE_JOB, SaveCommand
from qcachegrind_py.app.frame import whats_this
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.code_actions import CodeActions
from qcachegrind_py.app.frame.confirm_close import TABLE_JOB, confirm_stop_writing
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.layouts import Layouts
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.frame.event_combo import EventCombo
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.app.frame.function_menu import FunctionMenu
from qcachegrind_py.app.frame.menus import (
    HistoryMenus,
    MenuSet,
    add_strip_below_toolbar,
    fill_menu_bar,
    fill_toolbar,
    grouping_menu,
)
from qcachegrind_py.app.frame.navigation_actions import NavigationActions, SearchActions
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
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.views.active_function import ActiveFunctionHeader
from qcachegrind_py.views.common.search_edit import ValidatedEdit


class MainWindow(QMainWindow):
    """A window that shows one profile."""

    closed = Signal()

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self._create_session()
        self._create_controls()
        self._create_docks()
        self._create_menus()
        self._create_bars()
        self._create_frame()
        self._connect_actions()
        self._connect_views()
        self._create_file_commands()
        self._create_dialogs_and_pages()
        self._set_whats_this()
        self._restore()

    # ---------------------------------------------------------------- construction

    def _create_session(self) -> None:
        settings = self.settings
        self.jobs = JobRunner(self)
        self.session = Session(
            self.jobs, lambda program: settings.program(program).place, parent=self
        )
        self.navigation = self.session.navigation

    def _create_controls(self) -> None:
        """Create the actions and the widgets of the toolbars."""
        self.actions_ = Actions(self)
        self.notices = NoticeStrip()
        self.event_combo = EventCombo(self.navigation)
        self.second_event_combo = EventCombo(self.navigation, is_second=True)
        self.filter_bar = FilterBar(self.session, self.actions_["own_code"])

    def _create_docks(self) -> None:
        self.views = DockRegistry(self.session, self.actions_)
        self._active_function = ActiveFunctionHeader(self.session)
        self.setCentralWidget(self._active_function)
        self.resize(self._initial_size())
        self.docks = Docks(self, self.views)
        self.layouts = Layouts(self, self.settings, self.docks, self.notices, self.actions_)

    def _create_menus(self) -> None:
        self._menus = MenuSet(
            QMenu("Open Re&cent", self),
            QMenu("Ta&ke Away", self),
            self.layouts.menu,
            grouping_menu(self, self.session.set_grouping),
        )
        self.history_menus = HistoryMenus(self, self.session, self.settings)
        fill_menu_bar(self, self.actions_, self.docks, self._menus)

    def _create_bars(self) -> None:
        combos = self.event_combo, self.second_event_combo
        fill_toolbar(self, self.actions_, self.history_menus, *combos, self.filter_bar)
        self._notice_bar = add_strip_below_toolbar(self, self.notices)
        self.notices.has_notices_changed.connect(self._notice_bar.setVisible)
        self.status_bar = StatusBar(self.statusBar(), self.actions_["cancel"])
        self._profile_status = ProfileStatus(self, self.session, self.actions_, self.status_bar)

    def _create_frame(self) -> None:
        """Create the objects that connect docks, bars and actions to session and settings."""
        session, settings, actions = self.session, self.settings, self.actions_
        self.window_state = WindowState(settings, session, self.docks)
        self.user_events = UserEvents(self, settings, session)
        self.settings_binding = SettingsBinding(settings, session, actions, self.filter_bar)
        code = self.settings_binding, self.docks, self.views, actions, self.notices
        self.code_actions = CodeActions(self, settings, *code)
        self.search_actions = SearchActions(
            self, session, actions, self.docks, self.views, self.filter_bar
        )
        self._navigation_actions = NavigationActions(self.navigation, actions, self._menus.grouping)
        history_actions = [actions[name] for name in ("back", "forward", "up")]
        self._function_menu = FunctionMenu(session, self.filter_bar, history_actions)

    def _connect_actions(self) -> None:
        self.actions_.connect(
            {
                "cancel": self._cancel,
                "record": lambda: self.recording.show(),
                "close": self.close,
                "next_event": self.event_combo.select_next,
                "new_event": self.user_events.add,
                "all_parts": lambda: self.views.part_list.select_parts([]),
                "settings": self._show_settings,
            }
        )
        self.actions_["editor"].setEnabled(False)

        self.session.opened.connect(self._on_opened)
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._apply_color_scheme)  # a lambda would keep the window

    def _connect_views(self) -> None:
        for view in self.docks.views.values():
            view.menu_requested.connect(self._function_menu.fill)
        self.views.function_list.groups.menu_requested.connect(self._function_menu.fill_group)
        events = self.views.event_list
        events.new_event_requested.connect(self.user_events.add)
        events.change_requested.connect(self.user_events.change)
        events.removal_requested.connect(self.user_events.remove)

    def _create_file_commands(self) -> None:
        session, actions, notices = self.session, self.actions_, self.notices
        self.report_export = ReportExport(self, session, actions, notices)
        self.file_commands = FileCommands(
            self, self.settings, session, actions, notices, self._menus
        )
        self._file_drop = FileDrop(self)
        self._file_drop.dropped.connect(self.open)
        self._file_drop.added.connect(self.file_commands.add)
        self.save_command = SaveCommand(self, session, actions, self.status_bar, notices)
        self.problem_reporter = ProblemReporter(self, self.settings, session, actions, notices)

    def _create_dialogs_and_pages(self) -> None:
        self.recording = RecordingController(self, self.settings, self.notices, self.open)
        self.welcome = WelcomePresenter(
            self, self.settings, self.session, self.jobs, self.actions_, self.file_commands
        )
        self.welcome.closed_with_focus.connect(
            lambda: self.docks.show(DockRegistry.function_list.id)
        )
        self.help_menu = HelpMenu(self, self.actions_)

    def _initial_size(self) -> QSize:
        """Four fifths of the screen, at least 1280 × 800 pixels where they fit."""
        screen = self.screen().availableSize()
        return QSize(1280, 800).expandedTo(screen * 4 / 5).boundedTo(screen)

    def _set_whats_this(self) -> None:
        """Set the What's This texts of all widgets and actions."""
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
        self._notice_bar.hide()  # its saved state may be visible
        self.problem_reporter.report_settings_file()
        self.settings_binding.apply()
        self._profile_status.show_profile()

    # ---------------------------------------------------------------- the open profile

    def open(self, paths: Sequence[Path], *, with_siblings: bool = True) -> None:
        """Open files as one profile in the background."""
        self.file_commands.open(paths, with_siblings=with_siblings)

    def _cancel(self) -> None:
        """Cancel the operation whose progress the status bar shows."""
        if self.session.is_opening:
            self.session.cancel()
        else:
            self.save_command.cancel()

    def _on_opened(self, queries: ProfileQueries) -> None:
        self.window_state.switch_program()
        self.actions_["fold_levels"].setEnabled(self.settings.fold_levels or queries.has_levels)
        self.actions_["editor"].setEnabled(True)

    def _show_settings(self) -> None:
        """Open the settings dialog; changes apply at once."""
        dialog = SettingsDialog(self.settings, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self.settings_binding.apply)
        dialog.open()

    def _apply_color_scheme(self) -> None:
        theme.apply(self.settings.color_scheme)

    def confirm_close(self) -> bool:
        """Return whether the window may close; ask the user if something would be lost."""
        return self.recording.confirm_close() and confirm_stop_writing(
            self, self.jobs, (SAVE_JOB, REPORT_JOB, TABLE_JOB)
        )

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
