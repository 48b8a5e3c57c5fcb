"""The call graph of both sides of a comparison, in the formats of the window."""

from __future__ import annotations

from functools import partial

from qcachegrind_py.analysis.calls.subgraph import (
    SideCalls,
    SubgraphLimits,
    build_compared_subgraph,
)
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.series import Series
from qcachegrind_py.models.graph.sides import GraphSides, SideFormats, graph_sides
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType


def compared_graph(
    query: ViewQuery, event: EventType, base: Scope, limits: SubgraphLimits
) -> GraphSides:
    """Return the graph around the active function on both sides; it belongs in a job."""
    context, queries = query.context, query.queries
    before, now = (_calls(query, event, scope) for scope in (base, context.scope))
    graph = build_compared_subgraph(
        context.function,
        before,
        now,
        queries.costs(context.scope).cycle,
        queries.function_count,
        limits,
        query.visible_nodes(),
    )
    series, has_event = Series(event, context.scope, base), _have_event(query, event)
    has_calls = _has_calls(before), _has_calls(now)
    formats = SideFormats(
        (query.base_format(event), query.cost_format(event)),
        query.format(series),
        partial(query.change, series),
        (has_event[0] and has_calls[0], has_event[1] and has_calls[1]),
        (has_calls[0] and before.edges.has_counts, has_calls[1] and now.edges.has_counts),
    )
    return graph_sides(graph, formats, query.mark)


def _calls(query: ViewQuery, event: EventType, scope: Scope) -> SideCalls:
    edges = query.queries.call_edges(scope)
    return SideCalls(
        query.queries.call_graph(event, scope),
        edges,
        query.events.evaluate(event, edges.inclusive),
    )


def _have_event(query: ViewQuery, event: EventType) -> tuple[bool, bool]:
    """Return whether the base and the new side have an event."""
    compared = query.comparison
    if compared is None or query.is_comparable(event):
        return True, True
    return event.name in compared.only_base, event.name in compared.only_new


def _has_calls(side: SideCalls) -> bool:
    occurs = side.edges.occurs
    return len(side.edges) > 0 if occurs is None else bool(occurs.any())
