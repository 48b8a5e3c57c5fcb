"""Finds functions in a call tree, from the costliest place to the cheapest.

The tree of all calls has too many branches to look at each: only those are followed that lead to a
function that is sought.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import leading_nodes
from qcachegrind_py.analysis.calls.call_tree import Branch, CallBranches
from qcachegrind_py.profile.ids import FURTHER, STAND_INS, NodeId
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray

MOST_BRANCHES = 50_000  # of those followed to one place; 1 s
_MOST_BELOW_ONE = 1000  # branches of one function that are followed, costliest first
_BRANCHES_PER_CHECK = 200  # some 10 ms


@dataclass(frozen=True, slots=True)
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

    def __init__(self, branches: CallBranches, root: NodeId, wanted: BoolArray) -> None:
        """`wanted`, shape (nodes,), tells which functions and cycles are sought."""
        wanted = np.append(wanted, np.zeros(STAND_INS, bool))  # found by negative ids, too
        self._branches, self._wanted = branches, wanted
        self._numbers = count()  # of places of equal cost, the one first met comes first
        near = branches.near[branches.is_branch]
        far = branches.far[branches.is_branch] % len(wanted)
        self._leads_there = leading_nodes(wanted, near, far)
        self._waiting: list[tuple[int | float, int, _Place]] = []
        self.is_cut = False  # whether the search ended before all branches were followed
        if self._leads_there[root]:
            self._add(_Place(branches.root(root), None))

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
        if place.is_recursion():
            return
        below, _ = self._branches.below(place.branch, 0, _MOST_BELOW_ONE)
        for branch in below:
            if branch.function != FURTHER and self._leads_there[branch.function]:
                self._add(_Place(branch, place))

    def _add(self, place: _Place) -> None:
        heappush(self._waiting, (-place.branch.cost, next(self._numbers), place))
