"""Random programs whose every call is known: their profiles, and what is true of folded ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.profile import Profile

EVENTS = 2


@dataclass
class Recording:
    """What a profiler records: costs by function and line, calls by caller, line and callee."""

    lines: dict[tuple[str, int], list[int]] = field(default_factory=dict)
    calls: dict[tuple[str, int, str], list[int]] = field(default_factory=dict)
    counts: Counter[tuple[str, int, str]] = field(default_factory=Counter)

    def spend(self, function: str, line: int, costs: list[int]) -> None:
        _add(self.lines, (function, line), costs)

    def call(self, caller: str, line: int, callee: str, costs: list[int]) -> None:
        _add(self.calls, (caller, line, callee), costs)
        self.counts[caller, line, callee] += 1

    def text(self) -> str:
        """The recording in the Callgrind format."""
        functions = dict.fromkeys([*(f for f, _ in self.lines), *(f for f, _, _ in self.calls)])
        text = ["events: Ir Dr", "creator: callgrind-x", ""]
        for function in functions:
            text += ["fl=a.c", f"fn={function}"]
            text += [
                f"{line} {' '.join(map(str, costs))}"
                for (spender, line), costs in self.lines.items()
                if spender == function
            ]
            for (caller, line, callee), costs in self.calls.items():
                if caller == function:
                    count = self.counts[caller, line, callee]
                    text += [f"cfn={callee}", f"calls={count} 1"]
                    text.append(f"{line} {' '.join(map(str, costs))}")
        return "\n".join(text) + "\n"


def _add(table: dict[tuple, list[int]], key: tuple, costs: list[int]) -> None:
    before = table.setdefault(key, [0] * EVENTS)
    table[key] = [a + b for a, b in zip(before, costs, strict=True)]


@dataclass(frozen=True)
class Program:
    """For each function the lines that call, with the function called."""

    call_sites: dict[str, list[tuple[int, str]]]

    def run(
        self, random: Random, folded: frozenset[str], steps: int
    ) -> tuple[Recording, Recording]:
        """Run it; return what is recorded, and what would be if the folded functions did not exist.

        Their costs are then those of the lines that called them, and calls by them are calls by
        these lines.
        """
        plain, without = Recording(), Recording()
        left = [steps]

        def enter(function: str, shown: tuple[str, int] | None, depth: int) -> list[int]:
            is_shown = function not in folded
            total = [0] * EVENTS
            for line, callee in [(1, ""), *self.call_sites[function]]:
                costs = [random.randrange(100), random.choice([0, 3])]
                place = (function, line) if is_shown else shown
                plain.spend(function, line, costs)
                assert place is not None
                without.spend(*place, costs)
                total = [a + b for a, b in zip(total, costs, strict=True)]
                if callee and left[0] > 0 and depth < 12 and random.random() < 0.7:
                    left[0] -= 1
                    inner = enter(callee, place, depth + 1)
                    plain.call(function, line, callee, inner)
                    if callee not in folded:
                        without.call(*place, callee, inner)
                    total = [a + b for a, b in zip(total, inner, strict=True)]
            return total

        enter("main", None, 0)
        return plain, without


def random_program(random: Random, functions: int) -> Program:
    """A program in which each function has up to three call sites, recursion among them."""
    names = ["main", *(f"f{n}" for n in range(1, functions))]
    return Program(
        {
            name: [(10 + n, random.choice(names[1:])) for n in range(random.randrange(4))]
            for name in names
        }
        | {"main": [(10 + n, random.choice(names[1:])) for n in range(4)]}
    )


def read(folder: Path, recording: Recording) -> Profile:
    """The profile of a recording."""
    path = folder / "callgrind.out.1"
    path.write_text(recording.text(), encoding="utf-8")
    return load(path)
