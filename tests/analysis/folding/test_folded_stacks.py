"""Folding of recorded stacks, compared with what is left of each known stack."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.folding.fold import fold_functions
from qcachegrind_py.analysis.queries import ProfileQueries
from tests.known_stacks import (
    EVENTS,
    NAMES,
    KnownStack,
    call_costs,
    inclusive_costs,
    profile_of,
    random_stacks,
    self_costs,
)


def _folded(stack: KnownStack, folded: str) -> KnownStack:
    outermost, *others = stack.functions
    return stack._replace(functions=(outermost, *(name for name in others if name not in folded)))


@pytest.mark.parametrize("folded", ["b", "ac", "abcde"])
@pytest.mark.parametrize("seed", range(20))
def test_folded_functions_are_taken_out_of_each_stack(seed: int, folded: str) -> None:
    stacks, scope = random_stacks(seed, 2), Scope()
    left = [_folded(stack, folded) for stack in stacks]
    charged = [  # those that end in a folded function, with what is above it
        after
        for before, after in zip(stacks, left, strict=True)
        if before.functions[-1] in folded and len(before.functions) > 1
    ]
    profile = profile_of(stacks)
    folding = fold_functions(profile, np.array([name in folded for name in NAMES]))

    queries = ProfileQueries(folding.profile)
    edges = queries.call_edges(scope)
    calls = [
        (NAMES[caller], NAMES[callee])
        for caller, callee in zip(edges.caller.tolist(), edges.callee.tolist(), strict=True)
    ]
    assert set(calls) == {call for stack in left for call in stack.calls()}
    for number, event in enumerate(queries.events.measured):
        own, whole, along, added = (
            sums(each, number)
            for sums, each in (
                (self_costs, left),
                (inclusive_costs, left),
                (call_costs, left),
                (self_costs, charged),
            )
        )
        assert queries.self_cost(event, scope).tolist() == [own[name] for name in NAMES]
        assert queries.inclusive(event, scope).tolist() == [whole[name] for name in NAMES]
        assert dict(zip(calls, edges.inclusive[number].tolist(), strict=True)) == {
            call: along[call] for call in calls
        }
        assert folding.charged(None)[number].tolist() == [added[name] for name in NAMES]

    occurring = {name for stack in left for name in stack.functions}
    assert folding.is_folded.tolist() == [n in folded and n not in occurring for n in NAMES]
    assert folding.remains.tolist() == [n in folded and n in occurring for n in NAMES]
    assert not folding.is_estimated(None).any()
    assert np.array_equal(
        folding.profile.costs.values.sum(axis=1),
        [sum(stack.costs[number] for stack in stacks) for number in range(len(EVENTS))],
    )
