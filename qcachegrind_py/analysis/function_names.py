"""Names of functions as people read and search them: decoded, placed, ranked, found.

The class of a function is the scope its name stands in: what is before the last `::` outside of
brackets, or `Global`.
"""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from qcachegrind_py.profile.names import UNKNOWN, clean
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_SORTED_PREFIX = 64


class FunctionNames:
    """The names of all functions of a profile, each list made when it is first needed."""

    def __init__(self, profile: Profile) -> None:
        self._functions = profile.functions
        self._texts = profile.texts

    def __len__(self) -> int:
        return len(self._functions)

    def name(self, function: int) -> str:
        """The name, as text that can be shown."""
        return clean(self._texts[int(self._functions.name[function])])

    def file(self, function: int) -> str:
        """The path of the source file the function is of."""
        return clean(self._texts[int(self._functions.file[function])])

    def object(self, function: int) -> str:
        """The path of the program or library the function is of."""
        return clean(self._texts[int(self._functions.object[function])])

    def location(self, function: int) -> str:
        """Where the function is, in short: object and file without folders."""
        object_, file = self.object(function), self.file(function)
        known = [base_name(path) for path in (object_, file) if path != UNKNOWN]
        return ": ".join(known) or UNKNOWN

    def named(self, name: str) -> list[int]:
        """The functions of exactly this name."""
        number = self._texts.number_of(name)
        functions: list[int] = np.flatnonzero(self._functions.name == number).tolist()
        return functions

    @cached_property
    def lowered(self) -> list[str]:
        """All names in lower case."""
        unique = [clean(self._texts[text]).lower() for text in range(len(self._texts))]
        return [unique[text] for text in self._functions.name.tolist()]

    @cached_property
    def name_ranks(self) -> Int64Array:
        """The place of each function in order of its name."""
        return ranks(self.lowered)

    @cached_property
    def location_ranks(self) -> Int64Array:
        """The place of each function in order of its location."""
        return ranks([self.location(function).lower() for function in range(len(self))])

    def containing(self, text: str) -> BoolArray:
        """Which names contain the text, in upper or lower case."""
        text = text.lower()
        return np.fromiter((text in name for name in self.lowered), bool, len(self))

    def matching(self, pattern: re.Pattern[str]) -> BoolArray:
        """In which names the regular expression finds something."""
        search = pattern.search
        return np.fromiter((search(name) is not None for name in self.lowered), bool, len(self))


def base_name(path: str) -> str:
    """The last part of a path of any system."""
    return re.split(r"[/\\]", path)[-1] or path


def ranks(texts: list[str]) -> Int64Array:
    """The place of each text in sorted order; equal ones keep their order.

    Sorting 160,000 Python strings in one go would hold the interpreter for 150 ms, in which no
    window is drawn: numpy sorts prefixes without holding it, and only what they leave open is
    sorted here.
    """
    prefixes = np.array([t[:_SORTED_PREFIX].encode() for t in texts], f"S{_SORTED_PREFIX}")
    order = np.argsort(prefixes, kind="stable")
    ordered = prefixes[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    stops = np.append(starts[1:], len(texts))
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        if stop - start > 1 and len(ordered[start]) == _SORTED_PREFIX:
            order[start:stop] = sorted(order[start:stop].tolist(), key=texts.__getitem__)
    places = np.empty(len(texts), np.int64)
    places[order] = np.arange(len(texts))
    return places
