"""Names of functions as people read and search them: decoded, placed, ranked, found."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.text_search import TextSearch
from qcachegrind_py.profile.names import UNKNOWN, clean
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array


class FunctionNames:
    """The names of all functions of a profile, each list made when it is first needed."""

    def __init__(self, profile: Profile) -> None:
        self._functions = profile.functions
        self._texts = profile.texts
        self._search = TextSearch(profile.texts)

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

    def like(self, others: FunctionNames, function: int) -> int:
        """The function that is called and placed as this one of another profile; -1 for none."""
        wanted = others.file(function), others.object(function)
        named = self.named(others._texts[int(others._functions.name[function])])
        return next((f for f in named if (self.file(f), self.object(f)) == wanted), -1)

    @cached_property
    def name_ranks(self) -> Int64Array:
        """The place of each function in order of its name."""
        return self._search.ranks()[self._functions.name]

    @cached_property
    def location_ranks(self) -> Int64Array:
        """The place of each function in order of its location."""
        functions = self._functions
        keys = functions.object.astype(np.int64) * len(self._texts) + functions.file
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        return ranks([self.location(function).lower() for function in first.tolist()])[place]

    def containing(self, text: str) -> BoolArray:
        """Which names contain the text, in upper or lower case."""
        return self._search.containing(text)[self._functions.name]

    def matching(self, pattern: str) -> BoolArray:
        """In which names the regular expression finds something; raises `re.error`."""
        compiled = re.compile(pattern, re.IGNORECASE | re.MULTILINE)
        return self._search.matching(compiled)[self._functions.name]


def base_name(path: str) -> str:
    """The last part of a path of any system."""
    return path.replace("\\", "/").rpartition("/")[2] or path


def ranks(texts: list[str]) -> Int64Array:
    """The place of each text in sorted order; equal ones have the same."""
    place = {text: rank for rank, text in enumerate(sorted(set(texts)))}
    return np.fromiter((place[text] for text in texts), np.int64, len(texts))
