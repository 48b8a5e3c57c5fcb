"""Names of functions and cycles as shown to users, and groups by object, file, class or cycle.

The self cost of a group is the sum over its functions. Groups have no inclusive cost, since it
would count nested calls repeatedly. The class of a function is the enclosing scope in its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qcachegrind_py.analysis.code.function_files import files_of_functions
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.names.syntax import class_of, without_template_arguments
from qcachegrind_py.analysis.names.text_search import TextColumn
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    NO_NODE,
    NOT_ATTRIBUTED,
    OTHER_CALLERS,
    UNKNOWN_TEXT,
    FunctionId,
    NodeId,
    function_ids,
    is_function,
    text_at,
    text_ids,
)
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int32Array, Int64Array, StringTable

if TYPE_CHECKING:
    from qcachegrind_py.analysis.names.fuzzy_search import FuzzySearch


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
        self.files = files_of_functions(profile)
        """The file of each function's own code, shape (functions,); see there."""
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
        return self._texts[text_at(self.files, function)]

    def inlined_files(self, function: FunctionId) -> list[str]:
        """Return the paths of the other source files with code of the function, sorted."""
        files = set(text_ids(self._runs.file[self._runs.function == function]))
        others = files - {text_at(self.files, function), UNKNOWN_TEXT}
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
        keys = self._functions.object.astype(np.int64) * len(self._texts) + self.files
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
        match of:
            case NameColumn.NAME:
                number = self._functions.name
            case NameColumn.FILE:
                number = self.files
            case NameColumn.OBJECT:
                number = self._functions.object
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
        from qcachegrind_py.analysis.names.fuzzy_search import FuzzySearch

        return FuzzySearch(self._texts, self._functions.name)

    @cached_property
    def _names(self) -> TextColumn:
        return TextColumn(self._texts, self._functions.name)

    @cached_property
    def _files(self) -> TextColumn:
        return TextColumn.from_texts(self._texts, self.files)

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


# ---------------------------------------------------------------- labels

_MAX_FILES = 6  # in the details of a function
# names of what is no function in the tree of a program, and why it is there
_STAND_INS = {
    NO_NODE: ("Whole program", ""),
    OTHER_CALLERS: (
        "(other callers)",
        "Callers that are not recorded: functions cost more than the calls to them, as a thread "
        "costs more than the function that starts it.",
    ),
    NOT_ATTRIBUTED: (
        "(not attributed)",
        "Recorded for the whole, and for no function inside: a program that ended within a call, "
        "time that a profiler did not assign.",
    ),
}


class Labels:
    """The labels of all nodes of one scope; `names` are those of the functions."""

    def __init__(self, names: FunctionNames, cycle: Int32Array, *, short: bool = False) -> None:
        """`cycle` has the cycle number of each node, shape (nodes,); 0: none."""
        self.names = names
        self._cycle = cycle
        self._short = short

    def __len__(self) -> int:
        return len(self._cycle)

    @property
    def function_count(self) -> int:
        """The number of functions; all further nodes are cycles."""
        return len(self.names)

    def cycle(self, node: NodeId) -> int:
        """Return the number of the cycle that the node is, or is a member of; 0: none."""
        return int(self._cycle[node])

    def is_cycle(self, node: NodeId) -> bool:
        return not is_function(node, self.function_count)

    def name(self, node: NodeId) -> str:
        """Return the name, short if so configured, followed by the cycle of a member.

        Stand-ins for functions, whose ids are below 0, have names, too.
        """
        if node < 0:
            return _STAND_INS[node][0]
        cycle = f"<cycle {self._cycle[node]}>" if self._cycle[node] else ""
        if not is_function(node, self.function_count):
            return cycle
        name = self.names.name(node)
        name = without_template_arguments(name) if self._short else name
        return f"{name} {cycle}" if cycle else name

    def full_name(self, node: NodeId) -> str:
        """Return the full name of a function, or the name of a cycle."""
        if node >= 0 and is_function(node, self.function_count):
            return self.names.name(node)
        return self.name(node)

    def location(self, node: NodeId) -> str:
        """Return the short location of a function, or the number of members of a cycle."""
        if node < 0:
            return ""
        if is_function(node, self.function_count):
            return self.names.location(node)
        return f"{self._members[self._cycle[node]]} members"

    @cached_property
    def _members(self) -> list[int]:
        """How many functions each cycle has, by its number."""
        counts: list[int] = np.bincount(self._cycle[: len(self.names)]).tolist()
        return counts

    def details(self, node: NodeId) -> list[str]:
        """Return all known details of the node as lines of text."""
        if node < 0:
            return [text for text in _STAND_INS[node] if text]
        if not is_function(node, self.function_count):
            return [self.name(node), self.location(node)]
        file, object_ = self.names.file(node), self.names.object(node)
        lines = [self.names.name(node)]
        lines += [f"File: {file}"] if file != UNKNOWN else []
        lines += self._inlined_file_lines(node)
        lines += [f"Object: {object_}"] if object_ != UNKNOWN else []
        lines += [f"In recursion cycle {self._cycle[node]}"] if self._cycle[node] else []
        return lines

    def _inlined_file_lines(self, function: FunctionId) -> list[str]:
        """Return a line for each of the files that code was inlined from, up to a limit."""
        files = self.names.inlined_files(function)
        lines = [f"Inlined from: {file}" for file in files[:_MAX_FILES]]
        more = len(files) - len(lines)
        return [*lines, f"… and {more} more {plural(more, 'file')}"] if more else lines

    def nodes_containing(self, text: str) -> BoolArray:
        """Return which nodes have the text in their short or full names: shape (nodes,)."""
        cycles = map(NodeId, range(self.function_count, len(self)))
        matches = [text.lower() in self.name(cycle).lower() for cycle in cycles]
        return np.concatenate((self.names.found_by(text), np.array(matches, bool)))

    @property
    def name_ranks(self) -> Int64Array:
        """The rank of each node by name, shape (nodes,); cycles come first."""
        return self._ranks(self.names.name_ranks)

    @property
    def location_ranks(self) -> Int64Array:
        """The rank of each node by location, shape (nodes,); cycles come first."""
        return self._ranks(self.names.location_ranks)

    def _ranks(self, ranks: Int64Array) -> Int64Array:
        cycles = len(self) - len(self.names)
        if not cycles:
            return ranks
        return np.concatenate((ranks, np.arange(-cycles, 0)))


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
