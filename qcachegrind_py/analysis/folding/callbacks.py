"""Pairs of functions of which one calls the other through folded functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from qcachegrind_py.analysis.costs.sums import find_rows
from qcachegrind_py.analysis.folding.fold import Folding
from qcachegrind_py.profile.ids import FunctionId, function_at
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class CallbackPairs:
    """The callbacks of a folded profile, one row for each pair of caller and callee."""

    functions: int
    key: Int64Array  # caller * functions + callee, in ascending order
    through: Int32Array  # the folded function that the caller calls, or the first of several
    is_exact: BoolArray  # whether counts and costs of all its calls are proven

    @classmethod
    def of(cls, folding: Folding) -> Self:
        """Return the pairs of a folded profile."""
        calls, callbacks = folding.profile.calls, folding.callbacks
        functions, first = len(folding.profile.functions), callbacks.first
        keys = calls.caller[first:].astype(np.int64) * functions + calls.callee[first:]
        order = np.argsort(keys, kind="stable")
        key, start = np.unique(keys[order], return_index=True)
        exact = callbacks.is_exact[order]
        if len(start):
            exact = np.logical_and.reduceat(exact, start)
        return cls(functions, key, callbacks.through[order][start], exact)

    def rows(self, caller: Int64Array, callee: Int64Array) -> Int64Array:
        """Return the row of each pair; -1 if there is none, as if one of the two is a cycle."""
        are_functions = (caller < self.functions) & (callee < self.functions)
        keys = caller.astype(np.int64) * self.functions + callee
        return np.where(are_functions, find_rows(self.key, keys), -1)

    def folded(self, row: int) -> FunctionId:
        """Return the folded function that a pair of functions has between them."""
        return function_at(self.through, row)
