"""The callers and the callees of one function, summed over call sites."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.call_pairs import CallPairs
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """A row a function at the other end of the calls, costliest first."""

    function: Int64Array
    cost: Int64Array  # inclusive, of the calls between the two, in the event asked for
    count: Int64Array  # 0: still active when the profile was written

    def __len__(self) -> int:
        return len(self.function)

    @property
    def cost_per_call(self) -> Int64Array:
        """Whole cost a call, rounded down; an active call counts as one (KCachegrind's rule)."""
        return self.cost // np.maximum(self.count, 1)


def callers_of(function: int, pairs: CallPairs, events: EventTypes, event: EventType) -> Neighbours:
    """Who called the function, itself included where it is recursive."""
    rows = np.flatnonzero(pairs.callee == function)
    return _neighbours(pairs.caller[rows], rows, pairs, events, event)


def callees_of(function: int, pairs: CallPairs, events: EventTypes, event: EventType) -> Neighbours:
    """Whom the function called."""
    start, stop = np.searchsorted(pairs.caller, (function, function + 1))
    rows = np.arange(start, stop)
    return _neighbours(pairs.callee[rows], rows, pairs, events, event)


def _neighbours(
    others: Int64Array, rows: Int64Array, pairs: CallPairs, events: EventTypes, event: EventType
) -> Neighbours:
    cost = events.evaluate(event, pairs.inclusive[:, rows])
    order = np.argsort(-cost, kind="stable")
    return Neighbours(others[order], cost[order], pairs.count[rows][order])
