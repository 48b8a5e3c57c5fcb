"""Tips of boxes and arrows, and the line below the picture, with base, new and why."""

from __future__ import annotations

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.analysis.explanation.numbers import exactness_text
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.graph.calls import INNER_CALL
from qcachegrind_py.models.graph.sides import GONE, NEW, ComparedCosts, GraphSides
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.views.common.pictures.detail_line import Detail
from qcachegrind_py.views.graph.call_graph_style import OMITTED_CALLS, GraphStyle

DOUBTFUL_CHANGE = "Changes of estimates may be there although nothing changed."
_COLORS = "vermilion grew, blue shrank"
_SHAPES = {NEW: "double outline: new", GONE: "hatched: gone"}
_WORD_LINES = {
    NEW: "New: costs nothing here in the base",
    GONE: "Gone: costs nothing here in the new profile",
}
_NO_COUNTS = ("The base counts no calls.", "The new profile counts no calls.")
_NO_COSTS = ("The base has no such costs.", "The new profile has no such costs.")


def compared_legend(sides: GraphSides) -> list[str]:
    """Return what colours and outlines mean, as far as the picture has them."""
    words = {sides.nodes.word(row) for row in range(len(sides.graph.new.node))}
    return [_COLORS, *(text for word, text in _SHAPES.items() if word in words)]


def node_tooltip(sides: GraphSides, style: GraphStyle, row: int) -> str:
    """Return the tooltip of a node."""
    node, costs = node_at(sides.graph.new.node, row), sides.nodes
    lines = style.labels.details(node)
    mark, word = sides.mark(node), costs.word(row)
    lines += [_WORD_LINES[word]] if word else []
    lines += [f"In lists: {mark}"] if mark not in ("", word) else []
    if node != style.active_node:
        active = cell_text(style.labels.name(style.active_node))
        lines += [f"{costs.cost_text(row)} on call paths through {active}", costs.exact_text(row)]
    lines.append(f"{sides.recorded_nodes.cost_text(row)} inclusive in total")
    if node == style.active_node:
        lines.append(sides.recorded_nodes.exact_text(row))
    lines += _why_lines(costs, row)
    lines += _omitted_call_lines(sides, style, row)
    return tip_text(*lines, *_exactness_lines(costs, style, row))


def call_tooltip(sides: GraphSides, style: GraphStyle, row: int) -> str:
    """Return the tooltip of an arrow."""
    graph, costs = sides.graph.new, sides.calls
    caller, callee = (style.labels.name(node) for node in _ends(graph, row))
    word, recorded = costs.word(row), sides.recorded_calls
    lines = [caller, f"→ {callee}"]
    lines += [_WORD_LINES[word]] if word else []
    lines += [costs.cost_text(row), costs.exact_text(row)]
    lines.append(f"{recorded.cost_text(row)} for this call in total")
    lines += _why_lines(costs, row)
    lines += [INNER_CALL] if graph.is_inner[row] else []
    return tip_text(*lines, *_exactness_lines(costs, style, row))


def node_detail(sides: GraphSides, style: GraphStyle, row: int) -> Detail:
    """Return the name, the costs and the numbers of calls of a function or cycle."""
    node, costs = node_at(sides.graph.new.node, row), style.node_costs or sides.nodes
    numbers = _detail_numbers(costs, row)
    return Detail(cell_text(style.labels.name(node)), numbers, style.color(node))


def call_detail(sides: GraphSides, style: GraphStyle, row: int) -> Detail:
    """Return both ends, the costs and the numbers of calls of an arrow."""
    ends, costs = _ends(sides.graph.new, row), style.call_costs or sides.calls
    name = " → ".join(cell_text(style.labels.name(node)) for node in ends)
    return Detail(name, _detail_numbers(costs, row))


def _ends(graph: Subgraph, row: int) -> list[NodeId]:
    return [node_at(graph.node, int(end[row])) for end in (graph.caller, graph.callee)]


def _detail_numbers(costs: ComparedCosts, row: int) -> tuple[str, ...]:
    texts = costs.cost_text(row), costs.calls_text(row), costs.why_text(row)
    return tuple(text for text in texts if text)


def _why_lines(costs: ComparedCosts, row: int) -> list[str]:
    """Return how often it was called on both sides, and what that adds to the change."""
    counts, why = costs.calls_text(row), costs.why_tip(row)
    lines = [counts] if counts else []
    lines += [why] if why else []
    pairs = zip(_NO_COUNTS, costs.formats.has_counts, strict=True)
    lines += [text for text, is_there in pairs if not is_there]
    pairs = zip(_NO_COSTS, costs.formats.has_cost, strict=True)
    return lines + [text for text, is_there in pairs if not is_there]


def _omitted_call_lines(sides: GraphSides, style: GraphStyle, row: int) -> list[str]:
    """Return what the calls of a node cost that are not drawn, in absolute numbers."""
    lines = []
    for column, what in OMITTED_CALLS.items():
        omitted = sides.graph.sides(column)
        costs = [as_number(side[row]) for side in (omitted.base, omitted.new)]
        texts = dict.fromkeys(map(style.format.absolute_text, costs))
        lines += [f"{' → '.join(texts)} in {what} not drawn"] if any(costs) else []
    return lines


def _exactness_lines(costs: ComparedCosts, style: GraphStyle, row: int) -> list[str]:
    is_exact = bool(costs.is_exact[row])
    lines = [exactness_text(is_exact, style.recording_advice)]
    return lines if is_exact else [*lines, DOUBTFUL_CHANGE]
