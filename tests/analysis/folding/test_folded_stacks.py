"""Folding of recorded stacks, compared with what is left of each known stack."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.function_costs import function_costs
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_folds
from qcachegrind_py.analysis.folding.fold import CallbackPairs, fold_functions
from qcachegrind_py.analysis.queries import FoldedQueries, ProfileQueries, with_folds
from qcachegrind_py.formats.stacks.builder import StackBuilder
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


def _calls_through(stacks: list[KnownStack], *names: str) -> dict[tuple[str, str], set[str]]:
    """Return the calls through functions that are taken out, and which of these are called."""
    found = dict[tuple[str, str], set[str]]()
    for stack in stacks:
        caller, through = stack.functions[0], ""
        for function in stack.functions[1:]:
            if function in names:
                through = through or function
                continue
            if through:
                found.setdefault((caller, function), set()).add(through)
            caller, through = function, ""
    return found


@pytest.mark.parametrize("seed", range(12))
def test_calls_through_folded_functions_name_one_that_is_called(seed: int) -> None:
    stacks = random_stacks(seed)
    pairs = CallbackPairs.of(
        fold_functions(profile_of(stacks), np.isin(np.array(NAMES), ("b", "c")))
    )
    expected = _calls_through(stacks, "b", "c")
    found = {
        (NAMES[key // len(NAMES)], NAMES[key % len(NAMES)]): NAMES[pairs.folded(row)]
        for row, key in enumerate(pairs.key.tolist())
    }
    assert found.keys() == expected.keys()
    assert all(through in expected[call] for call, through in found.items())
    assert pairs.is_exact.all()


def test_lines_are_charged_where_they_called() -> None:
    """A folded function's cost is that of the line of its caller."""
    builder = StackBuilder("known", "test")
    builder.event("samples")
    main, sort = builder.function("main"), builder.function("sort")
    part = builder.part()
    for line, count in ((5, 10), (7, 20)):
        above = builder.child(part, builder.frame(main, line))
        builder.add(above, 1)
        for called in (100, 101):
            builder.add(builder.child(above, builder.frame(sort, called)), count)
    folding = fold_functions(builder.profile(), np.array([False, True]))
    folded = folding.profile
    assert dict(zip(folded.costs.line.tolist(), folded.costs.values[0].tolist(), strict=True)) == {
        5: 21,
        7: 41,
    }
    assert len(folded.calls) == 0
    assert folding.estimated_lines(main, None).tolist() == []


def test_recursion_of_a_cycle_is_folded_exactly() -> None:
    """However many of its members are called from outside."""
    stacks = [
        KnownStack(0, ("a", "b", "c", "b", "d"), (5, 0)),
        KnownStack(0, ("e", "c", "b", "c"), (7, 0)),
    ]
    queries = with_folds(ProfileQueries(profile_of(stacks)), parse_folds("collapse:b"))
    assert isinstance(queries, FoldedQueries)
    shorter = [_folded(stack, "c") for stack in stacks]
    costs = function_costs(queries.profile)
    inclusive = inclusive_costs(shorter, 0)
    assert costs.inclusive[0].tolist() == [inclusive[name] for name in NAMES]
