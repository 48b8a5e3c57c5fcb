"""Callees without a file that are the only body of their name (docs/design.md, reading rule 3).

Writers that never say where a callee is, such as Xdebug 2.0, would otherwise have two functions for
one: the first with its calls, in the file of the caller, and the second with its costs.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.profile.ids import UNKNOWN_TEXT
from qcachegrind_py.profile.tables import BoolArray, Functions, Int32Array, Int64Array


def joined_callees(
    functions: Functions, is_alone: BoolArray, has_body: BoolArray, *, in_object: bool
) -> tuple[Int64Array, Int64Array]:
    """Return callees, and the bodies that they are.

    The masks have the shape (functions,): callees whose file was not given, and functions with
    costs, calls or jumps. With `in_object`, a body must be in the object of the callee.
    """
    callees = np.flatnonzero(is_alone & ~has_body & (functions.name != UNKNOWN_TEXT))
    bodies = np.flatnonzero(has_body)
    if not len(callees) or not len(bodies):
        return callees[:0], bodies[:0]
    keys = _keys(functions.name, functions.object if in_object else None)
    known, place, count = np.unique(keys[bodies], return_index=True, return_counts=True)
    found = np.minimum(np.searchsorted(known, keys[callees]), len(known) - 1)
    is_body = (known[found] == keys[callees]) & (count[found] == 1)
    return callees[is_body], bodies[place[found[is_body]]]


def _keys(name: Int32Array, object_: Int32Array | None) -> Int64Array:
    keys = name.astype(np.int64)
    return keys if object_ is None else keys << 32 | object_
