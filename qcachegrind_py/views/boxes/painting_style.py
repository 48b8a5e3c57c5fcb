"""How the boxes of call maps and flame graphs look, and what is said of them.

A box whose cost is proven has its group's full colour; an estimate is paler, and `≈` stands before
its cost. Where boxes are, the canvases know.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QColor, QPalette

from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.calls.treemap import SplitRule
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.base.columns import ESTIMATE
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.base.exactness_text import exactness_text
from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.models.frame_table import WHOLE_PROGRAM
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at

_NAME_WITH_CALLERS = re.compile(
    r"(?P<own>[^']+(?:'\d+(?='))?)'(?P<callers>(?!\d+$).+)"
)  # f'g'h, f'2'g
_ESTIMATED_OPACITY = 0.42  # of an estimate's colour over the background
_FADED_OPACITY = 0.16  # of what a search does not find
_BRIGHT_LUMINANCE = 0.18  # of luminance: from here on black text has the better contrast
_MAX_TOOLTIP_LINES = 10


@dataclass(frozen=True, slots=True)
class BoxStyle:
    """What the texts and colours of boxes are made from."""

    labels: Labels
    format: CostFormat
    color: Callable[[NodeId], QColor]  # of the group of a function or cycle
    recording_advice: Callable[
        [int], str
    ]  # how to record costs within so many callers; empty: it cannot be

    def name(self, tree: FrameTree, box: int) -> str:
        """The name as a label; callers that stand in it are left out where the box is in theirs."""
        node = node_at(tree.node, box)
        if node == NO_NODE:
            return WHOLE_PROGRAM
        name, above = self.labels.name(node), int(tree.parent[box])
        context = _NAME_WITH_CALLERS.fullmatch(name)
        if context and above >= 0 and (around := node_at(tree.node, above)) != NO_NODE:
            same, callers = self.labels.name(around), context["callers"]
            if same == callers or same.startswith(f"{callers}'"):
                name = context["own"]
        return cell_text(name)

    def cost(self, tree: FrameTree, box: int) -> str:
        """The cost with its unit, marked where it is an estimate."""
        mark = "" if tree.is_exact[box] else ESTIMATE
        return mark + self.format.with_unit(as_number(tree.cost[box]))

    def fill_color(self, node: NodeId, is_exact: bool, is_faded: bool, palette: QPalette) -> QColor:
        """The colour of a box: paler for an estimate, faint for what a search does not find."""
        base = palette.color(QPalette.ColorRole.Base)
        color = self.color(node) if node != NO_NODE else palette.color(QPalette.ColorRole.Mid)
        if is_faded:
            return blended(color, base, _FADED_OPACITY)
        return color if is_exact else blended(color, base, _ESTIMATED_OPACITY)

    def tooltip(self, tree: FrameTree, box: int, *, up: bool = False) -> str:
        """Name and cost, the boxes around it, which it calls with `up`, and whether it is exact."""
        way = tree.path(box)
        node = node_at(tree.node, box)
        lines = self.labels.details(node) if node != NO_NODE else [WHOLE_PROGRAM]
        mark = "" if tree.is_exact[box] else ESTIMATE
        lines.append(mark + self.format.full_text(as_number(tree.cost[box])))
        around, relation = way[-2::-1], "calling" if up else "in"
        lines += [
            f"{relation} {self.name(tree, one)}: {self.cost(tree, one)}"
            for one in around[:_MAX_TOOLTIP_LINES]
        ]
        if len(around) > _MAX_TOOLTIP_LINES:
            lines.append(f"… and {relation} {len(around) - _MAX_TOOLTIP_LINES} more")
        if tree.is_recursion[box]:
            lines.append("It is on this way already: a recursion, which is not opened again.")
        lines.append(self._exactness(tree, box))
        return tip_text(*lines)

    def _exactness(self, nesting: FrameTree, box: int) -> str:
        return exactness_text(
            bool(nesting.is_exact[box]), self.recording_advice(int(nesting.depth[box]))
        )


def text_color(fill: QColor) -> QColor:
    """Black or white, whichever is read more easily on this colour."""
    red, green, blue = (part**2.2 for part in (fill.redF(), fill.greenF(), fill.blueF()))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return QColor("#101216") if luminance > _BRIGHT_LUMINANCE else QColor("#f4f5f7")


@dataclass(frozen=True, slots=True)
class MapStyle:
    """How a call map is drawn."""

    split: SplitRule = SplitRule.SQUARIFIED
    min_area: float = 100.0  # square pixels of the smallest box
    rotate: bool = True  # begin at a box's longer side; names stand upright in narrow boxes
    show_names: bool = True
    show_costs: bool = True
    show_locations: bool = False  # where functions are: object and file
    shading: bool = True  # boxes in each other differ in brightness
    border: int = 1  # pixels of the lines between boxes, 0 to 3
