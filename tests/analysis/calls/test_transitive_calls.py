"""Transitive callers and callees, against a walk along every path."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import pytest

from qcachegrind_py.analysis.calls.cost_flow import TransitiveCalls
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import UserEvent
from tests.analysis.named_queries import (
    CYCLES,
    NO_CYCLES,
    event_named,
    names_of,
    node_id,
    queries_from,
)

Row = tuple[str, int, int, int, str]


def rows_of(queries: ProfileQueries, calls: TransitiveCalls, scope: Scope = CYCLES) -> list[Row]:
    """Name, cost, self cost, count and distance, with marks: = whole cost, ! exact."""
    costs = (calls.cost, calls.self_cost, calls.count)
    columns = (*costs, calls.min_distance, calls.max_distance, calls.is_complete, calls.is_exact)
    lists = (column.tolist() for column in columns)
    return [
        (name, cost, self_costs, count, f"{near}-{far}{'=' * is_all}{'!' * is_exact}")
        for name, cost, self_costs, count, near, far, is_all, is_exact in zip(
            names_of(queries, calls.node.tolist(), scope), *lists, strict=True
        )
    ]


def callees(
    queries: ProfileQueries, name: str, scope: Scope = CYCLES, event: str = "Ir"
) -> list[Row]:
    number = node_id(queries, name, scope)
    return rows_of(
        queries, queries.transitive_callees(number, event_named(queries, event), scope), scope
    )


def callers(
    queries: ProfileQueries, name: str, scope: Scope = CYCLES, event: str = "Ir"
) -> list[Row]:
    number = node_id(queries, name, scope)
    return rows_of(
        queries, queries.transitive_callers(number, event_named(queries, event), scope), scope
    )


# main causes half of work's cost, other the rest
SHARED = """
    events: Ir Dr
    main 10,1 -> work 2x400,8, leaf 1x90,0
    other 20,2 -> work 6x400,2
    work 300,5 -> leaf 20x300,3, deep 4x200,2
    deep 120,1 -> leaf 8x80,1
    leaf 470,4
    """


def test_transitive_callees() -> None:
    """Callees get the share of their cost that the paths from the function account for."""
    assert callees(queries_from(SHARED), "main") == [
        ("work", 400, 150, 2, "1-1!"),
        ("leaf", 280, 280, 15, "1-3"),
        ("deep", 100, 60, 2, "2-2"),
    ]
    assert callees(queries_from(SHARED), "work") == [
        ("leaf", 380, 380, 28, "1-2"),
        ("deep", 200, 120, 4, "1-1=!"),
    ]
    assert callees(queries_from(SHARED), "leaf") == []


def test_transitive_callers() -> None:
    """Callers get the part of the function's cost that passed through them."""
    assert callers(queries_from(SHARED), "leaf") == [
        ("work", 380, 142, 22, "1-2"),
        ("main", 280, 6, 2, "1-3"),
        ("other", 190, 9, 3, "2-3"),
        ("deep", 80, 48, 8, "1-1!"),
    ]


def test_in_another_event() -> None:
    """Shares follow the costs of the requested event, measured or derived."""
    queries = queries_from(SHARED, UserEvent("Sum", "", "Ir + 10 Dr"))
    assert callees(queries, "main", event="Dr") == [
        ("work", 8, 4, 2, "1-1!"),
        ("leaf", 3, 3, 22, "2-3"),
        ("deep", 2, 1, 3, "2-2"),
    ]
    assert callees(queries, "work", event="Sum") == [
        ("leaf", 420, 420, 28, "1-2"),
        ("deep", 220, 130, 4, "1-1=!"),
    ]


def test_a_single_call_is_exact() -> None:
    """A row of a single call has its exact cost and count, beyond the precision of a float."""
    big = 2**60 + 1
    queries = queries_from(f"main 3 -> f {2**59 + 1}x{big}, g 1x1\nf {big}\ng 1")
    assert callees(queries, "main") == [("f", big, big, 2**59 + 1, "1-1=!")]
    assert callers(queries, "f") == [("main", big, 3, 2**59 + 1, "1-1!")]


def test_less_than_a_ten_thousandth_is_not_traced() -> None:
    """At least 0.01 % of the function's cost is traced; less is left out, with all behind it."""
    queries = queries_from(
        """
        main 0 -> a 1x10000, b 1x9999, big 1x99980001
        a 0 -> a2 1x10000
        b 0 -> b2 1x9999
        a2 10000
        b2 9999
        big 99980001
        """
    )
    assert [row[0] for row in callees(queries, "main")] == ["big", "a", "a2"]
    assert [row[0] for row in callees(queries, "b")] == ["b2"]


def test_an_omitted_path_counts_no_calls() -> None:
    """The calls of a path too cheap to be traced are not counted either."""
    queries = queries_from(
        """
        main 0 -> a 1x999800, c 1x200
        a 499800 -> b 1x500000
        c 50 -> d 1x150
        d 145 -> b 1000x5
        b 500005
        """
    )
    assert callees(queries, "main")[:2] == [
        ("a", 999800, 499800, 1, "1-1=!"),
        ("b", 500000, 500000, 1, "2-2"),
    ]


def test_calls_without_cost_lead_nowhere() -> None:
    """Calls without cost are not listed, and a function without cost leads nowhere."""
    queries = queries_from("events: Ir Dr\nmain 5,0 -> f 3x7,0, g 2x0,0\nf 7,0\ng 0,0")
    assert [row[0] for row in callees(queries, "main")] == ["f"]
    assert (callees(queries, "main", event="Dr"), callers(queries, "g")) == ([], [])


def test_negative_costs_lead_nowhere() -> None:
    """An event may be a difference: shares of negative costs are undefined."""
    queries = queries_from(
        "events: Ir Dr\nmain 5,9 -> f 3x7,9\nf 7,9", UserEvent("Gain", "", "Ir - 2 Dr")
    )
    assert callees(queries, "main", event="Gain") == []


def test_costs_beyond_64_bits() -> None:
    """Costs of a derived event beyond 64 bits are shared out like others."""
    cost = 2**62
    queries = queries_from(
        f"main 0 -> f 1x{cost}\nf 0 -> g 2x{cost}\ng {cost}", UserEvent("Big", "", "4 Ir")
    )
    assert callees(queries, "main", event="Big") == [
        ("f", 4 * cost, 0, 1, "1-1=!"),
        ("g", 4 * cost, 4 * cost, 2, "2-2="),
    ]


def test_costs_that_just_fit_64_bits() -> None:
    """The highest possible costs survive several calls; the self cost never exceeds them."""
    cost = 2**63 - 1
    queries = queries_from(f"main 0 -> f 1x{cost}\nf 0 -> g 2x{cost}\ng {cost}")
    assert callees(queries, "main") == [("f", cost, 0, 1, "1-1=!"), ("g", cost, cost, 2, "2-2=")]


def test_self_costs_beyond_64_bits_that_calls_do_not_have() -> None:
    """A function may have a higher self cost than its calls cost: both are shown."""
    queries = queries_from(f"main 0 -> f 1x5\nf {2**62}", UserEvent("Big", "", "4 Ir"))
    assert callees(queries, "main", event="Big") == [("f", 20, 2**64, 1, "1-1=!")]


def test_a_long_chain() -> None:
    """However many calls lead to a function, it is listed, at the distance of as many calls."""
    length = 3000
    functions = (f"f{i} 1 -> f{i + 1} 1x{length - i - 1}" for i in range(length - 1))
    queries = queries_from("\n".join(functions))
    assert callees(queries, "f0") == [
        (f"f{i}", length - i, 1 if i < length - 1 else 0, 1, f"{i}-{i}" + ("=!" if i == 1 else "="))
        for i in range(1, length)
    ]


# ---------------------------------------------------------------- cycles

# a and b are a cycle that was entered at a cost of 900 and calls leaf
CYCLE = """
    main 100 -> a 1x900
    a 100 -> b 2x600, leaf 1x200
    b 350 -> a 1x300, leaf 3x250
    leaf 450
    """


def test_paths_through_a_cycle() -> None:
    """A cycle is one step, each member one more; calls inside the cycle lead nowhere."""
    queries = queries_from(CYCLE)
    assert callees(queries, "main") == [
        ("<1>", 900, 450, 1, "1-1=!"),
        ("b", 600, 350, 0, "2-2="),
        ("leaf", 450, 450, 4, "3-3="),
        ("a", 300, 100, 0, "2-2="),
    ]
    assert callees(queries, "a") == [("leaf", 200, 200, 1, "1-1!")]
    assert callers(queries, "b") == [
        ("<1>", 600, 300, 0, "1-1!"),
        ("main", 600, 60, 1, "2-2"),
    ]
    assert callees(queries, "<1>") == [
        ("b", 600, 350, 0, "1-1=!"),
        ("leaf", 450, 450, 4, "2-2="),
        ("a", 300, 100, 0, "1-1=!"),
    ]


def test_cyclic_paths_without_cycle_detection() -> None:
    """Each round passes on a smaller share, until it is too small; no cost exceeds the whole."""
    ring = """
        main 100 -> a 1x900
        a 600 -> b 2x600
        b 150 -> a 1x300, c 3x150
        c 150
        """
    queries = queries_from(ring)
    # a got 900 and a quarter again each time round, which is more than main has
    assert callees(queries, "main", NO_CYCLES) == [
        ("a", 1000, 500, 2, "1-13"),
        ("b", 600, 150, 2, "2-14"),  # and a little more over longer paths
        ("c", 150, 150, 3, "3-13"),
    ]
    # back at the function itself, the path ends
    assert callees(queries, "a", NO_CYCLES) == [
        ("b", 600, 150, 2, "1-1=!"),
        ("c", 150, 150, 3, "2-2="),
    ]


def test_lossless_cyclic_paths_end() -> None:
    """A ring of calls that loses almost nothing per round is left after 199 calls."""
    queries = queries_from("main 0 -> a 1x100\na 0 -> b 1x1000000\nb 100 -> a 1x1000000")
    wanted = [("a", 100, "1-199"), ("b", 100, "2-198")]
    found = [(row[0], row[1], row[4]) for row in callees(queries, "main", NO_CYCLES)]
    assert sorted(found) == wanted


def test_direct_recursion_leads_nowhere() -> None:
    """Direct recursion adds no path to a function."""
    queries = queries_from("main 10 -> f 1x90\nf 60 -> f 7x500, g 1x30\ng 30")
    assert callees(queries, "main") == [
        ("f", 90, 60, 1, "1-1=!"),
        ("g", 30, 30, 1, "2-2="),
    ]
    assert callers(queries, "f") == [("main", 90, 9, 1, "1-1!")]


# ---------------------------------------------------------------- any profile without cycles


@dataclass
class Call:
    caller: int
    callee: int
    count: int
    cost: int


def random_profile(chance: random.Random) -> tuple[str, list[Call], list[int], list[int]]:
    """A random profile in which f0 calls later functions: text, calls, self and inclusive costs."""
    functions = chance.randrange(2, 7)
    calls: list[Call] = []
    self_costs, inclusive = [0] * functions, [0] * functions
    for caller in range(functions):
        received = sum(call.cost for call in calls if call.callee == caller)
        left = inclusive[caller] = received or chance.randrange(1000, 100_000)
        for callee in range(caller + 1, functions):
            cost = chance.randrange(0, left + 1)
            if chance.random() < 0.6 and cost:
                calls.append(Call(caller, callee, chance.randrange(1, 50), cost))
                left -= cost
        self_costs[caller] = left
    lines = []
    for caller in range(functions):
        parts = [f"f{c.callee} {c.count}x{c.cost}" for c in calls if c.caller == caller]
        lines.append(
            f"f{caller} {self_costs[caller]}" + (f" -> {', '.join(parts)}" if parts else "")
        )
    return "\n".join(lines), calls, self_costs, inclusive


def paths(function: int, onward: Callable[[int], list[tuple[Call, int]]]) -> Iterator[list[Call]]:
    """Every path from the function, one after the other."""
    for call, other in onward(function):
        yield [call]
        for rest in paths(other, onward):
            yield [call, *rest]


def walked(
    function: int, calls: list[Call], inclusive: list[int], *, up: bool
) -> tuple[dict[int, tuple[Fraction, Fraction, int, int]], Fraction]:
    """Cost, count, minimal and maximal distance of each reached function; the least path share."""

    def onward(at: int) -> list[tuple[Call, int]]:
        if up:
            return [(call, call.caller) for call in calls if call.callee == at]
        return [(call, call.callee) for call in calls if call.caller == at]

    found: dict[int, tuple[Fraction, Fraction, int, int]] = {}
    least = Fraction(1)
    for path in paths(function, onward):
        share, at, counted = Fraction(inclusive[function]), function, Fraction(0)
        for call in path:
            counted = share * call.count / inclusive[at]
            share = share * call.cost / inclusive[at]
            at = call.caller if up else call.callee
        cost, count, near, far = found.get(at, (Fraction(0), Fraction(0), 99, 0))
        found[at] = cost + share, count + counted, min(near, len(path)), max(far, len(path))
        least = min(least, share / inclusive[function])
    return found, least


def is_rounded(whole: int, exact: Fraction) -> bool:
    return abs(whole - exact) <= Fraction(1, 2) + Fraction(1, 10**6)


@pytest.mark.slow
@pytest.mark.parametrize("up", [False, True], ids=["callees", "callers"])
def test_any_profile_by_a_walk_along_every_path(up: bool) -> None:
    """Costs and counts are sums over all paths, distances the shortest and longest path.

    Profiles with a path too cheap to be traced to its end are skipped.
    """
    chance, compared, several = random.Random(11), 0, 0
    for _ in range(60):
        text, calls, self_costs, inclusive = random_profile(chance)
        queries = queries_from(text)
        event = event_named(queries, "Ir")
        numbers = {f: node_id(queries, f"f{f}") for f in range(len(self_costs))}
        for function, number in numbers.items():
            wanted, least = walked(function, calls, inclusive, up=up)
            if least < Fraction(1, 10_000):
                continue
            ask_for = queries.transitive_callers if up else queries.transitive_callees
            got = ask_for(number, event, CYCLES)
            assert {numbers[f] for f in wanted} == set(got.node.tolist()), text
            assert sorted(got.cost.tolist(), reverse=True) == got.cost.tolist()
            for f, (cost, count, near, far) in wanted.items():
                row = got.node.tolist().index(numbers[f])
                assert is_rounded(int(got.cost[row]), cost), text
                assert is_rounded(int(got.count[row]), count), text
                share = Fraction(int(got.cost[row])) * self_costs[f] / inclusive[f]
                assert is_rounded(int(got.self_cost[row]), share), text
                assert (near, far) == (got.min_distance[row], got.max_distance[row]), text
                assert bool(got.is_exact[row]) == (far == 1)
                assert bool(got.is_complete[row]) == (cost == inclusive[f])
                several += far > near
            compared += len(wanted) > 1
    assert (compared > 40, several > 20) == (True, True)
