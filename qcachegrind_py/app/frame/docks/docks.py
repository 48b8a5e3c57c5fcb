"""The docks of the window: default and restored layouts, tabs, two side by side, one alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import shiboken6
from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDockWidget,
    QLabel,
    QMainWindow,
    QMenu,
    QTabBar,
    QTabWidget,
    QWidget,
)

from qcachegrind_py.app.frame.docks.arrangements import (
    Arrangement,
    Split,
    Tabs,
    default_arrangement,
)
from qcachegrind_py.app.frame.docks.picture_dock import PictureDock
from qcachegrind_py.app.frame.docks.registry import PICTURE, DockRegistry, DockSpec
from qcachegrind_py.app.frame.docks.saved_state import restore, saved_state, without_checksum
from qcachegrind_py.app.style.tips import set_keys
from qcachegrind_py.views.widgets.controls import open_context_menu

if TYPE_CHECKING:
    from qcachegrind_py.views.pictures.view import PictureView
    from qcachegrind_py.views.profile_view import ProfileView


_NO_VIEW = "No view is open. View ▸ Views opens one."
_MESSAGE_MS = 8000
_TABS = (
    "Views that share one place. Click a tab to bring its view to the front, or drag it to move "
    "the view elsewhere. The context menu floats or closes it."
)


class Maximizer(QObject):
    """Maximizes a dock; a double click on the title of a dock does the same."""

    def __init__(self, docks: Docks, window: QMainWindow) -> None:
        super().__init__(window)
        self._window, self._docks = window, docks
        self.layout_before = QByteArray()  # which `restore` brings back
        self.maximized = ""  # the id of the dock; empty if there is none
        for dock in docks.all.values():
            dock.installEventFilter(self)

    def toggle(self, dock_id: str) -> None:
        chosen = self._docks.all[dock_id]
        if self.maximized:
            self.restore()
        elif not chosen.isFloating():
            self.layout_before, self.maximized = self._docks.save_state(), dock_id
            focused = self._window.focusWidget()
            for dock in self._docks.all.values():
                if dock is not chosen and not dock.isFloating():
                    dock.hide()
            chosen.show()
            if self._window.dockWidgetArea(chosen) in (
                _AREA.LeftDockWidgetArea,
                _AREA.RightDockWidgetArea,
            ):  # beside the header, which is as wide as the docks below it
                self._show_header(False)  # or the dock would keep its width
            if focused is None or not chosen.isAncestorOf(focused):  # it would be out of sight
                self._docks.give_focus(dock_id)

    def restore(self) -> None:
        """Restore the layout from before a dock was maximized."""
        before, dock_id = self.layout_before, self.maximized
        self.forget()
        if dock_id:
            self._docks.restore_state(before)
            self._docks.all[dock_id].raise_()

    def forget(self) -> None:
        """Keep the present layout: another one was chosen."""
        self.layout_before, self.maximized = QByteArray(), ""
        self._show_header(True)

    def _show_header(self, is_shown: bool) -> None:
        if (header := self._window.centralWidget()) is not None:
            header.setVisible(is_shown)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Take double clicks on titles, by which Qt would make the dock float."""
        is_title = event.type() == QEvent.Type.MouseButtonDblClick
        if is_title and isinstance(watched, QDockWidget) and not watched.isFloating():
            self.toggle(next(name for name, dock in self._docks.all.items() if dock is watched))
            return True
        return False


_AREA = Qt.DockWidgetArea
_FUNCTIONS_PERCENT = 22  # of the width, for the functions beside two other docks
_FUNCTIONS_MIN_WIDTH = 1000  # window width in pixels below which they are hidden then
_FUNCTIONS_DOCK = DockRegistry.function_list.id
_CORNERS = {
    Qt.Corner.TopLeftCorner: _AREA.LeftDockWidgetArea,
    Qt.Corner.BottomLeftCorner: _AREA.LeftDockWidgetArea,
    Qt.Corner.TopRightCorner: _AREA.RightDockWidgetArea,
    Qt.Corner.BottomRightCorner: _AREA.RightDockWidgetArea,
}


class Docks:
    """The docks by id: functions on the left, an upper and a lower area beside them."""

    def __init__(
        self,
        window: QMainWindow,
        registry: DockRegistry,
        others: Sequence[QDockWidget] = (),
        default: Callable[[int], Arrangement] = default_arrangement,
        prefix: str = "",
    ) -> None:
        """`others` are further docks of the window, which no built-in layout has.

        `default` returns the default layout for a width of the window in pixels. `prefix` is put
        before the names of docks in saved layouts: Qt also restores docks of inner windows.
        """
        self._window, self._others, self._default = window, others, default
        self._prefix = prefix
        self._registry = registry
        self._specs = {spec.id: spec for spec in registry.specs()}  # of the views
        self.kept: set[str] = set()  # docks that built-in layouts without them leave open
        self._shown: dict[str, bool] = {}  # docks that the user can see, as Qt last said
        # heights of the others when a dock was last shown
        self._lenders: dict[str, dict[QDockWidget, int]] = {}
        self._creation_timer = QTimer(window, interval=0)  # one view an event loop turn
        self._creation_timer.timeout.connect(self._create_next_shown_view)
        self._creates_shown_views = False
        self._target = self
        self.go_to_actions = [self._create_go_to_action(spec) for spec in registry.specs()]
        pictures = [spec for spec in registry.specs() if spec.dock == PICTURE]
        self.picture = PictureDock(window, pictures, self.show)
        self.by_id: dict[str, QDockWidget] = {}
        for spec in registry.specs():
            if spec.dock not in self.by_id:
                self.by_id[spec.dock] = self._create_dock(spec)
            registry.when_created(spec, partial(self._insert_view, spec))
        for corner, area in _CORNERS.items():
            window.setCorner(corner, area)
        window.setDockNestingEnabled(True)
        window.setTabPosition(_AREA.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self._title_timer = QTimer(window, singleShot=True, interval=0)
        self._title_timer.timeout.connect(self._update_titles)
        self.rearranged = self._title_timer.timeout  # after docks were opened, closed or moved
        self.enable_go_to_actions(False)
        self.all = self.by_id | {dock.objectName(): dock for dock in others}
        self.maximizer = Maximizer(self, window)
        self.reset()

    def _create_dock(self, spec: DockSpec[Any]) -> QDockWidget:
        """Create the dock of a view, or the one of all pictures."""
        dock_id = spec.dock
        dock: QDockWidget = self.picture
        if dock_id != PICTURE:
            dock = QDockWidget(spec.title, self._window)
            dock.setWhatsThis(spec.help)
            # until there is a view; without a size hint, Qt before 6.10 warns of a negative size
            dock.setWidget(QLabel())
        dock.setObjectName(self._prefix + dock_id)  # for saveState
        # until `_update_titles`: Qt would measure its own 20 times for each change of the layout
        dock.setTitleBarWidget(QWidget(dock))
        dock.visibilityChanged.connect(lambda visible: self._set_shown(dock_id, visible))
        dock.visibilityChanged.connect(lambda _visible: self._update_titles_later())
        dock.topLevelChanged.connect(
            lambda floats: self._set_shown(dock_id, True) if floats else None
        )
        dock.topLevelChanged.connect(lambda _floats: self._update_titles_later())
        dock.dockLocationChanged.connect(lambda _area: self._update_titles_later())
        action = dock.toggleViewAction()
        action.setStatusTip(f"Show or hide {dock.windowTitle()}")
        action.triggered.connect(lambda shown: self.show(dock_id) if shown else None)
        return dock

    # ---------------------------------------------------------------- views

    def create_shown_views(self, *, in_turn: bool = False) -> None:
        """Create the views that the user can see now, and from now on others when they are shown.

        Until then all docks are empty, so the window is painted before any view is imported. Those
        that are created `in_turn` have an event loop turn each, so the window stays responsive.
        """
        self._creates_shown_views = True
        if in_turn:
            self._creation_timer.start()
        else:
            while self._create_next_shown_view():
                pass

    def _create_next_shown_view(self) -> bool:
        """Create one visible view that does not exist yet; return whether there was one."""
        created = self._registry.created
        shown = (spec for spec in self._specs.values() if self.is_seen(spec.id))
        if (spec := next((spec for spec in shown if spec.id not in created), None)) is None:
            self._creation_timer.stop()
            return False
        self._registry.view(spec)
        return True

    def _set_shown(self, dock_id: str, is_shown: bool) -> None:
        """Let the views of a dock rest while the user cannot see them."""
        self._shown[dock_id] = is_shown
        self._lend_room(dock_id, is_shown)
        self._update_views(dock_id)

    def _lend_room(self, dock_id: str, is_shown: bool) -> None:
        """Let a view that keeps its least height give back what it took from others, when it goes.

        It is kept if the user has made the view higher meanwhile.
        """
        dock, window = self.by_id[dock_id], self._window
        if is_shown:
            beside = {dock, *window.tabifiedDockWidgets(dock)}
            self._lenders[dock_id] = {
                other: other.height() for other in self._seen_beside(dock) if other not in beside
            }
            return
        view, lenders = self._registry.created.get(dock_id), self._lenders.pop(dock_id, {})
        if view is None or not view.keeps_room or view.height() > view.minimumSizeHint().height():
            return
        if any(other.height() < height for other, height in lenders.items()):
            QTimer.singleShot(0, window, lambda: self._give_back(dock, lenders))

    def _seen_beside(self, dock: QDockWidget) -> list[QDockWidget]:
        """Return the docks in front in the same area of the window."""
        area = self._window.dockWidgetArea(dock)
        seen = (self.by_id[name] for name, is_seen in self._shown.items() if is_seen)
        return [
            each
            for each in seen
            if self._window.dockWidgetArea(each) == area and not each.isFloating()
        ]

    def _give_back(self, dock: QDockWidget, lenders: dict[QDockWidget, int]) -> None:
        """Give others their heights again, and what is in the place of the dock the rest.

        Nothing is changed where docks were moved, or the window was made too low for it.
        """
        seen = self._seen_beside(dock)
        instead = [each for each in self._window.tabifiedDockWidgets(dock) if each in seen]
        taken = sum(height - other.height() for other, height in lenders.items())
        rest = dock.height() - taken
        is_as_before = len(instead) == 1 and set(seen) == {*instead, *lenders}
        if is_as_before and instead[0] not in lenders and rest > 0:
            heights = [
                height + self._tabs_height(each)
                for each, height in ({instead[0]: rest} | lenders).items()
            ]
            self._window.resizeDocks([*instead, *lenders], heights, Qt.Orientation.Vertical)

    def _tabs_height(self, dock: QDockWidget) -> int:
        """Return the height of the tabs of a dock, which `resizeDocks` counts with it."""
        shown = [bar.height() for bar in self.tab_bars() if bar.isVisible()]
        return max(shown, default=0) if self._window.tabifiedDockWidgets(dock) else 0

    def _update_views(self, dock_id: str) -> None:
        for spec in self._specs.values():
            if spec.dock == dock_id and spec.id in self._registry.created:
                self._registry.created[spec.id].set_active(self.is_seen(spec.id))
            elif spec.dock == dock_id and self._creates_shown_views and self.is_seen(spec.id):
                self._registry.view(spec)

    def _insert_view(self, spec: DockSpec[Any], view: ProfileView) -> None:
        view.set_active(self.is_seen(spec.id))
        if spec.dock == PICTURE:
            self.picture.insert(spec.id, cast("PictureView", view))
            return
        dock = self.by_id[spec.dock]
        dock.widget().deleteLater()
        dock.setWidget(view)
        view.show()  # a dock that is visible does not show its new widget

    def view_in(self, dock_id: str) -> str:
        """The id of the view that a dock shows; a view may be named by its own id as well."""
        return self.picture.chosen if dock_id == PICTURE else dock_id

    def dock_of(self, view_id: str) -> str:
        """The id of the dock that has a view; a dock may be named, too."""
        return self._specs[view_id].dock if view_id in self._specs else view_id

    def view(self, view_id: str) -> ProfileView:
        view: ProfileView = self._registry.view(self._specs[self.view_in(view_id)])
        return view

    def give_focus(self, dock_id: str) -> None:
        """Give the keyboard focus to what a dock shows; a dock without a view passes it on."""
        has_view = dock_id in self.by_id
        target = self.view(dock_id).initial_focus if has_view else self.all[dock_id]
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def choose_picture(self, view_id: str) -> None:
        """Let the dock of pictures show this one of its views."""
        self.picture.choose(view_id)
        self._update_views(PICTURE)

    # ---------------------------------------------------------------- layouts

    def _create_go_to_action(self, spec: DockSpec[Any]) -> QAction:
        """Create the action that brings the view to the front, even from behind a tab."""
        key = spec.shortcut
        number = f"&{key[-1]}  " if key.startswith("Alt") else "    "
        action = QAction(number + spec.title, self._window)
        action.setObjectName(f"go_to_{spec.id}")
        action.setStatusTip(f"Move the keyboard focus to {spec.title}")
        set_keys(action, [QKeySequence(key)])
        action.triggered.connect(lambda: self._go_to(spec.id))
        return action

    def go_to_action(self, view_id: str) -> QAction:
        return self.go_to_actions[list(self._specs).index(view_id)]

    def follow(self, docks: Docks) -> None:
        """Let the actions that go to a dock lead to one of these, if it is open there."""
        self._target = docks

    def _go_to(self, view_id: str) -> None:
        is_open_there = not self._target.by_id[self.dock_of(view_id)].isHidden()
        (self._target if is_open_there else self).show(view_id)

    def is_seen(self, view_id: str) -> bool:
        """Whether the user can see a view, or what a dock shows: it is not behind a tab."""
        dock_id = self.dock_of(view_id)
        is_in_front = view_id in (dock_id, self.view_in(dock_id))
        return is_in_front and self._shown.get(dock_id, False)

    def prepare_pictures(self) -> None:
        """Start the process that lays graphs out while a profile is read, if a graph is shown."""
        if self.picture.chosen == DockRegistry.call_graph.id and not self.picture.isHidden():
            self._registry.graph_layout.prepare()

    def enable_go_to_actions(self, enabled: bool) -> None:
        """Enable the actions that go to a dock; without a profile the welcome page covers all."""
        for action in self.go_to_actions:
            action.setEnabled(enabled)

    def show(self, view_id: str) -> None:
        """Bring a view to the front, or what a dock shows, and give it the keyboard focus."""
        dock_id = self.dock_of(view_id)
        if view_id != dock_id:
            self.choose_picture(view_id)
        if self.maximizer.maximized not in ("", dock_id):
            self.maximizer.restore()
        dock = self.by_id[dock_id]
        dock.show()
        dock.raise_()
        self.view(view_id).initial_focus.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keep(self, dock_id: str, kept: bool) -> None:
        """Set whether built-in layouts that do not have a dock leave it open."""
        self.kept = self.kept | {dock_id} if kept else self.kept - {dock_id}

    def reset(self) -> None:
        self.arrange(self._default(self._window.width()))

    def arrange(self, arrangement: Arrangement) -> None:
        """Put all docks where a built-in layout has them; close those that it does not have."""
        self.maximizer.forget()
        window, functions = self._window, self.by_id[_FUNCTIONS_DOCK]
        for dock in self.all.values():
            dock.setFloating(False)
            window.removeDockWidget(dock)
        window.addDockWidget(_AREA.LeftDockWidgetArea, functions)
        window.addDockWidget(_AREA.BottomDockWidgetArea, self.by_id[arrangement.views.first])
        for split in arrangement.views.splits():
            self._split(split)
        for dock_id in arrangement.views.docks():
            self.by_id[dock_id].show()
        functions.setVisible(arrangement.functions_percent > 0)
        for split in arrangement.views.splits():
            for member in split.members:
                self.by_id[member.first].raise_()
        self._place_closed(arrangement)
        if arrangement.functions_percent > 0:
            width = window.width() * arrangement.functions_percent // 100
            window.resizeDocks([functions], [width], Qt.Orientation.Horizontal)
        for split in arrangement.views.splits():
            firsts = [self.by_id[member.first] for member in split.members]
            window.resizeDocks(firsts, [m.share * 100 for m in split.members], split.orientation)

    def _place_closed(self, arrangement: Arrangement) -> None:
        """Put the docks that a layout does not have behind others as tabs, where they open.

        Without a place, a dock that is opened would lie over the others.
        """
        present = {*arrangement.views.docks(), _FUNCTIONS_DOCK}
        for dock_id, dock in self.by_id.items():
            if dock_id not in present:
                spec = self._specs.get(dock_id)
                joins = (*(spec.joins if spec else ()), arrangement.views.first)
                place = next(other for other in joins if other in present)
                self._window.tabifyDockWidget(self.by_id[place], dock)
                dock.setVisible(dock_id in self.kept)

    def _split(self, split: Split) -> None:
        """Divide the space of the first dock of a split among its members."""
        before = self.by_id[split.first]
        for member in split.members:
            first = self.by_id[member.first]
            if first is not before:
                self._window.splitDockWidget(before, first, split.orientation)
            before = first
        for member in split.members:
            for dock_id in member.ids[1:] if isinstance(member, Tabs) else ():
                self._window.tabifyDockWidget(self.by_id[member.first], self.by_id[dock_id])

    def tabify(self, dock: QDockWidget, other: QDockWidget) -> None:
        """Put another dock behind a dock as a tab, which keeps its width."""
        width = dock.width()
        self._window.tabifyDockWidget(dock, other)
        self._window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)

    def tabs_of(self, dock: QDockWidget) -> list[QDockWidget]:
        return self._window.tabifiedDockWidgets(dock)

    def are_side_by_side(self, first: str, second: str) -> bool:
        """Whether two docks are side by side, and neither is in a group of tabs."""
        left, right = self.by_id[first], self.by_id[second]
        if any(dock.isHidden() or dock.isFloating() for dock in (left, right)):
            return False
        if self.tabs_of(left) or self.tabs_of(right):
            return False
        return left.y() == right.y() and left.x() < right.x()

    def are_only_visible(self, first: str, second: str) -> bool:
        """Whether no other docks are visible, except the functions and floating docks."""
        seen = {
            dock_id
            for dock_id, dock in self.by_id.items()
            if not dock.isHidden() and not dock.isFloating()
        }
        return seen - {_FUNCTIONS_DOCK} == {first, second}

    def put_side_by_side(self, first: str, second: str) -> None:
        """Put two docks side by side in all the space beside the functions, if it has them."""
        window, left, right = self._window, self.by_id[first], self.by_id[second]
        functions = self.by_id[_FUNCTIONS_DOCK]
        for dock in self.by_id.values():
            if dock not in (left, right, functions) and not dock.isFloating():
                dock.hide()
        for dock in (left, right):
            dock.setFloating(False)
            window.removeDockWidget(dock)  # or a dock in tabs would add the other one to them
        window.addDockWidget(_AREA.BottomDockWidgetArea, left)
        window.splitDockWidget(left, right, Qt.Orientation.Horizontal)
        for dock in (left, right):
            dock.show()
        has_functions = self._default(window.width()).functions_percent > 0
        functions.setVisible(has_functions and window.width() >= _FUNCTIONS_MIN_WIDTH)
        window.resizeDocks(
            [functions], [window.width() * _FUNCTIONS_PERCENT // 100], Qt.Orientation.Horizontal
        )
        window.resizeDocks([left, right], [1, 1], Qt.Orientation.Horizontal)
        self.view(first).initial_focus.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _update_titles_later(self) -> None:
        if shiboken6.isValid(self._title_timer):  # Qt hides floating docks as it deletes the window
            self._title_timer.start()

    def _update_titles(self) -> None:
        """Hide the title bars of docks in tabs: the tab shows the title and has a menu."""
        for dock in self.by_id.values():
            is_tab = not dock.isFloating() and bool(self.tabs_of(dock))
            has_title = dock.titleBarWidget() is None
            if is_tab and has_title:
                dock.setTitleBarWidget(QWidget(dock))
            elif not is_tab and not has_title:
                dock.setTitleBarWidget(None)  # type: ignore[arg-type]  # restores Qt's own
        for bar in self.tab_bars():
            bar.setElideMode(Qt.TextElideMode.ElideNone)  # four titles start with “Call”
            bar.setWhatsThis(_TABS)
            for tab in range(bar.count()):
                if dock_id := self.id_of_tab(bar, tab):
                    bar.setTabWhatsThis(tab, self.by_id[dock_id].whatsThis())
            is_used = bar.isVisible() and bar.count() > 0  # Qt keeps unused bars
            bar.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_used else Qt.FocusPolicy.NoFocus)
            if bar.contextMenuPolicy() != Qt.ContextMenuPolicy.CustomContextMenu:
                bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                bar.customContextMenuRequested.connect(partial(self._show_tab_menu, bar))
                bar.tabBarDoubleClicked.connect(partial(self._maximize_tab, bar))

    def tab_bars(self) -> list[QTabBar]:
        """The bars of docks in tabs, in and out of use."""
        only_direct = Qt.FindChildOption.FindDirectChildrenOnly
        return self._window.findChildren(QTabBar, options=only_direct)

    def id_of_tab(self, bar: QTabBar, tab: int) -> str:
        """The id of the dock that a tab has; empty if it is of another window."""
        title = bar.tabText(tab)
        return next((name for name, dock in self.by_id.items() if dock.windowTitle() == title), "")

    def _maximize_tab(self, bar: QTabBar, tab: int) -> None:
        if dock_id := self.id_of_tab(bar, tab):
            self.maximizer.toggle(dock_id)

    def _show_tab_menu(self, bar: QTabBar, position: QPoint) -> None:
        if dock_id := self.id_of_tab(bar, bar.tabAt(position)):
            dock, menu = self.by_id[dock_id], QMenu(bar)
            menu.addAction("&Maximize", lambda: self.maximizer.toggle(dock_id))
            menu.addAction("&Float", lambda: self.float_dock(dock))
            menu.addAction("&Close", dock.close)
            open_context_menu(menu, bar.mapToGlobal(position))

    def toggle_maximized(self, last_used: str) -> None:
        """Maximize the dock with the keyboard focus, or the one used last; or restore the layout.

        If that is not seen, it is the first one that is.
        """
        if self.maximizer.maximized:
            self.maximizer.restore()
            return
        focused = self._window.focusWidget()
        docked = [name for name, dock in self.all.items() if not dock.isFloating()]
        around = [name for name in docked if focused and self.all[name].isAncestorOf(focused)]
        seen = [name for name in (last_used, *docked) if name in docked and self.is_seen(name)]
        if chosen := [*around, *seen]:
            self.maximizer.toggle(chosen[0])
        else:
            self._window.statusBar().showMessage(_NO_VIEW, _MESSAGE_MS)

    def float_dock(self, dock: QDockWidget) -> None:
        """Make a dock a window in front of this one, even from behind a tab."""
        dock.raise_()
        size = dock.size()
        dock.setFloating(True)
        dock.resize(size.expandedTo(self._window.size() / 3))
        dock.move(self._window.geometry().center() - dock.rect().center())

    def save_state(self) -> QByteArray:
        """The layout of the docks, for `restore_state`; without the maximizing of one of them."""
        before = self.maximizer.layout_before
        return before if before else saved_state(self._window, self.picture)

    def restore_state(self, saved: QByteArray) -> bool:
        """Restore a saved layout; return False if it is empty, damaged or of an unknown version."""
        if not (state := without_checksum(saved)):
            return False
        self.maximizer.forget()
        for dock in self._others:
            if not dock.isFloating():  # or it would stay open if the layout does not have it
                self._window.removeDockWidget(dock)
        is_restored = restore(self._window, self.picture, state)
        self._update_views(PICTURE)
        return is_restored


def is_docked(window: QMainWindow, dock: QDockWidget) -> bool:
    """Whether the dock has a place in the layout of the window."""
    return window.dockWidgetArea(dock) != _AREA.NoDockWidgetArea
