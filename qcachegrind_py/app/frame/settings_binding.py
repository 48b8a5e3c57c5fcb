"""Brings the settings into the window, and the switches of the window into the settings."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QLocale

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.app.style import theme
from qcachegrind_py.session.context import AnnotationStyle, CostUnit
from qcachegrind_py.session.loading import Preparation
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.digit_grouping import locale_number_format
from qcachegrind_py.session.settings.store import ColorScheme, Settings

_UNITS = {
    "percent": CostUnit.PERCENT,
    "parent": CostUnit.PERCENT_OF_PARENT,
    "absolute": CostUnit.ABSOLUTE,
}
_CODE_SWITCHES = ("fold_source", "fold_code", "intel_syntax", "code_bytes", "syntax_colors")
_SWITCHES = (
    "si",
    "cycles",
    "short_names",
    "fold_levels",
    *_CODE_SWITCHES,
)  # actions that are settings


class SettingsBinding:
    """Nothing has to be started anew: each change is seen at once."""

    def __init__(
        self,
        settings: Settings,
        session: Session,
        actions: Actions,
        filter_bar: FilterBar,
    ) -> None:
        self._settings = settings
        self._session = session
        self._navigation = session.navigation
        self._actions = actions
        self._filter = filter_bar
        for name in _SWITCHES:
            actions[name].toggled.connect(lambda on, name=name: self._store(name, on))
        for name, unit in _UNITS.items():
            actions[name].triggered.connect(lambda _=False, unit=unit: self._store("unit", unit))
        for scheme in ColorScheme:
            action = actions[scheme.value]
            action.triggered.connect(lambda _=False, s=scheme: self._store("color_scheme", s))

    def _store(self, name: str, value: object) -> None:
        setattr(self._settings, name, value)
        self.apply()

    def apply(self) -> None:
        """Show everything as the settings say."""
        settings = self._settings
        self._update_switches()
        self._navigation.set(
            unit=settings.unit,
            of_recorded=settings.of_recorded,
            short_names=settings.short_names,
            numbers=locale_number_format(
                QLocale(), settings.digit_grouping, settings.decimals, settings.si
            ),
        )
        of_code = {name: getattr(settings, name) for name in _CODE_SWITCHES}
        self._navigation.set(annotation=AnnotationStyle(settings.context_lines, **of_code))
        self._session.set_file_search(settings.path_rules, settings.source_folders)
        scope = self._session.requested_scope
        wanted = replace(scope, cycles=settings.cycles, cut=settings.cycle_cut / 100)
        if wanted != scope:
            self._session.set_scope(wanted)
        preparation = Preparation(settings.demangle, settings.fold_levels, settings.definitions)
        if preparation != self._session.preparation:
            self._session.prepare_again(preparation)
        if self._filter.own_code_terms != settings.own_code:
            self._filter.own_code_terms = settings.own_code
            self._filter.apply_text()
        theme.apply(settings.color_scheme)

    def _update_switches(self) -> None:
        """Set the switches without taking that for the user's wish."""
        settings, actions = self._settings, self._actions
        shown = {name: getattr(settings, name) for name in _SWITCHES}
        shown |= {name: settings.unit is unit for name, unit in _UNITS.items()}
        shown |= {scheme.value: settings.color_scheme is scheme for scheme in ColorScheme}
        for name, on in shown.items():
            actions[name].blockSignals(True)
            actions[name].setChecked(on)
            actions[name].blockSignals(False)
