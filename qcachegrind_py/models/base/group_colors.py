"""One colour a group, the same in every view; which one, `analysis.group_shades` says."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QColor

from qcachegrind_py.analysis.names.groups import Groups
from qcachegrind_py.analysis.names.palette import group_rgb, shade_rgb
from qcachegrind_py.profile.ids import NodeId


class GroupColors:
    """The colours of the entries of one grouping."""

    def __init__(self, groups: Groups) -> None:
        self._groups = groups

    def color(self, node: NodeId) -> QColor:
        """The colour of the group that the entry is of."""
        return group_color(self._groups.names[int(self._groups.group_of_node[node])])


@lru_cache(1024)
def group_color(name: str) -> QColor:
    """The colour of a group of this name."""
    return QColor.fromRgbF(*group_rgb(name))


@lru_cache(16384)
def shade(group: str, function: str) -> QColor:
    """A colour near the group's, of this function: to be found again among those of its group."""
    return QColor.fromRgbF(*shade_rgb(group, function))


def blended(color: QColor, base: QColor, opacity: float) -> QColor:
    """The colour as it is seen through on a background, without being transparent."""
    over = color.redF(), color.greenF(), color.blueF()
    under = base.redF(), base.greenF(), base.blueF()
    parts = zip(over, under, strict=True)
    return QColor.fromRgbF(*(opacity * one + (1 - opacity) * other for one, other in parts))
