"""The call graph around a function: small profiles, real profiles, and runs with known costs."""

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

from qcachegrind_py.analysis.calls.subgraph import Subgraph, SubgraphLimits
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.events import EventType, UserEvent
from qcachegrind_py.profile.ids import NodeId
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
from tests.present.letters import lines
from tests.profile_rows import DATA, function_rows
from tests.profile_text import EXAMPLE

ALL = SubgraphLimits(caller_depth=None, min_node_share=0.0, min_call_share=0.0)


def build_around(
    number: int,
    queries: ProfileQueries,
    limits: SubgraphLimits,
    event: EventType,
    scope: Scope = CYCLES,
    passing: BoolArray | None = None,
) -> Subgraph:
    """The subgraph around a node."""
    return queries.subgraph(NodeId(number), event, [scope], limits, passing)


def subgraph_of(
    queries: ProfileQueries,
    name: str,
    limits: SubgraphLimits = ALL,
    event: str = "Ir",
    scope: Scope = CYCLES,
) -> Subgraph:
    """The subgraph around a function, by default without limits."""
    number = node_id(queries, name, scope)
    return build_around(number, queries, limits, event_named(queries, event), scope)


def nodes_of(queries: ProfileQueries, subgraph: Subgraph, scope: Scope = CYCLES) -> list[str]:
    """A line per node: name, cost/recorded cost, self cost, count; marks: ! exact, * active."""
    names = node_names(queries, scope)
    columns = (
        subgraph.node,
        subgraph.cost,
        subgraph.recorded_cost,
        subgraph.self_cost,
        subgraph.count,
        subgraph.is_exact,
    )
    rows = zip(*(column.tolist() for column in columns), subgraph.cluster.tolist(), strict=True)
    return [
        f"{names[number]} {cost}/{whole} {self_} {count}x{'!' * exact}"
        + "*" * (row == subgraph.active)
        + (f" in {names[cluster]}" if cluster >= 0 else "")
        for row, (number, cost, whole, self_, count, exact, cluster) in enumerate(rows)
    ]


def calls_of(queries: ProfileQueries, subgraph: Subgraph, scope: Scope = CYCLES) -> list[str]:
    """A line per call: its ends, cost/recorded cost, count; marks: ! exact, ( inside a cycle."""
    names = node_names(queries, scope)
    columns = (subgraph.call_cost, subgraph.recorded_call_cost, subgraph.call_count)
    marks = (subgraph.call_is_exact, subgraph.is_inner)
    rows = zip(*(column.tolist() for column in (*columns, *marks)), strict=True)
    ends = zip(
        subgraph.node[subgraph.caller].tolist(),
        subgraph.node[subgraph.callee].tolist(),
        strict=True,
    )
    return [
        f"{names[a]} > {names[b]} {cost}/{whole} {count}x{'!' * exact}{'(' * inner}"
        for (a, b), (cost, whole, count, exact, inner) in zip(ends, rows, strict=True)
    ]


def omitted_of(queries: ProfileQueries, subgraph: Subgraph) -> dict[str, tuple[int, int]]:
    """Omitted incoming and outgoing cost of each node that has any."""
    names = node_names(queries, CYCLES)
    rows = zip(
        subgraph.omitted_incoming_cost.tolist(),
        subgraph.omitted_outgoing_cost.tolist(),
        strict=True,
    )
    omitted = zip(subgraph.node.tolist(), rows, strict=True)
    return {names[number]: costs for number, costs in omitted if any(costs)}


def found(
    drawing: str | ProfileQueries, name: str, limits: SubgraphLimits = ALL, **where: Any
) -> tuple[ProfileQueries, Subgraph]:
    """The graph around a function; `opened` expands all cycles."""
    queries = queries_from(drawing) if isinstance(drawing, str) else drawing
    if where.pop("opened", False):
        limits = replace(limits, expanded_cycles=opened(queries).expanded_cycles)
    return queries, subgraph_of(queries, name, limits, **where)


def drawn(*of: Any, scope: Scope = CYCLES, **where: Any) -> str:
    """Nodes, calls and omitted costs around a function as lines."""
    queries, subgraph = found(*of, scope=scope, **where)
    omitted = [f"{node} omits {costs}" for node, costs in omitted_of(queries, subgraph).items()]
    nodes, calls = nodes_of(queries, subgraph, scope), calls_of(queries, subgraph, scope)
    return "\n".join([*nodes, *calls, *omitted])


def names_in(*of: Any, scope: Scope = CYCLES, **where: Any) -> str:
    """The names of the nodes, costliest first."""
    queries, subgraph = found(*of, scope=scope, **where)
    return " ".join(node.split()[0] for node in nodes_of(queries, subgraph, scope))


# main causes half of work's cost, other the rest
SHARED = """
    events: Ir Dr
    main 10,1 -> work 2x400,8, leaf 1x90,0
    other 20,2 -> work 6x400,2
    work 300,5 -> leaf 20x300,3, deep 4x200,2
    deep 120,1 -> leaf 8x80,1
    leaf 470,4
    """


def test_callees_with_their_calls() -> None:
    """Below the function, the share of a call is that of its caller."""
    assert drawn(SHARED, "main") == lines("""
        main 500/500 10 0x!*
        work 400/800 150 2x!
        leaf 280/470 280 15x
        deep 100/200 60 2x
        main > work 400/400 2x!
        work > leaf 150/300 10x
        work > deep 100/200 2x
        main > leaf 90/90 1x!
        deep > leaf 40/80 4x
        """)


def test_callers_with_their_calls() -> None:
    """Above the function, the share of a call is that of its callee."""
    assert drawn(SHARED, "leaf") == lines("""
        leaf 470/470 470 29x!*
        work 380/800 142 22x!
        main 280/500 6 2x
        other 190/420 9 3x
        deep 80/200 48 8x!
        work > leaf 300/300 20x!
        main > work 190/400 1x
        other > work 190/400 3x
        main > leaf 90/90 1x!
        work > deep 80/200 2x!
        deep > leaf 80/80 8x!
        """)


def test_both_sides_in_another_event() -> None:
    """The subgraph has callers and callees, with the costs of the requested event."""
    queries = queries_from(SHARED, UserEvent("Sum", "", "Ir + 10 Dr"))
    assert drawn(queries, "work", event="Sum").startswith(lines("""
        work 900/900 350 8x!*
        main 480/590 16 2x!
        leaf 420/510 420 28x!
        other 420/460 37 6x!
        """))  # fmt: skip


# ---------------------------------------------------------------- exactness


def test_a_chain_is_exact_at_any_distance() -> None:
    """Along a chain of single calls, all costs are exact."""
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
    assert drawn(queries, "main") == lines("""
        main 1000/1000 100 0x!*
        a 900/1200 0 1x!
        b 900/1200 0 5x!
        c 900/1200 525 5x!
        d 375/500 375 5x
        main > a 900/900 1x!
        a > b 900/1200 5x!
        b > c 900/1200 5x!
        c > d 375/500 5x
        """)
    assert drawn(queries, "d") == lines("""
        d 500/500 500 7x!*
        a 500/1200 0 3x!
        b 500/1200 0 3x!
        c 500/1200 292 7x!
        main 375/1000 38 0x
        other 125/350 18 0x
        a > b 500/1200 3x!
        b > c 500/1200 3x!
        c > d 500/500 7x!
        main > a 375/900 0x
        other > a 125/300 0x
        """)


def test_a_diamond_is_exact_where_both_ways_are() -> None:
    """A node is exact if all calls that lead to it are; one exact path of two is not enough."""
    main = "main 0 -> a 1x600, b 1x400\na 100 -> leaf 5x500"
    both = drawn(f"{main}\nb 100 -> leaf 3x300\nleaf 800", "main").splitlines()
    assert [line for line in both if "!" not in line] == []
    assert drawn(f"{main}\nb 250 -> leaf 3x450\nother 0 -> b 1x300\nleaf 950", "main") == lines("""
        main 1000/1000 0 0x!*
        leaf 757/950 757 7x
        a 600/600 100 1x!
        b 400/700 143 1x!
        main > a 600/600 1x!
        a > leaf 500/500 5x!
        main > b 400/400 1x!
        b > leaf 257/450 2x
        """)


@dataclass
class Run:
    """One run of a function, with the runs of its callees."""

    function: str
    self_cost: int
    called: list[Run]

    @property
    def cost(self) -> int:
        return self.self_cost + sum(run.cost for run in self.called)


def run_at_random(chance: random.Random) -> Run:
    """A random run of a program in which functions call later ones, f0 first."""
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
    """The run as profile text."""
    self_cost: dict[str, int] = defaultdict(int)
    calls: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))

    def add(run: Run) -> None:
        self_cost[run.function] += run.self_cost
        for called in run.called:
            call = calls[run.function][called.function]
            call[0], call[1] = call[0] + 1, call[1] + called.cost
            add(called)

    add(program)
    lines = []
    for function, cost in self_cost.items():
        parts = [f"{callee} {count}x{spent}" for callee, (count, spent) in calls[function].items()]
        lines.append(f"{function} {cost}" + (f" -> {', '.join(parts)}" if parts else ""))
    return "\n".join(lines)


def passed(program: Run, active: str) -> dict[str, int]:
    """The part of a function's cost that passed through other functions and `caller > callee`."""
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
def test_exact_costs_are_true() -> None:
    """A cost marked exact is true, whatever the program did; many estimates are not."""
    chance, exact_count, wrong = random.Random(3), 0, 0
    for _ in range(60):
        program = run_at_random(chance)
        queries = queries_from(recorded(program))
        for active in node_names(queries, CYCLES):
            truth, subgraph = passed(program, active), subgraph_of(queries, active)
            nodes = nodes_of(queries, subgraph)
            for line in [n for n in nodes if "*" not in n] + calls_of(queries, subgraph):
                what, _, numbers = line.partition("/")
                name, _, cost = what.rpartition(" ")
                exact_count += "!" in numbers
                wrong += truth[name] != int(cost)
                assert "!" not in numbers or truth[name] == int(cost), recorded(program)
    assert (exact_count > 400, wrong > 40) == (True, True)


def test_which_self_costs_and_counts_are_exact() -> None:
    """A self cost is exact if all cost passed; a count, if all calls that it counts are exact.

    An exact cost is not enough: half of the cost of work came from other.
    """
    queries = queries_from(SHARED)
    subgraph = subgraph_of(queries, "main")  # main work leaf deep
    assert subgraph.self_is_exact.tolist() == [True, False, False, False]
    assert subgraph.count_is_exact.tolist() == [True, True, False, False]
    assert subgraph.call_count_is_exact.tolist() == [True, False, False, True, False]
    subgraph = subgraph_of(queries, "leaf")  # leaf work main other deep
    assert subgraph.self_is_exact.tolist() == [True, False, False, False, False]
    assert subgraph.count_is_exact.tolist() == [True, False, False, False, True]
    assert subgraph.call_count_is_exact.tolist() == [True, False, False, True, False, True]


def test_a_call_without_cost_is_exact() -> None:
    """A recorded cost of 0 is exactly 0, whoever caused it."""
    text = drawn(
        """
        main 0 -> a 1x600, b 1x400
        other 0 -> a 1x100, b 1x300
        a 0 -> leaf 1x700
        b 700 -> leaf 5x0
        leaf 700
        """,
        "main",
    ).splitlines()
    assert (text[2], text[-1]) == ("leaf 600/700 600 4x!", "b > leaf 0/0 3x!")


# ---------------------------------------------------------------- cycles

# a and b are a cycle that was entered at a cost of 900 and calls leaf
CYCLE = """
    main 100 -> a 1x900
    a 100 -> b 2x600, leaf 1x200
    b 350 -> a 1x300, leaf 3x250
    leaf 450
    """


def opened(queries: ProfileQueries) -> SubgraphLimits:
    cycles = range(queries.function_count, len(node_names(queries, CYCLES)))
    return replace(ALL, expanded_cycles=frozenset(cycles))


def test_a_closed_cycle_has_its_members_calls() -> None:
    """The members are hidden: their calls to the outside become calls of the cycle."""
    calls = "main > <1> 900/900 1x!\n<1> > leaf 450/450 4x!"
    assert drawn(CYCLE, "main") == lines("""
        main 1000/1000 100 0x!*
        <1> 900/900 450 1x!
        leaf 450/450 450 4x!
        """) + f"\n{calls}"  # fmt: skip
    assert drawn(CYCLE, "leaf").endswith("\nmain > <1> 450/900 0x!\n<1> > leaf 450/450 4x!")
    active = drawn(CYCLE, "<1>")
    assert active.startswith("<1> 900/900 450 1x!*\n")
    assert active.endswith(calls)


def test_a_member_is_called_by_its_closed_cycle() -> None:
    """The other members of an active member's cycle are folded into the cycle, its only caller."""
    assert drawn(CYCLE, "b") == lines("""
        b 600/600 350 0x!*
        main 600/1000 60 1x!
        <1> 600/900 300 0x!
        leaf 250/450 250 3x!
        main > <1> 600/900 1x!
        <1> > b 600/600 0x!
        b > leaf 250/250 3x!
        """)
    member = drawn(CYCLE, "a")  # main calls it directly
    assert "main > <1> 300/900 0x!\n<1> > a 300/300 0x!" in member


def test_an_opened_cycle_is_its_members() -> None:
    """Members have their part of the cycle's cost, and calls inside the cycle are included."""
    members = lines("""
        main 1000/1000 100 0x!*
        b 600/600 350 0x! in <1>
        leaf 450/450 450 4x!
        a 300/300 100 0x! in <1>
        main > a 900/900 1x!
        """)
    inside = "a > b 600/600 2x!(\nb > a 300/300 1x!("
    outside = "b > leaf 250/250 3x!\na > leaf 200/200 1x!"
    assert drawn(CYCLE, "main", opened=True) == f"{members}\n{inside}\n{outside}"
    without = replace(ALL, include_inner_calls=False)
    assert drawn(CYCLE, "main", without, opened=True) == f"{members}\n{outside}"


def test_calls_inside_a_cycle_prove_nothing() -> None:
    """A call inside a cycle proves nothing, even if it cost as much as the whole cycle."""
    drawing = """
        main 0 -> a 2x600
        other 0 -> a 1x300
        a 100 -> b 3x900
        b 800 -> a 1x300
        """
    assert drawn(drawing, "main", opened=True).endswith(lines("""
        main > a 600/600 2x!
        a > b 600/900 2x(
        b > a 200/300 1x(
        """))  # fmt: skip


def test_a_member_that_costs_nothing() -> None:
    """For a member without remaining cost, the call that entered the cycle there is kept."""
    drawing = "main 0 -> a 1x900\na 0 -> b 2x900\nb 450 -> a 1x300, leaf 1x450\nleaf 450"
    assert drawn(drawing, "leaf", opened=True).splitlines()[1:5] == [
        "main 450/900 0 0x!",
        "b 450/900 225 1x in <1>",
        "a 0/0 0 0x! in <1>",
        "main > a 450/900 0x!",
    ]


# a, b and c are a cycle; main enters it by a, which costs little itself, as b calls the leaf
DOOR = """
    main 50 -> a 1x900, other 1x50
    other 0 -> b 1x40, c 1x10
    a 20 -> b 2x870
    b 10 -> a 1x300, c 1x20, leaf 3x900
    c 20 -> b 1x10
    leaf 900
    """


def test_the_entry_point_of_an_expanded_cycle() -> None:
    """A member entered by a costly call is kept, even if its own cost is below the threshold.

    This excludes c, which has cheap calls only, and entry points that are too many calls away,
    hidden by the filter, or beyond the maximal number of nodes.
    """
    queries = queries_from(DOOR)
    number, event = node_id(queries, "main"), event_named(queries, "Ir")
    least = SubgraphLimits(min_node_share=0.2, expanded_cycles=opened(queries).expanded_cycles)
    subgraph = subgraph_of(queries, "main", least)
    text = drawn(queries, "main", least)
    assert text.startswith(lines("""
        main 1000/1000 50 0x!*
        b 910/910 10 0x! in <1>
        leaf 900/900 900 3x!
        a 20/20 20 0x! in <1>
        """))  # fmt: skip
    calls = [line for line in text.splitlines() if " > " in line and "(" not in line]
    assert calls == ["main > a 900/900 1x!", "b > leaf 900/900 3x!"]
    assert (subgraph.node_threshold, subgraph.omitted_nodes, subgraph.filtered_nodes) == (200, 0, 0)
    for depth, is_there in ((None, True), (2, False)):
        above = drawn(queries, "leaf", replace(least, caller_depth=depth))
        assert ("main > a 853/900 1x" in above) == is_there
    few = subgraph_of(queries, "main", replace(least, max_nodes=2))
    assert [node.split()[0] for node in nodes_of(queries, few)] == ["main", "b"]
    assert (few.node_threshold, few.omitted_nodes, few.max_omitted_cost) == (910, 2, 900)
    passing = np.array([name == "main" for name in node_names(queries, CYCLES)])
    subgraph = build_around(number, queries, least, event, passing=passing)
    assert [node.split()[0] for node in nodes_of(queries, subgraph)] == ["main"]
    assert subgraph.filtered_nodes == 3


def test_an_opened_cycle_above() -> None:
    """A member has the cost it caused or its part of the cycle's: the true paths are unknown."""
    assert drawn(CYCLE, "leaf", opened=True) == lines("""
        leaf 450/450 450 4x!*
        main 450/1000 45 0x!
        b 300/600 175 3x in <1>
        a 200/300 67 1x in <1>
        main > a 450/900 0x!
        a > b 300/600 1x(
        b > leaf 250/250 3x!
        a > leaf 200/200 1x!
        b > a 150/300 0x(
        """)


def test_an_active_member_of_an_opened_cycle() -> None:
    """The other members have their part of its cost, and it is called by its real callers."""
    assert drawn(CYCLE, "a", opened=True).startswith(lines("""
        a 300/300 100 0x!* in <1>
        main 300/1000 30 0x!
        b 200/600 117 0x in <1>
        leaf 200/450 200 1x!
        main > a 300/900 0x!
        a > b 200/600 1x(
        a > leaf 200/200 1x!
        b > a 100/300 0x(
        """))  # fmt: skip


def test_an_active_cycle_that_is_opened() -> None:
    """An expanded active cycle is shown by its members, the costliest of which is active."""
    text = drawn(CYCLE, "<1>", opened=True)
    assert text.startswith(lines("""
        main 900/1000 90 1x!
        b 600/600 350 0x!* in <1>
        leaf 450/450 450 4x!
        a 300/300 100 0x! in <1>
        """))  # fmt: skip
    assert text.count(" > ") == 5
    assert names_in(CYCLE, "<1>", replace(ALL, max_nodes=1), opened=True) == "b"


def test_without_cycle_detection() -> None:
    """A call back is drawn; a call back to the active function counts as one from above."""
    drawing = "main 100 -> a 1x900\na 600 -> b 2x600\nb 150 -> a 1x300, c 3x150\nc 150"
    calls = [line for line in drawn(drawing, "a", scope=NO_CYCLES).splitlines() if " > " in line]
    assert [" ".join(call.split()[:3]) for call in calls] == ["main > a", "a > b", "b > a", "b > c"]
    for up, down, wanted in ((1, 0, "a b main"), (0, 1, "a b"), (None, None, "a b c main")):
        limits = replace(ALL, caller_depth=up, callee_depth=down)
        found = names_in(drawing, "a", limits, scope=NO_CYCLES)
        assert sorted(found.split()) == wanted.split()


def test_a_call_back_that_cost_more_than_its_share() -> None:
    """A call of the active function belongs to it, even if its callee led back at more cost."""
    drawing = "main 100 -> a 1x900\na 600 -> b 2x100\nb 50 -> a 1x300"
    assert "a > b 100/100 2x!" in drawn(drawing, "a", scope=NO_CYCLES)


def test_direct_recursion_is_no_edge() -> None:
    """Direct recursion is no edge, and does not count as omitted."""
    text = drawn("main 10 -> f 1x90\nf 60 -> f 7x500, g 1x30\ng 30", "f")
    assert text.endswith("\nmain > f 90/90 1x!\nf > g 30/30 1x!")


# ---------------------------------------------------------------- depth and limits


@pytest.mark.parametrize(
    ("up", "down", "wanted"),
    [
        (0, 0, "m omits (9, 9)"),
        (0, None, "m x y z, m omits (9, 0)"),
        (1, 1, "l m x, l omits (9, 0), x omits (0, 9)"),
        (2, 2, "k l m x y, y omits (0, 9)"),
        (None, 0, "k l m, m omits (0, 9)"),
    ],
)
def test_depth(up: int | None, down: int | None, wanted: str) -> None:
    """Callers and callees within the maximal number of calls are included; a call past y is one."""
    chain = "k 0 -> l 1x9\nl 0 -> m 1x9\nm 0 -> x 1x9\nx 0 -> y 1x9\ny 0 -> z 1x9\nz 9"
    limits = replace(ALL, caller_depth=up, callee_depth=down)
    omits = [line for line in drawn(chain, "m", limits).splitlines() if "omits" in line]
    names = " ".join(sorted(names_in(chain, "m", limits).split()))
    assert ", ".join([names, *sorted(omits)]).removeprefix("m, ") == wanted


def test_a_call_without_cost_shortens_no_distance() -> None:
    """Distances are counted along calls with cost."""
    drawing = "m 0 -> x 1x9, y 1x0\nx 0 -> y 1x9\ny 9"
    assert names_in(drawing, "m", replace(ALL, callee_depth=1)) == "m x"


def test_a_closed_cycle_is_one_call_away() -> None:
    """Distances are those of the drawn graph: members of a closed cycle are not counted."""
    one = replace(ALL, caller_depth=1, callee_depth=1)
    assert names_in(CYCLE, "leaf", one) == "leaf <1>"
    assert names_in(CYCLE, "main", one) == "main <1>"
    assert names_in(CYCLE, "main", one, opened=True) == "main a", "b is called inside the cycle"


def test_minimal_shares() -> None:
    """Cheaper nodes are omitted, and their calls count as omitted cost of the remaining nodes."""
    # the call to leaf is below the threshold, but leaf has no other
    assert drawn(SHARED, "main", SubgraphLimits(min_node_share=0.5)) == lines("""
        main 500/500 10 0x!*
        work 400/800 150 2x!
        leaf 280/470 280 15x
        main > work 400/400 2x!
        work > leaf 150/300 10x
        main omits (0, 90)
        work omits (0, 100)
        leaf omits (130, 0)
        """)
    for share, least in ((1.0, 250), (0.3, 75)):
        limits = SubgraphLimits(min_node_share=0.5, min_call_share=share)
        subgraph = subgraph_of(queries_from(SHARED), "main", limits)
        thresholds = subgraph.node_threshold, subgraph.call_threshold, subgraph.omitted_nodes
        assert thresholds == (250, least, 0)
        assert ("main > leaf 90/90 1x!" in drawn(SHARED, "main", limits)) == (least < 90)


def test_a_node_reached_only_by_cheap_functions() -> None:
    """It is kept without a call: a call without cost does not connect it."""
    drawing = """
        m 0 -> a 1x4, b 1x4, y 5x0
        a 0 -> y 1x4
        b 0 -> y 1x4
        y 8
        """
    few = drawn(drawing, "m", SubgraphLimits(min_node_share=0.6))
    assert few == "m 8/8 0 0x!*\ny 8/8 8 2x!\nm omits (0, 8)\ny omits (8, 0)"
    assert "m > y 0/0 5x!" in drawn(drawing, "m")


def test_a_cost_of_exactly_the_minimal_share() -> None:
    """A cost of exactly the minimal share passes, despite the rounding of floats."""
    queries = queries_from("main 86 -> f 1x7, g 1x6, h 1x1\nf 7\ng 6\nh 1")
    subgraph = subgraph_of(queries, "main", SubgraphLimits(min_node_share=0.07))
    assert (subgraph.node_threshold, len(subgraph.node)) == (7, 2)


def test_the_number_of_nodes_is_limited() -> None:
    """The costliest nodes are kept; the number of omitted ones and their threshold are reported."""
    calls = ", ".join(f"f{n} 1x{n}" for n in range(1, 10))
    lines = "\n".join(f"f{n} {n}" for n in range(1, 10))
    queries = queries_from(f"main 55 -> {calls}\n{lines}")
    subgraph = subgraph_of(queries, "main", replace(ALL, max_nodes=4))
    assert [node.split()[0] for node in nodes_of(queries, subgraph)] == ["main", "f9", "f8", "f7"]
    assert (subgraph.node_threshold, subgraph.omitted_nodes, subgraph.max_omitted_cost) == (7, 6, 6)
    assert omitted_of(queries, subgraph) == {"main": (0, 21)}
    subgraph = subgraph_of(queries, "f1", replace(ALL, max_nodes=1))
    assert (nodes_of(queries, subgraph), subgraph.active) == (["f1 1/1 1 1x!*"], 0)


def test_the_number_of_calls_is_limited() -> None:
    """Each node keeps its costliest call towards the active function; the rest goes by cost."""
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
        subgraph = subgraph_of(queries, "main", replace(ALL, max_calls=most))
        found = [call.rpartition(" ")[0].rpartition(" ")[0] for call in calls_of(queries, subgraph)]
        assert found == [call for number, call in enumerate(calls) if number not in left]
        assert (subgraph.omitted_calls, subgraph.call_threshold) == (6 - most, least)


def test_filtered_nodes() -> None:
    """Nodes that pass the filter are kept, and those between them and the active one."""
    queries = queries_from(SHARED)
    passing = np.array([name == "deep" for name in node_names(queries, CYCLES)])
    number, event = node_id(queries, "main"), event_named(queries, "Ir")
    subgraph = build_around(number, queries, ALL, event, passing=passing)
    assert calls_of(queries, subgraph) == ["main > work 400/400 2x!", "work > deep 100/200 2x"]
    assert omitted_of(queries, subgraph) == {"main": (0, 90), "work": (0, 150), "deep": (0, 40)}
    assert (
        len(subgraph.node),
        subgraph.filtered_nodes,
        subgraph_of(queries, "main").filtered_nodes,
    ) == (
        3,
        1,
        0,
    )


# ---------------------------------------------------------------- unusual profiles


def test_functions_without_calls() -> None:
    """A function alone in a profile, or without cost, is the only node, with or without cost."""
    assert nodes_of(queries_from("f 7"), subgraph_of(queries_from("f 7"), "f")) == ["f 7/7 7 0x!*"]
    queries = queries_from("events: Ir Dr\nmain 5,0 -> f 3x7,0\nf 7,0 -> g 1x0,0\ng 0,0")
    for name, event in (("f", "Dr"), ("g", "Ir")):
        subgraph = subgraph_of(queries, name, SubgraphLimits(min_node_share=0.0), event)
        assert [node.split()[:2] for node in nodes_of(queries, subgraph)] == [[name, "0/0"]]
        assert (len(subgraph.caller), subgraph.node_threshold, subgraph.active) == (0, 0, 0)


def test_costs_below_zero() -> None:
    """Nodes with negative cost are left out, and do not count as omitted."""
    text = "events: Ir Dr\nmain 9,0 -> f 1x5,0, g 1x0,3\nf 5,0\ng 0,3"
    queries = queries_from(text, UserEvent("Gain", "", "Ir - Dr"), UserEvent("Loss", "", "Dr - Ir"))
    subgraph = subgraph_of(queries, "main", event="Gain")
    assert nodes_of(queries, subgraph) == ["main 11/11 9 0x!*", "f 5/5 5 1x!"]
    assert (len(subgraph.caller), omitted_of(queries, subgraph)) == (1, {})
    subgraph = subgraph_of(queries, "main", event="Loss")
    assert (nodes_of(queries, subgraph), len(subgraph.caller)) == (["main -11/-11 -9 0x!*"], 0)


@pytest.mark.parametrize("factor", [1, 4])
def test_the_highest_costs(factor: int) -> None:
    """Costs near 64 bits, and costs of a derived event beyond, are exact."""
    cost, half = 2**62, 2**61
    text = f"main 1 -> f 1x{cost}\nf 3 -> g 2x{half}, h 1x{half - 3}\ng {half}\nh {half - 3}"
    queries = queries_from(text, UserEvent("Big", "", f"{factor} Ir"))
    subgraph = subgraph_of(queries, "main", event="Big")
    assert nodes_of(queries, subgraph) == [
        f"main {factor * (cost + 1)}/{factor * (cost + 1)} {factor} 0x!*",
        f"f {factor * cost}/{factor * cost} {factor * 3} 1x!",
        f"g {factor * half}/{factor * half} {factor * half} 2x!",
        f"h {factor * (half - 3)}/{factor * (half - 3)} {factor * (half - 3)} 1x!",
    ]
    assert subgraph.call_cost.tolist() == [factor * c for c in (cost, half, half - 3)]
    assert subgraph.call_is_exact.all()


def test_high_costs_are_exact() -> None:
    """Exact costs are not rounded: here no float has the cost of the call from f to g."""
    cost = 2**60 + 1
    queries = queries_from(
        f"main 0 -> f 1x{cost}\nother 0 -> f 1x3\nf 0 -> g 2x{cost + 3}\ng {cost + 3}"
    )
    assert calls_of(queries, subgraph_of(queries, "main")) == [
        f"main > f {cost}/{cost} 1x!",
        f"f > g {cost}/{cost + 3} 2x!",
    ]


def calls_of_main(costs: list[int]) -> ProfileQueries:
    """A main without self cost that calls one function per cost."""
    calls = ", ".join(f"f{n} 1x{cost}" for n, cost in enumerate(costs))
    return queries_from(
        f"main 0 -> {calls}\n" + "\n".join(f"f{n} {c}" for n, c in enumerate(costs))
    )


def test_very_many_callees() -> None:
    """Of very many callees the maximal number is kept; the others are summed."""
    costs = [1_000_000] * 400 + [1000] * 11_600
    subgraph = subgraph_of(calls_of_main(costs), "main", SubgraphLimits(min_node_share=0.0))
    assert (len(subgraph.node), len(subgraph.caller), subgraph.omitted_nodes) == (250, 249, 151)
    assert (subgraph.max_omitted_cost, subgraph.node_threshold) == (1_000_000, 1_000_000)
    assert subgraph.omitted_outgoing_cost[subgraph.active] == sum(costs) - 249_000_000
    # if none reaches a ten thousandth, the function is alone
    subgraph = subgraph_of(
        calls_of_main([1000] * 12_000), "main", SubgraphLimits(min_node_share=0.0)
    )
    assert (len(subgraph.node), subgraph.omitted_outgoing_cost.tolist()) == (1, [12_000_000])


# ---------------------------------------------------------------- real profiles

PROFILES = {
    "templates": EXAMPLE,
    "python": DATA / "python/callgrind.out.python-default.xz",
    "recursion": DATA / "recur-everything/callgrind.out.21921.xz",
    "nytprof": DATA / "nytprof/callgrind.out.nytprof",
}
FAR = 10**6
LIMITS = (
    SubgraphLimits(max_nodes=FAR, max_calls=FAR),
    SubgraphLimits(None, None, 0.01, 0.2, max_nodes=FAR, max_calls=FAR),
    SubgraphLimits(3, 2, 0.02, max_nodes=FAR, max_calls=FAR),
)


@cache
def real(name: str) -> tuple[ProfileQueries, ReferenceProfile, list[NodeKey]]:
    """A profile's queries, its reference computation, and the key of each node."""
    path = PROFILES[name]
    text = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    queries = ProfileQueries(load(path))
    keys: list[NodeKey] = list(function_rows(queries.profile))
    cycle = queries.costs(CYCLES).cycle
    for number in range(1, int(cycle.max(initial=0)) + 1):
        rows = np.flatnonzero(cycle[: queries.function_count] == number).tolist()
        keys.append(frozenset(keys[row] for row in rows))
    return queries, ReferenceProfile(read(text)), keys


def some_nodes(queries: ProfileQueries) -> list[int]:
    """Costly functions, cheaper ones, and a cycle with a member if there is one."""
    inclusive = queries.inclusive(queries.events.measured[0], CYCLES)
    ranked = np.argsort(-inclusive, kind="stable").tolist()
    of_cycle = queries.costs(CYCLES).cycle[ranked] == 1
    costly = [ranked[rank] for rank in (0, 20) if rank < len(ranked)]
    return costly + [ranked[row] for row in np.flatnonzero(of_cycle)[:2].tolist()]


def assert_same(wanted: dict[Any, float], got: dict[Any, float], least: float) -> None:
    """Both have the same keys and, apart from rounding, costs; rows at the threshold may differ."""
    for key in wanted | got:
        if key in wanted and key in got:
            assert abs(wanted[key] - got[key]) <= 1, key
        else:
            assert abs(wanted.get(key, got.get(key, 0)) - least) <= 1, key


def assert_calls(subgraph: Subgraph, plain: ReferenceSubgraph, node_keys: list[NodeKey]) -> None:
    """All calls above the threshold are present, and cheaper ones only to connect a node."""
    ends = [
        (node_keys[a], node_keys[b]) for a, b in zip(subgraph.caller, subgraph.callee, strict=True)
    ]
    got = dict(zip(ends, subgraph.call_cost.tolist(), strict=True))
    costs = {both: plain.calls[both].cost for both in got}
    between = {both: c for both, c in plain.calls.items() if set(both) <= set(node_keys)}
    wanted = {both: c.cost for both, c in between.items() if c.cost >= subgraph.call_threshold}
    assert_same(
        wanted, {both: c for both, c in got.items() if both in wanted}, subgraph.call_threshold
    )
    assert_same(costs, got, 0)
    for key in node_keys:
        to_it = {b: c.cost for b, c in between.items() if c.far(b) == key and not c.is_inner}
        there = [costs[both] for both in to_it if both in costs]
        cheap = [cost for cost in there if cost < subgraph.call_threshold - 1]
        assert max(there, default=0) == pytest.approx(max(to_it.values(), default=0), abs=1)
        assert len(cheap) <= (len(there) == 1)
    exact = [plain.is_exact(plain.calls[both]) for both in ends]
    assert exact == subgraph.call_is_exact.tolist()


def assert_skipped(subgraph: Subgraph, plain: ReferenceSubgraph, node_keys: list[NodeKey]) -> None:
    """Omitted costs of each node; the reference is a sum of rounded costs."""
    ends = {
        (node_keys[a], node_keys[b]) for a, b in zip(subgraph.caller, subgraph.callee, strict=True)
    }
    for skipped, end in ((subgraph.omitted_incoming_cost, 1), (subgraph.omitted_outgoing_cost, 0)):
        wanted: dict[NodeKey, float] = dict.fromkeys(node_keys, 0.0)
        for both, call in plain.calls.items():
            if both not in ends and not call.is_inner and both[end] in wanted:
                wanted[both[end]] += call.cost
        assert skipped.tolist() == pytest.approx(list(wanted.values()), rel=1e-4, abs=2)


@pytest.mark.slow
@pytest.mark.parametrize("opened", [False, True], ids=["closed", "opened"])
@pytest.mark.parametrize("name", PROFILES)
def test_functions_of_real_profiles(name: str, opened: bool) -> None:
    """Nodes, calls, costs, exactness and omitted costs are those of the reference computation."""
    queries, profile, keys = real(name)
    cycles = range(queries.function_count, len(keys)) if opened else ()
    for active in some_nodes(queries):
        plain = ReferenceSubgraph(profile, keys[active], {keys[cycle] for cycle in cycles})
        for limits in (replace(limits, expanded_cycles=frozenset(cycles)) for limits in LIMITS):
            subgraph = build_around(active, queries, limits, queries.events.measured[0])
            node_keys = [keys[number] for number in subgraph.node.tolist()]
            costs = dict(zip(node_keys, subgraph.cost.tolist(), strict=True))
            nodes = plain.nodes(limits, int(subgraph.node_threshold), int(subgraph.call_threshold))
            assert_same(nodes, costs, subgraph.node_threshold)
            assert node_keys[subgraph.active] in plain.starts
            assert [plain.is_node_exact(key) for key in node_keys] == subgraph.is_exact.tolist()
            assert_calls(subgraph, plain, node_keys)
            assert_skipped(subgraph, plain, node_keys)
