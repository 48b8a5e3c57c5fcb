"""Colours, labels and tooltips of the boxes in call maps and flame graphs.

A box with an exact cost has its group's full colour; an estimate is paler, and its cost is marked
with `≈`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtGui import QColor, QPalette

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.calls.treemap import SplitRule
from qcachegrind_py.analysis.explanation.numbers import exactness_text
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.models.base.columns import ESTIMATE
from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.frame_table import ComparedFormats
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import STAND_INS, NodeId, node_at
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.common.pictures.detail_line import cost_details, count_detail

_NAME_WITH_CALLERS = re.compile(
    r"(?P<own>[^']+(?:'\d+(?='))?)'(?P<callers>(?!\d+$).+)"
)  # f'g'h, f'2'g
_ESTIMATED_OPACITY = 0.42  # for an estimate's colour over the background
_FADED_OPACITY = 0.16  # for boxes that do not match the search
_BRIGHT_LUMINANCE = 0.18  # above this luminance, black text has the better contrast
_MAX_TOOLTIP_LINES = 10


@dataclass(frozen=True, slots=True)
class BoxStyle:
    """The sources of box texts and colours."""

    labels: Labels
    format: CostFormat
    color: Callable[[NodeId], QColor]  # colour of a node's group
    recording_advice: Callable[
        [int], str
    ]  # command that records exact costs for a number of caller levels; may be empty
    # mask of the nodes that pass the filter, shape (nodes,); None without a filter
    passing: BoolArray | None = field(default=None, compare=False)

    def name(self, tree: FrameTree, box: int) -> str:
        """Return the label; recorded caller names in it are left out inside the caller's box."""
        node = node_at(tree.node, box)
        name, parent = self.labels.name(node), int(tree.parent[box])
        context = _NAME_WITH_CALLERS.fullmatch(name)
        if context and parent >= 0 and (parent_node := node_at(tree.node, parent)) >= 0:
            parent_name, callers = self.labels.name(parent_node), context["callers"]
            if parent_name == callers or parent_name.startswith(f"{callers}'"):
                name = context["own"]
        return cell_text(name)

    def label(self, tree: FrameTree, box: int) -> str:
        """Return the text of a box that has no room for its cost."""
        return self.name(tree, box)

    def cost(self, tree: FrameTree, box: int) -> str:
        """Return the cost with its unit, marked if it is an estimate."""
        mark = "" if tree.is_exact[box] else ESTIMATE
        return mark + self.format.with_unit(as_number(tree.cost[box]))

    def calls(self, tree: FrameTree, box: int) -> tuple[str, ...]:
        """Return the number of calls, marked if it is an estimate; nothing if it is not known."""
        is_exact = bool(tree.has_exact_calls[box])
        return count_detail(self.format, int(tree.calls[box]), is_exact=is_exact)

    def times(self, tree: FrameTree, box: int) -> str:
        """Return the number of calls as it is written in boxes: `12×`; empty if not known."""
        count, mark = int(tree.calls[box]), "" if tree.has_exact_calls[box] else ESTIMATE
        return f"{mark}{self.format.count_text(count)}×" if count else ""

    def spoken(self, tree: FrameTree, box: int) -> str:
        """Return the words of a box for screen readers."""
        return f"{self.name(tree, box)}, {self.cost(tree, box)}"

    def formats(self) -> ComparedFormats | None:
        """Return the formats that the table of boxes needs in a comparison."""
        return None

    def details(self, tree: FrameTree, box: int) -> tuple[str, ...]:
        """Return the numbers of the line below the picture: cost, percentage, calls."""
        cost, is_exact = as_number(tree.cost[box]), bool(tree.is_exact[box])
        return (*cost_details(self.format, cost, is_exact=is_exact), *self.calls(tree, box))

    def swatch(self, tree: FrameTree, box: int, _palette: QPalette) -> QColor | None:
        """Return the colour beside the name in the line below; None for what is no function."""
        node = node_at(tree.node, box)
        return self.color(node) if node >= 0 else None

    def match_cost(self, tree: FrameTree, nodes: BoolArray) -> str:
        """Return the total cost of these nodes, a mask of shape (nodes,)."""
        cost, is_exact = tree.combined_cost(nodes)
        return ("" if is_exact else ESTIMATE) + self.format.with_unit(cost)

    def color_codes(self, tree: FrameTree) -> Int64Array:
        """Return a number for each box, from 0, by which `coded_color` tells its colour."""
        return tree.node + STAND_INS

    def coded_color(self, code: int, is_exact: bool, is_faded: bool, palette: QPalette) -> QColor:
        """Return the colour of the boxes that have this number."""
        return self.fill_color(NodeId(code - STAND_INS), is_exact, is_faded, palette)

    def net_color(self, code: int, palette: QPalette) -> QColor | None:
        """Return the colour of the line that tells the net change in a box; None without one."""
        return None

    def fill_color(self, node: NodeId, is_exact: bool, is_faded: bool, palette: QPalette) -> QColor:
        """Return the colour of a box: paler for an estimate, faint outside search and filter."""
        base = palette.color(QPalette.ColorRole.Base)
        color = self.color(node) if node >= 0 else palette.color(QPalette.ColorRole.Mid)
        if is_faded or not self._passes(node):
            return blended(color, base, _FADED_OPACITY)
        return color if is_exact else blended(color, base, _ESTIMATED_OPACITY)

    def _passes(self, node: NodeId) -> bool:
        return self.passing is None or node < 0 or bool(self.passing[node])

    def tooltip(self, tree: FrameTree, box: int, *, up: bool = False) -> str:
        """Return name, cost, enclosing boxes and exactness; with `up`, boxes call their parents."""
        path = tree.path(box)
        node = node_at(tree.node, box)
        lines = self.labels.details(node)
        lines += self._tip_costs(tree, box)
        lines += self.calls(tree, box)
        enclosing, relation = path[-2::-1], "calling" if up else "in"
        lines += [
            f"{relation} {self.name(tree, ancestor)}: {self.cost(tree, ancestor)}"
            for ancestor in enclosing[:_MAX_TOOLTIP_LINES]
        ]
        if len(enclosing) > _MAX_TOOLTIP_LINES:
            lines.append(f"… and {relation} {len(enclosing) - _MAX_TOOLTIP_LINES} more")
        if tree.is_recursion[box]:
            lines.append("Recursion: already on this path, not expanded again.")
        lines.append(self._exactness(tree, box))
        return tip_text(*lines)

    def _tip_costs(self, tree: FrameTree, box: int) -> list[str]:
        mark = "" if tree.is_exact[box] else ESTIMATE
        return [mark + self.format.full_text(as_number(tree.cost[box]))]

    def _exactness(self, tree: FrameTree, box: int) -> str:
        return exactness_text(bool(tree.is_exact[box]), self.recording_advice(int(tree.depth[box])))


def text_color(fill: QColor) -> QColor:
    """Return black or white, whichever has more contrast to this colour."""
    red, green, blue = (part**2.2 for part in (fill.redF(), fill.greenF(), fill.blueF()))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return QColor("#101216") if luminance > _BRIGHT_LUMINANCE else QColor("#f4f5f7")


@dataclass(frozen=True, slots=True)
class MapStyle:
    """The layout and painting options of a call map."""

    split: SplitRule = SplitRule.SQUARIFIED
    min_area: float = 100.0  # square pixels of the smallest shown box
    rotate: bool = True  # split along the longer side; use upright labels in narrow boxes
    show_names: bool = True
    show_costs: bool = True
    show_locations: bool = False  # object and file of functions
    shading: bool = True  # nested boxes alternate in brightness
    border: int = 1  # pixels of the lines between boxes, 0 to 3
    headers: int = 0  # levels of boxes whose name always has a strip of its own
    show_counts: bool = False  # numbers of calls
