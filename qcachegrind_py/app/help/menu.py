"""The Help menu: the guide, made when it is first asked for, What's This, and About."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu, QMessageBox, QWhatsThis

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.version import version_text

if TYPE_CHECKING:
    from qcachegrind_py.app.help.guide import Guide


class HelpMenu:
    """Opens the guide, asks what to be told about, and says what this is."""

    def __init__(self, window: QMainWindow, actions: Actions) -> None:
        self._window = window
        self.guide: Guide | None = None
        actions.connect(
            {
                "guide": self.show_guide,
                "about": self.show_about,
                "whats_this": QWhatsThis.enterWhatsThisMode,
            }
        )

    def show_guide(self, page: str = "") -> None:
        """Show the guide, at the page where it was or at this one."""
        if self.guide is None:
            from qcachegrind_py.app.help.guide import Guide, key_table

            self.guide = Guide(self._window, key_table(_menu_contents(self._window)))
        self.guide.open_page(page)

    def show_about(self) -> None:
        """Say which version this is, and whose."""
        text = f"{version_text()}\n\nA viewer for profiles in the Callgrind format. MIT licence."
        QMessageBox.about(self._window, "QCachegrind.py", text)


def _menu_contents(window: QMainWindow) -> list[tuple[str, list[QAction]]]:
    """The menus of the menu bar with all that can be chosen in them."""
    found = []
    for action in window.menuBar().actions():
        menu = QMenu.menuInAction(action)  # PySide6 before 6.11.2 destroys what action.menu() gives
        if menu is not None:
            found.append((menu.title(), _menu_actions(menu)))
    return found


def _menu_actions(menu: QMenu) -> list[QAction]:
    found: list[QAction] = []
    for action in menu.actions():
        inner = QMenu.menuInAction(action)
        found += _menu_actions(inner) if inner is not None else [action]
    return found
