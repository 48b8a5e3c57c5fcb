"""What a profile proves of the costs that passed by entries and calls, and what it does not.

A profile records the cost of each call, whoever caused it. So what passed along a call is known
where all passed that its end cost, or where all that its end cost went along this one call. What
passed by an entry is known where that of all calls is that lead to it. The rest is shared out in
proportion.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.passed_calls import Passage, PassedCalls, Side
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_MOST_PASSES = 100  # calls one behind the other that prove each other: what is beyond, does not


def proven(passage: Passage, calls: PassedCalls) -> tuple[BoolArray, BoolArray]:
    """Whether the cost of each entry is proven, shape (entries,), and that of each call."""
    inclusive = passage.graph.inclusive
    entries, rows = np.ones(len(inclusive), bool), np.zeros(len(calls.caller), bool)
    for side, is_up in ((passage.down, False), (passage.up, True)):
        mine = np.flatnonzero(calls.is_up == is_up)
        exact = _proven_entries(passage, calls, mine[~calls.is_inner[mine]], side)
        rows[mine] = _proven_calls(calls, mine, inclusive, side, exact)
        entries &= exact | (side.share == 0)
    return entries, rows


def _proven_entries(
    passage: Passage, calls: PassedCalls, rows: Int64Array, side: Side
) -> BoolArray:
    """Whether the cost of each entry of a side is proven, by its calls, which are given.

    Those from or to members of an opened cycle tell of the cycle: calls inside led to the member,
    too.
    """
    inclusive, exact = passage.graph.inclusive, side.is_exact.copy()
    far = passage.folding.frame(calls.far[rows])
    led_to = np.zeros(len(exact), bool)
    led_to[far] = True
    for _ in range(_MOST_PASSES):
        doubtful = np.zeros(len(exact), bool)
        doubtful[far[~_proven_calls(calls, rows, inclusive, side, exact)]] = True
        more = led_to & ~doubtful & ~exact
        if not more.any():
            break
        exact |= more
    return exact


def _proven_calls(
    calls: PassedCalls, rows: Int64Array, inclusive: CostArray, side: Side, exact: BoolArray
) -> BoolArray:
    """Whether the cost of each of these rows is, where that of the entries in `exact` is."""
    hangs_on, recorded = calls.hangs_on[rows], calls.recorded[rows]
    whole = inclusive[hangs_on]
    is_all = (side.cost[hangs_on] == whole) | ((recorded == whole) & ~calls.is_inner[rows])
    proof: BoolArray = (exact[hangs_on] & is_all) | (recorded == 0)
    return proof
