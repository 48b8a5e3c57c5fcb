"""Layouts as trees of splits whose leaves are groups of tabs: built-in ones, and from places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from PySide6.QtCore import Qt

from qcachegrind_py.formats.saved_views import TabGroup
from qcachegrind_py.frozen import frozen

_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
_WIDE = 2200  # width of the window in pixels from which a picture fits beside the lists


@frozen(eq=True, slots=False)
class Tabs:
    """Docks in tabs, the first one in front."""

    ids: tuple[str, ...]
    share: int = 1

    @property
    def first(self) -> str:
        return self.ids[0]

    def docks(self) -> tuple[str, ...]:
        return self.ids


@frozen(eq=True, slots=False)
class Split:
    """Members side by side, or one below the other."""

    orientation: Qt.Orientation
    members: tuple[Tabs | Split, ...]
    share: int = 1

    @property
    def first(self) -> str:
        """The dock in front of the first group."""
        return self.members[0].first

    def docks(self) -> tuple[str, ...]:
        return tuple(dock for member in self.members for dock in member.docks())

    def splits(self) -> Iterator[Split]:
        """Yield this split and all within it, outer ones first."""
        yield self
        for member in self.members:
            if isinstance(member, Split):
                yield from member.splits()


@frozen(eq=True, slots=False)
class Arrangement:
    """A built-in layout; docks that are not in it are closed."""

    name: str
    title: str
    tip: str
    shortcut: str
    functions_percent: int  # of the width; 0: the functions are closed
    views: Split


def _tabs(text: str, share: int = 1) -> Tabs:
    return Tabs(tuple(text.split()), share)


_CALLERS = "callers all_callers event_list part_list"  # who calls, and what is counted
_CALLEES = "callees all_callees call_tree call_stack"  # what is called
_PICTURES = "picture source assembler control_flow"  # where it happens
_OVERVIEW = Split(_DOWN, (_tabs(_CALLERS, 23), _tabs(_CALLEES, 23), _tabs(_PICTURES, 54)))
_WIDE_OVERVIEW = Split(
    _ACROSS,
    (Split(_DOWN, (_tabs(_CALLERS), _tabs(_CALLEES)), 34), _tabs(_PICTURES, 66)),
)
_CODE = Split(
    _DOWN,
    (
        Split(_ACROSS, (_tabs("source control_flow"), _tabs("assembler")), 72),
        Split(_ACROSS, (_tabs("callers all_callers"), _tabs("callees all_callees")), 28),
    ),
)
_PICTURE_AND_TREE = Split(_DOWN, (_tabs("picture control_flow", 70), _tabs("call_tree", 30)))
_LIKE_KCACHEGRIND = Split(
    _DOWN,
    (
        _tabs("event_list callers all_callers source call_stack"),
        _tabs("callees picture all_callees assembler part_list call_tree control_flow"),
    ),
)

PANEL = Arrangement(  # the docks within the split
    "panel", "", "", "", 0,
    Split(
        _DOWN,
        (
            _tabs("callees callers all_callers all_callees call_stack event_list part_list", 40),
            _tabs(_PICTURES, 60),
        ),
    ),
)  # fmt: skip


def arrangements(window_width: int) -> tuple[Arrangement, ...]:
    """Return the built-in layouts for a window of this width in pixels, the default first."""
    overview = _WIDE_OVERVIEW if window_width >= _WIDE else _OVERVIEW
    return (
        Arrangement(
            "overview", "&Overview", "Show functions, callers, callees and a picture of them",
            "Ctrl+Alt+1", 24 if window_width >= _WIDE else 34, overview,
        ),
        Arrangement(
            "code", "&Code", "Show source and assembler side by side, with callers and callees",
            "Ctrl+Alt+2", 26, _CODE,
        ),
        Arrangement(
            "pictures", "&Picture", "Show a large picture, and the calls as a tree below it",
            "Ctrl+Alt+3", 26, _PICTURE_AND_TREE,
        ),
        Arrangement(
            "like_kcachegrind", "Like &KCachegrind", "Show the views where KCachegrind has them",
            "Ctrl+Alt+4", 40, _LIKE_KCACHEGRIND,
        ),
    )  # fmt: skip


def default_arrangement(window_width: int) -> Arrangement:
    return arrangements(window_width)[0]


_OVERLAP = 10  # thousandths by which groups may overlap where they were rounded


def split_tree(groups: Sequence[TabGroup]) -> Split:
    """Return a tree of at least one group, arranged by the places of the groups.

    Places that overlap, as in a damaged file, are taken for tabs of one group.
    """
    tree = _member(groups, 1)
    return tree if isinstance(tree, Split) else Split(_DOWN, (tree,))


def _member(groups: Sequence[TabGroup], share: int) -> Tabs | Split:
    for axis, orientation in enumerate((_ACROSS, _DOWN)):
        slices = _slices(groups, axis)
        if len(slices) > 1:
            members = [_member(each, _extent(each, axis)) for each in slices]
            return Split(orientation, tuple(members), share)
    return Tabs(tuple(dock for group in groups for dock in group.docks), share)


def _slices(groups: Iterable[TabGroup], axis: int) -> list[list[TabGroup]]:
    """Divide the groups at all lines in one direction that cut through none of them."""
    slices: list[list[TabGroup]] = []
    end = 0
    for group in sorted(groups, key=lambda group: group.place[axis]):
        begin, size = group.place[axis], group.place[axis + 2]
        if not slices or begin >= end - _OVERLAP:
            slices.append([])
        slices[-1].append(group)
        end = max(end, begin + size)
    return slices


def _extent(groups: Sequence[TabGroup], axis: int) -> int:
    """Return the share of a slice: its extent in thousandths."""
    begins = [group.place[axis] for group in groups]
    ends = [group.place[axis] + group.place[axis + 2] for group in groups]
    return max(1, max(ends) - min(begins))
