"""The texts of Help ▸ What's This, and their assignment to widgets and actions.

A widget without a text of its own has its tooltip, or the text of its dock from the table of docks.
Models supply the texts of column headers.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QMenu,
    QMenuBar,
    QToolBar,
    QWidget,
)

ACTIVE_FUNCTION = (
    "The active function, which all views describe: its name, its place, how often it was called "
    "and what it cost. Above it stands the way that led here; a click on a step goes back up."
)
FILTER = (
    "Shows only some functions, in all views. Write parts of names, or terms such as self>1%, "
    "lib:Qt, file:main.c or cycle:any; all must hold, and ! in front of one means not. What is "
    "hidden is said below the lists."
)
EVENT = (
    "The event whose costs all views show: what was counted while the program ran, or is computed "
    "from it by a formula. Ctrl+E goes to the next one."
)
SECOND_EVENT = (
    "A second event, whose costs stand beside those of the first in all lists. Ctrl+Shift+E hides "
    "it again."
)
TABS = (
    "Docks that share one place. Click a tab to bring its dock to the front, drag it to move the "
    "dock elsewhere; its menu lets it float or closes it."
)
TOOLBAR = "What is needed often: files, the way from function to function, how costs are shown."
MENU_BAR = "Everything that the program can do, with its keys."
NOTICES = (
    "What went wrong or was odd when a profile was opened, with what can be done about it. It "
    "stays until you close it."
)
WELCOME = (
    "Ways to a profile: open a file, one that was opened before, or the example. Files can be "
    "dropped anywhere on the window."
)
STATUS: Mapping[str, str] = {
    "file": "The file that is open; where it lies and what was run is in its tip.",
    "parts": "How many parts the profile has, and how many of them are counted just now.",
    "filter": "The filter that hides functions in all views, where there is one.",
    "total": (
        "What the whole run cost in the event that is shown. Percentages are of this: of the "
        "recorded total where that is at least the sum of all functions, else of the sum."
    ),
    "speed": "Files are read slowly, as the scanner is not compiled; its tip says what to do.",
    "progress": "How much of the file has been read.",
}
_NAMED = (QAbstractButton, QLineEdit, QComboBox)


def set_whats_this(window: QMainWindow, widgets: Mapping[QWidget, str]) -> None:
    """Set the texts of these widgets; use the tips of all other widgets and actions."""
    for widget, text in widgets.items():
        widget.setWhatsThis(text)
    for kind, text in ((QToolBar, TOOLBAR), (QMenuBar, MENU_BAR)):
        for bar in window.findChildren(kind):
            bar.setWhatsThis(bar.whatsThis() or text)
    fill_in_whats_this(window)


def fill_in_whats_this(root: QWidget) -> None:
    """Use their tips as texts of all widgets and actions below `root` that have none."""
    for widget in root.findChildren(QWidget):
        if isinstance(widget, _NAMED) and not widget.whatsThis():
            widget.setWhatsThis(_sentence(widget.toolTip()))
    for action in (*root.findChildren(QAction), *_menu_actions(root)):
        if action.text() and not action.whatsThis():
            action.setWhatsThis(_sentence(action.statusTip() or action.toolTip()))


def _menu_actions(root: QWidget) -> list[QAction]:
    """The items of all menus, which `root` need not own."""
    return [action for menu in root.findChildren(QMenu) for action in menu.actions()]


def _sentence(tip: str) -> str:
    return f"{tip}." if tip and tip[-1].isalnum() else tip
