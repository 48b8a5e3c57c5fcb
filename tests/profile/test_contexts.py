"""Contexts: preorder, sums over stacks, recursion counted once, and the tables that follow.

Each rule is compared with the same sum formed stack by stack, over random trees.
"""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from qcachegrind_py.profile.contexts import Contexts, contexts_in_preorder, tables_of_contexts
from qcachegrind_py.profile.tables import Functions

Step = tuple[int, int, int]  # function, line, address
_FUNCTIONS = 5


def _random_contexts(seed: int) -> tuple[Contexts, list[tuple[Step, ...]]]:
    """Return contexts whose rows were shuffled below their parents, and the path to each row."""
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 60))
    parent = np.array([random.integers(-1, row) if row else -1 for row in range(count)], np.int32)
    root = [row if above < 0 else above for row, above in enumerate(parent.tolist())]
    for row in range(count):
        root[row] = root[root[row]]
    contexts = contexts_in_preorder(
        parent,
        random.integers(0, _FUNCTIONS, count).astype(np.int32),
        random.integers(0, 3, count).astype(np.int32),
        random.integers(0, 2, count).astype(np.uint64),
        (np.array(root) % 2).astype(np.int32),
        random.integers(0, 9, (2, count)),
    )
    paths: list[tuple[Step, ...]] = []
    for row, above in enumerate(contexts.parent.tolist()):
        assert contexts.address is not None
        place = contexts.function[row], contexts.line[row], contexts.address[row]
        step = tuple(map(int, place))
        paths.append((*(paths[above] if above >= 0 else ()), (step[0], step[1], step[2])))
    return contexts, paths


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_in_preorder_with_the_end_of_what_is_below(seed: int) -> None:
    contexts, paths = _random_contexts(seed)
    for row, above in enumerate(contexts.parent.tolist()):
        assert above < row
        below = [other for other in range(len(paths)) if _is_at_or_below(contexts, other, row)]
        assert below == list(range(row, int(contexts.end[row])))


def _is_at_or_below(contexts: Contexts, row: int, above: int) -> bool:
    while row > above:
        row = int(contexts.parent[row])
    return row == above


def test_siblings_keep_their_order() -> None:
    none = np.zeros(6, np.int32)
    contexts = contexts_in_preorder(
        np.array([-1, -1, 0, 1, 0, 2], np.int32),
        np.array([0, 1, 2, 3, 4, 5], np.int32),
        none,
        None,
        none,
        np.zeros((1, 6), np.int64),
    )
    assert contexts.function.tolist() == [0, 2, 5, 4, 1, 3]
    assert contexts.parent.tolist() == [-1, 0, 1, 0, -1, 4]
    assert contexts.end.tolist() == [4, 3, 3, 4, 6, 6]


@pytest.mark.parametrize("seed", range(40))
def test_a_function_costs_what_all_stacks_cost_that_contain_it(seed: int) -> None:
    contexts, paths = _random_contexts(seed)
    counted = contexts.are_outermost(contexts.function.astype(np.int64))
    expected = Counter[int]()
    for path, cost in zip(paths, contexts.values[1].tolist(), strict=True):
        expected.update(dict.fromkeys({function for function, _, _ in path}, cost))
    costs = Counter[int]()
    for row in np.flatnonzero(counted).tolist():
        costs[int(contexts.function[row])] += int(contexts.stack_values[1, row])
    assert costs == expected


@pytest.mark.parametrize("seed", range(40))
def test_tables_have_the_self_costs_and_calls_of_all_stacks(seed: int) -> None:
    contexts, paths = _random_contexts(seed)
    none = np.zeros(_FUNCTIONS, np.int32)
    functions = Functions(none, np.arange(_FUNCTIONS, dtype=np.int32), none)
    runs, costs, calls = tables_of_contexts(contexts, functions)

    expected_costs, expected_calls = Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
    for path, part, cost in zip(
        paths, contexts.part.tolist(), contexts.values[0].tolist(), strict=True
    ):
        expected_costs[part, *path[-1]] += cost
        sites = {(caller, called[0]) for caller, called in itertools.pairwise(path)}
        for (caller, line, address), callee in sites:
            expected_calls[part, caller, callee, line, address] += cost

    assert costs.address is not None
    assert calls.address is not None
    lengths = np.diff(runs.start)
    found = zip(
        np.repeat(runs.part, lengths).tolist(),
        np.repeat(runs.function, lengths).tolist(),
        costs.line.tolist(),
        np.asarray(costs.address).tolist(),
        costs.values[0].tolist(),
        strict=True,
    )
    assert {tuple(place): cost for *place, cost in found if cost} == +expected_costs
    assert np.array_equal(runs.file, runs.function)

    rows = zip(
        calls.part.tolist(),
        calls.caller.tolist(),
        calls.callee.tolist(),
        calls.line.tolist(),
        calls.address.tolist(),
        calls.values[0].tolist(),
        strict=True,
    )
    assert {tuple(site): cost for *site, cost in rows} == expected_calls
    assert np.array_equal(calls.file, calls.caller)
    assert not calls.count.any()
