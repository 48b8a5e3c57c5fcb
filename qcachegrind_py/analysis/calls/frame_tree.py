"""The boxes of call maps and flame graphs: what was spent inside what, from some entries onwards.

A profile knows what was spent along single calls, not along ways of several. So a box whose cost it
proves is told from one that is shared out in proportion. A box is proven if the box around it is,
and either that one holds all that its entry cost, so that its calls count as they were recorded, or
the call is all that this entry cost, so that whatever went in there went on here. Functions whose
names carry their callers (`f'g'h`) come out as proven by this rule, without a look at their names.

Where calls cost more than the function they belong to, as in odd files, after cycles that were not
looked for, or with costs below zero, costs stay as they are, but boxes are drawn narrower: what is
called has no more room than its caller. Where boxes are, in points of a screen, and which colour
they have, is not decided here.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.costs.estimates import float_sums, rounded_like
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_BATCH_SIZE = 500_000  # boxes that are made in one go, before the narrow ones are dropped
_SHARED_COLUMNS = ("node", "cost", "start", "width", "is_exact", "is_recursion")  # columns


@dataclass(frozen=True, slots=True, eq=False)
class FrameTree:
    """A row a box, level by level; siblings stand together, costliest first (left-heavy)."""

    node: Int64Array  # function or cycle; -1: the box around several roots
    parent: Int64Array  # row of the box around it; -1 for box 0
    depth: Int64Array  # 0 for box 0
    cost: CostArray  # recorded, where it is exact; else a rounded estimate, at most the parent's
    start: Float64Array  # in cost, from 0; children stand one behind the other from their parent's
    width: Float64Array  # the cost as drawn, not rounded; children have at most their parent's
    first_child: Int64Array  # row of the first child; of a box without any, where it would stand
    child_count: Int64Array  # how many there are
    is_exact: BoolArray  # proven by the profile, else shared out in proportion
    is_recursion: BoolArray  # is on its own branch already: shown once more, and not opened
    min_width: float  # narrower boxes were left out; where there was no room, as narrow ones, too
    omitted_calls: int  # how many calls were not followed for that
    filtered_calls: int  # how many were not followed because the filter hides them

    def __len__(self) -> int:
        return len(self.node)

    @property
    def level_count(self) -> int:
        """How many levels there are."""
        return int(self.depth[-1]) + 1 if len(self) else 0

    @property
    def self_width(self) -> Float64Array:
        """What of each box's width its children leave; computed anew at each call."""
        inside = np.zeros(len(self))
        np.add.at(inside, self.parent[1:], self.width[1:])
        return np.maximum(self.width - inside, 0)

    def children_of(self, box: int) -> range:
        """The rows of a box's children."""
        first = int(self.first_child[box])
        return range(first, first + int(self.child_count[box]))

    def path(self, box: int) -> list[int]:
        """The boxes from box 0 down to this one."""
        way = [box]
        while (above := int(self.parent[way[-1]])) >= 0:
            way.append(above)
        return way[::-1]

    def frames_of(self, node: NodeId) -> Int64Array:
        """The rows of the boxes of an entry."""
        return np.flatnonzero(self.node == node)

    def combined_cost(self, nodes: BoolArray) -> tuple[int, bool]:
        """What the boxes of these entries cost together, and whether that is exact.

        `entries` is a mask. Of boxes within each other the outermost counts, so nothing counts
        twice.
        """
        matches = (self.node >= 0) & nodes[self.node]
        covered = np.zeros(len(self), bool)  # inside a box that matches
        levels = np.searchsorted(self.depth, np.arange(1, self.level_count + 1)).tolist()
        for begin, end in pairwise(levels):
            above = self.parent[begin:end]
            covered[begin:end] = covered[above] | matches[above]
        counted = matches & ~covered
        return sum(self.cost[counted].tolist()), bool(self.is_exact[counted].all())


def build_frame_tree(
    graph: CallGraph,
    roots: Sequence[NodeId],
    *,
    up: bool = False,
    min_share: float = 1e-4,
    max_frames: int = 20_000,
    max_depth: int | None = None,
    unexpanded: frozenset[NodeId] = frozenset(),
    visible: BoolArray | None = None,
    progress: Progress | None = None,
) -> FrameTree:
    """What the roots call, or `up`: who calls them, what these do, and so on.

    One root is box 0 itself; several stand in a box 0 of their sum. Followed are calls with cost
    whose other end is `passing`, a mask over entries, and whose box is as wide as the share
    `least` of box 0: of more than `most` boxes the widest stay. Boxes of the entries in `stop`,
    and those at the depth `deepest`, are not opened. `progress` is asked whether to go on.
    """
    box_0, started = _root_frames(graph, roots)
    grown = _FrameCollector(max(1, max_frames), min_share * float(box_0.width[0]))
    branches = _build_branches(graph, box_0, started, grown.min_width, visible, unexpanded, up=up)
    waiting = deque([grown.add(box_0.subset(slice(len(roots))))])  # without roots there is no box
    progress = progress or NoProgress()
    while waiting and len(waiting[0].above) != max_depth:
        progress.check(0.0)
        boxes = branches.expandable(grown.wide_enough(waiting.popleft()))
        lengths = branches.child_counts(boxes, grown.width_threshold)
        if lengths.sum() > _BATCH_SIZE and len(boxes) > 1:
            half = len(boxes) // 2
            waiting.extendleft((boxes.subset(slice(half, None)), boxes.subset(slice(half))))
        elif lengths.any():
            has_any = lengths > 0
            inside = branches.child_frames(boxes.subset(has_any), lengths[has_any], grown.count)
            waiting.append(grown.add(inside))
    return _finished_tree(grown, branches, max_depth)


@dataclass(frozen=True, slots=True, eq=False)
class _FrameBatch:
    """Boxes of one depth, from left to right."""

    row: Int64Array  # among all that were made
    parent: Int64Array
    node: Int64Array
    cost: CostArray
    amount: Float64Array  # the cost before it was rounded
    start: Float64Array
    width: Float64Array
    is_exact: BoolArray
    is_recursion: BoolArray
    above: Int64Array  # the entries around each, shape (depth, boxes)

    def __len__(self) -> int:
        return len(self.row)

    def subset(self, chosen: BoolArray | slice) -> _FrameBatch:
        """Only these."""
        return _FrameBatch(*(getattr(self, field.name)[..., chosen] for field in fields(self)))


class _FrameCollector:
    """All boxes that were made so far, and how wide one must be to be among the widest."""

    def __init__(self, most: int, least: float) -> None:
        self.max_frames, self.min_width, self.count = most, least, 0
        self._columns: defaultdict[str, list[CostArray]] = defaultdict(list)
        self._widest = np.empty(0)
        self._is_full = False

    @property
    def width_threshold(self) -> float:
        """What a box must have that is made now; of equally wide ones, the first made stay."""
        return float(np.nextafter(self.min_width, np.inf)) if self._is_full else self.min_width

    def add(self, boxes: _FrameBatch) -> _FrameBatch:
        """Take more boxes; they are returned."""
        for name in (
            *_SHARED_COLUMNS,
            "parent",
        ):  # not what is around them: of long ways that is a lot
            self._columns[name].append(getattr(boxes, name))
        self._columns["depth"].append(np.full(len(boxes), len(boxes.above)))
        self.count += len(boxes)
        widest = np.concatenate((self._widest, boxes.width))
        if len(widest) > self.max_frames:
            widest = np.partition(widest, -self.max_frames)[-self.max_frames :]
            self.min_width, self._is_full = float(widest[0]), True
        self._widest = widest
        return boxes

    def wide_enough(self, boxes: _FrameBatch) -> _FrameBatch:
        """Those that may still be among the widest."""
        return boxes.subset(boxes.width >= self.min_width)

    def column(self, name: str) -> CostArray:
        """One column of all that were made."""
        return np.concatenate(self._columns[name])

    def widest(self) -> Int64Array:
        """The rows of the widest, in order; what is around one is among them."""
        rows = np.argsort(-self.column("width"), kind="stable")
        return np.sort(rows[: self.max_frames])


@dataclass(frozen=True, slots=True, eq=False)
class _Branches:
    """The calls that lead on from each entry, costliest first; from entry -1, the roots.

    Entry -1 has the last place in the arrays over entries, which is where numpy looks for it.
    """

    first: Int64Array  # of each entry: where its calls begin, in the arrays over calls
    count: Int64Array  # how many there are, without those that are too cheap
    visible_count: Int64Array  # how many with them
    filtered_count: Int64Array  # how many do not pass
    inclusive: CostArray
    available_width: (
        Float64Array  # what the calls have their shares of: the inclusive cost, or their sum
    )
    node: Int64Array  # of each call: the one at its other end
    cost: CostArray
    weight: Float64Array  # the same

    def expandable(self, boxes: _FrameBatch) -> _FrameBatch:
        """Those that may have children."""
        return boxes.subset(~boxes.is_recursion & (self.count[boxes.node] > 0))

    def child_counts(self, boxes: _FrameBatch, bar: float) -> Int64Array:
        """How many calls of each box are wide enough, which are its first: found by bisection."""
        first, count = self.first[boxes.node], self.count[boxes.node]
        scale = self._scale(boxes)
        lengths = np.zeros(len(boxes), np.int64)
        step = 1 << int(count.max(initial=0)).bit_length()
        while step:
            tried = np.minimum(lengths + step, count)
            is_wide = self.weight[first + tried - 1] * scale >= bar
            lengths = np.where(is_wide, tried, lengths)
            step //= 2
        return lengths

    def child_frames(self, around: _FrameBatch, lengths: Int64Array, row: int) -> _FrameBatch:
        """The boxes of so many calls of each box, all at least one; the first gets this row."""
        owner = np.repeat(np.arange(len(around)), lengths)
        ends = np.cumsum(lengths)
        rows = np.arange(ends[-1]) + (self.first[around.node] - ends + lengths)[owner]
        entry, weight = self.node[rows], self.weight[rows]
        cost, amount, is_exact = self._costs(around, owner, rows)
        width = np.minimum(weight * self._scale(around)[owner], around.width[owner])
        before = np.concatenate((np.zeros(1), np.cumsum(width)[:-1]))
        above = np.vstack((around.above, around.node))[:, owner]
        return _FrameBatch(
            row=np.arange(row, row + len(rows)),
            parent=around.row[owner],
            node=entry,
            cost=cost,
            amount=amount,
            start=around.start[owner] + before - before[ends - lengths][owner],
            width=width,
            is_exact=is_exact,
            is_recursion=(above == entry).any(axis=0),
            above=above,
        )

    def _scale(self, boxes: _FrameBatch) -> Float64Array:
        """How wide a cost of 1 is drawn inside each box: never wider than it is."""
        return np.minimum(boxes.width / self.available_width[boxes.node], 1)

    def _costs(
        self, around: _FrameBatch, owner: Int64Array, rows: Int64Array
    ) -> tuple[CostArray, Float64Array, BoolArray]:
        """Cost, rounded and not, and whether it is proven; `owner` is the box around each."""
        inclusive, limit, recorded = (
            self.inclusive[around.node],
            around.cost[owner],
            self.cost[rows],
        )
        is_known = around.is_exact & (around.cost <= inclusive).astype(bool)
        is_whole = (is_known & (around.cost == inclusive).astype(bool))[owner]
        is_all = is_known[owner] & (recorded == inclusive[owner]).astype(bool)
        share = np.minimum(around.amount / inclusive.astype(np.float64), 1)
        amount = np.minimum(self.weight[rows] * share[owner], around.amount[owner])
        cost = np.minimum(rounded_like(amount, limit.dtype), limit).astype(limit.dtype)
        cost = np.where(is_whole, recorded, np.where(is_all, limit, cost))
        is_exact = is_whole | is_all
        return cost, np.where(is_exact, cost.astype(np.float64), amount), is_exact


def _root_frames(graph: CallGraph, roots: Sequence[NodeId]) -> tuple[_FrameBatch, Int64Array]:
    """Box 0, and the roots that have cost, costliest first."""
    entry = np.array(roots, np.int64)
    cost = graph.inclusive[entry]
    rows = np.flatnonzero((cost > 0).astype(bool))
    rows = rows[np.argsort(-cost[rows], kind="stable")]
    total = sum(cost[rows].tolist())
    is_large = total >= 1 << 63 or object in (graph.cost.dtype, graph.inclusive.dtype)
    none, width = np.array([-1]), np.array([float(total)])
    box_0 = _FrameBatch(
        row=np.array([0]),
        parent=none,
        node=entry if len(entry) == 1 else none,
        cost=np.array([total], object if is_large else np.int64),
        amount=width,
        start=np.zeros(1),
        width=width,
        is_exact=np.array([len(entry) != 1 or bool(cost[0] >= 0)]),
        is_recursion=np.array([False]),
        above=np.empty((0, 1), np.int64),
    )
    return box_0, entry[rows]


def _build_branches(
    graph: CallGraph,
    box_0: _FrameBatch,
    roots: Int64Array,
    least: float,
    passing: BoolArray | None,
    stop: frozenset[NodeId],
    *,
    up: bool,
) -> _Branches:
    """The calls of the graph, and those of entry -1, which are the roots."""
    one, other, cost = _branch_calls(graph, box_0, roots, up=up)
    inclusive = np.append(graph.inclusive.astype(box_0.cost.dtype), box_0.cost)
    can_open = (inclusive > 0).astype(bool)  # of what has no cost, no shares can be taken
    can_open[list(stop)] = False
    has_cost = (cost > 0).astype(bool) & can_open[one]
    passes = has_cost
    if passing is not None:
        passes = has_cost & (passing[other] | (one == len(graph.inclusive)))
    weight = cost.astype(np.float64)
    rows = _by_owner(np.flatnonzero(passes & (weight >= least)), one, cost)
    count, seen, hidden = (
        np.bincount(one[chosen], minlength=len(inclusive))
        for chosen in (rows, passes, has_cost & ~passes)
    )
    called = float_sums(weight[has_cost], one[has_cost], len(inclusive))
    return _Branches(
        first=np.cumsum(count) - count,
        count=count,
        visible_count=seen,
        filtered_count=hidden,
        inclusive=inclusive,
        available_width=np.maximum(called, inclusive.astype(np.float64)),
        node=other[rows],
        cost=cost[rows],
        weight=weight[rows],
    )


def _branch_calls(
    graph: CallGraph, box_0: _FrameBatch, roots: Int64Array, *, up: bool
) -> tuple[Int64Array, Int64Array, CostArray]:
    """Of each call, where it leads on from, where it leads to, and its cost; last, of roots."""
    shape = graph.adjacency
    one, other = (shape.callee, shape.caller) if up else (shape.caller, shape.callee)
    return (
        np.append(one, np.full(len(roots), len(graph.inclusive))),
        np.append(other, roots),
        np.append(graph.cost, graph.inclusive[roots]).astype(box_0.cost.dtype),
    )


def _by_owner(rows: Int64Array, owner: Int64Array, cost: CostArray) -> Int64Array:
    """The rows in order of their owners, costliest first."""
    rows = rows[np.argsort(-cost[rows], kind="stable")]
    return rows[np.argsort(owner[rows], kind="stable")]


def _finished_tree(grown: _FrameCollector, branches: _Branches, deepest: int | None) -> FrameTree:
    """The widest of all boxes that were made, numbered anew."""
    kept = grown.widest()
    row = np.zeros(grown.count, np.int64)
    row[kept] = np.arange(len(kept))
    columns = {name: grown.column(name)[kept] for name in _SHARED_COLUMNS}
    depth, parent = grown.column("depth")[kept], grown.column("parent")[kept]
    parent = np.where(depth > 0, row[parent], -1)
    children = np.bincount(parent[1:], minlength=len(kept))
    is_opened = ~columns["is_recursion"] & (depth != (-1 if deepest is None else deepest))
    opened = columns["node"][is_opened]
    return FrameTree(
        parent=parent,
        depth=depth,
        first_child=1 + np.cumsum(children) - children,
        child_count=children,
        min_width=grown.min_width,
        omitted_calls=int(branches.visible_count[opened].sum()) - len(parent[1:]),
        filtered_calls=int(branches.filtered_count[opened].sum()),
        **columns,
    )
