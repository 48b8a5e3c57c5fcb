"""The call graph around a function: its figures, its boxes and arrows, and its two tables.

Costs are those of call paths through the active function, or costs as recorded. A job computes
all of it; the sizes of texts come from the window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import ceil

import numpy as np

from qcachegrind_py.analysis.calls.cost_flow import MIN_SHARE
from qcachegrind_py.analysis.calls.subgraph import Subgraph, SubgraphLimits
from qcachegrind_py.analysis.costs.function_costs import CallEdges
from qcachegrind_py.analysis.explanation.numbers import exactness_text
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import (
    NO_COUNTS,
    NO_FIGURES,
    NO_NUMBERS,
    NO_REASONS,
    WORD_GONE,
    WORD_NEW,
    Counts,
    Figures,
    Reasons,
)
from qcachegrind_py.present.picture import (
    BAR_HEIGHT,
    PADDING,
    Arrangement,
    Arrow,
    Box,
    Change,
    Detail,
    Diagram,
    Frame,
    Line,
    TextMeasure,
    arrow_thickness,
    lay_out,
)
from qcachegrind_py.present.table import (
    ACTIVE_TIP,
    ESTIMATED,
    Column,
    NameCells,
    PathCountCells,
    Table,
    cell_text,
    cost_column,
    exactness_column,
    name_columns,
    reason_column,
    side_columns,
)
from qcachegrind_py.present.unit import ESTIMATE, Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at, node_ids
from qcachegrind_py.profile.numbers import ACTIVE, plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout

_MAX_NAME_DIGITS = 36  # width in digits: longer names are shortened
_MIN_WIDTH_DIGITS = 11
_COUNT_SEPARATOR = " · "
_TIMES = "×"
_LABEL_GAP = 6.0  # pixels between an arrow and its label, both sides in total
_BUTTON_WIDTH = 16.0  # pixels of the button that opens a cycle
_ESTIMATED_OPACITY = 0.35  # for the colour of a small box with an estimate
# for a row or an arrow between members of an expanded cycle
_INNER_CALL = "A call inside a cycle; its cost is counted where the cycle is entered."
_DOUBTFUL_CHANGE = "Changes of estimates may be there although nothing changed."
_WORD_LINES = {
    WORD_NEW: "New: costs nothing here in the base",
    WORD_GONE: "Gone: costs nothing here in the new profile",
}
_NO_COUNTS = ("The base counts no calls.", "The new profile counts no calls.")
_NO_COSTS = ("The base has no such costs.", "The new profile has no such costs.")
_COLORS = "vermilion grew, blue shrank"
_SHAPES = {WORD_NEW: "double outline: new", WORD_GONE: "hatched: gone"}


# -------------------------------------------------------------------- figures


@frozen
class FlowFigures:
    """The numbers of nodes, or of calls, shape (rows,) each."""

    on_paths: Figures = NO_FIGURES  # through the active function
    recorded: Figures = NO_FIGURES
    counts: Counts = NO_COUNTS  # of calls on these paths
    reasons: Reasons = NO_REASONS
    recorded_reasons: Reasons = NO_REASONS


@frozen
class CallGraph:
    """What is drawn of the calls around a function or cycle; in a comparison, of both sides."""

    subgraph: Subgraph  # in a comparison, the larger number of both sides
    labels: Labels
    active: NodeId
    nodes: FlowFigures
    calls: FlowFigures
    self_cost: Figures  # of nodes
    omitted: tuple[tuple[str, Figures], ...]  # costs of calls that are not drawn, of each node
    mark: Callable[[NodeId], str]  # the word that marks a function in lists, such as "moved"
    recording_advice: str = ""  # command that records exact costs; empty if there is none

    @property
    def unit(self) -> Unit:
        return self.nodes.on_paths.unit

    @property
    def is_compared(self) -> bool:
        return self.nodes.on_paths.is_compared

    def node(self, row: int) -> NodeId:
        return node_at(self.subgraph.node, row)

    def ends(self, call: int) -> tuple[NodeId, NodeId]:
        subgraph = self.subgraph
        return self.node(int(subgraph.caller[call])), self.node(int(subgraph.callee[call]))


_OMITTED = (("calls to it", "omitted_incoming_cost"), ("its calls", "omitted_outgoing_cost"))


def call_graph(
    query: ViewQuery, event: EventType, limits: SubgraphLimits, recording_advice: str
) -> CallGraph:
    """Return the calls around the active function, in a comparison of both sides."""
    context, queries = query.context, query.queries
    scopes = [scope for scope in (context.base, context.scope) if scope is not None]
    subgraph = queries.subgraph(context.function, event, scopes, limits, query.visible_nodes())
    unit, known = query.call_unit(event, context.function), [(True, True), (True, True)]
    if context.base is not None:
        totals = [queries.total(event, scope.parts).base for scope in scopes]
        unit = replace(query.unit(event), bar_total=max(totals))
        sides = zip(query.known(event), map(queries.call_edges, scopes), strict=True)
        # whether a side has costs, and whether these come with counts
        known = [(has_event and _have_calls(edges), edges.has_counts) for has_event, edges in sides]
    has_costs = known[0][0], known[1][0]
    has_counts = all(known[0]), all(known[1])

    def costs(column: str, is_exact: BoolArray | None = None) -> Figures:
        base, new = (getattr(side, column) for side in subgraph.sides)
        return Figures(unit, new, base, has_costs, None if is_exact is None else ~is_exact)

    def counts(column: str, active_column: str, is_exact: BoolArray) -> Counts:
        base, new = (getattr(side, column) for side in subgraph.sides)
        before, now = (getattr(side, active_column) for side in subgraph.sides)
        return Counts(new, base, unit.style, has_counts, (before, now), ~is_exact)

    def flow(
        on_paths: Figures, recorded: Figures, counts: Counts, *splits: BoolArray
    ) -> FlowFigures:
        reasons, recorded_reasons = (
            Reasons(figures, counts, split)
            for figures, split in zip((on_paths, recorded), splits, strict=True)
        )
        recorded = replace(recorded, unit=on_paths.unit)
        return FlowFigures(on_paths, recorded, counts, reasons, recorded_reasons)

    nodes = flow(
        costs("cost", subgraph.is_exact).with_longest_bar(),
        costs("recorded_cost"),
        counts("count", "node_is_active", subgraph.count_is_exact),
        subgraph.is_split,
        np.zeros(len(subgraph.node), bool),  # the costs are those of other calls, too
    )
    calls = flow(
        costs("call_cost", subgraph.call_is_exact).with_longest_bar(),
        costs("recorded_call_cost"),
        counts("call_count", "call_is_active", subgraph.call_count_is_exact),
        subgraph.call_is_split,
        subgraph.call_is_split,
    )
    self_cost = replace(costs("self_cost", subgraph.self_is_exact), unit=nodes.on_paths.unit)
    omitted = tuple((what, costs(column)) for what, column in _OMITTED)
    return CallGraph(
        subgraph, query.labels(), context.function, nodes, calls, self_cost, omitted, query.mark,
        recording_advice,
    )  # fmt: skip


def _have_calls(edges: CallEdges) -> bool:
    return len(edges) > 0 if edges.occurs is None else bool(edges.occurs.any())


# -------------------------------------------------------------------- boxes and arrows


@frozen(eq=True)
class GraphLook:
    """What boxes and arrows show, and how large their texts are."""

    color: Callable[[NodeId], str]  # colour of a node's group
    plain: TextMeasure
    bold: TextMeasure  # of the active function's name
    small: TextMeasure  # of labels of arrows
    shows_recorded: bool = False  # costs as recorded, whichever function is active
    shows_counts: bool = False  # whether boxes say how often their functions were called
    shows_stubs: bool = False  # whether each box with omitted calls has short arrows

    def costs(self, flow: FlowFigures) -> Figures:
        return flow.recorded if self.shows_recorded else flow.on_paths


def graph_boxes(graph: CallGraph, look: GraphLook) -> list[Box]:
    subgraph = graph.subgraph
    connected = {*subgraph.caller.tolist(), *subgraph.callee.tolist()}
    return [_box(graph, look, row, row in connected) for row in range(len(subgraph.node))]


def _box(graph: CallGraph, look: GraphLook, row: int, is_connected: bool) -> Box:
    node, plain, costs = graph.node(row), look.plain, look.costs(graph.nodes)
    is_active, is_cycle = node == graph.active, graph.labels.is_cycle(node)
    bold, digit = look.bold if is_active else plain, plain.width("0")
    name = _shortened(cell_text(graph.labels.name(node)), bold, digit * _MAX_NAME_DIGITS)
    cost = costs.both(row)
    if look.shows_counts:
        cost = _COUNT_SEPARATOR.join(filter(None, (cost, _times(graph.nodes.counts, look, row))))
    widest = max(bold.width(name), plain.width(cost), digit * _MIN_WIDTH_DIGITS)
    is_exact = not costs.is_estimated(row)
    has_stubs = look.shows_stubs or not is_connected
    return Box(
        key=node,
        name=name,
        cost=cost,
        share=graph.unit.bar(_drawn_cost(costs, row)),
        width=round(widest + 2 * PADDING + (_BUTTON_WIDTH if is_cycle else 0.0)),
        height=round(2 * plain.height + BAR_HEIGHT + 2.2 * PADDING),
        color=look.color(node),
        tip=partial(_node_tip, graph, row),
        detail=partial(_node_detail, graph, look, row),
        is_active=is_active,
        is_exact=is_exact,
        opacity=1.0 if is_exact else _ESTIMATED_OPACITY,
        stubs=_stubs(graph.subgraph, row) if has_stubs else (False, False),
        has_button=is_cycle,
        change=Change.of(costs, row),
    )


def _drawn_cost(costs: Figures, row: int) -> int | float:
    """Return the cost that bars and arrows are as long and thick as: the larger one."""
    return max(as_number(costs.base[row]), as_number(costs.new[row]))


def _stubs(subgraph: Subgraph, row: int) -> tuple[bool, bool]:
    omitted = subgraph.omitted_incoming_cost, subgraph.omitted_outgoing_cost
    return bool(omitted[0][row] > 0), bool(omitted[1][row] > 0)


def _shortened(name: str, measure: TextMeasure, width: float) -> str:
    fitted = fitted_name(name, lambda text: measure.width(text) <= width)
    return measure.elided(fitted.text, width)


def graph_arrows(graph: CallGraph, look: GraphLook) -> list[Arrow]:
    return [_arrow(graph, look, row) for row in range(len(graph.subgraph.caller))]


def _arrow(graph: CallGraph, look: GraphLook, row: int) -> Arrow:
    subgraph, costs, small = graph.subgraph, look.costs(graph.calls), look.small
    labels = tuple(filter(None, (costs.both(row), _calls_text(graph.calls.counts, look, row))))
    thickness = arrow_thickness(graph.unit.bar(_drawn_cost(costs, row)))
    line = Line.ESTIMATED if costs.is_estimated(row) else Line.EXACT
    return Arrow(
        source=int(subgraph.caller[row]),
        target=int(subgraph.callee[row]),
        labels=labels,
        thickness=thickness,
        width=round(max(map(small.width, labels)) + _LABEL_GAP + thickness),
        height=round(len(labels) * small.height + thickness / 2),
        line=Line.INNER if subgraph.is_inner[row] else line,
        tip=partial(_call_tip, graph, row),
        detail=partial(_call_detail, graph, look, row),
        strength=costs.strength(row) if costs.is_compared else 0.0,
    )


def _calls_text(counts: Counts, look: GraphLook, row: int) -> str:
    """Return the number of calls; empty if it is 0, as for a cycle that calls its member.

    An estimate counts calls on paths through the active function, so it is left out beside
    recorded costs.
    """
    is_estimate = counts.is_estimated(row)
    is_left_out = look.shows_recorded and is_estimate and not counts.is_active(row)
    return "" if is_left_out else counts.calls_text(row)


def _times(counts: Counts, look: GraphLook, row: int) -> str:
    """Return how often a function was called, as it is written in boxes; empty if 0."""
    shown = _calls_text(counts, look, row)
    return shown if shown in ("", ACTIVE) else counts.text(row) + _TIMES


def _node_detail(graph: CallGraph, look: GraphLook, row: int) -> Detail:
    node = graph.node(row)
    numbers = _detail_numbers(graph.nodes, look, row)
    return Detail(cell_text(graph.labels.name(node)), numbers, look.color(node))


def _call_detail(graph: CallGraph, look: GraphLook, row: int) -> Detail:
    name = " → ".join(cell_text(graph.labels.name(node)) for node in graph.ends(row))
    return Detail(name, _detail_numbers(graph.calls, look, row))


def _detail_numbers(flow: FlowFigures, look: GraphLook, row: int) -> tuple[str, ...]:
    """Return the costs and the number of calls, and why they changed."""
    reasons = flow.recorded_reasons if look.shows_recorded else flow.reasons
    texts = *look.costs(flow).details(row), flow.counts.calls_text(row), reasons.text(row)
    return tuple(filter(None, texts))


def graph_diagram(
    graph: CallGraph,
    look: GraphLook,
    frames: Sequence[Frame],
    arrangement: Arrangement,
    layout: GraphLayout,
    progress: Progress,
) -> Diagram:
    """Lay out the graph around its active function. Raises what `GraphLayout.layout` raises."""
    active, boxes, arrows = (
        graph.subgraph.active,
        graph_boxes(graph, look),
        graph_arrows(graph, look),
    )
    return lay_out(
        boxes, arrows, frames, arrangement, look.small, layout, progress, anchor=active, home=active
    )


def graph_frames(
    graph: CallGraph, query: ViewQuery, color: Callable[[NodeId], str], *, of_groups: bool
) -> list[Frame]:
    """Return a frame for each expanded cycle and, as an option, for groups of other nodes."""
    members: dict[tuple[NodeId, str], list[int]] = {}
    group, subgraph = query.group_namer(), graph.subgraph
    for row, (node, cycle) in enumerate(
        zip(node_ids(subgraph.node), node_ids(subgraph.cluster), strict=True)
    ):
        if cycle != NO_NODE:
            members.setdefault((cycle, graph.labels.name(cycle)), []).append(row)
        elif of_groups:
            members.setdefault((NO_NODE, group(node)), []).append(row)
    return [
        Frame(
            tuple(rows),
            cell_text(name),
            color(graph.node(rows[0])),
            is_active=cycle != NO_NODE and cycle == graph.active,
        )
        for (cycle, name), rows in members.items()
        if cycle != NO_NODE or (len(rows) > 1 and name not in ("", UNKNOWN))
    ]


# -------------------------------------------------------------------- tips


def _node_tip(graph: CallGraph, row: int) -> tuple[str, ...]:
    node, flow = graph.node(row), graph.nodes
    mark, word = graph.mark(node), flow.on_paths.word(row)
    lines = [*graph.labels.details(node), _WORD_LINES.get(word, "")]
    if graph.is_compared and mark not in ("", word):
        lines.append(f"In lists: {mark}")
    if node != graph.active:
        active = cell_text(graph.labels.name(graph.active))
        lines += _cost_lines(flow.on_paths, row, f" on call paths through {active}")
    lines.append(f"{_full_text(flow.recorded, row)} inclusive in total")
    if node == graph.active and graph.is_compared:
        lines.append(flow.recorded.exact_sides(row))
    lines += _why_lines(flow, row) if graph.is_compared else []
    lines += [
        f"{_omitted_text(costs, row)} in {what} not drawn"
        for what, costs in graph.omitted
        if _drawn_cost(costs, row) > 0
    ]
    return (*filter(None, lines), *_exactness_lines(graph, flow.on_paths, row))


def _call_tip(graph: CallGraph, row: int) -> tuple[str, ...]:
    flow = graph.calls
    caller, callee = (graph.labels.name(node) for node in graph.ends(row))
    lines = [caller, f"→ {callee}", _WORD_LINES.get(flow.on_paths.word(row), "")]
    lines += _cost_lines(flow.on_paths, row, "")
    total = f"{_full_text(flow.recorded, row)} for this call in total"
    if graph.is_compared:
        lines += [total, *_why_lines(flow, row)]
    else:
        lines += [flow.counts.calls_text(row), total]
    lines.append(_INNER_CALL if graph.subgraph.is_inner[row] else "")
    return (*filter(None, lines), *_exactness_lines(graph, flow.on_paths, row))


def _full_text(costs: Figures, row: int) -> str:
    """Return a cost with its exact count if that was shortened; compared, both costs."""
    if costs.is_compared:
        return costs.both(row)
    mark = ESTIMATE if costs.is_estimated(row) else ""
    return mark + costs.unit.full(as_number(costs.new[row]))


def _cost_lines(costs: Figures, row: int, what: str) -> list[str]:
    line = f"{_full_text(costs, row)}{what}"
    return [line, costs.exact_sides(row)] if costs.is_compared else [line]


def _omitted_text(costs: Figures, row: int) -> str:
    unit = costs.unit
    if not costs.is_compared:
        return unit.full(as_number(costs.new[row]))
    sides = (unit.absolute(as_number(side[row])) for side in (costs.base, costs.new))
    return " → ".join(dict.fromkeys(sides))


def _why_lines(flow: FlowFigures, row: int) -> list[str]:
    """Return how often it was called on both sides, and what that adds to the change."""
    lines = [flow.counts.calls_text(row), flow.reasons.tip(row)]
    known = ((_NO_COUNTS, flow.counts.known), (_NO_COSTS, flow.on_paths.known))
    for texts, are_known in known:
        lines += [text for text, is_known in zip(texts, are_known, strict=True) if not is_known]
    return lines


def _exactness_lines(graph: CallGraph, costs: Figures, row: int) -> list[str]:
    is_exact = not costs.is_estimated(row)
    line = exactness_text(is_exact, graph.recording_advice)
    return [line, _DOUBTFUL_CHANGE] if graph.is_compared and not is_exact else [line]


# -------------------------------------------------------------------- the note below


def summary(graph: CallGraph, *, shows_recorded: bool) -> list[str]:
    """Return how much is shown, what is left out, and a legend of the costs."""
    nodes, calls = len(graph.subgraph.node), len(graph.subgraph.caller)
    return [
        f"{_counted(nodes, 'function')}, {_counted(calls, 'call')}",
        *_change_legend(graph),
        *_omissions(graph),
        *_cost_legend(graph, shows_recorded),
    ]


def _change_legend(graph: CallGraph) -> list[str]:
    """Return what colours and outlines mean, as far as the picture has them."""
    if not graph.is_compared:
        return []
    words = {graph.nodes.on_paths.word(row) for row in range(len(graph.subgraph.node))}
    return [_COLORS, *(text for word, text in _SHAPES.items() if word in words)]


def _omissions(graph: CallGraph) -> list[str]:
    subgraph, parts = graph.subgraph, []
    threshold = max(subgraph.node_threshold, ceil(float(subgraph.cost.max()) * MIN_SHARE))
    if threshold > 0:
        parts.append(f"below {_limit_text(graph.unit, threshold)} left out")
    if subgraph.omitted_nodes:
        bound = _limit_text(graph.unit, subgraph.max_omitted_cost)
        parts.append(f"{subgraph.omitted_nodes} more hidden, with at most {bound} each")
    if subgraph.omitted_calls:
        parts.append(f"{subgraph.omitted_calls} calls hidden")
    connected = {subgraph.active, *subgraph.caller.tolist(), *subgraph.callee.tolist()}
    if unconnected := len(subgraph.node) - len(connected):
        parts.append(f"{unconnected} reached only by hidden calls")
    if subgraph.filtered_nodes:
        parts.append(f"{subgraph.filtered_nodes} hidden by the filter")
    return parts


def _limit_text(unit: Unit, cost: int | float) -> str:
    """Format a limit, which is of both sides and has no quotient of one of them."""
    return unit.with_unit(cost) if unit.divisors is None else unit.absolute(cost)


def _cost_legend(graph: CallGraph, shows_recorded: bool) -> list[str]:
    costs = "costs as recorded"
    if not shows_recorded:
        active = cell_text(graph.labels.name(graph.active))
        costs = f"costs on paths through {active}; dashed and ≈: estimated"
    has_inner = graph.subgraph.is_inner.any()
    return [costs, *(["dotted: calls inside a cycle, as recorded"] if has_inner else [])]


def _counted(count: int, noun: str) -> str:
    return f"{count} {plural(count, noun)}"


# -------------------------------------------------------------------- tables


def node_table(graph: CallGraph) -> Table:
    """Return the table of functions and cycles, with a row for each box."""
    labels, flow, nodes = graph.labels, graph.nodes, graph.subgraph.node

    def tip(row: int) -> tuple[str, ...]:
        is_exact = not flow.on_paths.is_estimated(row)
        return *labels.details(graph.node(row)), exactness_text(is_exact)

    columns = _node_columns(flow, graph.self_cost, labels, nodes)
    return Table(columns, len(nodes), nodes, tip, lambda row: graph.mark(graph.node(row)))


def _node_columns(
    flow: FlowFigures, self_cost: Figures, labels: Labels | None, nodes: Int64Array
) -> tuple[Column, ...]:
    inclusive_tip = f"Part of the active function's cost that passed through here. {ESTIMATED}"
    self_tip = f"Self cost, in proportion to the calls on these paths. {ESTIMATED}"
    return (
        cost_column("inclusive", "Incl.", inclusive_tip, flow.on_paths),
        cost_column("self", "Self", self_tip, self_cost),
        *_side_columns(flow),
        _count_column("Called", flow.counts),
        _recorded_column("Inclusive cost", flow.recorded),
        *name_columns("Function", labels, nodes),
        exactness_column(flow.on_paths.is_estimate, self_cost.is_estimate, flow.counts.is_estimate),
    )


def call_table(graph: CallGraph) -> Table:
    """Return the table of calls, with a row for each arrow, which is about the callee."""
    subgraph, labels, flow = graph.subgraph, graph.labels, graph.calls

    def tip(row: int) -> tuple[str, ...]:
        caller, callee = (labels.full_name(node) for node in graph.ends(row))
        inner = (_INNER_CALL,) if subgraph.is_inner[row] else ()
        is_exact = not flow.on_paths.is_estimated(row)
        return caller, f"→ {callee}", exactness_text(is_exact), *inner

    callers, callees = subgraph.node[subgraph.caller], subgraph.node[subgraph.callee]
    return Table(_call_columns(flow, labels, callers, callees), len(callees), callees, tip)


def _call_columns(
    flow: FlowFigures, labels: Labels | None, callers: Int64Array, callees: Int64Array
) -> tuple[Column, ...]:
    cost_tip = f"Part of the active function's cost that passed along the call. {ESTIMATED}"
    return (
        cost_column("cost", "Incl.", cost_tip, flow.on_paths),
        *_side_columns(flow),
        _count_column("Calls", flow.counts),
        _recorded_column("Cost of the call", flow.recorded),
        Column("caller", "Caller", "Name", NameCells(labels, callers), width=24),
        Column("callee", "Callee", "Name", NameCells(labels, callees), stretches=True),
        exactness_column(flow.on_paths.is_estimate, flow.counts.is_estimate),
    )


def _side_columns(flow: FlowFigures) -> tuple[Column, ...]:
    """Return the columns Base, New, Growth and Why, which give way before the recorded costs."""
    base, new, growth = side_columns(flow.on_paths, "Inclusive cost")
    return (
        replace(base, gives_way=6),
        replace(new, gives_way=7),
        replace(growth, gives_way=5),
        replace(reason_column(flow.reasons), gives_way=4),
    )


def _count_column(title: str, counts: Counts) -> Column:
    tip = f"Number of calls on these paths. {ESTIMATED}. {ACTIVE_TIP}"
    return Column("count", title, tip, PathCountCells(counts), gives_way=2)


def _recorded_column(cost: str, recorded: Figures) -> Column:
    """Return the column of costs on all call paths; `cost` says which in a few words."""
    figures = replace(recorded, unit=replace(recorded.unit, can_exceed=True))
    tip = f"{cost} as recorded, on all call paths"
    return cost_column("recorded", "Recorded", tip, figures, gives_way=3)


_NO_FLOW = FlowFigures()
NO_GRAPH_NODES = Table(_node_columns(_NO_FLOW, NO_FIGURES, None, NO_NUMBERS), nodes=NO_NUMBERS)
NO_GRAPH_CALLS = Table(_call_columns(_NO_FLOW, None, NO_NUMBERS, NO_NUMBERS), nodes=NO_NUMBERS)
