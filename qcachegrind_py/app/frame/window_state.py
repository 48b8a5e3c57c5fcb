"""Saves and restores the layout of docks and views, and the location, for each program."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from qcachegrind_py.app.frame.docks.automatic_docks import ComparisonDock, HistoryDock, NumberDock
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.present.context import Change
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings

if TYPE_CHECKING:
    from PySide6.QtCore import QByteArray
    from PySide6.QtWidgets import QMainWindow

    from qcachegrind_py.views.profile_view import ProfileView

_DOCKS_KEY = "docks"
_PANEL_KEY = "split"  # the docks within the split, and the first part of the names of its views


class WindowState:
    """Layout and location by profiled program; a new program keeps the current layout."""

    def __init__(
        self, settings: Settings, session: Session, docks: Docks, views: DockRegistry
    ) -> None:
        self._settings = settings
        self._session = session
        self._docks = docks
        self._views = views
        self._awaiting: dict[str, list[QByteArray]] = {}  # states of views not created yet, by id
        self._program = ""
        for spec in views.specs():
            views.when_created(spec, partial(self._restore_new, spec.id))
        self._panel: tuple[Docks, DockRegistry] | None = None  # the split
        self._comparison_dock = ComparisonDock(docks, session, settings)
        self._number_dock = NumberDock(docks, settings)
        self._history_dock = HistoryDock(docks, session.history)
        session.leaving_program.connect(self.save)

    def add_panel(self, docks: Docks, views: DockRegistry) -> None:
        """Restore and save these docks and views, too; columns are first as in the others."""
        self._panel = docks, views
        docks.restore_state(self._settings.program(self._program).state(_PANEL_KEY))
        for spec in views.specs():
            views.when_created(spec, partial(self._restore_in_panel, spec.id))

    def restore_window(self, window: QMainWindow) -> None:
        """Restore size and docks as they were when a window was last closed.

        The docks of a maximized window are restored before it is maximized: Qt would keep their
        state to apply it again when the window is shown, and crash if the state of a program has
        been restored by then.
        """
        geometry = self._settings.geometry
        if geometry.isEmpty():
            self.restore_last()
            return
        window.restoreGeometry(geometry)
        if window.isMaximized() or window.isFullScreen():
            window.setWindowState(Qt.WindowState.WindowNoState)
            window.resize(window.screen().availableSize())
        self.restore_last()
        window.restoreGeometry(geometry)

    def restore_last(self) -> None:
        self._restore("")

    def switch_program(self) -> None:
        """Restore the layout saved for the newly opened program, unless it is the same."""
        if self._session.program != self._program:
            self._program = self._session.program
            self._restore(self._program)

    def save(self) -> None:
        """Save the layout, for the open program and for new ones, and the location."""
        with self._comparison_dock.behind():
            layout = self._docks.save_state()
        for program in {self._program, ""}:
            settings = self._settings.program(program)
            settings.set_state(_DOCKS_KEY, layout)
            if self._panel is not None:
                docks, views = self._panel
                settings.set_state(_PANEL_KEY, docks.save_state())
                for dock_id, view in views.created.items():
                    settings.set_view_states(_panel_name(dock_id), view.save_state())
            for dock_id, states in self._view_states().items():
                settings.set_view_states(dock_id, states)
        if self._program and self._program == self._session.program:
            self._settings.program(self._program).place = self._session.current_location()

    def _restore(self, program: str) -> None:
        settings = self._settings.program(program)
        self._docks.restore_state(settings.state(_DOCKS_KEY))
        self._comparison_dock.apply()
        self._number_dock.apply()
        self._history_dock.apply()
        if self._panel is not None:
            docks, views = self._panel
            docks.restore_state(settings.state(_PANEL_KEY))
            for dock_id, view in views.created.items():
                _restore_view(view, partial(self._restore_in_panel, dock_id, view))
        for spec in self._views.specs():
            states = settings.view_states(spec.id)
            if spec.id in self._views.created:
                view = self._views.created[spec.id]
                _restore_view(view, partial(view.restore_state, states))
            elif states:
                self._awaiting[spec.id] = states

    def _restore_new(self, dock_id: str, view: ProfileView) -> None:
        view.restore_state(self._awaiting.pop(dock_id, []))

    def _restore_in_panel(self, dock_id: str, view: ProfileView) -> None:
        settings = self._settings.program(self._program)
        view.restore_state(
            settings.view_states(_panel_name(dock_id)) or settings.view_states(dock_id)
        )

    def _view_states(self) -> dict[str, list[QByteArray]]:
        """The states of all views; a view not created yet has the one that it would restore."""
        created = {dock_id: view.save_state() for dock_id, view in self._views.created.items()}
        return self._awaiting | created


def _panel_name(dock_id: str) -> str:
    """The name under which the state of a view of the split is stored."""
    return f"{_PANEL_KEY}/{dock_id}"


def _restore_view(view: ProfileView, restore: Callable[[], None]) -> None:
    """Restore the columns of a view; refresh it if they are others, as they depend on the events.

    A view has been refreshed already when a profile was opened, and a list takes 20 ms.
    """
    before = view.save_state()
    restore()
    if view.save_state() != before:
        view.refresh_for(Change.EVENT)
