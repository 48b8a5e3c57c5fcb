"""A bar that says why instructions are not paired, and asks for the program of the base."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu

from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.views.common.buttons import text_button
from qcachegrind_py.views.common.problem_bar import ProblemBar

CHOOSE = "Choose &Base Program…"
CHOOSE_TIP = "Choose the program, as it was when the base was recorded, to pair instructions with"


class BaseProgramBar(ProblemBar):
    """The bar with its button; hidden while instructions are paired."""

    chosen = Signal(object, object)  # str, Path: recorded path of the base, file for it

    def __init__(self) -> None:
        super().__init__()
        self.recorded_path = ""  # of the base's program or library
        self.button = text_button(CHOOSE, CHOOSE_TIP)
        self.button.clicked.connect(lambda: self.choose())
        self.add_buttons(self.button)

    def show_problem(self, problem: ProfileError | str | None, recorded_path: str) -> None:
        """Say why instructions are not paired; None hides the bar.

        `recorded_path` is that of the base's program or library, for which a file can be chosen.
        """
        self.recorded_path = recorded_path
        self.button.setVisible(recorded_path not in ("", UNKNOWN))
        self.show_text("" if problem is None else f"Base: {problem}", problem)

    def add_action(self, menu: QMenu, recorded_path: str) -> None:
        """Add the action that asks for the file, if the base has a program or library."""
        self.recorded_path = recorded_path
        if recorded_path not in ("", UNKNOWN):
            menu.addAction(CHOOSE, self.choose).setToolTip(CHOOSE_TIP)

    def choose(self) -> None:
        """Ask for the file."""
        if name := self.ask_for_file(self.recorded_path, " of the Base", by_name=False):
            self.chosen.emit(self.recorded_path, Path(name))


def use_base_program(navigation: Navigation, recorded: str, path: Path) -> None:
    """Take a file for the base's program or library that was recorded at a path."""
    others = (each for each in navigation.context.base_programs if each[0] != recorded)
    navigation.set(base_programs=((recorded, str(path)), *others))
