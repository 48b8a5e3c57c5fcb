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
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session

_KEYS = {
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
        navigation: Navigation,
        filter_bar: FilterBar,
        ways: Sequence[QAction],
    ) -> None:
        """`ways` are offered for every function: back, forward, up."""
        self._session = session
        self._navigation = navigation
        self._filter = filter_bar
        self._ways = ways

    def fill(self, menu: QMenu, entry: int) -> None:
        """Offer what can be done about the function or cycle."""
        questions = self._session.questions
        if questions is None:
            return
        scope, navigation = self._navigation.context.scope, self._navigation
        cycle = int(questions.costs(scope).cycle[entry])
        if cycle and entry < questions.functions:
            number = questions.functions + cycle - 1
            menu.addAction(f"Go to <cycle {cycle}>", lambda: navigation.select_function(number))
        menu.addAction("&Mark in All Views", lambda: navigation.set(selected=entry))
        if entry >= questions.functions:
            name = f"<cycle {cycle}>"
            self._add_term(menu, "&Only Cycle", name, f"cycle:{cycle}")
            self._add_term(menu, "&Hide Cycle", name, f"!cycle:{cycle}")
        else:
            self._add_filters(menu.addMenu("F&ilter"), questions.names, entry)
        menu.addSeparator()
        menu.addActions(self._ways)

    def fill_group(self, menu: QMenu, grouping: Grouping, name: str) -> None:
        """Offer what can be done about a group."""
        key = _KEYS.get(grouping)
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
        self._add_term(menu, "&Only", shown, only)
        self._add_term(menu, "&Hide", shown, hide)

    def _add_filters(self, menu: QMenu, names: FunctionNames, entry: int) -> None:
        for only, hide, key, value in (
            ("Only &Function", "Hide F&unction", "name", names.name(entry)),
            ("Only &Object", "Hide O&bject", "lib", names.object(entry)),
            ("Only Source Fi&le", "Hide &Source File", "file", names.file(entry)),
            ("Only &Class", "Hide Cl&ass", "class", self._class(entry)),
        ):
            if value and (value != UNKNOWN or key == "name"):
                shown = base_name(value) if key in ("lib", "file") else value
                self._add_term(menu, only, shown, quoted(key, value))
                self._add_term(menu, hide, shown, quoted(key, value, excluded=True))

    def _class(self, entry: int) -> str:
        """The class, where it is known already: to find all classes takes long."""
        questions, context = self._session.questions, self._navigation.context
        if questions is None or context.grouping is not Grouping.CLASS:
            return ""
        groups = questions.groups(Grouping.CLASS, context.scope)
        return groups.names[int(groups.of_entry[entry])]

    def _add_term(self, menu: QMenu, title: str, value: str, term: str) -> None:
        shown = short_text(value).replace("&", "&&")
        action = menu.addAction(f"{title} “{shown}”")
        action.triggered.connect(lambda _checked=False: self._apply(term))

    def _apply(self, term: str) -> None:
        self._filter.set_terms(with_term(self._filter.text(), term))
