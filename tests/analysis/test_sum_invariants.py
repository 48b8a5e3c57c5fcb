"""Sums that must agree, on real profiles: the rows of each view add up to its total."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import qcachegrind_py as q
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.totals import part_totals
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.profile import Profile
from tests.formats.callgrind.generated_profiles import profiles
from tests.formats.callgrind.reference_reader import Function
from tests.profile_rows import DATA, call_rows, cost_rows, function_rows, profile_from

FILES = [
    "cachegrind/cachegrind.out.templ-O2.xz",
    "cachey-everything/callgrind.out.22151.xz",
    "control/callgrind.out.control.2",
    "gperf/callgrind.out.gperf-cpu",
    "latin1/callgrind.out.22456",
    "nytprof/callgrind.out.nytprof",
    "pprof-heap/callgrind.out.heap-alloc",
    "python/callgrind.out.python-default.xz",
    "recur-dumps/callgrind.out.21941.xz",
    "recur-everything/callgrind.out.21921.xz",
    "ruby-prof/callgrind.out.7234",
    "separate-threads/*-0?",
    "templ-callers/callgrind.out.21991.xz",
    "threads-combined-bb/callgrind.out.22283.xz",
    "toggle/callgrind.out.22360.2",
    "xdebug-append/cachegrind.out.append.xz",
    "xdebug-exit/cachegrind.out.5192",
    "yappi/callgrind.out.yappi",
]
SCOPES = [Scope(), Scope(cycles=False)]

each_file = pytest.mark.parametrize("name", FILES)


@cache
def load_queries(name: str) -> ProfileQueries:
    """The queries of a file, or of all files that match a pattern, merged."""
    return ProfileQueries(q.load(*sorted(DATA.glob(name))))


@pytest.fixture(autouse=True, scope="module")
def _clear_cache() -> Iterator[None]:
    yield
    load_queries.cache_clear()


def some_parts(profile: Profile) -> list[frozenset[int] | None]:
    """All parts, and two random selections if there are several."""
    count = len(profile.parts)
    chance = random.Random(count)
    sizes = [chance.randrange(1, count) for _ in range(2)] if count > 1 else []
    return [None, *(frozenset(chance.sample(range(count), size)) for size in sizes)]


def is_called_wherever_it_occurs(profile: Profile) -> dict[Function, bool]:
    """Whether another function called it, and at least once, in each part that contains it."""
    occurs: dict[Function, set[int]] = defaultdict(set)
    others: dict[Function, set[int]] = defaultdict(set)
    counts: dict[tuple[Function, int], int] = defaultdict(int)
    for cost in cost_rows(profile):
        occurs[cost.function].add(cost.part)
    for call in call_rows(profile):
        occurs[call.caller].add(call.part)
        occurs[call.callee].add(call.part)
        counts[call.callee, call.part] += call.call_count
        if call.caller != call.callee:
            others[call.callee].add(call.part)
    return {
        function: others[function] == parts and all(counts[function, part] > 0 for part in parts)
        for function, parts in occurs.items()
    }


@each_file
def test_callers_cost_what_the_function_costs(name: str) -> None:
    """The costs in the list of callers add up to the inclusive cost of a function.

    This holds if it was called in every part that contains it, and is not in a cycle, whose inner
    calls have no cost; its calls of itself are counted once, in the calls of others.
    """
    queries = load_queries(name)
    known = function_rows(queries.profile)
    called = is_called_wherever_it_occurs(queries.profile)
    compared = 0
    for scope in SCOPES:
        costs = queries.costs(scope)
        for function in range(queries.function_count):
            if costs.cycle[function] or not called.get(known[function], False):
                continue
            callers = queries.callers(function, scope)
            sums = callers.values[:, callers.node != function].sum(axis=1)
            assert sums.tolist() == costs.inclusive[:, function].tolist(), known[function]
            assert callers.count.sum() == costs.called[function]
            compared += 1
    assert compared > 0 or not queries.profile.calls.count.any()  # some tools count no calls


@each_file
def test_a_cycle_costs_what_its_members_cost(name: str) -> None:
    """Its inclusive cost is the self cost of its members plus the calls that leave the cycle."""
    queries = load_queries(name)
    costs, pairs = queries.costs(Scope()), queries.call_edges(Scope())
    of_function = costs.cycle[: queries.function_count]
    for number in range(1, len(costs.cycle) - queries.function_count + 1):
        node = queries.function_count + number - 1
        members = of_function == number
        leaving = members[pairs.caller] & ~members[pairs.callee]
        entering = ~members[pairs.caller] & members[pairs.callee]
        self_cost = costs.self_cost[:, : queries.function_count][:, members].sum(axis=1)
        inclusive = costs.inclusive[:, : queries.function_count][:, members].sum(axis=1)
        assert costs.self_cost[:, node].tolist() == self_cost.tolist()
        assert costs.inclusive[:, node].tolist() == inclusive.tolist()
        spent = self_cost + pairs.inclusive[:, leaving].sum(axis=1)
        assert costs.inclusive[:, node].tolist() == spent.tolist()
        # as in its list of callees and in that of its callers
        callees, callers = queries.callees(node, Scope()), queries.callers(node, Scope())
        assert callees.values.sum(axis=1).tolist() == costs.inclusive[:, node].tolist()
        assert callers.values.sum(axis=1).tolist() == pairs.inclusive[:, entering].sum(1).tolist()
        assert callers.count.sum() == costs.called[node]


def test_there_are_cycles_among_the_files() -> None:
    """The files include large cycles, several cycles in one file, and cycles of parts."""
    cycles = {name: int(load_queries(name).costs(Scope()).cycle.max(initial=0)) for name in FILES}
    assert {name.split("/")[0] for name, count in cycles.items() if count} >= {
        "python",
        "recur-dumps",
        "ruby-prof",
        "xdebug-append",
        "yappi",
    }
    assert max(cycles.values()) > 1


@each_file
def test_what_a_function_calls_and_its_self_cost(name: str) -> None:
    """In the call graph each member is paid for by its cycle, and no call counts twice.

    The rows of one caller have the same cost as its list of callees.
    """
    queries = load_queries(name)
    event = queries.events.all[0]
    for scope in SCOPES:
        graph, costs = queries.call_graph(event, scope), queries.costs(scope)
        for node in range(len(costs.cycle)):
            callees = queries.callees(node, scope)
            others = callees.node != node
            cost = callees.cost(queries.events, event)
            assert graph.cost[graph.outgoing(node)].sum() == cost[others].sum()
        for cycle in range(queries.function_count, len(costs.cycle)):
            assert graph.cost[graph.outgoing(cycle)].sum() == graph.inclusive[cycle]


@pytest.mark.slow
@each_file
def test_parts_sum_up_to_a_function(name: str) -> None:
    """Over the active parts, the costs per part add up to the cost of the function or cycle."""
    queries = load_queries(name)
    for parts in some_parts(queries.profile):
        active = sorted(range(len(queries.profile.parts)) if parts is None else parts)
        for cycles in (True, False):
            scope = Scope(parts, cycles)
            costs = queries.costs(scope)
            for node in range(len(costs.cycle)):
                of_parts = queries.part_costs(node, scope)
                for got, wanted in (
                    (of_parts.self_cost, costs.self_cost[:, node]),
                    (of_parts.inclusive, costs.inclusive[:, node]),
                    (of_parts.called, costs.called[node]),
                ):
                    assert got[..., active].sum(axis=-1).tolist() == wanted.tolist(), node


# without shrinking, which takes minutes here: the scanner's test shrinks reading errors
@pytest.mark.slow
@settings(
    max_examples=30,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(profiles(), st.sets(st.integers(0, 2), min_size=1), st.booleans())
def test_parts_sum_up_to_a_function_of_a_generated_file(
    data: bytes, some: set[int], cycles: bool
) -> None:
    """The same holds for any file, whatever its parts have in common."""
    queries = ProfileQueries(profile_from(data))
    # a sum of counts beyond 64 bits decides nothing that could be told
    assume(sum(map(abs, queries.profile.calls.count.tolist())) < 2**63)
    active = sorted(some & set(range(len(queries.profile.parts))))
    scope = Scope(frozenset(active), cycles)
    costs = queries.costs(scope)
    for node in range(len(costs.cycle)):
        of_parts = queries.part_costs(node, scope)
        assert (
            of_parts.self_cost[:, active].sum(axis=1).tolist(),
            of_parts.inclusive[:, active].sum(axis=1).tolist(),
            of_parts.called[active].sum(),
        ) == (
            costs.self_cost[:, node].tolist(),
            costs.inclusive[:, node].tolist(),
            costs.called[node],
        )


@each_file
def test_parts_sum_up_to_the_total(name: str) -> None:
    """The parts' costs add up to those of all functions, in every event and for every selection."""
    queries = load_queries(name)
    profile, totals = queries.profile, part_totals(queries.profile)
    for parts in some_parts(profile):
        active = sorted(range(len(profile.parts)) if parts is None else parts)
        self_cost = queries.costs(Scope(parts)).self_cost[:, : queries.function_count].sum(axis=1)
        assert totals[:, active].sum(axis=1).tolist() == self_cost.tolist()
        counted = [queries.total(event, parts).counted for event in queries.events.measured]
        assert counted == self_cost.tolist()
    rows = np.zeros_like(totals)
    for cost in cost_rows(profile):
        rows[:, cost.part] += cost.costs
    assert totals.tolist() == rows.tolist()


@each_file
@pytest.mark.parametrize("grouping", list(Grouping))
def test_groups_sum_up_to_the_total(grouping: Grouping, name: str) -> None:
    """Each function is in exactly one group: costs and counts of all groups add up to the total."""
    queries = load_queries(name)
    for parts in some_parts(queries.profile):
        for cycles in (True, False):
            scope = Scope(parts, cycles)
            groups, costs = queries.groups(grouping, scope), queries.costs(scope)
            assert len(groups.group_of_node) == len(costs.cycle)
            sums = groups.sums(costs.self_cost, queries.function_count)
            wanted = costs.self_cost[:, : queries.function_count].sum(axis=1)
            assert sums.sum(axis=1).tolist() == wanted.tolist()
            assert groups.counts(None, queries.function_count).sum() == queries.function_count
            for event in queries.events.all:  # whole coefficients: nothing is rounded
                of_groups = queries.group_costs(grouping, event, scope)
                assert of_groups.sum() == queries.total(event, parts).counted
            shown = np.arange(len(costs.cycle)) % 3 == 1
            counts = groups.counts(shown, queries.function_count)
            assert counts.sum() == shown[: queries.function_count].sum()
