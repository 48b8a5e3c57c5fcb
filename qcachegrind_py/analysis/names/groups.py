"""Groups of functions by object, file, class or cycle, and their colours.

The self cost of a group is the sum over its functions. Groups have no inclusive cost, since it
would count nested calls repeatedly. The class of a function is the enclosing scope in its name.
Colours of groups and functions are derived from names, all of equal lightness; red, green and blue
are fractions from 0 to 1.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

import numpy as np

from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.names.function_names import FunctionNames, NameColumn
from qcachegrind_py.analysis.names.syntax import GLOBAL, class_of
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int32Array, Int64Array

NO_CYCLE = "(no cycle)"
_NAMES_PER_CHECK = 2000  # some 20 ms


class Grouping(Enum):
    """The criterion by which functions are grouped."""

    NONE = "none"
    OBJECT = "object"
    FILE = "file"
    CLASS = "class"
    CYCLE = "cycle"


GROUPING_TITLES = {  # in the order of menus
    Grouping.NONE: "No Grouping",
    Grouping.OBJECT: "Object",
    Grouping.FILE: "Source File",
    Grouping.CLASS: "Class",
    Grouping.CYCLE: "Cycle",
}


@frozen
class Groups:
    """The groups, one row each, in order of their first function; cycles in order of number.

    A grouping by cycle begins with the group of functions in no cycle.
    """

    names: tuple[str, ...]
    group_of_node: Int64Array  # row of each node's group

    def __len__(self) -> int:
        return len(self.names)

    def sums(self, self_cost: Int64Array, functions: int) -> Int64Array:
        """Sum the self costs, shape (…, nodes), over the functions of each group."""
        return sums_by_group(self_cost[..., :functions], self.group_of_node[:functions], len(self))

    def counts(self, shown: BoolArray | None, functions: int) -> Int64Array:
        """Count the functions of each group in the mask `shown`, or all if it is None."""
        group_of_function = self.group_of_node[:functions]
        chosen = group_of_function if shown is None else group_of_function[shown[:functions]]
        return np.bincount(chosen, minlength=len(self)).astype(np.int64)


def group_functions(
    names: FunctionNames, grouping: Grouping, progress: Progress | None = None
) -> Groups:
    """Group all functions by object, file or class; `Grouping.NONE` gives a single group.

    Raises `Cancelled` if `progress` is cancelled, which classes of many names are slow enough for.
    """
    match grouping:
        case Grouping.OBJECT:
            return _groups_by_name(names.distinct(NameColumn.OBJECT))
        case Grouping.FILE:
            return _groups_by_name(names.distinct(NameColumn.FILE))
        case Grouping.CLASS:
            texts, number = names.distinct(NameColumn.NAME)
            return _groups_by_name((_classes(texts, progress or NoProgress()), number))
        case _:
            return Groups(("",), np.zeros(len(names), np.int64))


def _classes(names: Sequence[str], progress: Progress) -> Iterator[str]:
    for begin in range(0, len(names), _NAMES_PER_CHECK):
        progress.check(begin / len(names))
        yield from map(class_of, names[begin : begin + _NAMES_PER_CHECK])


def cycle_groups(cycle: Int32Array, functions: int) -> Groups:
    """Group all nodes by cycle; `cycle` has the cycle number of each node, 0: none."""
    count = len(cycle) - functions
    names = (NO_CYCLE, *(f"<cycle {number}>" for number in range(1, count + 1)))
    return Groups(names, cycle.astype(np.int64))


def _groups_by_name(named: tuple[Iterable[str], Int64Array]) -> Groups:
    """Build groups from distinct names and the index of each function's name; equal names merge."""
    texts, number = named
    rows: dict[str, int] = {}
    row_of_text = np.array([rows.setdefault(text, len(rows)) for text in texts], np.int64)
    return Groups(tuple(rows), row_of_text[number])


# ---------------------------------------------------------------- colours

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
