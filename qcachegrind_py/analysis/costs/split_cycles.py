"""Cycles over several selections of parts that are not cycles of each selection alone.

Cycles of a comparison are found over both sides together. A member has no cost of the calls within
its cycle, also on a side where these calls alone would be no cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import function_cycles
from qcachegrind_py.analysis.costs.scope import Scope, calls_of_active_parts
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int32Array


@dataclass(frozen=True, slots=True)
class SplitCycle:
    """A cycle over all selections, and what its functions are in each of them alone."""

    number: int  # from 1
    functions: int
    alone: tuple[tuple[int, ...], ...]  # for each selection the sizes of its cycles, largest first


def split_cycles(
    profile: Profile, cycle: Int32Array, scopes: Sequence[Scope]
) -> tuple[SplitCycle, ...]:
    """Return the cycles of which the functions form other cycles, or none, in one of the scopes.

    `cycle` is the cycle of each function over all scopes, shape (functions,). Functions that
    neither call nor are called in a scope make no difference there.
    """
    if not cycle.any():
        return ()
    sides = [_Side(profile, cycle, scope) for scope in scopes]
    numbers = np.flatnonzero(np.any([side.is_split for side in sides], axis=0)).tolist()
    sizes = np.bincount(cycle)
    return tuple(
        SplitCycle(number, int(sizes[number]), tuple(side.sizes(number) for side in sides))
        for number in numbers
    )


class _Side:
    """The cycles of one scope alone, within those over all scopes."""

    def __init__(self, profile: Profile, cycle: Int32Array, scope: Scope) -> None:
        alone = function_cycles(profile, scope.parts, scope.cut)
        members, count = np.flatnonzero((alone > 0) & (cycle > 0)), int(cycle.max()) + 1
        pairs = np.stack((cycle[members], alone[members]))
        (self._cycle, _), self._sizes = np.unique(pairs, axis=1, return_counts=True)
        largest = np.zeros(count, np.int64)
        np.maximum.at(largest, self._cycle, self._sizes)
        calls = calls_of_active_parts(profile, scope.parts)
        occurs = np.zeros(len(cycle), bool)
        occurs[calls.caller] = occurs[calls.callee] = True
        # shape (cycles + 1,): the functions that occur are not all in one cycle
        self.is_split = np.bincount(cycle[occurs], minlength=count) != largest
        self.is_split[0] = False  # functions that are in no cycle

    def sizes(self, number: int) -> tuple[int, ...]:
        """Return the sizes of the cycles within this one, largest first."""
        return tuple(sorted(self._sizes[self._cycle == number].tolist(), reverse=True))
