"""Random programs of which every stack is known, and sums formed stack by stack.

A stack is a part, the functions from the outermost, and a cost for each event. Functions are few,
so that they call themselves and each other round.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.profile.profile import Profile

EVENTS = ("samples", "bytes")
NAMES = ("a", "b", "c", "d", "e")


class KnownStack(NamedTuple):
    """A stack that was sampled, with the costs at its end."""

    part: int
    functions: tuple[str, ...]
    costs: tuple[int, ...]

    def calls(self) -> set[tuple[str, str]]:
        return set(pairwise(self.functions))


def random_stacks(seed: int, parts: int = 1) -> list[KnownStack]:
    chance = random.Random(seed)
    return [
        KnownStack(
            chance.randrange(parts),
            tuple(chance.choices(NAMES, weights=(5, 3, 2, 1, 1), k=chance.randint(1, 7))),
            (chance.randint(0, 9), chance.randint(0, 5) * 100),
        )
        for _ in range(chance.randint(1, 40))
    ]


def profile_of(stacks: Iterable[KnownStack]) -> Profile:
    """Return the profile of some stacks, in which functions have the order of `NAMES`."""
    builder = StackBuilder("known", "test")
    frames = {name: builder.frame(builder.function(name)) for name in NAMES}
    for event in EVENTS:
        builder.event(event)
    stacks = list(stacks)
    parts = [builder.part() for _ in range(1 + max((stack.part for stack in stacks), default=0))]
    for stack in stacks:
        context = parts[stack.part]
        for name in stack.functions:
            context = builder.child(context, frames[name])
        builder.add(context, *stack.costs)
    return builder.profile()


def self_costs(stacks: Iterable[KnownStack], event: int) -> Counter[str]:
    costs = Counter[str]()
    for stack in stacks:
        costs[stack.functions[-1]] += stack.costs[event]
    return costs


def inclusive_costs(stacks: Iterable[KnownStack], event: int) -> Counter[str]:
    """Return what all stacks cost that contain each function."""
    costs = Counter[str]()
    for stack in stacks:
        costs.update(dict.fromkeys(set(stack.functions), stack.costs[event]))
    return costs


def call_costs(stacks: Iterable[KnownStack], event: int) -> Counter[tuple[str, str]]:
    """Return what all stacks cost that contain each call."""
    costs = Counter[tuple[str, str]]()
    for stack in stacks:
        costs.update(dict.fromkeys(stack.calls(), stack.costs[event]))
    return costs


def halves(stacks: Iterable[KnownStack], function: str, *, up: bool) -> list[KnownStack]:
    """Return the stacks with a function: what is above its outermost call, or from there down."""
    found = []
    for stack in stacks:
        if function in stack.functions:
            place = stack.functions.index(function)
            part = stack.functions[:place] if up else stack.functions[place:]
            found.append(stack._replace(functions=part))
    return found
