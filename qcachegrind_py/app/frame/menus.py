"""Menu bar, toolbar and the menus that change: recent files, layouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QToolButton, QWidget

from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.docks import Docks
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.number_format import grouped
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.views.formats import cost_format
from qcachegrind_py.views.function_list import GROUPINGS


class WayMenus:
    """Filled when they are opened."""

    def __init__(
        self, window: QWidget, session: Session, navigation: Navigation, settings: Settings
    ) -> None:
        self._session = session
        self._navigation = navigation
        self._settings = settings
        self.back, self.forward, self.up = (
            QMenu(title, window) for title in ("Back", "Forward", "Up")
        )
        self.back.aboutToShow.connect(lambda: self._fill_steps(self.back))
        self.forward.aboutToShow.connect(lambda: self._fill_steps(self.forward))
        self.up.aboutToShow.connect(self._fill_up)

    def _fill_steps(self, menu: QMenu) -> None:
        is_back = menu is self.back
        step = self._navigation.go_back if is_back else self._navigation.go_forward
        functions = self._navigation.behind if is_back else self._navigation.ahead
        self._fill(menu, functions, lambda place, _function: step(place + 1))

    def _fill_up(self) -> None:
        way = self._navigation.context.stack.way[-2::-1]
        select = self._navigation.select_function
        self._fill(self.up, way, lambda _place, function: select(function))

    def _fill(self, menu: QMenu, functions: Sequence[int], go: Callable[[int, int], None]) -> None:
        menu.clear()
        for place, function in enumerate(functions[: self._settings.menu_length]):
            action = menu.addAction(self._text(function))
            action.triggered.connect(lambda _checked=False, p=place, f=function: go(p, f))
        if not functions:
            menu.addAction("Nothing").setEnabled(False)

    def _text(self, function: int) -> str:
        """Name and inclusive cost, which stands on the right as a shortcut does."""
        questions, context = self._session.questions, self._navigation.context
        if questions is None or context.event is None:
            return ""
        name = cell_text(questions.labels(context.scope, short=context.short_names).name(function))
        longest = self._settings.menu_name_length
        name = name if len(name) <= longest else name[:longest] + "…"
        format_ = cost_format(questions, context, context.event)
        cost = format_.with_unit(
            as_number(questions.inclusive(context.event, context.scope)[function])
        )
        return f"{name.replace('&', '&&')}\t{cost}"


_MOST_FILES = 50  # in a menu, which must open at once


@dataclass(frozen=True, slots=True)
class Menus:
    """The menus whose items change."""

    recent: QMenu
    files: QMenu
    layouts: QMenu
    grouping: QMenu


def fill_menu_bar(window: QMainWindow, actions: Actions, docks: Docks, menus: Menus) -> None:
    """File, View, Filter, Go and Help."""
    bar = window.menuBar()
    _fill(
        bar.addMenu("&File"), actions, "new_window", "open", menus.recent, "record",
        "example", "", "reload", "add", menus.files, "", "save", "report", "", "cancel", "",
        "editor", "paths", "", "settings", "", "close", "quit",
    )  # fmt: skip
    view = bar.addMenu("&View")
    shown = QMenu("&Docks", view)
    for dock in docks.by_name.values():
        shown.addAction(dock.toggleViewAction())
    view.addMenu(shown)
    scheme, costs = QMenu("Colo&urs", view), QMenu("Costs A&s", view)
    code = QMenu("Cod&e", view)
    _fill(
        code, actions, "fold_source", "fold_code", "", "syntax_colors", "intel_syntax",
        "code_bytes",
    )  # fmt: skip
    _fill(scheme, actions, "system", "light", "dark")
    _fill(costs, actions, "percent", "parent", "absolute", "", "si")
    actions["units"].setMenu(costs)
    for names in (("system", "light", "dark"), ("percent", "parent", "absolute")):
        group = QActionGroup(window)
        for name in names:
            group.addAction(actions[name])
    _fill(
        view, actions, menus.layouts, "side_by_side", "", "next_event", "no_second_event",
        "new_event", "", "units", menus.grouping, "cycles", "fold_levels", "short_names",
        "all_parts", "", code, scheme,
    )  # fmt: skip
    _fill(
        bar.addMenu("F&ind"), actions, "jump", "search", "regular_expression", "", "filter",
        "own_code", "no_filter", "", "find_code", "find_next", "find_previous",
    )  # fmt: skip
    go = bar.addMenu("&Go")
    _fill(go, actions, "back", "forward", "up", "", "next_hot", "previous_hot", "")
    go.addActions(docks.ways)
    _fill(bar.addMenu("&Help"), actions, "guide", "whats_this", "", "system_report", "", "about")


def _fill(menu: QMenu, actions: Actions, *items: str | QMenu) -> None:
    menu.setToolTipsVisible(True)
    for item in items:
        if isinstance(item, QMenu):
            menu.addMenu(item)
        elif item:
            menu.addAction(actions[item])
        else:
            menu.addSeparator()


def fill_toolbar(
    window: QMainWindow, actions: Actions, ways: WayMenus, *widgets: QWidget
) -> QToolBar:
    """The toolbar: file, way, how costs are shown; then the widgets, the last with the room."""
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
    for name, menu in (("back", ways.back), ("forward", ways.forward), ("up", ways.up)):
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


def strip_below_toolbar(window: QMainWindow, strip: QWidget) -> QToolBar:
    """Put a strip over the whole width under the toolbar; gives the bar that holds it."""
    window.addToolBarBreak()
    bar = QToolBar("Messages", window)
    bar.setObjectName("Messages")
    bar.setMovable(False)
    bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    bar.toggleViewAction().setVisible(False)
    bar.addWidget(strip)
    window.addToolBar(bar)
    return bar


def fill_recent(
    menu: QMenu, files: list[Path], open_: Callable[[Path], None], forget: Callable[[], None]
) -> None:
    """The files opened before, the latest first, with a digit as a key; and to forget them."""
    menu.clear()
    menu.setEnabled(bool(files))
    for number, path in enumerate(files, start=1):
        name = cell_text(str(path)).replace("&", "&&")
        action = menu.addAction(f"&{number % 10}  {name}")
        action.triggered.connect(lambda _checked=False, p=path: open_(p))
    menu.addSeparator()
    clear = menu.addAction("&Forget These")
    clear.setStatusTip("Forget which files were opened")
    clear.setToolTip(clear.statusTip())
    clear.setWhatsThis(f"{clear.statusTip()}.")
    clear.triggered.connect(lambda _checked=False: forget())


def fill_files(menu: QMenu, files: list[Path], take_away: Callable[[Path], None]) -> None:
    """The files of the open profile, where there are several, each to be taken away."""
    menu.clear()
    menu.setEnabled(len(files) > 1)
    for path in files[:_MOST_FILES] if len(files) > 1 else ():
        action = menu.addAction(cell_text(path.name).replace("&", "&&"))
        action.setStatusTip(f"Read the profile again without {cell_text(str(path))}")
        action.setToolTip(tip_text(action.statusTip()))
        action.triggered.connect(lambda _checked=False, p=path: take_away(p))
    if (more := len(files) - _MOST_FILES) > 0:
        menu.addAction(f"{grouped(more)} More Files").setEnabled(False)


def grouping_menu(window: QMainWindow, group_by: Callable[[Grouping], None]) -> QMenu:
    """What functions can be grouped by; the data of each action is its grouping."""
    menu, group = QMenu("&Group By", window), QActionGroup(window)
    menu.setToolTipsVisible(True)
    for grouping, title in GROUPINGS.items():
        action = menu.addAction(title, partial(group_by, grouping))
        of = f"Group functions by {title.lower()}"
        action.setStatusTip("Show functions in one list" if grouping is Grouping.NONE else of)
        action.setToolTip(action.statusTip())
        action.setCheckable(True)
        action.setData(grouping)
        group.addAction(action)
    return menu
