"""A bar above the code that explains why code is missing and offers remedies."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QWidget,
)

from qcachegrind_py.analysis.names.short_names import short_paths
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.profile.errors import (
    AmbiguousFile,
    AnnotationError,
    FileTooLarge,
    MissingFile,
    ProfileError,
)
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.tools.sources.path_rules import rule_from_choice
from qcachegrind_py.views.common.buttons import text_button, text_menu_button

_NARROW_WIDTH = 90  # digits
_MAX_SHOWN_PATHS = 3  # searched paths in the text; the tooltip has all


class MissingFileBar(QWidget):
    """The bar with its buttons; hidden while nothing is missing."""

    path_rule_requested = Signal(object)  # PathRule: maps recorded paths to present ones
    folder_requested = Signal(object)  # str: the folder to search
    paths_dialog_requested = Signal()  # show and change all rules and folders
    large_file_requested = Signal(object)  # Path: read this file, whatever its size

    def __init__(self) -> None:
        super().__init__()
        self._problem: ProfileError | None = None
        self.recorded_path = ""  # path of the file in the profile
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.ToolTipBase)
        self.label = QLabel(wordWrap=True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setForegroundRole(QPalette.ColorRole.ToolTipText)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._make_buttons()
        buttons = QHBoxLayout()
        buttons.setSpacing(2)
        for button in (
            self.choose_button,
            self.folder_button,
            self.candidates_button,
            self.read_button,
            self.paths_button,
        ):
            buttons.addWidget(button)
            button.setMinimumWidth(self.fontMetrics().horizontalAdvance("0000"))
        buttons.addStretch()
        self._box_layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box_layout.setContentsMargins(6, 2, 4, 2)
        self._box_layout.setSpacing(2)
        self._box_layout.addWidget(self.label, 1)
        self._box_layout.addLayout(buttons)
        self.hide()

    def _make_buttons(self) -> None:
        self.choose_button = text_button(
            "&Choose File…", "Choose this file; others are then found relative to it"
        )
        self.choose_button.clicked.connect(lambda: self._choose_file())
        self.folder_button = text_button(
            "Search in F&older…", "Also search a folder and its subfolders"
        )
        self.folder_button.clicked.connect(lambda: self._choose_folder())
        self.candidates_button = text_menu_button(
            "&Choose", "Choose one of the candidates", self._fill_candidates
        )
        self.read_button = text_button("&Read Anyway", "Read the file regardless of its size")
        self.read_button.clicked.connect(lambda: self._request_large_file())
        self.paths_button = text_button("&Paths…", "View and change where files are searched")
        self.paths_button.clicked.connect(lambda: self.paths_dialog_requested.emit())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put the buttons below the text if the bar is narrow."""
        super().resizeEvent(event)
        is_narrow = self.width() < self.fontMetrics().horizontalAdvance("0") * _NARROW_WIDTH
        direction = QBoxLayout.Direction
        self._box_layout.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)

    def show_problem(self, problem: ProfileError | str | None, recorded_path: str = "") -> None:
        """Explain a problem with the file at `recorded_path` and show the buttons that help.

        None hides the bar.
        """
        self._problem = problem if isinstance(problem, ProfileError) else None
        self.recorded_path = recorded_path if recorded_path not in ("", UNKNOWN) else ""
        text = problem if isinstance(problem, str) else _problem_text(problem)
        self.label.setText(cell_text(text))
        tried = problem.tried if isinstance(problem, MissingFile) else ()
        self.label.setToolTip(tip_text("Searched:", *tried) if tried else "")
        # the user can do nothing about a plain `AnnotationError`
        is_about_file = (
            bool(problem and self.recorded_path) and type(problem) is not AnnotationError
        )
        can_look = is_about_file and not isinstance(problem, (AmbiguousFile, FileTooLarge))
        self.choose_button.setVisible(can_look)
        self.folder_button.setVisible(isinstance(problem, MissingFile))
        self.candidates_button.setVisible(isinstance(problem, AmbiguousFile))
        self.read_button.setVisible(isinstance(problem, FileTooLarge))
        self.paths_button.setVisible(is_about_file)
        self.setVisible(bool(text))

    def use_file(self, chosen: Path) -> None:
        """Emit the path rule that maps the recorded path to the chosen file."""
        self.path_rule_requested.emit(rule_from_choice(self.recorded_path, chosen))

    def _choose_file(self) -> None:
        """Ask for the file, starting in the nearest existing folder of its recorded path."""
        base = short_paths([self.recorded_path])[0]
        above = (str(folder) for folder in Path(self.recorded_path).parents)
        start = next(filter(os.path.isdir, above), "")
        filters = f"{cell_text(base)} ({cell_text(base)});;All files (*)"
        title = f"Where Is {cell_text(base)}?"
        name, _ = QFileDialog.getOpenFileName(self, title, start, filters)
        if name:
            self.use_file(Path(name))

    def _choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Search in Folder")
        if name:
            self.folder_requested.emit(name)

    def _fill_candidates(self, menu: QMenu) -> None:
        if isinstance(self._problem, AmbiguousFile):
            for path in self._problem.candidates:
                name = cell_text(str(path)).replace("&", "&&")
                menu.addAction(name, _bound(self.use_file, path))

    def _request_large_file(self) -> None:
        if isinstance(self._problem, FileTooLarge):
            self.large_file_requested.emit(Path(self._problem.path))


def _bound(take: Callable[[Path], None], path: Path) -> Callable[[], None]:
    return lambda: take(path)


def _problem_text(problem: ProfileError | None) -> str:
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
