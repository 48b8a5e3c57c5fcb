"""A bar that says why instructions are not paired, and asks for the program of the base."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QMenu, QSizePolicy, QWidget

from qcachegrind_py.analysis.names.short_names import short_paths
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.views.common.buttons import text_button

CHOOSE = "Choose &Base Program…"
CHOOSE_TIP = "Choose the program, as it was when the base was recorded, to pair instructions with"


class BaseProgramBar(QWidget):
    """The bar with its button; hidden while instructions are paired."""

    chosen = Signal(object, object)  # str, Path: recorded path of the base, file for it

    def __init__(self) -> None:
        super().__init__()
        self.recorded_path = ""  # of the base's program or library
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.ToolTipBase)
        self.label = QLabel(wordWrap=True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setForegroundRole(QPalette.ColorRole.ToolTipText)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.button = text_button(CHOOSE, CHOOSE_TIP)
        self.button.clicked.connect(self.choose)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 2, 4, 2)
        row.setSpacing(2)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        self.hide()

    def show_problem(self, problem: ProfileError | str | None, recorded_path: str) -> None:
        """Say why instructions are not paired; None hides the bar.

        `recorded_path` is that of the base's program or library, for which a file can be chosen.
        """
        self.recorded_path = recorded_path
        text = "" if problem is None else f"Base: {problem}"
        self.label.setText(cell_text(text))
        self.button.setVisible(recorded_path not in ("", UNKNOWN))
        self.setVisible(bool(text))

    def add_action(self, menu: QMenu, recorded_path: str) -> None:
        """Add the action that asks for the file, if the base has a program or library."""
        self.recorded_path = recorded_path
        if recorded_path not in ("", UNKNOWN):
            menu.addAction(CHOOSE, self.choose)

    def choose(self) -> None:
        """Ask for the file."""
        base = short_paths([self.recorded_path])[0]
        above = (str(folder) for folder in Path(self.recorded_path).parents)
        start = next(filter(os.path.isdir, above), "")
        title = f"Where Is {cell_text(base)} of the Base?"
        name, _ = QFileDialog.getOpenFileName(self, title, start)
        if name:
            self.chosen.emit(self.recorded_path, Path(name))


def use_base_program(navigation: Navigation, recorded: str, path: Path) -> None:
    """Take a file for the base's program or library that was recorded at a path."""
    others = (each for each in navigation.context.base_programs if each[0] != recorded)
    navigation.set(base_programs=((recorded, str(path)), *others))
