"""Where in the source a call is made, for the number of a call that a view shows."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.costs.scope import is_active
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.explanation.numbers import AnyKey, CodePlace, EstimateKey, EstimateKind
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import Position
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE, NodeId, text_at


@frozen(eq=True)
class CallSite:
    """The line at which a function calls another one; of several lines, the costliest."""

    caller: NodeId
    position: Position


def call_site(query: ViewQuery, key: AnyKey) -> CallSite | None:
    """Return where the call is made that a number belongs to.

    None if the number is of no single call, or the profile does not have its line.
    """
    ends = _ends(key)
    if ends is None or not all(query.queries.is_function(node) for node in ends):
        return None
    caller, callee = ends
    calls, parts = query.profile.calls, query.context.scope.parts
    chosen = (calls.caller == caller) & (calls.callee == callee) & (calls.line > 0)
    if parts is not None:
        chosen &= is_active(calls.part, parts)
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return None
    places = np.stack((calls.file[rows], calls.line[rows]))
    lines, line = np.unique(places, axis=1, return_inverse=True)
    line, count = line.reshape(-1), lines.shape[1]
    cost = called = sums_by_group(calls.count[rows], line, count)
    if query.context.event is not None:
        costs = sums_by_group(calls.values[:, rows], line, count)
        cost = query.events.evaluate(query.context.event, costs)
    costliest = int(np.lexsort((called, cost))[-1])
    return CallSite(caller, Position(text_at(lines[0], costliest), int(lines[1, costliest])))


def _ends(key: AnyKey) -> tuple[NodeId, NodeId] | None:
    """Return caller and callee of the call that a number belongs to."""
    if not isinstance(key, EstimateKey):
        is_of_all = key.callee != NO_NODE and key.place == CodePlace()
        return (key.node, key.callee) if is_of_all else None
    if len(key.path) < 2 or key.kind is EstimateKind.GRAPH_NODE:
        return None
    *_, before, last = key.path
    return (last, before) if key.up else (before, last)
