"""The main window: puts session, views, docks and actions together. It holds no profile logic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QComboBox, QFileDialog, QMainWindow, QMenu, QMessageBox

from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.app import theme
from qcachegrind_py.app.actions import Actions
from qcachegrind_py.app.diagnostics_dialog import DiagnosticsDialog
from qcachegrind_py.app.docks import Docks
from qcachegrind_py.app.menus import (
    fill_events,
    fill_menu_bar,
    fill_recent,
    fill_toolbar,
    strip_below_toolbar,
)
from qcachegrind_py.app.notices import NoticeStrip
from qcachegrind_py.app.resources import EXAMPLE, resource
from qcachegrind_py.app.status import Status
from qcachegrind_py.models.numbers import grouped
from qcachegrind_py.models.plain_text import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.session.context import Change, Context, CostUnit
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings import ColorScheme, Settings
from qcachegrind_py.version import version_text
from qcachegrind_py.views.active_function import ActiveFunction
from qcachegrind_py.views.call_list import CallList, Direction
from qcachegrind_py.views.function_list import FunctionList

_TITLE = "QCachegrind.py"
_FILES = "callgrind.out* cachegrind.out* *.callgrind *.out *.gz *.bz2 *.xz *.zst"


class MainWindow(QMainWindow):
    """One window, one profile."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.jobs = JobRunner(self)
        self.navigation = Navigation(self)
        self.session = Session(self.jobs, self.navigation)
        self.actions_ = Actions(self)
        self.notices = NoticeStrip()
        self.events = QComboBox()
        self.functions = FunctionList(
            self.session,
            self.navigation,
            self.actions_["regular_expression"],
            first_steps=(self.actions_["open"], self.actions_["example"]),
        )
        self.callers = CallList(self.session, self.navigation, Direction.CALLERS)
        self.callees = CallList(self.session, self.navigation, Direction.CALLEES)
        self.setCentralWidget(ActiveFunction(self.session, self.navigation))
        self.setWindowTitle(_TITLE)
        self.setAcceptDrops(True)
        self.resize(1280, 800)
        self.docks = Docks(
            self,
            {"Functions": self.functions, "Callers": self.callers, "Callees": self.callees},
        )
        self._recent = QMenu("Open Re&cent", self)
        fill_menu_bar(self, self.actions_, self.docks, self._recent)
        fill_toolbar(self, self.actions_, self.events)
        self._strip = strip_below_toolbar(self, self.notices)
        self.notices.filled.connect(self._strip.setVisible)
        self.status = Status(self.statusBar(), self.actions_["cancel"])
        self._connect()
        self._restore()

    # ---------------------------------------------------------------- opening

    def open(self, paths: Sequence[Path], *, own_parts: bool = True) -> None:
        """Open files as one profile; the window stays usable meanwhile."""
        if paths:
            self.session.open([path.absolute() for path in paths], own_parts=own_parts)

    def choose_files(self) -> None:
        """Ask for files, and open them."""
        recent = self.settings.recent_files
        folder = str(recent[0].parent) if recent else ""
        filters = f"Profiles ({_FILES});;All files (*)"
        names, _ = QFileDialog.getOpenFileNames(self, "Open Profiles", folder, filters)
        self.open([Path(name) for name in names])

    def reload(self) -> None:
        """Read the open files again."""
        self.open(self.session.paths, own_parts=self.session.own_parts)

    def _on_opening(self, paths: Sequence[Path]) -> None:
        self.notices.close_notice("error")
        self.status.begin_progress(", ".join(path.name for path in paths))
        self.actions_["cancel"].setEnabled(True)

    def _on_ended(self) -> None:
        self.status.end_progress()
        self.actions_["cancel"].setEnabled(False)
        self.status.describe(self.session.questions, self.navigation.context)

    def _on_failed(self, error: ProfileError) -> None:
        self.notices.show_notice("error", cell_text(str(error)))

    def _on_opened(self, questions: Questions) -> None:
        profile = questions.profile
        self.notices.close_all()
        for path in self.session.paths:
            self.settings.add_recent_file(path)
        self._fill_recent()
        fill_events(self.events, profile.events.all, self.navigation.context.event)
        name = cell_text(self.session.paths[0].name)
        command = f" [{cell_text(profile.command)}]" if profile.command else ""
        self.setWindowTitle(f"{name}{command} – {_TITLE}")
        others = set(profile.paths) - {str(path) for path in self.session.paths}
        if others:
            files = f"{grouped(len(others))} other file{'' if len(others) == 1 else 's'}"
            self.notices.show_notice(
                "information",
                f"Read with {files} of the same run.",
                ("Only This File", lambda: self.open(self.session.paths, own_parts=False)),
            )
        if profile.diagnostic_count:
            first = profile.diagnostics[0]
            place = f"Line {grouped(first.line)}: " if first.line else ""
            more = profile.diagnostic_count - 1
            self.notices.show_notice(
                "warning",
                place + first.message + (f" And {grouped(more)} more." if more else ""),
                ("Show All", partial(self._show_diagnostics, profile)),
            )

    def _show_diagnostics(self, profile: Profile) -> None:
        dialog = DiagnosticsDialog(profile, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    # ---------------------------------------------------------------- the way

    def go_up(self) -> None:
        """Go to the caller that spends most in the active function."""
        self.navigation.select_function(self._costliest_caller())

    def _costliest_caller(self) -> int:
        context, questions = self.navigation.context, self.session.questions
        if questions is None or context.event is None or context.function < 0:
            return -1
        callers = questions.callers(context.function, context.event, context.parts)
        return next((f for f in callers.function.tolist() if f != context.function), -1)

    def _on_changed(self, context: Context, change: Change) -> None:
        self.actions_["back"].setEnabled(self.navigation.can_go_back)
        self.actions_["forward"].setEnabled(self.navigation.can_go_forward)
        self.actions_["up"].setEnabled(self._costliest_caller() >= 0)
        if change & (Change.PROFILE | Change.EVENT | Change.PARTS) and not self.session.is_opening:
            self.status.describe(self.session.questions, context)
        if change & Change.EVENT and context.event is not None:
            events = self.session.questions.profile.events.all if self.session.questions else ()
            self.events.setCurrentIndex(events.index(context.event) if events else -1)

    def _choose_event(self, index: int) -> None:
        if self.session.questions is not None and index >= 0:
            self.navigation.set_event(self.session.questions.profile.events.all[index])

    def _next_event(self) -> None:
        if self.events.count():
            self.events.setCurrentIndex((self.events.currentIndex() + 1) % self.events.count())

    def _search(self) -> None:
        self.docks.by_name["Functions"].show()
        self.functions.search.setFocus()
        self.functions.search.selectAll()

    # ---------------------------------------------------------------- putting together

    def _connect(self) -> None:
        actions = self.actions_
        for name, slot in {
            "open": self.choose_files,
            "reload": self.reload,
            "example": lambda: self.open([resource(EXAMPLE)]),
            "cancel": self.session.cancel,
            "quit": self.close,
            "back": self.navigation.go_back,
            "forward": self.navigation.go_forward,
            "up": self.go_up,
            "search": self._search,
            "next_event": self._next_event,
            "reset_layout": self.docks.reset,
            "about": self._about,
            **{scheme.value: partial(self._set_scheme, scheme) for scheme in ColorScheme},
        }.items():
            actions[name].triggered.connect(lambda _checked=False, slot=slot: slot())
        actions["percent"].toggled.connect(self._set_percent)
        actions["cycles"].toggled.connect(self._set_cycles)
        for name in ("cancel", "back", "forward", "up", "reload"):
            actions[name].setEnabled(False)
        self.events.setAccessibleName("Event")
        self.events.setToolTip("The event whose costs are shown (next: Ctrl+E)")
        self.events.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.events.setMaximumWidth(self.fontMetrics().horizontalAdvance("0") * 45)
        self.events.currentIndexChanged.connect(self._choose_event)
        self.session.opening.connect(self._on_opening)
        self.session.progressed.connect(self.status.set_progress)
        self.session.opened.connect(self._on_opened)
        self.session.failed.connect(self._on_failed)
        self.session.ended.connect(self._on_ended)
        self.session.opened.connect(lambda _questions: actions["reload"].setEnabled(True))
        self.navigation.changed.connect(self._on_changed)
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(lambda _scheme: theme.apply(self.settings.color_scheme))

    def _restore(self) -> None:
        settings, actions = self.settings, self.actions_
        geometry, docks = settings.window
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
        if not docks.isEmpty():
            self.restoreState(docks)
        self._strip.hide()  # whatever it said when the window was closed
        actions["percent"].setChecked(settings.unit is CostUnit.PERCENT)
        actions["cycles"].setChecked(settings.cycles)
        actions[settings.color_scheme.value].setChecked(True)
        fill_events(self.events, (), None)
        self._fill_recent()
        self.status.describe(None, self.navigation.context)

    def _fill_recent(self) -> None:
        files = self.settings.recent_files
        fill_recent(self._recent, files, lambda path: self.open([path]), self._forget_recent)

    def _forget_recent(self) -> None:
        self.settings.forget_recent_files()
        self._fill_recent()

    def _set_percent(self, on: bool) -> None:
        self.settings.unit = CostUnit.PERCENT if on else CostUnit.ABSOLUTE
        self.navigation.set_unit(self.settings.unit)

    def _set_cycles(self, on: bool) -> None:
        self.settings.cycles = on
        self.navigation.set_cycles(on)

    def _set_scheme(self, scheme: ColorScheme) -> None:
        self.settings.color_scheme = scheme
        theme.apply(scheme)

    def _about(self) -> None:
        text = f"{version_text()}\n\nA viewer for profiles in the Callgrind format. MIT licence."
        QMessageBox.about(self, _TITLE, text)

    # ---------------------------------------------------------------- Qt's events

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "actions_"):
            self.actions_.recolor(self.palette())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        event.acceptProposedAction()
        self.open([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        self.settings.set_window(self.saveGeometry(), self.saveState())
        self.jobs.stop()
        super().closeEvent(event)
