"""What the menus of all lists offer for a function: show it, hide it and its like."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.filters.expression import quoted, with_term
from qcachegrind_py.analysis.names.function_names import FunctionNames, base_name
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.models.base.plain_text import short_text
from qcachegrind_py.profile.ids import NO_NODE, FunctionId, NodeId
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.session.session import Session

_FILTER_KEYWORDS = {
    Grouping.OBJECT: "lib",
    Grouping.FILE: "file",
    Grouping.CLASS: "class",
    Grouping.CYCLE: "cycle",
}


class FunctionMenu:
    """Fills the menus; the filter is edited as text, which the user sees and can change."""

    def __init__(
        self,
        session: Session,
        filter_bar: FilterBar,
        history_actions: Sequence[QAction],
    ) -> None:
        """`ways` are offered for every function: back, forward, up."""
        self._session = session
        self._navigation = session.navigation
        self._filter = filter_bar
        self._history_actions = history_actions

    def fill(self, menu: QMenu, node: NodeId) -> None:
        """Offer what can be done about the function or cycle."""
        queries = self._session.queries
        if queries is None:
            return
        scope, navigation = self._navigation.context.scope, self._navigation
        cycle, number = queries.cycle_of(node, scope), queries.labels(scope).cycle(node)
        if cycle not in (node, NO_NODE):
            menu.addAction(f"Go to <cycle {number}>", lambda: navigation.select_function(cycle))
        menu.addAction("&Mark in All Views", lambda: navigation.set(selected=node))
        if queries.is_function(node):
            self._add_filters(menu.addMenu("F&ilter"), queries.names, node)
        else:
            name = f"<cycle {number}>"
            self._add_filter_action(menu, "&Only Cycle", name, f"cycle:{number}")
            self._add_filter_action(menu, "&Hide Cycle", name, f"!cycle:{number}")
        menu.addSeparator()
        menu.addActions(self._history_actions)

    def fill_group(self, menu: QMenu, grouping: Grouping, name: str) -> None:
        """Offer what can be done about a group."""
        key = _FILTER_KEYWORDS.get(grouping)
        if key is None:
            return
        if grouping is Grouping.CYCLE:
            number = name.removeprefix("<cycle ").removesuffix(">")
            only, hide = (f"cycle:{number}", f"!cycle:{number}")
            if not number.isdigit():
                only, hide = "!cycle:any", "cycle:any"
        else:
            only, hide = quoted(key, name), quoted(key, name, excluded=True)
        shown = base_name(name) if key in ("lib", "file") else name
        self._add_filter_action(menu, "&Only", shown, only)
        self._add_filter_action(menu, "&Hide", shown, hide)

    def _add_filters(self, menu: QMenu, names: FunctionNames, function: FunctionId) -> None:
        for only, hide, key, value in (
            ("Only &Function", "Hide F&unction", "name", names.name(function)),
            ("Only &Object", "Hide O&bject", "lib", names.object(function)),
            ("Only Source Fi&le", "Hide &Source File", "file", names.file(function)),
            ("Only &Class", "Hide Cl&ass", "class", self._class_name(function)),
        ):
            if value and (value != UNKNOWN or key == "name"):
                shown = base_name(value) if key in ("lib", "file") else value
                self._add_filter_action(menu, only, shown, quoted(key, value))
                self._add_filter_action(menu, hide, shown, quoted(key, value, excluded=True))

    def _class_name(self, function: FunctionId) -> str:
        """The class, where it is known already: to find all classes takes long."""
        queries, context = self._session.queries, self._navigation.context
        if queries is None or context.grouping is not Grouping.CLASS:
            return ""
        groups = queries.groups(Grouping.CLASS, context.scope)
        return groups.names[int(groups.group_of_node[function])]

    def _add_filter_action(self, menu: QMenu, title: str, value: str, term: str) -> None:
        shown = short_text(value).replace("&", "&&")
        action = menu.addAction(f"{title} “{shown}”")
        action.triggered.connect(lambda _checked=False: self._apply_term(term))

    def _apply_term(self, term: str) -> None:
        self._filter.set_text(with_term(self._filter.text(), term))
