"""Text buttons for view headers, with or without a menu, and context menus."""

from __future__ import annotations

from collections.abc import Callable

import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton


def text_button(text: str, tip: str) -> QToolButton:
    """Return a text button, with a frame that shows it is one."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
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
