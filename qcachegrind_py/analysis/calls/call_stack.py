"""The costliest way to a function and on from it: a guess, call by call.

From each entry the way goes on with its costliest call. What was really on the stack together, a
profile without contexts does not know.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph

_MOST_ABOVE = 50
_MOST_BELOW = 50


@dataclass(frozen=True, slots=True)
class CallStack:
    """The entries from the top caller down; `active` is the place of the active one."""

    functions: tuple[int, ...] = ()
    active: int = -1

    def moved_to(self, function: int) -> CallStack | None:
        """The same stack with another entry active; None where it is not on it."""
        if function not in self.functions:
            return None
        return CallStack(self.functions, self.functions.index(function))

    @property
    def way(self) -> tuple[int, ...]:
        """The way down to the active entry, which is the last."""
        return self.functions[: self.active + 1]


def costliest_stack(function: int, graph: CallGraph) -> CallStack:
    """The costliest callers above the function, the costliest callees below it."""
    above = tuple(reversed(_followed((function,), graph, up=True)[1:]))
    return CallStack(_followed((*above, function), graph, up=False), len(above))


def extended_stack(stack: CallStack, function: int, graph: CallGraph, cycle: int = -1) -> CallStack:
    """The stack after a step to this function: what led here is kept as far as it can be.

    `cycle` is the entry of the cycle that the function is a member of: a call of a member is one
    of its cycle, and so a step inside the cycle goes by it.
    """
    moved = stack.moved_to(function)
    if moved is not None:
        return moved
    way = stack.way
    if cycle in way:
        way = way[: way.index(cycle) + 1]
    if way:
        called = graph.shape.callee[graph.calls_by(way[-1])]
        step = (function,) if function in called else (cycle, function)
        if step[0] in called:
            return CallStack(_followed((*way, *step), graph, up=False), len(way) + len(step) - 1)
    return costliest_stack(function, graph)


def _followed(chain: tuple[int, ...], graph: CallGraph, *, up: bool) -> tuple[int, ...]:
    """The chain, and on from its last entry along the costliest calls."""
    met, found = set(chain), list(chain)
    for _ in range(_MOST_ABOVE if up else _MOST_BELOW):
        rows = graph.calls_of(found[-1]) if up else graph.calls_by(found[-1])
        others = graph.shape.caller[rows] if up else graph.shape.callee[rows]
        for place in np.argsort(-graph.cost[rows], kind="stable").tolist():
            if graph.cost[rows[place]] > 0 and int(others[place]) not in met:
                found.append(int(others[place]))
                met.add(found[-1])
                break
        else:
            break
    return tuple(found)
