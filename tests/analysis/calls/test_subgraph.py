"""What is drawn around a function: drawings, real profiles, and programs of which all is known."""

from __future__ import annotations

import lzma
import random
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from qcachegrind_py.analysis.calls.subgraph import Subgraph, SubgraphLimits, build_subgraph
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.events import EventType, UserEvent
from qcachegrind_py.profile.tables import BoolArray
from tests.analysis.named_queries import (
    CYCLES,
    NO_CYCLES,
    event_named,
    node_id,
    node_names,
    queries_from,
)
from tests.analysis.reference_subgraph import NodeKey, ReferenceProfile, ReferenceSubgraph
from tests.formats.callgrind.reference_reader import read
from tests.profile_rows import DATA, function_rows
from tests.profile_text import EXAMPLE

ALL = SubgraphLimits(caller_depth=None, min_node_share=0.0, min_call_share=0.0)


def drawn_around(
    number: int,
    queries: ProfileQueries,
    extent: SubgraphLimits,
    event: EventType,
    scope: Scope = CYCLES,
    passing: BoolArray | None = None,
) -> Subgraph:
    """What is drawn around an entry."""
    graph, pairs = queries.call_graph(event, scope), queries.call_edges(scope.parts)
    costs = queries.events.evaluate(event, pairs.inclusive)
    cycle, count = queries.costs(scope).cycle, queries.function_count
    return build_subgraph(number, graph, pairs, costs, cycle, count, extent, passing)


def around(
    queries: ProfileQueries,
    name: str,
    extent: SubgraphLimits = ALL,
    event: str = "Ir",
    scope: Scope = CYCLES,
) -> Subgraph:
    """What is drawn around a function; all that there is, where nothing else is wanted."""
    number = node_id(queries, name, scope)
    return drawn_around(number, queries, extent, event_named(queries, event), scope)


def nodes_of(queries: ProfileQueries, drawn: Subgraph, scope: Scope = CYCLES) -> list[str]:
    """A line a node: name, cost of the whole, self cost, count; marks: ! exact, * active."""
    names = node_names(queries, scope)
    columns = (
        drawn.node,
        drawn.cost,
        drawn.recorded_cost,
        drawn.self_cost,
        drawn.count,
        drawn.is_exact,
    )
    rows = zip(*(column.tolist() for column in columns), drawn.cluster.tolist(), strict=True)
    return [
        f"{names[number]} {cost}/{whole} {own} {count}x{'!' * exact}{'*' * (row == drawn.active)}"
        + (f" in {names[cluster]}" if cluster >= 0 else "")
        for row, (number, cost, whole, own, count, exact, cluster) in enumerate(rows)
    ]


def calls_of(queries: ProfileQueries, drawn: Subgraph, scope: Scope = CYCLES) -> list[str]:
    """A line a call: its ends, cost of the whole, count; marks: ! exact, ( inside a cycle."""
    names = node_names(queries, scope)
    columns = (drawn.call_cost, drawn.recorded_call_cost, drawn.call_count)
    marks = (drawn.call_is_exact, drawn.is_inner)
    rows = zip(*(column.tolist() for column in (*columns, *marks)), strict=True)
    ends = zip(drawn.node[drawn.caller].tolist(), drawn.node[drawn.callee].tolist(), strict=True)
    return [
        f"{names[a]} > {names[b]} {cost}/{whole} {count}x{'!' * exact}{'(' * inner}"
        for (a, b), (cost, whole, count, exact, inner) in zip(ends, rows, strict=True)
    ]


def skipped_of(queries: ProfileQueries, drawn: Subgraph) -> dict[str, tuple[int, int]]:
    """What is skipped of the calls to each node and by it, where there is any."""
    names = node_names(queries, CYCLES)
    rows = zip(
        drawn.omitted_incoming_cost.tolist(), drawn.omitted_outgoing_cost.tolist(), strict=True
    )
    entries = zip(drawn.node.tolist(), rows, strict=True)
    return {names[number]: skipped for number, skipped in entries if any(skipped)}


# half of what work costs is caused by main, half by other
SHARED = """
    events: Ir Dr
    main 10,1 -> work 2x400,8, leaf 1x90,0
    other 20,2 -> work 6x400,2
    work 300,5 -> leaf 20x300,3, deep 4x200,2
    deep 120,1 -> leaf 8x80,1
    leaf 470,4
    """


def test_callees_with_their_calls() -> None:
    """Below the function, a call has the part of its cost that its caller has of its own."""
    queries = queries_from(SHARED)
    drawn = around(queries, "main")
    assert nodes_of(queries, drawn) == [
        "main 500/500 10 0x!*",
        "work 400/800 150 2x!",
        "leaf 280/470 280 15x",
        "deep 100/200 60 2x",
    ]
    assert calls_of(queries, drawn) == [
        "main > work 400/400 2x!",
        "work > leaf 150/300 10x",
        "work > deep 100/200 2x",
        "main > leaf 90/90 1x!",
        "deep > leaf 40/80 4x",
    ]
    assert skipped_of(queries, drawn) == {}


def test_callers_with_their_calls() -> None:
    """Above the function, a call has the part of its cost that its callee has of its own."""
    queries = queries_from(SHARED)
    drawn = around(queries, "leaf")
    assert nodes_of(queries, drawn) == [
        "leaf 470/470 470 29x!*",
        "work 380/800 142 22x!",
        "main 280/500 6 2x",
        "other 190/420 9 3x",
        "deep 80/200 48 8x!",
    ]
    assert calls_of(queries, drawn) == [
        "work > leaf 300/300 20x!",
        "main > work 190/400 1x",
        "other > work 190/400 3x",
        "main > leaf 90/90 1x!",
        "work > deep 80/200 2x!",
        "deep > leaf 80/80 8x!",
    ]


def test_both_sides_in_another_event() -> None:
    """Callers and callees are there together, in the costs of the event that is asked for."""
    queries = queries_from(SHARED, UserEvent("Sum", "", "Ir + 10 Dr"))
    assert nodes_of(queries, around(queries, "work", event="Sum"))[:4] == [
        "work 900/900 350 8x!*",
        "main 480/590 16 2x!",
        "leaf 420/510 420 28x!",
        "other 420/460 37 6x!",
    ]


# ---------------------------------------------------------------- what is proven


def test_a_chain_is_exact_at_any_distance() -> None:
    """Where all of it went on along one call each time, nothing is shared out."""
    queries = queries_from(
        """
        main 100 -> a 1x900
        other 50 -> a 1x300
        a 0 -> b 7x1200
        b 0 -> c 7x1200
        c 700 -> d 7x500, e 1x0
        d 500
        e 0
        """
    )
    drawn = around(queries, "main")
    assert nodes_of(queries, drawn) == [
        "main 1000/1000 100 0x!*",
        "a 900/1200 0 1x!",
        "b 900/1200 0 5x!",
        "c 900/1200 525 5x!",
        "d 375/500 375 5x",
    ]
    assert [call[-1] for call in calls_of(queries, drawn)] == ["!", "!", "!", "x"]
    drawn = around(queries, "d")
    assert calls_of(queries, drawn) == [
        "a > b 500/1200 3x!",
        "b > c 500/1200 3x!",
        "c > d 500/500 7x!",
        "main > a 375/900 0x",
        "other > a 125/300 0x",
    ]
    assert [node.endswith("!") for node in nodes_of(queries, drawn)[1:]] == [True] * 3 + [False] * 2


def test_a_diamond_is_exact_where_both_ways_are() -> None:
    """A node is proven by the calls that lead to it, if all are; one way of two proves nothing."""
    main = "main 0 -> a 1x600, b 1x400\na 100 -> leaf 5x500"
    drawn = around(queries_from(f"{main}\nb 100 -> leaf 3x300\nleaf 800"), "main")
    assert (drawn.is_exact.all(), drawn.call_is_exact.all()) == (True, True)
    queries = queries_from(f"{main}\nb 250 -> leaf 3x450\nother 0 -> b 1x300\nleaf 950")
    drawn = around(queries, "main")
    assert nodes_of(queries, drawn) == [
        "main 1000/1000 0 0x!*",
        "leaf 757/950 757 7x",
        "a 600/600 100 1x!",
        "b 400/700 143 1x!",
    ]
    assert calls_of(queries, drawn) == [
        "main > a 600/600 1x!",
        "a > leaf 500/500 5x!",
        "main > b 400/400 1x!",
        "b > leaf 257/450 2x",
    ]


@dataclass
class Run:
    """One run of a function, and the runs of what it called."""

    function: str
    own: int
    called: list[Run]

    @property
    def cost(self) -> int:
        return self.own + sum(run.cost for run in self.called)


def run_at_random(chance: random.Random) -> Run:
    """A program in which f0 calls later functions and these still later ones, now so, now so."""
    functions = chance.randrange(2, 9)
    callees = [
        [later for later in range(f + 1, functions) if chance.random() < 0.5]
        for f in range(functions)
    ]
    idle = [chance.random() < 0.3 for _ in range(functions)]

    def run(f: int) -> Run:
        called = [run(c) for c in callees[f] for _ in range(chance.choice((0, 1, 1, 2)))]
        return Run(f"f{f}", 0 if idle[f] else chance.randrange(1, 100), called)

    return run(0)


def recorded(program: Run) -> str:
    """What a profile keeps of it, as a drawing."""
    own: dict[str, int] = defaultdict(int)
    calls: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))

    def add(run: Run) -> None:
        own[run.function] += run.own
        for called in run.called:
            call = calls[run.function][called.function]
            call[0], call[1] = call[0] + 1, call[1] + called.cost
            add(called)

    add(program)
    lines = []
    for function, cost in own.items():
        parts = [f"{callee} {count}x{spent}" for callee, (count, spent) in calls[function].items()]
        lines.append(f"{function} {cost}" + (f" -> {', '.join(parts)}" if parts else ""))
    return "\n".join(lines)


def passed(program: Run, active: str) -> dict[str, int]:
    """What of the cost of a function passed by the others and along `caller > callee`."""
    costs: dict[str, int] = defaultdict(int)

    def add(run: Run, stack: list[str], *, below: bool) -> None:
        if run.function == active:
            for other in [*stack, *map(" > ".join, pairwise([*stack, active]))]:
                costs[other] += run.cost
        elif below:
            costs[run.function] += run.cost
            costs[f"{stack[-1]} > {run.function}"] += run.cost
        for called in run.called:
            add(called, [*stack, run.function], below=below or run.function == active)

    add(program, [], below=False)
    return costs


@pytest.mark.slow
def test_what_is_called_exact_is_what_went_on() -> None:
    """A cost that is called proven is true, however the program went; many estimates are not."""
    chance, proven, wrong = random.Random(3), 0, 0
    for _ in range(60):
        program = run_at_random(chance)
        queries = queries_from(recorded(program))
        for active in node_names(queries, CYCLES):
            truth, drawn = passed(program, active), around(queries, active)
            nodes = nodes_of(queries, drawn)
            for line in [n for n in nodes if "*" not in n] + calls_of(queries, drawn):
                what, _, numbers = line.partition("/")
                name, _, cost = what.rpartition(" ")
                proven += "!" in numbers
                wrong += truth[name] != int(cost)
                assert "!" not in numbers or truth[name] == int(cost), recorded(program)
    assert (proven > 400, wrong > 40) == (True, True)


def test_which_self_costs_and_counts_are_exact() -> None:
    """Where all passed; a count also where all calls that it counts are exact and drawn.

    A proven cost does not prove them: half of what work costs came from other.
    """
    queries = queries_from(SHARED)
    drawn = around(queries, "main")  # main work leaf deep
    assert drawn.self_is_exact.tolist() == [True, False, False, False]
    assert drawn.count_is_exact.tolist() == [True, True, False, False]
    assert drawn.call_count_is_exact.tolist() == [True, False, False, True, False]
    drawn = around(queries, "leaf")  # leaf work main other deep
    assert drawn.self_is_exact.tolist() == [True, False, False, False, False]
    assert drawn.count_is_exact.tolist() == [True, False, False, False, True]
    assert drawn.call_count_is_exact.tolist() == [True, False, False, True, False, True]


def test_a_call_that_cost_nothing_is_no_doubt() -> None:
    """What was recorded as 0 is 0, whoever caused it."""
    queries = queries_from(
        """
        main 0 -> a 1x600, b 1x400
        other 0 -> a 1x100, b 1x300
        a 0 -> leaf 1x700
        b 700 -> leaf 5x0
        leaf 700
        """
    )
    drawn = around(queries, "main")
    assert nodes_of(queries, drawn)[2] == "leaf 600/700 600 4x!"
    assert calls_of(queries, drawn)[-1] == "b > leaf 0/0 3x!"


# ---------------------------------------------------------------- cycles

# a and b are a cycle that was entered at a cost of 900; leaf is called from within
CYCLE = """
    main 100 -> a 1x900
    a 100 -> b 2x600, leaf 1x200
    b 350 -> a 1x300, leaf 3x250
    leaf 450
    """


def opened(queries: ProfileQueries) -> SubgraphLimits:
    cycles = range(queries.function_count, len(node_names(queries, CYCLES)))
    return replace(ALL, opened=frozenset(cycles))


def test_a_closed_cycle_calls_what_its_members_call() -> None:
    """The members are not there: their calls to the outside are the cycle's, as one."""
    queries = queries_from(CYCLE)
    drawn = around(queries, "main")
    assert nodes_of(queries, drawn) == [
        "main 1000/1000 100 0x!*",
        "<1> 900/900 450 1x!",
        "leaf 450/450 450 4x!",
    ]
    assert calls_of(queries, drawn) == ["main > <1> 900/900 1x!", "<1> > leaf 450/450 4x!"]
    drawn = around(queries, "leaf")
    assert calls_of(queries, drawn) == ["main > <1> 450/900 0x!", "<1> > leaf 450/450 4x!"]
    drawn = around(queries, "<1>")
    assert nodes_of(queries, drawn)[0] == "<1> 900/900 450 1x!*"
    assert calls_of(queries, drawn) == ["main > <1> 900/900 1x!", "<1> > leaf 450/450 4x!"]


def test_a_member_is_called_by_its_closed_cycle() -> None:
    """Of an active member, the others are one with the cycle: nobody calls it but that."""
    queries = queries_from(CYCLE)
    drawn = around(queries, "b")
    assert nodes_of(queries, drawn) == [
        "b 600/600 350 0x!*",
        "main 600/1000 60 1x!",
        "<1> 600/900 300 0x!",
        "leaf 250/450 250 3x!",
    ]
    assert calls_of(queries, drawn) == [
        "main > <1> 600/900 1x!",
        "<1> > b 600/600 0x!",
        "b > leaf 250/250 3x!",
    ]
    member = calls_of(queries, around(queries, "a"))  # which main calls itself
    assert member[:2] == ["main > <1> 300/900 0x!", "<1> > a 300/300 0x!"]


def test_an_opened_cycle_is_its_members() -> None:
    """Members have their part of the cycle's cost, and calls inside are there beside the others."""
    queries = queries_from(CYCLE)
    drawn = around(queries, "main", opened(queries))
    assert nodes_of(queries, drawn) == [
        "main 1000/1000 100 0x!*",
        "b 600/600 350 0x! in <1>",
        "leaf 450/450 450 4x!",
        "a 300/300 100 0x! in <1>",
    ]
    outside = ["main > a 900/900 1x!", "b > leaf 250/250 3x!", "a > leaf 200/200 1x!"]
    inside = ["a > b 600/600 2x!(", "b > a 300/300 1x!("]
    assert calls_of(queries, drawn) == [outside[0], *inside, *outside[1:]]
    assert skipped_of(queries, drawn) == {}
    without = replace(opened(queries), inner_calls=False)
    drawn = around(queries, "main", without)
    assert (calls_of(queries, drawn), skipped_of(queries, drawn)) == (outside, {})


def test_calls_inside_a_cycle_prove_nothing() -> None:
    """One that cost as much as the whole cycle is no more than a call inside it."""
    queries = queries_from(
        """
        main 0 -> a 2x600
        other 0 -> a 1x300
        a 100 -> b 3x900
        b 800 -> a 1x300
        """
    )
    assert calls_of(queries, around(queries, "main", opened(queries))) == [
        "main > a 600/600 2x!",
        "a > b 600/900 2x(",
        "b > a 200/300 1x(",
    ]


def test_a_member_that_costs_nothing() -> None:
    """Where nothing is left to a member, the call that entered the cycle there is drawn."""
    queries = queries_from(
        "main 0 -> a 1x900\na 0 -> b 2x900\nb 450 -> a 1x300, leaf 1x450\nleaf 450"
    )
    drawn = around(queries, "leaf", opened(queries))
    assert nodes_of(queries, drawn)[1:] == [
        "main 450/900 0 0x!",
        "b 450/900 225 1x in <1>",
        "a 0/0 0 0x! in <1>",
    ]
    assert calls_of(queries, drawn)[0] == "main > a 450/900 0x!"
    assert skipped_of(queries, drawn) == {}


# a, b and c are a cycle; main enters it by a, which costs little itself, as b calls the leaf
DOOR = """
    main 50 -> a 1x900, other 1x50
    other 0 -> b 1x40, c 1x10
    a 20 -> b 2x870
    b 10 -> a 1x300, c 1x20, leaf 3x900
    c 20 -> b 1x10
    leaf 900
    """


def test_the_door_of_an_opened_cycle() -> None:
    """A member by which a costly call enters is there, though its own cost is below the least.

    Not so c, which has cheap calls only; nor a door that is too many calls away, is hidden by the
    filter, or is one node too many.
    """
    queries = queries_from(DOOR)
    number, event = node_id(queries, "main"), event_named(queries, "Ir")
    least = SubgraphLimits(min_node_share=0.2, expanded_cycles=opened(queries).expanded_cycles)
    drawn = around(queries, "main", least)
    assert nodes_of(queries, drawn) == [
        "main 1000/1000 50 0x!*",
        "b 910/910 10 0x! in <1>",
        "leaf 900/900 900 3x!",
        "a 20/20 20 0x! in <1>",
    ]
    calls = calls_of(queries, drawn)
    assert [call for call in calls if "(" not in call] == [
        "main > a 900/900 1x!",
        "b > leaf 900/900 3x!",
    ]
    assert (drawn.node_threshold, drawn.omitted_nodes, drawn.filtered_nodes) == (200, 0, 0)
    for depth, is_there in ((None, True), (2, False)):
        above = around(queries, "leaf", replace(least, caller_depth=depth))
        assert ("main > a 853/900 1x" in calls_of(queries, above)) == is_there
    few = around(queries, "main", replace(least, most_nodes=2))
    assert [node.split()[0] for node in nodes_of(queries, few)] == ["main", "b"]
    assert (few.node_threshold, few.omitted_nodes, few.max_omitted_cost) == (910, 2, 900)
    passing = np.array([name not in ("a", "b") for name in node_names(queries, CYCLES)])
    drawn = drawn_around(number, queries, least, event, passing=passing)
    assert [node.split()[0] for node in nodes_of(queries, drawn)] == ["main", "leaf"]
    assert drawn.filtered_nodes == 2


def test_an_opened_cycle_above() -> None:
    """A member has what it called, or its part of the cycle: which ways cost took, nobody knows."""
    queries = queries_from(CYCLE)
    drawn = around(queries, "leaf", opened(queries))
    assert nodes_of(queries, drawn) == [
        "leaf 450/450 450 4x!*",
        "main 450/1000 45 0x!",
        "b 300/600 175 3x in <1>",
        "a 200/300 67 1x in <1>",
    ]
    assert calls_of(queries, drawn) == [
        "main > a 450/900 0x!",
        "a > b 300/600 1x(",
        "b > leaf 250/250 3x!",
        "a > leaf 200/200 1x!",
        "b > a 150/300 0x(",
    ]


def test_an_active_member_of_an_opened_cycle() -> None:
    """The other members have their part of its cost, and it is called by its real callers."""
    queries = queries_from(CYCLE)
    drawn = around(queries, "a", opened(queries))
    assert nodes_of(queries, drawn) == [
        "a 300/300 100 0x!* in <1>",
        "main 300/1000 30 0x!",
        "b 200/600 117 0x in <1>",
        "leaf 200/450 200 1x!",
    ]
    assert calls_of(queries, drawn) == [
        "main > a 300/900 0x!",
        "a > b 200/600 1x(",
        "a > leaf 200/200 1x!",
        "b > a 100/300 0x(",
    ]


def test_an_active_cycle_that_is_opened() -> None:
    """It is shown by its members, and the costliest of them stands for it."""
    queries = queries_from(CYCLE)
    drawn = around(queries, "<1>", opened(queries))
    assert nodes_of(queries, drawn) == [
        "main 900/1000 90 1x!",
        "b 600/600 350 0x!* in <1>",
        "leaf 450/450 450 4x!",
        "a 300/300 100 0x! in <1>",
    ]
    assert len(calls_of(queries, drawn)) == 5
    drawn = around(queries, "<1>", replace(opened(queries), most_nodes=1))
    assert [node.split()[0] for node in nodes_of(queries, drawn)] == ["b"]


def test_where_cycles_are_not_looked_for() -> None:
    """A call that goes back is drawn, one to the active function as a call from above."""
    queries = queries_from(
        "main 100 -> a 1x900\na 600 -> b 2x600\nb 150 -> a 1x300, c 3x150\nc 150"
    )
    drawn = around(queries, "a", scope=NO_CYCLES)
    assert [call.split()[:3] for call in calls_of(queries, drawn, NO_CYCLES)] == [
        ["main", ">", "a"],
        ["a", ">", "b"],
        ["b", ">", "a"],
        ["b", ">", "c"],
    ]
    for up, down, wanted in ((1, 0, "a b main"), (0, 1, "a b"), (None, None, "a b c main")):
        extent = replace(ALL, caller_depth=up, callee_depth=down)
        drawn = around(queries, "a", extent, scope=NO_CYCLES)
        names = [node.split()[0] for node in nodes_of(queries, drawn, NO_CYCLES)]
        assert sorted(names) == wanted.split()


def test_a_call_back_that_cost_more_than_it_can_have() -> None:
    """A call of the active function hangs on it, though the callee led back to it at more cost."""
    queries = queries_from("main 100 -> a 1x900\na 600 -> b 2x100\nb 50 -> a 1x300")
    drawn = around(queries, "a", scope=NO_CYCLES)
    assert "a > b 100/100 2x!" in calls_of(queries, drawn, NO_CYCLES)


def test_direct_recursion_is_not_drawn() -> None:
    """A function that calls itself has no arrow to itself, and nothing is skipped."""
    queries = queries_from("main 10 -> f 1x90\nf 60 -> f 7x500, g 1x30\ng 30")
    drawn = around(queries, "f")
    assert calls_of(queries, drawn) == ["main > f 90/90 1x!", "f > g 30/30 1x!"]
    assert skipped_of(queries, drawn) == {}


# ---------------------------------------------------------------- depth and limits


@pytest.mark.parametrize(
    ("up", "down", "wanted"),
    [
        (0, 0, "m"),
        (0, None, "m x y z"),
        (1, 1, "l m x"),
        (2, 2, "k l m x y"),
        (None, 0, "k l m"),
    ],
)
def test_depth(up: int | None, down: int | None, wanted: str) -> None:
    """Callers and callees are there that are at most so many calls away; a call past y is one."""
    queries = queries_from(
        "k 0 -> l 1x9\nl 0 -> m 1x9\nm 0 -> x 1x9\nx 0 -> y 1x9\ny 0 -> z 1x9\nz 9"
    )
    drawn = around(queries, "m", replace(ALL, caller_depth=up, callee_depth=down))
    names = [node.split()[0] for node in nodes_of(queries, drawn)]
    assert sorted(names) == wanted.split()
    skipped = skipped_of(queries, drawn)
    assert skipped.get(min(names), (0, 0))[0] == (9 if min(names) != "k" else 0)
    assert skipped.get(max(names), (0, 0))[1] == (9 if max(names) != "z" else 0)


def test_a_call_without_cost_brings_nobody_nearer() -> None:
    """Calls are counted along ways that cost something."""
    queries = queries_from("m 0 -> x 1x9, y 1x0\nx 0 -> y 1x9\ny 9")
    drawn = around(queries, "m", replace(ALL, callee_depth=1))
    assert [node.split()[0] for node in nodes_of(queries, drawn)] == ["m", "x"]


def test_a_closed_cycle_is_one_call_away() -> None:
    """Distances are those of what is drawn: the members in between are no steps of their own."""
    queries = queries_from(CYCLE)
    one = replace(ALL, caller_depth=1, callee_depth=1)
    assert calls_of(queries, around(queries, "leaf", one)) == ["<1> > leaf 450/450 4x!"]
    assert calls_of(queries, around(queries, "main", one)) == ["main > <1> 900/900 1x!"]
    both = replace(one, opened=opened(queries).expanded_cycles)
    names = [node.split()[0] for node in nodes_of(queries, around(queries, "main", both))]
    assert names == ["main", "a"]  # b is called inside the cycle


def test_least_costs() -> None:
    """What costs less is left out, and what its calls cost is told at the nodes that are there."""
    queries = queries_from(SHARED)
    drawn = around(queries, "main", SubgraphLimits(min_node_share=0.5))
    assert nodes_of(queries, drawn) == [
        "main 500/500 10 0x!*",
        "work 400/800 150 2x!",
        "leaf 280/470 280 15x",
    ]
    # the call to leaf is below the least cost, but leaf has no other
    assert calls_of(queries, drawn) == ["main > work 400/400 2x!", "work > leaf 150/300 10x"]
    assert skipped_of(queries, drawn) == {"main": (0, 90), "work": (0, 100), "leaf": (130, 0)}
    assert (drawn.node_threshold, drawn.call_threshold, drawn.omitted_nodes) == (250, 250, 0)
    drawn = around(queries, "main", SubgraphLimits(min_node_share=0.5, min_call_share=0.3))
    assert (drawn.call_threshold, calls_of(queries, drawn)[2:]) == (75, ["main > leaf 90/90 1x!"])


def test_a_node_that_only_cheap_functions_led_to() -> None:
    """It is there without a call: one that cost nothing does not hold it."""
    queries = queries_from(
        """
        m 0 -> a 1x4, b 1x4, y 5x0
        a 0 -> y 1x4
        b 0 -> y 1x4
        y 8
        """
    )
    drawn = around(queries, "m", SubgraphLimits(min_node_share=0.6))
    assert nodes_of(queries, drawn) == ["m 8/8 0 0x!*", "y 8/8 8 2x!"]
    assert (calls_of(queries, drawn), drawn.omitted_incoming_cost.tolist()) == ([], [0, 8])
    assert "m > y 0/0 5x!" in calls_of(queries, around(queries, "m"))


def test_a_cost_that_is_just_enough() -> None:
    """A share is met by what is exactly that much, whatever the fractions of a float are."""
    queries = queries_from("main 86 -> f 1x7, g 1x6, h 1x1\nf 7\ng 6\nh 1")
    drawn = around(queries, "main", SubgraphLimits(min_node_share=0.07))
    assert (drawn.node_threshold, len(drawn.node)) == (7, 2)


def test_at_most_so_many_nodes() -> None:
    """Of too many the costliest are there, and it is said what was left out, and from where on."""
    calls = ", ".join(f"f{n} 1x{n}" for n in range(1, 10))
    lines = "\n".join(f"f{n} {n}" for n in range(1, 10))
    queries = queries_from(f"main 55 -> {calls}\n{lines}")
    drawn = around(queries, "main", replace(ALL, most_nodes=4))
    assert [node.split()[0] for node in nodes_of(queries, drawn)] == ["main", "f9", "f8", "f7"]
    assert (drawn.node_threshold, drawn.omitted_nodes, drawn.max_omitted_cost) == (7, 6, 6)
    assert skipped_of(queries, drawn) == {"main": (0, 21)}
    drawn = around(queries, "f1", replace(ALL, most_nodes=1))
    assert (nodes_of(queries, drawn), drawn.active) == (["f1 1/1 1 1x!*"], 0)


def test_at_most_so_many_calls() -> None:
    """Each node keeps its costliest call towards the active function, the rest goes by cost."""
    queries = queries_from(
        """
        main 0 -> a 1x500, b 1x490, c 1x10
        a 100 -> x 1x400
        b 100 -> x 1x390
        c 7 -> x 1x3
        x 793
        """
    )
    calls = ["main > a", "main > b", "a > x", "b > x", "main > c", "c > x"]
    for most, left, least in ((6, [], 0), (5, [5], 390), (4, [3, 5], 390), (0, range(6), 500)):
        drawn = around(queries, "main", replace(ALL, most_calls=most))
        found = [call.rpartition(" ")[0].rpartition(" ")[0] for call in calls_of(queries, drawn)]
        assert found == [call for number, call in enumerate(calls) if number not in left]
        assert (drawn.omitted_calls, drawn.call_threshold) == (6 - most, least)


def test_what_the_filter_hides() -> None:
    """Only what passes is there, and the active function; the calls of the others are skipped."""
    queries = queries_from(SHARED)
    passing = np.array([name in ("leaf", "other") for name in node_names(queries, CYCLES)])
    number, event = node_id(queries, "main"), event_named(queries, "Ir")
    drawn = drawn_around(number, queries, ALL, event, passing=passing)
    assert calls_of(queries, drawn) == ["main > leaf 90/90 1x!"]
    assert skipped_of(queries, drawn) == {"main": (0, 400), "leaf": (190, 0)}
    assert (len(drawn.node), drawn.filtered_nodes, around(queries, "main").filtered_nodes) == (
        2,
        2,
        0,
    )


# ---------------------------------------------------------------- odd profiles


def test_functions_without_calls() -> None:
    """Alone in a profile, or without cost, a function is all there is; it costs nothing or not."""
    assert nodes_of(queries_from("f 7"), around(queries_from("f 7"), "f")) == ["f 7/7 7 0x!*"]
    queries = queries_from("events: Ir Dr\nmain 5,0 -> f 3x7,0\nf 7,0 -> g 1x0,0\ng 0,0")
    for name, event in (("f", "Dr"), ("g", "Ir")):
        drawn = around(queries, name, SubgraphLimits(min_node_share=0.0), event)
        assert [node.split()[:2] for node in nodes_of(queries, drawn)] == [[name, "0/0"]]
        assert (len(drawn.caller), drawn.node_threshold, drawn.active) == (0, 0, 0)


def test_costs_below_zero() -> None:
    """An event may be a difference: of what is below 0 nothing is drawn, and nothing is skipped."""
    text = "events: Ir Dr\nmain 9,0 -> f 1x5,0, g 1x0,3\nf 5,0\ng 0,3"
    queries = queries_from(text, UserEvent("Gain", "", "Ir - Dr"), UserEvent("Loss", "", "Dr - Ir"))
    drawn = around(queries, "main", event="Gain")
    assert nodes_of(queries, drawn) == ["main 11/11 9 0x!*", "f 5/5 5 1x!"]
    assert (len(drawn.caller), skipped_of(queries, drawn)) == (1, {})
    drawn = around(queries, "main", event="Loss")
    assert (nodes_of(queries, drawn), len(drawn.caller)) == (["main -11/-11 -9 0x!*"], 0)


@pytest.mark.parametrize("factor", [1, 4])
def test_the_highest_costs(factor: int) -> None:
    """Costs at the border of 64 bits, and of a derived event beyond, are true to the last count."""
    cost, half = 2**62, 2**61
    text = f"main 1 -> f 1x{cost}\nf 3 -> g 2x{half}, h 1x{half - 3}\ng {half}\nh {half - 3}"
    queries = queries_from(text, UserEvent("Big", "", f"{factor} Ir"))
    drawn = around(queries, "main", event="Big")
    assert nodes_of(queries, drawn) == [
        f"main {factor * (cost + 1)}/{factor * (cost + 1)} {factor} 0x!*",
        f"f {factor * cost}/{factor * cost} {factor * 3} 1x!",
        f"g {factor * half}/{factor * half} {factor * half} 2x!",
        f"h {factor * (half - 3)}/{factor * (half - 3)} {factor * (half - 3)} 1x!",
    ]
    assert drawn.call_cost.tolist() == [factor * c for c in (cost, half, half - 3)]
    assert drawn.call_is_exact.all()


def test_high_costs_that_all_went_on() -> None:
    """What is proven is not rounded: here no float has the cost of the call from f to g."""
    cost = 2**60 + 1
    queries = queries_from(
        f"main 0 -> f 1x{cost}\nother 0 -> f 1x3\nf 0 -> g 2x{cost + 3}\ng {cost + 3}"
    )
    assert calls_of(queries, around(queries, "main")) == [
        f"main > f {cost}/{cost} 1x!",
        f"f > g {cost}/{cost + 3} 2x!",
    ]


def calls_of_main(costs: list[int]) -> ProfileQueries:
    """A main that costs nothing itself and calls so many functions."""
    calls = ", ".join(f"f{n} 1x{cost}" for n, cost in enumerate(costs))
    return queries_from(
        f"main 0 -> {calls}\n" + "\n".join(f"f{n} {c}" for n, c in enumerate(costs))
    )


def test_very_many_callees() -> None:
    """Of very many callees there are as many as are wanted; the others are told as a sum."""
    costs = [1_000_000] * 400 + [1000] * 11_600
    drawn = around(calls_of_main(costs), "main", SubgraphLimits(min_node_share=0.0))
    assert (len(drawn.node), len(drawn.caller), drawn.omitted_nodes) == (250, 249, 151)
    assert (drawn.max_omitted_cost, drawn.node_threshold) == (1_000_000, 1_000_000)
    assert drawn.omitted_outgoing_cost[drawn.active] == sum(costs) - 249_000_000
    # where none has a ten thousandth, the function is alone
    drawn = around(calls_of_main([1000] * 12_000), "main", SubgraphLimits(min_node_share=0.0))
    assert (len(drawn.node), drawn.omitted_outgoing_cost.tolist()) == (1, [12_000_000])


# ---------------------------------------------------------------- real profiles

PROFILES = {
    "templates": EXAMPLE,
    "python": DATA / "python/callgrind.out.python-default.xz",
    "recursion": DATA / "recur-everything/callgrind.out.21921.xz",
    "nytprof": DATA / "nytprof/callgrind.out.nytprof",
}
FAR = 10**6
EXTENTS = (
    SubgraphLimits(max_nodes=FAR, max_calls=FAR),
    SubgraphLimits(None, None, 0.01, 0.2, max_nodes=FAR, max_calls=FAR),
    SubgraphLimits(3, 2, 0.02, max_nodes=FAR, max_calls=FAR),
)


@cache
def real(name: str) -> tuple[ProfileQueries, ReferenceProfile, list[NodeKey]]:
    """The profile, the same in dictionaries, and the place of each entry."""
    path = PROFILES[name]
    text = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    queries = ProfileQueries(load(path))
    places: list[NodeKey] = list(function_rows(queries.profile))
    cycle = queries.costs(CYCLES).cycle
    for number in range(1, int(cycle.max(initial=0)) + 1):
        rows = np.flatnonzero(cycle[: queries.function_count] == number).tolist()
        places.append(frozenset(places[row] for row in rows))
    return queries, ReferenceProfile(read(text)), places


def some_entries(queries: ProfileQueries) -> list[int]:
    """Costly functions, less costly ones and, where there is one, a cycle with a member."""
    inclusive = queries.inclusive(queries.events.measured[0], CYCLES)
    ranked = np.argsort(-inclusive, kind="stable").tolist()
    of_cycle = queries.costs(CYCLES).cycle[ranked] == 1
    entries = [ranked[rank] for rank in (0, 20) if rank < len(ranked)]
    return entries + [ranked[row] for row in np.flatnonzero(of_cycle)[:2].tolist()]


def assert_same(wanted: dict[Any, float], got: dict[Any, float], least: float) -> None:
    """The same rows at the same costs, give or take what rounding does."""
    for key in wanted | got:
        if key in wanted and key in got:
            assert abs(wanted[key] - got[key]) <= 1, key
        else:
            assert abs(wanted.get(key, got.get(key, 0)) - least) <= 1, key


def assert_calls(drawn: Subgraph, plain: ReferenceSubgraph, entries: list[NodeKey]) -> None:
    """The calls at or above the least cost are there, and below it those that hold a node."""
    ends = [(entries[a], entries[b]) for a, b in zip(drawn.caller, drawn.callee, strict=True)]
    got = dict(zip(ends, drawn.call_cost.tolist(), strict=True))
    costs = {both: plain.calls[both].cost for both in got}
    between = {both: c for both, c in plain.calls.items() if set(both) <= set(entries)}
    wanted = {both: c.cost for both, c in between.items() if c.cost >= drawn.call_threshold}
    assert_same(
        wanted, {both: c for both, c in got.items() if both in wanted}, drawn.call_threshold
    )
    assert_same(costs, got, 0)
    for place in entries:
        to_it = {b: c.cost for b, c in between.items() if c.far(b) == place and not c.is_inner}
        there = [costs[both] for both in to_it if both in costs]
        cheap = [cost for cost in there if cost < drawn.call_threshold - 1]
        assert max(there, default=0) == pytest.approx(max(to_it.values(), default=0), abs=1)
        assert len(cheap) <= (len(there) == 1)
    exact = [plain.is_exact(plain.calls[both]) for both in ends]
    assert exact == drawn.call_is_exact.tolist()


def assert_skipped(drawn: Subgraph, plain: ReferenceSubgraph, entries: list[NodeKey]) -> None:
    """What is not drawn of the calls at each node; sums of what came from rounded costs."""
    ends = {(entries[a], entries[b]) for a, b in zip(drawn.caller, drawn.callee, strict=True)}
    for skipped, end in ((drawn.omitted_incoming_cost, 1), (drawn.omitted_outgoing_cost, 0)):
        wanted: dict[NodeKey, float] = dict.fromkeys(entries, 0.0)
        for both, call in plain.calls.items():
            if both not in ends and not call.is_inner and both[end] in wanted:
                wanted[both[end]] += call.cost
        assert skipped.tolist() == pytest.approx(list(wanted.values()), rel=1e-4, abs=2)


@pytest.mark.slow
@pytest.mark.parametrize("opened", [False, True], ids=["closed", "opened"])
@pytest.mark.parametrize("name", PROFILES)
def test_functions_of_real_profiles(name: str, opened: bool) -> None:
    """Nodes and calls, what they cost, what is proven and what is skipped are as worked out."""
    queries, profile, places = real(name)
    cycles = range(queries.function_count, len(places)) if opened else ()
    for active in some_entries(queries):
        plain = ReferenceSubgraph(profile, places[active], {places[cycle] for cycle in cycles})
        for extent in (replace(extent, opened=frozenset(cycles)) for extent in EXTENTS):
            drawn = drawn_around(active, queries, extent, queries.events.measured[0])
            entries = [places[number] for number in drawn.node.tolist()]
            costs = dict(zip(entries, drawn.cost.tolist(), strict=True))
            nodes = plain.nodes(extent, int(drawn.node_threshold), int(drawn.call_threshold))
            assert_same(nodes, costs, drawn.node_threshold)
            assert entries[drawn.active] in plain.starts
            assert [plain.is_node_exact(place) for place in entries] == drawn.is_exact.tolist()
            assert_calls(drawn, plain, entries)
            assert_skipped(drawn, plain, entries)
