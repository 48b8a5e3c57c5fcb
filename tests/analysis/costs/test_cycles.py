"""Recursion cycles on small call graphs: `a>b b>a` are two calls."""

from __future__ import annotations

import random

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.function_costs import find_cycles


def cycles_of(graph: str) -> dict[str, int]:
    """The cycle of each function; cycles are numbered in order of their first letter."""
    calls = [tuple(call.split(">")) for call in graph.split()]
    names = list(dict.fromkeys(name for call in calls for name in call))
    caller, callee = (np.array([names.index(call[i]) for call in calls], np.int32) for i in (0, 1))
    return dict(zip(names, find_cycles(caller, callee, len(names)).tolist(), strict=True))


@pytest.mark.parametrize(
    ("graph", "wanted"),
    [
        ("a>b", {"a": 0, "b": 0}),
        ("a>a", {"a": 0}),
        ("m>a a>a a>b", {"m": 0, "a": 0, "b": 0}),
        ("m>a a>b b>a b>c", {"m": 0, "a": 1, "b": 1, "c": 0}),
        ("a>b b>c c>a", {"a": 1, "b": 1, "c": 1}),
        # a figure eight: two rings that share one function are one cycle
        ("a>b b>a b>c c>b", {"a": 1, "b": 1, "c": 1}),
        # two rings with a one-way bridge stay two
        ("a>b b>a b>c c>d d>c", {"a": 1, "b": 1, "c": 2, "d": 2}),
        # the same calls from many sites are the same cycle
        ("a>b a>b b>a b>a b>a", {"a": 1, "b": 1}),
        # a diamond is no cycle
        ("m>a m>b a>c b>c", {"m": 0, "a": 0, "b": 0, "c": 0}),
        # a call back to the function at which the search starts (KCachegrind overlooks it)
        ("a>b b>c c>b c>a", {"a": 1, "b": 1, "c": 1}),
    ],
)
def test_small_graphs(graph: str, wanted: dict[str, int]) -> None:
    """A cycle is any strongly connected component of two functions or more."""
    assert cycles_of(graph) == wanted


def test_cycles_are_numbered_by_their_first_function() -> None:
    """Numbers start at 1 and follow the first member, whatever the order of the calls."""
    caller = np.array([5, 4, 3, 0, 2, 1], np.int32)
    callee = np.array([4, 5, 0, 3, 1, 2], np.int32)
    assert find_cycles(caller, callee, 7).tolist() == [1, 2, 2, 1, 3, 3, 0]


def test_no_calls() -> None:
    """Functions without calls, and an empty set of functions, are in no cycle."""
    nothing = np.zeros(0, np.int32)
    assert find_cycles(nothing, nothing, 3).tolist() == [0, 0, 0]
    assert find_cycles(nothing, nothing, 0).tolist() == []


@pytest.mark.parametrize("direction", [1, -1])
def test_a_deep_chain(direction: int) -> None:
    """A chain of 50,000 calls is followed without recursion, and is no cycle."""
    functions = np.arange(50_000, dtype=np.int32)[::direction]
    assert not find_cycles(functions[:-1], functions[1:], 50_000).any()


@pytest.mark.parametrize("direction", [1, -1])
def test_a_large_ring(direction: int) -> None:
    """A ring of 50,000 is one cycle."""
    functions = np.arange(50_000, dtype=np.int32)[::direction]
    assert (find_cycles(functions, np.roll(functions, -1), 50_000) == 1).all()


def test_a_deep_chain_that_returns() -> None:
    """Rings of two along a chain stay separate; a call from the end to the start joins them all."""
    down = np.arange(0, 49_999, dtype=np.int32)
    pairs = down[down % 2 == 0]
    caller, callee = np.concatenate((down, pairs + 1)), np.concatenate((down + 1, pairs))
    assert find_cycles(caller, callee, 50_000).tolist() == [1 + n // 2 for n in range(50_000)]
    ends = np.array([49_999, 0], np.int32)
    closed = np.append(caller, ends[:1]), np.append(callee, ends[1:])
    assert set(find_cycles(*closed, 50_000).tolist()) == {1}


def test_random_graphs() -> None:
    """Two functions share a cycle exactly if each can be reached from the other."""
    chance = random.Random(3)
    for _ in range(200):
        count = chance.randrange(1, 9)
        calls = [
            (chance.randrange(count), chance.randrange(count))
            for _ in range(chance.randrange(2 * count))
        ]
        reaches = [[a == b or (a, b) in calls for b in range(count)] for a in range(count)]
        for via in range(count):
            for a in range(count):
                for b in range(count):
                    reaches[a][b] |= reaches[a][via] and reaches[via][b]
        numbers: list[int] = []
        for a in range(count):
            others = [b for b in range(count) if reaches[a][b] and reaches[b][a]]
            first = min(others)
            new = max(numbers, default=0) + 1
            numbers.append(0 if others == [a] else new if first == a else numbers[first])
        caller, callee = (np.array([call[i] for call in calls], np.int32) for i in (0, 1))
        assert find_cycles(caller, callee, count).tolist() == numbers, calls
