"""The costliest way to a function and on from it: a guess, call by call.

From each entry the way goes on with its costliest call. What was really on the stack together, a
profile without contexts does not know.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at

_MAX_CALLERS = 50
_MAX_CALLEES = 50


@dataclass(frozen=True, slots=True)
class CallStack:
    """The entries from the top caller down; `active` is the place of the active one."""

    nodes: tuple[NodeId, ...] = ()
    active_index: int = -1

    def with_active(self, node: NodeId) -> CallStack | None:
        """The same stack with another entry active; None where it is not on it."""
        if node not in self.nodes:
            return None
        return CallStack(self.nodes, self.nodes.index(node))

    @property
    def path_to_active(self) -> tuple[NodeId, ...]:
        """The way down to the active entry, which is the last."""
        return self.nodes[: self.active_index + 1]


def costliest_stack(node: NodeId, graph: CallGraph) -> CallStack:
    """The costliest callers above the function, the costliest callees below it."""
    above = tuple(reversed(_extended_chain((node,), graph, up=True)[1:]))
    return CallStack(_extended_chain((*above, node), graph, up=False), len(above))


def extended_stack(
    stack: CallStack, node: NodeId, graph: CallGraph, cycle: NodeId = NO_NODE
) -> CallStack:
    """The stack after a step to this function: what led here is kept as far as it can be.

    `cycle` is the entry of the cycle that the function is a member of: a call of a member is one
    of its cycle, and so a step inside the cycle goes by it.
    """
    moved = stack.with_active(node)
    if moved is not None:
        return moved
    way = stack.path_to_active
    if cycle in way:
        way = way[: way.index(cycle) + 1]
    if way:
        called = graph.adjacency.callee[graph.outgoing(way[-1])]
        step = (node,) if node in called else (cycle, node)
        if step[0] in called:
            return CallStack(
                _extended_chain((*way, *step), graph, up=False), len(way) + len(step) - 1
            )
    return costliest_stack(node, graph)


def _extended_chain(chain: tuple[NodeId, ...], graph: CallGraph, *, up: bool) -> tuple[NodeId, ...]:
    """The chain, and on from its last entry along the costliest calls."""
    met, found = set(chain), list(chain)
    for _ in range(_MAX_CALLERS if up else _MAX_CALLEES):
        rows = graph.incoming(found[-1]) if up else graph.outgoing(found[-1])
        others = graph.adjacency.caller[rows] if up else graph.adjacency.callee[rows]
        for place in np.argsort(-graph.cost[rows], kind="stable").tolist():
            if graph.cost[rows[place]] > 0 and node_at(others, place) not in met:
                found.append(node_at(others, place))
                met.add(found[-1])
                break
        else:
            break
    return tuple(found)
