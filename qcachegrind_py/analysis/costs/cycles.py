"""Recursion cycles: functions that call each other in a circle.

A cycle is a strongly connected component of two or more functions. All calls count, whatever their
cost, unless a cut excludes cheap ones (see `Scope`). A function that only calls itself is no cycle.
Large cycles are not split.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.costs.components import find_components
from qcachegrind_py.profile.tables import Int32Array


def find_cycles(caller: Int32Array, callee: Int32Array, functions: int) -> Int32Array:
    """Return the cycle number of each function, int32 of shape (functions,); 0: none.

    `caller` and `callee` are the ends of each call. Cycles are numbered from 1 in order of their
    first function.
    """
    return _numbered(components(caller, callee, functions))


def components(caller: Int32Array, callee: Int32Array, nodes: int) -> Int32Array:
    """Return the number of each node's component, int32 of shape (nodes,).

    Nodes of one component reach each other. A component has a higher number than those that it
    calls.
    """
    component = np.zeros(nodes, np.int32)
    find_components(
        np.ascontiguousarray(caller).data,
        np.ascontiguousarray(callee).data,
        np.zeros(nodes + 1, np.int32).data,
        np.zeros(len(caller), np.int32).data,
        np.zeros((5, nodes), np.int32).data,
        component.data,
    )
    return component


def _numbered(component: Int32Array) -> Int32Array:
    """Number the components of two or more from 1 in order of their first member."""
    if not len(component):
        return component
    size = np.bincount(component)
    members = np.flatnonzero(size[component] > 1)
    cycles = np.zeros(len(component), np.int32)
    _, first, inverse = np.unique(component[members], return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(1, len(first) + 1)
    cycles[members] = rank[inverse]
    return cycles
