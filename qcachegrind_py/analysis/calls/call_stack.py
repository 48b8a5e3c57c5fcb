"""A likely call stack through a function: its costliest callers above, costliest callees below.

The path continues from each node along its costliest call. It is a guess, since a profile without
calling contexts does not record which functions were on the stack together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at, node_ids
from qcachegrind_py.profile.tables import BoolArray

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


def costliest_path(
    node: NodeId, graph: CallGraph, passable: BoolArray | None = None
) -> tuple[NodeId, ...]:
    """Return the path from a root down to the node, which is last, by the costliest calls.

    Unlike a stack, it has any length, passes through calls without cost where there are no others,
    and turns to the next best caller where the costliest leads to no root, as happens in a cycle
    that is not detected. `passable` is the mask of nodes that it may contain above the last one,
    shape (nodes,); None for all.
    """
    untried = {node: _callers_by_cost(node, graph, passable)}  # its keys are the path
    visited = {node}
    dead_end: tuple[NodeId, ...] = ()
    while untried:
        callers = untried[next(reversed(untried))]
        while callers and callers[-1] in visited:
            callers.pop()
        if not callers:
            dead_end = dead_end or tuple(reversed(untried))
            untried.popitem()
            continue
        caller = callers.pop()
        visited.add(caller)
        untried[caller] = _callers_by_cost(caller, graph, passable)
        if not untried[caller]:
            return tuple(reversed(untried))
    return dead_end


def _callers_by_cost(node: NodeId, graph: CallGraph, passable: BoolArray | None) -> list[NodeId]:
    """Return the callers of a node, the costliest last."""
    rows = graph.incoming(node)
    if passable is not None:
        rows = rows[passable[graph.adjacency.caller[rows]]]
    costliest_first = rows[np.argsort(-graph.cost[rows], kind="stable")]
    return node_ids(graph.adjacency.caller[costliest_first[::-1]])


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
