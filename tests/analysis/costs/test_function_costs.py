"""Self and inclusive cost, call counts and cycles, against values computed by hand and slowly."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import Phase, assume, given, settings

import qcachegrind_py as q
from qcachegrind_py.analysis.costs.function_costs import function_costs
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import HalvedColumn
from tests.analysis import reference_costs
from tests.formats.callgrind import reference_reader
from tests.formats.callgrind.generated_profiles import profiles
from tests.profile_rows import DATA, cost_table, function_rows, profile_from
from tests.profile_text import profile_text

Row = tuple[list[int], list[int], int]


def wrapped(costs: list[int]) -> list[int]:
    """Sums modulo 2^64, as signed numbers: the limit of exactness."""
    return [(cost + 2**63) % 2**64 - 2**63 for cost in costs]


def rows_of(profile: Profile, *, cycles: bool) -> dict[reference_reader.Function, Row]:
    """Costs by function, without functions that have none."""
    costs = function_costs(profile, cycles=cycles)
    rows = {
        function: (
            costs.self_cost[:, row].tolist(),
            costs.inclusive[:, row].tolist(),
            int(costs.called[row]),
        )
        for row, function in enumerate(function_rows(profile))
    }
    return {function: row for function, row in rows.items() if any(map(any, row[:2])) or row[2]}


def reference_rows(
    reading: reference_reader.Reading, *, cycles: bool
) -> dict[reference_reader.Function, Row]:
    found = reference_costs.function_costs(reading, with_cycles=cycles)
    rows = {
        function: (
            wrapped(costs.self_costs),
            wrapped(costs.inclusive),
            wrapped([costs.called])[0],
        )
        for function, costs in found.items()
    }
    return {function: row for function, row in rows.items() if any(map(any, row[:2])) or row[2]}


def cycles_of(profile: Profile) -> set[frozenset[reference_reader.Function]]:
    members = defaultdict(set)
    for function, cycle in zip(
        function_rows(profile), function_costs(profile).cycle.tolist(), strict=True
    ):
        members[cycle].add(function)
    return {frozenset(found) for cycle, found in members.items() if cycle}


# without shrinking, which takes minutes here: the scanner's test shrinks what is wrong in reading
@pytest.mark.slow
@pytest.mark.interpreted
@settings(
    max_examples=75 if COMPILED else 25,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(profiles())
def test_generated_profiles_cost_what_the_slow_computation_says(data: bytes) -> None:
    """Every function of a generated profile has the costs, count and cycle of the reference."""
    reading = reference_reader.in_part_order(reference_reader.read(data))
    # a sum of counts beyond 64 bits decides nothing that could be told
    assume(sum(abs(call.call_count) for call in reading.calls) < 2**63)
    profile = profile_from(data)
    for cycles in (True, False):
        assert reference_rows(reading, cycles=cycles) == rows_of(profile, cycles=cycles)
    assert set(map(frozenset, reference_costs.cycles(reading))) == cycles_of(profile)


@pytest.mark.parametrize(
    "name",
    ["ruby-prof/callgrind.out.7234", "yappi/callgrind.out.yappi", "latin1/callgrind.out.22456"],
)
def test_a_real_profile_costs_what_the_slow_computation_says(name: str) -> None:
    """Every function of a real profile has the costs, count and cycle of the reference."""
    reading = reference_reader.read((DATA / name).read_bytes())
    profile = q.load(DATA / name)
    for cycles in (True, False):
        assert reference_rows(reading, cycles=cycles) == rows_of(profile, cycles=cycles)
    assert set(map(frozenset, reference_costs.cycles(reading))) == cycles_of(profile)


def test_a_called_function_costs_what_its_calls_cost() -> None:
    """The inclusive cost of a called function is the sum over its calls, not over its lines."""
    profile = profile_from(
        profile_text("""
        main 10 -> work 2x300
        work 100 -> leaf 4x150
        leaf 150
        """)
    )
    assert cost_table(profile) == {
        "main": (10, 310, 0),
        "work": (100, 300, 2),
        "leaf": (150, 150, 4),
    }


def test_direct_recursion_is_no_cycle_and_counts_once() -> None:
    """A recursive call counts as a call, but not towards the inclusive cost."""
    profile = profile_from(
        profile_text("""
        main 10 -> fib 1x100
        fib 100 -> fib 7x600
        """)
    )
    assert cost_table(profile) == {"main": (10, 110, 0), "fib": (100, 100, 8)}
    assert function_costs(profile).cycle.tolist() == [0, 0]


def test_a_root_that_only_calls_itself() -> None:
    """It has at least its self cost; KCachegrind gives 0."""
    profile = profile_from("events: Ir\nfn=f\n1 5\ncfn=f\ncalls=3 1\n1 40\ncfn=g\ncalls=1 1\n1 2\n")
    assert cost_table(profile) == {"f": (5, 7, 3), "g": (0, 2, 1)}


def test_members_of_a_cycle() -> None:
    """A member has its self cost and the cost of the calls that leave the cycle."""
    drawing = profile_text("""
        main 1 -> a 1x100
        a 20 -> b 5x70
        b 30 -> a 4x60, leaf 1x50
        leaf 50
        """)
    profile = profile_from(drawing)
    assert cost_table(profile) == {
        "main": (1, 101, 0),
        "a": (20, 20, 5),
        "b": (30, 80, 5),
        "leaf": (50, 50, 1),
    }
    assert function_costs(profile).cycle.tolist() == [0, 1, 1, 0]
    assert cost_table(profile, cycles=False) == {
        "main": (1, 101, 0),
        "a": (20, 160, 5),
        "b": (30, 70, 5),
        "leaf": (50, 50, 1),
    }


def test_a_call_from_one_cycle_into_another() -> None:
    """Such a call leaves the cycle: its cost counts for the calling member."""
    profile = profile_from(
        profile_text("""
        a 1 -> b 1x50
        b 2 -> a 1x40, c 1x30
        c 10 -> d 1x20
        d 20 -> c 1x5
        """)
    )
    assert function_costs(profile).cycle.tolist() == [1, 1, 2, 2]
    assert cost_table(profile) == {
        "a": (1, 1, 1),
        "b": (2, 32, 1),
        "c": (10, 10, 2),
        "d": (20, 20, 1),
    }


PARTS = profile_text("""
    part: 1
    events: Ir Dr
    main 10,1 -> work 1x90,9
    work 90,9
    part: 2
    events: Ir
    work 40
    part: 3
    events: Dr Ir
    main 2,20 -> work 3x5,50
    work 5,50
    """)


def test_inclusive_cost_is_summed_over_parts_each_by_its_own_calls() -> None:
    """In part 2 nobody called `work`: there its inclusive cost is its self cost."""
    costs = function_costs(profile_from(PARTS))
    assert costs.self_cost.tolist() == [[30, 180], [3, 14]]
    assert costs.inclusive.tolist() == [[170, 180], [17, 14]]
    assert costs.called.tolist() == [0, 4]
    assert costs.totals.tolist() == [210, 17]


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        ({0}, ([[10, 90], [1, 9]], [[100, 90], [10, 9]], [0, 1])),
        ({1}, ([[0, 40], [0, 0]], [[0, 40], [0, 0]], [0, 0])),
        ({0, 2}, ([[30, 140], [3, 14]], [[170, 140], [17, 14]], [0, 4])),
        ({1, 2}, ([[20, 90], [2, 5]], [[70, 90], [7, 5]], [0, 3])),
        (set(), ([[0, 0], [0, 0]], [[0, 0], [0, 0]], [0, 0])),
    ],
)
def test_active_parts(parts: set[int], wanted: tuple[object, ...]) -> None:
    """Only the active parts are counted."""
    costs = function_costs(profile_from(PARTS), parts=frozenset(parts))
    assert wanted == (
        costs.self_cost.tolist(),
        costs.inclusive.tolist(),
        costs.called.tolist(),
    )


def test_a_choice_of_parts_costs_what_these_files_alone_cost() -> None:
    """Inactive parts leave no trace, as if they had not been loaded."""
    paths = [DATA / "separate-threads" / f"callgrind.out.22265-0{n}" for n in (1, 2, 3)]
    together = q.load(*paths)
    for chosen in ({0}, {1}, {2}, {0, 2}, {1, 2}):
        alone = q.load(*(paths[index] for index in sorted(chosen)))
        costs = function_costs(together, parts=frozenset(chosen))
        rows = {
            function: (
                costs.self_cost[:, row].tolist(),
                costs.inclusive[:, row].tolist(),
                int(costs.called[row]),
            )
            for row, function in enumerate(function_rows(together))
            if costs.inclusive[:, row].any() or costs.called[row]
        }
        assert rows_of(alone, cycles=True) == rows


def test_cycles_of_the_active_parts_only() -> None:
    """A call back in an inactive part closes no cycle."""
    profile = profile_from(
        "part: 1\nevents: Ir\nfn=a\n1 5\ncfn=b\ncalls=1 1\n1 7\n"
        "part: 2\nevents: Ir\nfn=b\n1 7\ncfn=a\ncalls=1 1\n1 3\n"
    )
    assert function_costs(profile).cycle.tolist() == [1, 1]
    assert function_costs(profile, parts=frozenset({0})).cycle.tolist() == [0, 0]


# main calls a at 100, at most; a calls b at 40, b calls a back at 12 and c at 20, which calls b
CUT = profile_text("""
    events: Ir Dr
    main 1,1 -> a 1x60,1, a 1x40,1
    a 1,1 -> b 1x40,90
    b 1,1 -> a 1x12,90, c 1x20,1
    c 1,1 -> b 1x8,90
    """)


@pytest.mark.parametrize(
    ("cut", "cycle"),
    [
        # functions: main, a, b, c; the calls: a b at 40 of 100, b a at 12 and b c at 20 of 40,
        # c b at 8 of 20
        (0.0, [0, 1, 1, 1]),
        (0.3, [0, 1, 1, 1]),  # 12 of 40 is not less than that share
        (0.31, [0, 0, 1, 1]),
        (0.4, [0, 0, 1, 1]),
        (0.41, [0, 0, 0, 0]),
        (1.0, [0, 0, 0, 0]),
    ],
)
def test_cheap_calls_make_no_cycle(cut: float, cycle: list[int]) -> None:
    """A call below that share of its caller's costliest incoming call is ignored in the search.

    The first event decides, summed over call sites.
    """
    assert function_costs(profile_from(CUT), cut=cut).cycle.tolist() == cycle


def test_the_cut_only_looks_for_cycles() -> None:
    """An ignored call still costs and counts: with no cycle left, all is as without detection."""
    profile = profile_from(CUT)
    cut, off = function_costs(profile, cut=0.5), function_costs(profile, cycles=False)
    assert cut.inclusive.tolist() == off.inclusive.tolist()
    assert cut.called.tolist() == off.called.tolist() == [0, 3, 2, 1]


def test_a_caller_that_nobody_called_has_no_cut() -> None:
    """If the caller received no cost, no call is too cheap; direct recursion counts as received."""
    calls = "fn=a\n1 1\ncfn=b\ncalls=1 1\n1 {}\nfn=b\n1 1\ncfn=a\ncalls=1 1\n1 0\n"
    profile = profile_from("events: Ir\n" + calls.format(0))
    assert function_costs(profile, cut=1.0).cycle.tolist() == [1, 1]
    again = "cfn=a\ncalls=1 1\n1 50\n"
    profile = profile_from("events: Ir\n" + calls.format(9) + "fn=a\n" + again)
    assert function_costs(profile, cut=0.5).cycle.tolist() == [0, 0]


def test_the_cut_of_the_active_parts() -> None:
    """The costs of calls in inactive parts are ignored."""
    profile = profile_from(
        "part: 1\nevents: Ir\nfn=a\n1 5\ncfn=b\ncalls=1 1\n1 10\nfn=b\n1 1\n"
        "cfn=a\ncalls=1 1\n1 9\n"
        "part: 2\nevents: Ir\nfn=main\n1 7\ncfn=a\ncalls=1 1\n1 300\n"
    )
    assert function_costs(profile, cut=0.5).cycle.tolist() == [0, 0, 0]
    assert function_costs(profile, cut=0.5, parts=frozenset({0})).cycle.tolist() == [1, 1, 0]


def test_a_profile_of_nothing() -> None:
    """A profile without costs has functions without costs."""
    costs = function_costs(profile_from("events: Ir\n"))
    assert (costs.self_cost.shape, costs.totals.tolist()) == ((1, 0), [0])


def test_a_profile_without_events() -> None:
    """A header without `events:` has no events, and no costs."""
    costs = function_costs(profile_from("# callgrind format\nfn=f\n"))
    assert (costs.self_cost.shape, costs.totals.tolist()) == ((0, 0), [])


def test_answers_cannot_be_changed_in_the_profile() -> None:
    """A profile's columns are read-only, so that those who share it cannot change it."""
    profile = profile_from(PARTS)
    halves = profile.costs.values
    assert isinstance(halves, HalvedColumn)
    for column in (halves.low, profile.costs.line, profile.calls.count):
        with pytest.raises(ValueError, match="read-only"):
            column[...] = 0
