"""Labels of functions and cycles in the views: short and full names, locations and details."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.analysis.names.short_names import without_template_arguments
from qcachegrind_py.profile.ids import (
    NO_NODE,
    NOT_ATTRIBUTED,
    OTHER_CALLERS,
    FunctionId,
    NodeId,
    is_function,
)
from qcachegrind_py.profile.number_format import plural
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

_MAX_FILES = 6  # in the details of a function
WHOLE_PROGRAM = "Whole program"
# names of what is no function in the tree of a program, and why it is there
_STAND_INS = {
    NO_NODE: (WHOLE_PROGRAM, ""),
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
        """Return whether the node is a cycle."""
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
