"""Which basic blocks are visible, and which arrows connect them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from qcachegrind_py.analysis.code.basic_blocks import (
    NEVER_EXECUTED,
    BasicBlocks,
    FlowEdges,
    VisibleBlocks,
    basic_blocks,
    select_visible_blocks,
)
from qcachegrind_py.analysis.code.location_costs import instruction_costs
from tests.analysis.random_code import random_walk
from tests.profile_rows import profile_from


def blocks_of(
    costs: Sequence[int], *edges: tuple[int, int, int], executed: Sequence[int] = ()
) -> BasicBlocks:
    """Blocks of one instruction each, the first one the entry; edges: source, target, count."""
    number, cost = len(costs), np.array([costs])
    source, target, count = (np.array(column, np.int64) for column in zip(*edges, strict=True))
    rows = np.arange(number)
    order = np.lexsort((target, source))
    return BasicBlocks(
        address=rows.astype(np.uint64) + 16, code_row=rows, cost_row=rows,
        start=np.arange(number + 1), self_cost=cost, inclusive=cost,
        executed=np.array(executed or costs, np.int64), entry=0,
        edges=FlowEdges(source[order], target[order], np.zeros(len(order), np.int64), count[order]),
    )  # fmt: skip


def chosen(blocks: BasicBlocks, least: float, most: int = 99, arrows: int = 99) -> VisibleBlocks:
    return select_visible_blocks(blocks, blocks.self_cost[0], least, most, arrows)


def arrows(visible: VisibleBlocks) -> list[str]:
    """Each arrow by its blocks and count, or by the number of hidden blocks that it skips."""
    return [
        f"{visible.row[source]}>{visible.row[target]} "
        + (str(count) if len(rows) else f"…{passed}")
        for source, target, rows, count, passed in zip(
            visible.source,
            visible.target,
            visible.edges,
            visible.count,
            visible.skipped_blocks,
            strict=True,
        )
    ]


LADDER = ((0, 1, 5), (1, 2, 4), (1, 3, 1), (2, 4, 4), (3, 4, 1), (4, 5, 0), (4, 6, 5))


def test_costly_blocks_and_the_entry_are_visible() -> None:
    """Below the minimal share only the entry is visible; unexecuted blocks are another option."""
    blocks = blocks_of([1, 50, 40, 1, 8, 0, 0], *LADDER, executed=[5, 5, 4, 1, 5, 0, 5])

    every, executed, costly = (chosen(blocks, least) for least in (NEVER_EXECUTED, 0.0, 0.05))

    assert every.row.tolist() == list(range(7))
    assert arrows(every) == ["0>1 5", "4>6 5", "1>2 4", "2>4 4", "1>3 1", "3>4 1", "4>5 0"]
    assert (executed.row.tolist(), executed.never_executed) == ([0, 1, 2, 3, 4, 6], 1)
    assert "4>5 0" not in arrows(executed)
    assert (costly.row.tolist(), costly.below_threshold, costly.never_executed) == (
        [0, 1, 2, 4],
        2,
        1,
    )
    assert arrows(costly) == ["0>1 5", "1>2 4", "2>4 4"]
    assert costly.has_hidden_outgoing.tolist() == [False, True, False, True]
    assert costly.has_hidden_incoming.tolist() == [False, False, False, True]


def test_a_distant_block_is_connected_by_an_arrow() -> None:
    """A block without visible predecessors gets an arrow that counts the hidden blocks between."""
    blocks = blocks_of([9, 0, 0, 0, 9, 9, 9], *LADDER[:5], (4, 5, 5), (5, 4, 3), (5, 6, 2),
                       executed=[5, 5, 4, 1, 8, 8, 2])  # fmt: skip

    visible = chosen(blocks, 0.1)

    assert visible.row.tolist() == [0, 4, 5, 6]
    assert arrows(visible) == ["4>5 5", "5>4 3", "5>6 2", "0>4 …2"]


def test_too_many_blocks_and_arrows() -> None:
    """The costliest are visible, of equal costs the more frequent ones, and the rest is counted."""
    blocks = blocks_of([0, 7, 7, 9], (0, 1, 2), (0, 2, 3), (1, 3, 2), (2, 3, 3),
                       executed=[5, 2, 3, 5])  # fmt: skip

    few = chosen(blocks, 0.0, most=3)

    assert (few.row.tolist(), few.over_limit, arrows(few)) == ([0, 2, 3], 1, ["0>2 3", "2>3 3"])
    fewer = chosen(blocks, 0.0, arrows=2)
    assert (fewer.omitted_arrows, arrows(fewer)) == (2, ["0>2 3", "2>3 3"])


def test_two_edges_between_the_same_blocks_are_one_arrow() -> None:
    """A branch to the next block is one arrow with both counts; unknown counts add nothing."""
    blocks = blocks_of([4, 4, 4], (0, 1, 1), (0, 1, 3), (1, 2, -1), (1, 2, 2), (2, 2, -1))

    visible = chosen(blocks, 0.0)

    assert arrows(visible) == ["0>1 4", "1>2 2", "2>2 -1"]
    assert blocks.edges.count[visible.edges[0]].tolist() == [3, 1]


@pytest.mark.parametrize("seed", range(30))
def test_executed_blocks_are_connected(seed: int) -> None:
    """However few blocks are visible, arrows lead to each of them from the entry."""
    done = random_walk(Random(seed), entry_first=True)
    profile = profile_from(done.text())
    costs = instruction_costs(profile, 0)
    called = int(profile.calls.count[profile.calls.callee == 0].sum())
    blocks = basic_blocks(profile, costs, done.code(), called)

    for most in (2, 4, 99):
        visible = select_visible_blocks(blocks, blocks.self_cost[0], 0.0, most)
        reached = {0}
        edges = list(zip(visible.source.tolist(), visible.target.tolist(), strict=True))
        for _ in range(len(visible)):
            reached |= {target for source, target in edges if source in reached}
        assert reached == set(range(len(visible)))
