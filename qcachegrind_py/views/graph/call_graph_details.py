"""The line below the call graph about a box or an arrow."""

from __future__ import annotations

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import node_at
from qcachegrind_py.views.common.pictures.detail_line import Detail, cost_details, count_detail
from qcachegrind_py.views.graph.call_graph_style import GraphStyle


def node_detail(subgraph: Subgraph, style: GraphStyle, row: int) -> Detail:
    """Return the name, cost and number of calls of a function or cycle."""
    node, recorded = node_at(subgraph.node, row), style.shows_recorded_costs
    cost = as_number((subgraph.recorded_cost if recorded else subgraph.cost)[row])
    costs = cost_details(style.format, cost, is_exact=recorded or bool(subgraph.is_exact[row]))
    count = count_detail(
        style.format,
        int(subgraph.count[row]),
        is_exact=bool(subgraph.count_is_exact[row]),
        is_active=bool(subgraph.node_is_active[row]),
    )
    return Detail(cell_text(style.labels.name(node)), (*costs, *count), style.color(node))


def call_detail(subgraph: Subgraph, style: GraphStyle, row: int) -> Detail:
    """Return both ends, cost and number of calls of an arrow."""
    recorded = style.shows_recorded_costs
    ends = (node_at(subgraph.node, int(end[row])) for end in (subgraph.caller, subgraph.callee))
    cost = as_number((subgraph.recorded_call_cost if recorded else subgraph.call_cost)[row])
    costs = cost_details(style.format, cost, is_exact=recorded or bool(subgraph.call_is_exact[row]))
    count = count_detail(
        style.format,
        int(subgraph.call_count[row]),
        is_exact=bool(subgraph.call_count_is_exact[row]),
        is_active=bool(subgraph.call_is_active[row]),
    )
    name = " → ".join(cell_text(style.labels.name(node)) for node in ends)
    return Detail(name, (*costs, *count))
