"""Queries of a profile: scopes, user events, filters, the initial function."""

from __future__ import annotations

import gc
import math
import weakref
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import qcachegrind_py as q
from qcachegrind_py.analysis.calls.call_graph import costliest_stack
from qcachegrind_py.analysis.code.instructions import NO_CODE
from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import UserEvent, zeros_passed_over
from qcachegrind_py.profile.ids import OTHER_CALLERS, NodeId, PartId
from tests.analysis.named_queries import (
    CYCLES,
    NO_CYCLES,
    event_named,
    names_of,
    node_id,
    queries_from,
)
from tests.formats.callgrind.generated_profiles import profiles
from tests.profile_rows import profile_from
from tests.profile_text import queries_for

# a and b are cycle 1, x and y cycle 2
DRAWING = """
    events: Ir Dr
    main@m.c@prog 10,5 -> a 2x100,10, leaf 1x5,0
    a@a.c@prog 20,0 -> b 5x70,7, x 3x40,4
    b@b.c@prog 30,3 -> a 4x60,6
    x@x.c@lib 16,1 -> y 1x25,2
    y@y.c@lib 24,3 -> x 2x3,1
    leaf 5,0
    """
MISSES = UserEvent("Misses", "Misses of a read", "10 Dr - Ir")
RATE = UserEvent("Rate", "", "Dr / Ir")


@pytest.mark.parametrize("scope", [CYCLES, NO_CYCLES])
def test_roots_are_where_the_program_begins(scope: Scope) -> None:
    """Uncalled functions, and cycles that nobody else calls, also where these are not detected."""
    queries = queries_from("""
        main 10 -> f 1x5
        f 5
        rec 20 -> rec 3x12
        a 5 -> b 1x7
        b 7 -> a 1x5
        idle 0
        """)
    ir = event_named(queries, "Ir")
    roots = queries.program_calls(ir, scope).program_roots()

    tops = [NodeId(node) for node in roots.node.tolist() if node >= 0]
    assert names_of(queries, tops, scope) == ["main", "rec", *(["<1>"] if scope == CYCLES else [])]
    assert (OTHER_CALLERS in roots.node) == (scope == NO_CYCLES)
    assert sum(roots.cost.tolist()) == queries.total(ir, ALL_PARTS).counted


def passing(queries: ProfileQueries, text: str, event: str = "Ir", scope: Scope = CYCLES) -> str:
    """The names of the nodes that pass the filter, separated by spaces."""
    passed = queries.visible_nodes(parse_filter(text), event_named(queries, event), scope)
    assert passed is not None
    return " ".join(names_of(queries, passed.nonzero()[0].tolist(), scope))


@pytest.mark.parametrize(
    ("filter_", "wanted"),
    [
        ("^a$", "a <1>"),
        ("!^a$", "main b x y leaf <1> <2>"),  # each cycle has a member that passes
        ("lib:lib", "x y <2>"),
        ("self>=24", "b y <1> <2>"),
        ("self>=40", ""),  # the cycle costs 50, and none of its members 40
        ("cycle:any", "a b x y <1> <2>"),
        ("cycle:2", "x y <2>"),
        ("cycle:2 ^y", "y <2>"),
        ("called>5", "a <1>"),
        ("main", "main"),
        ("nobody", ""),
    ],
)
def test_nodes_that_pass_a_filter(filter_: str, wanted: str) -> None:
    """A function that matches passes, and a cycle with a matching member."""
    assert set(passing(queries_from(DRAWING), filter_).split()) == set(wanted.split())


def test_a_filter_without_terms() -> None:
    """Without terms all nodes pass, and no mask is computed."""
    queries = queries_from(DRAWING)
    assert queries.visible_nodes(parse_filter("  "), event_named(queries, "Ir"), CYCLES) is None


def test_matches_depend_on_event_scope_and_definitions() -> None:
    """The same filter is matched again for another event, scope or definition."""
    queries = queries_from(DRAWING, MISSES)
    assert passing(queries, "self>=3", "Dr") == "main b y <1> <2>"
    assert passing(queries, "self>=3", "Ir") == "main a leaf b x y <1> <2>"
    assert passing(queries, "self>=3", "Dr", NO_CYCLES) == "main b y"
    assert passing(queries, "self>=3", "Misses") == "main y <2>"
    queries.set_user_events([UserEvent("Misses", "", "Dr + Dr")])
    assert passing(queries, "self>=6", "Misses") == "main b y <1> <2>"
    upon = UserEvent("Upon", "", "Misses")
    queries.set_user_events([UserEvent("Misses", "", "Dr"), upon])
    assert passing(queries, "self>=3", "Upon") == "main b y <1> <2>"
    queries.set_user_events([UserEvent("Misses", "", "Ir"), upon])  # which changes Upon, too
    assert passing(queries, "self>=3", "Upon") == "main a leaf b x y <1> <2>"


def test_a_filter_of_shares_goes_by_the_total_of_the_active_parts() -> None:
    """Percentages in a filter are of the total of the active parts."""
    queries = ProfileQueries(
        profile_from(
            "part: 1\nevents: Ir\nfn=f\n1 10\nfn=g\n1 90\npart: 2\nevents: Ir\nfn=f\n1 10\n"
        )
    )
    event = event_named(queries, "Ir")
    found = {
        parts: queries.visible_nodes(parse_filter("self>15%"), event, Scope(parts))
        for parts in (None, frozenset({0}), frozenset({1}))
    }
    assert {parts: None if rows is None else rows.tolist() for parts, rows in found.items()} == {
        None: [True, True],
        frozenset({0}): [False, True],
        frozenset({1}): [True, False],
    }


def test_user_events() -> None:
    """They are available beside the profile's own events, for functions, cycles and calls."""
    queries = queries_from(DRAWING)
    assert queries.events.find("Misses") is None
    queries.set_user_events([MISSES, RATE, UserEvent("Other", "", "Nothing")])
    assert [event.name for event in queries.events.all][:2] == ["Ir", "Dr"]
    assert queries.events.find("Other") is None
    misses = event_named(queries, "Misses")
    assert queries.self_cost(misses, CYCLES).tolist() == [40, -20, -5, 0, -6, 6, -20, 0]
    assert queries.inclusive(misses, CYCLES)[-2:].tolist() == [-20, 0]
    main = node_id(queries, "main")
    assert queries.callees(main, CYCLES).cost(queries.events, misses).tolist() == [0, -5]
    assert queries.total(misses, ALL_PARTS).counted == 15
    queries.set_user_events([])
    assert queries.events == queries.profile.events


def test_a_ratio_is_one_of_sums() -> None:
    """A ratio of a function, a cycle or the total is the quotient of its summed costs."""
    queries = queries_from(DRAWING, RATE)
    rate = event_named(queries, "Rate")
    own = [5 / 10, 0, 0, 3 / 30, 1 / 16, 3 / 24, 3 / 50, 4 / 40]
    assert queries.self_cost(rate, CYCLES).tolist() == own
    assert queries.inclusive(rate, CYCLES)[-1] == 4 / 40
    assert queries.total(rate, ALL_PARTS).counted == 12 / 105
    queries.prepare(rate, CYCLES)  # which needs no graph of it


def test_changed_definitions_change_the_results() -> None:
    """An event that is redefined under its name has new costs at once."""
    queries = queries_from(DRAWING, UserEvent("E", "", "Ir"))
    assert queries.self_cost(event_named(queries, "E"), CYCLES).tolist()[:2] == [10, 20]
    queries.set_user_events([UserEvent("E", "", "2 Ir")])
    assert queries.self_cost(event_named(queries, "E"), CYCLES).tolist()[:2] == [20, 40]
    # an event defined by another changes with it
    queries.set_user_events([UserEvent("E", "", "2 Ir"), UserEvent("F", "", "E + Dr")])
    assert queries.total(event_named(queries, "F"), ALL_PARTS).counted == 222
    queries.set_user_events([UserEvent("E", "", "3 Ir"), UserEvent("F", "", "E + Dr")])
    assert queries.total(event_named(queries, "F"), ALL_PARTS).counted == 327


def test_nodes_of_other_scopes() -> None:
    """A cycle is found in another scope by its first member, a function by its number."""
    queries = queries_from(DRAWING)
    second, a = node_id(queries, "<2>"), node_id(queries, "a")
    assert names_of(queries, [queries.translate_node(NO_CYCLES, second, before=CYCLES)]) == ["x"]
    assert queries.translate_node(CYCLES, second, before=CYCLES) == second
    assert queries.translate_node(NO_CYCLES, a, before=CYCLES) == a
    assert queries.translate_node(CYCLES, a, before=NO_CYCLES) == a
    nothing = Scope(parts=frozenset())
    assert names_of(queries, [queries.translate_node(nothing, second, before=CYCLES)]) == ["x"]


def test_the_first_member() -> None:
    """The first function of a cycle, or the function itself."""
    queries = queries_from(DRAWING)
    first = [queries.first_member(number, CYCLES) for number in range(8)]
    assert names_of(queries, first) == ["main", "a", "leaf", "b", "x", "y", "a", "x"]


def initial_function(queries: ProfileQueries, event: str = "Ir") -> int:
    return queries.initial_function(event_named(queries, event), CYCLES)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("main 9 -> f 1x5\nf 5", ["main"]),
        ("main 1 -> f 1x8, g 1x9\nf 8\ng 9", ["g"]),
        ("f 5 -> g 2x3\ng 30 -> f 1x1", ["g"]),  # the cycle costs more
        ("", []),
    ],
)
def test_the_initial_function(text: str, wanted: list[str]) -> None:
    """At the function with the highest self cost; never at a cycle."""
    queries = queries_from(text)
    function = initial_function(queries)
    assert ([] if function < 0 else names_of(queries, [function])) == wanted


@pytest.mark.parametrize(("changed", "wanted"), [("big 90\nf 7\ng 3", "g"), ("", "big")])
def test_the_initial_function_of_a_comparison(changed: str, wanted: str) -> None:
    """The one whose self cost has changed most, up or down; the hottest if none has changed."""
    first = "big 90\nf 5\ng 9"
    queries = queries_from(f"part: 1\n{first}\npart: 2\n{changed or first}")
    event, parts = event_named(queries, "Ir"), (frozenset({PartId(0)}), frozenset({PartId(1)}))
    base, new = (Scope(part, frame=parts[0] | parts[1]) for part in parts)
    assert names_of(queries, [queries.initial_function(event, new, base)]) == [wanted]


def test_the_initial_function_with_a_ratio() -> None:
    """A function whose ratio is undefined is not the initial one."""
    queries = queries_from("events: Ir Dr\nf 4,2\ng 1,0\nh 9,3", UserEvent("R", "", "Ir / Dr"))
    ratio = event_named(queries, "R")
    assert math.isnan(queries.inclusive(ratio, CYCLES)[1])
    assert names_of(queries, [initial_function(queries, "R")]) == ["h"]


def test_results_are_cached() -> None:
    """A repeated query returns the cached result."""
    queries = queries_from(DRAWING)
    event = event_named(queries, "Ir")
    queries.prepare(event, Scope())
    assert queries.costs(Scope()) is queries.costs(Scope(None, True, 0.0))
    assert queries.inclusive(event, Scope()) is queries.inclusive(event, Scope())
    assert (
        queries.call_graph(event, Scope()).adjacency is queries.call_graph(event, Scope()).adjacency
    )
    filter_ = parse_filter("self>3")
    passed = queries.visible_nodes(filter_, event, Scope())
    assert passed is queries.visible_nodes(parse_filter("self>3"), event, Scope())


def test_results_of_a_scope() -> None:
    """All results are those of the active parts: costs, pairs, callers, groups, names."""
    queries = ProfileQueries(
        profile_from(
            "part: 1\nevents: Ir\nfn=f\n1 10\ncfn=g\ncalls=2 1\n1 5\nfn=g\n1 5\n"
            "part: 2\nevents: Ir\nfn=g\n1 7\ncfn=f\ncalls=1 1\n1 2\n"
        )
    )
    event, first = event_named(queries, "Ir"), Scope(frozenset({0}))
    assert (len(queries.costs(Scope()).cycle), len(queries.costs(first).cycle)) == (3, 2)
    assert queries.inclusive(event, first).tolist() == [15, 5]
    assert (len(queries.call_edges(Scope())), len(queries.call_edges(first))) == (2, 1)
    assert queries.callers(0, first).node.tolist() == []
    assert queries.callees(0, first).cost(queries.events, event).tolist() == [5]
    assert queries.groups(Grouping.CYCLE, first).names == ("(no cycle)",)
    assert queries.labels(first).name(0) == "f"
    assert queries.labels(Scope()).name(0) == "f <cycle 1>"
    assert queries.total(event, first.parts).counted == 15
    assert queries.call_graph(event, first).cost.tolist() == [5]
    assert queries.transitive_callees(0, event, first).node.tolist() == [1]


# without shrinking, which takes minutes here: the scanner's test shrinks reading errors
@pytest.mark.slow
@settings(
    max_examples=20,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(profiles(), st.sampled_from([Scope(), Scope(cycles=False), Scope(frozenset({0}), cut=0.5)]))
def test_every_query_has_a_result(data: bytes, scope: Scope) -> None:
    """For any file, every query has a result in every event.

    No function leads to itself or appears twice in its stack, and no minimal distance exceeds the
    maximal one.
    """
    queries = ProfileQueries(profile_from(data))
    first, last = queries.profile.events.names[0], queries.profile.events.names[-1]
    formulas = {"A": f"3 {first} - 2 {last}", "B": f"{first} / {last}", "C": f"4000000000 {last}"}
    queries.set_user_events([UserEvent(name, "", text) for name, text in formulas.items()])
    nodes = range(len(queries.costs(scope).cycle))
    for event in queries.events.all:
        assert queries.initial_function(event, scope) in range(-1, queries.function_count)
        for grouping in Grouping:
            costs = queries.group_costs(grouping, event, scope)
            assert len(costs) == len(queries.groups(grouping, scope))
        for node in nodes if not event.is_ratio else ():
            for transitive_calls in (queries.transitive_callers, queries.transitive_callees):
                found = transitive_calls(node, event, scope)
                assert node not in found.node.tolist()
                assert (found.min_distance <= found.max_distance).all()
            stack = costliest_stack(node, queries.call_graph(event, scope))
            assert stack.nodes[stack.active_index] == node
            assert len(set(stack.nodes)) == len(stack.nodes)


def test_blocks_are_cached() -> None:
    """Blocks are those of the active parts; their entry follows from the number of calls."""
    queries = ProfileQueries(
        profile_from("""
        events: Ir
        positions: instr line
        part: 1
        fn=f
        0x10 1 5
        jump=5 0x20 1
        0x10 1
        0x20 1 8
        jump=3 0x20 1
        0x20 1
        fn=main
        cfn=f
        calls=5 0x10 1
        0x30 1 13
        part: 2
        fn=f
        0x10 1 1
        jump=1 0x20 1
        0x10 1
        0x20 1 4
        fn=main
        cfn=f
        calls=3 0x20 1
        0x30 1 4
        """)
    )
    f, second = node_id(queries, "f"), Scope(frozenset({1}))
    every, of_second = (queries.basic_blocks(f, scope, NO_CODE) for scope in (CYCLES, second))
    assert queries.basic_blocks(f, NO_CYCLES, NO_CODE) is every
    assert every.self_cost.tolist() == [[6, 12]]
    assert of_second.self_cost.tolist() == [[1, 4]]
    assert (every.entry, of_second.entry) == (0, 1)  # by 5 + 3 calls, and by 3


def test_queries_do_not_keep_themselves_alive() -> None:
    """The profile of a closed window is freed at once, with all cached results."""
    queries = queries_from(DRAWING)
    event = event_named(queries, "Ir")
    queries.prepare(event, CYCLES)
    queries.program_calls(event, NO_CYCLES)
    queries.visible_nodes(parse_filter("class:x self>1"), event, CYCLES)
    main = node_id(queries, "main")
    queries.transitive_callees(main, event, CYCLES)
    queries.lines(queries.as_function(main), None)
    reference = weakref.ref(queries)

    gc.disable()
    try:
        del queries
        assert reference() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("drawing", "default", "passed_over"),
    [
        ("events: A B\nf 1,2", "A", ""),
        ("events: A B C\nf 0,0,3", "C", "A is 0 throughout, so C is shown"),
        ("events: A B\nf 0,0", "A", ""),
        ("events: A B\nf 0,0 -> g 1x0,5", "B", "A is 0 throughout, so B is shown"),
        ("events: A B\nf 0,-4\ng 0,4", "B", "A is 0 throughout, so B is shown"),
        ("event: D = A + 1000 B\nevents: A B\nf 0,0", "A", ""),
        ("events: A B\nevent: Ir = B\nf 0,7", "B", "A is 0 throughout, so B is shown"),
    ],
)
def test_the_default_event_is_the_first_that_counted_anything(
    drawing: str, default: str, passed_over: str, tmp_path: Path
) -> None:
    """An event that is 0 throughout would show an empty list; derived ones are no answer."""
    queries = queries_for(tmp_path, drawing)
    event = queries.default_event()
    assert event is not None
    assert event.name == default
    said = zeros_passed_over(queries.events.all, event)
    assert said.partition(":")[0] == passed_over
    queries.set_user_events([UserEvent("U", "", "2 A")])
    assert queries.default_event() == event


def test_a_profile_without_events_has_no_default_event(tmp_path: Path) -> None:
    """Nothing can be shown of it."""
    (tmp_path / "p").write_text("version: 1\n")
    assert ProfileQueries(q.load(tmp_path / "p")).default_event() is None
