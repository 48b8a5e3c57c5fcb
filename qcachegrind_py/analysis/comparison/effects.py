"""Why costs changed: by more or fewer calls, or by another cost per call.

With n calls that cost c each, the change is split into ½ (n₂ - n₁) (c₁ + c₂) by calls and
½ (n₁ + n₂) (c₂ - c₁) by cost per call. This is symmetric: swapped sides give the opposite effects,
and they add up to the change.

The change of one function's inclusive cost is explained by the function itself and by each of its
calls. Only recorded numbers are used; nothing is shared out. What cannot be split into more calls
and costlier calls says why.
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import DirectCalls
from qcachegrind_py.analysis.costs.scope import BothSides
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array

if TYPE_CHECKING:  # lists use the effects at the start, before anything is compared
    from qcachegrind_py.analysis.comparison.comparison import Comparison

_SAFE = 1 << 62  # differences of smaller integers fit into 64 bits


@frozen(eq=True)
class Effects:
    """The shares of a change; exact fractions that add up to it."""

    by_calls: Fraction
    per_call: Fraction


def effects(counts: tuple[int, int], costs: tuple[int, int]) -> Effects | None:
    """Split the change of a cost; base before new. None unless there are calls on both sides."""
    if min(counts) <= 0:
        return None
    base, new = (Fraction(cost, count) for cost, count in zip(costs, counts, strict=True))
    by_calls = Fraction(counts[1] - counts[0], 2) * (base + new)
    return Effects(by_calls, costs[1] - costs[0] - by_calls)


def rounded(effects: Effects, change: int) -> tuple[int, int]:
    """Return both effects as integers that add up to the change: by calls, by cost per call."""
    by_calls = round(effects.by_calls)
    return by_calls, change - by_calls


# ---------------------------------------------------------------- all functions


@frozen
class FunctionEffects:
    """The effects of each function as integers that add up to the change, shape (functions,).

    Both are 0 where they are not known: if a side has no calls, if the function calls itself or is
    in a cycle, and for a ratio.
    """

    by_calls: CostArray
    per_call: CostArray
    is_known: BoolArray


def function_effects(compared: Comparison, event: EventType) -> FunctionEffects:
    """Split the change of each function's inclusive cost, as `effects.effects` does for one."""
    functions = compared.queries.function_count
    called = _some(compared.called, slice(functions))
    if event.is_ratio:
        nothing = np.zeros(functions, np.int64)
        return FunctionEffects(nothing, nothing, np.zeros(functions, bool))
    costs = _some(compared.inclusive(event), slice(functions))
    is_known = are_functions_split(compared)[:functions]
    return split_changes(called, costs, is_known)


def split_changes(called: BothSides, costs: BothSides, is_known: BoolArray) -> FunctionEffects:
    """Split the changes of integer costs where they are known, all of shape (rows,).

    There, the calls of both sides must be counted.
    """
    rows = np.flatnonzero(is_known & (called.base != called.new))
    some = _by_calls(_some(called, rows), _some(costs, rows))
    change = np.where(is_known, costs.change, 0)
    kind = object if change.dtype.kind == "O" or _is_large(some) else np.int64
    by_calls = np.zeros(len(is_known), kind)
    by_calls[rows] = some
    return FunctionEffects(by_calls, change.astype(kind) - by_calls, is_known)


def _some(sides: BothSides, rows: slice | Int64Array) -> BothSides:
    return BothSides(sides.base[rows], sides.new[rows])


def _by_calls(called: BothSides, costs: BothSides) -> CostArray:
    """Return the effects of the numbers of calls, rounded as by `effects.rounded`.

    With n calls that cost C together it is ½ (n₂ - n₁) (C₁/n₁ + C₂/n₂), in Python's integers:
    100,000 functions take 0.08 s, and 1.0 s as fractions.
    """
    counts = called.base.astype(object), called.new.astype(object)
    sums = costs.base.astype(object), costs.new.astype(object)
    dividend = (counts[1] - counts[0]) * (sums[0] * counts[1] + sums[1] * counts[0])
    divisor = 2 * counts[0] * counts[1]
    quotient = dividend // divisor
    remainder = 2 * (dividend - quotient * divisor)
    is_odd = quotient % 2 == 1
    is_above = (remainder > divisor) | ((remainder == divisor) & is_odd)
    rounded: CostArray = quotient + is_above.astype(bool)
    return rounded


def _is_large(numbers: CostArray) -> bool:
    return any(abs(number) >= _SAFE for number in numbers.tolist())


def are_functions_split(compared: Comparison) -> BoolArray:
    """Return which functions have effects, shape (nodes,); cycles have none.

    Both sides have called them, and they neither call themselves nor are in a cycle on either.
    """
    queries, called = compared.queries, compared.called
    is_split: BoolArray = (called.base > 0) & (called.new > 0)
    is_split &= queries.costs(compared.new).cycle == 0
    edges = queries.call_edges(compared.new)
    is_split[edges.caller[edges.caller == edges.callee]] = False
    return is_split


# ---------------------------------------------------------------- one function and its calls


class NotSplit(Enum):
    """Why a change is not split into the number of calls and the cost per call."""

    NO = "split"
    NEW = "new"  # only the new side has the call
    GONE = "gone"  # only the base has it
    IN_CYCLE = "in a cycle"  # a call in a cycle has no cost of its own
    RECURSIVE = "recursive"  # the function calls itself; the cost is part of its other calls
    NOT_COUNTED = "not counted"  # a side has no count: the calls had not returned, or it has none


@frozen
class Explanation:
    """The change of one node's inclusive cost in one event, base before new.

    Changes of the self cost, of all calls and of the rest add up to that of the inclusive cost.
    """

    inclusive: tuple[int, int]
    self_cost: tuple[int, int]  # 0 for a cycle, of which it is part of the members
    rest: int  # what its calls do not explain, such as calls from a cycle or calls still running
    callee: Int64Array  # nodes, shape (calls,); the members of a cycle
    count: BothSides  # of the calls
    cost: BothSides  # of the calls; 0 for recursive calls and in cycles
    effects: FunctionEffects  # of the calls
    not_split: tuple[NotSplit, ...]  # of the calls

    @property
    def change(self) -> int:
        """The change of the inclusive cost."""
        return self.inclusive[1] - self.inclusive[0]

    @property
    def self_change(self) -> int:
        return self.self_cost[1] - self.self_cost[0]


def explain_change(compared: Comparison, node: NodeId, event: EventType) -> Explanation:
    """Explain the change of a function or cycle; raise `ValueError` for a ratio.

    Of several runs on each side the sums are explained.
    """
    if event.is_ratio:
        raise ValueError(f"{event.name} is a ratio, which calls do not add up to")
    queries, scopes = compared.queries, (compared.base, compared.new)
    calls = [queries.callees(node, scope) for scope in scopes]
    count, callee = BothSides(calls[0].count, calls[1].count), calls[1].node
    is_recursive = callee == node
    cost = BothSides(
        *(np.where(is_recursive, 0, side.cost(queries.events, event)) for side in calls)
    )
    reasons = _reasons(calls[0], calls[1], is_recursive)
    is_known = are_calls_split(calls[0], calls[1], is_recursive)
    (base, own_base), (new, own_new) = (queries.node_costs(node, event, scope) for scope in scopes)
    if not queries.is_function(node):
        own_base = own_new = 0
    by_calls = sum(cost.change.tolist())
    return Explanation(
        (int(base), int(new)),
        (int(own_base), int(own_new)),
        int(new) - int(base) - (int(own_new) - int(own_base)) - by_calls,
        callee,
        count,
        cost,
        split_changes(count, cost, is_known),
        reasons,
    )


def are_calls_split(base: DirectCalls, new: DirectCalls, is_recursive: BoolArray) -> BoolArray:
    """Return which rows of calls are split into the number of calls and the cost per call."""
    reasons = _reasons(base, new, is_recursive)
    return np.array([reason is NotSplit.NO for reason in reasons], bool)


def _reasons(base: DirectCalls, new: DirectCalls, is_recursive: BoolArray) -> tuple[NotSplit, ...]:
    """Return why each row is not split; of several reasons the first in this order."""
    in_base, in_new = _occurs(base), _occurs(new)
    is_counted = (base.count > 0) & (new.count > 0)
    chosen = np.select(
        [new.in_cycle, is_recursive, ~in_base & in_new, in_base & ~in_new, ~is_counted],
        [1, 2, 3, 4, 5],
        0,
    )
    names = (
        NotSplit.NO,
        NotSplit.IN_CYCLE,
        NotSplit.RECURSIVE,
        NotSplit.NEW,
        NotSplit.GONE,
        NotSplit.NOT_COUNTED,
    )
    return tuple(names[number] for number in chosen.tolist())


def _occurs(calls: DirectCalls) -> BoolArray:
    """Return which calls one side has: with a count, with a cost, or still running."""
    occurs: BoolArray = (calls.count > 0) | calls.is_active | (calls.values != 0).any(axis=0)
    return occurs
