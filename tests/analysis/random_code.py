"""Random functions, executed step by step, and the profiles they must produce.

A function is a list of instructions with sizes; a walk follows jumps at random until it returns.
Everything is counted in dictionaries, one step after the other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random

import numpy as np

from qcachegrind_py.analysis.code.instructions import Code, InstructionKind

_MOST_STEPS = 400
WALKS = 5


@dataclass(frozen=True)
class Instruction:
    """One instruction; indirect jumps have several targets, which the code does not show."""

    address: int
    size: int
    kind: InstructionKind
    targets: tuple[int, ...] = ()

    @property
    def end(self) -> int:
        return self.address + self.size


@dataclass
class Walk:
    """Recorded steps: by address, and by pair of addresses."""

    program: list[Instruction]
    entry: int
    executed: Counter[int] = field(default_factory=Counter)
    steps: Counter[tuple[int, int]] = field(default_factory=Counter)  # from, to
    jumps: Counter[tuple[int, int]] = field(default_factory=Counter)  # the steps that jumped

    @property
    def at(self) -> dict[int, Instruction]:
        return {instruction.address: instruction for instruction in self.program}

    def code(self) -> Code:
        """The instructions as a disassembler returns them."""
        rows = self.program
        return Code(
            np.array([row.address for row in rows], np.uint64),
            np.array([row.size for row in rows], np.int32),
            np.array([row.kind for row in rows], np.int8),
            np.array([row.targets[0] if len(row.targets) == 1 else 0 for row in rows], np.uint64),
            tuple("x" for _ in rows),
            tuple("" for _ in rows),
            tuple(b"" for _ in rows),
        )

    def self_cost(self, address: int) -> tuple[int, int]:
        """The self cost in `Ir` and in another event."""
        return self.executed[address], self.executed[address] * (address % 3)

    def call_cost(self, address: int) -> tuple[int, int]:
        """The cost of the calls from an address, which are 10 and 2 each."""
        is_call = self.at[address].kind == InstructionKind.CALL
        return (10 * self.executed[address], 2 * self.executed[address]) if is_call else (0, 0)

    def text(self, events: str = "Ir Dr") -> str:
        """The profile of all walks, as Callgrind writes it: jumps never taken are left out."""
        lines = ["positions: instr line", f"events: {events}", "", "fl=a.c", "fn=f"]
        for address in sorted(self.executed):
            lines.append(f"0x{address:x} 1 {_costs(self.self_cost(address))}")
            if self.call_cost(address)[0]:
                lines += ["cfn=g", f"calls={self.executed[address]} 0x1 1"]
                lines.append(f"0x{address:x} 1 {_costs(self.call_cost(address))}")
            for (source, target), count in sorted(self.jumps.items()):
                if source == address and count:
                    lines += [self._jump(source, target, count), f"0x{address:x} 1"]
        return "\n".join(
            [
                *lines,
                "",
                "fn=g",
                "0x1 1 1 1",
                "jump=1 0x1 1",
                "0x1 1",
                "cfn=f",
                f"calls={WALKS} 0x1 1",
                "0x1 1 1 1",
                "",
            ]
        )

    def _jump(self, source: int, target: int, count: int) -> str:
        if self.at[source].kind == InstructionKind.BRANCH:
            return f"jcnd={count}/{self.executed[source]} 0x{target:x} 1"
        return f"jump={count} 0x{target:x} 1"


def _costs(costs: tuple[int, int]) -> str:
    return " ".join(map(str, costs))


def random_walk(random: Random, *, entry_first: bool = False) -> Walk:
    """A function that returns within some hundred steps, and its recorded walks."""
    while True:
        program = _program(random)
        plain = [row.address for row in program]
        walk = Walk(program, plain[0] if entry_first else random.choice(plain))
        if all(_walk_once(walk, random) for _ in range(WALKS)):
            return walk


def _program(random: Random) -> list[Instruction]:
    sizes = [random.randint(1, 7) for _ in range(random.randint(3, 40))]
    address, positions = 0x1000, []
    for size in sizes:
        address += random.choice([0] * 19 + [3, 100])  # a gap now and then
        positions.append((address, size))
        address += size
    chosen = [InstructionKind.PLAIN] * 6 + [
        InstructionKind.CALL,
        InstructionKind.JUMP,
        InstructionKind.BRANCH,
        InstructionKind.BRANCH,
        InstructionKind.RETURN,
    ]
    program = []
    for position, size in positions:
        kind, targets = random.choice(chosen), ()
        if kind in (InstructionKind.JUMP, InstructionKind.BRANCH):
            several = kind == InstructionKind.JUMP and random.random() < 0.4
            among = sorted({random.choice(positions)[0] for _ in range(3 if several else 1)})
            targets = tuple(among)
        program.append(Instruction(position, size, kind, targets))
    return program


def _walk_once(walk: Walk, random: Random) -> bool:
    """Walk once; return whether the walk ended in a return, and not in a gap."""
    here, at = walk.entry, walk.at
    for _ in range(_MOST_STEPS):
        row = at[here]
        walk.executed[here] += 1
        if row.kind == InstructionKind.RETURN:
            return True
        jumps = row.kind == InstructionKind.JUMP or (
            row.kind == InstructionKind.BRANCH and random.random() < 0.5
        )
        there = random.choice(row.targets) if jumps else row.end
        if there not in at:
            return False
        walk.steps[here, there] += 1
        walk.jumps[here, there] += jumps
        here = there
    return False
