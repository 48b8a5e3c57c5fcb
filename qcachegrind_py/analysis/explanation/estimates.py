"""Numbers that are shared out along calls, since a profile records no paths of several calls."""

from __future__ import annotations

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.flows import ReachedNode
from qcachegrind_py.analysis.explanation.graph import GraphNumber
from qcachegrind_py.analysis.explanation.keys import EstimateKey, EstimateKind
from qcachegrind_py.analysis.explanation.paths import Estimate, PathWalk
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType


def estimate(queries: ProfileQueries, key: EstimateKey, event: EventType, scope: Scope) -> Estimate:
    """Return the number, how it was shared out, and the number that it equals if it is exact.

    The event is no ratio.
    """
    match key.kind:
        case EstimateKind.FRAME | EstimateKind.BRANCH:
            return PathWalk(queries, key, event, scope).estimate()
        case EstimateKind.REACHED:
            return ReachedNode(queries, key, event, scope).estimate()
    return GraphNumber(queries, key, event, scope).estimate()
