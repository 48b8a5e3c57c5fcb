"""The colours of groups in menus: the user chooses them, for all runs of a program."""

from __future__ import annotations

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QColorDialog, QMenu, QWidget

from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.present.table import short_text
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.views.widgets.colors import group_palette


class GroupColorActions:
    """Actions that choose the colour of a group, or return to the computed one."""

    def __init__(self, window: QWidget, navigation: Navigation) -> None:
        self._window = window
        self._navigation = navigation

    def fill(self, menu: QMenu, group: str) -> None:
        """Add the actions for a group of this name: a file, an object, a class or a cycle."""
        chosen = dict(self._navigation.context.group_colors)
        colors = menu.addMenu("Colour")
        name = short_text(base_name(group)).replace("&", "&&")
        colors.addAction(f"&Choose Colour of “{name}”…", lambda: self._choose(group))
        if group in chosen:
            colors.addAction(f"&Reset Colour of “{name}”", lambda: self._set(group, None))
        if chosen:
            colors.addAction("Reset &All Colours", self._reset_all)

    def _choose(self, group: str) -> None:
        """Ask for a colour; cancelling the dialog keeps the present one."""
        present = group_palette(self._navigation.context.group_colors).group(group)
        title = f"Colour of {short_text(base_name(group))}"
        color = QColorDialog.getColor(present, self._window, title)
        if color.isValid():
            self._set(group, color)

    def _set(self, group: str, color: QColor | None) -> None:
        chosen = dict(self._navigation.context.group_colors)
        chosen.pop(group, None)
        if color is not None:
            chosen[group] = color.name()
        self._navigation.set(group_colors=tuple(chosen.items()))

    def _reset_all(self) -> None:
        self._navigation.set(group_colors=())
