"""Which calls of a function lead back into it: their costs are in its own already."""

from __future__ import annotations

from qcachegrind_py.analysis.code.locations import LocationCalls
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Context


def inner_calls(calls: LocationCalls, queries: ProfileQueries, context: Context) -> BoolArray:
    """Which of the calls of the active function stay in its cycle, or go to itself."""
    function, cycle = context.function, queries.costs(context.scope).cycle
    same_cycle = (cycle[calls.callee] == cycle[function]) & (cycle[function] > 0)
    stays: BoolArray = (calls.callee == function) | same_cycle
    return stays
