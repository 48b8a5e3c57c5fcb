"""Call maps and flame graphs: a box for each frame of a tree, its texts, and the table of boxes.

There may be 20,000 boxes, so texts are created when they are asked for. A box that is compared is
coloured by how its cost changed: the more of the larger side, the stronger. Only proven changes
have a colour; an estimate on a side is marked with `≈`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from qcachegrind_py.analysis.calls.frame_layout import BoxWidth, frames_by_width, undrawn_frames
from qcachegrind_py.analysis.calls.frame_tree import NO_SIDE, FrameSide, FrameTree
from qcachegrind_py.analysis.costs.noise import Sampling
from qcachegrind_py.analysis.costs.sums import rounded_like
from qcachegrind_py.analysis.explanation.numbers import (
    EstimateKey,
    EstimateKind,
    Measure,
    exactness_text,
)
from qcachegrind_py.analysis.names.function_names import Labels, ranks
from qcachegrind_py.analysis.names.syntax import name_within
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import Counts, Figures
from qcachegrind_py.present.picture import Detail, Spot, Step
from qcachegrind_py.present.table import (
    ACTIVE_TIP,
    ESTIMATED,
    Column,
    CountCells,
    LocationCells,
    NameCells,
    Numbers,
    PathCountCells,
    Shown,
    SideCells,
    Table,
    Value,
    cell_text,
    cost_column,
    exactness_column,
    name_columns,
    side_columns,
)
from qcachegrind_py.present.unit import BASE, ESTIMATE, NEW, NO_UNIT, Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NO_NODE, STAND_INS, NodeId, node_at, node_ids
from qcachegrind_py.profile.numbers import NumberStyle, format_count, plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array

CHANGE_LEVELS = 16  # strengths of the colour of a change
NOT_PROVEN = "The cost is an estimate, so its change is uncertain and has no colour."
_NAME_WITH_CALLERS = re.compile(
    r"(?P<own>[^']+(?:'\d+(?='))?)'(?P<callers>(?!\d+$).+)"
)  # f'g'h, f'2'g
_NAME_IN_TIPS = 160  # characters
_NAME_IN_LISTS = 50
_LARGEST_IN_TIPS = 3  # boxes named of those that are drawn as one
_ARROW = " → "
_MAX_PATH_NAMES = 4  # names shown of the path to the zoomed box
_PATH_SEPARATOR = " › "
_ONE_SIDED = ("new", "gone")
_MIN_SHARE_OF_CHANGES = 1e-6  # changes are small beside the costs around them
_NOTHING, _NEVER, _NOWHERE = np.empty(0, np.int64), np.empty(0, bool), np.empty(0)
NO_FRAMES = FrameTree(
    node=_NOTHING, parent=_NOTHING, depth=_NOTHING, start=_NOWHERE, width=_NOWHERE,
    first_child=_NOTHING, child_count=_NOTHING, is_recursion=_NEVER, base=NO_SIDE, new=NO_SIDE,
)  # fmt: skip


def compares_boxes(query: ViewQuery) -> bool:
    """Whether boxes have two sides: of an event that both sides have."""
    event = query.context.event
    return query.context.base is not None and event is not None and query.is_comparable(event)


def build_frames(
    query: ViewQuery, node: NodeId, width: BoxWidth, progress: Progress, **options: Any
) -> FrameTree:
    """Build the frame tree from a function, or from `NO_NODE`: the whole program, in the event.

    It is over both sides if there is a base. `options` are those of `build_frame_tree`.
    """
    context, base = query.context, None
    assert context.event is not None
    if context.base is not None and compares_boxes(query):
        base = context.base
        if width is BoxWidth.CHANGE:
            options["min_share"] = _MIN_SHARE_OF_CHANGES
    tree = query.queries.frame_tree(
        node,
        context.event,
        context.scope,
        base=base,
        of_recorded=context.of_recorded,
        visible=query.visible_nodes(),
        progress=progress,
        **options,
    )
    return tree if base is None else frames_by_width(tree, width)


# -------------------------------------------------------------------- boxes

# kinds of boxes of one function or change, which differ in colour, and the number of combinations
IS_ESTIMATE, IS_FADED, IS_AROUND, _KINDS = 1, 2, 4, 8
_ESTIMATED_OPACITY = 0.42
_UNPROVEN_OPACITY = 0.35  # of a box whose change is not proven
_FADED_OPACITY = 0.16  # of boxes outside search and filter


@frozen(eq=True)
class Shade:
    """The colour of a box: that of a group, or of a change, at an opacity over the background."""

    color: str | None
    level: int | None  # strength of a change, above 0 for growth; None if nothing is compared
    opacity: float


@frozen(eq=True)
class FrameStyle:
    """The names, unit and colours of boxes."""

    labels: Labels
    unit: Unit
    color: Callable[[NodeId], str]  # colour of a node's group
    # command that records exact costs for a number of caller levels; may be empty
    recording_advice: Callable[[int], str]
    # mask of the nodes that pass the filter, shape (nodes,); None without a filter
    passing: BoolArray | None = field(default=None, compare=False)
    sampling: Sampling | None = None  # of both sides; None: costs are exact, or not compared


@frozen(slots=False)
class Frames:
    """A frame tree as a picture: a box for each frame."""

    tree: FrameTree
    style: FrameStyle
    shows_callers: bool = False  # boxes contain their callers instead of their callees

    def __len__(self) -> int:
        return len(self.tree)

    @property
    def is_compared(self) -> bool:
        return self.tree.is_compared

    @cached_property
    def costs(self) -> Figures:
        tree, style = self.tree, self.style
        return Figures(
            style.unit,
            tree.new.cost,
            tree.base.cost,
            is_estimate=~tree.is_exact,
            sampling=style.sampling,
        )

    @cached_property
    def counts(self) -> Counts:
        base, new = self.sides
        is_estimate = ~(base.has_exact_calls & new.has_exact_calls)
        return Counts(new.calls, base.calls, self.style.unit.style, is_estimate=is_estimate)

    @property
    def sides(self) -> tuple[FrameSide, FrameSide]:
        return self.tree.base, self.tree.new

    @cached_property
    def is_drawn(self) -> BoolArray:
        """Which boxes have a width: a comparison has others, shape (boxes,)."""
        drawn: BoolArray = self.tree.width > 0
        return drawn

    def key(self, box: int) -> int:
        return node_at(self.tree.node, box)

    # ---------------------------------------------------------------- texts

    def name(self, box: int) -> str:
        """Return the label; recorded caller names in it are left out inside the caller's box."""
        name, parent = self.style.labels.name(NodeId(self.key(box))), int(self.tree.parent[box])
        context = _NAME_WITH_CALLERS.fullmatch(name)
        if context and parent >= 0 and (parent_node := self.key(parent)) >= 0:
            parent_name, callers = self.style.labels.name(NodeId(parent_node)), context["callers"]
            if parent_name == callers or parent_name.startswith(f"{callers}'"):
                name = context["own"]
        return cell_text(name)

    def label(self, box: int) -> str:
        """Return the name behind an arrow that tells the direction of a proven change."""
        is_proven = self.tree.is_exact[box] and not self.costs.is_noise(box)
        change = self._change(box) if is_proven else 0
        arrow = "▲ " if change > 0 else "▼ " if change < 0 else ""
        return arrow + self.name(box)

    def cost(self, box: int) -> str:
        """Return the cost now, and its change if that is proven: 12 (+3), gone (−4)."""
        shown, change = self._side_text(box, NEW), self._change(box)
        if not change or not self.tree.is_exact[box]:
            return shown
        change_text = self.style.unit.change_with_unit(change)
        if not self.costs.new[box]:
            return f"gone ({change_text})"
        return f"{shown} ({'new' if not self.costs.base[box] else change_text})"

    def calls(self, box: int) -> str:
        """Return the number of calls, on both sides if they differ; empty if none is known."""
        counts = self._counts(box)
        return f"{counts} {plural(int(self.counts.new[box]), 'call')}" if counts else ""

    def times(self, box: int) -> str:
        """Return the number of calls as it is written in boxes: `12×`; empty if not known."""
        counts = self._counts(box)
        return f"{counts}×" if counts else ""

    def spoken(self, box: int) -> str:
        if not self.is_compared:
            return f"{self.name(box)}, {self.cost(box)}"
        change = self._change(box)
        size = self.style.unit.with_unit(abs(change))
        words = f"{'grew' if change > 0 else 'shrank'} by {size}" if change else "did not change"
        if not self.tree.is_exact[box]:
            words = "change uncertain"
        return f"{self.name(box)}, {self._both_text(box)}, {words}"

    def detail(self, spot: Spot) -> Detail:
        """Return name, cost and calls; compared, both costs and the change with its percentage."""
        if spot.merged is not None:
            return Detail(self.merged_label(*spot.merged), (self.merged_cost(*spot.merged),))
        box = spot.box
        costs = self.costs.details(box)
        if self.is_compared:
            costs = (self._both_text(box), *self._change_texts(box))
        return Detail(self.name(box), tuple(filter(None, (*costs, self.calls(box)))))

    def tip(self, spot: Spot) -> tuple[str, ...]:
        """Return name, cost and calls, and where the function is: at most five lines."""
        if spot.merged is not None:
            return self._merged_tip(*spot.merged)
        box, labels = spot.box, self.style.labels
        node = NodeId(self.key(box))
        names = labels.details(node)
        if node >= 0:
            names = [labels.full_name(node), labels.location(node).removesuffix(UNKNOWN)]
        name, *location = (name_within(each, _NAME_IN_TIPS) for each in names)
        again = "recursion, not expanded again" if self.tree.is_recursion[box] else ""
        calls = ", ".join(filter(None, (self.calls(box), again)))
        return (name, *self._tip_costs(box), *filter(None, (calls, *location)))

    def _tip_costs(self, box: int) -> list[str]:
        base, new = (self._mark(box, side) + self._full(box, side) for side in (BASE, NEW))
        if not self.is_compared:
            return [new]
        change = ", ".join(self._change_texts(box)) or "none"
        proof = "" if self.tree.is_exact[box] else ", uncertain"
        noise = self.costs.noise_text(box)
        return [f"{base}{_ARROW}{new}", f"Change: {change}{proof}", *filter(None, (noise,))]

    def _full(self, box: int, side: int) -> str:
        return self.style.unit.full(as_number(self.costs.side(side)[box]), side)

    def _mark(self, box: int, side: int) -> str:
        return "" if self.sides[side].is_exact[box] else ESTIMATE

    def _side_text(self, box: int, side: int) -> str:
        cost = as_number(self.costs.side(side)[box])
        return self._mark(box, side) + self.style.unit.with_unit(cost, side)

    def _both_text(self, box: int) -> str:
        base, new = self._side_text(box, BASE), self._side_text(box, NEW)
        is_same = base == new and self.costs.base[box] == self.costs.new[box]
        return new if is_same else f"{base}{_ARROW}{new}"

    def _change_texts(self, box: int) -> list[str]:
        """Return the change, in the unit and in counts, and what part of its base it is.

        The first is marked if it is not proven; there is no text if nothing changed.
        """
        change, unit = self._change(box), self.style.unit
        if change == 0:
            return []
        mark, growth = "" if self.tree.is_exact[box] else ESTIMATE, self.costs.growth(box)
        in_unit, exact = unit.change_with_unit(change), unit.exact_change(change)
        texts = [in_unit, exact] if unit.in_percent else [exact or in_unit]
        if growth:
            texts.append(growth if growth in _ONE_SIDED else f"{growth} of its base cost")
        return [mark + texts[0], *filter(None, texts[1:])]

    def _counts(self, box: int) -> str:
        counts = self.counts
        if not counts.base[box] and not counts.new[box]:
            return ""
        base, new = (
            ("" if self.sides[side].has_exact_calls[box] else ESTIMATE)
            + counts.side_text(box, side)
            for side in (BASE, NEW)
        )
        return new if base == new else f"{base}{_ARROW}{new}"

    def _change(self, box: int) -> int | float:
        """Return the change of a box in the unit shown; 0 if it is not known."""
        change = as_number(self.costs.change[box])
        return 0 if change != change else change

    # ---------------------------------------------------------------- several boxes

    def merged_label(self, first: int, end: int) -> str:
        """Return how many functions are in boxes that are drawn as one."""
        drawn = self._drawn(first, end)
        if len(drawn) == 1:
            return self.name(int(drawn[0]))
        count = len(np.unique(self.tree.node[drawn]))
        return f"{format_count(count, self.style.unit.style)} {plural(count, 'function')}"

    def merged_cost(self, first: int, end: int) -> str:
        """Return the cost of all boxes that are drawn as one."""
        drawn = self._drawn(first, end)
        base, new = (sum(side[drawn].tolist()) for side in (self.costs.base, self.costs.new))
        return self.together(base, new, is_exact=bool(self.tree.is_exact[drawn].all()))

    def _merged_tip(self, first: int, end: int) -> tuple[str, ...]:
        """Return how many boxes these are, what they cost, and which are the largest."""
        drawn = self._drawn(first, end)
        order = np.argsort(-self.tree.width[drawn], kind="stable")[:_LARGEST_IN_TIPS]
        largest = [
            f"{name_within(self.name(box), _NAME_IN_LISTS)}: {self.cost(box)}"
            for box in drawn[order].tolist()
        ]
        title = f"{self.merged_label(first, end)}, {self.merged_cost(first, end)}"
        return title, *largest, "Click to zoom in."

    def _drawn(self, first: int, end: int) -> Int64Array:
        return first + np.flatnonzero(self.is_drawn[first:end])

    def together(self, base: int | float, new: int | float, *, is_exact: bool) -> str:
        """Return what several boxes cost together, in the base and now."""
        unit, mark = self.style.unit, "" if is_exact else ESTIMATE
        base_text = f"{unit.with_unit(base, BASE)}{_ARROW}" if self.is_compared else ""
        return f"{mark}{base_text}{unit.with_unit(new)}"

    def match_cost(self, nodes: BoolArray) -> str:
        """Return what these nodes, a mask of shape (nodes,), cost together, and the change."""
        base, new, is_exact = self.tree.combined_costs(nodes)
        shown = self.together(base, new, is_exact=is_exact)
        if not self.is_compared:
            return shown
        sums = Figures(self.style.unit, np.array([new], object), np.array([base], object))
        change = as_number(sums.change[0])
        return f"{shown} ({self.style.unit.change_with_unit(0 if change != change else change)})"

    def without_room(self, boxes: Int64Array) -> str:
        """Return how many boxes have no room in a picture, and what they cost together."""
        if not len(boxes):
            return ""
        base, new = (sum(side[boxes].tolist()) for side in (self.costs.base, self.costs.new))
        cost = self.together(base, new, is_exact=bool(self.tree.is_exact[boxes].all()))
        return f"{format_count(len(boxes), self.style.unit.style)} without room ({cost})"

    def path_text(self, box: int) -> str:
        """Return the path to a box; empty for that around all others."""
        path = self.tree.path(box) if box > 0 else []
        names = list(map(self.name, path[-_MAX_PATH_NAMES:]))
        return _PATH_SEPARATOR.join(("…", *names) if len(path) > _MAX_PATH_NAMES else names)

    def next_box(self, box: int, step: Step) -> int:
        """Return the box that a step leads to: out, in, or to a sibling; the same if none is."""
        tree = self.tree
        if step is Step.BACK:
            return max(0, int(tree.parent[box]))
        if step is Step.AHEAD:
            return next(iter(tree.children_of(box)), box)
        sibling = box + (1 if step is Step.NEXT else -1)
        is_there = 0 < sibling < len(tree) and tree.parent[sibling] == tree.parent[box]
        return sibling if is_there else box

    # ---------------------------------------------------------------- other pictures

    def box_like(self, other: Frames, box: int) -> int:
        """Return the box with the path of a box in another picture; -1 without one."""
        tree, old = self.tree, other.tree
        if not 0 <= box < len(old) or not len(tree):
            return -1
        nodes = old.node[old.path(box)].tolist()
        found = 0 if nodes[0] == tree.node[0] else -1
        for node in nodes[1:]:
            if found < 0:
                break
            inside = (child for child in tree.children_of(found) if tree.node[child] == node)
            found = next(inside, -1)
        return found

    def number(
        self, box: int, measure: Measure, *, is_program: bool, of_recorded: bool
    ) -> EstimateKey | None:
        """Return which number the cost or the count of a box is, to be explained.

        With `is_program`, boxes begin where the program does, and not at the active function.
        """
        if not 0 <= box < len(self):
            return None
        nodes = (node_at(self.tree.node, row) for row in self.tree.path(box))
        path = tuple(node for node in nodes if node != NO_NODE)
        is_counted = measure is Measure.COUNT and len(path) > 1 and min(path[-2:]) >= 0
        return EstimateKey(
            EstimateKind.FRAME,
            path,
            Measure.COUNT if is_counted else Measure.COST,
            up=self.shows_callers,
            is_program=is_program,
            of_recorded=of_recorded,
        )

    # ---------------------------------------------------------------- colours

    def color_keys(self, matches: BoolArray | None) -> Int64Array:
        """Return a number for each box from which its colour follows, shape (boxes,).

        It tells the function, or the level of the change; and what is an estimate, and what is
        outside the filter or the `matches` of a search, a mask of nodes.
        """
        tree = self.tree
        faded = np.zeros(len(self), bool) if matches is None else ~tree.are_of(matches)
        if self.style.passing is not None:
            faded |= (tree.node >= 0) & ~tree.are_of(self.style.passing)
        keys: Int64Array = _KINDS * self._codes
        keys[~tree.is_exact] += IS_ESTIMATE
        keys[faded] += IS_FADED
        return keys

    @cached_property
    def _codes(self) -> Int64Array:
        return self._levels() + CHANGE_LEVELS if self.is_compared else self.tree.node + STAND_INS

    def shade(self, key: int) -> Shade:
        """Return the colour of boxes with a key; canvases add `IS_AROUND` for what is zoomed to."""
        code, kind = divmod(key, _KINDS)
        opacity = _UNPROVEN_OPACITY if self.is_compared else _ESTIMATED_OPACITY
        opacity = _FADED_OPACITY if kind & IS_FADED else opacity if kind & IS_ESTIMATE else 1.0
        if self.is_compared:
            return Shade(None, code - CHANGE_LEVELS, opacity)
        node = NodeId(code - STAND_INS)
        return Shade(self.style.color(node) if node >= 0 else None, None, opacity)

    def _levels(self) -> Int64Array:
        costs = self.costs
        base, new = (np.nan_to_num(costs.divided(side).astype(float)) for side in (BASE, NEW))
        change = np.where(costs.are_noise, 0, np.nan_to_num(costs.change.astype(float)))
        whole = np.maximum(np.abs(new), np.abs(base))
        share = np.divide(np.abs(change), whole, out=np.zeros(len(whole)), where=whole > 0)
        levels = np.ceil(CHANGE_LEVELS * np.sqrt(np.minimum(share, 1))) * np.sign(change)
        return np.where(self.tree.is_exact, levels, 0).astype(np.int64)


# -------------------------------------------------------------------- the note below

_WIDTH_TEXTS = {
    BoxWidth.NEW: "new cost",
    BoxWidth.BASE: "base cost",
    BoxWidth.CHANGE: "growth and shrinkage inside",
}
_UNDRAWN_TEXTS = {
    BoxWidth.NEW: "gone",
    BoxWidth.BASE: "new",
    BoxWidth.CHANGE: "without a certain change",
}
_PALE = "≈ change uncertain (why?)"
_NET = "line: net change"  # of growth and shrinkage
_ESTIMATED_BOXES = "≈ estimated (why?)"


def frame_notes(
    pictures: Sequence[Frames], width: BoxWidth, size: str, small: Sequence[str]
) -> list[str]:
    """Return the number of boxes, what is not drawn, and what is estimated.

    `size` is the word for what costs are drawn as: width or area. `small` are texts about boxes
    that have no room in the pictures.
    """
    first, trees = pictures[0], [picture.tree for picture in pictures]
    style, count = first.style.unit.style, sum(int(each.is_drawn.sum()) for each in pictures)
    left_out = sum(tree.omitted_calls for tree in trees)
    small_text = f", {_rounded_count(left_out, style)} too small" if left_out else ""
    parts = [f"{format_count(count, style)} {plural(count, 'box')}{small_text}"]
    if not all(tree.is_exact.all() for tree in trees):
        parts.append(_PALE if first.is_compared else _ESTIMATED_BOXES)
    parts += _comparison_notes(pictures, width, size)
    parts += filter(None, small)
    hidden = sum(tree.filtered_calls for tree in trees)
    if hidden:
        parts.append(f"{format_count(hidden, style)} outside the filter")
    if count == 1 and not left_out and not hidden:
        parts.append("no callers with cost" if first.shows_callers else "no callees with cost")
    return parts


def frame_reasons(pictures: Sequence[Frames]) -> list[str]:
    """Return what the notes leave out: the cost of small boxes, and why costs are estimates."""
    first, trees = pictures[0], [picture.tree for picture in pictures]
    unit, reasons = first.style.unit, list[str]()
    if left_out := sum(tree.omitted_calls for tree in trees):
        min_cost = unit.with_unit(ceil(max(tree.min_width for tree in trees)))
        is_tiny = min_cost == unit.with_unit(0) or min_cost.startswith("<")
        size = "tiny" if is_tiny else f"smaller than {min_cost}"
        cost = first.together(
            *(sum(round(side.omitted_cost) for side in sides) for sides in _sides(pictures)),
            is_exact=all(s.has_exact_omissions for sides in _sides(pictures) for s in sides),
        )
        verb = "is" if left_out == 1 else "are"
        reasons.append(
            f"{format_count(left_out, unit.style)} {plural(left_out, 'box')} {verb} {size} and not "
            f"drawn, together {cost}."
        )
    if not all(tree.is_exact.all() for tree in trees):
        reasons += [NOT_PROVEN] if first.is_compared else []
        levels = max(tree.level_count for tree in trees) - 1
        reasons.append(exactness_text(False, first.style.recording_advice(levels)))
    return reasons


def _rounded_count(count: int, style: NumberStyle) -> str:
    """Return a count in two or three digits: 1.2 M."""
    for size, prefix in ((1_000_000, "M"), (10_000, "k")):
        if count >= size:
            number = f"{count / 1e6:.1f}" if prefix == "M" else f"{count / 1e3:.0f}"
            return f"{number.replace('.', style.decimal_point)}\N{THIN SPACE}{prefix}"
    return format_count(count, style)


def _sides(pictures: Sequence[Frames]) -> Iterator[tuple[FrameSide, ...]]:
    return zip(*(picture.sides for picture in pictures), strict=True)


def _comparison_notes(pictures: Sequence[Frames], width: BoxWidth, size: str) -> list[str]:
    """Return what the width means, and how many boxes have none."""
    if not pictures[0].is_compared:
        return []
    undrawn = [_undrawn_text(picture, width) for picture in pictures]
    # changes are summed up in counts, in whatever unit; costs of one side keep their proportions
    in_counts = pictures[0].style.unit.divisors is not None and width is BoxWidth.CHANGE
    return [
        *dict.fromkeys(filter(None, undrawn)),
        f"{size}: {_WIDTH_TEXTS[width]}{', in counts' if in_counts else ''}",
        *([_NET] if width is BoxWidth.CHANGE else []),
    ]


def _undrawn_text(picture: Frames, width: BoxWidth) -> str:
    """Return how many boxes have no width, and their change in counts: 31 gone, −3.1 M."""
    undrawn, unit = undrawn_frames(picture.tree), picture.style.unit
    if not undrawn.count:
        return ""
    text = f"{format_count(undrawn.count, unit.style)} {_UNDRAWN_TEXTS[width]}"
    if width is BoxWidth.CHANGE:
        return text
    return f"{text}, {'' if undrawn.is_exact else ESTIMATE}{unit.absolute_change(undrawn.change)}"


# -------------------------------------------------------------------- table


@frozen(slots=False)
class _MarkedSideCells(SideCells):
    """The costs of one side, of which some are estimates."""

    is_exact: BoolArray

    def text(self, row: int) -> str:
        if not self.figures.is_compared:
            return ""
        shown = self.figures.unit.cell(as_number(self.numbers()[row]), side=self.side)
        return shown if not shown or self.is_exact[row] else ESTIMATE + shown


class _FrameNameCells(NameCells):
    """Names of the functions of frames, sorted by their full names: short ones take too long."""

    def order(self) -> Numbers:
        return self._ranks(Labels.full_name)

    def _ranks(self, text: Callable[[Labels, NodeId], str]) -> Int64Array:
        """Return each frame's rank in the order of texts; one text for each function."""
        if (labels := self.labels) is None:
            return self.nodes
        nodes, inverse = np.unique(self.nodes, return_inverse=True)
        return ranks([text(labels, node).lower() for node in node_ids(nodes)])[inverse]


@frozen(slots=False)
class _ParentCells(_FrameNameCells):
    """The names of enclosing frames; empty for frame 0."""

    parent: Int64Array

    def text(self, row: int) -> str:
        return super().text(int(self.parent[row])) if self.parent[row] >= 0 else ""

    def values(self, rows: Int64Array) -> list[Value]:
        parents = self.parent[rows]
        names = super().values(parents)
        return [name if row >= 0 else "" for name, row in zip(names, parents.tolist(), strict=True)]

    def order(self) -> Numbers:
        return np.where(self.parent >= 0, super().order()[self.parent], -1)


class _FrameLocationCells(LocationCells):
    def order(self) -> Numbers:
        return _FrameNameCells(self.labels, self.nodes)._ranks(Labels.location)


def frame_table(picture: Frames) -> Table:
    tree, labels = picture.tree, picture.style.labels

    def tip(row: int) -> tuple[str, ...]:
        parent = int(tree.parent[row])
        inside = [f"Inside {labels.full_name(node_at(tree.node, parent))}"] if parent >= 0 else []
        details = labels.details(node_at(tree.node, row))
        return *details, *inside, exactness_text(bool(tree.is_exact[row]))

    nodes, costs, self_costs = tree.node, picture.costs, _self_costs(picture)
    name, location = name_columns("Function", labels, nodes)
    counted = f"Number of calls that the box stands for. {ACTIVE_TIP}"
    estimated = "" if tree.is_exact.all() else f" {ESTIMATED}"
    columns = (
        cost_column("cost", "Incl.", f"Inclusive cost of the box.{estimated}", costs),
        cost_column(
            "self",
            "Self",
            f"Cost not covered by nested boxes: self cost and calls without a box.{estimated}",
            self_costs,
        ),
        *_side_columns(picture),
        Column(
            "called", "Calls", counted, PathCountCells(picture.counts), Shown.COMPARED, gives_way=2
        ),
        Column(
            "depth",
            "Depth",
            "Number of enclosing boxes",
            CountCells(Counts.alone(tree.depth, costs.unit.style)),
        ),
        replace(name, cells=_FrameNameCells(labels, nodes)),
        Column(
            "parent",
            "Inside",
            "The enclosing box",
            _ParentCells(labels, nodes, tree.parent),
            width=24,
        ),
        replace(location, cells=_FrameLocationCells(labels, nodes)),
        exactness_column(costs.is_estimate, self_costs.is_estimate),
    )
    return Table(columns, len(tree), nodes, tip)


def _side_columns(picture: Frames) -> tuple[Column, ...]:
    costs = picture.costs
    base, new, growth = side_columns(costs, "Inclusive cost")
    return (
        replace(base, cells=_MarkedSideCells(costs, BASE, picture.tree.base.is_exact)),
        replace(new, cells=_MarkedSideCells(costs, NEW, picture.tree.new.is_exact)),
        growth,
    )


def _self_costs(picture: Frames) -> Figures:
    """Return each frame's cost outside its child frames.

    The cost is exact if the frame and its children are. Otherwise, and in profiles whose calls cost
    more than their caller, it is the displayed width, rounded; compared, it is the difference.
    """
    tree, unit, parents = picture.tree, picture.style.unit, picture.tree.parent[1:]
    is_exact = tree.is_exact.copy()
    np.logical_and.at(is_exact, parents, is_exact[1:].copy())
    base, new = (_outside(side, parents) for side in (picture.costs.base, picture.costs.new))
    if picture.is_compared:
        samples = picture.style.sampling
        return Figures(unit, new, base, is_estimate=~is_exact, sampling=samples)
    is_exact &= (new >= 0).astype(bool)
    costs = np.where(is_exact, new, rounded_like(tree.self_width))
    return Figures(unit, costs, costs, is_estimate=~is_exact)


def _outside(costs: CostArray, parents: Int64Array) -> CostArray:
    inside = np.zeros_like(costs)
    np.add.at(inside, parents, costs[1:])
    return costs - inside


NO_BOXES = frame_table(
    Frames(NO_FRAMES, FrameStyle(None, NO_UNIT, lambda _node: "", lambda _levels: ""))  # type: ignore[arg-type]  # it has no boxes
)
