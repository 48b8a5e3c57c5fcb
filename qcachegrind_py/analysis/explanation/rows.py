"""Rows of a profile: the costs of functions, and the calls between them, in the counted parts."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import cycle_members
from qcachegrind_py.analysis.costs.scope import Scope, is_active
from qcachegrind_py.analysis.costs.sums import segment_rows
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array


def members(queries: ProfileQueries, node: NodeId, scope: Scope) -> BoolArray:
    """Return the mask of the functions of a node, shape (functions,): of a cycle, all members."""
    mask = np.zeros(queries.function_count, bool)
    if queries.is_function(node):
        mask[node] = True
    else:
        mask[cycle_members(node, queries.costs(scope), queries.function_count)] = True
    return mask


def cost_rows(
    queries: ProfileQueries, functions: BoolArray, scope: Scope, without: BoolArray | None = None
) -> Int64Array:
    """Return the rows of the self costs of functions; `without` are parts to leave out."""
    runs = queries.profile.runs
    if functions.all() and scope.parts is None and without is None:
        return np.arange(len(queries.profile.costs))
    chosen = functions[runs.function]
    if scope.parts is not None:
        chosen &= is_active(runs.part, scope.parts)
    if without is not None:
        chosen &= ~without[runs.part]
    rows, _ = segment_rows(runs.start, np.flatnonzero(chosen))
    return rows


def call_rows(queries: ProfileQueries, chosen: BoolArray, scope: Scope) -> Int64Array:
    """Return the rows of the calls in a mask of shape (calls,) that are in counted parts."""
    if scope.parts is not None:
        chosen = chosen & is_active(queries.profile.calls.part, scope.parts)
    return np.flatnonzero(chosen)
