"""A bar above code that says what is missing, with buttons that help."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QWidget,
)

from qcachegrind_py.analysis.names.syntax import short_paths
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import MissingFile, ProfileError

_NARROW_WIDTH = 90  # digits
_MAX_SHOWN_PATHS = 3  # searched paths in the text; the tooltip has all


class ProblemBar(QWidget):
    """The bar; hidden while there is no text."""

    def __init__(self) -> None:
        super().__init__()
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.ToolTipBase)
        self.label = QLabel(wordWrap=True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setForegroundRole(QPalette.ColorRole.ToolTipText)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(2)
        self._box_layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box_layout.setContentsMargins(6, 2, 4, 2)
        self._box_layout.setSpacing(2)
        self._box_layout.addWidget(self.label, 1)
        self._box_layout.addLayout(self._buttons)
        self.hide()

    def add_buttons(self, *buttons: QAbstractButton) -> None:
        """Put buttons behind the text, from the left; called once."""
        for button in buttons:
            self._buttons.addWidget(button)
            button.setMinimumWidth(self.fontMetrics().horizontalAdvance("0000"))
        self._buttons.addStretch()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put the buttons below the text if the bar is narrow."""
        super().resizeEvent(event)
        is_narrow = self.width() < self.fontMetrics().horizontalAdvance("0") * _NARROW_WIDTH
        direction = QBoxLayout.Direction
        self._box_layout.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)

    def show_text(self, text: str, problem: ProfileError | str | None = None) -> None:
        """Show a text, which may be empty; the tip has all paths where a file was searched."""
        self.label.setText(cell_text(text))
        tried = problem.tried if isinstance(problem, MissingFile) else ()
        self.label.setToolTip(tip_text("Searched:", *tried) if tried else "")
        self.setVisible(bool(text))

    def ask_for_file(self, recorded_path: str, owner: str = "", *, by_name: bool = True) -> str:
        """Ask for a file, starting in the nearest existing folder of its recorded path.

        `owner` says whose file it is. Files of the same name are shown at first, if `by_name`.
        Return its path; empty if the user chooses none.
        """
        base = cell_text(short_paths([recorded_path])[0])
        above = (str(folder) for folder in Path(recorded_path).parents)
        start = next(filter(os.path.isdir, above), "")
        filters = f"{base} ({base});;All files (*)" if by_name else ""
        title = f"Where Is {base}{owner}?"
        name, _ = QFileDialog.getOpenFileName(self, title, start, filters)
        return name


def problem_text(problem: ProfileError | str | None) -> str:
    """Return the text of a problem; for a missing file, with the paths searched."""
    if problem is None:
        return ""
    if not isinstance(problem, MissingFile):
        return str(problem)
    if not problem.tried or problem.tried == (problem.path,):
        return f"{problem.path} was not found."
    shown, more = problem.tried[:_MAX_SHOWN_PATHS], len(problem.tried) - _MAX_SHOWN_PATHS
    searched = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
    return f"{problem.path} was not found. Searched {searched}."
