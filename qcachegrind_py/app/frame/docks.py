"""The docks of the window: where they are at first, and named layouts of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QByteArray, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDockWidget,
    QInputDialog,
    QMainWindow,
    QMenu,
    QTabBar,
    QTabWidget,
    QWidget,
)

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.app.frame.whats_this import TABS
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.views.common.profile_view import ProfileView

_AREA = Qt.DockWidgetArea
_UPPER_DOCKS: tuple[str, ...] = (
    "Callers", "All Callers", "Caller Map", "Source", "Call Stack", "Event Types", "Parts",
)  # fmt: skip
_LOWER_DOCKS: tuple[str, ...] = (
    "Callees", "All Callees", "Callee Map", "Call Graph", "Flame Graph", "Call Tree", "Assembler",
    "Control Flow",
)  # fmt: skip
_RAISED_IN_THIRD_COLUMN = ("All Callers", "Call Graph")  # in the third column
_GO_TO_KEYS = (
    *(f"Alt+{digit}" for digit in range(1, 10)),
    "F6",
    "F7",
    "F8",
    "F9",
    "F11",
    "F12",
    "Alt+0",
)
_THREE_COLUMN_WIDTH = 2200  # pixels of the window from which on there are three columns
_FUNCTIONS_PERCENT = 22  # percent of the width for functions, where two others stand beside them
_FUNCTIONS_MIN_WIDTH = 1000  # pixels of the window below which there is no room for functions, too
_FUNCTIONS_DOCK = "Functions"
_STATE_VERSION = 4  # of what is saved: a layout of other docks is not restored


class Docks:
    """The docks by name: functions on the left, what is above and below them beside."""

    def __init__(self, window: QMainWindow, views: Mapping[str, ProfileView]) -> None:
        self._window = window
        self.views = views
        self.go_to_actions: list[QAction] = []
        self.by_name = {title: self._create_dock(title, view) for title, view in views.items()}
        window.setCorner(Qt.Corner.TopLeftCorner, _AREA.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomLeftCorner, _AREA.LeftDockWidgetArea)
        window.setDockNestingEnabled(True)
        window.setTabPosition(_AREA.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setDockOptions(window.dockOptions() | QMainWindow.DockOption.GroupedDragging)
        self._title_timer = QTimer(window, singleShot=True, interval=0)
        self._title_timer.timeout.connect(self._update_titles)
        self.reset()

    def _create_dock(self, title: str, view: ProfileView) -> QDockWidget:
        dock = QDockWidget(title, self._window)
        dock.setObjectName(title)  # for saveState
        dock.setWidget(view)
        dock.visibilityChanged.connect(view.set_active)
        dock.visibilityChanged.connect(lambda _visible: self._title_timer.start())
        dock.topLevelChanged.connect(lambda floats: view.set_active(True) if floats else None)
        dock.topLevelChanged.connect(lambda _floats: self._title_timer.start())
        dock.dockLocationChanged.connect(lambda _area: self._title_timer.start())
        action = dock.toggleViewAction()
        action.setStatusTip(f"Show or hide {title}")
        action.triggered.connect(lambda shown: self.show(title) if shown else None)
        self._add_go_to_action(title)
        return dock

    def _add_go_to_action(self, title: str) -> None:
        """An action that goes to the dock, behind whatever tab it is."""
        key = _GO_TO_KEYS[len(self.go_to_actions)]
        number = f"&{key[-1]}  " if key.startswith("Alt") else "    "
        way = QAction(number + title, self._window)
        way.setShortcut(QKeySequence(key))
        tip = f"Go to {title} with the keyboard"
        way.setStatusTip(tip)
        way.setToolTip(f"{tip} ({key})")
        way.triggered.connect(lambda: self.show(title))
        self.go_to_actions.append(way)

    def show(self, title: str) -> None:
        """Bring a dock to the front, and the keyboard to it."""
        dock = self.by_name[title]
        dock.show()
        dock.raise_()
        self.views[title].initial_focus.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def reset(self) -> None:
        """Put all docks where they were at first."""
        window, by_name = self._window, self.by_name
        for dock in by_name.values():
            dock.setFloating(False)
            window.removeDockWidget(dock)
        functions, above, below = (
            by_name["Functions"],
            by_name[_UPPER_DOCKS[0]],
            by_name[_LOWER_DOCKS[0]],
        )
        window.addDockWidget(_AREA.LeftDockWidgetArea, functions)
        window.addDockWidget(_AREA.BottomDockWidgetArea, above)
        window.splitDockWidget(above, below, Qt.Orientation.Vertical)
        is_wide = window.width() >= _THREE_COLUMN_WIDTH
        for first, others in ((above, _UPPER_DOCKS[1:]), (below, _LOWER_DOCKS[1:])):
            if is_wide:  # the first of the others stands beside, and has the rest in its tabs
                window.splitDockWidget(first, by_name[others[0]], Qt.Orientation.Horizontal)
                first, others = by_name[others[0]], others[1:]
            for title in others:
                window.tabifyDockWidget(first, by_name[title])
        for dock in by_name.values():
            dock.show()
        for title in _RAISED_IN_THIRD_COLUMN if is_wide else ():
            by_name[title].raise_()
        if not is_wide:
            above.raise_()
            below.raise_()
        width = window.width() * (30 if is_wide else 45) // 100
        window.resizeDocks([functions], [width], Qt.Orientation.Horizontal)
        window.resizeDocks([above, below], [1, 1], Qt.Orientation.Vertical)
        if is_wide:
            for first, second in (
                (above, by_name[_UPPER_DOCKS[1]]),
                (below, by_name[_LOWER_DOCKS[1]]),
            ):
                window.resizeDocks([first, second], [1, 1], Qt.Orientation.Horizontal)

    def are_side_by_side(self, first: str, second: str) -> bool:
        """Whether two docks stand side by side, neither of them among tabs."""
        left, right = self.by_name[first], self.by_name[second]
        if any(dock.isHidden() or dock.isFloating() for dock in (left, right)):
            return False
        if any(map(self._window.tabifiedDockWidgets, (left, right))):
            return False
        return left.y() == right.y() and left.x() < right.x()

    def are_only_visible(self, first: str, second: str) -> bool:
        """Whether these two are all that is seen, but for the functions and what floats."""
        seen = {
            title
            for title, dock in self.by_name.items()
            if not dock.isHidden() and not dock.isFloating()
        }
        return seen - {_FUNCTIONS_DOCK} == {first, second}

    def put_side_by_side(self, first: str, second: str) -> None:
        """Put two docks side by side in all the room beside the functions."""
        window, left, right = self._window, self.by_name[first], self.by_name[second]
        functions = self.by_name[_FUNCTIONS_DOCK]
        for dock in self.by_name.values():
            if dock not in (left, right, functions) and not dock.isFloating():
                dock.hide()
        for dock in (left, right):
            dock.setFloating(False)
            window.removeDockWidget(dock)  # or a dock among tabs takes the other one among them
        window.addDockWidget(_AREA.BottomDockWidgetArea, left)
        window.splitDockWidget(left, right, Qt.Orientation.Horizontal)
        for dock in (left, right):
            dock.show()
        functions.setVisible(window.width() >= _FUNCTIONS_MIN_WIDTH)
        window.resizeDocks(
            [functions], [window.width() * _FUNCTIONS_PERCENT // 100], Qt.Orientation.Horizontal
        )
        window.resizeDocks([left, right], [1, 1], Qt.Orientation.Horizontal)
        self.views[first].initial_focus.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _update_titles(self) -> None:
        """A dock among tabs needs no title besides: its tab has it, and a menu to close it."""
        for dock in self.by_name.values():
            is_tab = not dock.isFloating() and bool(self._window.tabifiedDockWidgets(dock))
            has_title = dock.titleBarWidget() is None
            if is_tab and has_title:
                dock.setTitleBarWidget(QWidget(dock))
            elif not is_tab and not has_title:
                dock.setTitleBarWidget(None)  # type: ignore[arg-type]  # brings Qt's own back
        for bar in self._window.findChildren(
            QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly
        ):
            bar.setElideMode(Qt.TextElideMode.ElideNone)  # “Call…” could be four of them
            bar.setWhatsThis(TABS)
            for tab in range(bar.count()):
                if (behind := self.by_name.get(bar.tabText(tab))) is not None:
                    bar.setTabWhatsThis(tab, behind.whatsThis())
            is_used = bar.isVisible() and bar.count() > 0  # Qt keeps bars that it needs no more
            bar.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_used else Qt.FocusPolicy.NoFocus)
            if bar.contextMenuPolicy() != Qt.ContextMenuPolicy.CustomContextMenu:
                bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                bar.customContextMenuRequested.connect(partial(self._show_tab_menu, bar))

    def _show_tab_menu(self, bar: QTabBar, position: QPoint) -> None:
        dock = self.by_name.get(bar.tabText(bar.tabAt(position)))
        if dock is not None:
            menu = QMenu(bar)
            menu.addAction("&Float", lambda: self.float_dock(dock))
            menu.addAction("&Close", dock.close)
            menu.exec(bar.mapToGlobal(position))
            menu.deleteLater()

    def float_dock(self, dock: QDockWidget) -> None:
        """Let a dock be a window of its own, in front of this one, also from behind a tab."""
        dock.raise_()
        size = dock.size()
        dock.setFloating(True)
        dock.resize(size.expandedTo(self._window.size() / 3))
        dock.move(self._window.geometry().center() - dock.rect().center())

    def save_state(self) -> QByteArray:
        """Where the docks are now."""
        return self._window.saveState(_STATE_VERSION)

    def restore_state(self, state: QByteArray) -> bool:
        """Put the docks where they were; False where the state is none of these docks."""
        return not state.isEmpty() and self._window.restoreState(state, _STATE_VERSION)


class Layouts:
    """Saved in the settings, for all programs."""

    def __init__(
        self,
        window: QWidget,
        settings: Settings,
        docks: Docks,
        notices: NoticeStrip,
        actions: Actions,
    ) -> None:
        self.menu = QMenu("&Layouts", window)
        self.menu.setToolTipsVisible(True)
        self._window = window
        self._settings = settings
        self._docks = docks
        self._notices = notices
        self._actions = actions
        actions.connect({"save_layout": self.save, "reset_layout": docks.reset})
        self._fill_menu()

    def save(self) -> None:
        """Remember where the docks are under a name that the user types."""
        name, taken = QInputDialog.getText(self._window, "Save Layout", "Name of the layout:")
        if taken and name.strip():
            self._settings.set_layout(name.strip(), self._docks.save_state())
            self._fill_menu()

    def restore(self, name: str) -> None:
        """Put the docks where they were."""
        if not self._docks.restore_state(self._settings.layout(name)):
            self._notices.show_notice("warning", f"The layout “{cell_text(name)}” is too old.")

    def _delete(self, name: str) -> None:
        self._settings.set_layout(name, None)
        self._fill_menu()

    def _fill_menu(self) -> None:
        names = self._settings.layouts()
        self.menu.clear()
        _add_layout_items(self.menu, names, self.restore)
        self.menu.addSeparator()
        self.menu.addActions([self._actions["save_layout"], self._actions["reset_layout"]])
        if names:
            _add_layout_items(self.menu.addMenu("&Forget Layout"), names, self._delete)


def _add_layout_items(menu: QMenu, names: list[str], act: Callable[[str], None]) -> None:
    """An item for each layout."""
    for name in names:
        action = menu.addAction(cell_text(name).replace("&", "&&"))
        action.triggered.connect(lambda _checked=False, name=name: act(name))
