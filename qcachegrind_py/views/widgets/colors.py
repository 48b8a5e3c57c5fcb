"""Colours of groups, cost bars and changes, seen in every theme and the same in every view."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from math import sqrt
from typing import TypeVar
from weakref import ref
from zlib import crc32

from PySide6.QtGui import QColor, QPalette

from qcachegrind_py.analysis.names.group_colors import (
    GroupHues,
    group_rgb,
    shade_rgb,
    shade_step,
)
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NodeId

_SHADE_STRENGTH = 5  # percent of lightness between neighbouring shades of a chosen colour


class GroupPalette:
    """The colours of groups and functions: those that the user chose, or else computed ones."""

    def __init__(self, chosen: tuple[tuple[str, str], ...] = (), hues: GroupHues = ()) -> None:
        """`chosen` are names of groups with their colours as #rrggbb.

        The costliest groups have `hues`, which are far apart; others have that of their name.
        """
        self._chosen = {name: QColor(color) for name, color in chosen}
        self._hues = dict(hues)

    def group(self, name: str) -> QColor:
        chosen = self._chosen.get(name)
        return _group_color(name, self._hues.get(name)) if chosen is None else chosen

    def shade(self, group: str, function: str) -> QColor:
        """Return the function's colour: that of its group, slightly lighter or darker."""
        chosen = self._chosen.get(group)
        if chosen is None:
            return _shade(group, function, self._hues.get(group))
        return chosen.lighter(100 + _SHADE_STRENGTH * shade_step(function))


def node_colors(query: ViewQuery) -> Callable[[NodeId], QColor]:
    """Return a function for node colours, which are shades of the colour of their group."""
    palette, shade = group_palette(query), query.node_shades()
    return lambda node: palette.shade(*shade(node))


def list_colors(query: ViewQuery) -> Callable[[NodeId], QColor | None]:
    """Return `node_colors` for lists, which keep it while they rest.

    It does not keep the profile alive: without it, no node has a colour.
    """
    context, queries = query.context, ref(query.queries)
    known = _seen_nodes(queries, query.color_grouping, context.group_colors, context.scope)

    def color(node: NodeId) -> QColor | None:
        if (alive := queries()) is None:
            return None
        if node not in known:
            known[node] = node_colors(ViewQuery(alive, context))(node)
        return known[node]

    return color


@lru_cache(2)
def _seen_nodes(*_what_tells_colors: object) -> dict[NodeId, QColor]:
    """Return the colours of all nodes that any list has shown, to be extended."""
    return {}


def group_palette(query: ViewQuery) -> GroupPalette:
    return _palette(query.context.group_colors, query.group_hues())


@lru_cache(4)
def _palette(chosen: tuple[tuple[str, str], ...], hues: GroupHues) -> GroupPalette:
    return GroupPalette(chosen, hues)


@lru_cache(1024)
def _group_color(name: str, hue: float | None) -> QColor:
    return QColor.fromRgbF(*group_rgb(name, hue))


@lru_cache(16384)
def _shade(group: str, function: str, hue: float | None) -> QColor:
    return QColor.fromRgbF(*shade_rgb(group, function, hue))


def blended(color: QColor, base: QColor, opacity: float) -> QColor:
    """Return the opaque colour that equals the colour at that opacity over a background."""
    over = color.redF(), color.greenF(), color.blueF()
    under = base.redF(), base.greenF(), base.blueF()
    parts = zip(over, under, strict=True)
    return QColor.fromRgbF(*(opacity * one + (1 - opacity) * other for one, other in parts))


MIN_CONTRAST = 3.0  # of a bar to its row
# of texts to the colours of changes: 4.5, of which colour blindness may take a fifth
MIN_TEXT_CONTRAST = 5.6
_STEPS = 100
_FAINTEST, _STRONGEST = 0.18, 0.6  # opacity in boxes: of the smallest change, of the largest
_FAINTEST_ARROW = 0.3  # opacity of the smallest change; that of the largest is 1
_ESTIMATED = 0.5  # of that opacity, as estimates may change where nothing did
_MIN_BOX_CONTRAST = 4.5  # of texts to the boxes they are in
_STEP = 0.05
_ROLE = QPalette.ColorRole


class RowGround(Enum):
    """What a row of a table is painted on."""

    PLAIN = "plain"  # one of the two alternating backgrounds, or that of the row pointed at
    TINTED = "tinted"  # a selected row, or one highlighted by another view
    ACTIVE = "active"  # the row of the active function


# of the palette by Okabe and Ito, which all kinds of colour vision tell apart
GROWTH = QColor("#d55e00")  # vermilion
SHRINKAGE = QColor("#0072b2")  # blue
_SELECTED, _MARKED, _POINTED = 0.3, 0.18, 0.09  # opacity of the colour over the row


def selection_color(palette: QPalette) -> QColor:
    """Return the background of selected rows that are not the active function's."""
    return blended(palette.color(_ROLE.Highlight), palette.color(_ROLE.Base), _SELECTED)


def marked_color(palette: QPalette) -> QColor:
    """Return the background of the rows of functions that are selected in other views."""
    return blended(palette.color(_ROLE.Link), palette.color(_ROLE.Base), _MARKED)


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_MOST_KEPT = 64


class FewKept(dict[_Key, _Value]):
    """What was computed for the palettes in use, so that none is kept for long."""

    def keep(self, key: _Key, value: _Value) -> _Value:
        """Keep a value and return it; when the table is full, the others go."""
        if len(self) >= _MOST_KEPT:
            self.clear()
        self[key] = value
        return value


def pointed_color(palette: QPalette) -> QColor:
    """Return the background of the row that the mouse points at."""
    return blended(palette.color(_ROLE.Highlight), palette.color(_ROLE.Base), _POINTED)


def bar_color(palette: QPalette, ground: RowGround) -> QColor:
    """Return the colour of bars of costs on this background."""
    return _on_rows(palette.color(_ROLE.Highlight), palette, ground)


# in degrees: events of one kind are neighbours, as reads, writes and misses of a cache
_EVENT_HUES = {
    "Ir": 215, "Dr": 165, "Dw": 95, "I1mr": 280, "D1mr": 20, "D1mw": 0, "ILmr": 310, "DLmr": 60,
    "DLmw": 340, "I2mr": 310, "D2mr": 60, "D2mw": 340, "Bc": 190, "Bcm": 70, "Bi": 250, "Bim": 130,
    "Ge": 10, "L1m": 260, "L2m": 325, "LLm": 325, "Bm": 110, "CEst": 40,
    "EstimatedCycles": 50,
}  # fmt: skip
_EVENT_SATURATION, _EVENT_LIGHTNESS = 0.55, 0.5


def event_color(name: str, palette: QPalette, ground: RowGround) -> QColor:
    """Return the colour of an event on this background, which follows from its name."""
    hue = _EVENT_HUES.get(name, crc32(name.encode("utf-8", "surrogatepass")) % 360)
    color = QColor.fromHslF(hue / 360, _EVENT_SATURATION, _EVENT_LIGHTNESS)
    return _on_rows(color, palette, ground)


def change_color(palette: QPalette, ground: RowGround, *, is_growth: bool) -> QColor:
    """Return the colour of bars of changes on this background."""
    return _on_rows(GROWTH if is_growth else SHRINKAGE, palette, ground)


def change_fill(palette: QPalette, *, is_growth: bool) -> QColor:
    """Return the strongest colour within boxes of changes, on which texts are legible."""
    color = GROWTH if is_growth else SHRINKAGE
    roles = _ROLE.Base, _ROLE.Text
    return _legible(color.rgb(), *(palette.color(role).rgb() for role in roles))


# -------------------------------------------------------------------- diagrams


def box_color(palette: QPalette, strength: float, *, is_exact: bool) -> QColor:
    """Return the background of a box, on which texts are legible; the change is from -1 to 1."""
    ground = palette.color(_ROLE.AlternateBase)
    if not strength:
        return ground
    opacity = _FAINTEST + (_STRONGEST - _FAINTEST) * sqrt(min(1.0, abs(strength)))
    opacity *= 1 if is_exact else _ESTIMATED
    hue = GROWTH if strength > 0 else SHRINKAGE
    while opacity > 0:
        color = blended(hue, ground, opacity)
        if contrast(color, palette.color(_ROLE.Text)) >= _MIN_BOX_CONTRAST:
            return color
        opacity -= _STEP
    return ground


def arrow_color(palette: QPalette, strength: float, neutral: QColor) -> QColor:
    """Return the colour of an arrow; `neutral` is that of one without a change."""
    if not strength:
        return neutral
    color = change_color(palette, RowGround.PLAIN, is_growth=strength > 0)
    part = sqrt(min(1.0, abs(strength)))
    return blended(color, neutral, _FAINTEST_ARROW + (1 - _FAINTEST_ARROW) * part)


# -------------------------------------------------------------------- contrast


_row_colors = FewKept[tuple[int, int, RowGround], QColor]()  # by colour, palette and ground


def _on_rows(color: QColor, palette: QPalette, ground: RowGround) -> QColor:
    """Return the colour, made stronger until it can be seen on all rows of this kind."""
    key = color.rgb(), palette.cacheKey(), ground
    if (known := _row_colors.get(key)) is None:
        known = _row_colors.keep(key, _seen_on_rows(color, palette, ground))
    return known


def _seen_on_rows(color: QColor, palette: QPalette, ground: RowGround) -> QColor:
    if ground is RowGround.ACTIVE:
        text, rows = palette.color(_ROLE.HighlightedText), [palette.color(_ROLE.Highlight)]
    else:
        text = palette.color(_ROLE.Text)
        rows = [palette.color(_ROLE.Base), palette.color(_ROLE.AlternateBase)]
        is_tinted = ground is RowGround.TINTED
        colors = (selection_color, marked_color) if is_tinted else (pointed_color,)
        rows += [row_color(palette) for row_color in colors]
    return seen_on(color, text, *rows)


def seen_on(color: QColor, text: QColor, *grounds: QColor) -> QColor:
    """Return the colour with as much of the text's as it needs to be seen on all these grounds."""
    return _strengthened(color.rgb(), text.rgb(), *(ground.rgb() for ground in grounds))


@lru_cache(maxsize=256)
def _strengthened(color: int, text: int, *rows: int) -> QColor:
    for step in range(_STEPS + 1):
        blend = QColor(blended(QColor(text), QColor(color), step / _STEPS).rgb())  # in 8 bits
        if all(contrast(blend, QColor(row)) >= MIN_CONTRAST for row in rows):
            return blend
    return QColor(text)


@lru_cache(maxsize=8)
def _legible(color: int, behind: int, text: int) -> QColor:
    """Return the strongest blend of a colour with what is behind it that has contrast to a text."""
    for step in range(_STEPS, 0, -1):
        blend = blended(QColor(color), QColor(behind), step / _STEPS)
        if contrast(blend, QColor(text)) >= MIN_TEXT_CONTRAST:
            return blend
    return QColor(behind)


def contrast(first: QColor, second: QColor) -> float:
    """Return the contrast of two opaque colours, from 1 to 21, as WCAG 2 defines it."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: QColor) -> float:
    red, green, blue = map(_linear, (color.redF(), color.greenF(), color.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
