"""Names of functions as people read and search them: decoded, placed, ranked, found."""

from __future__ import annotations

import re
from enum import Enum
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.search.fuzzy import FuzzySearch
from qcachegrind_py.analysis.search.text_column import TextColumn
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, function_ids, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import UNKNOWN, StringTable, to_display
from qcachegrind_py.profile.tables import BoolArray, Int64Array


class NameColumn(Enum):
    """Which of a function's names is searched."""

    NAME = "name"
    FILE = "file"
    OBJECT = "object"


class FunctionNames:
    """The names of all functions of a profile, each list made when it is first needed."""

    def __init__(self, profile: Profile, texts: StringTable | None = None) -> None:
        """`texts` are shown and searched instead of the recorded ones, where they are given."""
        self._functions = profile.functions
        self._recorded = profile.texts
        self._texts = texts or profile.texts

    def __len__(self) -> int:
        return len(self._functions)

    def name(self, function: FunctionId) -> str:
        """The name, as text that can be shown."""
        return to_display(self._texts[text_at(self._functions.name, function)])

    def file(self, function: FunctionId) -> str:
        """The path of the source file the function is of."""
        return to_display(self._texts[text_at(self._functions.file, function)])

    def object(self, function: FunctionId) -> str:
        """The path of the program or library the function is of."""
        return to_display(self._texts[text_at(self._functions.object, function)])

    def location(self, function: FunctionId) -> str:
        """Where the function is, in short: object and file without folders."""
        object_, file = self.object(function), self.file(function)
        known = [base_name(path) for path in (object_, file) if path != UNKNOWN]
        return ": ".join(known) or UNKNOWN

    def with_name(self, name: str) -> list[FunctionId]:
        """The functions of exactly this name, as it was recorded."""
        number = self._recorded.index_of(name)
        return function_ids(np.flatnonzero(self._functions.name == number))

    def identity(self, function: FunctionId) -> tuple[str, str, str]:
        """Name, file and object as they were recorded: what another run has it under, too."""
        columns = (self._functions.name, self._functions.file, self._functions.object)
        name, file, object_ = (self._recorded[text_at(column, function)] for column in columns)
        return name, file, object_

    def find(self, name: str, file: str, object_: str) -> FunctionId:
        """The function that is called and placed like this; -1 for none."""
        return next(
            (f for f in self.with_name(name) if self.identity(f) == (name, file, object_)),
            NO_FUNCTION,
        )

    @cached_property
    def name_ranks(self) -> Int64Array:
        """The place of each function in order of its name."""
        return self._names.ranks()

    @cached_property
    def location_ranks(self) -> Int64Array:
        """The place of each function in order of its location."""
        functions = self._functions
        keys = functions.object.astype(np.int64) * len(self._texts) + functions.file
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        return ranks([self.location(function).lower() for function in function_ids(first)])[place]

    def containing(self, text: str, of: NameColumn = NameColumn.NAME) -> BoolArray:
        """Which names contain the text, in upper or lower case."""
        return self.column(of).containing(text)

    def matching(
        self, pattern: str | re.Pattern[str], of: NameColumn = NameColumn.NAME
    ) -> BoolArray:
        """In which names the regular expression finds something; raises `re.error`.

        A compiled one must have been compiled with MULTILINE.
        """
        flags = re.IGNORECASE | re.MULTILINE
        compiled = re.compile(pattern, flags) if isinstance(pattern, str) else pattern
        return self.column(of).matching(compiled)

    def distinct(self, of: NameColumn) -> tuple[list[str], Int64Array]:
        """The different names of one kind, as they are shown, and which each function has."""
        number = {
            NameColumn.NAME: self._functions.name,
            NameColumn.FILE: self._functions.file,
            NameColumn.OBJECT: self._functions.object,
        }[of]
        used, first, place = np.unique(number, return_index=True, return_inverse=True)
        order = np.argsort(first)  # by the first function that has it
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        return [to_display(self._texts[text]) for text in text_ids(used[order])], rank[place]

    def column(self, of: NameColumn) -> TextColumn:
        """All names of one kind, to be searched."""
        match of:
            case NameColumn.NAME:
                return self._names
            case NameColumn.FILE:
                return self._files
            case NameColumn.OBJECT:
                return self._objects

    @cached_property
    def fuzzy_search(self) -> FuzzySearch:
        """The search by a few letters."""
        return FuzzySearch(self._texts, self._functions.name)

    @cached_property
    def _names(self) -> TextColumn:
        return TextColumn(self._texts, self._functions.name)

    @cached_property
    def _files(self) -> TextColumn:
        return TextColumn.from_texts(self._texts, self._functions.file)

    @cached_property
    def _objects(self) -> TextColumn:
        return TextColumn.from_texts(self._texts, self._functions.object)


def base_name(path: str) -> str:
    """The last part of a path of any system."""
    return path.replace("\\", "/").rpartition("/")[2] or path


def ranks(texts: list[str]) -> Int64Array:
    """The place of each text in sorted order; equal ones have the same."""
    place = {text: rank for rank, text in enumerate(sorted(set(texts)))}
    return np.fromiter((place[text] for text in texts), np.int64, len(texts))
