"""Functions and cycles as the views write them: names, short or in full, and places."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.analysis.names.short_names import without_template_arguments
from qcachegrind_py.profile.ids import NodeId, is_function
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.profile.tables import Int32Array, Int64Array


class Labels:
    """The texts of all entries of one scope; `names` are the functions', which come first."""

    def __init__(self, names: FunctionNames, cycle: Int32Array, *, short: bool = False) -> None:
        """`cycle` has the number of each entry's cycle, 0 for none."""
        self.names = names
        self._cycle = cycle
        self._short = short

    def __len__(self) -> int:
        return len(self._cycle)

    @property
    def function_count(self) -> int:
        """How many of the entries are functions; the others are cycles."""
        return len(self.names)

    def cycle(self, node: NodeId) -> int:
        """The number of the cycle that the entry is, or is a member of; 0 for none."""
        return int(self._cycle[node])

    def is_cycle(self, node: NodeId) -> bool:
        """Whether the entry is a cycle."""
        return not is_function(node, self.function_count)

    def name(self, node: NodeId) -> str:
        """The name, short where that is wanted; of a member, with its cycle."""
        cycle = f"<cycle {self._cycle[node]}>" if self._cycle[node] else ""
        if not is_function(node, self.function_count):
            return cycle
        name = self.names.name(node)
        name = without_template_arguments(name) if self._short else name
        return f"{name} {cycle}" if cycle else name

    def full_name(self, node: NodeId) -> str:
        """The name as it was recorded."""
        if is_function(node, self.function_count):
            return self.names.name(node)
        return self.name(node)

    def location(self, node: NodeId) -> str:
        """Where the function is, in short; a cycle is of how many functions."""
        if is_function(node, self.function_count):
            return self.names.location(node)
        members = int((self._cycle[: len(self.names)] == self._cycle[node]).sum())
        return f"{members} members"

    def details(self, node: NodeId) -> list[str]:
        """Everything about the entry in full, line by line; what is unknown is left out."""
        if not is_function(node, self.function_count):
            return [self.name(node), self.location(node)]
        file, object_ = self.names.file(node), self.names.object(node)
        lines = [self.names.name(node)]
        lines += [f"File: {file}"] if file != UNKNOWN else []
        lines += [f"Object: {object_}"] if object_ != UNKNOWN else []
        lines += [f"In recursion cycle {self._cycle[node]}"] if self._cycle[node] else []
        return lines

    @property
    def name_ranks(self) -> Int64Array:
        """The place of each entry in order of its name; cycles come first."""
        return self._ranks(self.names.name_ranks)

    @property
    def location_ranks(self) -> Int64Array:
        """The place of each entry in order of its location; cycles come first."""
        return self._ranks(self.names.location_ranks)

    def _ranks(self, ranks: Int64Array) -> Int64Array:
        cycles = len(self) - len(self.names)
        if not cycles:
            return ranks
        return np.concatenate((ranks, np.arange(-cycles, 0)))
