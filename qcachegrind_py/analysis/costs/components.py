# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Strongly connected components of a graph, by Tarjan's algorithm without recursion.

The module is compiled if there is a C compiler (types in `components.pxd`) and interpreted
otherwise, on memoryviews. Compiled, the 83,000 calls in the profile of a compiler take 2 ms; numpy
and lists took 20.
"""

from __future__ import annotations

try:
    import cython
except ImportError:  # an installation without a compiler has no Cython either
    from qcachegrind_py.profile import cython_shim as cython


def find_components(caller, callee, first, targets, scratch, component) -> None:
    """Number the components: nodes with the same number in `component` reach each other.

    The edges lead from `caller[i]` to `callee[i]`. All arguments are int32 memoryviews; the result
    is written to `component`, shape (nodes,). The others are working memory: `first`, shape
    (nodes + 1,), and `scratch`, shape (5, nodes), both zero; `targets`, shape (edges,).
    """
    with cython.nogil:
        sort_edges(caller, callee, first, targets)
        search(first, targets, scratch, component)


def sort_edges(caller, callee, first, targets) -> None:
    """Group the targets by source: those of node n are `targets[first[n]:first[n + 1]]`."""
    edge: cython.Py_ssize_t
    node: cython.Py_ssize_t
    total: cython.int = 0
    count: cython.int
    for edge in range(caller.shape[0]):
        first[caller[edge]] += 1
    for node in range(first.shape[0]):
        count = first[node]
        first[node] = total
        total += count
    for edge in range(caller.shape[0]):
        targets[first[caller[edge]]] = callee[edge]
        first[caller[edge]] += 1
    for node in range(first.shape[0] - 1, 0, -1):
        first[node] = first[node - 1]
    first[0] = 0


def search(first, targets, scratch, component) -> None:
    """Run Tarjan's depth-first search from each node that is not visited yet.

    The rows of `scratch` are: the discovery index of each node (from 1), its low link, its next
    edge, the stack of nodes whose component is not complete, and the path from the root.
    """
    root: cython.int
    node: cython.int
    target: cython.int
    found: cython.int = 0
    components: cython.int = 0
    opened: cython.Py_ssize_t = 0
    depth: cython.Py_ssize_t
    for root in range(scratch.shape[1]):
        if scratch[0, root] != 0:
            continue
        depth = 0
        node = root
        while True:
            if scratch[0, node] == 0:
                found += 1
                scratch[0, node] = scratch[1, node] = found
                scratch[2, node] = first[node]
                scratch[3, opened] = node
                scratch[4, depth] = node
                opened += 1
                depth += 1
                component[node] = -1
            if scratch[2, node] < first[node + 1]:
                target = targets[scratch[2, node]]
                scratch[2, node] += 1
                if scratch[0, target] == 0:
                    node = target
                elif component[target] < 0 and scratch[0, target] < scratch[1, node]:
                    scratch[1, node] = scratch[0, target]
                continue
            if scratch[1, node] == scratch[0, node]:
                while component[node] < 0:
                    opened -= 1
                    component[scratch[3, opened]] = components
                components += 1
            depth -= 1
            if depth == 0:
                break
            target = node
            node = scratch[4, depth - 1]
            if scratch[1, target] < scratch[1, node]:
                scratch[1, node] = scratch[1, target]
