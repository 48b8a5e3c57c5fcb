"""The main window: creates session, docks, bars and commands, and connects them.

It contains no profile logic. What the first frame does not show is imported and created later: the
views of docks when they are shown, dialogs and menus on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QShowEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from qcachegrind_py.app.files.commands import FileCommands, RunningPrograms
from qcachegrind_py.app.files.drop import FileDrop
from qcachegrind_py.app.files.profile_status import ProblemReporter, ProfileStatus
from qcachegrind_py.app.files.saving import (
    REPORT_JOB,
    SAVE_JOB,
    STACKS_JOB,
    ReportExport,
    SaveCommand,
    StackExport,
)
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.code_actions import CodeActions
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.layouts import Layouts
from qcachegrind_py.app.frame.docks.registry import DockRegistry, import_views
from qcachegrind_py.app.frame.events import EventCombo, EventMenu
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.app.frame.frame import TABLE_JOB, Frame, confirm_stop_writing
from qcachegrind_py.app.frame.navigation import HistoryMenus, NavigationActions
from qcachegrind_py.app.frame.notices import Notices
from qcachegrind_py.app.frame.panels import Panel, PanelConnections, Panels, SplitDock
from qcachegrind_py.app.frame.settings_binding import SettingsBinding
from qcachegrind_py.app.frame.status_bar import StatusBar
from qcachegrind_py.app.frame.toolbar import Toolbar
from qcachegrind_py.app.frame.window_state import WindowState
from qcachegrind_py.app.help.menu import HelpMenu
from qcachegrind_py.app.palette.controller import CommandPalette
from qcachegrind_py.app.recording.controller import Keep, RecordingController
from qcachegrind_py.app.saved_views.commands import SavedViewCommands, ShownView
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.style.tips import fill_in_whats_this
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import OpensIn, Settings
from qcachegrind_py.views.active_function import ActiveFunctionHeader
from qcachegrind_py.views.widgets.controls import ValidatedEdit

if TYPE_CHECKING:
    from qcachegrind_py.analysis.queries import ProfileQueries
    from qcachegrind_py.app.frame.summary_bar import SummaryBar
    from qcachegrind_py.app.settings.shortcuts import Shortcuts
    from qcachegrind_py.app.settings.user_events import UserEvents
    from qcachegrind_py.app.welcome.page import WelcomePresenter

_ACTIVE_FUNCTION = (
    "The active function, which all views describe: name, location, number of calls and cost. "
    "Above it is the path that led here; click a step to go back to it."
)  # for What's This
_PROGRESS_DELAY_MS = 400  # most files are open by then
_IMPORT_DELAY_MS = 500  # after the first frame; the first profile is mostly shown by then


class MainWindow(QMainWindow):
    """A window that shows one profile."""

    closed = Signal()

    def __init__(self, settings: Settings, size: QSize | None = None) -> None:
        """`size` is chosen by that of the screen if it is not given."""
        super().__init__()
        self.settings = settings
        self.resize(self._initial_size() if size is None else size)
        self._first_frame: _FirstFrame | None = None
        self._summary_bar: SummaryBar | None = None
        self._create_session()
        self._create_controls()
        self._create_docks()
        self._create_menus()
        self._create_bars()
        self._create_frame()
        self._connect_actions()
        self._create_file_commands()
        self._connect_panels()
        self._create_dialogs()
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
        self.notices = Notices()
        self.event_combo = EventCombo(self.navigation, self.actions_["next_event"])
        self.second_event_combo = EventCombo(
            self.navigation, self.actions_["no_second_event"], is_second=True
        )
        self.filter_bar = FilterBar(self.session, self.actions_, self.notices)
        self.status_bar = StatusBar(self.statusBar(), self.actions_["cancel"])
        session, actions, bars = self.session, self.actions_, (self.status_bar, self.filter_bar)
        self._frame = Frame(self, self.settings, session, actions, self.notices, *bars)

    def _create_docks(self) -> None:
        self.views = DockRegistry(self.session, self.actions_)
        self._active_function = ActiveFunctionHeader(self.session)
        self._active_function.setWhatsThis(_ACTIVE_FUNCTION)
        self.setCentralWidget(self._active_function)
        self.split_dock = SplitDock(self, self.session, self.actions_)
        self.docks = Docks(self, self.views, [self.split_dock])
        self.layouts = Layouts(self, self.settings, self.docks, self.notices, self.actions_)

    def _create_menus(self) -> None:
        actions, menus = self.actions_, self.actions_.menus
        self._event_menus = (
            EventMenu(menus["event"], self.navigation),
            EventMenu(menus["second_event"], self.navigation, is_second=True),
        )
        for dock in self.docks.by_id.values():
            menus["docks"].addAction(dock.toggleViewAction())
        menus["go_to"].addActions(self.docks.go_to_actions)
        self.history_menus = HistoryMenus(self, self.session, self.settings)
        actions.fill_menu_bar(self.menuBar())

    def _create_bars(self) -> None:
        events = self.event_combo, self.second_event_combo
        menus = self.history_menus.by_action
        self._toolbar = Toolbar(self, self.session, self.actions_, menus, events, self.filter_bar)
        self.actions_.connect({"filter": self._toolbar.open_field})
        self.notices.lie_over(self)
        self._profile_status = ProfileStatus(self._frame)

    def _create_frame(self) -> None:
        """Create the objects that connect docks, bars and actions to session and settings."""
        frame, session, docks, views = self._frame, self.session, self.docks, self.views
        self.window_state = WindowState(self.settings, session, docks, views)
        self.settings_binding = SettingsBinding(frame, self._toolbar)
        self.code_actions = CodeActions(frame, self.settings_binding, docks, views)
        self.navigation_actions = NavigationActions(frame, docks, views)
        focused = DockRegistry.function_list.id
        first = Panel(session, docks, views, self._active_function, focused)
        self.panels = Panels(self, first, self.split_dock, self.actions_)

    def _connect_actions(self) -> None:
        self.actions_.connect(
            {
                "cancel": self._cancel,
                "record": lambda: self.recording.show(),
                "running": lambda: self.running.show(),
                "close": self.close,
                "next_event": self.event_combo.select_next,
                "new_event": lambda: self.user_events.add(),
                "all_parts": lambda: self.views.part_list.select_all(),
                "settings": self._show_settings,
                "properties": self._show_properties,
            }
        )
        self.session.opening.connect(lambda _paths: self.docks.prepare_pictures())
        self.session.opened.connect(self._on_opened)
        self.session.ended.connect(self._show_welcome)
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._apply_color_scheme)  # a lambda would keep the window

    def _connect_panels(self) -> None:
        """Connect the views, and those of the split once there is one."""
        self._panel_connections = PanelConnections(
            self._frame,
            self.code_actions,
            self.panels,
            self._file_drop.watch_line_edits,
            lambda: self.user_events,
        )
        self._panel_connections.connect(self.panels.current)
        self.panels.added.connect(self._add_panel)
        self.panels.changed.connect(self._follow_panel)

    def _add_panel(self, panel: Panel) -> None:
        self._panel_connections.connect(panel)
        self.code_actions.add_views(panel.views)
        self.window_state.add_panel(panel.docks, panel.views)

    def _follow_panel(self, panel: Panel) -> None:
        """Let commands apply to the panel that has become current."""
        self.docks.follow(panel.docks)
        self.history_menus.follow(panel.session)
        self.navigation_actions.follow(panel.session)
        self.command_palette.follow(panel.session)
        self.code_actions.follow(panel.docks, panel.views)

    def _create_file_commands(self) -> None:
        self.report_export = ReportExport(self._frame)
        self.stack_export = StackExport(self._frame)
        self.file_commands = FileCommands(self._frame)
        self._file_drop = FileDrop(self, self.session)
        self._file_drop.dropped.connect(self.open)
        self._file_drop.added.connect(self.file_commands.add)
        self._file_drop.compared.connect(self.file_commands.compare_dropped)
        self.save_command = SaveCommand(self._frame)
        self.saved_views = self._create_saved_views()
        self.file_commands.views_given.connect(self.saved_views.open)
        self.problem_reporter = ProblemReporter(self._frame)

    def _create_saved_views(self) -> SavedViewCommands:
        settings, actions, binding = self.settings, self.actions_, self.settings_binding
        shown = ShownView(self, settings, actions, self.filter_bar, binding, self.panels)
        views = settings, self.session, actions, self.notices, actions.menus["saved_views"]
        return SavedViewCommands(self, *views, shown)

    def _create_dialogs(self) -> None:
        keep = Keep(self._is_comparing, self.file_commands.window_requested.emit)
        self.recording = RecordingController(self, self.settings, self.notices, self.open, keep)
        self.running = RunningPrograms(self._frame, self.file_commands, self.recording.show)
        self.help_menu = HelpMenu(self._frame)
        self.command_palette = CommandPalette(self._frame, self._show_settings)

    def _initial_size(self) -> QSize:
        """Four fifths of the screen, at least 1280 × 800 pixels where they and a title bar fit."""
        screen = self.screen().availableSize() - QSize(0, 3 * self.fontMetrics().height())
        return QSize(1280, 800).expandedTo(screen * 4 / 5).boundedTo(screen)

    def _restore(self) -> None:
        self.window_state.restore_window(self)
        self.problem_reporter.report_settings_file()
        self.settings_binding.apply()
        if self.settings.key_bindings:
            self.shortcuts.apply()
        self._profile_status.show_profile()

    # ---------------------------------------------------------------- created on first use

    @cached_property
    def user_events(self) -> UserEvents:
        """The commands that add, change and remove events."""
        from qcachegrind_py.app.settings.user_events import UserEvents

        return UserEvents(self, self.settings, self.session)

    @cached_property
    def welcome(self) -> WelcomePresenter:
        """The welcome page, which covers the docks as long as there is no profile to show."""
        from qcachegrind_py.app.welcome.page import WelcomePresenter

        welcome = WelcomePresenter(
            self, self.settings, self.session, self.jobs, self.actions_, self.file_commands
        )
        welcome.closed_with_focus.connect(lambda: self.docks.show(DockRegistry.function_list.id))
        return welcome

    @cached_property
    def shortcuts(self) -> Shortcuts:
        """The keys of all actions, which the user can change."""
        from qcachegrind_py.app.settings.shortcuts import Shortcuts

        return Shortcuts(self.settings, self.menuBar())

    def _show_welcome(self) -> None:
        """Show the welcome page, unless a profile is open or being opened."""
        if self.session.queries is None and not self.session.is_opening:
            self.welcome.show()
        elif self._first_frame is None:
            self._active_function.setFocus()  # until the functions are there to have it

    def _show_progress(self) -> None:
        """Show what is being opened, in place of empty views."""
        if self.session.queries is None and self.session.is_opening:
            self.show()
            self.welcome.show_opening(self.session.pending_paths)

    def _complete(self) -> None:
        """Create what the first frame did not need."""
        self.docks.create_shown_views(in_turn=True)
        fill_in_whats_this(self)
        QTimer.singleShot(_IMPORT_DELAY_MS, self, lambda: self.jobs.start("imports", import_views))

    # ---------------------------------------------------------------- the open profile

    def show_when_opened(self) -> None:
        """Show the window with the profile being opened, or with its progress if that takes long.

        The first thing to be seen is then the list of functions, not an empty window before it.
        """
        self.session.ended.connect(self.show, Qt.ConnectionType.SingleShotConnection)
        QTimer.singleShot(_PROGRESS_DELAY_MS, self, self._show_progress)

    def open(self, paths: Sequence[Path], *, with_siblings: bool = True) -> None:
        """Open files as one profile in the background."""
        self.file_commands.open(paths, with_siblings=with_siblings)

    def _is_comparing(self) -> bool:
        """Whether a profile that opens would replace a comparison."""
        comparing = self.session.comparing
        is_replaced = self.settings.opens_in is not OpensIn.NEW
        return is_replaced and (comparing.is_of_files or comparing.is_of_parts)

    def _cancel(self) -> None:
        """Cancel the operation whose progress the status bar shows."""
        if self.session.is_opening:
            self.session.cancel()
        else:
            self.save_command.cancel()

    def _on_opened(self, queries: ProfileQueries) -> None:
        # painting has a turn of the event loop of its own after filling the views: 40 ms each
        if self.updatesEnabled():  # not while a picture of it is made
            self.setUpdatesEnabled(False)
            QTimer.singleShot(1, self, self._paint_opened)
        self.show()
        if self._summary_bar is None:
            self._create_summary_bar()
        self.docks.create_shown_views()
        if self.focusWidget() is self._active_function:  # also before the window is active
            self.docks.show(DockRegistry.function_list.id)
        self.window_state.switch_program()
        self.actions_["fold_levels"].setEnabled(self.settings.fold_levels or queries.has_levels)
        self.actions_.enable_for_profile()
        self.actions_["cycles"].setEnabled(queries.profile.contexts is None)  # stacks need none
        self.docks.enable_go_to_actions(True)

    def _paint_opened(self) -> None:
        # what has appeared gets its place before it is painted, and not in a second painting
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        self.setUpdatesEnabled(True)
        # Qt posts no request to paint what has been dirty since updates were disabled
        request, later = QEvent(QEvent.Type.UpdateRequest), Qt.EventPriority.LowEventPriority.value
        QCoreApplication.postEvent(self, request, later)

    def _create_summary_bar(self) -> None:
        from qcachegrind_py.app.frame.summary_bar import Leads, SummaryBar

        leads = Leads(self._frame, self.docks, self.views)
        self._summary_bar = SummaryBar(self._frame, leads)
        self._profile_status.comparison_followed.connect(leads.follow)

    def _show_properties(self) -> None:
        from qcachegrind_py.app.files.dialogs import show_properties

        show_properties(self.session, self)

    def _show_settings(self, setting: str = "") -> None:
        """Open the settings dialog, at the setting of this name, if any; changes apply at once."""
        from qcachegrind_py.app.settings.dialog import SettingsDialog

        dialog = SettingsDialog(self.settings, self.shortcuts, self)
        dialog.changed.connect(self.settings_binding.apply)
        dialog.open()
        if setting:
            dialog.show_setting(setting)

    def _apply_color_scheme(self) -> None:
        theme.apply(self.settings.color_scheme)

    def confirm_close(self) -> bool:
        """Return whether the window may close; ask the user if something would be lost."""
        writing = SAVE_JOB, REPORT_JOB, STACKS_JOB, TABLE_JOB
        return self.recording.confirm_close() and all(
            confirm_stop_writing(self, jobs, writing) for jobs in self.panels.job_runners
        )

    def close_unasked(self) -> None:
        """Close the window; end a recording, and stop what is being written, without asking."""
        self.recording.end()
        self.jobs.stop()
        self.close()

    # ---------------------------------------------------------------- Qt's events

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "actions_"):
            self.actions_.recolor(self.palette())
            if "welcome" in vars(self):
                self.welcome.page.recolor()
            for edit in self.findChildren(ValidatedEdit):
                edit.update_color()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._show_welcome()
        if self._first_frame is None:
            self._first_frame = _FirstFrame(self)
            self._first_frame.painted.connect(self._complete)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        if not self.confirm_close():
            event.ignore()
            return
        self.file_commands.remember_opened()
        self.settings.geometry = self.saveGeometry()
        self.window_state.save()
        self.running.end()
        self.jobs.stop()
        self.views.close()
        self.split_dock.close_panel()
        super().closeEvent(event)
        self.closed.emit()


class _FirstFrame(QObject):
    """Emits `painted` once, in the turn of the event loop after the window's first repaint.

    Whatever the first frame does not show can be created then.
    """

    painted = Signal()

    def __init__(self, window: QWidget) -> None:
        # The widget, not its QWindow: at the address of one that was deleted, PySide takes a new
        # QWindow for the old one, and raises an error at each use.
        super().__init__(window)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() is QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.painted.emit)  # the window has repainted by then
        return False
