"""Trees of a profile with contexts: frames, branches and call stacks, all of them exact.

Contexts on equal paths are merged into one place of a tree, level by level: down to the contexts
that they call, or up to those that called them. What a place costs is the sum over its contexts. A
function that calls itself is unfolded like any other, since what happened in each of its calls is
known.

Trees down begin with the outermost contexts of the program or of a function, inside which further
contexts of that function recur. Trees up begin with the same contexts of a function, or, of the
whole program, with the self costs of all contexts, and pass on to callers what they begin with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import MAX_CHAIN, CallStack
from qcachegrind_py.analysis.calls.call_tree import Branch
from qcachegrind_py.analysis.calls.frame_branches import FrameBatch
from qcachegrind_py.analysis.calls.frame_tree import (
    FrameCollector,
    FrameSide,
    FrameTree,
    nested_widths,
)
from qcachegrind_py.analysis.costs.function_costs import values_of_parts
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.analysis.costs.sums import costliest_rows, float_sums
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.contexts import Contexts
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, Float64Array, as_number
from qcachegrind_py.profile.ids import FURTHER, NO_NODE, NodeId, node_at, node_ids
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array, at_rows


@frozen
class Merged:
    """Contexts at the places of one level of a tree, with what each of them brings there."""

    context: Int64Array
    cost: CostArray  # of each side, shape (sides, contexts)
    place: Int64Array  # number of the place that each is merged into

    def __len__(self) -> int:
        return len(self.context)

    def subset(self, chosen: BoolArray) -> Merged:
        return replace(at_rows(self, chosen), cost=self.cost[:, chosen])


@frozen
class Places:
    """The places of one level: pairs of a place around them and a function, shape (places,)."""

    around: Int64Array
    function: Int64Array
    cost: CostArray  # shape (sides, places)

    def __len__(self) -> int:
        return len(self.around)


@frozen(slots=False)
class ContextCosts:
    """What contexts cost in an event, on one side or on both, shape (sides, contexts)."""

    contexts: Contexts
    self_cost: CostArray
    cost: CostArray  # with all contexts below

    def beginning(self, node: NodeId, *, up: bool) -> Merged:
        """Return the contexts that a tree begins with: of a function, or of the whole program."""
        contexts, costs = self.contexts, self.cost
        if node != NO_NODE:
            rows = np.flatnonzero(contexts.function == node)
            rows = rows[contexts.are_outermost(np.zeros(len(rows), np.int64), rows)]
        elif up:
            costs = self.self_cost
            rows = np.flatnonzero(costs.any(axis=0))
        else:
            rows = np.flatnonzero(contexts.parent < 0)
        return Merged(rows, costs[:, rows], np.zeros(len(rows), np.int64))

    def next(self, merged: Merged, *, up: bool) -> Merged:
        """Return the contexts that these call, or that called them, at the same places."""
        if up:
            above = self.contexts.parent[merged.context].astype(np.int64)
            is_called = above >= 0
            return _united(replace(merged.subset(is_called), context=above[is_called]))
        order, first = self.contexts.children
        begin = first[merged.context]
        lengths = first[merged.context + 1] - begin
        owner = np.repeat(np.arange(len(merged)), lengths)
        before = np.cumsum(lengths) - lengths
        context = order[np.arange(len(owner)) + (begin - before)[owner]]
        return Merged(context, self.cost[:, context], merged.place[owner])

    def places(self, merged: Merged) -> tuple[Places, Merged]:
        """Merge contexts of the same function into places inside those at which they are.

        Returns these places, ordered by the place around and the function, and the contexts there.
        """
        functions = self.contexts.function[merged.context].astype(np.int64)
        key = merged.place * (int(functions.max(initial=0)) + 1) + functions
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        lengths = np.diff(starts, append=len(order))
        cost = merged.cost[:, order]
        sums = np.add.reduceat(cost, starts, axis=1) if len(starts) else cost
        at = order[starts]
        within = Merged(merged.context[order], cost, np.repeat(np.arange(len(starts)), lengths))
        return Places(merged.place[at], functions[at], sums), within

    def leading_to(self, wanted: BoolArray, *, up: bool) -> BoolArray:
        """Return which contexts are of these functions, or have one below them, or `up` above.

        `wanted` and the result are masks of shape (functions,) and (contexts,).
        """
        contexts = self.contexts
        is_wanted = wanted[contexts.function]
        if not up:
            leads: BoolArray = contexts.sums_below(is_wanted.astype(np.int64)) > 0
            return leads
        open_ = np.zeros(len(contexts) + 1, np.int64)
        open_[:-1] = is_wanted
        np.subtract.at(open_, contexts.end[is_wanted], 1)
        return np.cumsum(open_[:-1]) > 0

    def frame_tree(
        self,
        node: NodeId,
        *,
        up: bool = False,
        min_share: float = 1e-4,
        max_frames: int = 20_000,
        max_depth: int | None = None,
        unexpanded: frozenset[NodeId] = frozenset(),
        visible: BoolArray | None = None,
        progress: Progress | None = None,
    ) -> FrameTree:
        """Build the tree of frames from a function, or from `NO_NODE`: the whole program.

        The options are those of `build_frame_tree`. Two sides are compared.
        """
        growth = _Growth(self, max(1, max_frames), visible, up=up)
        frames, merged = growth.begin(node, min_share)
        progress = progress or NoProgress()
        closed = np.array(sorted(unexpanded), np.int64)
        while len(frames) and frames.depth != max_depth:
            progress.check(0.0)
            is_opened = (frames.width > 0) & growth.are_wide_enough(frames)
            is_opened &= ~np.isin(frames.node, closed)
            below = self.next(merged.subset(is_opened[merged.place]), up=up)
            frames, merged = growth.add(frames, below)
        return growth.tree()

    def branches(self, node: NodeId, visible: BoolArray | None, *, up: bool) -> ContextBranches:
        return ContextBranches(self, node, visible, up=up)

    def costliest_stack(self, node: NodeId) -> CallStack:
        """Return the costliest stack with a function: its callers step by step, and its callees.

        Each step is the costliest one of the stacks that have all steps before.
        """
        above, top = _chain(self, self.beginning(node, up=True), MAX_CHAIN, up=True)
        path = [*above[::-1], node]
        return _continued(self, path, _followed(self, top, path[1:]))

    def extended_stack(self, stack: CallStack, node: NodeId) -> CallStack:
        """Return the stack after a step to a function, keeping the path to it where possible."""
        moved = stack.with_active(node)
        if moved is not None:
            return moved
        path, contexts = [*stack.path_to_active, node], self.contexts
        first = np.flatnonzero(contexts.function == path[0])
        outermost = first[contexts.parent[first] < 0]
        first = outermost if len(outermost) else first
        begun = Merged(first, self.cost[:, first], np.zeros(len(first), np.int64))
        there = _followed(self, begun, path[1:])
        if len(path) == 1 or not len(there):
            return self.costliest_stack(node)
        return _continued(self, path, there)

    def costliest_path(self, node: NodeId, passable: BoolArray | None = None) -> tuple[NodeId, ...]:
        """Return the costliest path from where the program begins to a function, which is last.

        `passable` is the mask of the functions that it may contain above the last one, where any
        path has only these; None for all.
        """
        merged, contexts = self.beginning(node, up=True), self.contexts
        if passable is not None:
            above = contexts.parent[merged.context]
            is_free = (above < 0) | ~self.leading_to(~passable, up=True)[above]
            merged = merged.subset(is_free) if is_free.any() else merged
        else:
            passable = np.ones(int(contexts.function.max(initial=0)) + 1, bool)
        nodes, _ = _chain(self, merged, len(contexts), up=True, passable=passable)
        return (*nodes[::-1], node)


def context_costs(
    contexts: Contexts, events: EventTypes, event: EventType, sides: tuple[Parts, ...]
) -> ContextCosts:
    """Return what contexts cost in an event, which is no ratio, in the parts of each side."""
    own, below = list[CostArray](), list[CostArray]()
    for parts in sides:
        values = values_of_parts(contexts, parts)
        sums = contexts.stack_values if parts is None else contexts.sums_below(values)
        own.append(events.evaluate(event, values))
        below.append(events.evaluate(event, sums))
    return ContextCosts(contexts, np.stack(own), np.stack(below))


def _united(merged: Merged) -> Merged:
    """Return each context once at a place, with all that was brought there."""
    key = merged.place * (int(merged.context.max(initial=0)) + 1) + merged.context
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    if len(starts) == len(order):
        return merged
    at = order[starts]
    cost = np.add.reduceat(merged.cost[:, order], starts, axis=1)
    return Merged(merged.context[at], cost, merged.place[at])


# ---------------------------------------------------------------- frames


class _Growth:
    """All frames of a tree so far, with what they cost, and what is inside of them."""

    def __init__(
        self, costs: ContextCosts, max_frames: int, visible: BoolArray | None, *, up: bool
    ) -> None:
        self._costs, self._max_frames, self._up = costs, max_frames, up
        self._leads = None if visible is None else costs.leading_to(visible, up=up)
        # of each level: what frames cost, and what is inside, shape (sides, frames)
        self._cost: list[CostArray] = []
        self._called: list[Float64Array] = []
        self._offered: list[Float64Array] = []  # of that, what passes the filter
        # how many frames could be inside, and how many of others the filter hides, shape (frames,)
        self._passing: list[Int64Array] = []
        self._hidden: list[Int64Array] = []

    def begin(self, node: NodeId, min_share: float) -> tuple[FrameBatch, Merged]:
        """Add frame 0, and the roots if it is around several; return the last level."""
        merged = self._costs.beginning(node, up=self._up)
        roots, within = self._costs.places(merged)
        is_root = np.any(roots.cost > 0, axis=0)
        if node == NO_NODE and is_root.sum() == 1:
            merged = within.subset(is_root[within.place])
            node = node_at(roots.function, int(is_root.argmax()))
            merged = replace(merged, place=np.zeros(len(merged), np.int64))
        cost = roots.cost[:, is_root].sum(axis=1, keepdims=True)
        frame_0 = FrameBatch(
            row=np.zeros(1, np.int64),
            parent=np.array([NO_NODE]),
            node=np.array([node]),
            start=np.zeros(1),
            width=_sizes(cost).sum(axis=0),
            is_recursion=np.zeros(1, bool),
            above=np.empty((0, 1), np.int64),
            depth=0,
        )
        self._grown = FrameCollector(self._max_frames, min_share * float(frame_0.width[0]))
        if not is_root.any() and node == NO_NODE:
            frame_0 = frame_0.subset(slice(0))
        self._grown.add(frame_0)
        self._cost.append(cost[:, : len(frame_0)])
        if node == NO_NODE and len(frame_0):
            return self.add(frame_0, merged, are_roots=True)
        return frame_0, merged

    def are_wide_enough(self, frames: FrameBatch) -> BoolArray:
        return frames.width >= self._grown.min_width

    def add(
        self, around: FrameBatch, merged: Merged, *, are_roots: bool = False
    ) -> tuple[FrameBatch, Merged]:
        """Add the frames of contexts that are merged inside the frames `around`; return them."""
        places, within = self._costs.places(merged)
        size = _sizes(places.cost)
        weight = size.sum(axis=0)
        is_called: BoolArray = weight > 0
        passes = is_called
        if self._leads is not None and not are_roots:
            passes = np.zeros(len(places), bool)
            passes[within.place[self._leads[within.context]]] = True
            passes &= is_called
        called, offered = (
            np.stack([float_sums(row[chosen], places.around[chosen], len(around)) for row in size])
            for chosen in (is_called, passes)
        )
        self._called.append(called)
        self._offered.append(offered)
        for counts, chosen in ((self._passing, passes), (self._hidden, is_called & ~passes)):
            counts.append(np.bincount(places.around[chosen], minlength=len(around)))
        available = np.maximum(_sizes(self._cost[-1]), called).sum(axis=0)
        scale = np.minimum(around.width / np.maximum(available, 1.0), 1)
        width = np.minimum(weight * scale[places.around], around.width[places.around])
        rows = np.flatnonzero(passes & (width >= self._grown.width_threshold))
        rows = rows[np.lexsort((-width[rows], places.around[rows]))]
        owner, width = places.around[rows], width[rows]
        before = np.cumsum(width) - width
        first = np.searchsorted(owner, owner)
        frames = FrameBatch(
            row=self._grown.count + np.arange(len(rows)),
            parent=around.row[owner],
            node=places.function[rows],
            start=around.start[owner] + before - before[first],
            width=width,
            is_recursion=np.zeros(len(rows), bool),
            above=np.empty((0, len(rows)), np.int64),
            depth=around.depth + 1,
        )
        self._grown.add(frames)
        self._cost.append(places.cost[:, rows])
        place = np.full(len(places), -1)
        place[rows] = np.arange(len(rows))
        at = place[within.place]
        return frames, replace(within, place=at).subset(at >= 0)

    def tree(self) -> FrameTree:
        """Return the tree of the widest frames."""
        tree, rows = self._grown.tree()
        passing, hidden = (
            _of_levels(each, rows, self._grown.count) for each in (self._passing, self._hidden)
        )
        sides = [self._side(side, tree, rows) for side in range(len(self._costs.cost))]
        return replace(
            tree,
            base=sides[0],
            new=sides[-1],
            omitted_calls=int(passing.sum()) - len(tree.parent[1:]),
            filtered_calls=int(hidden.sum()),
        )

    def _side(self, side: int, tree: FrameTree, rows: Int64Array) -> FrameSide:
        """Return what the frames of a tree, which are these of all, are on a side."""
        cost = np.concatenate([each[side] for each in self._cost])[rows]
        called, offered = (
            _of_levels([each[side] for each in levels], rows, self._grown.count)
            for levels in (self._called, self._offered)
        )
        size, width = _sizes(cost), tree.width
        available = np.maximum(size, called)
        if len(self._costs.cost) > 1:
            width = nested_widths(size, available, tree.parent, tree.levels())
        omitted = float((width / np.maximum(available, 1.0) * offered).sum())
        omitted = max(0.0, omitted - float(width[1:].sum()))
        no_counts, exact = np.zeros(len(tree), np.int64), np.ones(len(tree), bool)
        return FrameSide(cost, width, exact, no_counts, exact, omitted)


def _sizes(cost: CostArray) -> Float64Array:
    """Return costs as widths: those below 0 have none."""
    return np.maximum(cost, 0).astype(np.float64)


def _of_levels(levels: list[CostArray], rows: Int64Array, frames: int) -> CostArray:
    """Return what is inside of these of all frames; the last levels have nothing."""
    found = np.concatenate([*levels, np.zeros(0, np.int64)])
    return np.append(found, np.zeros(frames - len(found), found.dtype))[rows]


# ---------------------------------------------------------------- branches


@frozen(eq=True)
class ContextBranch(Branch):
    """A function at one place of a call tree, with the contexts that are there."""

    merged: Merged = field(kw_only=True, compare=False)


class ContextBranches:
    """The branches of a function, or with `NO_NODE` of the whole program, down or up."""

    has_stacks = True

    def __init__(
        self, costs: ContextCosts, node: NodeId, visible: BoolArray | None, *, up: bool
    ) -> None:
        """`visible`, shape (nodes,), tells which functions pass the filter; None: all of them."""
        self._costs, self._visible, self._up = costs, visible, up
        self.is_inverted = up and node == NO_NODE

    def root(self, function: NodeId) -> Branch:
        """Return the branch that a tree begins with: the whole function, or program."""
        merged = self._costs.beginning(function, up=self._up)
        cost = as_number(merged.cost[0].sum())
        return ContextBranch(function, cost, 0, True, False, merged=merged)

    def below(self, branch: Branch, begin: int, most: int) -> tuple[list[Branch], int]:
        """Return branches, costliest first, as `CallBranches.below` does."""
        if not isinstance(branch, ContextBranch):
            return [], 0
        merged = branch.merged
        if branch.function != NO_NODE:
            merged = self._costs.next(merged, up=self._up)
        if self._visible is not None:
            function = self._costs.contexts.function[merged.context]
            merged = merged.subset(self._visible[function])
        places, within = self._costs.places(merged)
        called = np.flatnonzero((places.cost[0] > 0).astype(bool))
        costs = places.cost[0, called]
        shown = costliest_rows(costs, begin + most)
        next_ = called[shown[begin:]]
        start, end = (
            np.searchsorted(within.place, next_, side).tolist() for side in ("left", "right")
        )
        branches = list[Branch]()
        functions, cost = node_ids(places.function[next_]), places.cost[0, next_].tolist()
        for node, inside, first, last in zip(functions, cost, start, end, strict=True):
            there = Merged(
                within.context[first:last],
                within.cost[:, first:last],
                np.zeros(last - first, np.int64),
            )
            branches.append(ContextBranch(node, inside, 0, True, False, merged=there))
        further = len(called) - len(shown)
        if further:
            rest = as_number(costs.sum()) - as_number(costs[shown].sum())
            branches.append(Branch(FURTHER, rest, 0, True, False))
        return branches, further

    def has_branches(self, branch: Branch) -> bool:
        return bool(self.below(branch, 0, 1)[0])

    def self_cost(self, branch: Branch) -> tuple[int | float | None, bool]:
        """Return the self cost on a branch down; None on others. It is exact."""
        if self._up or branch.function == FURTHER:
            return None, True
        if not isinstance(branch, ContextBranch) or branch.function == NO_NODE:
            return 0, True
        return as_number(self._costs.self_cost[0, branch.merged.context].sum()), True

    def leading_to(self, wanted: BoolArray) -> Callable[[Branch], bool]:
        """Return which branches are of these functions, a mask, or lead to one."""
        leads = self._costs.leading_to(wanted, up=self._up)
        return lambda branch: (
            isinstance(branch, ContextBranch) and bool(leads[branch.merged.context].any())
        )


# ---------------------------------------------------------------- call stacks


def _chain(
    costs: ContextCosts,
    merged: Merged,
    most: int,
    *,
    up: bool,
    passable: BoolArray | None = None,
) -> tuple[list[NodeId], Merged]:
    """Go on to the costliest place up to `most` times; return the functions, and the last place.

    Through `passable` functions, a mask, it also leads where nothing is spent.
    """
    nodes = list[NodeId]()
    while len(nodes) < most:
        places, within = costs.places(costs.next(merged, up=up))
        is_open = places.cost[0] > 0 if passable is None else passable[places.function]
        if not is_open.any():
            break
        best = int(np.where(is_open, places.cost[0], places.cost[0].min() - 1).argmax())
        nodes.append(node_at(places.function, best))
        merged = within.subset(within.place == best)
        merged = replace(merged, place=np.zeros(len(merged), np.int64))
    return nodes, merged


def _followed(costs: ContextCosts, merged: Merged, functions: list[NodeId]) -> Merged:
    """Return the contexts that these contexts have on a path of functions below them."""
    for function in functions:
        merged = costs.next(merged, up=False)
        merged = merged.subset(costs.contexts.function[merged.context] == function)
    return merged


def _continued(costs: ContextCosts, path: list[NodeId], there: Merged) -> CallStack:
    """Return a stack along a path, and from the contexts at its end on to what costs most."""
    below, _ = _chain(costs, there, MAX_CHAIN, up=False)
    return CallStack((*path, *below), len(path) - 1)
