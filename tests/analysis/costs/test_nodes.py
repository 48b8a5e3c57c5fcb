"""Cycles as nodes of their own, numbered after the functions."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.costs.function_costs import (
    call_edges,
    cycle_members,
    extended_by_first_member,
    function_costs,
    translate_node,
    with_cycles,
    within_cycle,
)
from qcachegrind_py.analysis.costs.scope import Scope
from tests.analysis.named_queries import (
    CYCLES,
    NO_CYCLES,
    names_of,
    node_id,
    node_names,
    queries_from,
)
from tests.profile_rows import profile_from
from tests.profile_text import WHOLE_SCOPE, profile_text

# a and b are cycle 1, x and y cycle 2; b calls itself, and x from cycle 1
TWO_CYCLES = """
    events: Ir Dr
    main 10,1 -> a 2x100,10, leaf 1x5,0, b 1x17,2
    a 20,2 -> b 5x70,7, leaf 3x9,1
    b 30,3 -> a 4x60,6, b 7x8,1, leaf 1x11,0, x 6x40,4
    x 16,1 -> y 1x25,2
    y 24,3 -> x 2x3,1
    leaf 25,1
    """


def test_a_cycle_costs_what_its_members_cost_together() -> None:
    """Self and inclusive cost of a cycle are sums over its members; inner calls do not count."""
    queries = queries_from(TWO_CYCLES)
    costs = queries.costs(CYCLES)
    assert node_names(queries, CYCLES) == ["main", "a", "leaf", "b", "x", "y", "<1>", "<2>"]
    assert costs.cycle.tolist() == [0, 1, 0, 1, 2, 2, 1, 2]
    assert costs.self_cost.tolist() == [
        [10, 20, 25, 30, 16, 24, 50, 40],
        [1, 2, 1, 3, 1, 3, 5, 4],
    ]
    assert costs.inclusive.tolist() == [
        [132, 29, 25, 81, 16, 24, 110, 40],
        [13, 3, 1, 7, 1, 3, 10, 4],
    ]
    assert costs.called.tolist() == [0, 6, 5, 13, 8, 1, 3, 6]


def test_without_cycles_there_are_functions_only() -> None:
    """Nothing is added if cycles are off, or if there are none."""
    queries = queries_from(TWO_CYCLES)
    assert queries.costs(NO_CYCLES).self_cost.shape == (2, 6)
    profile = profile_from(profile_text("main 1 -> f 1x2\nf 2"))
    costs = function_costs(profile)
    assert with_cycles(costs, call_edges(profile)) is costs


def test_the_members_of_a_cycle() -> None:
    """The functions of that cycle only, never the cycle itself."""
    queries = queries_from(TWO_CYCLES)
    costs = queries.costs(CYCLES)
    members = [
        cycle_members(node_id(queries, cycle), costs, 6).tolist() for cycle in ("<1>", "<2>")
    ]
    assert [names_of(queries, of) for of in members] == [["a", "b"], ["x", "y"]]


def test_calls_inside_a_cycle() -> None:
    """Calls between members, and of a member to itself; none that enters or leaves a cycle."""
    queries = queries_from(TWO_CYCLES + "\n other 1 -> other 2x3")
    pairs = queries.call_edges(WHOLE_SCOPE)
    inside = within_cycle(pairs, queries.costs(CYCLES))
    names = node_names(queries, CYCLES)
    found = {
        names[caller] + names[callee]
        for caller, callee in zip(
            pairs.caller[inside].tolist(), pairs.callee[inside].tolist(), strict=True
        )
    }
    assert found == {"ab", "ba", "bb", "xy", "yx"}
    assert not within_cycle(pairs, queries.costs(NO_CYCLES)).any()


def test_what_a_cycle_has_from_its_first_member() -> None:
    """Properties of functions only are taken from a cycle's first member."""
    queries = queries_from(TWO_CYCLES)
    costs = queries.costs(CYCLES)
    of_function = costs.self_cost[0, :6] * 100
    assert extended_by_first_member(of_function, costs.cycle).tolist() == [
        *(1000, 2000, 2500, 3000, 1600, 2400),
        *(2000, 1600),
    ]


# in part 1 only b and c call each other, in part 2 all three do, in part 3 nobody
PARTS = profile_text("""
    part: 1
    events: Ir
    a 1
    b 1 -> c 1x1
    c 1 -> b 1x1
    x 1 -> y 1x1
    y 1 -> x 1x1
    part: 2
    events: Ir
    a 1 -> b 1x1
    b 1 -> a 1x1
    part: 3
    events: Ir
    a 1
    """)


@pytest.mark.parametrize(
    ("before", "name", "after", "wanted"),
    [
        ({0, 1}, "<1>", {0}, "a"),  # its first member is in no cycle now
        ({0}, "<1>", {0, 1}, "<1>"),  # b's: now with a in it
        ({0}, "<2>", {0, 1}, "<2>"),
        ({1}, "<1>", {0}, "a"),
        ({0, 1}, "<2>", {0}, "<2>"),
        ({0, 1}, "<2>", {2}, "x"),
        ({0, 1}, "c", {0}, "c"),  # a function stays what it is
        ({0}, "b", {0, 1}, "b"),
    ],
)
def test_an_entry_as_another_scope_numbers_it(
    before: set[int], name: str, after: set[int], wanted: str
) -> None:
    """A cycle maps to its first member's present cycle, or to that member; a function to itself."""
    profile = profile_from(PARTS)
    names = [profile.function_name(f) for f in range(5)] + ["<1>", "<2>"]
    known = [
        with_cycles(
            function_costs(profile, parts=frozenset(parts)), call_edges(profile, frozenset(parts))
        )
        for parts in (before, after)
    ]
    assert names[translate_node(known[1], names.index(name), known[0], 5)] == wanted


def test_the_number_of_a_cycle_may_change() -> None:
    """If a cycle disappears, later ones are found under their new numbers, and back."""
    queries = queries_from(
        TWO_CYCLES.replace("y 1x25,2", "y 1x38,2").replace("x 2x3,1", "x 2x40,1"),
    )
    cut = Scope(cut=0.9)  # of the first cycle no call is left
    assert node_names(queries, cut)[6:] == ["<1>"]
    second = node_id(queries, "<2>")
    assert names_of(queries, [queries.translate_node(cut, second, before=CYCLES)], cut) == ["<1>"]
    assert queries.translate_node(CYCLES, 6, before=cut) == second
