"""Colours of groups and functions: derived from names, all of equal lightness.

Red, green and blue are fractions from 0 to 1.
"""

from __future__ import annotations

import math
import re
import zlib

from qcachegrind_py.analysis.names.class_names import GLOBAL
from qcachegrind_py.analysis.names.groups import NO_CYCLE
from qcachegrind_py.profile.string_table import UNKNOWN

Rgb = tuple[float, float, float]

_LIGHTNESS = 0.68  # in OKLab: legible on light and dark
_CHROMA = 0.13
_HUES = 360
_HUE_STEP = 137.508  # degrees (golden angle): consecutive numbers get very different hues
_SHADE_STEP = 7.0  # degrees between the hues of functions in a group
_LIGHTER = 0.022  # difference between their lightnesses
_GREYISH = 0.05  # chroma of functions without a group
_NO_GROUPS = {GLOBAL, NO_CYCLE, UNKNOWN, ""}  # drawn in grey
_CYCLE = re.compile(r"<cycle (\d{1,9})>")


def group_rgb(name: str) -> Rgb:
    """Return the colour of a group by name."""
    if name in _NO_GROUPS:
        return _rgb(_LIGHTNESS, 0, 0)
    return _rgb(_LIGHTNESS, _CHROMA, math.radians(_hue(name)))


def shade_rgb(group: str, function: str) -> Rgb:
    """Return a shade of the group's colour that tells the function from others in the group."""
    number = _stable_hash(function)
    lightness = _LIGHTNESS + _LIGHTER * shade_step(function)
    if group in _NO_GROUPS:
        return _rgb(lightness, _GREYISH, math.radians(number * _HUE_STEP % _HUES))
    hue = _hue(group) + _SHADE_STEP * (number // 5 % 7 - 3)
    return _rgb(lightness, _CHROMA, math.radians(hue))


def shade_step(function: str) -> int:
    """Return by how many steps a function is lighter than its group, from -2 to 2."""
    return _stable_hash(function) % 5 - 2


def _hue(name: str) -> float:
    cycle = _CYCLE.fullmatch(name)
    return (int(cycle[1]) if cycle else _stable_hash(name)) * _HUE_STEP % _HUES


def _stable_hash(name: str) -> int:
    return zlib.crc32(name.encode("utf-8", "replace"))


def _rgb(lightness: float, chroma: float, hue: float) -> Rgb:
    """Convert from OKLCh, in which equal lightness looks equally light (Ottosson 2020)."""
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
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
