"""The boxes and arrows of the call graph: their texts, sizes, tooltips and changes.

A job creates them once for each picture; no widget is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.analysis.explanation.exactness import exactness_text
from qcachegrind_py.analysis.names.elisions import fitted_name
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.base.columns import ESTIMATE
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.graph.calls import INNER_CALL
from qcachegrind_py.models.graph.sides import ComparedCosts, GraphSides
from qcachegrind_py.present.diagram import arrow_thickness
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.picture import (
    BAR_HEIGHT,
    GONE,
    NEW,
    PADDING,
    Arrow,
    Box,
    Change,
    Detail,
    Line,
    TextMeasure,
)
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.profile.number_format import ACTIVE, plural
from qcachegrind_py.views.pictures.detail_line import cost_details, count_detail

_MAX_NAME_DIGITS = 36  # width in digits: longer names are shortened
_MIN_WIDTH_DIGITS = 11
_COUNT_SEPARATOR = " · "
_TIMES = "×"
_LABEL_GAP = 6.0  # pixels between an arrow and its label, both sides in total
_BUTTON_WIDTH = 16.0  # pixels of the button that opens a cycle
_ESTIMATED_OPACITY = 0.35  # for the colour of a small box with an estimate
_OMITTED_CALLS = {  # columns of the subgraph
    "omitted_incoming_cost": "calls to it",
    "omitted_outgoing_cost": "its calls",
}
DOUBTFUL_CHANGE = "Changes of estimates may be there although nothing changed."
_WORD_LINES = {
    NEW: "New: costs nothing here in the base",
    GONE: "Gone: costs nothing here in the new profile",
}
_NO_COUNTS = ("The base counts no calls.", "The new profile counts no calls.")
_NO_COSTS = ("The base has no such costs.", "The new profile has no such costs.")


@dataclass(frozen=True, slots=True)
class GraphStyle:
    """Names, formats and colours of a graph.

    With `shows_recorded_costs`, costs are as recorded, whichever function is active.
    """

    labels: Labels
    format: CostFormat
    color: Callable[[NodeId], str]  # colour of a node's group
    active_node: NodeId
    shows_recorded_costs: bool = False
    shows_counts: bool = False  # whether boxes say how often their functions were called
    shows_stubs: bool = False  # whether each box with omitted calls has short arrows
    recording_advice: str = ""  # command that records exact costs; empty if there is none
    sides: GraphSides | None = None  # base and new, while profiles are compared

    @property
    def node_costs(self) -> ComparedCosts | None:
        """The shown costs of nodes on both sides; None without a comparison."""
        if self.sides is None:
            return None
        return self.sides.recorded_nodes if self.shows_recorded_costs else self.sides.nodes

    @property
    def call_costs(self) -> ComparedCosts | None:
        """The shown costs of calls on both sides; None without a comparison."""
        if self.sides is None:
            return None
        return self.sides.recorded_calls if self.shows_recorded_costs else self.sides.calls


@dataclass(frozen=True, slots=True)
class GraphMeasures:
    """The sizes of texts in boxes, in the box of the active function, and beside arrows."""

    plain: TextMeasure
    bold: TextMeasure
    small: TextMeasure


def graph_boxes(subgraph: Subgraph, style: GraphStyle, measures: GraphMeasures) -> list[Box]:
    """Return the boxes of all nodes; the name of the active one is measured in bold."""
    connected = {*subgraph.caller.tolist(), *subgraph.callee.tolist()}
    return [
        _box(subgraph, style, row, measures, row in connected) for row in range(len(subgraph.node))
    ]


def _box(
    subgraph: Subgraph, style: GraphStyle, row: int, measures: GraphMeasures, is_connected: bool
) -> Box:
    node, plain, compared = node_at(subgraph.node, row), measures.plain, style.node_costs
    is_active, is_cycle = node == style.active_node, style.labels.is_cycle(node)
    bold, digit = measures.bold if is_active else plain, plain.width("0")
    name = _shortened(cell_text(style.labels.name(node)), bold, digit * _MAX_NAME_DIGITS)
    cost, is_exact, number = _node_cost(subgraph, style, row)
    if style.shows_counts:
        cost = _COUNT_SEPARATOR.join(filter(None, (cost, _node_count_text(subgraph, style, row))))
    widest = max(bold.width(name), plain.width(cost), digit * _MIN_WIDTH_DIGITS)
    return Box(
        key=node,
        name=name,
        cost=cost,
        share=style.format.share(number),
        width=round(widest + 2 * PADDING + (_BUTTON_WIDTH if is_cycle else 0.0)),
        height=round(2 * plain.height + BAR_HEIGHT + 2.2 * PADDING),
        color=style.color(node),
        tip=_node_tip(subgraph, style, row),
        detail=_node_detail(subgraph, style, row),
        is_active=is_active,
        is_exact=is_exact,
        opacity=1.0 if is_exact else _ESTIMATED_OPACITY,
        stubs=_stubs(subgraph, row) if style.shows_stubs or not is_connected else (False, False),
        has_button=is_cycle,
        change=None if compared is None else _change(compared, row),
    )


def _stubs(subgraph: Subgraph, row: int) -> tuple[bool, bool]:
    omitted = subgraph.omitted_incoming_cost, subgraph.omitted_outgoing_cost
    return bool(omitted[0][row] > 0), bool(omitted[1][row] > 0)


def _change(compared: ComparedCosts, row: int) -> Change:
    return Change.between(compared.values(row), compared.strength(row), compared.word(row))


def _shortened(name: str, measure: TextMeasure, width: float) -> str:
    """Return as much of a name as fits into a width."""
    fitted = fitted_name(name, lambda text: measure.width(text) <= width)
    return measure.elided(fitted.text, width)


def graph_arrows(subgraph: Subgraph, style: GraphStyle, small: TextMeasure) -> list[Arrow]:
    """Return the arrows of all calls, with labels measured by `small`."""
    return [_arrow(subgraph, style, row, small) for row in range(len(subgraph.caller))]


def _arrow(subgraph: Subgraph, style: GraphStyle, row: int, small: TextMeasure) -> Arrow:
    is_exact = style.shows_recorded_costs or bool(subgraph.call_is_exact[row])
    costs = subgraph.recorded_call_cost if style.shows_recorded_costs else subgraph.call_cost
    number, compared = as_number(costs[row]), style.call_costs
    cost = ("" if is_exact else ESTIMATE) + style.format.with_unit(number)
    if compared is not None:
        cost = compared.cost_text(row)
    labels = tuple(filter(None, (cost, _call_count_text(subgraph, style, row))))
    thickness = arrow_thickness(style.format.share(number))
    line = Line.EXACT if is_exact else Line.ESTIMATED
    line = Line.INNER if subgraph.is_inner[row] else line
    return Arrow(
        source=int(subgraph.caller[row]),
        target=int(subgraph.callee[row]),
        labels=labels,
        thickness=thickness,
        width=round(max(map(small.width, labels)) + _LABEL_GAP + thickness),
        height=round(len(labels) * small.height + thickness / 2),
        line=line,
        tip=_call_tip(subgraph, style, row),
        detail=_call_detail(subgraph, style, row),
        strength=0.0 if compared is None else compared.strength(row),
    )


# -------------------------------------------------------------------- texts in the picture


def _node_cost(subgraph: Subgraph, style: GraphStyle, row: int) -> tuple[str, bool, int | float]:
    exact = style.shows_recorded_costs or bool(subgraph.is_exact[row])
    number = as_number(
        (subgraph.recorded_cost if style.shows_recorded_costs else subgraph.cost)[row]
    )
    compared = style.node_costs
    if compared is not None:
        return compared.cost_text(row), exact, number
    return ("" if exact else ESTIMATE) + style.format.with_unit(number), exact, number


def _call_count_text(subgraph: Subgraph, style: GraphStyle, row: int) -> str:
    """Return the number of calls; empty if it is 0, as for a cycle that calls its member.

    An estimate counts calls on paths through the active function, so it is left out beside
    recorded costs.
    """
    if (compared := style.call_costs) is not None:
        return compared.calls_text(row) if _has_count(compared, style, row) else ""
    if subgraph.call_is_active[row]:
        return ACTIVE
    count = int(subgraph.call_count[row])
    is_exact = bool(subgraph.call_count_is_exact[row])
    if not count or (style.shows_recorded_costs and not is_exact):
        return ""
    mark = "" if is_exact else ESTIMATE
    return f"{mark}{style.format.count_text(count)} {plural(count, 'call')}"


def _node_count_text(subgraph: Subgraph, style: GraphStyle, row: int) -> str:
    """Return how often a function was called on paths through the active one; empty if 0.

    As for calls, an estimate is left out beside recorded costs.
    """
    if (compared := style.node_costs) is not None:
        counts = compared.count_text(row) if _has_count(compared, style, row) else ""
        return counts + _TIMES if counts and counts != ACTIVE else counts
    if subgraph.node_is_active[row]:
        return ACTIVE
    count, is_exact = int(subgraph.count[row]), bool(subgraph.count_is_exact[row])
    if not count or (style.shows_recorded_costs and not is_exact):
        return ""
    return ("" if is_exact else ESTIMATE) + style.format.count_text(count) + _TIMES


def _has_count(compared: ComparedCosts, style: GraphStyle, row: int) -> bool:
    return bool(compared.count_is_exact[row]) or not style.shows_recorded_costs


# -------------------------------------------------------------------- tooltips


def _node_tip(subgraph: Subgraph, style: GraphStyle, row: int) -> str:
    if style.sides is not None:
        return _compared_node_tip(style.sides, style, row)
    node = node_at(subgraph.node, row)
    cost = _cost_text(subgraph.cost, row, style)
    mark = "" if subgraph.is_exact[row] else ESTIMATE
    lines = style.labels.details(node)
    if node != style.active_node:
        active = cell_text(style.labels.name(style.active_node))
        lines.append(f"{mark}{cost} on call paths through {active}")
    lines.append(f"{_cost_text(subgraph.recorded_cost, row, style)} inclusive in total")
    lines += [
        f"{_cost_text(costs, row, style)} in {what} not drawn"
        for column, what in _OMITTED_CALLS.items()
        if (costs := getattr(subgraph, column))[row] > 0
    ]
    return tip_text(*lines, exactness_text(bool(subgraph.is_exact[row]), style.recording_advice))


def _call_tip(subgraph: Subgraph, style: GraphStyle, row: int) -> str:
    if style.sides is not None:
        return _compared_call_tip(style.sides, style, row)
    caller, callee = _end_names(subgraph, style, row)
    exact = bool(subgraph.call_is_exact[row])
    mark = "" if exact else ESTIMATE
    count = _call_count_text(subgraph, style, row)
    lines = [caller, f"→ {callee}", mark + _cost_text(subgraph.call_cost, row, style)]
    lines += [count] if count else []
    lines.append(f"{_cost_text(subgraph.recorded_call_cost, row, style)} for this call in total")
    if subgraph.is_inner[row]:
        lines.append(INNER_CALL)
    return tip_text(*lines, exactness_text(exact, style.recording_advice))


def _cost_text(costs: CostArray, row: int, style: GraphStyle) -> str:
    return style.format.full_text(as_number(costs[row]))


def _end_names(subgraph: Subgraph, style: GraphStyle, row: int) -> list[str]:
    ends = (node_at(subgraph.node, int(end[row])) for end in (subgraph.caller, subgraph.callee))
    return [style.labels.name(node) for node in ends]


def _compared_node_tip(sides: GraphSides, style: GraphStyle, row: int) -> str:
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
    lines += _compared_omission_lines(sides, style, row)
    return tip_text(*lines, *_compared_exactness(costs, style, row))


def _compared_call_tip(sides: GraphSides, style: GraphStyle, row: int) -> str:
    graph, costs = sides.graph.new, sides.calls
    caller, callee = _end_names(graph, style, row)
    word, recorded = costs.word(row), sides.recorded_calls
    lines = [caller, f"→ {callee}"]
    lines += [_WORD_LINES[word]] if word else []
    lines += [costs.cost_text(row), costs.exact_text(row)]
    lines.append(f"{recorded.cost_text(row)} for this call in total")
    lines += _why_lines(costs, row)
    lines += [INNER_CALL] if graph.is_inner[row] else []
    return tip_text(*lines, *_compared_exactness(costs, style, row))


def _why_lines(costs: ComparedCosts, row: int) -> list[str]:
    """Return how often it was called on both sides, and what that adds to the change."""
    counts, why = costs.calls_text(row), costs.why_tip(row)
    lines = [counts] if counts else []
    lines += [why] if why else []
    pairs = zip(_NO_COUNTS, costs.formats.has_counts, strict=True)
    lines += [text for text, is_there in pairs if not is_there]
    pairs = zip(_NO_COSTS, costs.formats.has_cost, strict=True)
    return lines + [text for text, is_there in pairs if not is_there]


def _compared_omission_lines(sides: GraphSides, style: GraphStyle, row: int) -> list[str]:
    """Return what the calls of a node cost that are not drawn, in absolute numbers."""
    lines = []
    for column, what in _OMITTED_CALLS.items():
        omitted = sides.graph.sides(column)
        costs = [as_number(side[row]) for side in (omitted.base, omitted.new)]
        texts = dict.fromkeys(map(style.format.absolute_text, costs))
        lines += [f"{' → '.join(texts)} in {what} not drawn"] if any(costs) else []
    return lines


def _compared_exactness(costs: ComparedCosts, style: GraphStyle, row: int) -> list[str]:
    is_exact = bool(costs.is_exact[row])
    lines = [exactness_text(is_exact, style.recording_advice)]
    return lines if is_exact else [*lines, DOUBTFUL_CHANGE]


# -------------------------------------------------------------------- the line below the picture


def _node_detail(subgraph: Subgraph, style: GraphStyle, row: int) -> Detail:
    """Return the name, cost and number of calls of a function or cycle."""
    node, recorded = node_at(subgraph.node, row), style.shows_recorded_costs
    name, color = cell_text(style.labels.name(node)), style.color(node)
    if style.node_costs is not None:
        return Detail(name, _compared_numbers(style.node_costs, row), color)
    cost = as_number((subgraph.recorded_cost if recorded else subgraph.cost)[row])
    costs = cost_details(style.format, cost, is_exact=recorded or bool(subgraph.is_exact[row]))
    count = count_detail(
        style.format,
        int(subgraph.count[row]),
        is_exact=bool(subgraph.count_is_exact[row]),
        is_active=bool(subgraph.node_is_active[row]),
    )
    return Detail(name, (*costs, *count), color)


def _call_detail(subgraph: Subgraph, style: GraphStyle, row: int) -> Detail:
    """Return both ends, cost and number of calls of an arrow."""
    recorded = style.shows_recorded_costs
    name = " → ".join(map(cell_text, _end_names(subgraph, style, row)))
    if style.call_costs is not None:
        return Detail(name, _compared_numbers(style.call_costs, row))
    cost = as_number((subgraph.recorded_call_cost if recorded else subgraph.call_cost)[row])
    costs = cost_details(style.format, cost, is_exact=recorded or bool(subgraph.call_is_exact[row]))
    count = count_detail(
        style.format,
        int(subgraph.call_count[row]),
        is_exact=bool(subgraph.call_count_is_exact[row]),
        is_active=bool(subgraph.call_is_active[row]),
    )
    return Detail(name, (*costs, *count))


def _compared_numbers(costs: ComparedCosts, row: int) -> tuple[str, ...]:
    texts = costs.cost_text(row), costs.calls_text(row), costs.why_text(row)
    return tuple(text for text in texts if text)


# -------------------------------------------------------------------- tables


def table_formats(style: GraphStyle) -> tuple[CostFormat, CostFormat]:
    """Return the formats of the tables of nodes and of calls: of changes in a comparison."""
    if style.sides is None:
        return style.format, style.format
    changes = style.sides.nodes.formats.changes
    if changes.is_ratio:  # they have no bars
        return changes, changes
    nodes, calls = style.sides.nodes.largest_change, style.sides.calls.largest_change
    return replace(changes, bar_base=nodes), replace(changes, bar_base=calls)
