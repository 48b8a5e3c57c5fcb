"""The call graph as a picture: boxes, arrows, their tips and details, and the note below.

Functions that only call one another, one after the other, share a box: a chain. The sizes of texts
come from the window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import ceil

import numpy as np

from qcachegrind_py.analysis.calls.cost_flow import MIN_SHARE
from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.analysis.explanation.numbers import exactness_text
from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.call_graph import INNER_CALL, CallGraph, FlowFigures
from qcachegrind_py.present.figures import WORD_GONE, WORD_NEW, Counts, Figures
from qcachegrind_py.present.picture import (
    BAR_HEIGHT,
    PADDING,
    Arrangement,
    Arrow,
    Box,
    BoxLine,
    Change,
    Detail,
    Diagram,
    Frame,
    Line,
    TextMeasure,
    arrow_thickness,
    lay_out,
)
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.unit import ESTIMATE, NEW, Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_ids
from qcachegrind_py.profile.numbers import ACTIVE, plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout

_MAX_NAME_DIGITS = 36  # width in digits: longer names are shortened
_MIN_WIDTH_DIGITS = 11
_SEPARATOR = " · "
_NEXT = "› "  # before each function of a chain but the first
_MAX_CHAIN_LINES = 4
_TIMES = "×"
_LABEL_GAP = 6.0  # pixels between an arrow and its label, both sides in total
_BUTTON_WIDTH = 16.0  # pixels of the button that opens a cycle or a chain
_ESTIMATED_OPACITY = 0.35  # for the colour of a small box with an estimate
_DOUBTFUL_CHANGE = "An estimate may change although the cost itself did not."
_WORD_LINES = {
    WORD_NEW: "New: costs nothing here in the base",
    WORD_GONE: "Gone: costs nothing here on the new side",
}
_NO_COUNTS = ("The base counts no calls.", "The new side counts no calls.")
_NO_COSTS = ("The base has no such costs.", "The new side has no such costs.")
_SHAPES = {WORD_NEW: "double outline: new", WORD_GONE: "hatched: gone"}


# -------------------------------------------------------------------- chains


@frozen
class NodeBoxes:
    """Which nodes share a box, and which calls are arrows between boxes."""

    nodes: tuple[tuple[int, ...], ...]  # rows of the nodes of each box, in the order of calls
    calls: tuple[int, ...]  # row of the call of each arrow
    box: tuple[int, ...]  # of each node


def single_boxes(graph: CallGraph) -> NodeBoxes:
    """Return a box for each node."""
    nodes = range(len(graph.subgraph.node))
    calls = tuple(range(len(graph.subgraph.caller)))
    return NodeBoxes(tuple((row,) for row in nodes), calls, tuple(nodes))


def chain_boxes(
    graph: CallGraph, opened: frozenset[NodeId], group: Callable[[NodeId], str] | None = None
) -> NodeBoxes:
    """Return one box for each chain: nodes with one caller and one callee at most, in a row.

    The active function, cycles, members of expanded ones, and the functions of opened chains have
    boxes of their own. A chain ends where functions become new or gone, and, with `group`, at the
    end of a group.
    """
    subgraph, count = graph.subgraph, len(graph.subgraph.node)
    ends = list(zip(subgraph.caller.tolist(), subgraph.callee.tolist(), strict=True))
    is_link = (np.bincount(subgraph.caller, minlength=count) <= 1) & (subgraph.cluster < 0)
    is_link &= np.bincount(subgraph.callee, minlength=count) <= 1
    is_link[subgraph.active] = False
    for row in np.flatnonzero(is_link).tolist():
        node = graph.node(row)
        is_link[row] = node not in opened and not graph.labels.is_cycle(node)

    def kind(row: int) -> tuple[str, str]:
        name = "" if group is None else group(graph.node(row))
        return graph.nodes.on_paths.word(row), name

    followers = {
        caller: callee
        for caller, callee in ends
        if is_link[caller] and is_link[callee] and kind(caller) == kind(callee)
    }
    chains, followed, seen = [], set(followers.values()), set[int]()
    for row in sorted(range(count), key=lambda row: row in followed):
        chain: list[int] = []
        follower: int | None = row
        while follower is not None and follower not in seen:
            chain.append(follower)
            seen.add(follower)
            follower = followers.get(follower)
        if chain:
            chains.append(tuple(chain))
    chains.sort(key=min)  # costliest first, as nodes are
    box = [0] * count
    for place, rows in enumerate(chains):
        for row in rows:
            box[row] = place
    between = (row for row, (caller, callee) in enumerate(ends) if box[caller] != box[callee])
    return NodeBoxes(tuple(chains), tuple(between), tuple(box))


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
    has_flat_labels: bool = True  # whether arrows have one line of text; else they are narrower
    grid: int = 8  # pixels of which the sizes of boxes are multiples

    def costs(self, flow: FlowFigures) -> Figures:
        return flow.recorded if self.shows_recorded else flow.on_paths


def graph_boxes(graph: CallGraph, look: GraphLook, boxes: NodeBoxes) -> list[Box]:
    subgraph = graph.subgraph
    connected = {*subgraph.caller.tolist(), *subgraph.callee.tolist()}
    return [
        _chain(look, [_box(graph, look, row, row in connected) for row in rows])
        for rows in boxes.nodes
    ]


def _chain(look: GraphLook, parts: list[Box]) -> Box:
    """Return a box for boxes in a row, with a line for each, or for the first ones and the last."""
    first, plain = parts[0], look.plain
    if len(parts) == 1:
        return first
    lines = [BoxLine(first.key, first.name, first.cost)]
    lines += [BoxLine(part.key, _NEXT + part.name, part.cost) for part in parts[1:]]
    if len(lines) > _MAX_CHAIN_LINES:
        skipped = slice(_MAX_CHAIN_LINES - 2, -1)
        names = [part.name for part in parts[skipped]]
        lines[skipped] = [BoxLine(-1, f"{_NEXT}+ {len(names)} more", "", " ".join(names))]
    texts, costs = zip(
        *((plain.width(line.text), plain.width(line.cost)) for line in lines), strict=True
    )
    widest = max(texts) + 2 * PADDING + max(costs) + _BUTTON_WIDTH
    is_exact = all(part.is_exact for part in parts)
    changes = [part.change for part in parts if part.change is not None]
    return replace(
        first,
        name=" › ".join(part.name for part in parts),
        share=max(part.share for part in parts),
        width=_on_grid(look, widest + 2 * PADDING),
        height=_on_grid(look, len(lines) * plain.height + BAR_HEIGHT + 2 * PADDING),
        tip=partial(_chain_tip, parts),
        detail=partial(_chain_detail, parts),
        lines=tuple(lines),
        is_exact=is_exact,
        opacity=1.0 if is_exact else _ESTIMATED_OPACITY,
        stubs=(any(part.stubs[0] for part in parts), any(part.stubs[1] for part in parts)),
        has_button=True,
        change=max(changes, key=lambda change: abs(change.strength), default=None),
        parts=tuple(parts),
    )


def _chain_tip(parts: list[Box]) -> tuple[str, ...]:
    return tuple(f"{part.detail().name}: {part.cost}" for part in parts)


def _chain_detail(parts: list[Box]) -> Detail:
    details = [part.detail() for part in parts]
    name = " › ".join(detail.name for detail in details)
    return Detail(name, details[0].numbers, details[0].color)


def _on_grid(look: GraphLook, length: float) -> int:
    """Return a length rounded up to half lines, on which everything in the window stands."""
    step = look.grid
    return ceil(length / step) * step


def _box(graph: CallGraph, look: GraphLook, row: int, is_connected: bool) -> Box:
    node, plain, costs = graph.node(row), look.plain, look.costs(graph.nodes)
    is_active, is_cycle = node == graph.active, graph.labels.is_cycle(node)
    bold, digit = look.bold if is_active else plain, plain.width("0")
    name = _shortened(cell_text(graph.labels.name(node)), bold, digit * _MAX_NAME_DIGITS)
    cost = costs.both(row)
    if look.shows_counts:
        cost = _SEPARATOR.join(filter(None, (cost, _times(graph.nodes.counts, look, row))))
    widest = max(bold.width(name), plain.width(cost), digit * _MIN_WIDTH_DIGITS)
    is_exact = not costs.is_estimated(row)
    has_stubs = look.shows_stubs or not is_connected
    return Box(
        key=node,
        name=name,
        cost=cost,
        share=graph.unit.bar(_drawn_cost(costs, row)),
        width=_on_grid(look, widest + 2 * PADDING + (_BUTTON_WIDTH if is_cycle else 0.0)),
        height=_on_grid(look, 2 * plain.height + BAR_HEIGHT + 1.5 * PADDING),
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


def graph_arrows(graph: CallGraph, look: GraphLook, boxes: NodeBoxes) -> list[Arrow]:
    return [_arrow(graph, look, boxes, row) for row in boxes.calls]


def _arrow(graph: CallGraph, look: GraphLook, boxes: NodeBoxes, row: int) -> Arrow:
    subgraph, costs, small = graph.subgraph, look.costs(graph.calls), look.small
    labels = tuple(filter(None, (costs.both(row), _times(graph.calls.counts, look, row))))
    if look.has_flat_labels and not costs.is_compared:
        labels = (_SEPARATOR.join(labels),)
    thickness = arrow_thickness(graph.unit.bar(_drawn_cost(costs, row)))
    line = Line.ESTIMATED if costs.is_estimated(row) else Line.EXACT
    return Arrow(
        source=boxes.box[int(subgraph.caller[row])],
        target=boxes.box[int(subgraph.callee[row])],
        labels=labels,
        thickness=thickness,
        width=round(max(map(small.width, labels)) + _LABEL_GAP + thickness),
        height=round(len(labels) * small.height + thickness),
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
    """Return how often a function was called, as boxes and arrows say it; empty if 0."""
    if not _calls_text(counts, look, row):
        return ""
    shown = counts.text(row)
    return shown if shown.endswith(ACTIVE) else shown + _TIMES


def _node_detail(graph: CallGraph, look: GraphLook, row: int) -> Detail:
    node = graph.node(row)
    numbers = _detail_numbers(graph.nodes, look, row)
    return Detail(cell_text(graph.labels.name(node)), numbers, look.color(node))


def _call_detail(graph: CallGraph, look: GraphLook, row: int) -> Detail:
    name = " → ".join(cell_text(graph.labels.name(node)) for node in graph.ends(row))
    numbers = *_detail_numbers(graph.calls, look, row), _per_call_text(graph.calls, look, row)
    return Detail(name, tuple(filter(None, numbers)))


def _per_call_text(flow: FlowFigures, look: GraphLook, row: int) -> str:
    """Return what one call costs on average; empty if there is one call or nothing to divide."""
    costs, count = look.costs(flow), int(flow.counts.new[row])
    if costs.is_compared or costs.unit.is_ratio or count < 2 or not flow.counts.known[NEW]:
        return ""
    mark = ESTIMATE if costs.is_estimated(row) or flow.counts.is_estimated(row) else ""
    return f"{mark}{costs.unit.absolute(as_number(costs.new[row]) // count)} per call"


def _detail_numbers(flow: FlowFigures, look: GraphLook, row: int) -> tuple[str, ...]:
    """Return the costs and the number of calls, and why they changed."""
    reasons = flow.recorded_reasons if look.shows_recorded else flow.reasons
    texts = *look.costs(flow).details(row), flow.counts.calls_text(row), reasons.text(row)
    return tuple(filter(None, texts))


def graph_diagram(
    graph: CallGraph,
    look: GraphLook,
    node_boxes: NodeBoxes,
    frames: Sequence[Frame],
    arrangement: Arrangement,
    layout: GraphLayout,
    progress: Progress,
    anchor: NodeId = NO_NODE,
) -> Diagram:
    """Lay out the graph around its active function. Raises what `GraphLayout.layout` raises.

    The box of the active function keeps its place on the screen, or that of `anchor` if it is
    there.
    """
    home = node_boxes.box[graph.subgraph.active]
    boxes, arrows = graph_boxes(graph, look, node_boxes), graph_arrows(graph, look, node_boxes)
    anchors = (row for row, box in enumerate(boxes) if anchor in box.keys)
    return lay_out(
        boxes, arrows, frames, arrangement, look.small, layout, progress,
        anchor=next(anchors, home), home=home,
    )  # fmt: skip


def graph_frames(
    graph: CallGraph,
    query: ViewQuery,
    color: Callable[[NodeId], str],
    boxes: NodeBoxes,
    *,
    of_groups: bool,
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
            tuple(sorted({boxes.box[row] for row in rows})),
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
    lines.append(INNER_CALL if graph.subgraph.is_inner[row] else "")
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
    """Return how much is shown, what is hidden, and a legend of the costs."""
    count = len(graph.subgraph.node)
    return [
        f"{count} {plural(count, 'function')}",
        *_outline_legend(graph),
        *_omissions(graph),
        *_cost_legend(graph, shows_recorded),
    ]


def _outline_legend(graph: CallGraph) -> list[str]:
    """Return what outlines mean, as far as the picture has them."""
    words = {graph.nodes.on_paths.word(row) for row in range(len(graph.subgraph.node))}
    return [text for word, text in _SHAPES.items() if word in words]


def _omissions(graph: CallGraph) -> list[str]:
    subgraph, parts = graph.subgraph, []
    threshold = max(subgraph.node_threshold, ceil(float(subgraph.cost.max()) * MIN_SHARE))
    if threshold > 0:
        parts.append(f"below {_limit_text(graph.unit, threshold)} hidden")
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
    """Return what lines mean, as far as the picture has them."""
    costs = graph.nodes.recorded if shows_recorded else graph.nodes.on_paths
    is_estimated = any(costs.is_estimated(row) for row in range(len(graph.subgraph.node)))
    return [
        *(["full costs"] if shows_recorded else []),
        *(["dashed ≈ estimated"] if is_estimated else []),
        *(["dotted: calls inside a cycle"] if graph.subgraph.is_inner.any() else []),
    ]
