"""Every action of the window in one table: text, shortcut, icon and tip."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence, QPalette
from PySide6.QtWidgets import QWidget

from qcachegrind_py.app.icons import icon

_KEY = QKeySequence.StandardKey


@dataclass(frozen=True, slots=True)
class _Spec:
    text: str
    tip: str
    icon: str = ""
    keys: tuple[str | QKeySequence.StandardKey, ...] = ()
    checkable: bool = False
    checked: bool = False


_SPECS = {
    "open": _Spec("&Open…", "Open one or several profiles", "open", (_KEY.Open,)),
    "example": _Spec("Open &Example", "Open a small profile to look around in"),
    "reload": _Spec("&Reload", "Read the open files again", "reload", (_KEY.Refresh, "Ctrl+R")),
    "cancel": _Spec("&Stop Opening", "Stop reading; what was open stays", "cancel", ("Esc",)),
    "quit": _Spec("&Quit", "Close the program", "quit", (_KEY.Quit, "Ctrl+Q")),
    "back": _Spec("&Back", "Go to the function before this one", "back", ("Alt+Left",)),
    "forward": _Spec("&Forward", "Undo a step back", "forward", ("Alt+Right",)),
    "up": _Spec("&Up", "Go to the caller that spends most in this function", "up", ("Alt+Up",)),
    "search": _Spec("&Search Functions", "Type a part of a name", "search", (_KEY.Find,)),
    "regular_expression": _Spec(
        "&Regular Expression", "Search by regular expression", "regex", ("Alt+R",), True
    ),
    "percent": _Spec(
        "&Percentages", "Show percentages of the total, or the costs", "percent", ("Ctrl+P",), True,
        True
    ),
    "cycles": _Spec(
        "Detect &Cycles", "Count functions that call each other round as one", "cycles",
        ("Ctrl+Shift+C",), True, True,
    ),
    "next_event": _Spec("&Next Event", "Show the costs of the next event", "", ("Ctrl+E",)),
    "reset_layout": _Spec("Reset La&yout", "Put all docks where they were at first"),
    "light": _Spec("&Light", "Dark text on a light window", checkable=True),
    "dark": _Spec("&Dark", "Light text on a dark window", checkable=True),
    "system": _Spec("As the &System", "Light or dark as the desktop is", checkable=True),
    "about": _Spec("&About", "Version and licence", "information"),
}  # fmt: skip


class Actions:
    """The actions by name, as `actions["open"]`."""

    def __init__(self, window: QWidget) -> None:
        self._actions = {name: _action(spec, window) for name, spec in _SPECS.items()}
        self.recolor(window.palette())

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

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
