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
    "The active function, which all views describe: name, location, number of calls and cost. "
    "Above it is the path that led here; click a step to go back to it."
)
FILTER = (
    "Shows only matching functions in all views. Type parts of names, or terms such as self>1%, "
    "lib:Qt, file:main.c or cycle:any. All terms must match; ! negates a term. The lists say how "
    "many functions are hidden."
)
FOLDS = (
    "Functions that are charged to their callers: they do not appear in any view, and what they "
    "cost is self cost of the lines that call them. Click a fold to show its functions again."
)
EVENT = (
    "The event whose costs all views show: counted while the program ran, or computed from other "
    "events by a formula. View ▸ Event ▸ Next Event goes to the next one."
)
SECOND_EVENT = "A second event, whose costs are shown beside those of the first in all lists."
TABS = (
    "Docks that share one place. Click a tab to bring its dock to the front, or drag it to move "
    "the dock elsewhere. The context menu floats or closes it."
)
SPLIT = (
    "A second set of views with its own active function and history. Events, parts, filter and "
    "grouping are the same in both. Go ▸ Other Panel moves the keyboard focus between them."
)
FOLLOW_SELECTION = (
    "While this is on, the split shows the function that is selected in the other views, so a "
    "function and its caller or callee can be seen together. Turn it off to keep the function."
)
TOOLBAR = "Frequently used commands: files, navigation, and how costs are shown."
MENU_BAR = "All commands of the program, with their shortcuts."
COMPARISON = (
    "What is compared, base → new: both totals of the event, the net change, and the sums of what "
    "grew and of what shrank. A click on the differences lists what else is not the same. Swap "
    "makes the base the new side; Stop Comparing shows the new side alone."
)
NOTICES = "Errors and warnings about the open profile, with what you can do about them."
WELCOME = (
    "Open a profile, a recent file or the example, or record a program. You can also drop files "
    "anywhere on the window."
)
STATUS: Mapping[str, str] = {
    "file": "The open file. Its tip shows the full path and the command of the profiled program.",
    "parts": "The number of parts in the profile, and how many of them are selected.",
    "filter": "The filter that hides functions in all views.",
    "cycles": (
        "Cycles are found over base and new together, so that a function is in the same cycle on "
        "both. Of these, one side alone would have others: the differences list them."
    ),
    "total": (
        "The total cost of the selected event. Percentages are relative to it: to the recorded "
        "total if that is at least the sum of all functions, otherwise to the sum."
    ),
    "speed": "Files load slowly because the scanner is not compiled. The tip says how to fix it.",
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
