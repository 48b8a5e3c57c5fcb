"""Sums that must agree, on real profiles: whoever adds up what a view shows finds its total."""

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
from qcachegrind_py.analysis.costs.part_totals import part_totals
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.callgrind.scanner import COMPILED
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
def asked(name: str) -> ProfileQueries:
    """The questions to a file, or to all that a pattern means together."""
    return ProfileQueries(q.load(*sorted(DATA.glob(name))))


@pytest.fixture(autouse=True, scope="module")
def _forget() -> Iterator[None]:
    yield
    asked.cache_clear()


def some_parts(profile: Profile) -> list[frozenset[int] | None]:
    """All parts, and two choices by chance where there are several."""
    count = len(profile.parts)
    chance = random.Random(count)
    sizes = [chance.randrange(1, count) for _ in range(2)] if count > 1 else []
    return [None, *(frozenset(chance.sample(range(count), size)) for size in sizes)]


def is_called_wherever_it_occurs(profile: Profile) -> dict[Function, bool]:
    """Whether another function called it, and at least once, in each part that knows it."""
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
    """The costs in the list of callers sum up to the inclusive cost of a function.

    So they do where it was called in every part that knows it, and is not in a cycle, whose inner
    calls have no cost; its calls of itself are counted once, in the calls of others.
    """
    queries = asked(name)
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
    """Inclusive: the members' inclusive costs, which are their self costs and calls that leave."""
    queries = asked(name)
    costs, pairs = queries.costs(Scope()), queries.call_edges()
    of_function = costs.cycle[: queries.function_count]
    for number in range(1, len(costs.cycle) - queries.function_count + 1):
        entry = queries.function_count + number - 1
        members = of_function == number
        leaving = members[pairs.caller] & ~members[pairs.callee]
        entering = ~members[pairs.caller] & members[pairs.callee]
        own = costs.self_cost[:, : queries.function_count][:, members].sum(axis=1)
        inclusive = costs.inclusive[:, : queries.function_count][:, members].sum(axis=1)
        assert costs.self_cost[:, entry].tolist() == own.tolist()
        assert costs.inclusive[:, entry].tolist() == inclusive.tolist()
        spent = own + pairs.inclusive[:, leaving].sum(axis=1)
        assert costs.inclusive[:, entry].tolist() == spent.tolist()
        # as its list of callees and that of its callers show it
        callees, callers = queries.callees(entry, Scope()), queries.callers(entry, Scope())
        assert callees.values.sum(axis=1).tolist() == costs.inclusive[:, entry].tolist()
        assert callers.values.sum(axis=1).tolist() == pairs.inclusive[:, entering].sum(1).tolist()
        assert callers.count.sum() == costs.called[entry]


def test_there_are_cycles_among_the_files() -> None:
    """What is said of cycles is said of some: of large ones, of several in a file, of parts."""
    cycles = {name: int(asked(name).costs(Scope()).cycle.max(initial=0)) for name in FILES}
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
    """In the graph of functions and cycles each member is paid for by its cycle, and no call twice.

    What the rows of one caller cost together is its list of callees.
    """
    queries = asked(name)
    event = queries.events.all[0]
    for scope in SCOPES:
        graph, costs = queries.call_graph(event, scope), queries.costs(scope)
        for entry in range(len(costs.cycle)):
            callees = queries.callees(entry, scope)
            others = callees.node != entry
            cost = callees.cost(queries.events, event)
            assert graph.cost[graph.outgoing(entry)].sum() == cost[others].sum()
        for cycle in range(queries.function_count, len(costs.cycle)):
            assert graph.cost[graph.outgoing(cycle)].sum() == graph.inclusive[cycle]


@pytest.mark.slow
@each_file
def test_parts_sum_up_to_a_function(name: str) -> None:
    """Over the active parts, what the parts cost is what the function or cycle costs."""
    queries = asked(name)
    for parts in some_parts(queries.profile):
        active = sorted(range(len(queries.profile.parts)) if parts is None else parts)
        for cycles in (True, False):
            scope = Scope(parts, cycles)
            costs = queries.costs(scope)
            for entry in range(len(costs.cycle)):
                of_parts = queries.part_costs(entry, scope)
                for got, wanted in (
                    (of_parts.self_cost, costs.self_cost[:, entry]),
                    (of_parts.inclusive, costs.inclusive[:, entry]),
                    (of_parts.called, costs.called[entry]),
                ):
                    assert got[..., active].sum(axis=-1).tolist() == wanted.tolist(), entry


# without shrinking, which takes minutes here: the scanner's test shrinks what is wrong in reading
@pytest.mark.slow
@settings(
    max_examples=60 if COMPILED else 20,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(profiles(), st.sets(st.integers(0, 2), min_size=1), st.booleans())
def test_parts_sum_up_to_a_function_of_a_drawn_file(
    data: bytes, some: set[int], cycles: bool
) -> None:
    """So they do in any file, whatever its parts have in common."""
    queries = ProfileQueries(profile_from(data))
    # a sum of counts beyond 64 bits decides nothing that could be told
    assume(sum(map(abs, queries.profile.calls.count.tolist())) < 2**63)
    active = sorted(some & set(range(len(queries.profile.parts))))
    scope = Scope(frozenset(active), cycles)
    costs = queries.costs(scope)
    for entry in range(len(costs.cycle)):
        of_parts = queries.part_costs(entry, scope)
        assert (
            of_parts.self_cost[:, active].sum(axis=1).tolist(),
            of_parts.inclusive[:, active].sum(axis=1).tolist(),
            of_parts.called[active].sum(),
        ) == (
            costs.self_cost[:, entry].tolist(),
            costs.inclusive[:, entry].tolist(),
            costs.called[entry],
        )


@each_file
def test_parts_sum_up_to_the_total(name: str) -> None:
    """What the parts cost is what all functions cost, in every event, for every choice of parts."""
    queries = asked(name)
    profile, totals = queries.profile, part_totals(queries.profile)
    for parts in some_parts(profile):
        active = sorted(range(len(profile.parts)) if parts is None else parts)
        own = queries.costs(Scope(parts)).self_cost[:, : queries.function_count].sum(axis=1)
        assert totals[:, active].sum(axis=1).tolist() == own.tolist()
        counted = [queries.total(event, parts).counted for event in queries.events.measured]
        assert counted == own.tolist()
    rows = np.zeros_like(totals)
    for cost in cost_rows(profile):
        rows[:, cost.part] += cost.costs
    assert totals.tolist() == rows.tolist()


@each_file
@pytest.mark.parametrize("grouping", list(Grouping))
def test_groups_sum_up_to_the_total(grouping: Grouping, name: str) -> None:
    """No function is in two groups or in none: costs and counts of all groups are those of all."""
    queries = asked(name)
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
