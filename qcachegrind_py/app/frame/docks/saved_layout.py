"""The layout of docks in saved views: groups of tabs and their places, for windows of any size.

A state of Qt's is not exchanged between people, as Qt may crash over a hostile one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar

from qcachegrind_py.app.frame.docks.arrangements import Arrangement, Split, Tabs
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.frame.docks.split_tree import split_tree
from qcachegrind_py.formats.saved_views import SavedLayout, TabGroup

_WHOLE = 1000  # thousandths
_TOLERANCE = 30  # thousandths by which places may differ in the same layout
_FUNCTIONS = DockRegistry.function_list.id


def present_layout(window: QMainWindow, docks: Docks) -> SavedLayout:
    """Return the layout of the open docks, as the user sees it."""
    bars = _tabs_of_docks(window, docks)
    open_docks = {dock_id: dock for dock_id, dock in docks.by_id.items() if not dock.isHidden()}
    floating = tuple(dock_id for dock_id, dock in open_docks.items() if dock.isFloating())
    left = [dock_id for dock_id in open_docks if dock_id not in floating]
    places: list[tuple[TabGroup, QRect]] = []
    while left:
        group, place = _group_around(docks, open_docks[left[0]], bars, left)
        places.append((group, place))
        left = [dock_id for dock_id in left if dock_id not in group.docks]
    whole = QRect()
    for _, place in places:
        whole = whole.united(place)
    return SavedLayout(tuple(_placed(group, place, whole) for group, place in places), floating)


_TabsOfDocks = dict[str, tuple[QTabBar, int]]  # the tab of each dock that has one


def _tabs_of_docks(window: QMainWindow, docks: Docks) -> _TabsOfDocks:
    titles = {dock.windowTitle(): dock_id for dock_id, dock in docks.by_id.items()}
    only_direct = Qt.FindChildOption.FindDirectChildrenOnly
    return {
        titles[bar.tabText(tab)]: (bar, tab)
        for bar in window.findChildren(QTabBar, options=only_direct)
        for tab in range(0 if bar.isHidden() else bar.count())
        if bar.tabText(tab) in titles
    }


def _group_around(
    docks: Docks, dock: QDockWidget, tabs: _TabsOfDocks, left: list[str]
) -> tuple[TabGroup, QRect]:
    """Return a dock with those in tabs around it, in the order of the tabs, and their place."""
    around = [dock, *docks.tabs_of(dock)]
    ids = [dock_id for dock_id in left if docks.by_id[dock_id] in around]
    ids.sort(key=lambda dock_id: tabs[dock_id][1] if dock_id in tabs else 0)
    front, place = ids[0], dock.geometry()
    if len(ids) > 1 and front in tabs:
        bar = tabs[front][0]
        front = next((each for each in ids if tabs.get(each) == (bar, bar.currentIndex())), front)
        place = docks.by_id[front].geometry().united(bar.geometry())
    return TabGroup(tuple(ids), front, 0, 0, 0, 0), place


def _placed(group: TabGroup, place: QRect, whole: QRect) -> TabGroup:
    """Return the group with its place in thousandths of the whole."""
    width, height = max(1, whole.width()), max(1, whole.height())
    return replace(
        group,
        left=(place.left() - whole.left()) * _WHOLE // width,
        top=(place.top() - whole.top()) * _WHOLE // height,
        width=place.width() * _WHOLE // width,
        height=place.height() * _WHOLE // height,
    )


# -------------------------------------------------------------------- showing


def show_layout(window: QMainWindow, docks: Docks, layout: SavedLayout) -> None:
    """Arrange the docks as they were saved; docks that are not known here are left out."""
    layout = _of_known_docks(layout, docks)
    if not layout.groups:
        return
    if not _are_alike(layout, present_layout(window, docks)):
        _arrange(window, docks, layout)
    for group in layout.groups:
        docks.by_id[group.front].raise_()


def _of_known_docks(layout: SavedLayout, docks: Docks) -> SavedLayout:
    """Return the layout with each known dock once."""
    used: set[str] = set()

    def unused(ids: tuple[str, ...]) -> Iterator[str]:
        for dock_id in ids:
            if dock_id in docks.by_id and dock_id not in used:
                used.add(dock_id)
                yield dock_id

    known = [(group, tuple(unused(group.docks))) for group in layout.groups]
    groups = [
        replace(group, docks=ids, front=group.front if group.front in ids else ids[0])
        for group, ids in known
        if ids
    ]
    return SavedLayout(tuple(groups), tuple(unused(layout.floating)))


def _are_alike(one: SavedLayout, other: SavedLayout) -> bool:
    """Whether the same docks are open in about the same places."""
    groups, others = ({group.docks: group for group in each.groups} for each in (one, other))
    if groups.keys() != others.keys() or set(one.floating) != set(other.floating):
        return False
    return all(
        abs(mine - theirs) <= _TOLERANCE
        for docks in groups
        for mine, theirs in zip(_place(groups[docks]), _place(others[docks]), strict=True)
    )


def _place(group: TabGroup) -> tuple[int, int, int, int]:
    return group.left, group.top, group.width, group.height


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
