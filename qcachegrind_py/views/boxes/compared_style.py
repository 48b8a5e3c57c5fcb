"""Colours, labels and tooltips of boxes while profiles are compared.

A box is coloured by how its cost changed: the more of the larger side, the stronger. Only proven
changes have a colour; a box whose cost is estimated on a side is pale, and its numbers are marked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtGui import QColor, QPalette

from qcachegrind_py.analysis.calls.frame_sides import combined_sides
from qcachegrind_py.analysis.calls.frame_tree import FrameSides, FrameTree
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.models.base.columns import ESTIMATE
from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.models.frame_table import ComparedFormats
from qcachegrind_py.present.former.change_format import growth_text
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import node_at
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.boxes.painting_style import BoxStyle
from qcachegrind_py.views.common.bar_color import (
    GROWTH,
    SHRINKAGE,
    RowGround,
    change_fill,
)

CHANGE_LEGEND = "vermilion ▲: grew, blue ▼: shrank"
NOT_PROVEN = "The change is not proven on both sides, so the box has no colour of one."
_ARROW = " → "
_ONE_SIDED = ("new", "gone")
_LEVELS = 16  # strengths of a colour
_WEAKEST = 0.3  # opacity of the first of them, which is told from grey and from the other colour
_NEUTRAL_OPACITY = 0.3  # of the middle grey, for a box that did not change
_ESTIMATED_OPACITY = 0.35  # of that colour, for one whose change is not proven
_FADED_OPACITY = 0.16  # for boxes outside search and filter


def _no_change(sides: BothSides) -> CostArray:
    return sides.change


@dataclass(frozen=True, slots=True)
class ComparedBoxStyle(BoxStyle):
    """The sources of box texts and colours in a comparison; `format` is that of the new side."""

    base_format: CostFormat = NO_FORMAT
    change_format: CostFormat = NO_FORMAT
    # the changes in the unit of the comparison, shape (boxes,)
    changes: Callable[[BothSides], CostArray] = field(default=_no_change)

    # ---------------------------------------------------------------- texts

    def label(self, tree: FrameTree, box: int) -> str:
        """Return the name behind an arrow that tells the direction of a proven change."""
        change = self._change(tree, box) if tree.is_exact[box] else 0
        arrow = "▲ " if change > 0 else "▼ " if change < 0 else ""
        return arrow + self.name(tree, box)

    def cost(self, tree: FrameTree, box: int) -> str:
        """Return what the box costs now, and its change if that is proven: 12 (+3), gone (−4)."""
        base, new = _costs(tree, box)
        is_proven, change = bool(tree.is_exact[box]), self._change(tree, box)
        shown = (
            f"{ESTIMATE if not _sides(tree).new.is_exact[box] else ''}{self.format.with_unit(new)}"
        )
        if not is_proven or change == 0:
            return shown
        if not new:
            return f"gone ({self.change_format.with_unit(change)})"
        return f"{shown} ({'new' if not base else self.change_format.with_unit(change)})"

    def calls(self, tree: FrameTree, box: int) -> tuple[str, ...]:
        """Return the number of calls on both sides: 2 → 3 calls; nothing if none is known."""
        times = self._counts(tree, box)
        count = int(_sides(tree).new.calls[box])
        return (f"{times} {plural(count, 'call')}",) if times else ()

    def times(self, tree: FrameTree, box: int) -> str:
        """Return the numbers of calls as they are written in boxes: 2 → 3×."""
        times = self._counts(tree, box)
        return f"{times}×" if times else ""

    def details(self, tree: FrameTree, box: int) -> tuple[str, ...]:
        """Return base and new cost, the change with its percentage, and the calls."""
        both, change = self._both_text(tree, box), self._change_texts(tree, box)
        return (both, *change, *self.calls(tree, box))

    def spoken(self, tree: FrameTree, box: int) -> str:
        """Return the words of a box for screen readers: grew by, shrank by, not proven."""
        change = self._change(tree, box)
        size = self.format.with_unit(abs(change))
        words = f"{'grew' if change > 0 else 'shrank'} by {size}" if change else "did not change"
        if not tree.is_exact[box]:
            words = "change not proven"
        return f"{self.name(tree, box)}, {self._both_text(tree, box)}, {words}"

    def formats(self) -> ComparedFormats:
        """Return the formats of the table of boxes."""
        return ComparedFormats(self.base_format, self.change_format, self.changes)

    def both_costs(self, base: float, new: float, *, is_exact: bool) -> str:
        """Return what several boxes cost together in the base and now."""
        mark = "" if is_exact else ESTIMATE
        texts = self.base_format.with_unit(base), self.format.with_unit(new)
        return f"{mark}{_ARROW.join(texts)}"

    def match_cost(self, tree: FrameTree, nodes: BoolArray) -> str:
        """Return what these nodes cost in the base and now, and the change."""
        base, new, is_exact = combined_sides(tree, nodes)
        change = self.change_format.with_unit(self._measured(base, new))
        return f"{self.both_costs(base, new, is_exact=is_exact)} ({change})"

    def _tip_costs(self, tree: FrameTree, box: int) -> list[str]:
        sides, (base, new) = _sides(tree), _costs(tree, box)
        marks = ["" if side.is_exact[box] else ESTIMATE for side in (sides.base, sides.new)]
        return [
            f"Base: {marks[0]}{self.base_format.full_text(base)}",
            f"New: {marks[1]}{self.format.full_text(new)}",
            f"Change: {', '.join(self._change_texts(tree, box)) or 'none'}",
        ]

    def _exactness(self, tree: FrameTree, box: int) -> str:
        text = super(ComparedBoxStyle, self)._exactness(tree, box)
        return text if tree.is_exact[box] else f"{NOT_PROVEN} {text}"

    def _both_text(self, tree: FrameTree, box: int) -> str:
        sides, (base, new) = _sides(tree), _costs(tree, box)
        texts = [
            ("" if side.is_exact[box] else ESTIMATE) + format_.with_unit(cost)
            for side, format_, cost in (
                (sides.base, self.base_format, base),
                (sides.new, self.format, new),
            )
        ]
        return texts[1] if texts[0] == texts[1] and base == new else _ARROW.join(texts)

    def _change_texts(self, tree: FrameTree, box: int) -> list[str]:
        """Return the change, in the unit and in counts, and what part of its base it is.

        The first is marked if it is not proven; there is no text if nothing changed.
        """
        (base, new), change = _costs(tree, box), self._change(tree, box)
        if change == 0:
            return []
        format_, mark = self.change_format, "" if tree.is_exact[box] else ESTIMATE
        growth = growth_text(base, new, self.format)
        in_unit, exact = format_.with_unit(change), format_.exact_text(change)
        texts = [in_unit, exact] if format_.in_percent else [exact or in_unit]
        if growth:
            texts.append(growth if growth in _ONE_SIDED else f"{growth} of its base cost")
        return [mark + texts[0], *filter(None, texts[1:])]

    def _counts(self, tree: FrameTree, box: int) -> str:
        sides, texts = _sides(tree), []
        for side in (sides.base, sides.new):
            mark = "" if side.has_exact_calls[box] else ESTIMATE
            texts.append(mark + self.format.count_text(int(side.calls[box])))
        if not sides.base.calls[box] and not sides.new.calls[box]:
            return ""
        return texts[0] if texts[0] == texts[1] else _ARROW.join(texts)

    # ---------------------------------------------------------------- changes

    def _change(self, tree: FrameTree, box: int) -> int | float:
        return self._measured(*_costs(tree, box))

    def _measured(self, base: int | float, new: int | float) -> int | float:
        """Return the change from one cost to another in the unit of the comparison."""
        dtype = object if isinstance(base, int) else None
        sides = BothSides(np.array([base], dtype), np.array([new], dtype))
        change = as_number(self.changes(sides)[0])
        return 0 if change != change else change

    def _levels(self, cost: BothSides, is_proven: BoolArray) -> Int64Array:
        """Return the strength of each box's colour: above 0 for growth, and 0 for no change."""
        zeros = np.zeros_like(cost.base)
        parts = cost, BothSides(zeros, cost.new), BothSides(cost.base, zeros)
        change, new, base = (np.nan_to_num(self.changes(part).astype(float)) for part in parts)
        whole = np.maximum(np.abs(new), np.abs(base))
        share = np.divide(np.abs(change), whole, out=np.zeros(len(whole)), where=whole > 0)
        levels = np.ceil(_LEVELS * np.sqrt(np.minimum(share, 1))) * np.sign(change)
        return np.where(is_proven, levels, 0).astype(np.int64)

    # ---------------------------------------------------------------- colours

    def color_codes(self, tree: FrameTree) -> Int64Array:
        """Return a number for each box, by its change and by whether it passes the filter."""
        levels = self._levels(_sides(tree).cost, tree.is_exact)
        passes = np.ones(len(tree), bool)
        if self.passing is not None:
            passes = (tree.node < 0) | tree.are_of(self.passing)
        return 2 * (levels + _LEVELS) + passes

    def coded_color(self, code: int, is_exact: bool, is_faded: bool, palette: QPalette) -> QColor:
        """Return the colour of a change, or grey for none; pale where it is not proven."""
        level, passes = (code >> 1) - _LEVELS, bool(code & 1)
        base = palette.color(QPalette.ColorRole.Base)
        color = _change_color(level, palette)
        if is_faded or not passes:
            return blended(color, base, _FADED_OPACITY)
        return color if is_exact else blended(color, base, _ESTIMATED_OPACITY)

    def swatch(self, tree: FrameTree, box: int, palette: QPalette) -> QColor | None:
        """Return the colour of the box."""
        if node_at(tree.node, box) < 0:
            return None
        cost, row = _sides(tree).cost, slice(box, box + 1)
        level = self._levels(BothSides(cost.base[row], cost.new[row]), tree.is_exact[row])
        code = 2 * (int(level[0]) + _LEVELS) + 1
        return self.coded_color(code, bool(tree.is_exact[box]), False, palette)

    def net_color(self, code: int, palette: QPalette) -> QColor | None:
        """Return the colour of the line that tells the net change in a box; None without one."""
        level = (code >> 1) - _LEVELS
        return (GROWTH if level > 0 else SHRINKAGE) if level else None


def _change_color(level: int, palette: QPalette) -> QColor:
    """Return the colour of growth, level above 0, or of shrinkage; grey for 0."""
    text, base = (
        palette.color(role) for role in (QPalette.ColorRole.Text, QPalette.ColorRole.Base)
    )
    neutral = blended(text, base, _NEUTRAL_OPACITY)
    if not level:
        return neutral
    strongest = change_fill(palette, RowGround.PLAIN, is_growth=level > 0)
    opacity = _WEAKEST + (1 - _WEAKEST) * (abs(level) - 1) / (_LEVELS - 1)
    return blended(strongest, neutral, opacity)


def _sides(tree: FrameTree) -> FrameSides:
    assert tree.sides is not None
    return tree.sides


def _costs(tree: FrameTree, box: int) -> tuple[int | float, int | float]:
    """Return the cost of a box in the base and now."""
    sides = _sides(tree)
    return as_number(sides.base.cost[box]), as_number(sides.new.cost[box])
