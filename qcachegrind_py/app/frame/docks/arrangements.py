"""Layouts as trees of splits whose leaves are groups of tabs: built-in ones, and from places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

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


_CALLERS = _tabs("callers all_callers event_list part_list")
_CALLEES = _tabs("callees all_callees call_stack")
_PICTURES = "call_graph flame_graph source assembler control_flow call_tree caller_map callee_map"
_OVERVIEW = Split(
    _DOWN,
    (Split(_ACROSS, (_CALLERS, _CALLEES), 34), _tabs(_PICTURES, 66)),
)
_WIDE_OVERVIEW = Split(
    _ACROSS,
    (Split(_DOWN, (_CALLERS, _CALLEES), 34), _tabs(_PICTURES, 66)),
)
_CODE = Split(
    _DOWN,
    (
        Split(_ACROSS, (_tabs("source control_flow"), _tabs("assembler")), 72),
        Split(_ACROSS, (_tabs("callers all_callers"), _tabs("callees all_callees")), 28),
    ),
)
_TWO_PICTURES = Split(
    _DOWN,
    (
        _tabs("flame_graph caller_map callee_map", 50),
        _tabs("call_graph control_flow call_tree", 50),
    ),
)
_LIKE_KCACHEGRIND = Split(
    _DOWN,
    (
        _tabs("event_list callers all_callers callee_map source call_stack"),
        _tabs(
            "callees call_graph all_callees caller_map assembler part_list call_tree "
            "flame_graph control_flow"
        ),
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
            "overview", "&Overview", "Show functions, callers, callees and the call graph",
            "Ctrl+Alt+1", 24 if window_width >= _WIDE else 34, overview,
        ),
        Arrangement(
            "code", "&Code", "Show source and assembler side by side, with callers and callees",
            "Ctrl+Alt+2", 26, _CODE,
        ),
        Arrangement(
            "pictures", "&Pictures", "Show flame graph and call graph",
            "Ctrl+Alt+3", 26, _TWO_PICTURES,
        ),
        Arrangement(
            "like_kcachegrind", "Like &KCachegrind", "Show the views where KCachegrind has them",
            "Ctrl+Alt+4", 40, _LIKE_KCACHEGRIND,
        ),
    )  # fmt: skip


def default_arrangement(window_width: int) -> Arrangement:
    return arrangements(window_width)[0]


_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
_OVERLAP = 10  # thousandths by which groups may overlap where they were rounded


def split_tree(groups: Sequence[TabGroup]) -> Split:
    """Return a tree with these groups, at least one, where their places say.

    Places that overlap, as in a damaged file, are taken for tabs of one group.
    """
    tree = _member(groups, 1)
    return tree if isinstance(tree, Split) else Split(_DOWN, (tree,))


def _member(groups: Sequence[TabGroup], share: int) -> Tabs | Split:
    if len(groups) > 1:
        for orientation, begin, size in (
            (_ACROSS, lambda group: group.left, lambda group: group.width),
            (_DOWN, lambda group: group.top, lambda group: group.height),
        ):
            slices = _slices(groups, begin, size)
            if len(slices) > 1:
                members = [_member(each, _extent(each, begin, size)) for each in slices]
                return Split(orientation, tuple(members), share)
    return Tabs(tuple(dock for group in groups for dock in group.docks), share)


_Measure = Callable[[TabGroup], int]


def _slices(groups: Iterable[TabGroup], begin: _Measure, size: _Measure) -> list[list[TabGroup]]:
    """Divide the groups at all lines in one direction that cut through none of them."""
    slices: list[list[TabGroup]] = []
    end = 0
    for group in sorted(groups, key=begin):
        if not slices or begin(group) >= end - _OVERLAP:
            slices.append([])
        slices[-1].append(group)
        end = max(end, begin(group) + size(group))
    return slices


def _extent(groups: Sequence[TabGroup], begin: _Measure, size: _Measure) -> int:
    """Return the share of a slice: its extent in thousandths."""
    ends = [begin(group) + size(group) for group in groups]
    return max(1, max(ends) - min(map(begin, groups)))
