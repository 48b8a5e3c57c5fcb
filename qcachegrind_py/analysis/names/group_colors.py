"""Colours of groups: one hue for each, all of equal lightness, and shades of it for functions.

A group has the hue of its name, the same in every profile, unless it is one of the costliest: these
move to hues that are told apart at a glance. Red, green and blue are fractions from 0 to 1.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable

from qcachegrind_py.analysis.names.function_names import NO_CYCLE
from qcachegrind_py.analysis.names.syntax import GLOBAL
from qcachegrind_py.profile.tables import UNKNOWN

Rgb = tuple[float, float, float]
GroupHues = tuple[tuple[str, float], ...]  # names of groups with their hues in degrees

HUE_COUNT = 12  # hues that are far apart
NO_GROUPS = frozenset((GLOBAL, NO_CYCLE, UNKNOWN, ""))  # drawn in grey
_LIGHTNESS = 0.7  # in OKLab: legible on light and dark
_CHROMA = 0.13
_HUES = 360
_HUE_STEP = 137.508  # degrees (golden angle): consecutive numbers get very different hues
_SHADES = 5  # of the functions of a group
_LIGHTER = 0.025  # difference between their lightnesses
_CYCLE = re.compile(r"<cycle (\d{1,9})>")


def hue_of_name(group: str) -> float:
    cycle = _CYCLE.fullmatch(group)
    return (int(cycle[1]) if cycle else _stable_hash(group)) * _HUE_STEP % _HUES


def distinct_hues(groups: Iterable[str]) -> GroupHues:
    """Give up to `HUE_COUNT` groups hues that are far apart, each near that of its name.

    The hues depend on which groups these are, and not on their order.
    """
    free, apart = list(range(HUE_COUNT)), _HUES / HUE_COUNT
    hues = []
    for group in sorted(set(groups) - NO_GROUPS)[:HUE_COUNT]:
        wanted = hue_of_name(group) / apart
        place = min(free, key=lambda hue: abs((hue - wanted + 6) % HUE_COUNT - 6))
        free.remove(place)
        hues.append((group, place * apart))
    return tuple(hues)


def group_rgb(group: str, hue: float | None = None) -> Rgb:
    """Return the colour of a group; without a hue, that of its name."""
    return _rgb(_LIGHTNESS, group, hue)


def shade_rgb(group: str, function: str, hue: float | None = None) -> Rgb:
    """Return the colour of a group, slightly lighter or darker for the function."""
    return _rgb(_LIGHTNESS + _LIGHTER * shade_step(function), group, hue)


def shade_step(function: str) -> int:
    """Return by how many steps a function is lighter than its group, from -2 to 2."""
    return _stable_hash(function) % _SHADES - _SHADES // 2


def _stable_hash(name: str) -> int:
    return zlib.crc32(name.encode("utf-8", "replace"))


def _rgb(lightness: float, group: str, hue: float | None) -> Rgb:
    """Convert from OKLCh, in which equal lightness looks equally light (Ottosson 2020)."""
    chroma = 0.0 if group in NO_GROUPS else _CHROMA
    angle = math.radians(hue_of_name(group) if hue is None else hue)
    a, b = chroma * math.cos(angle), chroma * math.sin(angle)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    red, green, blue = map(_srgb_encoded, linear)
    return red, green, blue


def _srgb_encoded(part: float) -> float:
    """Encode a linear component for sRGB."""
    part = min(1.0, max(0.0, part))
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055
