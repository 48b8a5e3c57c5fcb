"""Qt colours of groups, the same in every view; `analysis.names.groups` computes them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from weakref import ref

from PySide6.QtGui import QColor

from qcachegrind_py.analysis.names.groups import group_rgb, shade_rgb, shade_step
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NodeId

_SHADE_STRENGTH = 5  # percent of lightness between neighbouring shades of a chosen colour


class GroupPalette:
    """The colours of groups and functions: those that the user chose, or else computed ones."""

    def __init__(self, chosen: tuple[tuple[str, str], ...] = ()) -> None:
        """`chosen` are names of groups with their colours as #rrggbb."""
        self._chosen = {name: QColor(color) for name, color in chosen}

    def group(self, name: str) -> QColor:
        """Return the colour of the group of that name."""
        chosen = self._chosen.get(name)
        return _group_color(name) if chosen is None else chosen

    def shade(self, group: str, function: str) -> QColor:
        """Return the function's colour: near its group's, distinct from the group's others."""
        chosen = self._chosen.get(group)
        if chosen is None:
            return _shade(group, function)
        return chosen.lighter(100 + _SHADE_STRENGTH * shade_step(function))


def node_colors(query: ViewQuery) -> Callable[[NodeId], QColor]:
    """Return a function for node colours: the group's, or a shade of it if ungrouped."""
    palette, shade = group_palette(query.context.group_colors), query.node_shades()

    def color(node: NodeId) -> QColor:
        group, function = shade(node)
        return palette.shade(group, function) if function else palette.group(group)

    return color


def list_colors(query: ViewQuery) -> Callable[[NodeId], QColor | None]:
    """Return `node_colors` for lists, which keep it while they rest.

    It does not keep the profile alive: without it, no node has a colour.
    """
    context, queries = query.context, ref(query.queries)

    def color(node: NodeId) -> QColor | None:
        alive = queries()
        return None if alive is None else node_colors(ViewQuery(alive, context))(node)

    return color


@lru_cache(4)
def group_palette(chosen: tuple[tuple[str, str], ...]) -> GroupPalette:
    """Return the palette with these chosen colours."""
    return GroupPalette(chosen)


@lru_cache(1024)
def _group_color(name: str) -> QColor:
    return QColor.fromRgbF(*group_rgb(name))


@lru_cache(16384)
def _shade(group: str, function: str) -> QColor:
    return QColor.fromRgbF(*shade_rgb(group, function))


def blended(color: QColor, base: QColor, opacity: float) -> QColor:
    """Return the opaque colour that equals the colour at that opacity over a background."""
    over = color.redF(), color.greenF(), color.blueF()
    under = base.redF(), base.greenF(), base.blueF()
    parts = zip(over, under, strict=True)
    return QColor.fromRgbF(*(opacity * one + (1 - opacity) * other for one, other in parts))
