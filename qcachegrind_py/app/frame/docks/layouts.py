"""Layouts that the user saves: by name in the menu, in saved views, and source beside assembler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce

from PySide6.QtCore import QByteArray, QRect, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.docks.arrangements import (
    Arrangement,
    Split,
    Tabs,
    arrangements,
    split_tree,
)
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.frame.notices import Notices
from qcachegrind_py.app.style.tips import set_keys
from qcachegrind_py.formats.saved_views import SavedLayout, TabGroup
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.session.settings.store import Settings

_WHOLE = 1000  # thousandths
_TOLERANCE = 30  # thousandths by which places may differ in the same layout
_FUNCTIONS = DockRegistry.function_list.id


def present_layout(docks: Docks) -> SavedLayout:
    open_docks = {dock_id: dock for dock_id, dock in docks.by_id.items() if not dock.isHidden()}
    floating = tuple(dock_id for dock_id, dock in open_docks.items() if dock.isFloating())
    places: dict[tuple[str, ...], tuple[str, QRect]] = {}  # of tabs: the one in front, and where
    for bar in docks.tab_bars():
        ids = [docks.id_of_tab(bar, tab) for tab in range(0 if bar.isHidden() else bar.count())]
        known = tuple(dock_id for dock_id in ids if dock_id in open_docks)
        if known:
            current = ids[bar.currentIndex()]
            front = current if current in known else known[0]
            places[known] = front, open_docks[front].geometry().united(bar.geometry())
    in_tabs = {dock_id for ids in places for dock_id in ids}
    for dock_id, dock in open_docks.items():
        if dock_id not in in_tabs and dock_id not in floating:
            places[(dock_id,)] = dock_id, dock.geometry()
    whole = reduce(QRect.united, (place for _, place in places.values()), QRect())
    groups = (
        TabGroup(_views_in(docks, ids), docks.view_in(front), *_share(place, whole))
        for ids, (front, place) in places.items()
    )
    return SavedLayout(tuple(groups), _views_in(docks, floating))


def _views_in(docks: Docks, ids: tuple[str, ...]) -> tuple[str, ...]:
    """The ids of the views that these docks show: it is those that are saved."""
    return tuple(docks.view_in(dock_id) for dock_id in ids)


def _share(place: QRect, whole: QRect) -> tuple[int, int, int, int]:
    """Return left, top, width and height in thousandths of the whole."""
    width, height = max(1, whole.width()), max(1, whole.height())
    return (
        (place.left() - whole.left()) * _WHOLE // width,
        (place.top() - whole.top()) * _WHOLE // height,
        place.width() * _WHOLE // width,
        place.height() * _WHOLE // height,
    )


def show_layout(window: QMainWindow, docks: Docks, layout: SavedLayout) -> None:
    """Arrange the docks as they were saved; docks that are not known here are left out."""
    layout, picture = _of_known_docks(layout, docks)
    if picture:
        docks.choose_picture(picture)
    if not layout.groups:
        return
    present, _ = _of_known_docks(present_layout(docks), docks)
    if not _are_alike(layout, present):
        _arrange(window, docks, layout)
    for group in layout.groups:
        docks.by_id[group.front].raise_()


def _of_known_docks(layout: SavedLayout, docks: Docks) -> tuple[SavedLayout, str]:
    """Return the layout with each known dock once, and the picture in it; empty without one."""
    used: set[str] = set()

    def unused(ids: tuple[str, ...]) -> Iterator[str]:
        for dock_id in map(docks.dock_of, ids):
            if dock_id in docks.by_id and dock_id not in used:
                used.add(dock_id)
                yield dock_id

    known = [(group, tuple(unused(group.docks))) for group in layout.groups]
    fronts = {group: docks.dock_of(group.front) for group in layout.groups}
    groups = [
        replace(group, docks=ids, front=fronts[group] if fronts[group] in ids else ids[0])
        for group, ids in known
        if ids
    ]
    named = [group.front for group in layout.groups]
    named += [view_id for group in layout.groups for view_id in group.docks]
    pictures = (name for name in (*named, *layout.floating) if name in docks.picture.choices)
    return SavedLayout(tuple(groups), tuple(unused(layout.floating))), next(pictures, "")


def _are_alike(one: SavedLayout, other: SavedLayout) -> bool:
    """Whether the same docks are open in about the same places."""
    groups, others = ({group.docks: group for group in each.groups} for each in (one, other))
    if groups.keys() != others.keys() or set(one.floating) != set(other.floating):
        return False
    return all(
        abs(mine - theirs) <= _TOLERANCE
        for docks in groups
        for mine, theirs in zip(groups[docks].place, others[docks].place, strict=True)
    )


def _arrange(window: QMainWindow, docks: Docks, layout: SavedLayout) -> None:
    """Put the functions on the left, where all layouts have them, and the others beside them."""
    functions = next((group for group in layout.groups if _FUNCTIONS in group.docks), None)
    others = [group for group in layout.groups if group is not functions]
    closed = next(dock_id for dock_id in docks.by_id if dock_id != _FUNCTIONS)
    views = split_tree(others) if others else Split(Qt.Orientation.Vertical, (Tabs((closed,)),))
    percent = 0 if functions is None else max(1, functions.width * 100 // _WHOLE)
    docks.arrange(Arrangement("saved", "", "", "", percent, views))
    if functions is not None:
        for dock_id in functions.docks:
            if dock_id != _FUNCTIONS:
                window.tabifyDockWidget(docks.by_id[_FUNCTIONS], docks.by_id[dock_id])
    shown = {dock_id for group in layout.groups for dock_id in group.docks}
    for dock_id, dock in docks.by_id.items():
        dock.setVisible(dock_id in shown or dock_id in layout.floating)
    for dock_id in layout.floating:
        docks.float_dock(docks.by_id[dock_id])


_BOTH = DockRegistry.source.id, DockRegistry.assembler.id


class SideBySide:
    """Applies the action to two docks of the current panel; checked while they are side by side."""

    def __init__(self, action: QAction, docks: Docks) -> None:
        self._action = action
        self._before: dict[Docks, QByteArray] = {}  # each panel's docks before; for this run only
        self._docks = docks
        self.follow(docks)
        action.triggered.connect(lambda _checked: self._toggle())

    def follow(self, docks: Docks) -> None:
        """Apply to these docks from now on."""
        self._docks = docks
        if docks not in self._before:
            self._before[docks] = QByteArray()
            docks.rearranged.connect(self._update_action)
        self._update_action()

    def _is_restored_next(self) -> bool:
        """Whether the docks are side by side, and the action puts all docks back.

        Docks opened since then do not matter. Beside other docks, as a saved layout may have them,
        the two first get all the space.
        """
        docks = self._docks
        return docks.are_side_by_side(*_BOTH) and (
            not self._before[docks].isEmpty() or docks.are_only_visible(*_BOTH)
        )

    def _toggle(self) -> None:
        docks = self._docks
        if self._is_restored_next():
            before, self._before[docks] = self._before[docks], QByteArray()
            if not docks.restore_state(before):
                docks.reset()
        else:
            self._before[docks] = docks.save_state()
            docks.put_side_by_side(*_BOTH)

    def _update_action(self) -> None:
        self._action.setChecked(self._is_restored_next())


_OWN = "own/"  # before the name of a layout that the user has saved


class Layouts:
    """Saves layouts in the settings, for all profiled programs, and fills their menu."""

    def __init__(
        self,
        window: QWidget,
        settings: Settings,
        docks: Docks,
        notices: Notices,
        actions: Actions,
    ) -> None:
        self.menu = actions.menus["layouts"]
        self._window = window
        self._settings = settings
        self._docks = docks
        self._notices = notices
        self._actions = actions
        self._chosen = ""  # the layout chosen last, from which the next one is counted
        self._built_in = [self._built_in_action(each) for each in arrangements(window.width())]
        actions.connect(
            {
                "save_layout": self.save,
                "reset_layout": docks.reset,
                "next_layout": lambda: self._step(1),
                "previous_layout": lambda: self._step(-1),
            }
        )
        self._fill_menu()

    def save(self) -> None:
        from PySide6.QtWidgets import QInputDialog

        name, taken = QInputDialog.getText(self._window, "Save Layout", "Name of the layout:")
        if taken and name.strip():
            self._settings.set_layout(name.strip(), self._docks.save_state())
            self._fill_menu()

    def restore(self, name: str) -> None:
        """Restore the layout of this name, or show a notice if it is too old."""
        self._chosen = f"{_OWN}{name}"
        if not self._docks.restore_state(self._settings.layout(name)):
            self._notices.show_notice("warning", f"The layout “{cell_text(name)}” is too old.")

    def _built_in_action(self, arrangement: Arrangement) -> QAction:
        action = QAction(arrangement.title, self._window)
        action.setObjectName(f"layout_{arrangement.name}")
        action.setStatusTip(arrangement.tip)
        set_keys(action, [QKeySequence(arrangement.shortcut)])
        action.triggered.connect(lambda: self._arrange(arrangement.name))
        return action

    def _arrange(self, name: str) -> None:
        """Choose a built-in layout, as it is for the present width of the window."""
        self._chosen = name
        for arrangement in arrangements(self._window.width()):
            if arrangement.name == name:
                self._docks.arrange(arrangement)

    def _step(self, steps: int) -> None:
        """Choose the next or previous layout: the built-in ones, then those of the user."""
        own = self._settings.layouts()
        built_in = [each.name for each in arrangements(self._window.width())]
        names = [*built_in, *(f"{_OWN}{name}" for name in own)]
        at = names.index(self._chosen) if self._chosen in names else 0
        chosen = names[(at + steps) % len(names)]
        if chosen in built_in:
            self._arrange(chosen)
        else:
            self.restore(chosen.removeprefix(_OWN))

    def _delete(self, name: str) -> None:
        self._settings.set_layout(name, None)
        self._fill_menu()

    def _fill_menu(self) -> None:
        names = self._settings.layouts()
        self.menu.clear()
        shown = "maximize", "split", "side_by_side"
        self.menu.addActions([self._actions[name] for name in shown])
        self.menu.addSeparator()
        self.menu.addActions(self._built_in)
        self.menu.addSeparator()
        _add_layout_items(self.menu, names, self.restore)
        self.menu.addSeparator()
        self.menu.addActions([self._actions[name] for name in ("save_layout", "reset_layout")])
        if names:
            _add_layout_items(self.menu.addMenu("&Delete Layout"), names, self._delete)


def _add_layout_items(menu: QMenu, names: list[str], act: Callable[[str], None]) -> None:
    """Add an item for each layout, which calls `act` with its name."""
    for name in names:
        action = menu.addAction(cell_text(name).replace("&", "&&"))
        action.triggered.connect(lambda _checked=False, name=name: act(name))
