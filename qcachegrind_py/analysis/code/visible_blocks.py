"""Selection of the basic blocks to draw: the costliest of a function, up to a maximum.

Edges between the same two blocks, as of a branch to the following block, become one arrow. A block
that these arrows do not connect to the entry gets an arrow for a path through omitted blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

import numpy as np

from qcachegrind_py.analysis.code.basic_blocks import UNKNOWN, BasicBlocks
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import BoolArray, Int64Array

NEVER_EXECUTED = -1.0  # as the minimum share: include blocks that were never executed
MAX_BLOCKS = 250
MAX_ARROWS = 500


@frozen
class VisibleBlocks:
    """The visible blocks, the entry first, then by address; and arrows, the most frequent first."""

    blocks: BasicBlocks
    row: Int64Array  # of each visible block, in `blocks`
    source: Int64Array  # of each arrow: index of a visible block
    target: Int64Array
    edges: tuple[Int64Array, ...]  # rows of the edges of each arrow, the most frequent first
    count: Int64Array  # sum over these edges; UNKNOWN: none is known
    skipped_blocks: (
        Int64Array  # number of omitted blocks on the path of an arrow; 0 for arrows with edges
    )
    has_hidden_incoming: (
        BoolArray  # of each visible block: it has incoming edges that were taken and are not drawn
    )
    has_hidden_outgoing: BoolArray
    never_executed: int  # number of blocks omitted because they were never executed
    below_threshold: int  # omitted for their cost
    over_limit: int  # costly enough, but beyond the maximum
    omitted_arrows: int

    def __len__(self) -> int:
        return len(self.row)


def select_visible_blocks(
    blocks: BasicBlocks,
    cost: CostArray,
    min_share: float,
    max_blocks: int = MAX_BLOCKS,
    max_arrows: int = MAX_ARROWS,
    base_count: Int64Array | None = None,
) -> VisibleBlocks:
    """Select the executed blocks with at least `min_share` of the total cost, and the entry.

    `cost` is the self cost of each block in one event, shape (blocks,); in a comparison that of the
    side where it is larger. `base_count` is how often the base took each edge, or UNKNOWN.
    """
    selection = _select_blocks(blocks, cost, min_share, max_blocks)
    row, index = selection.row, selection.index
    was_taken = blocks.edges.count != 0
    if base_count is not None:
        was_taken |= base_count > 0
    arrows = _arrows(blocks, index, was_taken | (min_share == NEVER_EXECUTED))
    visible_arrows = arrows[:max_arrows]
    connecting = _connecting_arrows(
        blocks, row, index, [(arrow.source, arrow.target) for arrow in visible_arrows]
    )
    all_arrows, hidden = [*visible_arrows, *connecting], _hidden_edges(blocks, visible_arrows)
    return VisibleBlocks(
        blocks,
        row,
        np.array([arrow.source for arrow in all_arrows], np.int64),
        np.array([arrow.target for arrow in all_arrows], np.int64),
        tuple(arrow.edges for arrow in all_arrows),
        np.array([arrow.count for arrow in all_arrows], np.int64),
        np.array([arrow.skipped_blocks for arrow in all_arrows], np.int64),
        np.isin(row, blocks.edges.target[hidden]),
        np.isin(row, blocks.edges.source[hidden]),
        selection.never_executed,
        selection.below_threshold,
        selection.over_limit,
        omitted_arrows=len(arrows) - len(visible_arrows),
    )


@frozen
class _Selection:
    """The visible blocks and the numbers of omitted ones, as in `VisibleBlocks`."""

    row: Int64Array
    index: Int64Array  # of each block among the visible ones; -1: omitted
    never_executed: int
    below_threshold: int
    over_limit: int


def _select_blocks(
    blocks: BasicBlocks, cost: CostArray, min_share: float, max_blocks: int
) -> _Selection:
    """Select the entry and the costliest blocks, `max_blocks` in all."""
    was_executed = _was_executed(blocks) | (cost > 0) | (min_share == NEVER_EXECUTED)
    is_costly = was_executed & ((cost >= min_share * cost.sum()).astype(bool) | (min_share <= 0))
    is_entry = np.arange(len(blocks)) == blocks.entry
    candidates = np.flatnonzero(is_costly | is_entry)
    # at equal cost the blocks executed more often come first, those never executed last
    order = np.lexsort((-blocks.executed[candidates], -cost[candidates], ~is_entry[candidates]))
    selected = np.sort(candidates[order[:max_blocks]])
    row = np.concatenate((selected[selected == blocks.entry], selected[selected != blocks.entry]))
    index = np.full(len(blocks), -1, np.int64)
    index[row] = np.arange(len(row))
    return _Selection(
        row,
        index,
        never_executed=int((~was_executed & ~is_entry).sum()),
        below_threshold=int((was_executed & ~is_costly & ~is_entry).sum()),
        over_limit=len(candidates) - len(row),
    )


def _was_executed(blocks: BasicBlocks) -> BoolArray:
    """Return whether each block was executed, by its count or, if unknown, by any cost."""
    was_executed: BoolArray = (blocks.executed > 0) | (blocks.inclusive != 0).any(axis=0)
    return was_executed


@frozen
class _Arrow:
    source: int  # index of a visible block
    target: int
    edges: Int64Array
    count: int
    skipped_blocks: int = 0


def _hidden_edges(blocks: BasicBlocks, arrows: Sequence[_Arrow]) -> BoolArray:
    """Return whether each edge was taken, or may have been, and belongs to none of the arrows."""
    shown = np.zeros(len(blocks.edges), bool)
    for arrow in arrows:
        shown[arrow.edges] = True
    hidden: BoolArray = ~shown & (blocks.edges.count != 0)
    return hidden


def _arrows(blocks: BasicBlocks, index: Int64Array, is_included: BoolArray) -> list[_Arrow]:
    """Group the included edges between visible blocks into arrows, the most frequent first."""
    edges = blocks.edges
    is_drawn = (index[edges.source] >= 0) & (index[edges.target] >= 0) & is_included
    rows = np.flatnonzero(is_drawn)
    ends = edges.source[rows] * max(1, len(blocks)) + edges.target[rows]
    order = np.lexsort((-edges.count[rows], ends))
    rows, ends = rows[order], ends[order]
    groups = np.split(rows, np.flatnonzero(np.diff(ends)) + 1) if len(rows) else []
    arrows = [
        _Arrow(
            int(index[edges.source[group[0]]]),
            int(index[edges.target[group[0]]]),
            group,
            _known_sum(edges.count[group]),
        )
        for group in groups
    ]
    return sorted(arrows, key=lambda arrow: -arrow.count)


def _known_sum(counts: Int64Array) -> int:
    known = counts[counts != UNKNOWN]
    return int(known.sum()) if len(known) else UNKNOWN


# ---------------------------------------------------------------- paths through omitted blocks


def _connecting_arrows(
    blocks: BasicBlocks, row: Int64Array, index: Int64Array, arrows: Sequence[tuple[int, int]]
) -> list[_Arrow]:
    """Add arrows to visible blocks that the other arrows do not connect to the entry.

    Each arrow is the last section, through omitted blocks, of the most frequent path from the
    entry.
    """
    if len(row) == len(blocks):
        return []
    predecessors = _predecessors_from_entry(blocks)
    successors: dict[int, list[int]] = {}
    for source, target in arrows:
        successors.setdefault(source, []).append(target)
    reached = _reachable({0}, successors, set())
    result = []
    for block in predecessors:
        here = int(index[block])
        if here < 0 or here in reached:
            continue
        origin, skipped = predecessors[block], 0
        while index[origin] < 0:
            origin, skipped = predecessors[origin], skipped + 1
        result.append(_Arrow(int(index[origin]), here, np.empty(0, np.int64), UNKNOWN, skipped))
        reached |= _reachable({here}, successors, reached)
    return result


def _predecessors_from_entry(blocks: BasicBlocks) -> dict[int, int]:
    """Return each block's predecessor on a path of frequent edges from the entry.

    Keys are in the order of discovery by Prim's algorithm: the most frequent edge that leads out of
    the tree is next.
    """
    edges = blocks.edges
    outgoing: dict[int, list[tuple[int, int]]] = {}
    taken = np.flatnonzero(edges.count != 0)
    for source, target, count in zip(
        edges.source[taken].tolist(), edges.target[taken].tolist(), edges.count[taken].tolist(),
        strict=True,
    ):  # fmt: skip
        outgoing.setdefault(source, []).append((count, target))
    predecessors = {blocks.entry: blocks.entry}
    heap = [(-count, target, blocks.entry) for count, target in outgoing.get(blocks.entry, ())]
    heapify(heap)
    while heap:
        _, block, origin = heappop(heap)
        if block not in predecessors:
            predecessors[block] = origin
            for count, target in outgoing.get(block, ()):
                heappush(heap, (-count, target, block))
    return predecessors


def _reachable(start: set[int], successors: dict[int, list[int]], known: set[int]) -> set[int]:
    """Return all blocks reachable from `start`, itself included, without those in `known`."""
    reached, waiting = set(start), list(start)
    while waiting:
        for target in successors.get(waiting.pop(), ()):
            if target not in reached and target not in known:
                reached.add(target)
                waiting.append(target)
    return reached
