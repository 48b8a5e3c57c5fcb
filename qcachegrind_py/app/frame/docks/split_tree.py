"""Layouts from places: groups of tabs become a tree of splits, as the built-in layouts are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import Qt

from qcachegrind_py.app.frame.docks.arrangements import Split, Tabs
from qcachegrind_py.formats.saved_views import TabGroup

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
