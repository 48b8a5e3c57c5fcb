"""The Help menu's guide, made when it is first asked for."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu, QWhatsThis

from qcachegrind_py.app.actions import Actions
from qcachegrind_py.app.guide import Guide, key_table


class Help:
    """Opens the guide, and asks what to be told about."""

    def __init__(self, window: QMainWindow, actions: Actions) -> None:
        self._window = window
        self.guide: Guide | None = None
        actions["guide"].triggered.connect(lambda _checked=False: self.show_guide())
        actions["whats_this"].triggered.connect(
            lambda _checked=False: QWhatsThis.enterWhatsThisMode()
        )

    def show_guide(self, page: str = "") -> None:
        """Show the guide, at the page where it was or at this one."""
        if self.guide is None:
            self.guide = Guide(self._window, key_table(_menus(self._window)))
        self.guide.come(page)


def _menus(window: QMainWindow) -> list[tuple[str, list[QAction]]]:
    """The menus of the menu bar with all that can be chosen in them."""
    found = []
    for action in window.menuBar().actions():
        menu = action.menu()
        if isinstance(menu, QMenu):
            found.append((menu.title(), _entries(menu)))
    return found


def _entries(menu: QMenu) -> list[QAction]:
    found: list[QAction] = []
    for action in menu.actions():
        inner = action.menu()
        found += _entries(inner) if isinstance(inner, QMenu) else [action]
    return found
