"""How the change of one function's inclusive cost comes about: by itself, and by each of its calls.

Only recorded numbers are used; nothing is shared out. What cannot be split into more calls and
costlier calls says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import DirectCalls
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.comparison.effects import FunctionEffects, split_changes
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array


class NotSplit(Enum):
    """Why a change is not split into the number of calls and the cost per call."""

    NO = "split"
    NEW = "new"  # only the new side has the call
    GONE = "gone"  # only the base has it
    IN_CYCLE = "in a cycle"  # a call in a cycle has no cost of its own
    RECURSIVE = "recursive"  # the function calls itself; the cost is part of its other calls
    NOT_COUNTED = "not counted"  # a side has no count: the calls had not returned, or it has none


@dataclass(frozen=True, slots=True, eq=False)
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
        """The change of the self cost."""
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
    is_known = are_split(calls[0], calls[1], is_recursive)
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


def are_split(base: DirectCalls, new: DirectCalls, is_recursive: BoolArray) -> BoolArray:
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
