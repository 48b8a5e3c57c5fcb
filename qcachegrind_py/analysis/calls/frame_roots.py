"""Where the frames of a whole program begin: functions, with the cost that no call accounts for.

A function may be called in one part and not in another: by `main` in one thread, and as the start
of another thread, whose callers are not recorded. It then is below its callers with the cost of
their calls, and a root with the rest, so that no part is missing from the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class FrameRoots:
    """The nodes that a frame tree begins with, and the cost of each there: shape (roots,)."""

    node: Int64Array
    cost: CostArray

    def __len__(self) -> int:
        return len(self.node)


def whole_roots(graph: CallGraph, nodes: Sequence[NodeId]) -> FrameRoots:
    """Return nodes as roots, each with its whole inclusive cost."""
    node = np.array(nodes, np.int64)
    return FrameRoots(node, graph.inclusive[node])


def program_roots(graph: CallGraph, functions: int, uncalled: Sequence[NodeId]) -> FrameRoots:
    """Return the roots of a whole program; the first `functions` nodes of the graph are no cycles.

    They are the nodes that nobody called, with their whole cost, followed by the functions that
    have cost beyond that of the calls to them, with the difference.
    """
    received = sums_by_group(graph.cost, graph.adjacency.callee, len(graph.inclusive))
    rest = graph.inclusive - received
    # the costs of a cycle are sums over its members, which calls from outside need not add up to
    rest[functions:][(received[functions:] > 0).astype(bool)] = 0
    whole = np.array(uncalled, np.int64)
    rest[whole] = 0
    partly = np.flatnonzero((rest > 0).astype(bool))
    return FrameRoots(
        np.concatenate((whole, partly)), np.concatenate((graph.inclusive[whole], rest[partly]))
    )
