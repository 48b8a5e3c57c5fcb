"""Context menu of a function, cycle or group in all views: show, fold, copy, and more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtGui import QAction, QColor, QGuiApplication
from PySide6.QtWidgets import QColorDialog, QMenu, QWidget

from qcachegrind_py.analysis.code.function_files import file_of_function
from qcachegrind_py.analysis.code.location_costs import first_line
from qcachegrind_py.analysis.filters.expression import quoted
from qcachegrind_py.analysis.names.function_names import FunctionNames, Grouping, base_name
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.registry import PICTURE, DockRegistry
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.app.frame.notices import Notices
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.call_site import CallSite
from qcachegrind_py.present.folds import FoldEntry, function_folds, group_folds, recursion_fold
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.ids import NO_NODE, FunctionId, NodeId, text_at
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.tables.table_actions import COPY_MENU
from qcachegrind_py.views.widgets.colors import group_palette
from qcachegrind_py.views.widgets.controls import tip_text
from qcachegrind_py.visible_text import visible_text


class GroupColorActions:
    """Actions that choose the colour of a group, or return to the computed one."""

    def __init__(self, window: QWidget, session: Session) -> None:
        self._window, self._session = window, session
        self._navigation = session.navigation

    def fill(self, menu: QMenu, group: str) -> None:
        """Add the actions for a group of this name: a file, an object, a class or a cycle."""
        chosen = dict(self._navigation.context.group_colors)
        colors = menu.addMenu("Colour")
        name = short_text(base_name(group)).replace("&", "&&")
        colors.addAction(f"&Choose Colour of “{name}”…", lambda: self._choose(group))
        if group in chosen:
            colors.addAction(f"&Reset Colour of “{name}”", lambda: self._set(group, None))
        if chosen:
            colors.addAction("Reset &All Colours", self._reset_all)

    def _choose(self, group: str) -> None:
        query = self._session.query
        if query is None:
            return
        present = group_palette(query).group(group)
        title = f"Colour of {short_text(base_name(group))}"
        color = QColorDialog.getColor(present, self._window, title)
        if color.isValid():
            self._set(group, color)

    def _set(self, group: str, color: QColor | None) -> None:
        chosen = dict(self._navigation.context.group_colors)
        chosen.pop(group, None)
        if color is not None:
            chosen[group] = color.name()
        self._navigation.set(group_colors=tuple(chosen.items()))

    def _reset_all(self) -> None:
        self._navigation.set(group_colors=())


EDITOR_JOB = "editor"  # slot of the job that looks for the file


class FunctionEditor:
    """Looks for a function's file in a job, as this may search whole folders."""

    def __init__(
        self, session: Session, notices: Notices, edit: Callable[[Path, int], None]
    ) -> None:
        """`edit` opens the editor on a file at a line."""
        self._session, self._notices, self._edit = session, notices, edit

    def open(self, function: FunctionId) -> None:
        """Open the editor at the function's first line, or show why this is impossible."""
        query = self._session.query
        if query is None:
            return
        job = self._session.jobs.start(EDITOR_JOB, _location, query, function)
        job.finished.connect(lambda place: self._edit(*place))
        job.failed.connect(self._show_error)

    def _show_error(self, error: ProfileError) -> None:
        self._notices.show_notice("editor", cell_text(str(error)))


def _location(progress: Progress, query: ViewQuery, function: FunctionId) -> tuple[Path, int]:
    """Find the source of a function; raises `ProfileError` if it is not found."""
    from qcachegrind_py.tools.annotation_inputs import read_sources

    profile = query.profile
    file = profile.texts[file_of_function(profile, function)]
    object_ = profile.texts[text_at(profile.functions.object, function)]
    sources = read_sources([file], object_, query.context.files, progress)
    if file not in sources.texts:
        raise sources.problems[file]
    return sources.texts[file].path, max(1, first_line(profile, function))


_FILTER_KEYWORDS = {
    Grouping.OBJECT: "lib",
    Grouping.FILE: "file",
    Grouping.CLASS: "class",
    Grouping.CYCLE: "cycle",
}


_CODE_DOCKS = (
    ("Show in &Source", DockRegistry.source.id),
    ("Show in &Assembler", DockRegistry.assembler.id),
)
_CALL_DOCKS = (
    ("Show in &Picture", PICTURE),
    ("Show Ca&llers", DockRegistry.callers.id),
)


@frozen(eq=True)
class FunctionActions:
    """What the menu of a function does in the window."""

    history: Sequence[QAction]  # explain the number; back, forward, up
    show_call: QAction
    call_site: Callable[[], CallSite | None]  # of what is under the cursor
    docks: Docks
    show_elsewhere: Callable[[NodeId], None]  # in the other panel
    edit: Callable[[FunctionId], None]  # opens the editor at a function
    colors: GroupColorActions

    @property
    def explain(self) -> QAction:
        """The action that explains a number, which is the first one."""
        return self.history[0]


class FunctionMenu:
    """Fills context menus with what is done often; *More* has the rest.

    Filters are added as text, which the user can see and edit.
    """

    def __init__(self, session: Session, filter_bar: FilterBar, actions: FunctionActions) -> None:
        self._session = session
        self._navigation = session.navigation
        self._filter = filter_bar
        self._actions = actions

    def fill(self, menu: QMenu, node: NodeId) -> None:
        """Add the actions for a function or cycle; none of either for `NO_NODE`."""
        query = self._session.query
        if query is None:
            return
        menu.addSeparator()
        if node == NO_NODE:
            menu.addAction(self._actions.explain)
            return
        self._add_views(menu, query, node)
        menu.addSeparator()
        if query.queries.is_function(node):
            name = quoted("name", query.queries.names.name(node))
            menu.addAction("&Fold into Callers", partial(self._apply_term, f"fold:{name}"))
        copies = menu.addMenu("&Copy")
        copies.setObjectName(COPY_MENU)
        text = visible_text(query.labels().full_name(node))
        copies.addAction("Copy &Name", lambda: QGuiApplication.clipboard().setText(text))
        menu.addSeparator()
        self._fill_more(menu.addMenu("&More"), query, node)

    def _add_views(self, menu: QMenu, query: ViewQuery, node: NodeId) -> None:
        """Add actions that make the node active and show it in a dock that does not show it yet."""
        is_active, site = query.context.function == node, self._actions.call_site()
        docks = (*(_CODE_DOCKS if query.queries.is_function(node) else ()), *_CALL_DOCKS)
        if site is not None:
            menu.addAction(self._actions.show_call)
            if site.caller == node:  # its source, at the call
                docks = docks[1:]
        for title, dock_id in docks:
            if not (is_active and self._actions.docks.is_seen(dock_id)):
                menu.addAction(title, partial(self._show_in, dock_id, node))

    def _show_in(self, dock_id: str, node: NodeId) -> None:
        self._navigation.select_function(node)
        self._actions.docks.show(dock_id)

    def _fill_more(self, menu: QMenu, query: ViewQuery, node: NodeId) -> None:
        """Add other places that show the function, filters and folds, its colour, and moving."""
        navigation, queries = self._navigation, query.queries
        menu.setToolTipsVisible(True)
        cycle, number = query.cycle_of(node), query.labels().cycle(node)
        if cycle not in (node, NO_NODE):
            menu.addAction(f"Go to <cycle {number}>", lambda: navigation.select_function(cycle))
        if queries.is_function(node) and queries.names.file(node) != UNKNOWN:
            menu.addAction("Open in E&ditor", partial(self._actions.edit, node))
        menu.addAction("&Mark in All Views", lambda: navigation.set(selected=node))
        menu.addAction("Show in &Other Panel", partial(self._actions.show_elsewhere, node))
        menu.addSeparator()
        self._add_filters(menu, query, node)
        self._add_folds(menu, query, node)
        self._actions.colors.fill(menu, query.group_namer()(node))
        menu.addSeparator()
        menu.addActions(self._actions.history)

    def _add_filters(self, menu: QMenu, query: ViewQuery, node: NodeId) -> None:
        if query.queries.is_function(node):
            self._add_function_filters(menu.addMenu("F&ilter"), query.queries.names, node)
            return
        number = query.labels().cycle(node)
        name = f"<cycle {number}>"
        self._add_filter_action(menu, "O&nly Cycle", name, f"cycle:{number}")
        self._add_filter_action(menu, "&Hide Cycle", name, f"!cycle:{number}")

    def _add_folds(self, menu: QMenu, query: ViewQuery, node: NodeId) -> None:
        """Add the entries that fold the function, its groups, or the recursion of its cycle."""
        collapse = recursion_fold(query, node)
        entries = [] if collapse is None else [collapse]
        if query.queries.is_function(node):
            entries = [*function_folds(query, node, self._class_name(node)), *entries]
        folds = menu.addMenu("Fo&ld into Callers")
        folds.setToolTipsVisible(True)
        for entry in entries:
            self._add_fold(folds, entry)

    def _add_fold(self, menu: QMenu, entry: FoldEntry) -> None:
        shown = short_text(entry.name).replace("&", "&&")
        action = menu.addAction(f"{entry.title} “{shown}”" if shown else entry.title)
        action.setEnabled(not entry.reason)
        action.setToolTip(tip_text(entry.reason or visible_text(entry.fold)))
        action.triggered.connect(lambda _checked=False: self._apply_term(entry.fold))

    def fill_group(self, menu: QMenu, grouping: Grouping, name: str) -> None:
        """Add the actions that filter, fold and colour a group of functions."""
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
        if grouping is not Grouping.CYCLE:
            for entry in group_folds(key, name):
                self._add_fold(menu, entry)
        self._actions.colors.fill(menu, name)
        menu.addSeparator()
        menu.addAction(self._actions.explain)

    def _add_function_filters(
        self, menu: QMenu, names: FunctionNames, function: FunctionId
    ) -> None:
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
        """The class if functions are grouped by class, else "": finding all classes is slow."""
        query = self._session.query
        if query is None or query.context.grouping is not Grouping.CLASS:
            return ""
        groups = query.groups()
        return groups.names[int(groups.group_of_node[function])]

    def _add_filter_action(self, menu: QMenu, title: str, value: str, term: str) -> None:
        shown = short_text(value).replace("&", "&&")
        action = menu.addAction(f"{title} “{shown}”")
        action.triggered.connect(lambda _checked=False: self._apply_term(term))

    def _apply_term(self, term: str) -> None:
        self._filter.add_term(term)
