"""The Explain Change dock: what the change of the active function's inclusive cost consists of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.comparison.effects import explain_change
from qcachegrind_py.models.base.group_colors import list_colors
from qcachegrind_py.models.explanation.contribution_rows import contribution_rows
from qcachegrind_py.models.explanation.contributions import ContributionModel
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.former.change_format import ChangeFormat
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.table import short_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.annotation_inputs import NO_LINES
from qcachegrind_py.views.common.empty_page import Remedy
from qcachegrind_py.views.common.empty_reasons import NO_FUNCTION_CHOSEN
from qcachegrind_py.views.common.profile_view import ProfileView
from qcachegrind_py.views.explanation.contribution_table import ContributionTable
from qcachegrind_py.views.explanation.headline import LINES_TIP, Headline, sums_text
from qcachegrind_py.views.explanation.line_loader import LoadedLines, load_lines
from qcachegrind_py.views.explanation.self_lines import SelfLines

NOTHING_COMPARED = (
    "Nothing is compared.\nChoose another profile, or use some parts as base in Parts."
)
_RATIO = (
    "A ratio is no sum: the changes of calls do not add up to its change.\n"
    "Choose a counted event in the toolbar."
)
CYCLE_HAS_NO_LINES = "A cycle has no lines of its own. Go to one of its members."
_LINES_JOB = "lines of self"


class ExplainChange(ProfileView):
    """The change of the active function: its own, and that of each call. Return goes down."""

    depends_on = ~(Change.EVENTS | Change.GROUPING | Change.FILTER | Change.POSITION)

    def __init__(self, session: Session, compare: QAction) -> None:
        """`compare` asks for a profile to compare with."""
        super().__init__(session)
        self._compare = compare
        self._shown = NO_NODE  # the function or cycle whose change is explained
        self.model = ContributionModel(self)
        self.table = ContributionTable(self.model)
        self.headline, self.lines = Headline(), SelfLines()
        self.connect_navigation(self.table)
        self.table.menu_requested.connect(self.menu_requested)
        self.table.self_activated.connect(self.headline.lines_button.click)
        self.table.back_requested.connect(lambda: self.navigation.go_back())
        self.headline.lines_button.toggled.connect(lambda _on: self._toggle_lines())
        self.lines.line_chosen.connect(lambda place: self.navigation.set(position=place))
        self.lines.hide()
        self.set_content(self._create_content())
        self.initial_focus = self.table

    def _create_content(self) -> QWidget:
        content = QWidget()
        both = QSplitter(Qt.Orientation.Vertical)
        both.addWidget(self.table)
        both.addWidget(self.lines)
        both.setChildrenCollapsible(False)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.headline)
        column.addWidget(both, 1)
        return content

    # ---------------------------------------------------------------- the explanation

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Explain the change of the active function."""
        self.model.highlight(query.context.selected)
        if change == Change.SELECTION:
            return
        compared, event = query.comparison, query.context.event
        reason = _reason_for_nothing(query)
        if reason or compared is None or event is None:
            self._clear()
            ask = Remedy("Compare With…", self._compare.trigger)
            self.show_message(reason, *([ask] if compared is None else []))
            return
        if change & (Change.PROFILE | Change.SCOPE):
            self._shown = NO_NODE  # its number may be that of another one now
        if change != Change.ANNOTATION:
            self._explain(query, compared, event, change)
        self._show_lines(query)
        self.show_content()

    def _clear(self) -> None:
        self.session.jobs.cancel(_LINES_JOB)
        self._shown = NO_NODE
        self.model.clear()
        self.lines.clear()

    def _explain(
        self, query: ViewQuery, compared: Comparison, event: EventType, change: Change
    ) -> None:
        node = query.context.function
        is_cycle = not query.queries.is_function(node)
        explained = explain_change(compared, node, event)
        changes, costs = _formats(query, compared, event)
        rows = contribution_rows(explained, query.labels(), costs, query.mark, is_of_cycle=is_cycle)
        self.table.show_rows(rows, changes, is_new=node != self._shown, came_from=self._shown)
        self._shown = node
        self.model.set_colors(list_colors(query))
        self.model.set_callers(query.list_callers())
        self.table.fit_numbers(only_wider=not change & ~(Change.FUNCTION | Change.SCOPE))
        sums = sums_text(explained, changes, costs, is_cycle=is_cycle)
        self.headline.show_sums(sums, " ".join(_remarks(query, compared)))
        reason = _reason_for_no_lines(query)
        self.headline.lines_button.setEnabled(not reason)
        self.headline.lines_button.setToolTip(reason or LINES_TIP)

    # ---------------------------------------------------------------- lines of self

    def _toggle_lines(self) -> None:
        if (query := self.session.query) is not None:
            self._show_lines(query)

    def _show_lines(self, query: ViewQuery) -> None:
        """Load the lines of the active function if the user wants them."""
        button, compared, event = self.headline.lines_button, query.comparison, query.context.event
        is_shown = button.isChecked() and button.isEnabled()
        self.lines.setVisible(is_shown)
        if not is_shown or compared is None or event is None:
            self.session.jobs.cancel(_LINES_JOB)
            self.lines.clear()
            return
        function, search = query.active_function(), query.context.files
        base_search = query.context.base_search
        job = self.session.jobs.start(
            _LINES_JOB,
            lambda progress: load_lines(compared, function, event, search, progress, base_search),
        )
        job.finished.connect(partial(self._show_loaded_lines, query))

    def _show_loaded_lines(self, query: ViewQuery, loaded: LoadedLines) -> None:
        """Show lines, unless the view shows something else by now."""
        compared, event = query.comparison, query.context.event
        is_current = _line_inputs(query.context) == _line_inputs(self.navigation.context)
        if is_current and compared is not None and event is not None:
            self.lines.show_lines(loaded, *_formats(query, compared, event))


def _formats(
    query: ViewQuery, compared: Comparison, event: EventType
) -> tuple[ChangeFormat, CostFormat]:
    """Return the formats of changes and of costs: always counts, as these add up on the screen.

    Percentages of the base's total are in tips.
    """
    costs = replace(query.cost_format(event), as_percentage=False)
    total, _ = compared.total(event)
    base = total.base if query.context.of_recorded else total.counted
    changes = ChangeFormat(
        costs.event, base, as_percentage=False, style=costs.style, quantity=costs.quantity
    )
    return changes, costs


def _line_inputs(context: Context) -> object:
    """What the lines depend on."""
    return context.profile, context.scope, context.base_parts, context.function, context.event


def _reason_for_nothing(query: ViewQuery) -> str:
    """Return why nothing is explained; empty if the change of the active function can be."""
    context, compared = query.context, query.comparison
    if compared is None:
        return NOTHING_COMPARED
    if context.event is None or context.function == NO_NODE:
        return NO_FUNCTION_CHOSEN
    if context.event.is_ratio:
        return _RATIO
    if context.event in compared.events:
        return ""
    side = "base" if context.event.name in compared.only_base else "new profile"
    return f"Only the {side} has {short_text(context.event.name)}.\nChoose another event."


def _reason_for_no_lines(query: ViewQuery) -> str:
    if not query.queries.is_function(query.context.function):
        return CYCLE_HAS_NO_LINES
    return "" if query.queries.has_lines else NO_LINES


def _remarks(query: ViewQuery, compared: Comparison) -> Iterator[str]:
    """Say what limits the explanation of the active function."""
    node = query.context.function
    if not query.queries.is_function(node):
        yield "The self cost of a cycle is part of its members."
        return
    if not compared.in_base[node]:
        yield "Only the new profile has this function."
    elif not compared.in_new[node]:
        yield "Only the base has this function."
    if (cycle := query.cycle_of(node)) != NO_NODE:
        name = query.labels().name(cycle)
        yield f"It is in {name}: calls within it have no cost of their own."
