"""The branches of a call tree: who a function calls, or who calls it, with their costs there.

The cost of a single call is recorded. Deeper down, costs are estimated in proportion and marked so,
unless a branch holds the whole cost of a function, or a call accounts for all of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import CallGraph
from qcachegrind_py.analysis.costs.ranking import costliest_rows
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_ids
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True)
class Branch:
    """A function or cycle at one place of a call tree."""

    function: NodeId  # `NO_NODE`: stands for further branches
    cost: int | float
    count: int | float
    is_exact: bool  # of the cost; of the count, unless `is_shared`
    is_shared: bool  # the count is estimated in proportion to the cost
    is_active: bool = False  # the call was still running when the profile was written


class CallBranches:
    """The branches of all functions, down to callees or up to callers."""

    def __init__(self, graph: CallGraph, visible: BoolArray | None, *, up: bool) -> None:
        """`visible`, shape (nodes,), tells which nodes pass the filter; None: all of them.

        Calls without cost are no branches.
        """
        self._graph, self._up = graph, up
        adjacency = graph.adjacency
        self.near, self.far = adjacency.caller, adjacency.callee  # ends of each call: (calls,)
        if up:
            self.near, self.far = self.far, self.near
        self.is_branch: BoolArray = graph.cost > 0  # of each call: shape (calls,)
        if visible is not None:
            self.is_branch &= visible[self.far]
        self.has_branches = np.zeros(len(graph.inclusive), bool)  # of each node
        self.has_branches[self.near[self.is_branch]] = True

    def root(self, function: NodeId) -> Branch:
        """Return the branch that a tree begins with: the whole function."""
        return Branch(function, as_number(self._graph.inclusive[function]), 0, True, False)

    def below(self, branch: Branch, begin: int, most: int) -> tuple[list[Branch], int]:
        """Return branches, costliest first: `most` at most, from number `begin` on.

        The second value is the number of those behind them. If there are any, one more branch, the
        last, stands for them.
        """
        graph = self._graph
        rows = self._rows(branch.function)
        costs, counts = graph.cost[rows], graph.adjacency.count[rows]
        shown = costliest_rows(costs, begin + most)
        inclusive = as_number(graph.inclusive[branch.function])
        is_whole, factor = self._share_of_function(branch)
        next_ = shown[begin:]
        columns = costs[next_].tolist(), (counts[next_] * factor).tolist()
        is_active = graph.adjacency.is_active[rows[next_]].tolist()
        is_estimated = graph.adjacency.is_estimated[rows[next_]].tolist()
        branches = []
        for other, cost, count, active, estimated in zip(
            node_ids(self.far[rows[next_]]), *columns, is_active, is_estimated, strict=True
        ):
            is_all = branch.is_exact and cost == inclusive  # all of its cost is from this call
            share = branch.cost if is_all else cost * factor
            is_exact, is_shared = (is_whole or is_all) and not estimated, not is_whole or estimated
            branches.append(Branch(other, share, count, is_exact, is_shared, active))
        further = len(rows) - len(shown)
        if further:
            cost, count = (
                (as_number(column.sum()) - as_number(column[shown].sum())) * factor
                for column in (costs, counts)
            )
            branches.append(Branch(NO_NODE, cost, count, is_whole, not is_whole))
        return branches, further

    def self_cost(self, branch: Branch) -> tuple[int | float | None, bool]:
        """Return the self cost on a branch down, and whether it is exact; None on others."""
        if self._up or branch.function == NO_NODE:
            return None, True
        is_whole, share = self._share_of_function(branch)
        cost = as_number(self._graph.self_cost[branch.function])
        return cost * share, is_whole or not cost

    def _rows(self, function: NodeId) -> Int64Array:
        """Return the calls that are branches of a function."""
        graph = self._graph
        rows = graph.incoming(function) if self._up else graph.outgoing(function)
        shown: Int64Array = rows[self.is_branch[rows]]
        return shown

    def _share_of_function(self, branch: Branch) -> tuple[bool, int | float]:
        """Return whether a branch holds the whole cost of its function, and the share it holds.

        Where nothing is estimated, the share is the integer 1: costs stay exact to the last count.
        """
        inclusive = as_number(self._graph.inclusive[branch.function])
        if branch.is_exact and branch.cost == inclusive:
            return True, 1
        return False, min(branch.cost / max(1, int(inclusive)), 1.0)


_MOST_COMPARED = 10_000  # branches of a function beyond those shown: 20 ms; others are summed up


@dataclass(frozen=True, slots=True)
class ComparedBranch(Branch):
    """A branch of two trees; its cost is the change, and its count that of the new side."""

    base: Branch = field(kw_only=True)
    new: Branch = field(kw_only=True)


class ComparedBranches:
    """The branches of two trees, base and new, with the changes of their costs.

    A change is exact if both costs are. Changes of estimates may be none: where a caller costs
    more, it gets a larger share of everything that is called through it.
    """

    def __init__(self, base: CallBranches, new: CallBranches) -> None:
        self._base, self._new = base, new
        self.has_branches: BoolArray = base.has_branches | new.has_branches  # of each node

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
        others = [pair.cost for pair in pairs if pair.function == NO_NODE]
        pairs = sorted(
            (pair for pair in pairs if pair.function != NO_NODE), key=lambda pair: -abs(pair.cost)
        )
        shown: list[Branch] = [*pairs[begin : begin + most]]
        further = max(0, len(pairs) - begin - most) + max(count for _, count in found)
        if further:
            rest = sum((pair.cost for pair in pairs[begin + most :]), sum(others))
            shown.append(Branch(NO_NODE, rest, 0, False, True))
        return shown, further

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
        base=base,
        new=new,
    )
