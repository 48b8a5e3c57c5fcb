"""What the window shows, as a saved view, and showing a view again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from qcachegrind_py.app.frame.docks.layouts import present_layout, show_layout
from qcachegrind_py.formats.saved_views import SavedView
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session import saved_views
from qcachegrind_py.session.navigation import ViewSwitch

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMainWindow

    from qcachegrind_py.app.frame.actions import Actions
    from qcachegrind_py.app.frame.filter_bar import FilterBar
    from qcachegrind_py.app.frame.panels import Panels
    from qcachegrind_py.app.frame.settings_binding import SettingsBinding
    from qcachegrind_py.session.session import Session
    from qcachegrind_py.session.settings.store import Settings

_OF_COMPARISONS = (CostUnit.SHARES, CostUnit.PER_CALL)


class ShownView:
    """Takes and shows views: context, filter, settings of the toolbar, and docks."""

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        actions: Actions,
        filter_bar: FilterBar,
        binding: SettingsBinding,
        panels: Panels,
    ) -> None:
        self._window, self._settings, self._actions = window, settings, actions
        self._filter, self._binding, self._panels = filter_bar, binding, panels
        self._first, self._docks = panels.first.session, panels.first.docks
        self._first.navigation.view_restored.connect(self._restore)

    @property
    def session(self) -> Session:
        """The session of the current panel."""
        return self._panels.current.session

    def present(self, name: str, note: str = "") -> SavedView:
        """Return what is shown, with the function of the current panel."""
        return replace(
            saved_views.present_view(self.session, name),
            note=note,
            filter=self._filter.text(),
            only_own_code=self._actions["own_code"].isChecked(),
            layout=present_layout(self._docks),
        )

    def show(self, view: SavedView, then: Callable[[tuple[str, ...]], object]) -> None:
        """Show a view as one step of the history.

        `then` gets a sentence for each thing that the profile does not have, when all is shown.
        """
        switch = ViewSwitch(self.present(""), view)
        self._apply_settings(view)
        self._show_frame(view)
        if self._panels.current is not self._panels.first:  # the history is that of the first
            self._actions["other_panel"].trigger()
        saved_views.enter_view(self._first, view, switch, lambda found: then(found.missing))

    def _restore(self, view: SavedView) -> None:
        """Show what was shown at this step of the history."""
        self._apply_settings(view)
        self._show_frame(view)
        saved_views.enter_view(self._first, view)

    def _apply_settings(self, view: SavedView) -> None:
        """Switch unit and cycles, which are settings, as their actions do."""
        settings = self._settings
        unit = next((unit for unit in CostUnit if unit.value == view.unit), settings.unit)
        is_comparing = self._first.navigation.context.base_parts is not None
        if unit is not settings.unit and (unit not in _OF_COMPARISONS or is_comparing):
            settings.unit = unit
        if view.cycles not in (None, settings.cycles):
            settings.cycles = view.cycles
        self._binding.apply()

    def _show_frame(self, view: SavedView) -> None:
        """Show filter and docks of a view."""
        self._actions["own_code"].setChecked(view.only_own_code)
        self._filter.set_text(view.filter)
        if view.layout is not None:
            show_layout(self._window, self._docks, view.layout)
