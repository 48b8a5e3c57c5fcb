"""Texts and tooltips of the call graph's nodes and arrows, and their sizes.

The job creates the texts once for each picture, and the items paint them; no widget is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log2

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.analysis.explanation.numbers import exactness_text
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.models.base.columns import ESTIMATE
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.graph.calls import INNER_CALL
from qcachegrind_py.models.graph.sides import ComparedCosts, GraphSides
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.profile.numbers import ACTIVE, plural

PADDING = 8.0  # pixels between a node's outline and its texts
BAR_HEIGHT = 5.0  # pixels of the cost bar
_MAX_NAME_DIGITS = 36  # width in digits: longer names are shortened
_MIN_WIDTH_DIGITS = 11
_SMALL_FONT_SCALE = 0.88  # for labels of arrows
_MIN_THICKNESS, _MAX_THICKNESS = 1.0, 8.0  # pixels
_COUNT_SEPARATOR = " · "
_TIMES = "×"
_LABEL_GAP = 6.0  # pixels between an arrow and its label, both sides in total
OMITTED_CALLS = {  # columns of the subgraph
    "omitted_incoming_cost": "calls to it",
    "omitted_outgoing_cost": "its calls",
}
_EXPAND_BUTTON_WIDTH = 16.0  # pixels of the button that expands a cycle


@dataclass(frozen=True, slots=True)
class GraphStyle:
    """Names, formats, colours and fonts of a picture.

    With `shows_recorded_costs`, costs are as recorded, whichever function is active.
    """

    labels: Labels
    format: CostFormat
    color: Callable[[NodeId], QColor]  # colour of a node's group
    font: QFont
    active_node: NodeId
    shows_recorded_costs: bool = False
    shows_counts: bool = False  # whether boxes say how often their functions were called
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

    @property
    def small_font(self) -> QFont:
        """The font for labels of arrows."""
        return small_font(self.font)


@dataclass(frozen=True, slots=True)
class NodeText:
    """The texts and the size in pixels of a node."""

    name: str  # elided to the maximum width
    cost: str  # followed by the number of calls, as an option
    share: float  # length of the cost bar, 0 to 1
    is_exact: bool
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class CallText:
    """The two-line label of an arrow, its size and the arrow's thickness in pixels."""

    cost: str
    count: str
    is_exact: bool
    thickness: float
    width: float
    height: float


def node_texts(subgraph: Subgraph, style: GraphStyle) -> list[NodeText]:
    """Return the texts of all nodes; the name of the active one is measured in bold."""
    metrics, bold = QFontMetricsF(style.font), QFont(style.font)
    bold.setBold(True)
    active = QFontMetricsF(bold)
    return [
        _node_text(subgraph, style, row, active if node == style.active_node else metrics, metrics)
        for row, node in enumerate(subgraph.node.tolist())
    ]


def _node_text(
    subgraph: Subgraph, style: GraphStyle, row: int, bold: QFontMetricsF, metrics: QFontMetricsF
) -> NodeText:
    """Return the texts of one node, with its name measured by `bold`."""
    node, digit = node_at(subgraph.node, row), metrics.horizontalAdvance("0")
    name = _shortened(cell_text(style.labels.name(node)), bold, digit * _MAX_NAME_DIGITS)
    cost, exact, number = _node_cost(subgraph, style, row)
    if style.shows_counts:
        cost = _COUNT_SEPARATOR.join(filter(None, (cost, _node_count_text(subgraph, style, row))))
    widest = max(bold.horizontalAdvance(name), metrics.horizontalAdvance(cost))
    button_width = _EXPAND_BUTTON_WIDTH if style.labels.is_cycle(node) else 0.0
    width = round(max(widest, digit * _MIN_WIDTH_DIGITS) + 2 * PADDING + button_width)
    height = round(2 * metrics.height() + BAR_HEIGHT + 2.2 * PADDING)
    return NodeText(name, cost, style.format.share(number), exact, width, height)


def _shortened(name: str, metrics: QFontMetricsF, width: float) -> str:
    """Return as much of a name as fits into a width."""
    fitted = fitted_name(name, lambda text: metrics.horizontalAdvance(text) <= width)
    return metrics.elidedText(fitted.text, Qt.TextElideMode.ElideMiddle, width)


def call_texts(subgraph: Subgraph, style: GraphStyle) -> list[CallText]:
    """Return the labels of all arrows."""
    metrics = QFontMetricsF(style.small_font)
    texts = []
    for row in range(len(subgraph.caller)):
        exact = style.shows_recorded_costs or bool(subgraph.call_is_exact[row])
        costs = subgraph.recorded_call_cost if style.shows_recorded_costs else subgraph.call_cost
        number, compared = as_number(costs[row]), style.call_costs
        cost = ("" if exact else ESTIMATE) + style.format.with_unit(number)
        if compared is not None:
            cost = compared.cost_text(row)
        count = _call_count_text(subgraph, style, row)
        width = max(metrics.horizontalAdvance(text) for text in (cost, count))
        lines, thick = 2 if count else 1, arrow_thickness(style.format.share(number))
        size = width + _LABEL_GAP + thick, lines * metrics.height() + thick / 2
        texts.append(CallText(cost, count, exact, thick, *map(round, size)))
    return texts


def node_tooltip(subgraph: Subgraph, style: GraphStyle, row: int) -> str:
    """Return the tooltip of a node."""
    node = node_at(subgraph.node, row)
    cost = _cost_text(subgraph.cost, row, style)
    mark = "" if subgraph.is_exact[row] else ESTIMATE
    lines = style.labels.details(node)
    if node != style.active_node:
        active = cell_text(style.labels.name(style.active_node))
        lines.append(f"{mark}{cost} on call paths through {active}")
    lines.append(f"{_cost_text(subgraph.recorded_cost, row, style)} inclusive in total")
    lines += _omitted_call_lines(subgraph, style, row)
    return tip_text(*lines, exactness_text(bool(subgraph.is_exact[row]), style.recording_advice))


def call_tooltip(subgraph: Subgraph, style: GraphStyle, row: int) -> str:
    """Return the tooltip of an arrow."""
    ends = (node_at(subgraph.node, int(end[row])) for end in (subgraph.caller, subgraph.callee))
    caller, callee = (style.labels.name(node) for node in ends)
    exact = bool(subgraph.call_is_exact[row])
    mark = "" if exact else ESTIMATE
    count = _call_count_text(subgraph, style, row)
    lines = [caller, f"→ {callee}", mark + _cost_text(subgraph.call_cost, row, style)]
    lines += [count] if count else []
    lines.append(f"{_cost_text(subgraph.recorded_call_cost, row, style)} for this call in total")
    if subgraph.is_inner[row]:
        lines.append(INNER_CALL)
    return tip_text(*lines, exactness_text(exact, style.recording_advice))


def _node_cost(subgraph: Subgraph, style: GraphStyle, row: int) -> tuple[str, bool, int | float]:
    exact = style.shows_recorded_costs or bool(subgraph.is_exact[row])
    number = as_number(
        (subgraph.recorded_cost if style.shows_recorded_costs else subgraph.cost)[row]
    )
    compared = style.node_costs
    if compared is not None:
        return compared.cost_text(row), exact, number
    return ("" if exact else ESTIMATE) + style.format.with_unit(number), exact, number


def _cost_text(costs: CostArray, row: int, style: GraphStyle) -> str:
    return style.format.full_text(as_number(costs[row]))


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


def _omitted_call_lines(subgraph: Subgraph, style: GraphStyle, row: int) -> list[str]:
    return [
        f"{_cost_text(costs, row, style)} in {what} not drawn"
        for column, what in OMITTED_CALLS.items()
        if (costs := getattr(subgraph, column))[row] > 0
    ]


def table_formats(style: GraphStyle) -> tuple[CostFormat, CostFormat]:
    """Return the formats of the tables of nodes and of calls: of changes in a comparison."""
    if style.sides is None:
        return style.format, style.format
    changes = style.sides.nodes.formats.changes
    if changes.is_ratio:  # they have no bars
        return changes, changes
    nodes, calls = style.sides.nodes.largest_change, style.sides.calls.largest_change
    return replace(changes, bar_base=nodes), replace(changes, bar_base=calls)


def small_font(font: QFont) -> QFont:
    """Return the font for labels of arrows, given the font of boxes."""
    font = QFont(font)
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * _SMALL_FONT_SCALE)
    else:  # a style sheet has set the size in pixels
        font.setPixelSize(max(1, round(font.pixelSize() * _SMALL_FONT_SCALE)))
    return font


def arrow_thickness(share: float) -> float:
    """Return the thickness in pixels for a share from 0 to 1, on a logarithmic scale."""
    steps = log2(1 + 1000 * min(1.0, share)) / log2(1001)
    return _MIN_THICKNESS + (_MAX_THICKNESS - _MIN_THICKNESS) * steps**2
