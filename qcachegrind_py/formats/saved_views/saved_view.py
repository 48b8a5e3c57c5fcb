"""A saved view: what one shows of a profile, by names, with a note about it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from qcachegrind_py.analysis.names.groups import Grouping

MAX_VIEWS = 100  # of a program, and in a file


@dataclass(frozen=True, slots=True)
class SavedFunction:
    """A function by name, file and object as recorded; a cycle by its first member."""

    name: str
    file: str
    object: str
    is_cycle: bool = False  # whether its cycle is meant


@dataclass(frozen=True, slots=True)
class SavedParts:
    """The active parts of a profile by their positions, counted from 0, and how many it has."""

    active: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True)
class TabGroup:
    """Docks in tabs, or a single dock, and their place in thousandths of the area of all docks."""

    docks: tuple[str, ...]  # ids, in the order of the tabs
    front: str  # id of the dock that can be seen
    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class SavedLayout:
    """The open docks: groups of tabs, and docks that are windows of their own."""

    groups: tuple[TabGroup, ...]
    floating: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SavedView:
    """What is shown of a profile; what a field leaves open stays as it is."""

    name: str
    note: str = ""
    function: SavedFunction | None = None  # None: the present one stays active
    event: str = ""  # empty: the present one stays
    second_event: str = ""  # empty: none
    filter: str = ""  # as typed, with folds
    only_own_code: bool = False
    grouping: Grouping = Grouping.NONE
    unit: str = ""  # of costs, as the settings name it; empty: the present one stays
    cycles: bool | None = None  # whether they are detected; None: as at present
    parts: SavedParts | None = None  # None: all
    layout: SavedLayout | None = None  # None: the present one stays


def with_view(views: Iterable[SavedView], view: SavedView) -> tuple[SavedView, ...]:
    """Return the views with one added at the end; it replaces another of the same name in place."""
    before = tuple(views)
    if any(each.name == view.name for each in before):
        return tuple(view if each.name == view.name else each for each in before)
    return (*before, view)


def with_imported(
    views: Iterable[SavedView], imported: Iterable[SavedView]
) -> tuple[SavedView, ...]:
    """Return the views with those of a file added, up to the highest number.

    One that is there already is not added again; a different one of a known name gets a number.
    """
    result = list(views)
    for view in imported:
        if view not in result and len(result) < MAX_VIEWS:
            result.append(replace(view, name=free_name(view.name, result)))
    return tuple(result)


def free_name(name: str, views: Iterable[SavedView]) -> str:
    """Return the name, followed by a number if a view has it: `parse`, `parse (2)`."""
    taken = {view.name for view in views}
    numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(each for each in numbered if each not in taken)


def renamed(views: Iterable[SavedView], name: str, new: str) -> tuple[SavedView, ...]:
    """Return the views with another name for one of them; followed by a number if it is taken."""
    before = tuple(views)
    others = [view for view in before if view.name != name]
    free = free_name(new, others)
    return tuple(replace(view, name=free) if view.name == name else view for view in before)


def with_note(views: Iterable[SavedView], name: str, note: str) -> tuple[SavedView, ...]:
    """Return the views with another note of one of them."""
    return tuple(replace(view, note=note) if view.name == name else view for view in views)


def without(views: Iterable[SavedView], names: Collection[str]) -> tuple[SavedView, ...]:
    """Return the views that have none of these names."""
    return tuple(view for view in views if view.name not in names)


def moved(views: Iterable[SavedView], name: str, by: int) -> tuple[SavedView, ...]:
    """Return the views with one of them moved up (-1) or down (1); at either end it stays."""
    result = list(views)
    at = next((row for row, view in enumerate(result) if view.name == name), -1)
    if at >= 0 and 0 <= at + by < len(result):
        result.insert(at + by, result.pop(at))
    return tuple(result)
