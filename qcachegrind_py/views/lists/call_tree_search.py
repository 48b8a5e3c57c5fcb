"""The search of the Call Tree dock: Return goes from place to place, the costliest first."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from qcachegrind_py.analysis.calls.call_tree import BranchSearch, CallBranches
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.views.widgets.search_edit import FindEdit

_SLOT = "call tree search"
_NOTHING, _CUT = "No match", "No match in the costliest branches"


class CallTreeSearch:
    """The search field, the label beside it, and the job that looks for the next place."""

    def __init__(
        self,
        jobs: JobRunner,
        emphasize: Callable[[BoolArray | None], None],
        show_path: Callable[[list[NodeId]], None],
    ) -> None:
        """`emphasize` gets the functions and cycles that match, `show_path` each place found."""
        self._jobs, self._emphasize, self._show_path = jobs, emphasize, show_path
        self._tree: tuple[CallBranches, Labels, NodeId] | None = None
        self._matches: BoolArray | None = None
        self._search: BranchSearch | None = None  # None: not begun
        self._found = 0  # places shown since it began
        self.edit = FindEdit("Search in call tree")
        self.edit.textChanged.connect(self._restart)
        self.edit.returnPressed.connect(self.show_next)
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)

    def set_tree(self, tree: tuple[CallBranches, Labels, NodeId] | None) -> None:
        """Search another tree: its branches, their names and its root."""
        self._tree = tree
        self._restart()

    def _restart(self) -> None:
        self._jobs.cancel(_SLOT)
        self._search, self._found = None, 0
        self.label.setText("")
        text, self._matches = self.edit.text(), None
        if text and self._tree is not None:
            self._matches = self._tree[1].nodes_containing(text)
        self._emphasize(self._matches)

    def show_next(self) -> None:
        """Look for the next place in a job, and show it; after the last, begin again."""
        if self._tree is None or self._matches is None or self._jobs.is_running(_SLOT):
            return
        (branches, _, root), matches, begun = self._tree, self._matches, self._search

        def work(progress: Progress) -> tuple[BranchSearch, list[NodeId] | None]:
            search = begun or BranchSearch(branches, root, matches)
            return search, search.next_path(progress)

        job = self._jobs.start(_SLOT, work)
        job.finished.connect(lambda result: self._show(*result))

    def _show(self, search: BranchSearch, path: list[NodeId] | None) -> None:
        self._search = search
        if path is not None:
            self._found += 1
            self.label.setText("")
            self._show_path(path)
        elif self._found:
            self._restart()
            self.show_next()
        else:
            self.label.setText(_CUT if search.is_cut else _NOTHING)
