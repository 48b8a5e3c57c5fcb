"""Menu bar, toolbar and the menus with changing items: events, history, recent and open files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QActionGroup, QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QToolBar, QToolButton, QWidget

from qcachegrind_py.analysis.names.groups import GROUPING_TITLES, Grouping
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.event_combo import NO_SECOND_EVENT, ONE_SIDED, event_title, show_event
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.views.widgets.controls import tip_text


def open_focused_menu() -> None:
    """Open the context menu as the menu key does: Qt knows Shift+F10 for it on Windows only."""
    widget = QApplication.focusWidget()
    if widget is not None:
        place = widget.rect().center()
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place)))


class EventMenu(QMenu):
    """The events of the profile, of which the shown one is checked; then further actions."""

    def __init__(
        self,
        navigation: Navigation,
        parent: QWidget,
        further: Sequence[QAction],
        *,
        is_second: bool = False,
    ) -> None:
        super().__init__("Sec&ond Event" if is_second else "Eve&nt", parent)
        self._navigation = navigation
        self._further = further
        self._is_second = is_second
        self.setToolTipsVisible(True)
        self._fill()
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        events, group = self._navigation.context.events.all, QActionGroup(self)
        if self._is_second:
            self._add(NO_SECOND_EVENT, None, group)
        for event in events:
            self._add(event_title(event), event, group)
        self.addSeparator()
        self.addActions(self._further)

    def _add(self, title: str, event: EventType | None, group: QActionGroup) -> None:
        action = self.addAction(title.replace("&", "&&"))
        tip = f"Show the costs of {title}" if event else "Show the costs of one event only"
        if event is not None and event.name in self._navigation.context.one_sided:
            tip = f"{title}: {ONE_SIDED}"
            action.setEnabled(False)
        action.setToolTip(tip_text(tip))
        action.setStatusTip(tip)
        action.setCheckable(True)
        context = self._navigation.context
        action.setChecked((context.second_event if self._is_second else context.event) == event)
        action.triggered.connect(
            lambda: show_event(self._navigation, event, is_second=self._is_second)
        )
        group.addAction(action)


class HistoryMenus:
    """The menus of Back, Forward and Up, filled when they are opened."""

    def __init__(self, window: QWidget, session: Session, settings: Settings) -> None:
        self._settings = settings
        self.follow(session)
        self.back, self.forward, self.up = (
            QMenu(title, window) for title in ("Back", "Forward", "Up")
        )
        self.back.aboutToShow.connect(lambda: self._fill_history(self.back))
        self.forward.aboutToShow.connect(lambda: self._fill_history(self.forward))
        self.up.aboutToShow.connect(self._fill_up)

    def follow(self, session: Session) -> None:
        """Show the history of this session."""
        self._session, self._navigation = session, session.navigation

    def _fill_history(self, menu: QMenu) -> None:
        is_back = menu is self.back
        step = self._navigation.go_back if is_back else self._navigation.go_forward
        functions = self._navigation.back_history if is_back else self._navigation.forward_history
        self._fill(menu, functions, lambda index, _function: step(index + 1))

    def _fill_up(self) -> None:
        callers = self._navigation.context.stack.path_to_active[-2::-1]
        select = self._navigation.select_function
        self._fill(self.up, callers, lambda _index, function: select(function))

    def _fill(
        self, menu: QMenu, functions: Sequence[NodeId], go: Callable[[int, NodeId], None]
    ) -> None:
        menu.clear()
        for index, function in enumerate(functions[: self._settings.menu_length]):
            action = menu.addAction(self._function_text(function))
            action.triggered.connect(lambda _checked=False, i=index, f=function: go(i, f))
        if not functions:
            menu.addAction("Nothing").setEnabled(False)

    def _function_text(self, function: NodeId) -> str:
        """Name and inclusive cost; a tab puts the cost on the right, where shortcuts are."""
        query = self._session.query
        if query is None or query.context.event is None:
            return ""
        event, name = query.context.event, cell_text(query.labels().name(function))
        max_length = self._settings.menu_name_length
        name = name if len(name) <= max_length else name[:max_length] + "…"
        cost = query.unit(event).with_unit(query.inclusive_cost(event, function))
        return f"{name.replace('&', '&&')}\t{cost}"


_UNITS = "percent", "parent", "absolute", "shares", "per_call"
_MAX_MENU_FILES = 50  # more would make the menu slow to open


@frozen(eq=True)
class MenuSet:
    """The menus whose items change."""

    recent: QMenu
    open_files: QMenu
    layouts: QMenu
    saved_views: QMenu
    grouping: QMenu
    event: QMenu
    second_event: QMenu
    costs: QMenu


def fill_menu_bar(window: QMainWindow, actions: Actions, docks: Docks, menus: MenuSet) -> None:
    """Fill the menu bar: File, View, Find, Go and Help."""
    bar = window.menuBar()
    _fill_menu(
        bar.addMenu("&File"), actions, "new_window", "open", menus.recent, "record",
        "running", "example", "", "reload", "add", menus.open_files, "", "compare", "compare_two",
        "swap_sides", "stop_comparing", "open_history", "", "save", "report", "stacks",
        "properties", "", "cancel", "", "editor", "paths", "", "settings", "", "close", "quit",
    )  # fmt: skip
    view = bar.addMenu("&View")
    shown = QMenu("&Docks", view)
    for dock in docks.by_id.values():
        shown.addAction(dock.toggleViewAction())
    view.addMenu(shown)
    scheme = QMenu("Colo&urs", view)
    code = QMenu("Cod&e", view)
    _fill_menu(
        code, actions, "fold_source", "hide_inlined", "syntax_colors", "", "fold_code",
        "source_rows", "intel_syntax", "code_bytes",
    )  # fmt: skip
    _fill_menu(scheme, actions, "system", "light", "dark")
    _fill_menu(
        menus.costs, actions, "percent", "parent", "absolute", "shares", "per_call", "",
        "percent_of_function", "si",
    )  # fmt: skip
    actions["units"].setMenu(menus.costs)
    for names in (("system", "light", "dark"), _UNITS):
        group = QActionGroup(window)
        for name in names:
            group.addAction(actions[name])
    folds = QMenu("C&harge to Callers", view)
    _fill_menu(
        folds, actions, "fold_function", "only_object", "", "fold_library", "fold_others", "",
        "no_folds",
    )  # fmt: skip
    _fill_menu(
        view, actions, menus.layouts, "maximize", "split", "side_by_side", "", menus.saved_views,
        "", menus.event, menus.second_event, "units", menus.grouping, "", "cycles", folds,
        "fold_levels", "short_names", "all_parts", "", code, scheme, "toolbar_text",
    )  # fmt: skip
    _fill_menu(
        bar.addMenu("F&ind"), actions, "jump", "search", "regular_expression", "", "filter",
        "own_code", "no_filter", "", "find_code", "find_next", "find_previous",
    )  # fmt: skip
    go = bar.addMenu("&Go")
    _fill_menu(
        go,
        actions,
        "back",
        "forward",
        "up",
        "hottest",
        "explain_number",
        "",
        "next_hot",
        "previous_hot",
        "",
        "pin",
        "",
        "context_menu",
        "other_panel",
        "",
    )
    go.addActions(docks.go_to_actions)
    _fill_menu(
        bar.addMenu("&Help"), actions, "guide", "whats_this", "", "system_report", "", "about"
    )


def _fill_menu(menu: QMenu, actions: Actions, *items: str | QMenu) -> None:
    menu.setToolTipsVisible(True)
    for item in items:
        if isinstance(item, QMenu):
            menu.addMenu(item)
        elif item:
            menu.addAction(actions[item])
        else:
            menu.addSeparator()


def fill_toolbar(
    window: QMainWindow, actions: Actions, history_menus: HistoryMenus, *widgets: QWidget
) -> QToolBar:
    """Create the toolbar: files, history, cost display, then the widgets, the last expanding."""
    bar = QToolBar("Toolbar", window)
    bar.setObjectName("Toolbar")
    bar.setMovable(False)
    side = bar.fontMetrics().height() * 5 // 4
    bar.setIconSize(QSize(side, side))
    for name in ("open", "reload", "", "back", "forward", "up", "", "cycles", "short_names", ""):
        if name:
            bar.addAction(actions[name])
        else:
            bar.addSeparator()
    for name, menu in (
        ("back", history_menus.back),
        ("forward", history_menus.forward),
        ("up", history_menus.up),
    ):
        button = bar.widgetForAction(actions[name])
        if isinstance(button, QToolButton):
            button.setMenu(menu)
            button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
    bar.addAction(actions["units"])
    button = bar.widgetForAction(actions["units"])
    if isinstance(button, QToolButton):
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    for widget in widgets:
        bar.addWidget(widget)
    bar.addAction(actions["own_code"])
    bar.addAction(actions["jump"])
    window.addToolBar(bar)
    return bar


def fill_recent(
    menu: QMenu, files: list[Path], open_: Callable[[Path], None], clear_recent: Callable[[], None]
) -> None:
    """Fill the menu of recent files, latest first, with digits as keys and an item to clear it."""
    menu.clear()
    menu.setEnabled(bool(files))
    for number, path in enumerate(files, start=1):
        name = cell_text(str(path)).replace("&", "&&")
        action = menu.addAction(f"&{number % 10}  {name}")
        action.triggered.connect(lambda _checked=False, p=path: open_(p))
    menu.addSeparator()
    clear = menu.addAction("&Clear List")
    clear.setStatusTip("Clear the list of recent files")
    clear.setToolTip(clear.statusTip())
    clear.setWhatsThis(f"{clear.statusTip()}.")
    clear.triggered.connect(lambda _checked=False: clear_recent())


def fill_open_files(menu: QMenu, files: list[Path], remove_file: Callable[[Path], None]) -> None:
    """Fill the menu that removes one of several files from the open profile."""
    menu.clear()
    menu.setEnabled(len(files) > 1)
    for path in files[:_MAX_MENU_FILES] if len(files) > 1 else ():
        action = menu.addAction(cell_text(path.name).replace("&", "&&"))
        action.setStatusTip(f"Reload the profile without {cell_text(str(path))}")
        action.setToolTip(tip_text(action.statusTip()))
        action.triggered.connect(lambda _checked=False, p=path: remove_file(p))
    if (more := len(files) - _MAX_MENU_FILES) > 0:
        menu.addAction(f"{format_count(more)} More Files").setEnabled(False)


def grouping_menu(window: QMainWindow, group_by: Callable[[Grouping], None]) -> QMenu:
    """Create the menu of groupings; the data of each action is its grouping."""
    menu, group = QMenu("&Group By", window), QActionGroup(window)
    menu.setToolTipsVisible(True)
    for grouping, title in GROUPING_TITLES.items():
        action = menu.addAction(title, partial(group_by, grouping))
        tip = f"Group functions by {title.lower()}"
        action.setStatusTip("Show all functions in one list" if grouping is Grouping.NONE else tip)
        action.setToolTip(action.statusTip())
        action.setCheckable(True)
        action.setData(grouping)
        group.addAction(action)
    return menu
