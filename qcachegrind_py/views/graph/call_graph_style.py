"""What the nodes and arrows of the call graph say, and how large that is.

Texts are made once for a picture, in its job; items only draw them. Nothing here is a widget.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log2

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.base.columns import ESTIMATE
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.base.exactness_text import exactness_text
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.models.graph_calls import INNER_CALL
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NodeId, node_at

PADDING = 8.0  # pixels between a node's outline and its texts
BAR_HEIGHT = 5.0  # the height of the cost bar
_MAX_NAME_DIGITS = 36  # digits: a wider name is cut in its middle
_MIN_WIDTH_DIGITS = 11  # digits
_SMALL_FONT_SCALE = 0.88  # of the font: what stands at arrows
_MIN_THICKNESS, _MAX_THICKNESS = 1.0, 8.0  # pixels of an arrow
_LABEL_GAP = 6.0  # between an arrow and its texts, on both sides together
_EXPAND_BUTTON_WIDTH = 16.0  # the sign by which a cycle is opened


@dataclass(frozen=True, slots=True)
class GraphStyle:
    """How a picture is written. With `is_recorded`, costs are whole, whoever is active."""

    labels: Labels
    format: CostFormat
    color: Callable[[NodeId], QColor]  # of the group of a function or cycle
    font: QFont
    active_node: NodeId  # the function or cycle that the costs are of
    shows_recorded_costs: bool = False
    recording_advice: str = ""  # how estimates could be recorded; empty where they cannot

    @property
    def small_font(self) -> QFont:
        """The font of what stands at arrows."""
        return small_font(self.font)


@dataclass(frozen=True, slots=True)
class NodeText:
    """What a node says, and how large it is in pixels."""

    name: str  # cut to what a node has room for
    cost: str
    share: float  # the length of its bar, 0 to 1
    is_exact: bool
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class CallText:
    """What stands at an arrow, in two lines, and how large that is; and how thick the arrow is."""

    cost: str
    count: str
    is_exact: bool
    thickness: float
    width: float
    height: float


def node_texts(subgraph: Subgraph, style: GraphStyle) -> list[NodeText]:
    """The texts of all nodes; the name of the active one is bold."""
    metrics, bold = QFontMetricsF(style.font), QFont(style.font)
    bold.setBold(True)
    active = QFontMetricsF(bold)
    return [
        _node_text(subgraph, style, row, active if entry == style.active_node else metrics, metrics)
        for row, entry in enumerate(subgraph.node.tolist())
    ]


def _node_text(
    drawn: Subgraph, look: GraphStyle, row: int, bold: QFontMetricsF, metrics: QFontMetricsF
) -> NodeText:
    """The texts of one node, its name measured by `bold`."""
    node, digit = node_at(drawn.node, row), metrics.horizontalAdvance("0")
    middle = Qt.TextElideMode.ElideMiddle
    name = bold.elidedText(cell_text(look.labels.name(node)), middle, digit * _MAX_NAME_DIGITS)
    cost, exact, number = _node_cost(drawn, look, row)
    widest = max(bold.horizontalAdvance(name), metrics.horizontalAdvance(cost))
    opening = _EXPAND_BUTTON_WIDTH if look.labels.is_cycle(node) else 0.0
    width = round(max(widest, digit * _MIN_WIDTH_DIGITS) + 2 * PADDING + opening)
    height = round(2 * metrics.height() + BAR_HEIGHT + 2.2 * PADDING)
    return NodeText(name, cost, look.format.share(number), exact, width, height)


def call_texts(subgraph: Subgraph, style: GraphStyle) -> list[CallText]:
    """The texts of all arrows."""
    metrics = QFontMetricsF(style.small_font)
    texts = []
    for row in range(len(subgraph.caller)):
        exact = style.shows_recorded_costs or bool(subgraph.call_is_exact[row])
        costs = subgraph.recorded_call_cost if style.shows_recorded_costs else subgraph.call_cost
        number = as_number(costs[row])
        cost = ("" if exact else ESTIMATE) + style.format.with_unit(number)
        count = _call_count_text(subgraph, style, row)
        width = max(metrics.horizontalAdvance(text) for text in (cost, count))
        lines, thick = 2 if count else 1, arrow_thickness(style.format.share(number))
        room = width + _LABEL_GAP + thick, lines * metrics.height() + thick / 2
        texts.append(CallText(cost, count, exact, thick, *map(round, room)))
    return texts


def node_tooltip(subgraph: Subgraph, style: GraphStyle, row: int) -> str:
    """Everything about a node, line by line."""
    node = node_at(subgraph.node, row)
    cost = _cost_text(subgraph.cost, row, style)
    mark = "" if subgraph.is_exact[row] else ESTIMATE
    lines = style.labels.details(node)
    if node != style.active_node:
        active = cell_text(style.labels.name(style.active_node))
        lines.append(f"{mark}{cost} on the ways of calls through {active}")
    lines.append(f"{_cost_text(subgraph.recorded_cost, row, style)} in all, its calls included")
    lines += _omitted_call_lines(subgraph, style, row)
    return tip_text(*lines, exactness_text(bool(subgraph.is_exact[row]), style.recording_advice))


def call_tooltip(subgraph: Subgraph, style: GraphStyle, row: int) -> str:
    """Everything about an arrow."""
    ends = (node_at(subgraph.node, int(end[row])) for end in (subgraph.caller, subgraph.callee))
    caller, callee = (style.labels.name(node) for node in ends)
    exact = bool(subgraph.call_is_exact[row])
    mark = "" if exact else ESTIMATE
    count = _call_count_text(subgraph, style, row)
    lines = [caller, f"→ {callee}", mark + _cost_text(subgraph.call_cost, row, style)]
    lines += [count] if count else []
    lines.append(f"{_cost_text(subgraph.recorded_call_cost, row, style)} along this call in all")
    if subgraph.is_inner[row]:
        lines.append(INNER_CALL)
    return tip_text(*lines, exactness_text(exact, style.recording_advice))


def _node_cost(drawn: Subgraph, look: GraphStyle, row: int) -> tuple[str, bool, int | float]:
    exact = look.shows_recorded_costs or bool(drawn.is_exact[row])
    number = as_number((drawn.recorded_cost if look.shows_recorded_costs else drawn.cost)[row])
    return ("" if exact else ESTIMATE) + look.format.with_unit(number), exact, number


def _cost_text(costs: CostArray, row: int, look: GraphStyle) -> str:
    return look.format.full_text(as_number(costs[row]))


def _call_count_text(drawn: Subgraph, look: GraphStyle, row: int) -> str:
    """How often it was called; nothing where a cycle stands for its member.

    It is an estimate unless all calls passed here; with recorded costs, it would be another thing.
    """
    count = int(drawn.call_count[row])
    is_exact = bool(drawn.call_count_is_exact[row])
    if not count or (look.shows_recorded_costs and not is_exact):
        return ""
    mark = "" if is_exact else ESTIMATE
    return f"{mark}{look.format.count_text(count)} call{'' if count == 1 else 's'}"


def _omitted_call_lines(drawn: Subgraph, look: GraphStyle, row: int) -> list[str]:
    texts = (
        (drawn.omitted_incoming_cost, "calls to it"),
        (drawn.omitted_outgoing_cost, "its calls"),
    )
    return [
        f"{_cost_text(costs, row, look)} in {what} that are not drawn"
        for costs, what in texts
        if costs[row] > 0
    ]


def small_font(font: QFont) -> QFont:
    """The font of what stands at arrows, where that of boxes is this one."""
    font = QFont(font)
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * _SMALL_FONT_SCALE)
    else:  # a style sheet gave it a size in pixels
        font.setPixelSize(max(1, round(font.pixelSize() * _SMALL_FONT_SCALE)))
    return font


def arrow_thickness(share: float) -> float:
    """An arrow of ten times the share is thicker by a third of the range; in pixels."""
    steps = log2(1 + 1000 * min(1.0, share)) / log2(1001)
    return _MIN_THICKNESS + (_MAX_THICKNESS - _MIN_THICKNESS) * steps**2
