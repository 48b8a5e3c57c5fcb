"""What changed in many pairs of profiles: the functions of each, and those that changed in several.

Of each pair only the functions that changed most are kept, so that it can be released before the
next one is read. A function is the same in all of them by its name without what compilers add, its
file, and its library: the programs themselves may be different ones, of which each has its own copy
of the function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.comparison.sides import family_keys, object_name, program_object
from qcachegrind_py.analysis.costs.scope import BothSides
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import FunctionId, NodeId
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array

_MOST_KEPT = 50  # functions of a pair


class SharedFunction(NamedTuple):
    """What a function is known by in all pairs; the object is empty in the program itself."""

    name: str
    file: str
    object: str


@frozen
class ChangedFunctions:
    """The functions of a pair whose self costs changed most, the largest change first.

    `row` is that of the comparison, `called` how often each was called; shape (functions,).
    """

    row: Int64Array
    function: tuple[SharedFunction, ...]
    cost: BothSides
    called: BothSides
    more: int  # functions that changed, too

    def __len__(self) -> int:
        return len(self.function)

    @staticmethod
    def none() -> ChangedFunctions:
        nothing = np.zeros(0, np.int64)
        nobody = BothSides(nothing, nothing)
        return ChangedFunctions(nothing, (), nobody, nobody, 0)


def changed_functions(
    compared: Comparison, event: EventType, among: BoolArray | None = None
) -> ChangedFunctions:
    """Return the functions of a comparison whose self cost changed most, of those in a mask.

    Ratios have none: they do not add up to that of the program.
    """
    count = compared.queries.function_count
    both = compared.self_cost(event)
    cost = BothSides(both.base[:count], both.new[:count])
    change = cost.change
    changed = np.flatnonzero((change != 0) & (True if among is None else among))
    if event.is_ratio:
        changed = changed[:0]
    rows = changed[np.argsort(-np.abs(change[changed]), kind="stable")][:_MOST_KEPT]
    called = compared.called
    return ChangedFunctions(
        rows,
        tuple(_shared(compared, rows)),
        BothSides(cost.base[rows], cost.new[rows]),
        BothSides(called.base[rows], called.new[rows]),
        len(changed) - len(rows),
    )


def _shared(compared: Comparison, rows: Int64Array) -> list[SharedFunction]:
    """Return by what these functions of a comparison are known."""
    names = compared.queries.names
    functions = [FunctionId(NodeId(row)) for row in rows.tolist()]
    objects = [names.object(function) for function in functions]
    program = program_object(compared.new_profile, objects)
    return [
        SharedFunction(
            name,
            names.file(function),
            "" if object_ in (program, UNKNOWN) else object_name(object_),
        )
        for name, function, object_ in zip(
            family_keys([compared.queries.profile.function_name(each) for each in functions]),
            functions,
            objects,
            strict=True,
        )
    ]


@frozen
class SharedChange:
    """The change of one function in all benchmarks whose costs it changed.

    The benchmarks are numbers, those of which it explains most first; arrays have their shape.
    """

    function: SharedFunction
    benchmark: Int64Array
    row: Int64Array  # of the function in the comparison of each
    cost: BothSides
    called: BothSides
    share: CostArray  # the change as a fraction of each benchmark's base, which may be negative

    @property
    def change(self) -> int:
        """The sum of all changes."""
        return sum(self.cost.change.tolist())

    @property
    def explained(self) -> float:
        """How much it explains: the sum of its shares, whatever their signs."""
        return float(np.abs(self.share).sum())


def shared_changes(
    benchmarks: Sequence[ChangedFunctions], totals: Sequence[int | float]
) -> list[SharedChange]:
    """Return the change of each function over all benchmarks, what explains most first.

    `totals` are those of the bases. A benchmark counts by how much of it a function makes, so that
    large ones do not hide what changed in small ones.
    """
    found = dict[SharedFunction, list[tuple[int, int]]]()
    for number, each in enumerate(benchmarks):
        for place, function in enumerate(each.function):
            found.setdefault(function, []).append((number, place))
    changes = []
    for function, places in found.items():
        numbers = np.array([number for number, _ in places], np.int64)
        cost, called = (
            BothSides(*(_gathered(benchmarks, places, kind, side) for side in ("base", "new")))
            for kind in ("cost", "called")
        )
        whole = [max(totals[number], 1) for number in numbers.tolist()]
        share = np.array([part / of for part, of in zip(cost.change.tolist(), whole, strict=True)])
        order = np.argsort(-np.abs(share), kind="stable")
        row = np.array([benchmarks[number].row[place] for number, place in places], np.int64)
        changes.append(
            SharedChange(
                function,
                numbers[order],
                row[order],
                BothSides(cost.base[order], cost.new[order]),
                BothSides(called.base[order], called.new[order]),
                share[order],
            )
        )
    return sorted(changes, key=lambda each: (-each.explained, each.function))


def _gathered(
    benchmarks: Sequence[ChangedFunctions], places: Sequence[tuple[int, int]], kind: str, side: str
) -> CostArray:
    """Return costs or counts of one side at places of benchmarks."""
    gathered: CostArray = np.array(
        [getattr(getattr(benchmarks[number], kind), side)[place] for number, place in places]
    )
    return gathered
