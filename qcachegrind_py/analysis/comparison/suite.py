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
from qcachegrind_py.analysis.comparison.effects import effects
from qcachegrind_py.analysis.comparison.sides import family_keys, object_name, program_object
from qcachegrind_py.analysis.costs.scope import BothSides
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import UNKNOWN_TEXT, FunctionId, NodeId, TextId, node_at, text_at
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


# ---------------------------------------------------------------- calls

_MOST_STEPS = 50  # from a function to its callers
_ALIKE = 0.1  # the calls for each call of a caller are the same up to this fraction


@frozen(eq=True)
class CallSite:
    """A place from which a function is called more often than before, or less often."""

    caller: FunctionId
    callee: FunctionId
    file: TextId
    line: int  # 0: not known


def cause_in_calls(compared: Comparison, event: EventType, function: FunctionId) -> CallSite | None:
    """Return the place whose calls explain the change of a function; None if its code does.

    Where a caller is itself called that much more often, the place is sought further up.
    """
    both, called = compared.self_cost(event), compared.called
    costs = int(both.base[function]), int(both.new[function])
    counts = int(called.base[function]), int(called.new[function])
    split = effects(counts, costs)
    if split is None or 2 * abs(split.by_calls) < abs(costs[1] - costs[0]):
        return None
    site, seen = None, set[int]()
    while function not in seen and len(seen) < _MOST_STEPS:
        seen.add(function)
        found = _changed_caller(compared, function, grew=counts[1] > counts[0])
        if found is None:
            break
        caller, base, new = found
        site = CallSite(caller, function, *_line_of_calls(compared, caller, function))
        before, now = int(called.base[caller]), int(called.new[caller])
        if not base or abs(new * before - base * now) > _ALIKE * abs(base * now) or before == now:
            break
        function = caller
    return site


def _changed_caller(
    compared: Comparison, function: FunctionId, *, grew: bool
) -> tuple[FunctionId, int, int] | None:
    """Return the caller whose calls changed most in one way, and their numbers on both sides.

    The calls of a function to itself are none.
    """
    queries = compared.queries
    base, new = (queries.callers(function, scope) for scope in (compared.base, compared.new))
    change = new.count - base.count if grew else base.count - new.count
    change = np.where(new.node == function, 0, change)
    if not len(change) or change.max() <= 0:
        return None
    place = int(change.argmax())
    caller = node_at(new.node, place)
    if not queries.is_function(caller):
        return None
    return caller, int(base.count[place]), int(new.count[place])


def _line_of_calls(
    compared: Comparison, caller: FunctionId, callee: FunctionId
) -> tuple[TextId, int]:
    """Return file and line of the new side from which most of the calls come."""
    calls = compared.queries.profile.calls
    of_new = np.flatnonzero((calls.caller == caller) & (calls.callee == callee))
    of_new = of_new[calls.part[of_new] < len(compared.new_profile.parts)]
    if not len(of_new):
        return UNKNOWN_TEXT, 0
    most = of_new[calls.count[of_new].argmax()]
    return text_at(calls.file, most), int(calls.line[most])
