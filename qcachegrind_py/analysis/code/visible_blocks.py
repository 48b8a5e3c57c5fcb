"""Which blocks of a function are worth drawing: the costly ones, at most so many.

Edges between the same two blocks, as of a branch to what is behind it, become one arrow. A block
that no such arrows lead to from the entry has one that stands for a way through blocks left out.
How blocks are made is in `basic_blocks`; how they are drawn, others say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from qcachegrind_py.analysis.code.basic_blocks import BasicBlocks
from qcachegrind_py.analysis.code.recorded_flow import UNKNOWN
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import BoolArray, Int64Array

NEVER_EXECUTED = -1.0  # as the least share: such blocks are wanted, too
MAX_BLOCKS = 250
MAX_ARROWS = 500


@dataclass(frozen=True, slots=True, eq=False)
class VisibleBlocks:
    """Rows of blocks, the entry first, then by address; and arrows, the most frequent first."""

    blocks: BasicBlocks
    row: Int64Array  # of each drawn block
    source: Int64Array  # of each arrow: place among the drawn blocks
    target: Int64Array
    edges: tuple[Int64Array, ...]  # its rows among the edges, the most frequent first
    count: Int64Array  # of all of them; UNKNOWN: none is known
    skipped_blocks: (
        Int64Array  # how many blocks that are left out the way goes through, without edges
    )
    has_hidden_incoming: (
        BoolArray  # of each drawn block: edges lead to it that are not drawn, and were gone
    )
    has_hidden_outgoing: BoolArray
    never_executed: int  # blocks that are left out for that
    below_threshold: int  # for their cost
    over_limit: int  # though they are not cheap
    omitted_arrows: int

    def __len__(self) -> int:
        return len(self.row)


def select_visible_blocks(
    blocks: BasicBlocks,
    cost: CostArray,
    min_share: float,
    max_blocks: int = MAX_BLOCKS,
    max_arrows: int = MAX_ARROWS,
) -> VisibleBlocks:
    """The blocks whose cost is at least that share of all, and that were executed; and the entry.

    `cost` is the self cost of each block in the event that is looked at.
    """
    selection = _select_blocks(blocks, cost, min_share, max_blocks)
    row, place = selection.row, selection.index
    arrows = _arrows(blocks, place, min_share == NEVER_EXECUTED)
    chosen = arrows[:max_arrows]
    ways = _connecting_arrows(
        blocks, row, place, [(arrow.source, arrow.target) for arrow in chosen]
    )
    every, missing = [*chosen, *ways], _hidden_edges(blocks, chosen)
    return VisibleBlocks(
        blocks,
        row,
        np.array([arrow.source for arrow in every], np.int64),
        np.array([arrow.target for arrow in every], np.int64),
        tuple(arrow.edges for arrow in every),
        np.array([arrow.count for arrow in every], np.int64),
        np.array([arrow.skipped_blocks for arrow in every], np.int64),
        np.isin(row, blocks.edges.target[missing]),
        np.isin(row, blocks.edges.source[missing]),
        selection.never_executed,
        selection.below_threshold,
        selection.over_limit,
        omitted_arrows=len(arrows) - len(chosen),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Selection:
    """The drawn blocks, and how many others there are, as in `DrawnBlocks`."""

    row: Int64Array
    index: Int64Array  # of each block among the drawn ones; -1: it is not drawn
    never_executed: int
    below_threshold: int
    over_limit: int


def _select_blocks(
    blocks: BasicBlocks, cost: CostArray, min_share: float, max_blocks: int
) -> _Selection:
    """The entry, and of the costly blocks as many as are wanted at the most."""
    happened = _was_executed(blocks) | (min_share == NEVER_EXECUTED)
    is_costly = happened & ((cost >= min_share * cost.sum()).astype(bool) | (min_share <= 0))
    is_entry = np.arange(len(blocks)) == blocks.entry
    wanted = np.flatnonzero(is_costly | is_entry)
    # of equal costs the blocks executed more often, so that those never executed come last
    order = np.lexsort((-blocks.executed[wanted], -cost[wanted], ~is_entry[wanted]))
    kept = np.sort(wanted[order[:max_blocks]])
    row = np.concatenate((kept[kept == blocks.entry], kept[kept != blocks.entry]))
    place = np.full(len(blocks), -1, np.int64)
    place[row] = np.arange(len(row))
    return _Selection(
        row,
        place,
        never_executed=int((~happened & ~is_entry).sum()),
        below_threshold=int((happened & ~is_costly & ~is_entry).sum()),
        over_limit=len(wanted) - len(row),
    )


def _was_executed(blocks: BasicBlocks) -> BoolArray:
    """Whether each block was executed: where nobody counted, it has a cost of some kind."""
    happened: BoolArray = (blocks.executed > 0) | (blocks.inclusive != 0).any(axis=0)
    return happened


@dataclass(frozen=True, slots=True, eq=False)
class _Arrow:
    source: int  # place among the drawn blocks
    target: int
    edges: Int64Array
    count: int
    skipped_blocks: int = 0


def _hidden_edges(blocks: BasicBlocks, chosen: Sequence[_Arrow]) -> BoolArray:
    """Whether each edge was gone, or may have been, and is in none of these arrows."""
    shown = np.zeros(len(blocks.edges), bool)
    for arrow in chosen:
        shown[arrow.edges] = True
    missing: BoolArray = ~shown & (blocks.edges.count != 0)
    return missing


def _arrows(blocks: BasicBlocks, place: Int64Array, include_untaken: bool) -> list[_Arrow]:
    """The edges between drawn blocks as arrows, the most frequent first."""
    edges = blocks.edges
    kept = (place[edges.source] >= 0) & (place[edges.target] >= 0)
    if not include_untaken:
        kept &= edges.count != 0
    rows = np.flatnonzero(kept)
    ends = edges.source[rows] * max(1, len(blocks)) + edges.target[rows]
    order = np.lexsort((-edges.count[rows], ends))
    rows, ends = rows[order], ends[order]
    groups = np.split(rows, np.flatnonzero(np.diff(ends)) + 1) if len(rows) else []
    arrows = [
        _Arrow(
            int(place[edges.source[group[0]]]),
            int(place[edges.target[group[0]]]),
            group,
            _known_sum(edges.count[group]),
        )
        for group in groups
    ]
    return sorted(arrows, key=lambda arrow: -arrow.count)


def _known_sum(counts: Int64Array) -> int:
    known = counts[counts != UNKNOWN]
    return int(known.sum()) if len(known) else UNKNOWN


# ---------------------------------------------------------------- ways through what is left out


def _connecting_arrows(
    blocks: BasicBlocks, row: Int64Array, place: Int64Array, arrows: Sequence[tuple[int, int]]
) -> list[_Arrow]:
    """Arrows for blocks that are not come to from the entry along the others.

    Each is the last stretch of a way from the entry, as frequent as ways there are.
    """
    if len(row) == len(blocks):
        return []
    before = _predecessors_from_entry(blocks)
    following: dict[int, list[int]] = {}
    for source, target in arrows:
        following.setdefault(source, []).append(target)
    reached = _reachable({0}, following, set())
    found = []
    for block in before:
        here = int(place[block])
        if here < 0 or here in reached:
            continue
        origin, passed = before[block], 0
        while place[origin] < 0:
            origin, passed = before[origin], passed + 1
        found.append(_Arrow(int(place[origin]), here, np.empty(0, np.int64), UNKNOWN, passed))
        reached |= _reachable({here}, following, reached)
    return found


def _predecessors_from_entry(blocks: BasicBlocks) -> dict[int, int]:
    """The block before each, in the order in which they are come to along the most frequent edges.

    As Prim's algorithm does it: of all edges that lead on, the most frequent one is next.
    """
    edges = blocks.edges
    leaving: dict[int, list[tuple[int, int]]] = {}
    gone = np.flatnonzero(edges.count != 0)
    for source, target, count in zip(
        edges.source[gone].tolist(), edges.target[gone].tolist(), edges.count[gone].tolist(),
        strict=True,
    ):  # fmt: skip
        leaving.setdefault(source, []).append((count, target))
    before = {blocks.entry: blocks.entry}
    heap = [(-count, target, blocks.entry) for count, target in leaving.get(blocks.entry, ())]
    heapify(heap)
    while heap:
        _, block, origin = heappop(heap)
        if block not in before:
            before[block] = origin
            for count, target in leaving.get(block, ()):
                heappush(heap, (-count, target, block))
    return before


def _reachable(start: set[int], following: dict[int, list[int]], known: set[int]) -> set[int]:
    """What can be come to from the start, itself included, without what is known already."""
    found, waiting = set(start), list(start)
    while waiting:
        for target in following.get(waiting.pop(), ()):
            if target not in found and target not in known:
                found.add(target)
                waiting.append(target)
    return found
