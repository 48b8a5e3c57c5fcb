"""Opens the command palette, for everything or for functions, and does what is chosen there."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from qcachegrind_py.app.frame.frame import Frame
from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:
    from qcachegrind_py.app.palette.dialog import PaletteDialog
    from qcachegrind_py.app.palette.entries import Entry


class CommandPalette:
    """The palette of a window; its dialog is created on first use."""

    def __init__(self, frame: Frame, show_setting: Callable[[str], object]) -> None:
        """`show_setting` opens the settings at the one of this name."""
        self._window, self._settings, self._session = frame.window, frame.settings, frame.session
        self._show_setting = show_setting
        frame.actions.connect({"palette": self.show, "jump": self.show_functions})

    def follow(self, session: Session) -> None:
        """Find the functions of this session."""
        self._session = session

    @cached_property
    def dialog(self) -> PaletteDialog:
        from qcachegrind_py.app.palette.dialog import PaletteDialog

        dialog = PaletteDialog(self._window)
        dialog.chosen.connect(self._choose)
        return dialog

    def show(self) -> None:
        """Open the palette for commands, functions, views and settings."""
        from qcachegrind_py.app.palette.entries import (
            best_commands,
            command_entries,
            function_entries,
            setting_entries,
        )

        commands = [*command_entries(self._window.menuBar()), *setting_entries(self._show_setting)]
        recent, query, go = self._settings.recent_commands, self._session.query, self._go

        def find(text: str) -> list[Entry]:
            functions = function_entries(query, text, go) if text.strip() else []
            return [*best_commands(commands, text, recent), *functions]

        self.dialog.open_for(find, only_functions=False)

    def show_functions(self) -> None:
        """Open the palette for functions only, the costliest ones at first."""
        from qcachegrind_py.app.palette.entries import function_entries

        query, go = self._session.query, self._go
        if query is not None:
            self.dialog.open_for(
                lambda text: function_entries(query, text, go), only_functions=True
            )

    def _go(self, function: FunctionId) -> None:
        self._session.navigation.select_function(function)

    def _choose(self, entry: Entry) -> None:
        """Do it when the window has the keyboard focus again, as some commands ask for it."""
        if entry.key:
            self._settings.add_recent_command(entry.key)
        QTimer.singleShot(0, self._window, entry.run)
