"""Functions grouped by object, file, class and cycle."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.function_names import NO_CYCLE, Grouping
from qcachegrind_py.analysis.names.syntax import GLOBAL
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.tables import StringTable
from tests.analysis.named_queries import CYCLES, NO_CYCLES, event_named, queries_from
from tests.profile_rows import profile_from
from tests.reports import Reports

DRAWING = """
    events: Ir Dr
    ob=/bin/prog
    fl=a.c
    fn=main
    1 100 1
    fi=inlined.h
    2 10
    fl=b.cc
    fn=ns::A::f(int)
    1 20 2
    ob=/lib/c.so
    fn=ns::A::g<int>()
    1 30 3
    ob=
    fl=
    fn=helper(ns::A)
    1 40 4
    """


@pytest.mark.parametrize(
    ("grouping", "names", "of_function", "costs_of_groups"),
    [
        (
            Grouping.OBJECT,
            ("/bin/prog", "/lib/c.so", "???"),
            [0, 0, 1, 2],
            [[130, 30, 40], [3, 3, 4]],
        ),
        (Grouping.FILE, ("a.c", "b.cc", "???"), [0, 1, 1, 2], [[110, 50, 40], [1, 5, 4]]),
        (Grouping.CLASS, (GLOBAL, "ns::A"), [0, 1, 1, 0], [[150, 50], [5, 5]]),
        (Grouping.CYCLE, (NO_CYCLE,), [0, 0, 0, 0], [[200], [10]]),
        (Grouping.NONE, ("",), [0, 0, 0, 0], [[200], [10]]),
    ],
)
def test_groups(
    grouping: Grouping,
    names: tuple[str, ...],
    of_function: list[int],
    costs_of_groups: list[list[int]],
) -> None:
    """A group has the self costs of its functions; inlined lines stay with the function."""
    queries = ProfileQueries(profile_from(DRAWING))
    got, costs = queries.groups(grouping, CYCLES), queries.costs(CYCLES)
    assert (names, of_function, costs_of_groups) == (
        got.names,
        got.group_of_node.tolist(),
        got.sums(costs.self_cost, queries.function_count).tolist(),
    )


def test_grouping_by_class_can_be_cancelled() -> None:
    """Classes of many names take seconds: cancelled ones are computed when they are asked again."""
    queries = ProfileQueries(profile_from(DRAWING))
    with pytest.raises(Cancelled):
        queries.groups(Grouping.CLASS, CYCLES, Reports(stop_at=1))
    assert queries.groups(Grouping.CLASS, CYCLES).names == (GLOBAL, "ns::A")


# a and b are cycle 1, x and y cycle 2; y is of another file and object than x
CYCLE = """
    events: Ir Dr
    main@main.c@prog 10,1 -> a 1x1,1
    a@a.c@prog 20,2 -> b 1x1,1, x 1x1,1
    b@b.c@prog 40,4 -> a 1x1,1
    x@x.c@lib 80,8 -> y 1x1,1
    y@y.c@other 160,16 -> x 1x1,1
    """


@pytest.mark.parametrize(
    ("grouping", "names", "of_node", "costs"),
    [
        # entries: main, a, b, x, y, then the two cycles
        (
            Grouping.CYCLE,
            (NO_CYCLE, "<cycle 1>", "<cycle 2>"),
            [0, 1, 1, 2, 2, 1, 2],
            [[10, 60, 240], [1, 6, 24]],
        ),
        (
            Grouping.OBJECT,
            ("prog", "lib", "other"),
            [0, 0, 0, 1, 2, 0, 1],
            [[70, 80, 160], [7, 8, 16]],
        ),
        (Grouping.NONE, ("",), [0] * 7, [[310], [31]]),
    ],
)
def test_groups_of_cycles(
    grouping: Grouping, names: tuple[str, ...], of_node: list[int], costs: list[list[int]]
) -> None:
    """A cycle is in the group of its first member, and adds no cost to that of the members."""
    queries = queries_from(CYCLE)
    assert queries.profile.function_name(3) == "x"
    got = queries.groups(grouping, CYCLES)
    assert (names, of_node, costs) == (
        got.names,
        got.group_of_node.tolist(),
        got.sums(queries.costs(CYCLES).self_cost, queries.function_count).tolist(),
    )


def test_groups_by_cycle_where_cycles_are_not_looked_for() -> None:
    """All functions are then in no group; other groupings are the same, without cycle nodes."""
    queries = queries_from(CYCLE)
    groups = queries.groups(Grouping.CYCLE, NO_CYCLES)
    assert (groups.names, groups.group_of_node.tolist()) == ((NO_CYCLE,), [0] * 5)
    groups = queries.groups(Grouping.OBJECT, NO_CYCLES)
    assert (groups.names, groups.group_of_node.tolist()) == (
        ("prog", "lib", "other"),
        [0, 0, 0, 1, 2],
    )


def test_counts() -> None:
    """The number of visible functions per group; cycles are not counted."""
    queries = queries_from(CYCLE)
    groups = queries.groups(Grouping.OBJECT, CYCLES)
    shown = np.array([False, True, True, False, True, True, True])
    assert groups.counts(None, 5).tolist() == [3, 1, 1]
    assert groups.counts(shown, 5).tolist() == [2, 0, 1]
    assert groups.counts(np.zeros(7, bool), 5).tolist() == [0, 0, 0]
    assert queries.groups(Grouping.CYCLE, CYCLES).counts(shown, 5).tolist() == [0, 2, 1]


@pytest.mark.parametrize(
    ("formula", "costs"),
    [
        ("Ir", [70, 80, 160]),
        ("2 Ir + Dr", [147, 168, 336]),
        ("Ir - 20 Dr", [-70, -80, -160]),
        ("0.5 Dr", [4, 4, 8]),  # 3.5, halves up
        ("0.1 Ir", [7, 8, 16]),
        ("0.05 Dr", [0, 0, 1]),  # 0.35, 0.4 and 0.8
        ("Ir / Dr", [10.0, 10.0, 10.0]),
        ("Dr / Ir", [0.1, 0.1, 0.1]),
    ],
)
def test_costs_of_groups(formula: str, costs: list[float]) -> None:
    """A group's cost in a derived event is computed from its sums, and rounded only once."""
    queries = queries_from(CYCLE, UserEvent("E", "", formula))
    got = queries.group_costs(Grouping.OBJECT, event_named(queries, "E"), CYCLES)
    assert got.tolist() == costs


def test_costs_of_groups_are_rounded_once() -> None:
    """A hundred functions that cost 0.4 each cost 40 together, not 0."""
    lines = "\n".join(f"f{n}@a.c@prog 2" for n in range(100))
    queries = queries_from(lines, UserEvent("E", "", "0.2 Ir"))
    event = event_named(queries, "E")
    assert queries.self_cost(event, CYCLES).sum() == 0
    assert queries.group_costs(Grouping.FILE, event, CYCLES).tolist() == [40]


def test_costs_of_groups_beyond_64_bits() -> None:
    """Sums of a derived event beyond 64 bits are exact, too."""
    queries = queries_from(f"f@a.c {2**61}\ng@a.c {2**61}\nh@b.c 1", UserEvent("E", "", "8 Ir"))
    got = queries.group_costs(Grouping.FILE, event_named(queries, "E"), CYCLES)
    assert got.tolist() == [2**65, 8]


def test_costs_of_groups_in_active_parts() -> None:
    """Only the active parts are counted."""
    queries = ProfileQueries(
        profile_from(
            "part: 1\nevents: Ir\nfl=a.c\nfn=f\n1 10\nfl=b.c\nfn=g\n1 20\n"
            "part: 2\nevents: Ir\nfl=a.c\nfn=f\n1 5\n"
        )
    )
    event = event_named(queries, "Ir")
    costs = {
        parts: queries.group_costs(Grouping.FILE, event, Scope(parts)).tolist()
        for parts in (None, frozenset({1}))
    }
    assert costs == {None: [15, 20], frozenset({1}): [5, 0]}


def test_classes_of_names_as_they_are_shown() -> None:
    """If other texts are displayed, such as demangled names, classes are derived from them."""
    profile = profile_from("events: Ir\nfn=_ZN1A1fEv\n1 1\nfn=_ZN1B1gEv\n1 1\nfn=_ZN1A1hEv\n1 1\n")
    recorded = ProfileQueries(profile).groups(Grouping.CLASS, CYCLES)
    assert (recorded.names, recorded.group_of_node.tolist()) == ((GLOBAL,), [0, 0, 0])
    shown = {"_ZN1A1fEv": "A::f()", "_ZN1B1gEv": "B::g()", "_ZN1A1hEv": "A::h()"}
    texts = [profile.texts[number] for number in range(len(profile.texts))]
    lines = [shown.get(text, text).encode() + b"\n" for text in texts]
    starts = np.cumsum([0, *map(len, lines)])
    got = ProfileQueries(profile, StringTable(b"".join(lines), starts)).groups(
        Grouping.CLASS, CYCLES
    )
    assert (got.names, got.group_of_node.tolist()) == (("A", "B"), [0, 1, 0])


def test_groups_of_nothing() -> None:
    """A profile without functions has no groups, or an empty one."""
    queries = ProfileQueries(profile_from("events: Ir\n"))
    found = {
        grouping: queries.groups(grouping, CYCLES).counts(None, 0).tolist() for grouping in Grouping
    }
    assert found == {
        Grouping.NONE: [0],
        Grouping.OBJECT: [],
        Grouping.FILE: [],
        Grouping.CLASS: [],
        Grouping.CYCLE: [0],
    }
