"""How blocks and edges changed: base costs where instructions are paired, and nothing is lost."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from qcachegrind_py.analysis.code.basic_blocks import (
    UNKNOWN,
    BasicBlocks,
    BlockChanges,
    EdgeKind,
    basic_blocks,
    block_changes,
)
from qcachegrind_py.analysis.code.instructions import (
    NO_ROW,
    Alignment,
    CodeSide,
    pair_instructions,
)
from qcachegrind_py.analysis.code.location_costs import InstructionCosts, instruction_costs
from tests.analysis.code.code_text import code_from
from tests.analysis.random_code import Walk, random_walk
from tests.profile_rows import profile_from

BASE_CODE = """
    1000 mov $1, %eax
    1004 jne 1000 <f>
    1008 add $8, %eax
    100c ret
    """
BASE = """
    positions: instr line
    events: Ir Dr
    fn=f
    0x1000 1 10 1
    0x1004 1 10 0
    jcnd=9/10 0x1000 1
    0x1004 1
    0x1008 2 1 5
    0x100c 2 1 0
    """
NEW_CODE = """
    2000 mov $1, %eax
    2004 jne 2000 <f>
    2008 xor %edx, %edx
    200c jne 2014 <f+0x14>
    2010 call 9000 <g>
    2014 ret
    """
NEW = """
    positions: instr line
    events: Ir Dr
    fn=f
    0x2000 1 30 2
    0x2004 1 30 0
    jcnd=28/30 0x2000 1
    0x2004 1
    0x2008 2 2 0
    0x200c 2 2 0
    jcnd=1/2 0x2014 1
    0x200c 2
    0x2010 3 1 0
    0x2014 3 2 0
    """


def side(blocks: BasicBlocks, code: str) -> CodeSide:
    return CodeSide(blocks.address, blocks.code_row, code_from(code))


def built(text: str, code: str) -> tuple[BasicBlocks, InstructionCosts]:
    profile = profile_from(text)
    costs = instruction_costs(profile, 0)
    return basic_blocks(profile, costs, code_from(code), 1), costs


def changes() -> tuple[BasicBlocks, BlockChanges]:
    base, base_costs = built(BASE, BASE_CODE)
    new, _costs = built(NEW, NEW_CODE)
    new_row = pair_instructions(side(base, BASE_CODE), side(new, NEW_CODE), Alignment.TEXTS)
    return new, block_changes(base, base_costs, new, new_row)


def test_blocks_have_the_costs_of_their_instructions_in_the_base() -> None:
    """The loop is paired whole; of the rest the base has only the return."""
    new, changed = changes()
    assert new.address[new.first].tolist() == [0x2000, 0x2008, 0x2010, 0x2014]
    assert changed.base_cost.tolist() == [[20, 0, 0, 1], [1, 0, 0, 0]]
    assert changed.base_executed.tolist() == [10, UNKNOWN, UNKNOWN, 1]
    assert changed.is_added.tolist() == [False, True, True, False]
    assert changed.gone.tolist() == [1, 5]
    assert changed.instruction_cost[0].tolist() == [10, 10, 0, 0, 0, 1]
    assert changed.is_paired.tolist() == [True, True, False, False, False, True]


def test_edges_are_those_between_the_same_instructions() -> None:
    new, changed = changes()
    edges = new.edges
    found = {
        (int(new.address[new.last[source]]), EdgeKind(kind)): (before, count)
        for source, kind, before, count in zip(
            edges.source.tolist(), edges.kind.tolist(), changed.base_count.tolist(),
            edges.count.tolist(), strict=True,
        )
    }  # fmt: skip
    assert found == {
        (0x2004, EdgeKind.TAKEN): (9, 28),
        (0x2004, EdgeKind.NOT_TAKEN): (UNKNOWN, 2),
        (0x200C, EdgeKind.TAKEN): (UNKNOWN, 1),
        (0x200C, EdgeKind.NOT_TAKEN): (UNKNOWN, 1),
        (0x2010, EdgeKind.FALL_THROUGH): (UNKNOWN, 1),
    }


# ---------------------------------------------------------------- random functions


def flow(walk: Walk) -> tuple[BasicBlocks, InstructionCosts]:
    profile = profile_from(walk.text())
    costs = instruction_costs(profile, 0)
    return basic_blocks(profile, costs, walk.code(), 5), costs


@pytest.mark.parametrize("seed", range(60))
def test_two_walks_through_one_function(seed: int) -> None:
    """With equal addresses each block and edge has the counts of the first walk as its base."""
    random = Random(seed)
    walk = random_walk(random)
    other = Walk(walk.program, walk.entry, +walk.executed, +walk.steps, +walk.jumps)
    for _ in range(random.randrange(3)):
        other.executed.update(walk.executed)
        other.steps.update(walk.steps)
        other.jumps.update(walk.jumps)
    (base, base_costs), (new, _costs) = flow(walk), flow(other)
    new_row = pair_instructions(
        CodeSide(base.address, base.code_row), CodeSide(new.address, new.code_row),
        Alignment.ADDRESSES,
    )  # fmt: skip
    changed = block_changes(base, base_costs, new, new_row)
    assert changed.base_cost.tolist() == base.self_cost.tolist()
    assert changed.base_inclusive.tolist() == base.inclusive.tolist()
    assert changed.base_executed.tolist() == base.executed.tolist()
    assert changed.base_count.tolist() == base.edges.count.tolist()
    assert not changed.gone.any()


@pytest.mark.parametrize("seed", range(100))
def test_costs_of_the_base_are_all_somewhere(seed: int) -> None:
    """Whatever is paired with what: blocks and what is gone add up to the function."""
    random = Random(seed)
    (base, base_costs), (new, _costs) = flow(random_walk(random)), flow(random_walk(random))
    new_row = np.full(len(base.address), NO_ROW)
    paired = random.randrange(min(len(new_row), len(new.address)) + 1)
    new_row[sorted(random.sample(range(len(new_row)), paired))] = sorted(
        random.sample(range(len(new.address)), paired)
    )
    changed = block_changes(base, base_costs, new, new_row)
    total = changed.base_cost.sum(axis=1) + changed.gone
    assert total.tolist() == base_costs.self_cost.sum(axis=1).tolist()
    costs = base_costs.address.tolist(), base_costs.self_cost[0].tolist()
    cost_at = dict(zip(*costs, strict=True))
    by_block: Counter[int] = Counter()
    for row, there in enumerate(new_row.tolist()):
        if there != NO_ROW:
            block = int(new.block_of(np.array([there]))[0])
            by_block[block] += cost_at.get(int(base.address[row]), 0)
    assert changed.base_cost[0].tolist() == [by_block[block] for block in range(len(new))]
