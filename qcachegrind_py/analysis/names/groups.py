"""Groups of functions by object, file, class or cycle.

The self cost of a group is the sum over its functions. Groups have no inclusive cost, since it
would count nested calls repeatedly. The class of a function is the enclosing scope in its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.names.class_names import class_of
from qcachegrind_py.analysis.names.function_names import FunctionNames, NameColumn
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

NO_CYCLE = "(no cycle)"


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


@dataclass(frozen=True, slots=True, eq=False)
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


_NAMES_PER_CHECK = 2000  # some 20 ms


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
