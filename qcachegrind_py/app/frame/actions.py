"""The table of the window's actions: text, shortcut, icon and tip of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence, QPalette
from PySide6.QtWidgets import QWidget

from qcachegrind_py.app.style.icons import icon

_STANDARD_KEY = QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class _Spec:
    text: str
    tip: str
    icon: str = ""
    keys: tuple[str | QKeySequence.StandardKey, ...] = ()
    checkable: bool = False
    checked: bool = False


_SPECS = {
    "open": _Spec("&Open…", "Open one or several profiles", "open", (_STANDARD_KEY.Open,)),
    "example": _Spec("Open &Example", "Open a small profile to look around in", "example"),
    "new_window": _Spec("&New Window", "Open another window", "", (_STANDARD_KEY.New,)),
    "add": _Spec(
        "&Add Files…", "Read further profiles into the open one, as its parts", "", ("Ctrl+D",)
    ),
    "reload": _Spec(
        "&Reload", "Read the open files again", "reload", (_STANDARD_KEY.Refresh, "Ctrl+R")
    ),
    "record": _Spec(
        "Record Pro&gram…", "Run a program, and open its profile", "record",
        ("Ctrl+Shift+P",),
    ),
    "report": _Spec("E&xport Report…", "Save tables, flame graph and sources as one HTML file"),
    "save": _Spec("Sa&ve As…", "Save the profile, or what is shown of it", "", ("Ctrl+S",)),
    "properties": _Spec(
        "Propert&ies", "Show who wrote the profile, of which run, and its totals", "information",
        ("Alt+Return",),
    ),
    "cancel": _Spec("S&top", "Stop opening or saving; what was there stays", "cancel", ("Esc",)),
    "close": _Spec("Close &Window", "Close this window", "", (_STANDARD_KEY.Close,)),
    "quit": _Spec("&Quit", "Close all windows", "quit", (_STANDARD_KEY.Quit, "Ctrl+Q")),
    "back": _Spec("&Back", "Go to the function before this one", "back", ("Alt+Left",)),
    "forward": _Spec("&Forward", "Undo a step back", "forward", ("Alt+Right",)),
    "up": _Spec(
        "&Up", "Go up the way that led here, or the costliest one", "up", ("Alt+Up",)
    ),
    "jump": _Spec(
        "&Jump to Function…", "Type a few letters of any function", "jump-to", ("Ctrl+P",)
    ),
    "search": _Spec("&Search Functions", "Type a part of a name", "search", (_STANDARD_KEY.Find,)),
    "regular_expression": _Spec(
        "&Regular Expression", "Search by regular expression", "regex", ("Alt+R",), True
    ),
    "filter": _Spec("&Filter…", "Show only some functions, in all views", "filter", ("Ctrl+L",)),
    "no_filter": _Spec("&No Filter", "Show all functions again", "", ("Ctrl+Shift+L",)),
    "own_code": _Spec(
        "Only &My Code", "Hide what is in the system's libraries", "own-code", ("Ctrl+M",), True
    ),
    "units": _Spec("Costs A&s", "Show costs as percentages or as they are", "percent"),
    "percent": _Spec(
        "&Percent of Total", "Show percentages of the total", "", ("Ctrl+1",), True, True
    ),
    "parent": _Spec(
        "Percent of P&arent", "Show percentages of what a cost is a part of", "", ("Ctrl+2",), True
    ),
    "absolute": _Spec("A&bsolute", "Show the costs as they are", "", ("Ctrl+3",), True),
    "percent_of_function": _Spec(
        "Percent of F&unction in Code",
        "Show percentages of the active function in Source and Assembler",
        "percent-function",
        ("Ctrl+5",), True, True,
    ),
    "si": _Spec("&Short Numbers", "Show 1.234 M instead of all digits", "", ("Ctrl+4",), True),
    "cycles": _Spec(
        "Detect &Cycles", "Count functions that call each other round as one", "cycles",
        ("Ctrl+Shift+C",), True, True,
    ),
    "short_names": _Spec(
        "Shorten &Templates", "Leave out what is between < and >", "templates", ("Ctrl+T",), True
    ),
    "fold_levels": _Spec(
        "Fold &Recursion Levels", "Count f'2, f'3 and so on as f", "", ("Ctrl+Shift+R",), True
    ),
    "next_event": _Spec("&Next Event", "Show the costs of the next event", "", ("Ctrl+E",)),
    "no_second_event": _Spec(
        "&Hide Second Event", "Show the costs of one event only", "", ("Ctrl+Shift+E",)
    ),
    "new_event": _Spec(
        "Add E&vent…", "Define an event by a formula of others", "", ("Ctrl+Shift+N",)
    ),
    "all_parts": _Spec("All &Parts", "Look at all parts of the profile", "", ("Ctrl+Shift+A",)),
    "editor": _Spec(
        "Open in E&ditor", "Open the current source line in your editor", "editor",
        ("Ctrl+Shift+O",),
    ),
    "paths": _Spec(
        "&Paths of Sources…", "Say where sources and programs are that were recorded elsewhere"
    ),
    "find_code": _Spec("Find in &Code", "Find text in source or assembler", "", ("Ctrl+Shift+F",)),
    "find_next": _Spec("Find Ne&xt", "Go to the next line that has the text", "", ("F3",)),
    "find_previous": _Spec(
        "Find Pre&vious", "Go to the line before that has the text", "", ("Shift+F3",)
    ),
    "next_hot": _Spec("Next &Hot Line", "Go to the next line in order of cost", "", ("F4",)),
    "previous_hot": _Spec("Pre&vious Hot Line", "Go back to a costlier line", "", ("Shift+F4",)),
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
        "&Intel Syntax", "Write x86 instructions as Intel does, not as AT&T does", "",
        ("Ctrl+I",), True,
    ),
    "code_bytes": _Spec(
        "Instruction &Bytes", "Show the bytes of instructions", "", ("Ctrl+B",), True
    ),
    "syntax_colors": _Spec(
        "Synta&x Colours", "Colour the words of source lines", "", ("Ctrl+Shift+X",), True, True
    ),
    "side_by_side": _Spec(
        "Source &Beside Assembler", "Put source and assembler side by side, or all docks back",
        "side-by-side", ("Ctrl+Shift+B",),
    ),
    "settings": _Spec("&Settings…", "Change how the program works", "settings", ("Ctrl+,",)),
    "save_layout": _Spec("&Save Layout…", "Remember where the docks are under a name"),
    "reset_layout": _Spec("&Reset Layout", "Put all docks where they were at first"),
    "light": _Spec("&Light", "Dark text on a light window", checkable=True),
    "dark": _Spec("&Dark", "Light text on a dark window", checkable=True),
    "system": _Spec("As the &System", "Light or dark as the desktop is", checkable=True),
    "guide": _Spec(
        "&Guide", "Read how to record and read profiles", "guide", (_STANDARD_KEY.HelpContents,)
    ),
    "whats_this": _Spec(
        "What's &This?", "Click on anything to be told what it is", "", ("Shift+F1",)
    ),
    "system_report": _Spec(
        "&System Report…", "Say what is installed here, what is missing, and how to get it"
    ),
    "about": _Spec("&About", "Version and licence", "information"),
}  # fmt: skip


class Actions:
    """The actions of a window by name: `actions["open"]`."""

    def __init__(self, window: QWidget) -> None:
        self._actions = {name: _action(spec, window) for name, spec in _SPECS.items()}
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

    def recolor(self, palette: QPalette) -> None:
        """Draw the icons in the colours of the palette."""
        for name, spec in _SPECS.items():
            if spec.icon:
                self._actions[name].setIcon(icon(spec.icon, palette))


def _action(spec: _Spec, window: QWidget) -> QAction:
    action = QAction(spec.text, window, checkable=spec.checkable)
    action.setChecked(spec.checked)
    keys = [QKeySequence(key) for key in spec.keys]
    action.setShortcuts(list(dict.fromkeys(key for key in keys if not key.isEmpty())))
    shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    action.setToolTip(f"{spec.tip} ({shortcut})" if shortcut else spec.tip)
    action.setStatusTip(spec.tip)
    window.addAction(action)
    return action
