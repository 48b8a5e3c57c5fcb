"""Recursion cycles: functions that call each other round.

A cycle is a strongly connected component of two functions or more over the calls that are given:
all, whatever they cost, unless a cut leaves out cheap ones (see `Scope`). A function that only
calls itself is none. Big cycles are not split.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.costs.components import find_components
from qcachegrind_py.profile.tables import Int32Array


def find_cycles(caller: Int32Array, callee: Int32Array, functions: int) -> Int32Array:
    """The cycle of each function, 0 for none; numbered from 1 in order of their first function."""
    component = np.zeros(functions, np.int32)
    find_components(
        np.ascontiguousarray(caller).data,
        np.ascontiguousarray(callee).data,
        np.zeros(functions + 1, np.int32).data,
        np.zeros(len(caller), np.int32).data,
        np.zeros((5, functions), np.int32).data,
        component.data,
    )
    return _numbered(component)


def _numbered(component: Int32Array) -> Int32Array:
    """Components of two or more, numbered from 1 in order of their first member."""
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
