"""A likely call stack through a function: its costliest callers above, costliest callees below.

The path continues from each node along its costliest call. It is a guess, since a profile without
calling contexts does not record which functions were on the stack together.
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
    """The nodes from the topmost caller down; `active_index` is the position of the active one."""

    nodes: tuple[NodeId, ...] = ()
    active_index: int = -1

    def with_active(self, node: NodeId) -> CallStack | None:
        """Return the same stack with another node active, or None if it is not on the stack."""
        if node not in self.nodes:
            return None
        return CallStack(self.nodes, self.nodes.index(node))

    @property
    def path_to_active(self) -> tuple[NodeId, ...]:
        """The nodes from the top down to the active one, which is last."""
        return self.nodes[: self.active_index + 1]


def costliest_stack(node: NodeId, graph: CallGraph) -> CallStack:
    """Build the stack of the costliest callers above a node and the costliest callees below it."""
    above = tuple(reversed(_extended_chain((node,), graph, up=True)[1:]))
    return CallStack(_extended_chain((*above, node), graph, up=False), len(above))


def extended_stack(
    stack: CallStack, node: NodeId, graph: CallGraph, cycle: NodeId = NO_NODE
) -> CallStack:
    """Return the stack after a step to `node`, keeping the path to it where possible.

    `cycle` is the cycle that the function belongs to. The graph has calls to members as edges to
    their cycle, so a step to a member passes through its cycle.
    """
    moved = stack.with_active(node)
    if moved is not None:
        return moved
    path = stack.path_to_active
    if cycle in path:
        path = path[: path.index(cycle) + 1]
    if path:
        called = graph.adjacency.callee[graph.outgoing(path[-1])]
        step = (node,) if node in called else (cycle, node)
        if step[0] in called:
            return CallStack(
                _extended_chain((*path, *step), graph, up=False), len(path) + len(step) - 1
            )
    return costliest_stack(node, graph)


def _extended_chain(chain: tuple[NodeId, ...], graph: CallGraph, *, up: bool) -> tuple[NodeId, ...]:
    """Extend a chain from its last node along the costliest calls, each node at most once."""
    visited, extended = set(chain), list(chain)
    for _ in range(_MAX_CALLERS if up else _MAX_CALLEES):
        rows = graph.incoming(extended[-1]) if up else graph.outgoing(extended[-1])
        others = graph.adjacency.caller[rows] if up else graph.adjacency.callee[rows]
        for index in np.argsort(-graph.cost[rows], kind="stable").tolist():
            if graph.cost[rows[index]] > 0 and node_at(others, index) not in visited:
                extended.append(node_at(others, index))
                visited.add(extended[-1])
                break
        else:
            break
    return tuple(extended)
