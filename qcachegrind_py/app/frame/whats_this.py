"""What each thing in the window is, for Help ▸ What's This: the texts, and who has which.

What has no text of its own is answered by its tip, or by the dock that it is in. The heads of
columns are answered by their models.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDockWidget,
    QLineEdit,
    QMainWindow,
    QMenu,
    QMenuBar,
    QToolBar,
    QWidget,
)

DOCKS: Mapping[str, str] = {
    "Functions": (
        "All functions of the profile. “Incl.” is what was spent in a function and in all it "
        "called, “Self” what was spent in it alone, “Called” how often it was called; all three "
        "are recorded, not estimated. Click a title to sort, type to search, and click a row to "
        "make its function the active one, which all other views then describe."
    ),
    "Callers": (
        "Who called the active function directly, with what these calls cost in all, the cost "
        "of one call, and how many there were. Each row is recorded in the profile as it is. "
        "A double click or Return goes to the caller; one click marks it in all lists."
    ),
    "Callees": (
        "Whom the active function called directly, with what these calls cost in all, the cost "
        "of one call, and how many there were. Each row is recorded in the profile as it is. "
        "A double click or Return goes to the callee; one click marks it in all lists."
    ),
    "All Callers": (
        "Everybody who led to the active function, over any number of calls, and how far away "
        "they are. A profile records single calls, so costs over several are shared out in "
        "proportion and marked by ≈. Percentages are of the active function."
    ),
    "All Callees": (
        "Everything that the active function led to, over any number of calls, and how far away "
        "it is. A profile records single calls, so costs over several are shared out in "
        "proportion and marked by ≈. Percentages are of the active function."
    ),
    "Call Tree": (
        "The calls from the active function on, or up to its callers, as a tree to open branch by "
        "branch. The first level is recorded; deeper ones are shared out in proportion, and "
        "marked by ≈. A double click or Return goes to a function."
    ),
    "Call Stack": (
        "The costliest way through the active function: from the program's start down to it, and "
        "on from it to the costliest callees. A click goes along this way. Costs are those of "
        "single calls, as recorded."
    ),
    "Event Types": (
        "What was counted, such as instructions or cache misses, with the costs of the active "
        "function in each. Events with a formula are computed from others, and you can add your "
        "own. A click shows an event's costs everywhere, a double click beside those of the first."
    ),
    "Parts": (
        "The dumps and threads that the profile is made of, as a table and as a time line, with "
        "the costs of the active function in each. Choose some by a click or by dragging, and "
        "all views count anew over these alone; no choice means all of them."
    ),
    "Caller Map": (
        "The active function as a box, in it its callers, in these theirs, and so on; areas are "
        "costs. What lies deeper than one call is an estimate, drawn paler and marked by ≈. "
        "A click marks a function, a double click goes there, + and - zoom."
    ),
    "Callee Map": (
        "The active function as a box, in it its callees, in these theirs, and so on; areas are "
        "costs. What lies deeper than one call is an estimate, drawn paler and marked by ≈. "
        "A click marks a function, a double click goes there, + and - zoom."
    ),
    "Call Graph": (
        "Who led to the active function, and what it led to, as boxes and arrows with costs and "
        "counts. Arrows of recorded calls are drawn through, estimates are dashed and marked by "
        "≈. A click chooses, a double click goes there, arrow keys step, dragging pans, Ctrl "
        "with the wheel zooms. What is left out is said below the picture."
    ),
    "Flame Graph": (
        "The calls as bars, callees on their callers; widths are costs. It is of the whole "
        "program, of what the active function calls, of its callers, or of both. What lies "
        "deeper than recorded is an estimate, drawn paler and marked by ≈. A double click goes "
        "to a function, + and - zoom, 0 shows all."
    ),
    "Source": (
        "The source of the active function, with what each line cost alone and with all calls "
        "from it. The calls stand below their line, jumps are arrows, and the strip at the scroll "
        "bar shows where the cost is. Costs are recorded for each line; programs need debug "
        "information (-g) for it. The text is read from the file as it is now."
    ),
    "Assembler": (
        "The instructions of the active function, with what each cost. They are read from the "
        "program or library itself, and their costs are recorded with --dump-instr=yes, jumps "
        "with --collect-jumps=yes. A click lights the source line of an instruction."
    ),
    "Control Flow": (
        "The basic blocks of the active function, and how often control went from one to the "
        "next. Counts of jumps are recorded with --dump-instr=yes --collect-jumps=yes; what "
        "follows from them is worked out. A click chooses a block, a double click folds it."
    ),
}
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
    "progress": "How much of the file has been read.",
}
_NAMED = (QAbstractButton, QLineEdit, QComboBox)


def set_whats_this(window: QMainWindow, widgets: Mapping[QWidget, str]) -> None:
    """Give every dock, these widgets, and whatever has a tip but no text, its What's This."""
    for widget, text in widgets.items():
        widget.setWhatsThis(text)
    for dock in window.findChildren(QDockWidget):
        dock.setWhatsThis(DOCKS.get(dock.objectName(), ""))
    for kind, text in ((QToolBar, TOOLBAR), (QMenuBar, MENU_BAR)):
        for bar in window.findChildren(kind):
            bar.setWhatsThis(bar.whatsThis() or text)
    for widget in window.findChildren(QWidget):
        if isinstance(widget, _NAMED) and not widget.whatsThis():
            widget.setWhatsThis(_sentence(widget.toolTip()))
    for action in (*window.findChildren(QAction), *_menu_actions(window)):
        if action.text() and not action.whatsThis():
            action.setWhatsThis(_sentence(action.statusTip() or action.toolTip()))


def _menu_actions(window: QMainWindow) -> list[QAction]:
    """The entries of all menus, which need not belong to the window."""
    return [action for menu in window.findChildren(QMenu) for action in menu.actions()]


def _sentence(tip: str) -> str:
    return f"{tip}." if tip and tip[-1].isalnum() else tip
