"""The table of the window's actions: text, shortcut, icon and tip of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from PySide6.QtGui import QAction, QKeySequence, QPalette
from PySide6.QtWidgets import QWidget

from qcachegrind_py.app.style.action_keys import set_keys
from qcachegrind_py.app.style.icons import icon
from qcachegrind_py.frozen import frozen

_STANDARD_KEY = QKeySequence.StandardKey


@frozen(eq=True)
class _Spec:
    text: str
    tip: str
    icon: str = ""
    keys: tuple[str | QKeySequence.StandardKey, ...] = ()
    checkable: bool = False
    checked: bool = False


_SPECS = {
    "open": _Spec("&Open…", "Open one or several profiles", "open", (_STANDARD_KEY.Open,)),
    "example": _Spec("Open &Example", "Explore a small profile", "example"),
    "new_window": _Spec("&New Window", "Open another window", "", (_STANDARD_KEY.New,)),
    "add": _Spec(
        "&Add Files…", "Add profiles to the open one as parts", "", ("Ctrl+D",)
    ),
    "compare": _Spec(
        "Compare Wit&h…", "Show what changed from another profile to the open one", "compare",
        ("Ctrl+K",),
    ),
    "compare_two": _Spec(
        "Compare Two Profi&les…", "Choose a base and a new profile, and see what changed", "compare"
    ),
    "open_history": _Spec(
        "Open Histor&y…", "Open the profiles of several revisions, and see how costs changed", "",
        ("Ctrl+Shift+H",),
    ),
    "swap_sides": _Spec(
        "Swap &Base and New", "Compare the two profiles the other way round", "",
        ("Ctrl+Shift+K",),
    ),
    "stop_comparing": _Spec("Stop Co&mparing", "Show the open profile alone"),
    "reload": _Spec(
        "&Reload", "Reload the open files", "reload", (_STANDARD_KEY.Refresh, "Ctrl+R")
    ),
    "record": _Spec(
        "Record Pro&gram…", "Run a program and open its profile", "record",
        ("Ctrl+Shift+P",),
    ),
    "running": _Spec(
        "R&unning Programs…", "Show what a program under callgrind has counted so far", "",
        ("Ctrl+Shift+D",),
    ),
    "report": _Spec("E&xport Report…", "Save tables, flame graph and sources as one HTML file"),
    "stacks": _Spec(
        "Export Stac&ks…", "Save the stacks of calls for speedscope and flame graph tools"
    ),
    "save": _Spec("Sa&ve As…", "Save the profile or the part of it that is shown", "", ("Ctrl+S",)),
    "properties": _Spec(
        "Propert&ies", "Show the profile's command, creator, parts and totals", "information",
        ("Alt+Return",),
    ),
    "cancel": _Spec("S&top", "Stop opening or saving", "cancel", ("Esc",)),
    "close": _Spec("Close &Window", "Close this window", "", (_STANDARD_KEY.Close,)),
    "quit": _Spec("&Quit", "Close all windows", "quit", (_STANDARD_KEY.Quit, "Ctrl+Q")),
    "back": _Spec("&Back", "Go back in the history", "back", ("Alt+Left",)),
    "forward": _Spec("&Forward", "Go forward in the history", "forward", ("Alt+Right",)),
    "up": _Spec(
        "&Up", "Go to the caller you came from, or the costliest", "up", ("Alt+Up",)
    ),
    "hottest": _Spec(
        "Ho&ttest Function", "Go to the function with the highest self cost", "", ("Ctrl+H",)
    ),
    "explain_number": _Spec(
        "Explain This &Number", "Show what the number under the cursor consists of", "",
        ("Ctrl+U",),
    ),
    "pin": _Spec(
        "P&in in History", "Keep the line of the active function in the chart of the history", "",
        ("Ctrl+Alt+P",), True,
    ),
    "jump": _Spec(
        "&Jump to Function…", "Find a function by a few letters of its name", "jump-to", ("Ctrl+P",)
    ),
    "search": _Spec(
        "&Search Functions", "Search functions by name", "search", (_STANDARD_KEY.Find,)
    ),
    "regular_expression": _Spec(
        "&Regular Expression", "Use regular expressions in the search", "regex", ("Alt+R",), True
    ),
    "filter": _Spec("&Filter…", "Show only matching functions in all views", "filter", ("Ctrl+L",)),
    "no_filter": _Spec("Clear Fi&lter", "Show all functions", "", ("Ctrl+Shift+L",)),
    "own_code": _Spec(
        "Only &My Code", "Hide functions of system libraries", "own-code", ("Ctrl+M",), True
    ),
    "fold_function": _Spec(
        "Charge &Function to Callers", "Make the function's cost self cost of its callers",
        "", ("Ctrl+Shift+Up",),
    ),
    "only_object": _Spec(
        "Show Only Inside &Object", "Charge all functions of other objects to their callers", "",
        ("Ctrl+Shift+Down",),
    ),
    "fold_library": _Spec(
        "Fold the &Standard Library", "Charge functions of standard libraries to their callers",
        "", ("Ctrl+Shift+G",), True,
    ),
    "fold_others": _Spec(
        "Fold &Everything Outside My Code",
        "Charge all functions that “Only My Code” hides to their callers", "", ("Ctrl+Shift+Y",),
        True,
    ),
    "no_folds": _Spec(
        "&Unfold All", "Show all folded functions again", "", ("Ctrl+Shift+U",)
    ),
    "units": _Spec("Costs A&s", "Show costs as percentages or absolute numbers", "percent"),
    "percent": _Spec(
        "&Percent of Total", "Show costs as a percentage of the total", "", ("Ctrl+1",), True, True
    ),
    "parent": _Spec(
        "Percent of P&arent", "Show costs as a percentage of their caller or group", "",
        ("Ctrl+2",), True,
    ),
    "absolute": _Spec("A&bsolute", "Show costs as absolute numbers", "", ("Ctrl+3",), True),
    "shares": _Spec(
        "S&hares of Both Totals", "Compare shares of the totals, in points", "", ("Ctrl+6",), True
    ),
    "per_call": _Spec(
        "Per &Call of Function", "Compare costs per call of the active function", "", ("Ctrl+7",),
        True,
    ),
    "percent_of_function": _Spec(
        "Percent of F&unction in Code",
        "Show percentages of the active function in Source and Assembler",
        "percent-function",
        ("Ctrl+5",), True, True,
    ),
    "si": _Spec("&Short Numbers", "Show 1.234 M instead of all digits", "", ("Ctrl+4",), True),
    "cycles": _Spec(
        "Detect &Cycles", "Treat mutually recursive functions as one", "cycles",
        ("Ctrl+Shift+C",), True, True,
    ),
    "short_names": _Spec(
        "Shorten &Templates", "Hide template arguments", "templates", ("Ctrl+T",), True
    ),
    "fold_levels": _Spec(
        "Fold &Recursion Levels", "Combine f'2, f'3, … with f", "", ("Ctrl+Shift+R",), True
    ),
    "next_event": _Spec("&Next Event", "Show the next event", "", ("Ctrl+E",)),
    "no_second_event": _Spec(
        "&Hide Second Event", "Show only one event", "", ("Ctrl+Shift+E",)
    ),
    "new_event": _Spec(
        "Add E&vent…", "Define an event by a formula", "", ("Ctrl+Shift+N",)
    ),
    "all_parts": _Spec("All &Parts", "Select all parts of the profile", "", ("Ctrl+Shift+A",)),
    "editor": _Spec(
        "Open in E&ditor", "Open the current source line in your editor", "editor",
        ("Ctrl+Shift+O",),
    ),
    "paths": _Spec(
        "Source &Paths…", "Set where sources and programs of profiles from other machines are"
    ),
    "find_code": _Spec("Find in &Code", "Find text in Source or Assembler", "", ("Ctrl+Shift+F",)),
    "find_next": _Spec("Find Ne&xt", "Go to the next match", "", ("F3",)),
    "find_previous": _Spec(
        "Find Pre&vious", "Go to the previous match", "", ("Shift+F3",)
    ),
    "next_hot": _Spec("Next &Hot Line", "Go to the next line by cost", "", ("F4",)),
    "previous_hot": _Spec(
        "Pre&vious Hot Line", "Go to the previous line by cost", "", ("Shift+F4",)
    ),
    "fold_source": _Spec(
        "Fold &Source", "Hide lines without cost", "fold", ("Ctrl+Shift+S",), True
    ),
    "fold_code": _Spec(
        "Fold &Assembler", "Hide instructions without cost", "fold", ("Ctrl+Shift+M",), True, True
    ),
    "hide_inlined": _Spec(
        "Hide In&lined", "Show inlined code as cost of the line that it was inlined in", "inlined",
        ("Ctrl+Shift+I",), True,
    ),
    "source_rows": _Spec(
        "Source Lines in Asse&mbler", "Show source lines above their instructions", "source-lines",
        ("Ctrl+Shift+T",), True, True,
    ),
    "intel_syntax": _Spec(
        "&Intel Syntax", "Show x86 instructions in Intel instead of AT&T syntax", "",
        ("Ctrl+I",), True,
    ),
    "code_bytes": _Spec(
        "Instruction &Bytes", "Show the bytes of each instruction", "", ("Ctrl+B",), True
    ),
    "syntax_colors": _Spec(
        "Synta&x Colours", "Highlight the syntax of source lines", "", ("Ctrl+Shift+X",), True, True
    ),
    "side_by_side": _Spec(
        "Source &Beside Assembler", "Show source and assembler side by side",
        "side-by-side", ("Ctrl+Shift+B",), True,
    ),
    "context_menu": _Spec(
        "Show Context &Menu", "Open the menu of the current row, box or text", "", ("Shift+F10",)
    ),
    "toolbar_text": _Spec(
        "Toolb&ar Text", "Show text under the icons of the toolbar", checkable=True
    ),
    "settings": _Spec("&Settings…", "Change preferences", "settings", ("Ctrl+,",)),
    "maximize": _Spec(
        "Ma&ximize View", "Show only the view with the keyboard focus, or all views again", "",
        ("Ctrl+Shift+Return",),
    ),
    "split": _Spec(
        "Spl&it", "Show a second set of views with its own active function", "", ("Ctrl+Alt+S",),
        True,
    ),
    "other_panel": _Spec(
        "&Other Panel", "Move the keyboard focus between the two sets of views", "", ("F10",)
    ),
    "next_layout": _Spec("&Next Layout", "Go to the next layout", "", ("Ctrl+Alt+Right",)),
    "previous_layout": _Spec(
        "Pre&vious Layout", "Go to the previous layout", "", ("Ctrl+Alt+Left",)
    ),
    "save_layout": _Spec("&Save Layout…", "Save the current arrangement of docks under a name"),
    "reset_layout": _Spec("&Reset Layout", "Restore the default layout"),
    "save_view": _Spec(
        "&Save View…", "Save function, events, filter and layout under a name", "",
        ("Ctrl+Shift+V",),
    ),
    "manage_views": _Spec(
        "&Manage Saved Views…", "Go to a saved view, rename, delete, export or import views", "",
        ("Ctrl+Alt+V",),
    ),
    "open_view": _Spec("&Open Saved View File…", "Show a view that somebody else has saved"),
    "export_views": _Spec(
        "&Export Saved Views…", "Save all views of this program as a file for others"
    ),
    "light": _Spec("&Light", "Dark text on a light window", checkable=True),
    "dark": _Spec("&Dark", "Light text on a dark window", checkable=True),
    "system": _Spec("Follow &System", "Use the colour scheme of the desktop", checkable=True),
    "guide": _Spec(
        "&Guide", "Learn how to record and read profiles", "guide", (_STANDARD_KEY.HelpContents,)
    ),
    "whats_this": _Spec(
        "What's &This?", "Click any part of the window for an explanation", "", ("Shift+F1",)
    ),
    "system_report": _Spec(
        "&System Report…", "Show what is installed, what is missing, and how to install it"
    ),
    "about": _Spec("&About", "Version and licence", "information"),
}  # fmt: skip
_FOR_A_PROFILE = (  # disabled until one is open
    "properties", "hottest", "explain_number", "jump", "search", "regular_expression", "filter",
    "own_code", "new_event", "editor", "find_code", "find_next", "find_previous", "next_hot",
    "previous_hot", "side_by_side", "split",
)  # fmt: skip
_TOOLBAR_TEXTS = {  # where the text of the menu is too long
    "cycles": "Cycles", "short_names": "Templates", "units": "Costs", "own_code": "My Code",
    "jump": "Jump",
}  # fmt: skip


class Actions:
    """The actions of a window by name: `actions["open"]`."""

    def __init__(self, window: QWidget) -> None:
        self._actions = {name: _action(name, spec, window) for name, spec in _SPECS.items()}
        for name in _FOR_A_PROFILE:
            self._actions[name].setEnabled(False)
        for name, text in _TOOLBAR_TEXTS.items():
            self._actions[name].setIconText(text)
        self.recolor(window.palette())

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def __contains__(self, name: str) -> bool:
        return name in self._actions

    def __iter__(self) -> Iterator[QAction]:
        return iter(self._actions.values())

    def connect(self, slots: Mapping[str, Callable[[], object]]) -> None:
        """Call each slot, without arguments, when the action of its name is triggered.

        Raises `KeyError` with all unknown names, without connecting anything.
        """
        unknown = sorted(slots.keys() - self._actions.keys())
        if unknown:
            raise KeyError(f"no such action: {', '.join(unknown)}")
        for name, slot in slots.items():
            self._actions[name].triggered.connect(lambda _checked=False, slot=slot: slot())

    def enable_for_profile(self) -> None:
        """Enable the actions that need an open profile and nothing else."""
        for name in _FOR_A_PROFILE:
            self._actions[name].setEnabled(True)

    def recolor(self, palette: QPalette) -> None:
        """Draw the icons in the colours of the palette."""
        for name, spec in _SPECS.items():
            if spec.icon:
                self._actions[name].setIcon(icon(spec.icon, palette))


def _action(name: str, spec: _Spec, window: QWidget) -> QAction:
    action = QAction(spec.text, window, checkable=spec.checkable)
    action.setObjectName(name)
    action.setChecked(spec.checked)
    action.setIconVisibleInMenu(not spec.checkable)  # or a check mark is a frame round the icon
    action.setStatusTip(spec.tip)
    keys = [QKeySequence(key) for key in spec.keys]
    set_keys(action, list(dict.fromkeys(key for key in keys if not key.isEmpty())))
    window.addAction(action)
    return action
