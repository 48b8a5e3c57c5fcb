"""The commands of the Help menu: guide, What's This and About."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMessageBox, QWhatsThis

from qcachegrind_py.app.frame.frame import Frame
from qcachegrind_py.version import version_text

if TYPE_CHECKING:
    from qcachegrind_py.app.help.guide import Guide


class HelpMenu:
    """Opens the guide, which is created on first use, What's This mode, and About."""

    def __init__(self, frame: Frame) -> None:
        self._window = frame.window
        self.guide: Guide | None = None
        frame.actions.connect(
            {
                "guide": self.show_guide,
                "about": self.show_about,
                "whats_this": QWhatsThis.enterWhatsThisMode,
            }
        )

    def show_guide(self, page: str = "") -> None:
        """Show the guide at this page, or by default at the last one."""
        if self.guide is None:
            from qcachegrind_py.app.help.guide import Guide, key_table
            from qcachegrind_py.app.settings.shortcuts import menu_entries

            self.guide = Guide(self._window, key_table(menu_entries(self._window.menuBar())))
        self.guide.open_page(page)

    def show_about(self) -> None:
        text = f"{version_text()}\n\nA viewer for profiles of Callgrind and others. MIT licence."
        QMessageBox.about(self._window, "QCachegrind.py", text)
