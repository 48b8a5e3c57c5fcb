"""A bar above the code that explains why code is missing and offers remedies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QMenu

from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import (
    AmbiguousFile,
    AnnotationError,
    FileTooLarge,
    MissingFile,
    ProfileError,
)
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.tools.sources.file_search import rule_from_choice
from qcachegrind_py.views.common.buttons import text_button, text_menu_button
from qcachegrind_py.views.common.problem_bar import ProblemBar, problem_text


class MissingFileBar(ProblemBar):
    """The bar with its buttons; hidden while nothing is missing."""

    path_rule_requested = Signal(object)  # PathRule: maps recorded paths to present ones
    folder_requested = Signal(object)  # str: the folder to search
    paths_dialog_requested = Signal()  # show and change all rules and folders
    large_file_requested = Signal(object)  # Path: read this file, whatever its size

    def __init__(self) -> None:
        super().__init__()
        self._problem: ProfileError | None = None
        self.recorded_path = ""  # path of the file in the profile
        self._make_buttons()
        self.add_buttons(
            self.choose_button,
            self.folder_button,
            self.candidates_button,
            self.read_button,
            self.paths_button,
        )

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

    def show_problem(
        self, problem: ProfileError | str | None, recorded_path: str = "", side: str = ""
    ) -> None:
        """Explain a problem with the file at `recorded_path` and show the buttons that help.

        None hides the bar. `side` says which side of a comparison has the problem.
        """
        self._problem = problem if isinstance(problem, ProfileError) else None
        self.recorded_path = recorded_path if recorded_path not in ("", UNKNOWN) else ""
        text = problem_text(problem)
        self.show_text(f"{side}: {text}" if text and side else text, problem)
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

    def use_file(self, chosen: Path) -> None:
        """Emit the path rule that maps the recorded path to the chosen file."""
        self.path_rule_requested.emit(rule_from_choice(self.recorded_path, chosen))

    def _choose_file(self) -> None:
        if name := self.ask_for_file(self.recorded_path):
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
