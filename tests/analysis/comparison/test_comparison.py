"""Base and new side by side: the numbers, checked against the separate profiles."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.matching import How
from qcachegrind_py.analysis.costs.scope import BothSides, Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.events import EventType, UserEvent
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

BASE = profile_text("""
    cmd: ./prog 10
    desc: D1 cache: 32768 B
    events: Ir Dr
    summary: 130 10
    main@a.c 10,1 -> work 3x90,6, old 1x20,2
    work@a.c 90,6
    old@a.c 20,2
    """)
NEW = profile_text("""
    cmd: ./prog 20
    desc: D1 cache: 65536 B
    events: Dw Ir
    main@a.c 1,11 -> work 6x8,240, young 1x0,5
    work@a.c 8,240
    young@a.c 0,5
    """)


def comparison(base: str = BASE, new: str = NEW) -> Comparison:
    """The comparison of two profiles given as text."""
    return compare(profile_from(base), profile_from(new))


def event(compared: Comparison, name: str = "Ir") -> EventType:
    found = compared.queries.events.find(name)
    assert found is not None
    return found


def table(compared: Comparison, sides: BothSides) -> dict[str, tuple[int, int, int]]:
    """Base, new and change of each function by name."""
    columns = sides.base, sides.new, sides.change
    names = [compared.queries.profile.function_name(f) for f in range(len(compared.pairing))]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return dict(zip(names, rows, strict=False))


def test_costs_of_both_sides() -> None:
    """Each function has the costs of the separate profiles, and 0 where it does not occur."""
    compared = comparison()
    ir = event(compared)

    assert table(compared, compared.self_cost(ir)) == {
        "main": (10, 11, 1),
        "work": (90, 240, 150),
        "young": (0, 5, 5),
        "old": (20, 0, -20),
    }
    assert table(compared, compared.inclusive(ir)) == {
        "main": (120, 256, 136),
        "work": (90, 240, 150),
        "young": (0, 5, 5),
        "old": (20, 0, -20),
    }
    assert table(compared, compared.called) == {
        "main": (0, 0, 0),
        "work": (3, 6, 3),
        "young": (0, 1, 1),
        "old": (1, 0, -1),
    }
    assert (compared.in_base.tolist(), compared.in_new.tolist()) == (
        [True, True, False, True],
        [True, True, True, False],
    )


def test_totals_and_gross_change() -> None:
    """Each side has its total by its own rule; growth and shrinkage are the net change."""
    compared = comparison()
    base, new = compared.total(event(compared))
    gross = compared.gross_change(event(compared))

    assert ((base.counted, base.recorded), (new.counted, new.recorded)) == ((120, 130), (256, None))
    assert (gross.grown, gross.shrunk, gross.change) == (156, -20, 136)


def test_events_of_both_sides() -> None:
    """Events that one side did not measure cannot be compared, nor what is derived from them."""
    compared = comparison()

    assert [each.name for each in compared.events] == ["Ir"]
    assert (compared.only_base, compared.only_new) == (("Dr",), ("Dw",))
    ratios = [UserEvent("R", "", "Ir / Dr"), UserEvent("S", "", "T / Ir")]
    compared.queries.set_user_events([UserEvent("T", "", "2 Ir"), *ratios])
    assert [each.name for each in compared.events] == ["Ir", "T", "S"]


def test_what_differs_between_the_runs() -> None:
    """Command, events and caches, with both values."""
    found = [(each.what, each.base, each.new) for each in comparison().differences]

    assert found == [
        ("Command", "./prog 10", "./prog 20"),
        ("Events", "Ir Dr", "Dw Ir"),
        ("D1 cache", "32768 B", "65536 B"),
    ]
    assert comparison(BASE, BASE).differences == ()


def test_cycles_are_those_of_both_sides() -> None:
    """A function is in the same cycle on both sides, also where one side alone has none."""
    calls = "events: Ir\nfl=a.c\nfn=f\n1 1\ncfn=g\ncalls=1 1\n1 5\nfn=g\n1 5\n"
    back = "cfn=f\ncalls=1 1\n1 1\n"
    compared = comparison(calls, calls + back)
    ir = event(compared)

    for scope in (compared.base, compared.new):
        assert compared.queries.costs(scope).cycle.tolist() == [1, 1, 1]
    assert compared.self_cost(ir).base.tolist() == [1, 5, 6]


def test_a_function_of_the_other_side_is_not_running() -> None:
    """A count of 0 stands for a running call only on the side that has the call."""
    creator = "creator: callgrind-3\n"
    base = creator + "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=f\ncalls=0 1\n1 7\nfn=f\n1 7\n"
    new = creator + "events: Ir\nfl=a.c\nfn=main\n1 1\nfn=g\n1 1\n"
    compared = comparison(base, new)
    queries, names = compared.queries, ["main", "g", "f"]

    assert [queries.profile.function_name(f) for f in range(3)] == names
    assert queries.costs(compared.base).is_active.tolist() == [False, False, True]
    assert queries.costs(compared.new).is_active.tolist() == [False, False, False]
    for scope, active in ((compared.base, True), (compared.new, False)):
        callees = queries.callees(0, scope)
        assert callees.is_active.tolist() == [active]
        assert queries.call_graph(event(compared), scope).adjacency.is_active.tolist() == [active]


def test_costs_near_the_limit_are_exact() -> None:
    """A difference of two costs of 64 bits may need one more."""
    sides = [f"events: Ir\nfl=a.c\nfn=f\n1 {cost}\n" for cost in (2**63 - 1, 5)]
    grown, shrunk = comparison(sides[1], sides[0]), comparison(*sides)

    assert grown.self_cost(event(grown)).change.tolist() == [2**63 - 6]
    assert shrunk.self_cost(event(shrunk)).change.tolist() == [6 - 2**63]
    low = BothSides(np.array([-(2**63)]), np.array([2**63 - 1]))
    assert low.change.tolist() == [2**64 - 1]


def test_an_empty_base() -> None:
    """All functions are new, and the growth is the whole total."""
    compared = comparison("events: Ir\n", NEW)
    gross = compared.gross_change(event(compared))

    assert set(compared.pairing.how) == {How.NONE}
    assert (gross.base, gross.grown, gross.shrunk) == (0, 256, 0)


def test_sides_have_their_rows_in_common_with_both() -> None:
    """Costs are in memory once, as soon as the profiles that were compared are released."""
    base, new = load(DATA / TEMPLATES[1]), load(DATA / TEMPLATES[0])
    compared = compare(base, new)
    merged = compared.queries.profile

    for side, read in ((compared.base_profile, base), (compared.new_profile, new)):
        for name in ("functions", "runs", "costs", "calls", "jumps"):
            table, own = getattr(side, name), getattr(read, name)
            for field in fields(table):
                assert np.array_equal(getattr(table, field.name), getattr(own, field.name))
        assert side.parts == read.parts
        assert np.shares_memory(side.costs.values, merged.costs.values)
        assert np.shares_memory(side.calls.values, merged.calls.values)
        assert not np.asarray(side.costs.values).flags.writeable
    other = compare(profile_from(BASE), profile_from(NEW))  # with other events
    assert other.base_profile.events.names == ("Ir", "Dr")
    assert np.asarray(other.base_profile.costs.values).tolist() == [[10, 90, 20], [1, 6, 2]]


# ---------------------------------------------------------------- real profiles

DATA = Path(__file__).parents[2] / "data"


RECURSION = "recur-dumps/callgrind.out.21941.xz", "recur-everything/callgrind.out.21921.xz"
TEMPLATES = "templ-callers/callgrind.out.21991.xz", "templ-nobb/callgrind.out.22021.xz"
THREADS = "threads-combined-bb/callgrind.out.22283.xz", "separate-threads/callgrind.out.22265-01"
PAIRS = [
    RECURSION,  # three parts against one
    TEMPLATES,  # with callers in the names against without
    THREADS,  # all threads against one
    ("cachegrind/cachegrind.out.templ-O2.xz", TEMPLATES[1]),  # without calls against with
    ("python/callgrind.out.python-default.xz", "yappi/callgrind.out.yappi"),  # little in common
    ("pprof-heap/callgrind.out.heap-alloc", "pprof-heap/callgrind.out.heap-alloc"),
    ("xdebug-gz/cachegrind.out.plain.gz", "xdebug-gz/cachegrind.out.plain.gz"),
]


@pytest.mark.parametrize(("base", "new"), PAIRS, ids=lambda path: path.partition("/")[0])
def test_real_profiles_keep_their_numbers(base: str, new: str) -> None:
    """Sums over members are those of the separate profiles, and swapping changes the sign."""
    profiles = load(DATA / base), load(DATA / new)
    there, back = compare(*profiles), compare(*reversed(profiles))
    for kind in there.events:
        if kind.is_ratio:
            continue
        sides = there.self_cost(kind)
        for profile, rows, costs in (
            (profiles[0], there.pairing.row_of_base, sides.base),
            (profiles[1], there.pairing.row_of_new, sides.new),
        ):
            assert (
                summed(profile, kind, rows, len(there.pairing))
                == costs[: len(there.pairing)].tolist()
            )
        assert by_members(there, sides) == {
            members[::-1]: -change
            for members, change in by_members(back, back.self_cost(kind)).items()
        }
        gross, (one, other) = there.gross_change(kind), there.total(kind)
        assert gross.grown + gross.shrunk == gross.change == other.counted - one.counted


def summed(profile: Profile, kind: EventType, rows: np.ndarray, count: int) -> list[int]:
    """The self costs of a profile, summed by row."""
    queries = ProfileQueries(profile)
    own = queries.events.find(kind.name)
    assert own is not None
    sums = [0] * count
    for row, cost in zip(rows.tolist(), queries.self_cost(own, Scope()).tolist(), strict=False):
        sums[row] += cost
    return sums


def by_members(compared: Comparison, sides: BothSides) -> dict[tuple[tuple[int, ...], ...], int]:
    """The change of each row, by its members in base and new."""
    pairing = compared.pairing
    return {
        (tuple(pairing.base_members(row)), tuple(pairing.new_members(row))): int(sides.change[row])
        for row in range(len(pairing))
    }


def test_a_profile_without_calls_is_compared_by_self_cost() -> None:
    """Cachegrind takes inlined code for functions of their own: they are one with the callers'."""
    cachegrind = "events: Ir\nfl=a.c\nfn=f\n1 10\nfl=a.h\nfn=f\n5 7\nfl=b.c\nfn=g\n1 3\n"
    callgrind = (
        "events: Ir\nfl=a.c\nfn=f\n1 10\nfi=a.h\n5 9\nfe=a.c\ncfi=b.c\ncfn=g\ncalls=1 1\n1 3\n"
    )
    compared = comparison(cachegrind, callgrind + "fl=b.c\nfn=g\n1 3\n")

    assert table(compared, compared.self_cost(event(compared))) == {
        "f": (17, 19, 2),
        "g": (3, 3, 0),
    }
    assert [each.what for each in compared.differences] == ["Calls"]


def test_comparing_can_be_cancelled() -> None:
    """It reports how far it is, and stops where that raises an error."""

    class Stop(Exception):
        pass

    class Steps:
        def __init__(self, last: float) -> None:
            self.seen: list[float] = []
            self._last = last

        def check(self, fraction: float, text: str = "") -> None:
            self.seen.append(fraction)
            if fraction >= self._last:
                raise Stop

    steps = Steps(last=2)
    compare(profile_from(BASE), profile_from(NEW), progress=steps)
    assert steps.seen == sorted(steps.seen)
    assert steps.seen[-1] == 1
    for last in steps.seen:
        with pytest.raises(Stop):
            compare(profile_from(BASE), profile_from(NEW), progress=Steps(last))
