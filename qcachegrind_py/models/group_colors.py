"""One colour a group, the same in every view: from the group's name, even in lightness."""

from __future__ import annotations

import math
import re
import zlib
from functools import lru_cache

from PySide6.QtGui import QColor

from qcachegrind_py.analysis.class_names import GLOBAL
from qcachegrind_py.analysis.groups import NO_CYCLE, Groups
from qcachegrind_py.profile.names import UNKNOWN

_LIGHTNESS = 0.68  # of OKLab: seen on light and dark
_CHROMA = 0.13
_HUES = 360
_APART = 137.508  # degrees: numbers that follow each other get hues that are far apart
_NEAR = 7.0  # degrees between the hues of functions of a group
_LIGHTER = 0.022  # between their lightnesses
_GREYISH = 0.05  # of a function that is in no group
_NO_GROUPS = {GLOBAL, NO_CYCLE, UNKNOWN, ""}  # what is in no group has no colour
_CYCLE = re.compile(r"<cycle (\d{1,9})>")


class GroupColors:
    """The colours of the entries of one grouping."""

    def __init__(self, groups: Groups) -> None:
        self._groups = groups

    def color(self, entry: int) -> QColor:
        """The colour of the group that the entry is of."""
        return group_color(self._groups.names[int(self._groups.of_entry[entry])])


@lru_cache(1024)
def group_color(name: str) -> QColor:
    """The colour of a group of this name."""
    if name in _NO_GROUPS:
        return _color(_LIGHTNESS, 0, 0)
    return _color(_LIGHTNESS, _CHROMA, math.radians(_hue(name)))


@lru_cache(16384)
def shade(group: str, function: str) -> QColor:
    """A colour near the group's, of this function: to be found again among those of its group."""
    number = _number(function)
    lightness = _LIGHTNESS + _LIGHTER * (number % 5 - 2)
    if group in _NO_GROUPS:
        return _color(lightness, _GREYISH, math.radians(number * _APART % _HUES))
    hue = _hue(group) + _NEAR * (number // 5 % 7 - 3)
    return _color(lightness, _CHROMA, math.radians(hue))


def mixed(color: QColor, base: QColor, opacity: float) -> QColor:
    """The colour as it is seen through on a background, without being transparent."""
    over = color.redF(), color.greenF(), color.blueF()
    under = base.redF(), base.greenF(), base.blueF()
    parts = zip(over, under, strict=True)
    return QColor.fromRgbF(*(opacity * one + (1 - opacity) * other for one, other in parts))


def _hue(name: str) -> float:
    cycle = _CYCLE.fullmatch(name)
    return (int(cycle[1]) if cycle else _number(name)) * _APART % _HUES


def _number(name: str) -> int:
    return zlib.crc32(name.encode("utf-8", "replace"))


def _color(lightness: float, chroma: float, hue: float) -> QColor:
    """A colour of OKLCh, in which equal lightness looks equally light (Ottosson 2020)."""
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return QColor.fromRgbF(*(_encoded(part) for part in linear))


def _encoded(part: float) -> float:
    """A linear component as sRGB has it."""
    part = min(1.0, max(0.0, part))
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055
