"""The Call Tree dock: calls as a tree, down to the callees or up to the callers."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QToolButton, QWidget

from qcachegrind_py.analysis.calls.call_tree import BranchSearch, CallBranches, ComparedBranches
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.numbers import (
    WHY_ESTIMATED,
    EstimateKey,
    EstimateKind,
    Measure,
    NumberRequest,
)
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.present.call_tree import BranchTree, call_tree_table
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.number_request import number_request, parent_of_calls
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import FURTHER, NO_NODE, NodeId
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.call_tree import MOST_OPENED, CallTree
from qcachegrind_py.views.profile_view import ProfileView, stacked
from qcachegrind_py.views.tables.columns import HeaderState
from qcachegrind_py.views.tables.tree_model import TreeModel
from qcachegrind_py.views.widgets.buttons import text_button
from qcachegrind_py.views.widgets.colors import list_colors
from qcachegrind_py.views.widgets.empty_page import no_calls_reason
from qcachegrind_py.views.widgets.labels import NoteLabel
from qcachegrind_py.views.widgets.search_edit import FindEdit

_SEARCH_SLOT = "call tree search"
_NOTHING, _CUT = "No match", "No match in the costliest branches"
SearchedTree = tuple[CallBranches, Labels, NodeId]  # its branches, their names and its root
_STYLE_CHANGES = Change.COLORS | Change.UNIT | Change.NUMBERS | Change.NAMES | Change.SELECTION
_MEASURES = {"self": Measure.SELF, "count": Measure.COUNT}  # of columns other than costs
_ESTIMATE_NOTE = f"≈: estimated, because {WHY_ESTIMATED}"
_CLOSED_NOTE = f"Only the costliest {MOST_OPENED} rows are open"


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
        self._tree: SearchedTree | None = None
        self._matches: BoolArray | None = None
        self._search: BranchSearch | None = None  # None: not begun
        self._found = 0  # places shown since it began
        self.edit = FindEdit("Search in call tree")
        self.edit.textChanged.connect(self._restart)
        self.edit.returnPressed.connect(self.show_next)
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)

    def set_tree(self, tree: SearchedTree | None) -> None:
        """Search another tree: its branches, their names and its root."""
        self._tree = tree
        self._restart()

    def _restart(self) -> None:
        self._jobs.cancel(_SEARCH_SLOT)
        self._search, self._found = None, 0
        self.label.setText("")
        text, self._matches = self.edit.text(), None
        if text and self._tree is not None:
            self._matches = self._tree[1].nodes_containing(text)
        self._emphasize(self._matches)

    def show_next(self) -> None:
        """Look for the next place in a job, and show it; after the last, begin again."""
        if self._tree is None or self._matches is None or self._jobs.is_running(_SEARCH_SLOT):
            return
        (branches, _, root), matches, begun = self._tree, self._matches, self._search

        def work(progress: Progress) -> tuple[BranchSearch, list[NodeId] | None]:
            search = begun or BranchSearch(branches, root, matches)
            return search, search.next_path(progress)

        job = self._jobs.start(_SEARCH_SLOT, work)
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


class CallTreeView(ProfileView):
    """A call tree rooted at the active function, or at the whole program.

    A click on an arrow, or Right, opens a branch; a double click, or Return, makes its function
    active.
    """

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.code_changes())

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.model = TreeModel(self)
        self.tree = CallTree(self.model)
        self.connect_navigation(self.tree)
        self.tree.menu_requested.connect(self.menu_requested)
        self.connect_saving(self.tree, self.tree.save_requested)
        self.tree.all_opened.connect(self._on_all_opened)
        self.search = CallTreeSearch(session.jobs, self._emphasize, self.tree.show_path)
        tip = "Open all branches, costliest first"
        self.expand_button = text_button("E&xpand All", tip, self.tree.expand_all)
        self.note = NoteLabel()
        self._hidden_note = ""
        self.callees_button, self.callers_button = QToolButton(), QToolButton()
        self.program_button = QToolButton()
        self._shows_program = False
        self._is_of_recorded = True  # whether the shown program has the recorded total
        self._direction_buttons = QButtonGroup(self)
        self._direction_buttons.buttonClicked.connect(
            lambda _button: self.refresh_for(Change.FUNCTION)
        )
        self.set_content(self._create_content(), self.tree)

    def _create_content(self) -> QWidget:
        texts = (
            (self.callees_button, "&Callees", "From the active function down to its callees"),
            (self.callers_button, "C&allers", "From the active function up to its callers"),
            (self.program_button, "Progra&m", "The whole program, from where it begins"),
        )
        content, row = QWidget(), QHBoxLayout()
        for button, text, tip in texts:
            button.setText(text)
            button.setToolTip(tip)
            button.setCheckable(True)
            self._direction_buttons.addButton(button)
            row.addWidget(button)
        self.callees_button.setChecked(True)
        row.addWidget(self.expand_button)
        row.addWidget(self.search.edit, 1)
        row.addWidget(self.search.label)
        row.setContentsMargins(4, 2, 4, 2)
        row.setSpacing(2)
        return stacked(content, row, self.tree, self.note)

    def save_state(self) -> list[QByteArray]:
        shown = b"up" if self.callers_button.isChecked() else b"down"
        shown = b"program" if self._is_of_program else shown
        return [self.tree.widths.state().to_bytes(), QByteArray(shown)]

    def restore_state(self, states: list[QByteArray]) -> None:
        if len(states) == len(self.save_state()):
            state = HeaderState.from_bytes(states[0])
            if state is not None:
                self.tree.widths.restore(state)
            buttons = {b"up": self.callers_button, b"program": self.program_button}
            buttons.get(bytes(states[1].data()), self.callees_button).setChecked(True)

    @property
    def _is_of_program(self) -> bool:
        return self.program_button.isChecked()

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the tree with the active function, or the whole program, as its root."""
        context = query.context
        self.model.highlight(context.selected)
        self.tree.viewport().update()
        is_program = self._is_of_program
        if is_program and context.of_recorded != self._is_of_recorded:
            change |= Change.EVENT  # the whole costs something else
        stays = Change.SELECTION
        if is_program and self._shows_program:
            stays |= Change.FUNCTION
        if not change & ~stays:
            return
        message = no_calls_reason(query)
        if message or context.event is None:
            self._shows_program = False
            self.model.clear()
            self.search.set_tree(None)
            self.show_message(message)
            return
        self.model.set_node_colors(list_colors(query))
        if change & ~_STYLE_CHANGES == Change(0):  # open branches stay open
            self.model.show_numbers(call_tree_table(query, self.model.tree, is_program=is_program))
            self.tree.fit_columns()
            return
        up, visible = self.callers_button.isChecked(), query.visible_nodes()
        root = NO_NODE if is_program else context.function
        self._shows_program, self._is_of_recorded = is_program, context.of_recorded

        def branches_in(scope: Scope) -> CallBranches:
            calls, _ = (
                query.calls_of_program(scope) if is_program else query.calls_from(root, scope)
            )
            return CallBranches(calls, visible, up=up)

        branches = branches_in(context.scope)
        tree = BranchTree(branches, root)
        if context.base is not None:
            tree = BranchTree(ComparedBranches(branches_in(context.base), branches), root)
        self.tree.widths.show(self.model.places("self"), not up)  # callers have other costs, too
        self.model.show(call_tree_table(query, tree, is_program=is_program))
        self.search.set_tree((branches, query.labels(), root))
        self.tree.open_root()
        hidden = int((~visible).sum()) if visible is not None else 0
        count = format_count(hidden, context.numbers)
        self._hidden_note = f"{count} functions are hidden by the filter" if hidden else ""
        self._on_all_opened(True)
        self.show_content()

    def current_number(self) -> NumberRequest | None:
        """Return cost, self cost or number of calls of the current branch."""
        query, index = self.session.query, self.tree.currentIndex()
        path = self.model.tree.path(self.model.record(index)) if index.isValid() else ()
        if query is None or FURTHER in path or not path:
            return None
        is_program = path[0] == NO_NODE
        path = path[1:] if is_program else path
        measure = _MEASURES.get(self.model.columns[index.column()].key, Measure.COST)
        up, is_root = self.callers_button.isChecked(), len(path) <= 1
        if (up and measure is Measure.SELF) or (is_root and measure is Measure.COUNT):
            measure = Measure.COST
        if min(path[-2:], default=NO_NODE) < 0:
            measure = Measure.COST
        key = EstimateKey(
            EstimateKind.BRANCH, path, measure, up=up, is_program=is_program,
            of_recorded=query.context.of_recorded,
        )  # fmt: skip
        parent = None if is_program else parent_of_calls(query, path[0])
        return number_request(query, key, parent=parent)

    def _emphasize(self, matches: BoolArray | None) -> None:
        """Show the names that the search matches in bold."""
        self.model.set_matches(matches)
        self.tree.viewport().update()

    def _on_all_opened(self, is_complete: bool) -> None:
        """Say below the tree what it does not show, and what ≈ means."""
        closed = "" if is_complete else _CLOSED_NOTE
        self.note.setText(" · ".join(filter(None, (closed, self._hidden_note, _ESTIMATE_NOTE))))
