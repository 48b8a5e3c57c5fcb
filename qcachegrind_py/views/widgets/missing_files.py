"""Bars above code that say what is missing, with buttons that help: files, and those of a base."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QFileDialog,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QMenu,
    QMessageBox,
    QSizePolicy,
    QWidget,
)

from qcachegrind_py.analysis.names.syntax import short_paths
from qcachegrind_py.present.code_lines import BaseSource
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import (
    AmbiguousFile,
    AnnotationError,
    FileTooLarge,
    MissingFile,
    ProfileError,
)
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.tools.compared_inputs import BY_CALLS, CHANGED_SINCE, NO_BASE_TEXT, NO_TEXTS
from qcachegrind_py.tools.git import is_revision
from qcachegrind_py.tools.sources.file_search import rule_from_choice
from qcachegrind_py.views.widgets.controls import text_button, text_menu_button, tip_text
from qcachegrind_py.views.widgets.grid import around, grid

_NARROW_WIDTH = 90  # digits
_BASE_FILE = "Choose &Base File…"
_BASE_FILE_TIP = "Choose the source of the base; others are then found relative to it"
_REVISION = "Base Re&vision…"
_REVISION_TIP = "Read the sources of the base from a revision of their git repository"
_TITLE = "Base Revision"
_QUESTION = "Revision of the base in the repository of the source, such as v1.2 or HEAD~3:"
_INVALID = "A revision is the name of one commit, such as v1.2 or HEAD~3."
_UNTIL = f"Until you choose its file or revision, lines are {BY_CALLS}."
_NO_LINES = (
    "Lines of two unknown texts cannot be told apart, so none are shown. Choose the source of "
    "either side."
)
_PROGRAM = "Choose &Base Program…"
_PROGRAM_TIP = "Choose the program, as it was when the base was recorded, to pair instructions with"


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
        self._buttons.setSpacing(grid(0.5))
        self._box_layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box_layout.setContentsMargins(around(0.5))
        self._box_layout.setSpacing(grid(0.5))
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
    """Return the text of a problem; for a missing file, in how many places it was searched."""
    if problem is None:
        return ""
    if not isinstance(problem, MissingFile):
        return str(problem)
    places = len(problem.tried)
    where = f" in {places} places" if places > 1 else ""
    return f"{problem.path} was not found{where}."


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
            "&Choose File…",
            "Choose this file; others are then found relative to it",
            self._choose_file,
        )
        self.folder_button = text_button(
            "Search in F&older…", "Also search a folder and its subfolders", self._choose_folder
        )
        self.candidates_button = text_menu_button(
            "&Choose", "Choose one of the candidates", self._fill_candidates
        )
        self.read_button = text_button(
            "&Read Anyway", "Read the file regardless of its size", self._request_large_file
        )
        self.paths_button = text_button(
            "&Paths…", "View and change where files are searched", self.paths_dialog_requested.emit
        )

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
                menu.addAction(name, partial(self.use_file, path))

    def _request_large_file(self) -> None:
        if isinstance(self._problem, FileTooLarge):
            self.large_file_requested.emit(Path(self._problem.path))


class BaseSourceBar(ProblemBar):
    """The bar with its buttons, and the same actions for the menu of a line."""

    def __init__(self, navigation: Navigation) -> None:
        super().__init__()
        self._navigation = navigation
        self._base: BaseSource | None = None
        self.file_button = text_button(_BASE_FILE, _BASE_FILE_TIP, self.choose_file)
        self.revision_button = text_button(_REVISION, _REVISION_TIP, self.choose_revision)
        self.add_buttons(self.file_button, self.revision_button)

    def show_source(self, base: BaseSource | None) -> None:
        """Say what is missing; None, and a base that lacks nothing, hide the bar."""
        self._base = base
        text = "" if base is None else _base_text(base)
        self.file_button.setVisible(self._has_name)
        self.revision_button.setVisible(base is not None and base.has_new_text)
        self.show_text(f"Base: {text}" if text else "", None if base is None else base.problem)

    @property
    def _has_name(self) -> bool:
        return self._base is not None and self._base.recorded not in ("", UNKNOWN)

    def add_actions(self, menu: QMenu) -> None:
        """Add the actions to the menu of a line, if a base has a source of its own."""
        if self._base is None:
            return
        if self._has_name:
            menu.addAction(_BASE_FILE, self.choose_file).setToolTip(_BASE_FILE_TIP)
        if self._base.has_new_text:
            menu.addAction(_REVISION, self.choose_revision).setToolTip(_REVISION_TIP)

    def choose_file(self) -> None:
        """Ask for the file, which replaces a revision."""
        if self._base is None:
            return
        recorded, known = self._base.recorded, self._navigation.context.base_search
        if name := self.ask_for_file(recorded, " of the Base"):
            rule = rule_from_choice(recorded, Path(name))
            others = (other for other in known.rules if other != rule)
            search = replace(known, rules=(rule, *others), revision="")
            self._navigation.set(base_search=search)

    def choose_revision(self) -> None:
        """Ask for the revision; none reads files again."""
        known = self._navigation.context.base_search
        name, is_accepted = QInputDialog.getText(self, _TITLE, _QUESTION, text=known.revision)
        name = name.strip()
        if is_accepted and name and not is_revision(name):
            QMessageBox.warning(self, _TITLE, _INVALID)
        elif is_accepted:
            self._navigation.set(base_search=replace(known, revision=name))


def _base_text(base: BaseSource) -> str:
    """Return which text is missing and what that means; empty if none is."""
    problem = problem_text(base.problem)
    match base.reason:
        case reason if reason == NO_TEXTS:
            return f"{problem} {_NO_LINES}"
        case reason if reason == NO_BASE_TEXT:
            return f"{problem} {_UNTIL}"
        case reason if reason == CHANGED_SINCE:
            return f"{reason}. {_UNTIL}"
    return problem


class BaseProgramBar(ProblemBar):
    """The bar with its button; hidden while instructions are paired."""

    chosen = Signal(object, object)  # str, Path: recorded path of the base, file for it

    def __init__(self) -> None:
        super().__init__()
        self.recorded_path = ""  # of the base's program or library
        self.button = text_button(_PROGRAM, _PROGRAM_TIP, self.choose)
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
            menu.addAction(_PROGRAM, self.choose).setToolTip(_PROGRAM_TIP)

    def choose(self) -> None:
        if name := self.ask_for_file(self.recorded_path, " of the Base", by_name=False):
            self.chosen.emit(self.recorded_path, Path(name))


def use_base_program(navigation: Navigation, recorded: str, path: Path) -> None:
    """Take a file for the base's program or library that was recorded at a path."""
    others = (each for each in navigation.context.base_programs if each[0] != recorded)
    navigation.set(base_programs=((recorded, str(path)), *others))
