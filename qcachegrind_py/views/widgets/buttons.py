"""Buttons and menus in the headers of views, and the options of a picture with their menu."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import shiboken6
from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton

from qcachegrind_py.frozen import frozen

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def text_button(text: str, tip: str, press: Callable[[], object] | None = None) -> QToolButton:
    """Return a text button that calls a function, with a frame that shows it is one."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    if press is not None:
        button.clicked.connect(lambda: press())
    return button


def dialog_button(text: str, tip: str, press: Callable[[], object]) -> QPushButton:
    """Return a button of a dialog that calls a function; Return never presses it by itself."""
    button = QPushButton(text)
    button.setAutoDefault(False)
    button.setToolTip(tip)
    button.clicked.connect(lambda: press())
    return button


def text_menu_button(text: str, tip: str, fill: Callable[[QMenu], None]) -> QToolButton:
    """Return a text button whose menu is filled each time it opens."""
    button = text_button(text, tip)
    menu = QMenu(button)
    menu.setToolTipsVisible(True)
    menu.aboutToShow.connect(lambda: _refill(menu, fill))
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setMenu(menu)
    return button


def open_context_menu(menu: QMenu, position: QPoint) -> None:
    """Show the menu at a screen position until it is closed, and delete it.

    Its parent would keep it, and all that its actions hold, alive; but if that was deleted while
    the menu was open, the menu went with it.
    """
    menu.exec(position)
    if shiboken6.isValid(menu):
        menu.deleteLater()


def _refill(menu: QMenu, fill: Callable[[QMenu], None]) -> None:
    """Refill a menu; `QMenu.clear` leaves submenus alive, so delete them as well."""
    menu.clear()
    for inner in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        inner.deleteLater()
    fill(menu)


Options = TypeVar("Options", bound="DataclassInstance")


@frozen(eq=True)
class Choice:
    """One option: title, tooltip, and its values with their texts; a boolean has no values."""

    title: str
    tooltip: str
    values: tuple[tuple[object, str], ...] = ()

    @property
    def is_boolean(self) -> bool:
        """Whether the option is a boolean."""
        return not self.values

    def allows(self, value: object) -> bool:
        """Return whether the value is valid for this option."""
        allowed = [True, False] if self.is_boolean else [known for known, _ in self.values]
        return any(type(value) is type(known) and value == known for known in allowed)


class OptionMenu(QObject, Generic[Options]):
    """The current options and their menu; emits `changed` when the user changes one."""

    changed = Signal()

    def __init__(self, parent: QObject, options: Options, choices: Mapping[str, Choice]) -> None:
        super().__init__(parent)
        self.current = options
        self._choices = choices

    def fill(self, menu: QMenu, inline: str = "", leave_out: Collection[str] = ()) -> None:
        """Add the options with their current values; `inline` names one to add at top level."""
        menu.setToolTipsVisible(True)
        for name, choice in self._choices.items():
            if name in leave_out:
                continue
            if name == inline:
                self._fill_values(menu, name, choice)
                menu.addSeparator()
            elif choice.is_boolean:
                action = menu.addAction(choice.title)
                action.setToolTip(choice.tooltip)
                action.setCheckable(True)
                action.setChecked(getattr(self.current, name))
                action.toggled.connect(partial(self.set, name))
            else:
                values = menu.addMenu(choice.title)
                values.menuAction().setToolTip(choice.tooltip)
                self._fill_values(values, name, choice)

    def _fill_values(self, menu: QMenu, name: str, choice: Choice) -> None:
        group = QActionGroup(menu)
        for value, text in choice.values:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(getattr(self.current, name) == value)
            action.triggered.connect(lambda _on=False, value=value: self.set(name, value))
            group.addAction(action)

    def set(self, name: str, value: Any) -> None:
        """Change one option."""
        self.current = replace(self.current, **{name: value})
        self.changed.emit()

    def to_text(self) -> str:
        """Return the options as JSON."""
        return json.dumps(asdict(self.current))

    def restore(self, text: str) -> None:
        """Take the valid options from JSON text; ignore the rest."""
        try:
            stored = json.loads(text)
        except (ValueError, RecursionError):
            return
        for name, choice in self._choices.items():
            if isinstance(stored, dict) and name in stored and choice.allows(stored[name]):
                self.current = replace(self.current, **{name: stored[name]})
