"""Which blocks are drawn, and which arrows hold them together."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from qcachegrind_py.analysis.code.basic_blocks import BasicBlocks, FlowEdges, basic_blocks
from qcachegrind_py.analysis.code.instruction_costs import instruction_costs
from qcachegrind_py.analysis.code.visible_blocks import (
    NEVER_EXECUTED,
    VisibleBlocks,
    select_visible_blocks,
)
from tests.analysis.random_code import random_walk
from tests.profile_rows import profile_from


def blocks_of(
    costs: Sequence[int], *edges: tuple[int, int, int], executed: Sequence[int] = ()
) -> BasicBlocks:
    """Blocks of an instruction each, the first one the entry; edges: source, target, count."""
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


def arrows(drawn: VisibleBlocks) -> list[str]:
    """Each arrow by its blocks and count, or the number of blocks that it passes."""
    return [
        f"{drawn.row[source]}>{drawn.row[target]} " + (str(count) if len(rows) else f"…{passed}")
        for source, target, rows, count, passed in zip(
            drawn.source, drawn.target, drawn.edges, drawn.count, drawn.skipped_blocks, strict=True
        )
    ]


LADDER = ((0, 1, 5), (1, 2, 4), (1, 3, 1), (2, 4, 4), (3, 4, 1), (4, 5, 0), (4, 6, 5))


def test_costly_blocks_are_drawn_and_the_entry() -> None:
    """Below the least share only the entry is drawn; what nobody executed is another choice."""
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


def test_a_block_far_from_the_others_hangs_on_a_way() -> None:
    """What no arrow leads to has one that says how many blocks lie between, on the usual way."""
    blocks = blocks_of([9, 0, 0, 0, 9, 9, 9], *LADDER[:5], (4, 5, 5), (5, 4, 3), (5, 6, 2),
                       executed=[5, 5, 4, 1, 8, 8, 2])  # fmt: skip

    drawn = chosen(blocks, 0.1)

    assert drawn.row.tolist() == [0, 4, 5, 6]
    assert arrows(drawn) == ["4>5 5", "5>4 3", "5>6 2", "0>4 …2"]


def test_too_many_blocks_and_arrows() -> None:
    """The costliest are drawn, of equal costs the more frequent ones, and the rest is counted."""
    blocks = blocks_of([0, 7, 7, 9], (0, 1, 2), (0, 2, 3), (1, 3, 2), (2, 3, 3),
                       executed=[5, 2, 3, 5])  # fmt: skip

    few = chosen(blocks, 0.0, most=3)

    assert (few.row.tolist(), few.over_limit, arrows(few)) == ([0, 2, 3], 1, ["0>2 3", "2>3 3"])
    fewer = chosen(blocks, 0.0, arrows=2)
    assert (fewer.omitted_arrows, arrows(fewer)) == (2, ["0>2 3", "2>3 3"])


def test_two_edges_between_the_same_blocks_are_one_arrow() -> None:
    """A branch to what is behind it is one arrow with both counts; unknown ones add nothing."""
    blocks = blocks_of([4, 4, 4], (0, 1, 1), (0, 1, 3), (1, 2, -1), (1, 2, 2), (2, 2, -1))

    drawn = chosen(blocks, 0.0)

    assert arrows(drawn) == ["0>1 4", "1>2 2", "2>2 -1"]
    assert blocks.edges.count[drawn.edges[0]].tolist() == [3, 1]


@pytest.mark.parametrize("seed", range(30))
def test_all_that_was_executed_hangs_together(seed: int) -> None:
    """However few blocks are drawn, arrows lead to each of them from the entry."""
    done = random_walk(Random(seed), entry_first=True)
    profile = profile_from(done.text())
    costs = instruction_costs(profile, 0)
    called = int(profile.calls.count[profile.calls.callee == 0].sum())
    blocks = basic_blocks(profile, costs, done.code(), called)

    for most in (2, 4, 99):
        drawn = select_visible_blocks(blocks, blocks.self_cost[0], 0.0, most)
        reached, edges = {0}, list(zip(drawn.source.tolist(), drawn.target.tolist(), strict=True))
        for _ in range(len(drawn)):
            reached |= {target for source, target in edges if source in reached}
        assert reached == set(range(len(drawn)))
