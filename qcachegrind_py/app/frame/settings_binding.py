"""Binding of the settings to the window: applies them, and stores changes of its switches."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING

from qcachegrind_py.app.frame.actions import declared_actions
from qcachegrind_py.app.frame.frame import Frame
from qcachegrind_py.app.frame.toolbar import Toolbar
from qcachegrind_py.app.style import theme
from qcachegrind_py.present.context import AnnotationStyle, CostUnit
from qcachegrind_py.session.loading import Preparation
from qcachegrind_py.session.settings.store import locale_number_format

if TYPE_CHECKING:
    from PySide6.QtCore import QLocale

_CODE_STYLE = [field.name for field in fields(AnnotationStyle)]  # each is a setting


class SettingsBinding:
    """Applies every change at once; none needs a restart."""

    def __init__(self, frame: Frame, toolbar: Toolbar) -> None:
        self._toolbar, self._settings, self._actions = toolbar, frame.settings, frame.actions
        self._session, self._filter = frame.session, frame.filter_bar
        self._navigation, actions = frame.session.navigation, frame.actions
        self._switches = [each for each in declared_actions() if each.setting]
        for each in self._switches:
            store = partial(self._store, each.setting)
            if each.value is True:
                actions[each.name].toggled.connect(store)
            else:
                actions.connect({each.name: partial(store, each.value)})

    def _store(self, name: str, value: object) -> None:
        setattr(self._settings, name, value)
        self.apply()

    def apply(self) -> None:
        settings = self._settings
        self._update_switches()
        self._navigation.set(
            unit=settings.unit,
            of_recorded=settings.of_recorded,
            percent_of_function=settings.percent_of_function,
            short_names=settings.short_names,
            numbers=locale_number_format(
                _system_locale, settings.digit_grouping, settings.decimals, settings.si
            ),
        )
        code_style = {name: getattr(settings, name) for name in _CODE_STYLE}
        self._navigation.set(annotation=AnnotationStyle(**code_style))
        self._session.set_file_search(settings.path_rules, settings.source_folders)
        scope = self._session.requested_scope
        new_scope = replace(scope, cycles=settings.cycles, cut=settings.cycle_cut / 100)
        if new_scope != scope:
            self._session.set_scope(new_scope)
        preparation = Preparation(settings.demangle, settings.fold_levels, settings.definitions)
        if preparation != self._session.preparation:
            self._session.prepare_again(preparation)
        if self._filter.own_code_terms != settings.own_code:
            self._filter.own_code_terms = settings.own_code
            self._filter.apply_text()
        self._toolbar.set_text(settings.toolbar_text)
        theme.apply(settings.color_scheme)

    def _update_switches(self) -> None:
        """Set the switches to the settings without storing them again."""
        settings, actions = self._settings, self._actions
        for each in self._switches:
            action = actions[each.name]
            action.blockSignals(True)
            action.setChecked(getattr(settings, each.setting) == each.value)
            action.blockSignals(False)
        actions["percent_of_function"].setEnabled(settings.unit is not CostUnit.ABSOLUTE)


def _system_locale() -> QLocale:
    from PySide6.QtCore import QLocale  # its lists of languages and countries take 10 ms

    return QLocale()
