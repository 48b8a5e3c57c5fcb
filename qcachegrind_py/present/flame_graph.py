"""Flame graphs: the places of boxes in the window, and the boxes of a page.

In the window a picture shows a range of the costs, a row for each depth. A page has a box for the
widest frames only, so that browsers can open it. Boxes of a comparison are as wide as the new side,
the base or the change, and only a change that is proven has a strength.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

import numpy as np

from qcachegrind_py.analysis.calls.frame_layout import BoxWidth, frame_places
from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.function_names import Grouping, base_name
from qcachegrind_py.analysis.names.group_colors import Rgb, group_rgb, shade_rgb
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.unit import share_text
from qcachegrind_py.profile.events import EventType, Float64Array, as_number
from qcachegrind_py.profile.ids import NO_FUNCTION, NO_NODE, FunctionId, NodeId, node_at
from qcachegrind_py.profile.numbers import (
    format_count,
    format_percentage,
    has_percentages,
    signed_text,
)
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array

_MOST_BOXES = 3000
_MIN_SHARE = 1e-3  # of the picture: narrower frames are left out
_MAX_DEPTH = 200
_MOST_TREE_FRAMES = 30_000  # before those are chosen that are wide enough on one side
_MIN_TREE_SHARE = 2e-5
_MOST_IN_LEGEND = 12
_MOST_TIP = 300  # characters of a name in a tip
_STEPS = (0.02, 0.1, 0.4)  # shares of the larger side, from which on a change is stronger
_ESTIMATE = "≈"
_THIN = "\N{THIN SPACE}"
_WIDTHS = {"New": BoxWidth.NEW, "Base": BoxWidth.BASE, "Change": BoxWidth.CHANGE}

Places = tuple[Float64Array, Float64Array]  # left edges and widths, as fractions of the whole


@frozen
class FlameGraph:
    """Boxes, level by level: the first contains all others; sequences have an item for each."""

    event: str
    about: str  # what the picture shows, and what it leaves out
    functions: Sequence[FunctionId]  # of a cycle its first member; NO_FUNCTION: the whole program
    labels: Sequence[str]
    tips: Sequence[str]
    parent: Sequence[int]
    depth: Sequence[int]
    is_exact: Sequence[bool]
    places: tuple[Places, ...]
    widths: tuple[str, ...] = ()  # what they are as wide as, if there is a choice
    colors: Sequence[Rgb] = ()  # of a profile alone
    steps: Sequence[int] = ()  # how much each grew, from -4 to 4; of a comparison
    legend: Sequence[tuple[str, Rgb]] = ()  # libraries with their self costs, largest first

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def first(self) -> int:
        """Which of the places is shown at first: that by New, if the new side has any cost."""
        return next(at for at, (_, width) in enumerate(self.places) if width[0] > 0)


def flame_graph(
    queries: ProfileQueries,
    event: EventType,
    scope: Scope,
    visible: BoolArray | None,
    progress: Progress,
    *,
    base: Scope | None = None,
) -> FlameGraph | None:
    """Return the frames of the whole program, or of both sides of a comparison, in an event.

    None if there are no calls with cost. With `visible`, a mask of shape (nodes,), only calls are
    followed that lead to such nodes.
    """
    if base is None and not len(queries.profile.calls):
        return None
    tree = queries.frame_tree(
        NO_NODE,
        event,
        scope,
        base=base,
        min_share=_MIN_SHARE if base is None else _MIN_TREE_SHARE,
        max_frames=_MOST_BOXES if base is None else _MOST_TREE_FRAMES,
        max_depth=_MAX_DEPTH,
        visible=visible,
        progress=progress,
    )
    if tree.width[:1].sum() <= 0 or (base is not None and len(tree) == 1):
        return None  # a frame of both sides alone shows nothing
    rows, places = np.arange(len(tree)), [_fractions(tree.start, tree.width)]
    if base is not None:
        places = [_fractions(*frame_places(tree, by)) for by in _WIDTHS.values()]
        rows = _widest_rows([width for _, width in places])
    row = np.zeros(len(tree), np.int64)
    row[rows] = np.arange(len(rows))
    parent = tree.parent[rows]
    nodes = [node_at(tree.node, frame) for frame in rows.tolist()]
    functions = [queries.first_member(node, scope) if node >= 0 else NO_FUNCTION for node in nodes]
    labels, again = list(map(queries.labels(scope).name, nodes)), tree.is_recursion[rows].tolist()
    is_exact, new = tree.is_exact[rows].tolist(), list(map(as_number, tree.new.cost[rows]))
    colors, steps, widths = list[Rgb](), list[int](), tuple[str, ...]()
    legend = list[tuple[str, Rgb]]()
    if base is None:
        total = queries.total(event, scope.parts).base
        tips = [_tip(*each, total) for each in zip(labels, new, is_exact, again, strict=True)]
        hues = dict(queries.group_hues(Grouping.OBJECT))
        colors = [_color(queries, function, hues) for function in functions]
        legend = _legend(queries, event, scope, nodes, hues)
    else:
        sides = list(zip(map(int, tree.base.cost[rows]), map(int, new), is_exact, strict=True))
        names, words = list(map(cell_text, labels)), [_word(*each) for each in sides]
        labels = [" ".join(filter(None, each)) for each in zip(names, words, strict=True)]
        tips = [
            _tip_of_both(name[:_MOST_TIP], *each, word, is_recursion=is_recursion)
            for name, each, word, is_recursion in zip(names, sides, words, again, strict=True)
        ]
        steps, widths = [_step(one, other) for one, other, _ in sides], tuple(_WIDTHS)
    return FlameGraph(
        event.name,
        _about(tree) if base is None else _about_both(tree, rows),
        functions,
        labels,
        tips,
        np.where(parent >= 0, row[parent], -1).tolist(),
        tree.depth[rows].tolist(),
        is_exact,
        tuple((start[rows], width[rows]) for start, width in places),
        widths,
        colors,
        steps,
        legend,
    )


def _fractions(start: Float64Array, width: Float64Array) -> Places:
    """Return places as fractions of frame 0; all are 0 if the side has no cost, or no change."""
    whole = width[0] or 1.0
    return start / whole, width / whole


def _widest_rows(widths: list[Float64Array]) -> Int64Array:
    widest = np.max(widths, axis=0)
    order = np.argsort(-widest, kind="stable")[:_MOST_BOXES]
    # no frame is wider than its parent, which is therefore among them
    return np.sort(order[widest[order] >= _MIN_SHARE])


def _color(queries: ProfileQueries, function: FunctionId, hues: Mapping[str, float]) -> Rgb:
    """Return the colour that the window uses without grouping; grey if there is no function."""
    if function == NO_FUNCTION:
        return shade_rgb(UNKNOWN, "")
    group = queries.names.object(function)
    return shade_rgb(group, queries.names.name(function), hues.get(group))


def _legend(
    queries: ProfileQueries,
    event: EventType,
    scope: Scope,
    nodes: Sequence[NodeId],
    hues: Mapping[str, float],
) -> list[tuple[str, Rgb]]:
    """Return the libraries of the boxes with their share of self cost, the largest first."""
    groups = queries.groups(Grouping.OBJECT, scope)
    costs = queries.group_costs(Grouping.OBJECT, event, scope)
    total = queries.total(event, scope.parts).base
    shown = {int(groups.group_of_node[node]) for node in nodes if node >= 0}
    order = sorted(shown, key=lambda group: (-int(costs[group]), groups.names[group]))
    legend = []
    for group in order[:_MOST_IN_LEGEND]:
        name, cost = groups.names[group], int(costs[group])
        share = f" {share_text(cost, total)}{_THIN}%" if has_percentages(total) else ""
        text = f"{cell_text(base_name(name))}{share}"
        legend.append((text, group_rgb(name, hues.get(name))))
    return legend


# ---------------------------------------------------------------- texts


def _about(tree: FrameTree) -> str:
    texts = ["Callees are drawn below their callers; widths are proportional to costs."]
    if tree.omitted_calls:
        least, omitted = (
            100 * each / tree.width[0] for each in (tree.min_width, tree.new.omitted_cost)
        )
        texts.append(
            f"Boxes below {least:.3g}{_THIN}% are not drawn, "
            f"together about {omitted:.3g}{_THIN}% of the whole."
        )
    if not tree.is_exact.all():
        texts.append("Pale boxes with ≈ are estimates, as only direct calls are recorded.")
    return " ".join(texts)


def _about_both(tree: FrameTree, rows: Int64Array) -> str:
    text = (
        "Callees are drawn below their callers. Growth is orange, shrinkage is blue, "
        "and a larger change has a stronger colour. Widths by change are growth and shrinkage "
        "together. "
        f"Boxes below {100 * _MIN_SHARE:g}{_THIN}% are left out{_omitted(tree, rows)}."
    )
    if tree.is_exact[rows].all():
        return text
    return (
        f"{text} Pale boxes with {_ESTIMATE} are estimates, as only direct calls are "
        "recorded; whether they changed is uncertain."
    )


def _omitted(tree: FrameTree, rows: Int64Array) -> str:
    """Return what the frames that are left out cost together, of both sides."""
    is_left_out = np.ones(len(tree), bool)
    is_left_out[rows] = False
    outermost = is_left_out & ~tree.are_inside(is_left_out)
    omitted = [
        (side.omitted_cost + float(side.width[outermost].sum())) / (float(side.width[0]) or 1.0)
        for side in (tree.base, tree.new)
    ]
    if not any(omitted):
        return ""
    base, new = (f"{100 * share:.3g}{_THIN}%" for share in omitted)
    return f", together about {base} of the base and {new} of the new side"


def _tip(
    name: str, cost: int | float, is_exact: bool, is_recursion: bool, total: int | float
) -> str:
    """Return name, cost, and the percentage if there is one."""
    mark = "" if is_exact else f"{_ESTIMATE}{_THIN}"
    again = " – recursion, not expanded again" if is_recursion else ""
    share = f" ({share_text(cost, total)}{_THIN}%)" if has_percentages(total) else ""
    return f"{cell_text(name)[:_MOST_TIP]} – {mark}{format_count(int(cost))}{share}{again}"


def _tip_of_both(
    name: str, base: int, new: int, is_proven: bool, word: str, *, is_recursion: bool
) -> str:
    """Return the name, both costs, and the change if it is proven."""
    mark = "" if is_proven else f"{_ESTIMATE}{_THIN}"
    again = ", recursion, not expanded again" if is_recursion else ""
    begin = f"{name}: {mark}{format_count(base)} → {mark}{format_count(new)}"
    if not is_proven:
        return f"{begin}, estimated, change uncertain{again}"
    change = signed_text(format_count(new - base), new - base)
    return f"{begin}, change {change}{f' ({word})' if word else ''}{again}"


def _word(base: int, new: int, is_proven: bool) -> str:
    """Return in a word or a percentage how a box changed; empty if it did not."""
    if not is_proven:
        return _ESTIMATE
    if base == new:
        return ""
    if not base or not new:
        return "gone" if base else "new"
    share = format_percentage(new - base, base)
    if any(digit in share for digit in "123456789"):
        share = signed_text(share, new - base)
    return f"{share}{_THIN}%"


def _step(base: int, new: int) -> int:
    """Return how much a box grew, from 1 to 4, or shrank, from -1 to -4; 0 if neither."""
    if base == new:
        return 0
    share = abs(new - base) / max(abs(base), abs(new))
    step = 1 + sum(share >= limit for limit in _STEPS)
    return step if new > base else -step


TOLERANCE = 1e-9  # of the visible range: smaller differences count as equal
_MIN_RANGE_SHARE = 1e-12  # of all costs: the limit of float precision
_SLIVER = 2.0  # pixels: narrower boxes are slivers
_SLIVER_GAP = 4.0  # pixels: wider gaps separate slivers


@frozen(eq=True)
class CostRange:
    """A visible range of costs."""

    left: float
    width: float  # above 0

    def interpolated(self, other: CostRange, share: float) -> CostRange:
        """Return the range at a share, from 0 to 1, of the way to another range."""
        if share >= 1:
            return other
        left = self.left + share * (other.left - self.left)
        return CostRange(left, self.width + share * (other.width - self.width))

    def clamped(self, total: float) -> CostRange:
        """Return the range moved inside 0 to `total`."""
        return CostRange(min(max(self.left, 0.0), total - self.width), self.width)

    def zoomed(self, share: float, width: float) -> CostRange:
        return CostRange(self.left + share * (self.width - width), width)

    def scrolled_to(self, start: float, width: float) -> CostRange:
        """Return the nearest range of this width that contains a box, or part of a wider box."""
        if width > self.width:
            is_seen = start < self.left + self.width and self.left < start + width
            return self if is_seen else CostRange(start, self.width)
        left = min(max(self.left, start + width - self.width), start)
        return CostRange(left, self.width)


class FlameRows:
    """The boxes of a tree in rows by depth."""

    def __init__(self, tree: FrameTree) -> None:
        self.tree = tree
        self._starts = [begin for begin, _ in tree.levels()] + [len(tree)]
        self.full_width = (float(tree.width[0]) if len(tree) else 0.0) or 1.0
        min_width = float(tree.width[tree.width > 0].min(initial=self.full_width))
        self.min_width = max(min_width, self.full_width * _MIN_RANGE_SHARE)  # of a range

    def __len__(self) -> int:
        return len(self._starts) - 1

    def boxes(self, depths: range) -> slice:
        return slice(self._starts[depths.start], self._starts[depths.stop])

    def box_at(self, depth: int, cost: float) -> int:
        if not 0 <= depth < len(self):
            return -1
        tree, (first, end) = self.tree, self._starts[depth : depth + 2]
        box = first + int(np.searchsorted(tree.start[first:end], cost, "right")) - 1
        is_within = box >= first and cost < tree.start[box] + tree.width[box]
        return box if is_within else -1

    def innermost_box(self, range_: CostRange) -> int:
        tree, left, width, innermost = self.tree, range_.left, range_.width, 0
        for depth in range(1, len(self)):
            box = self.box_at(depth, left + width / 2)
            start, end = tree.start[box], tree.start[box] + tree.width[box]
            slack = width * TOLERANCE
            if box < 0 or start > left + slack or end < left + width - slack:
                break
            innermost = box
        return innermost


@frozen
class PaintedBoxes:
    """The boxes that cover pixels, in the order of their rows, shape (boxes,)."""

    first: Int64Array  # row in the tree
    end: Int64Array  # after the last one of the slivers that are painted as one
    left: Int64Array
    top: Int64Array
    width: Int64Array
    is_merged: BoolArray  # whether it is of slivers, perhaps of one

    def __len__(self) -> int:
        return len(self.first)

    def of(self, box: int) -> int:
        """Return the place of what a box is painted as; -1 if it covers no pixel."""
        place = int(np.searchsorted(self.first, box, "right")) - 1
        return place if place >= 0 and box < self.end[place] else -1

    def at(self, x: float, top: int) -> int:
        """Return the place of what is painted at a pixel of a row; -1 for nothing."""
        is_there = (self.top == top) & (self.left <= x) & (x < self.left + self.width)
        return int(is_there.argmax()) if is_there.any() else -1

    def any_of(self, mask: BoolArray) -> BoolArray:
        """Return which of them have a box in the mask, shape (boxes of the tree,)."""
        before = np.concatenate(([0], np.cumsum(mask)))
        found: BoolArray = before[self.end] > before[self.first]
        return found


@frozen(eq=True)
class FlameViewport:
    """The visible part of a flame graph. Lengths are in logical pixels."""

    left_cost: float  # cost at the left edge
    scale: float  # pixels for a cost of 1
    width: int
    height: int
    row_height: int
    root: int  # outer edge of the first row
    grows_up: bool

    def pixel_columns(self, cost: Float64Array) -> Int64Array:
        """Return the pixel column of each cost, limited to 0 to `width`; shape as `cost`."""
        columns = np.rint((cost - self.left_cost) * self.scale)
        return np.clip(columns, 0, self.width).astype(np.int64)

    @overload
    def top(self, depth: int) -> int: ...
    @overload
    def top(self, depth: Int64Array) -> Int64Array: ...
    def top(self, depth: int | Int64Array) -> int | Int64Array:
        return (
            self.root - (depth + 1) * self.row_height
            if self.grows_up
            else self.root + depth * self.row_height
        )

    def depth_at(self, y: float) -> int:
        from_root = self.root - 1 - int(y) if self.grows_up else int(y) - self.root
        return from_root // self.row_height

    def cost_at(self, x: float) -> float:
        return self.left_cost + (int(x) + 0.5) / self.scale

    def visible_depths(self, level_count: int) -> range:
        ends = self.depth_at(0), self.depth_at(self.height - 1)
        return range(max(0, min(ends)), min(level_count - 1, max(ends)) + 1)

    def visible_boxes(self, tree: FrameTree, boxes: Int64Array) -> Int64Array:
        """Return the boxes inside the viewport; of several in the same pixel, the first."""
        start, top = tree.start[boxes], self.top(tree.depth[boxes])
        end, right = start + tree.width[boxes], self.left_cost + self.width / self.scale
        is_visible = (
            (end > self.left_cost)
            & (start < right)
            & (top > -self.row_height)
            & (top < self.height)
        )
        boxes, pixels = boxes[is_visible], np.stack((top, self.pixel_columns(start)))[:, is_visible]
        first = np.unique(pixels, axis=1, return_index=True)[1]
        return boxes[np.sort(first)]

    def box_area(self, tree: FrameTree, box: int) -> tuple[float, float, float, float]:
        """Return left, top, width and height of a box, unrounded; it may be outside."""
        x = (float(tree.start[box]) - self.left_cost) * self.scale
        width = float(tree.width[box]) * self.scale
        return x, self.top(int(tree.depth[box])), width, self.row_height

    def painted_boxes(self, tree: FrameTree, rows: slice) -> PaintedBoxes:
        """Return what is painted of these rows of the tree; edges are rounded to pixels.

        Slivers, boxes narrower than two pixels, are merged with those beside them in their row, as
        far as less than four pixels are between them.
        """
        shown = rows.start + np.flatnonzero(tree.width[rows] > 0)
        start, depth = tree.start[shown], tree.depth[shown]
        end = start + tree.width[shown]
        is_sliver = tree.width[shown] * self.scale < _SLIVER
        is_joined = is_sliver[1:] & is_sliver[:-1] & (depth[1:] == depth[:-1])
        is_joined &= (start[1:] - end[:-1]) * self.scale < _SLIVER_GAP
        begins = np.flatnonzero(np.concatenate(([True], ~is_joined))[: len(shown)])
        ends = np.append(begins[1:], len(shown)) - 1 if len(begins) else begins
        left, right = self.pixel_columns(start[begins]), self.pixel_columns(end[ends])
        seen = np.flatnonzero(right > left)
        begins, ends = begins[seen], ends[seen]
        return PaintedBoxes(
            shown[begins],
            shown[ends] + 1,
            left[seen],
            np.asarray(self.top(depth[begins])),
            (right - left)[seen],
            is_sliver[begins],
        )
