"""The tables of calls: direct and transitive callers and callees, and the call stack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qcachegrind_py.analysis.calls.call_graph import CallStack
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.calls import NO_CALLERS, call_stack_table
from qcachegrind_py.present.figures import Counts, Figures
from qcachegrind_py.present.table import PerCallCells, Table
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import UserEvent
from tests.present.table_text import (
    OF_PARENT,
    PERCENT,
    bars,
    cell_tip,
    compared_query,
    direct,
    headings,
    node_named,
    row_named,
    rows_by,
    table_rows,
    transitive,
    written,
)
from tests.profile_text import THIN, event_named, queries_for, view_query

EXACT = "The cost is exact: it follows from the recorded calls."
ESTIMATED = "≈ is an estimate: only direct calls are recorded."
ABOUT = f"≈{THIN}"
ARROW = f"{THIN}→{THIN}"
MINUS = "\N{MINUS SIGN}"


def query_of(queries: ProfileQueries, name: str, **settings: Any) -> ViewQuery:
    """The query with a function or cycle active."""
    function = node_named(view_query(queries, **settings), name)
    return view_query(queries, function=function, **settings)


# ---------------------------------------------------------------- direct calls


DRAWING = """
    main@a.c@/bin/prog 10 -> fast 4x40, slow 1x50, running 0x7
    fast@b.c 40
    slow@c.c 50
    running 7
    """
ROUND = """
    main 1 -> a 2x55
    a 10 -> b 3x50, leaf 1x5
    b 20 -> a 1x25, leaf 1x20
    leaf 25
    """


def callees(folder: Path, drawing: str, **settings: Any) -> Table:
    """The callees of main."""
    return direct(query_of(queries_for(folder, drawing), "main", **settings))


def test_cost_cost_per_call_and_count(tmp_path: Path) -> None:
    """Each callee is a row; a call that had not returned is (active), and counts as one."""
    table = callees(tmp_path, DRAWING)

    assert headings(table) == ["Incl.", "Per call", "Calls", "Callee", "Location"]
    assert headings(NO_CALLERS, "name") == ["Caller"]
    assert table_rows(table) == [
        "50 | 50 | 1 | slow | c.c",
        "40 | 10 | 4 | fast | b.c",
        "7 | 7 | (active) | running | ???",
    ]


def test_percentages_of_the_caller(tmp_path: Path) -> None:
    """Of the active function, percentages and bars are shares of its inclusive cost."""
    queries = queries_for(tmp_path, "main 40 -> f 1x60\nf 30 -> g 1x15, h 1x15\ng 15\nh 15")
    table = direct(query_of(queries, "f", unit=OF_PARENT))

    assert table_rows(table, "cost", "name") == ["25.00 | g", "25.00 | h"]
    assert bars(table, "cost") == [0.25, 0.25]


def test_tip_has_full_names(tmp_path: Path) -> None:
    """The tip has the name, the full paths, and the costliest callers while they are there."""
    drawing = "main 0 -> vector<int> 1x1\nvector<int>@/src/b&c.h@/lib/x.so 1"
    query = query_of(queries_for(tmp_path, drawing), "main")
    table = direct(query)

    names = ("vector<int>", "File: /src/b&c.h", "Object: /lib/x.so")
    assert table.tip(0) == (*names, "Costliest callers: main")
    del query
    assert table.tip(0) == names


def test_second_event_has_two_columns_of_its_own(tmp_path: Path) -> None:
    """A second event has its own name beside the first, and percentages of its own total."""
    drawing = "events: Ir Dr\nmain 10,1 -> fast 4x40,9, slow 1x50,30\nfast 40,9\nslow 50,30"
    queries = queries_for(tmp_path, drawing)
    second = event_named(queries, "Dr")
    table = direct(query_of(queries, "main", unit=PERCENT, second_event=second))

    columns = ("cost", "per_call", "second_cost", "second_per_call", "count", "name")
    assert headings(table, *columns[:4]) == ["Incl. %", "Per call", "Dr incl. %", "Dr per call"]
    assert table_rows(table, *columns) == [
        "50.00 | 50 | 75.00 | 30 | 1 | slow",
        "40.00 | 10 | 22.50 | 2.3 | 4 | fast",
    ]
    rising = table_rows(table, "name", by="second_per_call", ascending=True)
    assert rising == ["fast", "slow"]


def test_calls_of_a_ratio_have_no_average(tmp_path: Path) -> None:
    """Ratios are no percentages, have no bar and no cost per call; a division by 0 is a dash."""
    drawing = "events: Dr Ir\nmain 1,1 -> f 2x3,4, g 1x5,0, h 4x9,4\nf 3,4\ng 5,0\nh 9,4"
    queries = queries_for(tmp_path, drawing)
    queries.set_user_events([UserEvent("Rate", "", "Dr / Ir")])
    rate = event_named(queries, "Rate")
    table = direct(query_of(queries, "main", event="Dr", unit=PERCENT, second_event=rate))

    rows = table_rows(table, "name", "second_cost", "second_per_call", by="second_cost")
    assert rows == ["h | 2.250 | –", "f | 0.7500 | –", "g | – | –"]
    assert headings(table, "second_cost") == ["Rate incl."]
    assert bars(table, "second_cost") == [0.0, 0.0, 0.0]


def test_calls_inside_a_cycle_have_a_word_for_a_cost(tmp_path: Path) -> None:
    """The cost of a call inside a cycle is part of the cycle's: a word replaces the number."""
    table = direct(query_of(queries_for(tmp_path, ROUND), "a <cycle 1>"))

    assert table_rows(table) == [
        "5 | 5 | 1 | leaf | ???",
        "(cycle) | (cycle) | 3 | b <cycle 1> | ???",
    ]


def test_cycle_calls_its_members_at_their_costs(tmp_path: Path) -> None:
    """A cycle's callers are functions outside, its callees its members with inclusive costs."""
    query = query_of(queries_for(tmp_path, ROUND), "<cycle 1>")
    above, below = direct(query, up=True), direct(query)

    assert table_rows(above) == ["55 | 27 | 2 | main | ???"]
    assert table_rows(below) == ["40 | – | – | b <cycle 1> | ???", "15 | – | – | a <cycle 1> | ???"]
    found = [below.node(row) for row in rows_by(below)]
    assert found == [node_named(query, f"{name} <cycle 1>") for name in "ba"]


def test_exported_calls_are_whole_numbers(tmp_path: Path) -> None:
    """Copied costs have no groups, percent signs or words: a call in a cycle costs 0, active is 0.

    Copied cells can be summed in a spreadsheet.
    """
    drawing = "main 1 -> a 2000x60000000, run 0x7\na 10 -> b 3x50\nb 20 -> a 1x25\nrun 7"
    queries = queries_for(tmp_path, drawing)
    table = direct(query_of(queries, "main", unit=PERCENT))
    inside = direct(query_of(queries, "a <cycle 1>", unit=PERCENT))

    assert written(table, "cost", "per_call", "count") == [[60000000, 30000, 2000], [7, 7, 0]]
    assert written(inside, "cost", "per_call", "count") == [[0, 0, 3]]


BASE = "main 10 -> a 1x30, old 1x5, same 4x8\na 10 -> leaf 2x20\nold 5\nleaf 20\nsame 8"
NEW = "main 11 -> a 1x34, fresh 1x9, same 4x8\na 10 -> leaf 3x24\nfresh 9\nleaf 24\nsame 8"


def test_changes_of_calls(tmp_path: Path) -> None:
    """Calls of both sides are listed, the largest change first, each with what a call costs now."""
    table = direct(compared_query(tmp_path, BASE, NEW))

    columns = ("cost", "base", "new", "growth", "per_call", "count", "name")
    assert headings(table, *columns[:4]) == ["Incl. ±", "Base", "New", "Growth"]
    assert table_rows(table, *columns) == [
        f"+9 |  | 9 | new | 9 | 0{ARROW}1 | fresh",
        f"{MINUS}5 | 5 |  | gone | – | 1{ARROW}0 | old",
        f"+4 | 30 | 34 | +13.33{THIN}% | 34 | 1 | a",
        " | 8 | 8 |  | 2 | 4 | same",
    ]
    assert bars(table, "cost") == pytest.approx([1, -5 / 9, 4 / 9, 0])
    marks = {name: table.mark(row_named(table, name)) for name in ("fresh", "old", "a")}
    assert marks == {"fresh": "new", "old": "gone", "a": ""}


def test_reasons_of_changed_calls(tmp_path: Path) -> None:
    """A change is split between the number of calls and the cost of each."""
    table = direct(compared_query(tmp_path, BASE, NEW, "a"))

    assert table_rows(table, "cost", "count", "why") == [f"+4 | 2{ARROW}3 | more, cheaper"]
    assert cell_tip(table, "why", 0) == (
        f"+9 by the number of calls (2{ARROW}3), {MINUS}5 by the cost per call"
    )


# ---------------------------------------------------------------- transitive calls


SHARED = """
    main@a.c@/bin/prog 10 -> a 2x60, b 1x130, d 1x7
    a 20 -> c 4x100
    b 10 -> a 6x60, d 3x60
    c@c.c@/lib/c.so 100
    d 67
    """


def reached(folder: Path, name: str, drawing: str = SHARED, **settings: Any) -> Table:
    """All callees of a function."""
    return transitive(query_of(queries_for(folder, drawing), name, **settings))


def test_all_callees(tmp_path: Path) -> None:
    """Only functions a single call away, and on no other path, are exact; others are marked.

    A self cost is exact if all cost of the function passed here.
    """
    table = reached(tmp_path, "main")

    assert headings(table) == ["Incl.", "Self", "Distance", "Calls", "Callee", "Location"]
    assert table_rows(table) == [
        "130 | 10 | 1 | 1 | b | ???",
        f"{ABOUT}120 | {ABOUT}20 | 1–2 | {ABOUT}8 | a | ???",
        f"{ABOUT}100 | {ABOUT}100 | 2–3 | {ABOUT}4 | c | c.so: c.c",
        f"{ABOUT}67 | {ABOUT}67 | 1–2 | {ABOUT}4 | d | ???",
    ]
    assert table_rows(table, "exact", by="inclusive") == ["yes", "no", "no", "no"]


def test_all_callers(tmp_path: Path) -> None:
    """Upwards, the costs are the parts of the function's cost that came through each caller."""
    table = transitive(query_of(queries_for(tmp_path, SHARED), "c"), up=True)

    assert headings(table, "name") == ["Caller"]
    assert sorted(table_rows(table, "inclusive", "distance", "count", "name")) == [
        "100 | 1 | 4 | a",
        f"{ABOUT}100 | 2–3 | {ABOUT}2 | main",
        f"{ABOUT}50 | 2 | {ABOUT}5 | b",
    ]


def test_self_cost_of_a_part_of_the_cost_is_an_estimate(tmp_path: Path) -> None:
    """If others call the function, too, its self cost on this path is shared in proportion."""
    table = reached(tmp_path, "b")

    assert table_rows(table, "inclusive", "self", "name") == [
        f"60 | {ABOUT}10 | a",
        f"60 | {ABOUT}60 | d",
        f"{ABOUT}50 | {ABOUT}50 | c",
    ]
    assert table_rows(table, "exact", by="inclusive") == ["cost only", "cost only", "no"]


def test_percentages_are_of_the_function(tmp_path: Path) -> None:
    """Percentages are of the active function's cost, and marked like other numbers."""
    table = reached(tmp_path, "b", unit=PERCENT)

    assert headings(table)[:2] == ["Incl. %", "Self %"]
    assert table_rows(table, "inclusive", "name") == ["46.15 | a", "46.15 | d", f"{ABOUT}38.46 | c"]
    assert bars(table, "inclusive") == [6 / 13, 6 / 13, 5 / 13]


def test_shortest_path_sorts_before_the_longest(tmp_path: Path) -> None:
    """A direct callee is near, however long its other paths are; ten calls are more than two."""
    drawing = "a 1 -> b 1x30, e 1x10\nb 5 -> c 1x25\nc 5 -> d 1x20\nd 5 -> e 1x15\ne 25"
    table = reached(tmp_path, "a", drawing)

    near = table_rows(table, "distance", "name", by="distance", ascending=True)
    assert near == ["1 | b", "1–4 | e", "2 | c", "3 | d"]
    lines = [f"f{n} 1 -> f{n + 1} 1x{12 - n}" for n in range(12)]
    table = reached(tmp_path, "f0", "\n".join([*lines, "f12 1"]))
    distances = table_rows(table, "distance", by="distance", ascending=True)
    assert distances == [str(n) for n in range(1, 13)]


def test_exported_estimates_have_no_marks(tmp_path: Path) -> None:
    """Copied costs and counts are whole numbers; a distance is what is seen, not its sort key."""
    table = reached(tmp_path, "b", unit=PERCENT)
    distances = written(reached(tmp_path, "main"), "distance")

    a, _, c = written(table, "inclusive", "self", "count")
    assert (a, c) == ([60, 10, 6], [50, 50, 2])
    assert distances == [[1], ["1–2"], ["2–3"], ["1–2"]]


def test_cycle_is_one_step_and_its_members_the_next(tmp_path: Path) -> None:
    """On a path through a cycle the cycle is one call, and its members the next."""
    table = reached(tmp_path, "main", ROUND)

    rows = table_rows(table, "inclusive", "distance", "name", by="distance", ascending=True)
    assert rows == [
        "55 | 1 | <cycle 1>",
        f"{ABOUT}40 | 2 | b <cycle 1>",
        f"{ABOUT}15 | 2 | a <cycle 1>",
        f"{ABOUT}25 | 3 | leaf",
    ]


def test_without_cycles_members_are_reached_directly(tmp_path: Path) -> None:
    """If cycles are not detected, there is no row of one."""
    table = reached(tmp_path, "main", ROUND, scope=Scope(cycles=False))

    assert sorted(table_rows(table, "name")) == ["a", "b", "leaf"]


def test_tip_says_what_is_an_estimate(tmp_path: Path) -> None:
    """The tip has full names, and tells whether the cost was recorded."""
    table = reached(tmp_path, "main")

    tips = [table.tip(row_named(table, name)) for name in ("b", "c")]
    assert tips == [("b", EXACT), ("c", "File: c.c", "Object: /lib/c.so", ESTIMATED)]


def test_changes_of_transitive_calls(tmp_path: Path) -> None:
    """Rows of both sides are listed; a change is an estimate unless both of its costs are exact."""
    table = transitive(compared_query(tmp_path, BASE, NEW))

    assert headings(table, "inclusive", "self") == ["Incl. ±", "Self ±"]
    assert table_rows(table, "inclusive", "base", "new", "count", "name") == [
        f"+9 |  | 9 | 0{ARROW}1 | fresh",
        f"{MINUS}5 | 5 |  | 1{ARROW}0 | old",
        "+4 | 30 | 34 | 1 | a",
        f"{ABOUT}+4 | {ABOUT}20 | {ABOUT}24 | {ABOUT}2{ARROW}3 | leaf",
        " | 8 | 8 | 4 | same",
    ]
    assert table.mark(row_named(table, "old")) == "gone"


# ---------------------------------------------------------------- the call stack


STACK = """
    events: Ir Dr
    main@a.c@/bin/prog 10,1000 -> <b>it</b> 2x60,6
    <b>it</b>@b.c@/lib/b.so 20,2 -> leaf 4000x40,4
    leaf 40,4
    """


def stack(queries: ProfileQueries, *names: str, **settings: Any) -> Table:
    """The path through these functions."""
    nodes = tuple(node_named(view_query(queries), name) for name in names)
    return call_stack_table(view_query(queries, stack=CallStack(nodes, 0), **settings))


PATH = ("main", "<b>it</b>", "leaf")


def test_path_is_listed_from_the_top(tmp_path: Path) -> None:
    """Each node has the cost and count of its calls from above; nobody called the first.

    A path has one order: no column sorts it. Tips have the names in full.
    """
    table = stack(queries_for(tmp_path, STACK), *PATH)

    assert headings(table) == ["Incl.", "Calls", "Function", "Location"]
    assert table_rows(table) == [
        "70 |  | main | prog: a.c",
        "60 | 2 | <b>it</b> | b.so: b.c",
        f"40 | 4{THIN}000 | leaf | ???",
    ]
    assert table.tip(1) == ("<b>it</b>", "File: b.c", "Object: /lib/b.so")
    assert table.is_in_order


def test_path_in_two_events(tmp_path: Path) -> None:
    """Both events are side by side, each as a percentage of its own total."""
    queries = queries_for(tmp_path, STACK)
    second = event_named(queries, "Dr")
    table = stack(queries, *PATH, unit=PERCENT, second_event=second)

    assert headings(table, "cost", "second_cost") == ["Incl. %", "Dr incl. %"]
    assert table_rows(table, "cost", "second_cost", "name") == [
        "100.00 | 100.00 | main",
        "85.71 | 0.60 | <b>it</b>",
        "57.14 | 0.40 | leaf",
    ]
    assert bars(table, "cost", by="cost") == [1.0, 6 / 7, 4 / 7]


def test_step_that_still_ran(tmp_path: Path) -> None:
    """A call that had not returned is (active)."""
    table = stack(queries_for(tmp_path, DRAWING), "main", "running")

    assert table_rows(table, "cost", "count", "name") == ["107 |  | main", "7 | (active) | running"]


def test_changes_along_a_path(tmp_path: Path) -> None:
    """In a comparison each step has the change of its calls, and both counts if they differ."""
    query = compared_query(tmp_path, BASE, NEW)
    nodes = tuple(node_named(query, name) for name in ("main", "a", "leaf"))
    table = call_stack_table(compared_query(tmp_path, BASE, NEW, stack=CallStack(nodes, 0)))

    assert table_rows(table, "cost", "base", "new", "count", "name") == [
        "+9 | 53 | 62 |  | main",
        "+4 | 30 | 34 | 1 | a",
        f"+4 | 20 | 24 | 2{ARROW}3 | leaf",
    ]
    assert bars(table, "cost", by="new") == pytest.approx([1, 4 / 9, 4 / 9])


def test_costs_per_call_of_estimates_are_marked() -> None:
    """A quotient is an estimate if the cost or the number of calls is one."""
    none, first = np.zeros(2, bool), np.array([True, False])
    costs, calls = np.array([10, 9]), np.array([2, 2])
    shown = [
        [
            PerCallCells(
                Figures(Unit("Ir", 100), costs, costs, is_estimate=of_cost),
                Counts(calls, calls, is_estimate=of_calls),
            ).text(row)
            for row in range(2)
        ]
        for of_cost, of_calls in ((none, none), (first, none), (none, first))
    ]
    assert shown == [["5", "4.5"], [f"{ABOUT}5", "4.5"], [f"{ABOUT}5", "4.5"]]


def test_small_costs_per_call_have_decimals(tmp_path: Path) -> None:
    """0.4 misses a call are not 0; whole numbers have none, and no cost is blank."""
    table = callees(tmp_path, "main 1 -> a 10x4, b 4x9, c 4x8, d 3x50, e 3x0, f 1000x1\na 5\nf 9")

    assert dict(zip("abcdef", column_by_name(table, "per_call"), strict=True)) == {
        "a": "0.40",
        "b": "2.3",
        "c": "2",
        "d": "16",
        "e": "",
        "f": "<0.01",
    }


def column_by_name(table: Table, key: str) -> list[str]:
    """The cells of a column, in the order of the names of the rows."""
    cells, names = table.column(key).cells, table.column("name").cells
    return [cells.text(row) for row in sorted(range(table.length), key=names.text)]


@pytest.mark.parametrize("up", [True, False], ids=["callers", "callees"])
def test_costs_above_that_of_the_function_have_a_sign(tmp_path: Path, up: bool) -> None:
    """Calls of a recursive function within itself cost more than the function: each is marked."""
    drawing = "main 1 -> f 1x20\nf 9 -> f 2x30, g 1x11\ng 11"
    table = direct(query_of(queries_for(tmp_path, drawing), "f"), up=up)
    cells = table.column("cost").cells
    found = {}
    for row in range(table.length):
        sign = cells.sign(row)
        why = [line for line in table.tip(row) if line.startswith("More than the function's own")]
        found[table.column("name").cells.text(row)] = sign and sign.text, len(why)

    assert found == ({"main": (None, 0)} if up else {"g": (None, 0)}) | {"f": ("↻", 1)}
