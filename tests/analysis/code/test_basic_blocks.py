"""Basic blocks: their costs, executions and edges.

Expected values come from random functions that are executed step by step.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from qcachegrind_py.analysis.code.basic_blocks import BasicBlocks, EdgeKind, basic_blocks
from qcachegrind_py.analysis.code.instructions import NO_CODE, Code, InstructionKind
from qcachegrind_py.analysis.code.location_costs import instruction_costs
from tests.analysis.random_code import Walk, random_walk
from tests.profile_rows import profile_from

FALL, JUMP, TAKEN, NOT = EdgeKind
Edge = tuple[int, int, EdgeKind]


def blocks_of(text: str, code: Code = NO_CODE) -> BasicBlocks:
    """The blocks of the first function of a profile."""
    profile = profile_from(text)
    called = int(profile.calls.count[profile.calls.callee == 0].sum())
    return basic_blocks(profile, instruction_costs(profile, 0), code, called)


def addresses(blocks: BasicBlocks) -> list[list[int]]:
    """The addresses of the instructions of each block."""
    return [part.tolist() for part in np.split(blocks.address, blocks.start[1:-1])]


def edges(blocks: BasicBlocks) -> dict[Edge, int]:
    """The count of each edge, by the last address of its source and the first of its target."""
    named = blocks.edges
    ends = zip(blocks.last[named.source], blocks.first[named.target], strict=True)
    return {
        (int(blocks.address[source]), int(blocks.address[target]), EdgeKind(kind)): count
        for (source, target), kind, count in zip(
            ends, named.kind.tolist(), named.count.tolist(), strict=True
        )
    }


def expected_blocks(done: Walk) -> list[list[int]]:
    """Split by hand: before targets, and after gaps, jumps, branches and returns."""
    leaders = {target for row in done.program for target in row.targets if len(row.targets) == 1}
    leaders |= {target for _, target in done.jumps if done.jumps[_, target]}
    blocks: list[list[int]] = []
    before = None
    for row in done.program:
        ends = before is None or before.end != row.address
        ends = ends or before.kind in (
            InstructionKind.JUMP,
            InstructionKind.BRANCH,
            InstructionKind.RETURN,
        )
        if ends or row.address in leaders:
            blocks.append([])
        blocks[-1].append(row.address)
        before = row
    return blocks


def expected_edges(done: Walk, blocks: list[list[int]]) -> dict[Edge, int]:
    """The executed steps from block to block, and the code's edges that were never followed."""
    found: Counter[Edge] = Counter()
    for block in blocks:
        row = done.at[block[-1]]
        is_branch = row.kind == InstructionKind.BRANCH
        goes_on = row.kind not in (InstructionKind.JUMP, InstructionKind.RETURN)
        for target in row.targets:
            jumped = done.jumps[row.address, target]
            if len(row.targets) == 1 or jumped:
                found[row.address, target, TAKEN if is_branch else JUMP] = jumped
        if goes_on and row.end in done.at:
            went = done.steps[row.address, row.end] - done.jumps[row.address, row.end]
            found[row.address, row.end, NOT if is_branch else FALL] = went
    return dict(found)


@pytest.mark.parametrize("seed", range(60))
def test_blocks_and_edges_of_walked_functions(seed: int) -> None:
    """Blocks, their costs and the counts of all edges are exactly those of the walks."""
    done = random_walk(Random(seed))

    blocks = blocks_of(done.text(), done.code())

    wanted = expected_blocks(done)
    assert addresses(blocks) == wanted
    self_costs = [[sum(done.self_cost(a)[e] for a in block) for block in wanted] for e in (0, 1)]
    calls = [[sum(done.call_cost(a)[e] for a in block) for block in wanted] for e in (0, 1)]
    assert blocks.self_cost.tolist() == self_costs
    assert blocks.inclusive.tolist() == (np.array(self_costs) + np.array(calls)).tolist()
    assert blocks.executed.tolist() == [done.executed[block[0]] for block in wanted]
    assert edges(blocks) == expected_edges(done, wanted)


@pytest.mark.parametrize("seed", range(100, 140))
def test_blocks_without_code(seed: int) -> None:
    """Without code, recorded addresses make blocks, with the counts of every step between them."""
    done = random_walk(Random(seed), entry_first=True)

    blocks = blocks_of(done.text())

    found = addresses(blocks)
    assert [address for block in found for address in block] == sorted(done.executed)
    for block in found:
        assert len({done.executed[address] for address in block}) == 1
    assert blocks.self_cost.sum(axis=1).tolist() == [
        sum(done.self_cost(a)[e] for a in done.executed) for e in (0, 1)
    ]
    first, last = {block[0] for block in found}, {block[-1] for block in found}
    steps = {step: count for step, count in done.steps.items() if count}
    assert all(
        (source in last and target in first) or any(_are_neighbours(source, target, found))
        for source, target in steps
    )
    counted: Counter[tuple[int, int]] = Counter()
    for (source, target, _), count in edges(blocks).items():
        counted[source, target] += count
    wanted = {step: count for step, count in steps.items() if step[0] in last}
    assert {step: count for step, count in counted.items() if count} == wanted


def _are_neighbours(source: int, target: int, blocks: list[list[int]]) -> list[bool]:
    return [(source, target) in pairwise(block) for block in blocks]


def test_the_entry_is_where_control_came_from_elsewhere() -> None:
    """The entry is the block that was executed more often than edges led to it."""
    walks = [random_walk(Random(seed)) for seed in range(200, 240)]
    walks = [done for done in walks if done.entry in {b[0] for b in expected_blocks(done)}]
    assert len(walks) > 10  # in the others it is within a block, where no function begins

    for done in walks:
        blocks = blocks_of(done.text(), done.code())
        assert addresses(blocks)[blocks.entry][0] == done.entry


LOOP = """
    positions: instr line
    events: {event}

    fn=f
    0x10 1 3
    0x12 1 30
    0x14 1 30
    jcnd=27/30 0x12 1
    0x14 1
    0x16 1 3
    """


def test_the_entry_of_a_function_that_exceptions_come_back_to() -> None:
    """A block executed without an incoming edge is the entry only if it was called as often."""
    text = """
        positions: instr line
        events: Ir

        fn=f
        0x10 1 2
        0x11 1 2
        0x30 1 50
        0x31 1 50
        fn=g
        0x90 1 1
        cfn=f
        calls=2 0x10 1
        0x90 1 104
        """
    code = code_of(
        (0x10, 1, InstructionKind.PLAIN, 0), (0x11, 1, InstructionKind.RETURN, 0),
        (0x30, 1, InstructionKind.PLAIN, 0), (0x31, 1, InstructionKind.RETURN, 0),
    )  # fmt: skip

    assert blocks_of(text, code).entry == 0
    assert blocks_of(text.replace("calls=2", "calls=49"), code).entry == 1


def test_another_first_event_leaves_counts_to_jumps() -> None:
    """If the first event does not count instructions, only recorded jumps give executions."""
    blocks = blocks_of(LOOP.format(event="Dr"))

    assert addresses(blocks) == [[0x10], [0x12, 0x14], [0x16]]
    assert (blocks.executed.tolist(), blocks.entry) == ([-1, 30, -1], 0)
    assert edges(blocks) == {
        (0x10, 0x12, FALL): -1, (0x14, 0x12, TAKEN): 27, (0x14, 0x16, NOT): 3,
    }  # fmt: skip
    assert edges(blocks_of(LOOP.format(event="Ir")))[0x10, 0x12, FALL] == 3


def code_of(*rows: tuple[int, int, InstructionKind, int]) -> Code:
    """Instructions by address, size, kind and target."""
    columns = list(zip(*rows, strict=True))
    return Code(
        np.array(columns[0], np.uint64), np.array(columns[1], np.int32),
        np.array(columns[2], np.int8), np.array(columns[3], np.uint64),
        ("x",) * len(rows), ("",) * len(rows), (b"",) * len(rows),
    )  # fmt: skip


def test_no_jumps_were_recorded() -> None:
    """Without recorded jumps, edges come from the code, without counts after a branch."""
    code = code_of(
        (0x10, 2, InstructionKind.PLAIN, 0), (0x12, 2, InstructionKind.PLAIN, 0),
        (0x14, 2, InstructionKind.BRANCH, 0x12),
        (0x16, 2, InstructionKind.JUMP, 0x1A), (0x18, 2, InstructionKind.RETURN, 0),
        (0x1A, 1, InstructionKind.RETURN, 0),
    )  # fmt: skip
    text = LOOP.format(event="Ir").replace("jcnd=27/30 0x12 1\n    0x14 1\n", "")

    blocks = blocks_of(text + "    0x1a 1 3\n", code)

    assert edges(blocks) == {
        (0x10, 0x12, FALL): 3, (0x14, 0x12, TAKEN): -1, (0x14, 0x16, NOT): -1,
        (0x16, 0x1A, JUMP): 3,
    }  # fmt: skip
    assert blocks.executed.tolist() == [3, 30, 3, 0, 3]


def test_no_recorded_cost_is_lost() -> None:
    """Addresses missing from the code, inside or outside it, are blocks with their cost.

    A jump over a prefix leads into an instruction, and is followed by what comes after it.
    """
    code = code_of(
        (0x10, 2, InstructionKind.BRANCH, 0x13),
        (0x12, 4, InstructionKind.PLAIN, 0),
        (0x16, 1, InstructionKind.RETURN, 0),
    )
    text = """
        positions: instr line
        events: Ir

        fn=f
        0x0 1 500
        0x10 1 5
        jcnd=2/5 0x13 1
        0x10 1
        0x12 1 3
        0x13 1 2
        0x16 1 5
        0x900 1 7
        """

    blocks = blocks_of(text, code)

    assert addresses(blocks) == [[0], [0x10], [0x12], [0x13], [0x16], [0x900]]
    assert blocks.self_cost.tolist() == [[500, 5, 3, 2, 5, 7]]
    assert blocks.executed.tolist() == [-1, 5, 3, 2, 5, 7]
    assert edges(blocks) == {
        (0x10, 0x12, NOT): 3, (0x10, 0x13, TAKEN): 2, (0x12, 0x16, FALL): 3, (0x13, 0x16, FALL): 2,
    }  # fmt: skip


def test_calls_that_return_twice_or_never() -> None:
    """A call that returns twice, or never, ends no block; the next one has the executions left."""
    code = code_of(
        (0x10, 5, InstructionKind.CALL, 0x900), (0x15, 2, InstructionKind.BRANCH, 0x1C),
        (0x17, 5, InstructionKind.CALL, 0x901),
        (0x1C, 1, InstructionKind.RETURN, 0),
    )  # fmt: skip
    text = """
        positions: instr line
        events: Ir

        fn=f
        0x10 1 3
        0x15 1 6
        jcnd=4/6 0x1c 1
        0x15 1
        0x17 1 2
        0x1c 1 4
        """

    blocks = blocks_of(text, code)

    assert addresses(blocks) == [[0x10, 0x15], [0x17], [0x1C]]
    assert blocks.executed.tolist() == [3, 2, 4]
    assert edges(blocks) == {
        (0x15, 0x1C, TAKEN): 4, (0x15, 0x17, NOT): 2, (0x17, 0x1C, FALL): 0,
    }  # fmt: skip


def test_a_function_with_nothing() -> None:
    """A function without costs and code has no blocks."""
    profile = profile_from(
        "positions: instr line\nevents: Ir\n\nfn=f\n0x1 1 1\ncfn=g\ncalls=1 0x9 1\n0x1 1 1\n"
    )

    blocks = basic_blocks(profile, instruction_costs(profile, 1))

    assert (len(blocks), blocks.entry, len(blocks.edges)) == (0, -1, 0)
    assert blocks.self_cost.shape == (1, 0)
