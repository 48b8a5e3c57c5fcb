"""Call trees: who a function calls, or who calls it, branch by branch with their costs there.

The cost of a single call is recorded. Deeper down, costs are estimated in proportion and marked so,
unless a branch holds the whole cost of a function, or a call accounts for all of it. A branch costs
as much as it does by itself and below (`accounted_calls`); the tree of `NO_NODE` is that of the
whole program. `InvertedBranches` have that from its other end: all functions by their self cost,
and below each its callers with the part of it that came through them.

`BranchSearch` finds functions in a tree, from the costliest place to the cheapest. The tree of all
calls has too many branches to look at each: only those are followed that lead to such a function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from heapq import heappop, heappush
from typing import Protocol

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import AccountedCalls, leading_nodes
from qcachegrind_py.analysis.costs.sums import costliest_rows
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import (
    FURTHER,
    NO_NODE,
    NOT_ATTRIBUTED,
    OTHER_CALLERS,
    STAND_INS,
    NodeId,
    node_ids,
)
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@frozen(eq=True)
class Branch:
    """A function or cycle at one place of a call tree, or what stands in for one."""

    function: NodeId  # `FURTHER`: stands for further branches
    cost: int | float
    count: int | float
    is_exact: bool  # of the cost here; of the count, unless `is_shared`
    is_shared: bool  # the count is estimated in proportion to the cost
    is_active: bool = False  # the call was still running when the profile was written
    is_reduced: bool = False  # the cost is less than is recorded
    # in an inverted tree: the branch of the caller tree of a whole function that this is a part of
    of_callers: Branch | None = None

    @property
    def is_proven(self) -> bool:
        """Whether the cost is exact, and what is recorded."""
        return self.is_exact and not self.is_reduced


class TreeBranches(Protocol):
    """What a call tree is unfolded from."""

    follows_recursion: bool  # whether a function has branches where it is on its own branch
    is_inverted: bool

    def root(self, function: NodeId) -> Branch: ...

    def below(self, branch: Branch, begin: int, most: int) -> tuple[list[Branch], int]: ...

    def has_branches(self, branch: Branch) -> bool: ...

    def self_cost(self, branch: Branch) -> tuple[int | float | None, bool]: ...


class SearchedBranches(TreeBranches, Protocol):
    """Branches in which functions are looked for."""

    def leading_to(self, wanted: BoolArray) -> Callable[[Branch], bool]: ...


class CallBranches:
    """The branches of all functions, down to callees or up to callers."""

    follows_recursion = False
    is_inverted = False

    def __init__(self, calls: AccountedCalls, visible: BoolArray | None, *, up: bool) -> None:
        """`visible`, shape (nodes,), tells which nodes pass the filter; None: all of them.

        Calls without cost are no branches.
        """
        self._calls, self._graph, self._up = calls, calls.graph, up
        self._self_cost = np.append(self._graph.self_cost, np.zeros(STAND_INS, np.int64))
        ends = calls.ends(up=up)
        roots = calls.self_roots() if up else calls.program_roots()
        nodes = len(self._graph.inclusive) + STAND_INS
        # ends of each call, shape (calls,): those of the graph, then those of the stand-ins
        self._near = np.append(ends.near, np.full(len(roots), NO_NODE)) % nodes
        self._far = np.append(ends.far, roots.node)
        self._cost = np.append(ends.cost, roots.cost)
        whole = calls.accounted + calls.remainder
        self._inclusive = np.append(self._graph.inclusive, calls.stand_in_costs)
        if whole >= 1 << 63:
            self._inclusive = self._inclusive.astype(object)
        self._inclusive[NO_NODE] = whole
        more, shape = len(self._cost) - len(self._graph.cost), self._graph.adjacency
        self._count = np.append(shape.count, np.zeros(more, np.int64))
        self._is_active = np.append(shape.is_active, np.zeros(more, bool))
        self._is_estimated = np.append(ends.is_estimated, np.zeros(len(roots), bool))
        self._has_estimated_count = np.append(
            calls.recorded.adjacency.is_estimated, np.zeros(more, bool)
        )
        are_reduced = calls.are_reduced(roots.node) & (not roots.are_self_costs)
        self._is_reduced = np.append(ends.is_reduced, are_reduced)
        is_call = (self._cost > 0).astype(bool)
        if visible is not None:
            passes = np.append(visible, np.zeros(STAND_INS, bool))
            passes[OTHER_CALLERS] = passes[self._far[self._near == OTHER_CALLERS % nodes]].any()
            is_call &= passes[self._far]
        self._is_branch: BoolArray = is_call  # of each call: shape (calls,)
        rows = np.flatnonzero(is_call)
        self._rows_by_near = rows[np.argsort(self._near[rows], kind="stable")]
        self._start = np.searchsorted(self._near[self._rows_by_near], np.arange(nodes + 1))

    def root(self, function: NodeId) -> Branch:
        """Return the branch that a tree begins with: the whole function, or program."""
        is_reduced = self._calls.are_reduced(np.array([function]))
        cost = as_number(self._inclusive[function])
        return Branch(function, cost, 0, True, False, is_reduced=bool(is_reduced[0]))

    def below(self, branch: Branch, begin: int, most: int) -> tuple[list[Branch], int]:
        """Return branches, costliest first: `most` at most, from number `begin` on.

        The second value is the number of those behind them. If there are any, one more branch, the
        last, stands for them.
        """
        rows = self._rows(branch.function)
        costs, counts = self._cost[rows], self._count[rows]
        shown = costliest_rows(costs, begin + most)
        inclusive = as_number(self._inclusive[branch.function])
        is_whole, factor = self._share_of_function(branch)
        next_ = shown[begin:]
        columns = costs[next_].tolist(), (counts[next_] * factor).tolist()
        masks = (
            self._is_active, self._is_estimated, self._has_estimated_count, self._is_reduced
        )  # fmt: skip
        branches = []
        for other, cost, count, active, estimated, uncounted, reduced in zip(
            node_ids(self._far[rows[next_]]),
            *columns,
            *(mask[rows[next_]].tolist() for mask in masks),
            strict=True,
        ):
            is_all = branch.is_exact and cost == inclusive  # all of its cost is from this call
            share = branch.cost if is_all else cost * factor
            is_exact, is_shared = (is_whole or is_all) and not estimated, not is_whole or uncounted
            branches.append(Branch(other, share, count, is_exact, is_shared, active, reduced))
        further = len(rows) - len(shown)
        if further:
            cost, count = (
                (as_number(column.sum()) - as_number(column[shown].sum())) * factor
                for column in (costs, counts)
            )
            branches.append(Branch(FURTHER, cost, count, is_whole, not is_whole))
        return branches, further

    def has_branches(self, branch: Branch) -> bool:
        return len(self._rows(branch.function)) > 0

    def leading_to(self, wanted: BoolArray) -> Callable[[Branch], bool]:
        """Return which branches are of these nodes, a mask of shape (nodes,), or lead to one."""
        sought = np.append(wanted, np.zeros(STAND_INS, bool))  # found by negative ids, too
        far = self._far[self._is_branch] % len(sought)
        leads = leading_nodes(sought, self._near[self._is_branch], far)
        return lambda branch: bool(leads[branch.function])

    def self_cost(self, branch: Branch) -> tuple[int | float | None, bool]:
        """Return the self cost on a branch down, and whether it is exact; None on others."""
        if self._up or branch.function in (FURTHER, NOT_ATTRIBUTED):
            return None, True
        is_whole, share = self._share_of_function(branch)
        cost = as_number(self._self_cost[branch.function])
        return cost * share, is_whole or not cost

    def _rows(self, function: NodeId) -> Int64Array:
        place = function % len(self._inclusive)
        return self._rows_by_near[self._start[place] : self._start[place + 1]]

    def _share_of_function(self, branch: Branch) -> tuple[bool, int | float]:
        """Return whether a branch holds the whole cost of its function, and the share it holds.

        Where nothing is estimated, the share is the integer 1: costs stay exact to the last count.
        """
        inclusive = as_number(self._inclusive[branch.function])
        if branch.is_exact and branch.cost == inclusive:
            return True, 1
        return False, min(branch.cost / max(1, int(inclusive)), 1.0)


class InvertedBranches(CallBranches):
    """All functions by their self cost; below each, who it was spent for, caller by caller.

    The callers of a function have the part of its self cost that they have of its inclusive cost.
    """

    is_inverted = True

    def __init__(self, calls: AccountedCalls, visible: BoolArray | None) -> None:
        super().__init__(calls, visible, up=True)

    def below(self, branch: Branch, begin: int, most: int) -> tuple[list[Branch], int]:
        """Return branches, costliest first, as `CallBranches.below` does."""
        whole = branch.of_callers
        found, further = super().below(whole or branch, begin, most)
        if whole is not None:
            return [_part_of(branch, whole, each) for each in found], further
        return [
            each if each.function == FURTHER else replace(each, of_callers=self.root(each.function))
            for each in found
        ], further


def _part_of(branch: Branch, whole: Branch, caller: Branch) -> Branch:
    """Return the part of a branch that came through a caller in the caller tree of `whole`."""
    is_all = branch.is_exact and caller.is_exact and caller.cost == whole.cost
    is_same = branch.is_exact and branch.cost == whole.cost
    cost = caller.cost
    if not is_same and whole.cost:
        cost = caller.cost * (branch.cost / whole.cost)
    return replace(
        caller,
        cost=branch.cost if is_all else cost,
        is_exact=is_all or (is_same and caller.is_exact),
        of_callers=caller,
    )


# ---------------------------------------------------------------- both sides of a comparison

_MOST_COMPARED = 10_000  # branches of a function beyond those shown: 20 ms; others are summed up


@frozen(eq=True)
class ComparedBranch(Branch):
    """A branch of two trees; its cost is the change, and its count that of the new side."""

    base: Branch = field(kw_only=True)
    new: Branch = field(kw_only=True)


class ComparedBranches:
    """The branches of two trees, base and new, with the changes of their costs.

    A change is exact if both costs are. Changes of estimates may be none: where a caller costs
    more, it gets a larger share of everything that is called through it.
    """

    def __init__(self, base: TreeBranches, new: TreeBranches) -> None:
        self._base, self._new = base, new
        self.follows_recursion, self.is_inverted = new.follows_recursion, new.is_inverted

    def root(self, function: NodeId) -> ComparedBranch:
        """Return the branch that a tree begins with: the whole function."""
        return _compared(self._base.root(function), self._new.root(function))

    def below(self, branch: Branch, begin: int, most: int) -> tuple[list[Branch], int]:
        """Return branches of both sides, the largest change first, as `CallBranches.below` does."""
        assert isinstance(branch, ComparedBranch)
        sides = (self._base, branch.base), (self._new, branch.new)
        found = [tree.below(side, 0, begin + most + _MOST_COMPARED) for tree, side in sides]
        base, new = ({each.function: each for each in branches} for branches, _ in found)
        pairs = [
            _compared(base.get(function, _nothing(function)), new.get(function, _nothing(function)))
            for function in dict.fromkeys((*new, *base))
        ]
        others = [pair.cost for pair in pairs if pair.function == FURTHER]
        pairs = sorted(
            (pair for pair in pairs if pair.function != FURTHER), key=lambda pair: -abs(pair.cost)
        )
        shown: list[Branch] = [*pairs[begin : begin + most]]
        further = max(0, len(pairs) - begin - most) + max(count for _, count in found)
        if further:
            rest = sum((pair.cost for pair in pairs[begin + most :]), sum(others))
            shown.append(Branch(FURTHER, rest, 0, False, True))
        return shown, further

    def has_branches(self, branch: Branch) -> bool:
        assert isinstance(branch, ComparedBranch)
        return self._base.has_branches(branch.base) or self._new.has_branches(branch.new)

    def self_cost(self, branch: Branch) -> tuple[int | float | None, bool]:
        """Return the change of the self cost on a branch down, and whether it is exact."""
        if not isinstance(branch, ComparedBranch):
            return None, True
        before, is_before_exact = self._base.self_cost(branch.base)
        now, is_exact = self._new.self_cost(branch.new)
        if before is None or now is None:
            return None, True
        return now - before, is_exact and is_before_exact


def _nothing(function: NodeId) -> Branch:
    """Return the branch of a side that does not have it."""
    return Branch(function, 0, 0, True, False)


def _compared(base: Branch, new: Branch) -> ComparedBranch:
    return ComparedBranch(
        new.function,
        new.cost - base.cost,
        new.count,
        base.is_exact and new.is_exact,
        new.is_shared,
        new.is_active,
        base.is_reduced or new.is_reduced,
        base=base,
        new=new,
    )


# ---------------------------------------------------------------- search

MOST_BRANCHES = 50_000  # of those followed to one place; 1 s
_MOST_BELOW_ONE = 1000  # branches of one function that are followed, costliest first
_BRANCHES_PER_CHECK = 200  # some 10 ms


@frozen(eq=True)
class _Place:
    """A branch and the one above it."""

    branch: Branch
    above: _Place | None

    def path(self) -> list[NodeId]:
        """Return the functions from the root to here."""
        return [place.branch.function for place in self._upwards()][::-1]

    def is_recursion(self) -> bool:
        """Return whether the function is on the path to here already: such a branch has none."""
        function = self.branch.function
        above = iter(self._upwards())
        next(above)
        return any(place.branch.function == function for place in above)

    def _upwards(self) -> Iterator[_Place]:
        place: _Place | None = self
        while place is not None:
            yield place
            place = place.above


class BranchSearch:
    """A search in one tree; each call of `next_path` continues it."""

    def __init__(self, branches: SearchedBranches, root: NodeId, wanted: BoolArray) -> None:
        """`wanted`, shape (nodes,), tells which functions and cycles are sought."""
        self._branches, self._wanted = branches, np.append(wanted, np.zeros(STAND_INS, bool))
        self._numbers = itertools.count()  # of places of equal cost, the one first met comes first
        self._leads_there = branches.leading_to(wanted)
        self._waiting: list[tuple[int | float, int, _Place]] = []
        self.is_cut = False  # whether the search ended before all branches were followed
        begun = branches.root(root)
        if self._leads_there(begun):
            self._add(_Place(begun, None))

    def next_path(self, progress: Progress) -> list[NodeId] | None:
        """Return the functions from the root to the next place; None if there is no further one.

        Raises `Cancelled`.
        """
        for followed in range(MOST_BRANCHES):
            if followed % _BRANCHES_PER_CHECK == 0:
                progress.check(followed / MOST_BRANCHES)
            if not self._waiting:
                return None
            _, _, place = heappop(self._waiting)
            self._follow(place)
            if self._wanted[place.branch.function]:
                return place.path()
        self.is_cut = True
        return None

    def _follow(self, place: _Place) -> None:
        """Add the branches below a place that lead to what is sought."""
        if not self._branches.follows_recursion and place.is_recursion():
            return
        below, _ = self._branches.below(place.branch, 0, _MOST_BELOW_ONE)
        for branch in below:
            if branch.function != FURTHER and self._leads_there(branch):
                self._add(_Place(branch, place))

    def _add(self, place: _Place) -> None:
        heappush(self._waiting, (-place.branch.cost, next(self._numbers), place))
