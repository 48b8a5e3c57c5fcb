"""The Call Tree dock: calls as a tree, down to the callees or up to the callers."""

from __future__ import annotations

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from qcachegrind_py.analysis.calls.call_branches import CallBranches, ComparedBranches
from qcachegrind_py.analysis.explanation.exactness import WHY_ESTIMATED
from qcachegrind_py.analysis.explanation.keys import EstimateKey, EstimateKind, Measure
from qcachegrind_py.analysis.explanation.numbers import NumberRequest
from qcachegrind_py.models.base.call_table import no_mark
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.call_tree import CallTreeModel
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Change
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.buttons import text_button
from qcachegrind_py.views.common.columns.header_state import HeaderState
from qcachegrind_py.views.common.compared.formats import change_format, largest
from qcachegrind_py.views.common.empty_reasons import no_calls_reason
from qcachegrind_py.views.common.numbers.request import number_request, parent_of_calls
from qcachegrind_py.views.common.profile_view import NoteLabel, ProfileView
from qcachegrind_py.views.common.view_query import ViewQuery, current_query
from qcachegrind_py.views.lists.call_tree import MOST_OPENED, CallTree
from qcachegrind_py.views.lists.call_tree_search import CallTreeSearch

_STYLE_CHANGES = Change.COLORS | Change.UNIT | Change.NUMBERS | Change.NAMES | Change.SELECTION
_MEASURES = {  # of the columns other than costs
    CallTreeModel.SELF: Measure.SELF,
    CallTreeModel.COUNT: Measure.COUNT,
}
_ESTIMATE_NOTE = f"≈: estimated, because {WHY_ESTIMATED}"
_CLOSED_NOTE = f"Only the costliest {MOST_OPENED} rows are open"


class CallTreeView(ProfileView):
    """A call tree rooted at the active function.

    A click on an arrow, or Right, opens a branch; a double click, or Return, makes its function
    active.
    """

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.code_changes())

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.model = CallTreeModel(self)
        self.tree = CallTree(self.model)
        self.connect_navigation(self.tree)
        self.tree.menu_requested.connect(self.menu_requested)
        self.connect_saving(self.tree, self.tree.save_requested)
        self.tree.all_opened.connect(self._on_all_opened)
        self.search = CallTreeSearch(session.jobs, self._emphasize, self.tree.show_path)
        self.expand_button = text_button("E&xpand All", "Open all branches, costliest first")
        self.expand_button.clicked.connect(lambda: self.tree.expand_all())
        self.note = NoteLabel()
        self._hidden_note = ""
        self.callees_button, self.callers_button = QToolButton(), QToolButton()
        self._direction_buttons = QButtonGroup(self)
        self._direction_buttons.buttonClicked.connect(
            lambda _button: self.refresh_for(Change.FUNCTION)
        )
        self.set_content(self._create_content())
        self.initial_focus = self.tree

    def _create_content(self) -> QWidget:
        texts = (
            (
                self.callees_button,
                "&Callees",
                "From the active function down to its callees",
            ),
            (self.callers_button, "C&allers", "From the active function up to its callers"),
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
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.tree)
        column.addWidget(self.note)
        return content

    def save_state(self) -> list[QByteArray]:
        direction = b"up" if self.callers_button.isChecked() else b"down"
        return [self.tree.widths.state().to_bytes(), QByteArray(direction)]

    def restore_state(self, states: list[QByteArray]) -> None:
        if len(states) == len(self.save_state()):
            state = HeaderState.from_bytes(states[0])
            if state is not None:
                self.tree.widths.restore(state)
            up = states[1] == QByteArray(b"up")
            (self.callers_button if up else self.callees_button).setChecked(True)

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the tree with the active function as its root."""
        context = query.context
        self.model.highlight(context.selected)
        self.tree.viewport().update()
        if change == Change.SELECTION:
            return
        message = no_calls_reason(query)
        if message or context.event is None:
            self.model.clear()
            self.search.set_tree(None)
            self.show_message(message)
            return
        labels = query.labels()
        format_ = _tree_format(query, context.event)
        self.model.set_colors(query.list_colors())
        if change & ~_STYLE_CHANGES == Change(0):  # open branches stay open
            self.model.set_style(labels, format_)
            self.tree.fit_columns()
            return
        up, visible = self.callers_button.isChecked(), query.visible_nodes()
        branches = CallBranches(query.call_graph(context.event), visible, up=up)
        tree: CallBranches | ComparedBranches = branches
        if context.base is not None:
            before = query.queries.call_graph(context.event, context.base)
            tree = ComparedBranches(CallBranches(before, visible, up=up), branches)
        self.model.mark = query.mark if query.is_comparing else no_mark
        self.tree.widths.show((CallTreeModel.SELF,), not up)  # callers have other costs, too
        self.model.set_root(tree, labels, context.function, format_)
        self.search.set_tree((branches, labels, context.function))
        self.tree.open_root()
        hidden = int((~visible).sum()) if visible is not None else 0
        count = format_.count_text(hidden)
        self._hidden_note = f"{count} functions are hidden by the filter" if hidden else ""
        self._on_all_opened(True)
        self.show_content()

    def current_number(self) -> NumberRequest | None:
        """Return cost, self cost or number of calls of the current branch."""
        query, index = current_query(self.session), self.tree.currentIndex()
        path = self.model.path_to(index) if index.isValid() else ()
        if query is None or NO_NODE in path or not path:
            return None
        measure = _MEASURES.get(index.column(), Measure.COST)
        up, function = self.callers_button.isChecked(), path[0]
        if (up and measure is Measure.SELF) or (len(path) == 1 and measure is Measure.COUNT):
            measure = Measure.COST
        key = EstimateKey(EstimateKind.BRANCH, path, measure, up=up)
        return number_request(query, key, parent=parent_of_calls(query, function))

    def _emphasize(self, matches: BoolArray | None) -> None:
        """Show the names that the search matches in bold."""
        self.model.set_matches(matches)
        self.tree.viewport().update()

    def _on_all_opened(self, is_complete: bool) -> None:
        """Say below the tree what it does not show, and what ≈ means."""
        closed = "" if is_complete else _CLOSED_NOTE
        self.note.setText(" · ".join(filter(None, (closed, self._hidden_note, _ESTIMATE_NOTE))))


def _tree_format(query: ViewQuery, event: EventType) -> CostFormat:
    """Return the format of the branches; changes have the scale of the list of functions.

    Units that divide costs are for whole functions; branches show counts in these.
    """
    series = query.series
    if series is None or not series.is_change:
        return query.call_format(event, query.context.function)
    changes = query.change(series, series.sides(query.queries.inclusive))
    return change_format(query.cost_format(event), None, largest(changes))
