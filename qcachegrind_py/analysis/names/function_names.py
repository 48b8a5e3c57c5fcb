"""Function names as shown to users: decoding, locations, sort order and search."""

from __future__ import annotations

import re
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qcachegrind_py.analysis.search.text_column import TextColumn
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    UNKNOWN_TEXT,
    FunctionId,
    function_ids,
    text_at,
    text_ids,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import UNKNOWN, StringTable
from qcachegrind_py.profile.tables import BoolArray, Int64Array

if TYPE_CHECKING:
    from qcachegrind_py.analysis.search.fuzzy import FuzzySearch


class NameColumn(Enum):
    """The names of a function that can be searched."""

    NAME = "name"
    FILE = "file"
    OBJECT = "object"


class FunctionNames:
    """The names of all functions of a profile; indexes for search and sorting are built lazily.

    Bytes that are not UTF-8 are lone surrogates. `visible_text` shows names to people.
    """

    def __init__(self, profile: Profile, texts: StringTable | None = None) -> None:
        """Use `texts`, if any, instead of the recorded ones for display and search."""
        self._functions = profile.functions
        self._runs = profile.runs
        self._recorded = profile.texts
        self._texts = texts or profile.texts

    def __len__(self) -> int:
        return len(self._functions)

    def name(self, function: FunctionId) -> str:
        """Return the name, readable where it was mangled."""
        return self._texts[text_at(self._functions.name, function)]

    def file(self, function: FunctionId) -> str:
        """Return the path of the function's source file."""
        return self._texts[text_at(self._functions.file, function)]

    def inlined_files(self, function: FunctionId) -> list[str]:
        """Return the paths of the other source files with code of the function, sorted."""
        files = np.unique(self._runs.file[self._runs.function == function])
        own = text_at(self._functions.file, function)
        others = (file for file in text_ids(files) if file not in (own, UNKNOWN_TEXT))
        return sorted(self._texts[file] for file in others)

    def object(self, function: FunctionId) -> str:
        """Return the path of the function's program or library."""
        return self._texts[text_at(self._functions.object, function)]

    def location(self, function: FunctionId) -> str:
        """Return the short location of the function: object and file without folders."""
        object_, file = self.object(function), self.file(function)
        known = [base_name(path) for path in (object_, file) if path != UNKNOWN]
        return ": ".join(known) or UNKNOWN

    def with_name(self, name: str) -> list[FunctionId]:
        """Return the functions with exactly this recorded name."""
        number = self._recorded.index_of(name)
        return function_ids(np.flatnonzero(self._functions.name == number))

    def identity(self, function: FunctionId) -> tuple[str, str, str]:
        """Return name, file and object as recorded, which identify the function across runs."""
        columns = (self._functions.name, self._functions.file, self._functions.object)
        name, file, object_ = (self._recorded[text_at(column, function)] for column in columns)
        return name, file, object_

    def find(self, name: str, file: str, object_: str) -> FunctionId:
        """Return the function with this identity, or `NO_FUNCTION`."""
        return next(
            (f for f in self.with_name(name) if self.identity(f) == (name, file, object_)),
            NO_FUNCTION,
        )

    @cached_property
    def name_ranks(self) -> Int64Array:
        """The rank of each function by name, shape (functions,)."""
        return self._names.ranks()

    @cached_property
    def location_ranks(self) -> Int64Array:
        """The rank of each function by location, shape (functions,)."""
        functions = self._functions
        keys = functions.object.astype(np.int64) * len(self._texts) + functions.file
        _, first, location = np.unique(keys, return_index=True, return_inverse=True)
        return ranks([self.location(function).lower() for function in function_ids(first)])[
            location
        ]

    def containing(self, text: str, of: NameColumn = NameColumn.NAME) -> BoolArray:
        """Return the mask of functions whose name contains the text, ignoring case."""
        return self.column(of).containing(text)

    def found_by(self, text: str) -> BoolArray:
        """Return the mask of functions whose name a search finds; `*` is any characters."""
        return self._names.found_by(text)

    def matching(
        self, pattern: str | re.Pattern[str], of: NameColumn = NameColumn.NAME
    ) -> BoolArray:
        """Return the mask of functions whose name matches the regular expression anywhere.

        A compiled pattern must have the flag MULTILINE. Raises `re.error` if a string is invalid.
        """
        flags = re.IGNORECASE | re.MULTILINE
        compiled = re.compile(pattern, flags) if isinstance(pattern, str) else pattern
        return self.column(of).matching(compiled)

    def distinct(self, of: NameColumn) -> tuple[list[str], Int64Array]:
        """Return the distinct names of one kind, and the index of each function's."""
        number = {
            NameColumn.NAME: self._functions.name,
            NameColumn.FILE: self._functions.file,
            NameColumn.OBJECT: self._functions.object,
        }[of]
        used, first, place = np.unique(number, return_index=True, return_inverse=True)
        order = np.argsort(first)  # by first occurrence
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        return self._texts.lookup(text_ids(used[order])), rank[place]

    def column(self, of: NameColumn) -> TextColumn:
        """Return the searchable column of one kind of names."""
        match of:
            case NameColumn.NAME:
                return self._names
            case NameColumn.FILE:
                return self._files
            case NameColumn.OBJECT:
                return self._objects

    @cached_property
    def fuzzy_search(self) -> FuzzySearch:
        """The fuzzy search over function names."""
        from qcachegrind_py.analysis.search.fuzzy import FuzzySearch

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
    """Return the last component of a path, of any operating system."""
    return path.replace("\\", "/").rpartition("/")[2] or path


def ranks(texts: list[str]) -> Int64Array:
    """Return the rank of each text in sorted order, shape (texts,); equal texts share a rank."""
    rank_of = {text: rank for rank, text in enumerate(sorted(set(texts)))}
    return np.fromiter((rank_of[text] for text in texts), np.int64, len(texts))
