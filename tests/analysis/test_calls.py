"""Calls by pair of caller and callee, and the neighbours of one function."""

from __future__ import annotations

from collections import defaultdict

import qcachegrind_py as q
from qcachegrind_py.analysis.call_pairs import CallPairs, call_pairs
from qcachegrind_py.analysis.neighbours import Neighbours, callees_of, callers_of
from qcachegrind_py.profile.profile import Profile
from tests.drawing import DATA, call_rows, functions, profile_of

DRAWING = """
    part: 1
    events: Ir Dr
    fn=main
    1 1
    cfn=work
    calls=2 1
    1 100 1
    cfn=leaf
    calls=5 1
    2 30 9
    cfn=work
    calls=1 1
    3 20 2
    fn=work
    1 50
    cfn=work
    calls=4 1
    1 60
    cfn=leaf
    calls=0 1
    2 7
    part: 2
    events: Dr Ir
    fn=other
    1 1 1
    cfn=leaf
    calls=1 1
    1 40 30
    """


def pairs_of(profile: Profile, pairs: CallPairs) -> dict[tuple[str, str], tuple[int, list[int]]]:
    names = [name for name, _file, _object in functions(profile)]
    return {
        (names[int(pairs.caller[row])], names[int(pairs.callee[row])]): (
            int(pairs.count[row]),
            pairs.inclusive[:, row].tolist(),
        )
        for row in range(len(pairs))
    }


def rows_of(profile: Profile, neighbours: Neighbours) -> list[tuple[str, int, int, int]]:
    """Name, cost, count and cost per call."""
    names = [name for name, _file, _object in functions(profile)]
    columns = (neighbours.cost, neighbours.count, neighbours.cost_per_call)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [
        (names[function], *row)
        for function, row in zip(neighbours.function.tolist(), rows, strict=True)
    ]


def number_of(profile: Profile, name: str) -> int:
    return [known for known, _file, _object in functions(profile)].index(name)


def test_calls_are_summed_over_their_sites() -> None:
    """A row a pair, with the counts and costs of all its call sites and parts."""
    profile = profile_of(DRAWING)
    assert pairs_of(profile, call_pairs(profile)) == {
        ("main", "work"): (3, [120, 3]),
        ("main", "leaf"): (5, [30, 9]),
        ("work", "work"): (4, [60, 0]),
        ("work", "leaf"): (0, [7, 0]),
        ("other", "leaf"): (1, [30, 40]),
    }


def test_pairs_are_in_order_of_the_caller_then_the_callee() -> None:
    """Whoever looks for the callees of one function finds them in one stretch."""
    pairs = call_pairs(profile_of(DRAWING))
    keys = list(zip(pairs.caller.tolist(), pairs.callee.tolist(), strict=True))
    assert keys == sorted(set(keys))


def test_pairs_of_active_parts() -> None:
    """Calls of parts that are not active are left out, and pairs without others with them."""
    profile = profile_of(DRAWING)
    assert pairs_of(profile, call_pairs(profile, frozenset({1}))) == {
        ("other", "leaf"): (1, [30, 40])
    }
    assert len(call_pairs(profile, frozenset())) == 0


def test_pairs_of_a_real_profile() -> None:
    """The pairs of a real profile are the sums of its calls."""
    profile = q.load(DATA / "recur-everything" / "callgrind.out.21921.xz")
    wanted: dict[tuple[object, object], list[int]] = defaultdict(
        lambda: [0] * (1 + len(profile.events.names))
    )
    for call in call_rows(profile):
        sums = wanted[call.caller, call.callee]
        sums[:] = [a + b for a, b in zip(sums, (call.call_count, *call.costs), strict=True)]
    pairs, known = call_pairs(profile), functions(profile)
    got = {
        (known[caller], known[callee]): [count, *pairs.inclusive[:, row].tolist()]
        for row, (caller, callee, count) in enumerate(
            zip(pairs.caller.tolist(), pairs.callee.tolist(), pairs.count.tolist(), strict=True)
        )
    }
    assert wanted == got
    assert len(got) == len(pairs)


def test_callers_costliest_first() -> None:
    """Callers with the cost they caused; an active call counts as one where cost is divided."""
    profile = profile_of(DRAWING)
    pairs, leaf = call_pairs(profile), number_of(profile, "leaf")
    ir, dr = profile.events.measured
    assert rows_of(profile, callers_of(leaf, pairs, profile.events, ir)) == [
        ("main", 30, 5, 6),
        ("other", 30, 1, 30),
        ("work", 7, 0, 7),
    ]
    assert rows_of(profile, callers_of(leaf, pairs, profile.events, dr)) == [
        ("other", 40, 1, 40),
        ("main", 9, 5, 1),
        ("work", 0, 0, 0),
    ]


def test_callees_costliest_first() -> None:
    """Callees with what was spent in them, the function itself included where it is recursive."""
    profile = profile_of(DRAWING)
    pairs, event = call_pairs(profile), profile.events.measured[0]
    assert rows_of(
        profile, callees_of(number_of(profile, "main"), pairs, profile.events, event)
    ) == [("work", 120, 3, 40), ("leaf", 30, 5, 6)]
    assert rows_of(
        profile, callees_of(number_of(profile, "work"), pairs, profile.events, event)
    ) == [("work", 60, 4, 15), ("leaf", 7, 0, 7)]
    assert (
        rows_of(profile, callees_of(number_of(profile, "leaf"), pairs, profile.events, event)) == []
    )


def test_neighbours_in_a_derived_event() -> None:
    """Costs of a derived event are computed for calls as for functions."""
    profile = profile_of("event: Sum = 2 Ir + Dr\n" + "\n".join(DRAWING.split("\n    ")))
    event = profile.events.find("Sum")
    assert event is not None
    assert rows_of(
        profile,
        callees_of(number_of(profile, "main"), call_pairs(profile), profile.events, event),
    ) == [("work", 243, 3, 81), ("leaf", 69, 5, 13)]


def test_neighbours_without_calls() -> None:
    """A profile without calls has no pairs, and nobody a neighbour."""
    profile = profile_of("events: Ir\nfn=f\n1 1\n")
    pairs, event = call_pairs(profile), profile.events.measured[0]
    assert len(pairs) == 0
    assert len(callers_of(0, pairs, profile.events, event)) == 0
    assert len(callees_of(0, pairs, profile.events, event)) == 0
