"""The functions that a user means by a text: a name, a pattern, a place, or a number in a list.

- A name as recorded or as it is shown, or one without parameters: `Tree::grow` for
  `Tree::grow(int)`, if that is the only one. A name that exists is no pattern.
- `main.c:grow` and `prog:grow` for the function of this file or object, `main.c:42` for the
  functions with code in this line.
- `Tree::*`, with `*`, `?` and `[…]`, for all functions whose names fit.
- Where several functions have a name, or none has and some are similar, these are listed with
  numbers, the costliest first; `grow#2` is the second of the list.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.names.function_names import FunctionNames, base_name
from qcachegrind_py.analysis.names.syntax import name_within, name_without_parameters
from qcachegrind_py.profile.errors import NotOneFunction
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import FunctionId, function_id, function_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, StringTable

_NUMBERED = re.compile(r"(.+)#([1-9][0-9]{0,8})", re.DOTALL)
_WILDCARDS = "*?["
_MOST_SPELLINGS = 5000  # of the costliest functions, with which a misspelt name is compared
_LIKENESS = 0.7  # of a misspelt name
_SHORT = 40  # characters of a name in a line that has several


class NamedFunctions:
    """Finds functions by what users type; raises `NotOneFunction` with what they may mean."""

    def __init__(
        self,
        profile: Profile,
        readable: StringTable,
        costs: CostArray,
        folded: BoolArray | None = None,
    ) -> None:
        """`readable` are the texts as shown, `costs` order the lists, `folded` are not found."""
        self._profile = profile
        self._recorded = FunctionNames(profile)
        self._names = FunctionNames(profile, readable)
        self._costs = costs
        self._folded = folded

    def is_pattern(self, text: str) -> bool:
        """Return whether the text may stand for several functions."""
        return any(each in text for each in _WILDCARDS) and not self._with_name(text)

    def one(self, text: str, places: Sequence[str] = ()) -> FunctionId:
        """Return the one function that the text means, in all these files or objects."""
        found = self.all(text, places)
        if len(found) == 1:
            return found[0]
        found = self._costliest_first(found)
        raise self._ambiguous(f"{len(found):,} functions match {text}", text, found)

    def all(
        self, text: str, places: Sequence[str] = (), listed: Iterable[FunctionId] | None = None
    ) -> list[FunctionId]:
        """Return the functions that the text means: several of a pattern or of a line only.

        Those of a pattern are among `listed`, by default all, and in that order.
        """
        if same_name := self._with_name(text):
            return [self._chosen(text, same_name, places)]
        if numbered := _NUMBERED.fullmatch(text):
            return [self._numbered(numbered[1], int(numbered[2]), places)]
        for colon in re.finditer(":", text):
            place, name = text[: colon.start()], text[colon.end() :]
            if not self._is_known_place(place):
                continue
            if name.isdecimal():
                return self._at_line(text, place, int(name))
            return self.all(name, (*places, place), listed)
        if any(each in text for each in _WILDCARDS):
            return self._matching(text, places, listed)
        raise self._unknown(text, self._similar(text))

    # ---------------------------------------------------------------- names

    def _with_name(self, text: str) -> list[FunctionId]:
        """Return the functions of this name: as recorded, as shown, or without parameters."""
        if found := self._recorded.with_name(text):
            return found
        if not text:
            return []
        candidates = function_ids(np.flatnonzero(self._names.containing(text)))
        names = {each: self._names.name(each) for each in candidates}
        exact = [each for each, name in names.items() if name == text]
        return exact or [
            each for each, name in names.items() if text == name_without_parameters(name)
        ]

    def _chosen(self, text: str, same_name: list[FunctionId], places: Sequence[str]) -> FunctionId:
        """Return the one function of a name that is in these places, and not folded."""
        located = [each for each in same_name if self._is_in(each, places)]
        if not located:
            reason = f"No function {text} is in {' and '.join(places)}."
            raise self._error(text, reason, self._costliest_first(same_name), "There are")
        there = [each for each in located if self._folded is None or not self._folded[each]]
        if not there:
            reason = f"{text} is folded: its costs are those of the functions that called it."
            raise NotOneFunction(text, reason)
        if len(there) > 1:
            there = self._costliest_first(there)
            raise self._ambiguous(f"{len(there):,} functions are called {text}", text, there)
        return there[0]

    def _numbered(self, text: str, number: int, places: Sequence[str]) -> FunctionId:
        """Return a function by its number in the list that the text alone gives."""
        try:
            found = self._costliest_first(self.all(text, places))
        except NotOneFunction as error:
            found = list(map(function_id, error.functions))
            if not found:
                raise
        if number > len(found):
            raise NotOneFunction(text, f"There is no {text}#{number}: {len(found):,} match {text}.")
        return found[number - 1]

    def _matching(
        self, pattern: str, places: Sequence[str], listed: Iterable[FunctionId] | None
    ) -> list[FunctionId]:
        fits = re.compile(fnmatch.translate(pattern)).match
        every = function_ids(np.arange(len(self._names)))
        found = [
            each
            for each in (every if listed is None else listed)
            if any(map(fits, self._spellings(each)))
            and self._is_in(each, places)
            and not (self._folded is not None and self._folded[each])
        ]
        if not found:
            similar = self._similar(re.sub(r"[][*?]", "", pattern))
            raise self._unknown(pattern, similar, f"No function matches {pattern}.")
        return found

    def _spellings(self, function: FunctionId) -> Iterator[str]:
        yield self._recorded.name(function)
        name = self._names.name(function)
        yield name
        yield name_without_parameters(name)

    # ---------------------------------------------------------------- places

    def _is_in(self, function: FunctionId, places: Sequence[str]) -> bool:
        paths = self._recorded.file(function), self._recorded.object(function)
        return all(any(_is_place(path, place) for path in paths) for place in places)

    def _is_known_place(self, place: str) -> bool:
        """Return whether the place is a file or an object of the profile."""
        return place != "" and any(_is_place(path, place) for path in self._paths)

    @cached_property
    def _paths(self) -> set[str]:
        functions, texts = self._profile.functions, self._profile.texts
        numbers = np.concatenate((functions.file, functions.object, self._profile.runs.file))
        return set(texts.lookup(np.unique(numbers).tolist()))

    def _at_line(self, text: str, place: str, line: int) -> list[FunctionId]:
        """Return the functions with costs in a line of a file, costliest first."""
        runs, texts = self._profile.runs, self._profile.texts
        files = np.unique(runs.file)
        of_place = files[[_is_place(path, place) for path in texts.lookup(files.tolist())]]
        rows = np.flatnonzero(self._profile.costs.line == line)
        run = np.searchsorted(runs.start, rows, side="right") - 1
        run = run[np.isin(runs.file[run], of_place)]
        if not len(run):
            raise NotOneFunction(text, f"No function has costs in {text}.")
        return self._costliest_first(function_ids(np.unique(runs.function[run])))

    # ---------------------------------------------------------------- what may be meant

    def _similar(self, text: str) -> list[FunctionId]:
        """Return the functions with the text in their names, or else with names spelt alike."""
        if (containing := self._names.containing(text)).any():
            return self._costliest_first(function_ids(np.flatnonzero(containing)))
        costliest = self._costliest_first(function_ids(np.arange(len(self._names))))
        spelt = dict[str, list[FunctionId]]()
        for each in costliest[:_MOST_SPELLINGS]:
            name = self._names.name(each)
            for spelling in {name, name_without_parameters(name)}:
                spelt.setdefault(spelling, []).append(each)
        near = get_close_matches(text, spelt, 5, _LIKENESS)
        return list(dict.fromkeys(each for name in near for each in spelt[name]))

    def _costliest_first(self, functions: Sequence[FunctionId]) -> list[FunctionId]:
        return sorted(functions, key=lambda each: -self._costs[each])

    def _ambiguous(self, reason: str, text: str, functions: list[FunctionId]) -> NotOneFunction:
        reason = f"{reason}; choose one by its number, such as {text}#1:"
        return self._error(text, reason, functions)

    def _unknown(self, text: str, similar: list[FunctionId], reason: str = "") -> NotOneFunction:
        reason = reason or f"There is no function {text}."
        return self._error(text, reason, similar, "Similar")

    def _error(
        self, text: str, reason: str, functions: list[FunctionId], relation: str = ""
    ) -> NotOneFunction:
        names = self._names
        candidates = [
            (
                name_within(names.name(each), _SHORT) if relation else names.name(each),
                names.file(each),
                names.object(each),
            )
            for each in functions
        ]
        return NotOneFunction(text, reason, functions, candidates, relation)


def _is_place(path: str, place: str) -> bool:
    """Return whether a place is a path, or its last components."""
    path, place = path.replace("\\", "/"), place.replace("\\", "/")
    return path == place or path.endswith("/" + place.lstrip("/")) or base_name(path) == place
