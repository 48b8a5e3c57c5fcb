"""The questions about one profile, each answered once.

The views ask them; opening a profile prepares the first answers. Answers are arrays that nobody
changes, so any thread may ask; two that ask the same at once do the work twice and get equal ones.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from qcachegrind_py.analysis.active_parts import Parts
from qcachegrind_py.analysis.call_pairs import CallPairs, call_pairs
from qcachegrind_py.analysis.function_costs import FunctionCosts, function_costs
from qcachegrind_py.analysis.function_names import FunctionNames
from qcachegrind_py.analysis.neighbours import Neighbours, callees_of, callers_of
from qcachegrind_py.analysis.part_totals import Total, total
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array

_KEPT = 8  # answers a question, for going back and forth between settings


class Questions:
    """Answers about one profile; `parts` and `cycles` as in the functions that are asked."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.names = FunctionNames(profile)
        # remembered by all arguments: with a default left out, one question would be two
        # (and through local names: through `self` it would keep itself and the profile in memory)
        self._costs = costs = lru_cache(_KEPT)(
            lambda cycles, parts: function_costs(profile, cycles=cycles, parts=parts)
        )
        self._pairs = lru_cache(_KEPT)(lambda parts: call_pairs(profile, parts))
        self._self_cost = lru_cache(_KEPT)(
            lambda event, parts: profile.events.evaluate(event, costs(True, parts).self_cost)
        )
        self._inclusive = lru_cache(_KEPT)(
            lambda event, cycles, parts: profile.events.evaluate(
                event, costs(cycles, parts).inclusive
            )
        )
        self._total = lru_cache(_KEPT)(lambda event, parts: total(profile, event, parts))

    def costs(self, cycles: bool, parts: Parts = None) -> FunctionCosts:
        """What all functions cost, in all measured events."""
        return self._costs(cycles, parts)

    def pairs(self, parts: Parts = None) -> CallPairs:
        """Who called whom."""
        return self._pairs(parts)

    def self_cost(self, event: EventType, parts: Parts = None) -> Int64Array:
        """The self cost of all functions, which cycles do not change."""
        return self._self_cost(event, parts)

    def inclusive(self, event: EventType, cycles: bool, parts: Parts = None) -> Int64Array:
        """The inclusive cost of all functions."""
        return self._inclusive(event, cycles, parts)

    def total(self, event: EventType, parts: Parts = None) -> Total:
        """What all functions cost together, and what percentages are of."""
        return self._total(event, parts)

    def callers(self, function: int, event: EventType, parts: Parts = None) -> Neighbours:
        """Who called the function."""
        return callers_of(function, self.pairs(parts), self.profile.events, event)

    def callees(self, function: int, event: EventType, parts: Parts = None) -> Neighbours:
        """Whom the function called."""
        return callees_of(function, self.pairs(parts), self.profile.events, event)

    def first_function(self, event: EventType, cycles: bool) -> int:
        """Where to begin: `main`, or else the costliest function; -1 where there is none."""
        if not len(self.profile.functions):
            return -1
        inclusive = self.inclusive(event, cycles)
        mains = [f for f in self.names.named("main") if inclusive[f] > 0]
        return max(mains, key=inclusive.__getitem__) if mains else int(np.argmax(inclusive))
