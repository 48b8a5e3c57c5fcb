"""A bar that says that the source of the base is missing, and asks where it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtWidgets import QInputDialog, QMenu, QMessageBox

from qcachegrind_py.analysis.code.line_numbering import Numberings
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.tools.compared_inputs import BY_CALLS, CHANGED_SINCE, NO_BASE_TEXT, NO_TEXTS
from qcachegrind_py.tools.git import is_revision
from qcachegrind_py.tools.sources.file_search import rule_from_choice
from qcachegrind_py.tools.sources.text_file import SourceText
from qcachegrind_py.views.common.buttons import text_button
from qcachegrind_py.views.common.problem_bar import ProblemBar, problem_text

_FILE = "Choose &Base File…"
_FILE_TIP = "Choose the source of the base; others are then found relative to it"
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


@dataclass(frozen=True, slots=True, eq=False)
class BaseSource:
    """The source of the base, beside that of the new side."""

    recorded: str  # path of the file that the bar is about, in the base
    texts: Mapping[TextId, SourceText]
    numberings: Numberings
    reason: str  # why its lines could not be paired by two texts; empty if they were
    problem: ProfileError | None
    has_new_text: bool
    moved: tuple[TextId, TextId]  # the file that a moved function was in, and where it is now

    def file_then(self, file: TextId) -> TextId:
        """Return the file in the base of lines that are shown as those of a file."""
        return self.moved[0] if file == self.moved[1] else file

    def file_now(self, file: TextId) -> TextId:
        """Return the file as whose lines those of a file of the base are shown."""
        return self.moved[1] if file == self.moved[0] else file


class BaseSourceBar(ProblemBar):
    """The bar with its buttons, and the same actions for the menu of a line."""

    def __init__(self, navigation: Navigation) -> None:
        super().__init__()
        self._navigation = navigation
        self._base: BaseSource | None = None
        self.file_button = text_button(_FILE, _FILE_TIP)
        self.file_button.clicked.connect(lambda: self.choose_file())
        self.revision_button = text_button(_REVISION, _REVISION_TIP)
        self.revision_button.clicked.connect(lambda: self.choose_revision())
        self.add_buttons(self.file_button, self.revision_button)

    def show_source(self, base: BaseSource | None) -> None:
        """Say what is missing; None, and a base that lacks nothing, hide the bar."""
        self._base = base
        text = "" if base is None else _text(base)
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
            menu.addAction(_FILE, self.choose_file).setToolTip(_FILE_TIP)
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


def _text(base: BaseSource) -> str:
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
