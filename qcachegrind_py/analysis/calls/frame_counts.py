"""How often the calls behind the frames of a frame tree were made.

A profile counts the calls from one function to another, not those on a path of several calls. The
count of a frame is therefore exact if the frame around it has the whole cost of its function, so
that all calls of that function are made there. Else it is in proportion to the part of the cost.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.calls.accounted_calls import AccountedCalls, call_rows
from qcachegrind_py.analysis.costs.sums import quotients, scaled_costs
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import BoolArray, Int64Array


def frame_counts(
    accounted: AccountedCalls,
    node: Int64Array,
    parent: Int64Array,
    cost: CostArray,
    is_exact: BoolArray,
    *,
    up: bool,
) -> tuple[Int64Array, BoolArray]:
    """Return the number of calls behind each frame, and whether it is exact; shape (frames,).

    The arguments are columns of a `FrameTree`; with `up`, frames call the frame around them. The
    number is 0 where none is known: for roots, members of cycles, stand-ins, and calls that had not
    returned.
    """
    counts, exact = np.zeros(len(node), np.int64), np.ones(len(node), bool)
    inner = np.flatnonzero((parent >= 0) & (node >= 0) & (node[parent] >= 0))
    around = parent[inner]
    graph = accounted.graph
    edge = call_rows(graph, node[around], node[inner], up=up)
    whole = graph.inclusive[node[around]]
    share = np.minimum(quotients(cost[around], whole), 1)
    counts[inner] = scaled_costs(graph.adjacency.count[edge], share)
    exact[inner] = is_exact[around] & (cost[around] == whole).astype(bool)
    exact[inner] &= ~accounted.recorded.adjacency.is_estimated[edge]
    return counts, exact
