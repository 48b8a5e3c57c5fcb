"""Functions by object, file, class or cycle.

A group's self cost is the sum of its functions'. Its inclusive cost would count nested calls again
and again, so there is none. The class of a function is the scope that its name stands in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.analysis.names.class_names import class_of
from qcachegrind_py.analysis.names.function_names import FunctionNames, NameColumn
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

NO_CYCLE = "(no cycle)"


class Grouping(Enum):
    """What functions are grouped by."""

    NONE = "none"
    OBJECT = "object"
    FILE = "file"
    CLASS = "class"
    CYCLE = "cycle"


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """A row a group, in order of the first function in it; of cycles, by number behind none."""

    names: tuple[str, ...]
    group_of_node: Int64Array  # row of the group of each function, and of each cycle behind them

    def __len__(self) -> int:
        return len(self.names)

    def sums(self, self_cost: Int64Array, functions: int) -> Int64Array:
        """What the groups cost: the sums over their functions; cycles would count these again."""
        return sums_by_group(self_cost[..., :functions], self.group_of_node[:functions], len(self))

    def counts(self, shown: BoolArray | None, functions: int) -> Int64Array:
        """How many functions of each group are shown; all where it is None."""
        of_function = self.group_of_node[:functions]
        chosen = of_function if shown is None else of_function[shown[:functions]]
        return np.bincount(chosen, minlength=len(self)).astype(np.int64)


def group_functions(names: FunctionNames, grouping: Grouping) -> Groups:
    """All functions by object, file or class; in one group where the grouping is none."""
    match grouping:
        case Grouping.OBJECT:
            return _groups_by_name(names.distinct(NameColumn.OBJECT))
        case Grouping.FILE:
            return _groups_by_name(names.distinct(NameColumn.FILE))
        case Grouping.CLASS:
            texts, number = names.distinct(NameColumn.NAME)
            return _groups_by_name(([class_of(text) for text in texts], number))
        case _:
            return Groups(("",), np.zeros(len(names), np.int64))


def cycle_groups(cycle: Int32Array, functions: int) -> Groups:
    """All functions and cycles by cycle; `cycle` has the number of each, 0 for none."""
    count = len(cycle) - functions
    names = (NO_CYCLE, *(f"<cycle {number}>" for number in range(1, count + 1)))
    return Groups(names, cycle.astype(np.int64))


def _groups_by_name(named: tuple[Iterable[str], Int64Array]) -> Groups:
    """Groups from the names of rows that functions share, and the row of each function."""
    texts, number = named
    rows: dict[str, int] = {}
    row_of_text = np.array([rows.setdefault(text, len(rows)) for text in texts], np.int64)
    return Groups(tuple(rows), row_of_text[number])
