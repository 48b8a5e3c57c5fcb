"""Recursion cycles: functions that call each other round.

A cycle is a strongly connected component of two functions or more over all calls, whatever they
cost (KCachegrind's default cut of 0). A function that only calls itself is none. Big cycles are not
split.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.profile.tables import Int32Array, Int64Array

_TRIM_ROUNDS = 50


def find_cycles(caller: Int32Array, callee: Int32Array, functions: int) -> Int32Array:
    """The cycle of each function, 0 for none; numbered from 1 in order of their first function."""
    core = _core(caller, callee, functions)
    return _numbered(_components(*_pairs(*core, functions), functions))


def _core(caller: Int32Array, callee: Int32Array, count: int) -> tuple[Int32Array, Int32Array]:
    """The calls without those of functions that nobody calls or that call nobody.

    Those are in no cycle; of a compiler's 12,546 functions 2,600 are left.
    """
    different = caller != callee
    caller, callee = caller[different], callee[different]
    for _ in range(_TRIM_ROUNDS):
        called = np.zeros(count, bool)
        calls = np.zeros(count, bool)
        called[callee] = True
        calls[caller] = True
        keep = called[caller] & calls[callee]
        if keep.all():
            break
        caller, callee = caller[keep], callee[keep]
    return caller, callee


def _pairs(caller: Int32Array, callee: Int32Array, count: int) -> tuple[Int64Array, Int64Array]:
    """Each pair of caller and callee once, in order of the caller."""
    keys = np.unique(caller.astype(np.int64) * count + callee)
    return keys // max(1, count), keys % max(1, count)


def _components(caller: Int64Array, callee: Int64Array, count: int) -> Int64Array:
    """The component of each function, as the number of one of its members; -1 outside the core.

    Tarjan's search without recursion.
    """
    first = np.searchsorted(caller, np.arange(count + 1)).tolist()
    targets = callee.tolist()
    order = [0] * count  # when it was found, from 1
    low = [0] * count
    component = [-1] * count
    found = 0
    path: list[int] = []
    for root in dict.fromkeys(caller.tolist()):
        if order[root]:
            continue
        found += 1
        order[root] = low[root] = found
        path.append(root)
        work = [(root, first[root])]
        while work:
            node, at = work[-1]
            if at < first[node + 1]:
                work[-1] = (node, at + 1)
                target = targets[at]
                if not order[target]:
                    found += 1
                    order[target] = low[target] = found
                    path.append(target)
                    work.append((target, first[target]))
                elif component[target] < 0 and order[target] < low[node]:
                    low[node] = order[target]
                continue
            work.pop()
            if work and low[node] < low[work[-1][0]]:
                low[work[-1][0]] = low[node]
            if low[node] == order[node]:
                while True:
                    member = path.pop()
                    component[member] = node
                    if member == node:
                        break
    return np.array(component, np.int64)


def _numbered(component: Int64Array) -> Int32Array:
    """Components of two or more, numbered from 1."""
    cycles = np.zeros(len(component), np.int32)
    inside = np.flatnonzero(component >= 0)
    _, first, inverse, size = np.unique(
        component[inside], return_index=True, return_inverse=True, return_counts=True
    )
    large = np.flatnonzero(size > 1)
    number = np.zeros(len(size), np.int32)
    number[large[np.argsort(first[large])]] = np.arange(1, len(large) + 1)
    cycles[inside] = number[inverse]
    return cycles
