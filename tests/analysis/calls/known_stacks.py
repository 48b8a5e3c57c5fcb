"""Programs whose every stack is known, as plain lists, and the profiles of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.profile.profile import Profile

FUNCTIONS = "abcdef"

Path = tuple[str, ...]
Stack = tuple[int, Path, tuple[int, int]]  # part, functions from the outermost on, two costs


def random_stacks(seed: int, parts: int = 3) -> list[Stack]:
    """Return stacks of few functions, so that many of them recur on a stack or on several."""
    random = np.random.default_rng(seed)
    stacks = list[Stack]()
    for _ in range(int(random.integers(1, 40))):
        path = tuple(FUNCTIONS[at] for at in random.integers(0, 6, int(random.integers(1, 8))))
        part, first, second = (int(random.integers(0, most)) for most in (parts, 9, 5))
        stacks.append((part, path, (first, second)))
    return stacks


def profile_of(stacks: Iterable[Stack], parts: int = 3) -> Profile:
    """Return the profile; lines differ where a function is the last one of a stack."""
    builder = StackBuilder("stacks", "test")
    builder.event("samples", "")
    builder.event("bytes", "")
    handles = [builder.part(f"thread {number}") for number in range(parts)]
    for part, path, costs in stacks:
        context = handles[part]
        for depth, name in enumerate(path, start=1):
            frame = builder.frame(builder.function(name, "", ""), 1 + (depth == len(path)))
            context = builder.child(context, frame)
        builder.add(context, *costs)
    return builder.profile()


def paths_down(path: Path, root: str = "") -> Iterator[Path]:
    """Yield the path of a stack to each of its functions, from the first `root` on."""
    if root in (*path, ""):
        begun = path[path.index(root) if root else 0 :]
        yield from (begun[:length] for length in range(1, len(begun) + 1))


def paths_up(path: Path, root: str = "") -> Iterator[Path]:
    """Yield the paths from the last function of a stack, or the first `root`, to its callers."""
    if root in (*path, ""):
        begun = path[: path.index(root) + 1] if root else path
        yield from (begun[-length:][::-1] for length in range(1, len(begun) + 1))


def costs_of_paths(
    stacks: Iterable[Stack], root: str = "", *, up: bool, event: int = 0, parts: Iterable[int]
) -> dict[Path, int]:
    """Return what each path of a tree costs, without those that cost nothing."""
    costs, chosen = Counter[Path](), set(parts)
    for part, path, cost in stacks:
        if part in chosen:
            for place in (paths_up if up else paths_down)(path, root):
                costs[place] += cost[event]
    return dict(+costs)
