"""The call graph as boxes, arrows and tables: costs, counts, marks and tips, alone and compared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.present.call_graph import (
    CallGraph,
    call_graph,
    call_table,
    node_table,
)
from qcachegrind_py.present.call_graph_picture import (
    GraphLook,
    graph_arrows,
    graph_boxes,
    graph_frames,
    single_boxes,
    summary,
)
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.picture import Arrow, Box, Line
from qcachegrind_py.present.table import Shown
from qcachegrind_py.present.view_query import ViewQuery
from tests.analysis.named_queries import event_named, node_id, queries_from
from tests.compared_graphs import BASE, NEW
from tests.present.letters import Letters, lines
from tests.present.table_text import bars, compared_query, headings, table_rows, written
from tests.profile_text import THIN, view_query

ALL = SubgraphLimits(caller_depth=None, min_node_share=0, min_call_share=0)
ABSOLUTE, PERCENT = CostUnit.ABSOLUTE, CostUnit.PERCENT
# main and other each cause half of the cost of work
SHARED = """
    main@m.c@prog 10 -> work 2x400, leaf 1x90
    other 20 -> work 6x400
    work 300 -> leaf 20x300, deep 4x200
    deep 120 -> leaf 8x80
    leaf 470
    """
# c is called by a alone, which two functions call
PATHS = """
    main@a.c@/bin/prog 10 -> a 2x60, b 1x130, d 1x7
    a 20 -> c 4x100
    b 10 -> a 6x60, d 3x60
    c@c.c@/lib/c.so 100
    d 67
    """
CYCLE = """
    main 1 -> a 2x55
    a 10 -> b 3x50, leaf 1x5
    b 20 -> a 1x25, leaf 1x20
    leaf 25
    """
ESTIMATE = "≈ is an estimate: only direct calls are recorded."
EXACT = "The cost is exact: it follows from the recorded calls."
INNER = "A call inside a cycle; its cost is counted where the cycle is entered."


def look(*fonts: Letters, **options: bool) -> GraphLook:
    """Grey boxes; the fonts are those of names, of the active name, and of labels."""
    return GraphLook(lambda _node: "#808080", *(fonts or [Letters()] * 3), **options)


def boxes_of(graph: CallGraph, with_look: GraphLook | None = None) -> list[Box]:
    """A box for each node."""
    return graph_boxes(graph, with_look or look(), single_boxes(graph))


def arrows_of(graph: CallGraph, with_look: GraphLook | None = None) -> list[Arrow]:
    return graph_arrows(graph, with_look or look(), single_boxes(graph))


def drawn(graph: CallGraph, **options: bool) -> str:
    """A line per box and arrow with its texts, without thin spaces; ! if it is solid."""
    boxes = boxes_of(graph, look(**options))
    lines = [f"{box.name} {box.cost}{'!' * box.is_exact}" for box in boxes]
    for arrow in arrows_of(graph, look(**options)):
        ends = f"{boxes[arrow.source].name} > {boxes[arrow.target].name}"
        lines.append(f"{ends} {', '.join(arrow.labels)}{'!' * (arrow.line is Line.EXACT)}")
    return "\n".join(lines).replace(THIN, "")


def graph_in(
    drawing: str, active: str, *opened: str, limits: SubgraphLimits = ALL, advice: str = "",
    **settings: Any,
) -> CallGraph:  # fmt: skip
    """The graph around a function, by default of all functions, with these cycles expanded."""
    queries = queries_from(drawing)
    cycles = frozenset(node_id(queries, name) for name in opened)
    limits = limits if not cycles else SubgraphLimits(None, None, 0, 1, expanded_cycles=cycles)
    query = view_query(queries, function=node_id(queries, active), **settings)
    return call_graph(query, event_named(queries, "Ir"), limits, advice)


def compared(
    folder: Path, new: str = NEW, base: str = BASE, active: str = "main", *,
    limits: SubgraphLimits = ALL, **settings: Any,
) -> CallGraph:  # fmt: skip
    """Both sides of the graph around a function, by default of main, work, leaf, fresh, old."""
    query = compared_query(folder, base, new, active, **settings)
    return around(query, limits)


def around(query: ViewQuery, limits: SubgraphLimits = ALL) -> CallGraph:
    assert query.context.event is not None
    return call_graph(query, query.context.event, limits, "")


def tip(graph: CallGraph, *names: str) -> list[str]:
    """The tip of a box, or of the arrow between two, without thin spaces."""
    boxes = boxes_of(graph)
    rows = [next(row for row, box in enumerate(boxes) if box.name == name) for name in names]
    arrows = arrows_of(graph)
    found = boxes[rows[0]] if len(rows) == 1 else next(
        arrow for arrow in arrows if [arrow.source, arrow.target] == rows
    )  # fmt: skip
    return [line.replace(THIN, "") for line in found.tip()]


# -------------------------------------------------------------------- boxes and arrows


def test_costs_have_a_unit_and_estimates_a_mark() -> None:
    """A percentage has its sign, an absolute cost no unit; ≈ marks an estimate."""
    assert drawn(graph_in(SHARED, "main", unit=PERCENT)) == lines("""
        main 54.35%!
        work 43.48%!
        leaf ≈30.43%
        deep ≈10.87%
        main > work 43.48% · 2×!
        work > leaf ≈16.30% · ≈10×
        work > deep ≈10.87% · ≈2×
        main > leaf 9.78% · 1×!
        deep > leaf ≈4.35% · ≈4×
        """)


def test_recorded_costs_are_no_estimates() -> None:
    """They are written without marks, whichever function is active; counts of paths are not."""
    assert drawn(graph_in(SHARED, "main"), shows_recorded=True) == lines("""
        main 500!
        work 800!
        leaf 470!
        deep 200!
        main > work 400 · 2×!
        work > leaf 300!
        work > deep 200!
        main > leaf 90 · 1×!
        deep > leaf 80!
        """)


def test_tips_are_complete() -> None:
    """A tip has full name and location, both costs, their exactness, and how to get it."""
    graph = graph_in(SHARED, "main", advice="Prove it!")
    few = graph_in(SHARED, "main", limits=SubgraphLimits(None, min_node_share=0.7))

    assert tip(graph, "main") == [
        "main", "File: m.c", "Object: prog", "500 inclusive in total", EXACT
    ]  # fmt: skip
    assert tip(graph, "deep") == [
        "deep", "≈100 on call paths through main", "200 inclusive in total",
        f"{ESTIMATE} Prove it!",
    ]  # fmt: skip
    assert tip(graph, "work", "leaf") == [
        "work", "→ leaf", "≈150", "≈10 calls", "300 for this call in total",
        f"{ESTIMATE} Prove it!",
    ]  # fmt: skip
    assert "90 in its calls not drawn" in tip(few, "main")
    assert tip(graph_in(SHARED, "main"), "deep")[-1] == ESTIMATE


def test_cycles_are_described() -> None:
    """A cycle has its number and member count; a call inside says why it has no cost."""
    closed, opened = graph_in(CYCLE, "main"), graph_in(CYCLE, "main", "<1>")

    assert tip(closed, "<cycle 1>")[:2] == ["<cycle 1>", "2 members"]
    assert INNER in tip(opened, "a <cycle 1>", "b <cycle 1>")
    assert INNER not in tip(opened, "main", "a <cycle 1>")
    inner = [arrow.line for arrow in arrows_of(opened)].count(Line.INNER)
    assert inner == 2


@pytest.mark.parametrize("unit", [ABSOLUTE, PERCENT])
def test_any_cost_is_written_and_measured(unit: CostUnit) -> None:
    """Costs of 0 and 2^62 are written in full; bars and arrows stay within limits."""
    large = 1 << 62
    graph = graph_in(f"main 0 -> f 1x{large}, g 1x0\nf {large}\ng 0\n", "main", unit=unit)
    cost = "100.00%" if unit is PERCENT else str(large)

    assert drawn(graph).splitlines()[:2] == [f"main {cost}!", f"f {cost}!"]
    assert [box.share for box in boxes_of(graph)] == [1.0, 1.0]
    assert [arrow.thickness for arrow in arrows_of(graph)] == [8.0]

    nothing = graph_in("main 0 -> f 1x0\nf 0\n", "main", unit=unit)
    assert drawn(nothing) == "main 0!"
    assert [box.share for box in boxes_of(nothing)] == [0.0]


def test_arrows_are_thicker_by_cost() -> None:
    """From 1 to 8 pixels, as the part of the active function's cost."""
    drawing = """
        main 0 -> a 1x1000, b 1x100, c 1x10
        other 0 -> a 1x1000
        a 1000 -> d 2x1000
        b 100
        c 10
        d 1000
        """
    arrows = arrows_of(graph_in(drawing, "main"))
    thickness = [arrow.thickness for arrow in arrows]
    assert [arrow.line is Line.EXACT for arrow in arrows] == [True, False, True, True]
    assert 8 >= thickness[0] > thickness[1] > thickness[2] > thickness[3] >= 1


@pytest.mark.parametrize("letter", [4.0, 9.5])
def test_sizes_fit_the_texts(letter: float) -> None:
    """A box fits its name, bold if active, and its cost; a label fits its text."""
    long = "n" + "ame_with_no_end" * 20
    graph = graph_in(f"{long} 10 -> work 2x40000, x 1x9\nwork 40000\nx 9\n", long)
    plain, bold, small = Letters(letter, 2 * letter), Letters(1.2 * letter), Letters(0.8 * letter)
    fonts = look(plain, bold, small)

    for row, box in enumerate(boxes_of(graph, fonts)):
        of_name = bold if row == graph.subgraph.active else plain
        widest = max(of_name.width(box.name), plain.width(box.cost)) + 15
        assert widest <= box.width <= 60 * letter
        assert box.height >= 2 * plain.height + 5
    for arrow in arrows_of(graph, fonts):
        assert arrow.width >= max(map(small.width, arrow.labels))
        assert arrow.height >= len(arrow.labels) * small.height


# -------------------------------------------------------------------- what is left out


def test_what_exceeds_the_maximum_is_counted() -> None:
    """The costliest functions are drawn up to the limit, the others are counted in the note."""
    costs = [50_000 + n if n < 300 else 100 for n in range(1000)]
    calls = ", ".join(f"f{n} 1x{cost}" for n, cost in enumerate(costs))
    star = f"main 1 -> {calls}\n" + "\n".join(f"f{n} {cost}" for n, cost in enumerate(costs))
    few = graph_in(star, "main", limits=SubgraphLimits(), unit=PERCENT)
    most = graph_in(star, "main", limits=SubgraphLimits(min_node_share=0.001), unit=PERCENT)

    assert [text.replace(THIN, "") for text in summary(few, shows_recorded=False)[:2]] == [
        "1 function", "below 5.00% hidden"
    ]  # fmt: skip
    assert [text.replace(THIN, "") for text in summary(most, shows_recorded=False)[:3]] == [
        "250 functions", "below 0.33% hidden",
        "51 more hidden, with at most 0.33% each",
    ]  # fmt: skip


def test_a_box_without_an_arrow_shows_that_calls_lead_to_it() -> None:
    """If all calls to a box are too small to be drawn, a short arrow replaces them."""
    middle = "".join(f"    a{n} 5 -> leaf 1x25\n" for n in range(30))
    calls = ", ".join(f"a{n} 1x30" for n in range(30))
    drawing = f"main 100 -> {calls}, big 1x100\n{middle}leaf 750\nbig 100"
    graph = graph_in(drawing, "main", limits=SubgraphLimits())

    assert {box.name: box.stubs for box in boxes_of(graph)} == {
        "main": (False, False), "leaf": (True, False), "big": (False, False)
    }  # fmt: skip
    assert "1 reached only by hidden calls" in summary(graph, shows_recorded=False)
    everywhere = boxes_of(graph, look(shows_stubs=True))
    assert next(box.stubs for box in everywhere if box.is_active) == (False, True)


def test_functions_of_unknown_origin_are_in_no_frame() -> None:
    """Groups of two or more have frames, and expanded cycles; functions without a source none."""
    leaves = "a 10\nb 10\nc@c.c 10\nd@c.c 10"
    queries = queries_from(f"main@m.c@p 1 -> a 1x10, b 1x10, c 1x10, d 1x10\n{leaves}")
    query = view_query(queries, function=node_id(queries, "main"), grouping=Grouping.FILE)
    graph = around(query)
    for of_groups, names in ((True, ["c.c"]), (False, [])):
        boxes = single_boxes(graph)
        frames = graph_frames(graph, query, lambda _node: "#808080", boxes, of_groups=of_groups)
        assert [frame.name for frame in frames] == names


# -------------------------------------------------------------------- tables


def test_nodes_show_passed_and_recorded_cost() -> None:
    """Costs shared in proportion are marked; a self cost is exact only for a whole function.

    The recorded inclusive cost is beside it, independent of the active function.
    """
    table = node_table(graph_in(PATHS, "b"))

    assert headings(table) == ["Incl.", "Self", "Calls", "Recorded", "Function", "Location"]
    assert "\n".join(table_rows(table)).replace(THIN, "") == lines("""
        130 | 10 | 1 | 130 | b | ???
        130 | ≈6 | 1 | 207 | main | prog: a.c
        60 | ≈10 | 6 | 120 | a | ???
        60 | ≈60 | 3 | 67 | d | ???
        ≈50 | ≈50 | ≈2 | 100 | c | c.so: c.c
        """)
    assert list(table.tip(0)) == ["b", EXACT]
    assert list(table.tip(4)) == ["c", "File: c.c", "Object: /lib/c.so", ESTIMATE]


def test_nothing_is_an_estimate_on_the_only_path() -> None:
    """Below the top function every number is as recorded; nobody called it, so it has no count."""
    graph = graph_in(PATHS, "main")
    assert "\n".join([*table_rows(node_table(graph)), *table_rows(call_table(graph))]) == lines("""
        207 | 10 | – | 207 | main | prog: a.c
        130 | 10 | 1 | 130 | b | ???
        120 | 20 | 8 | 120 | a | ???
        100 | 100 | 4 | 100 | c | c.so: c.c
        67 | 67 | 4 | 67 | d | ???
        130 | 1 | 130 | main | b
        100 | 4 | 100 | a | c
        60 | 2 | 60 | main | a
        60 | 6 | 60 | b | a
        60 | 3 | 60 | b | d
        7 | 1 | 7 | main | d
        """)


def test_calls_show_passed_and_recorded_cost() -> None:
    """Even a call count that rounds to none is marked; a row is about the callee."""
    graph = graph_in(PATHS, "c")
    table = call_table(graph)

    assert headings(table) == ["Incl.", "Calls", "Recorded", "Caller", "Callee"]
    assert "\n".join(table_rows(table)).replace(THIN, "") == lines("""
        100 | 4 | 100 | a | c
        ≈50 | ≈2 | 60 | main | a
        ≈50 | ≈0 | 130 | main | b
        ≈50 | ≈5 | 60 | b | a
        """)
    assert [graph.labels.name(table.node(row)) for row in range(4)] == ["c", "a", "b", "a"]


def test_a_cycle_is_a_node_that_calls_its_member_without_a_count() -> None:
    """The number of calls to the cycle that reached the member is unknown."""
    graph = graph_in(CYCLE, "a")
    nodes = table_rows(node_table(graph), "inclusive", "count", "name")
    assert "\n".join([*nodes, *table_rows(call_table(graph))]).replace(THIN, "") == lines("""
        15 | – | a <cycle 1>
        15 | ≈1 | main
        15 | – | <cycle 1>
        5 | 1 | leaf
        15 | ≈1 | 55 | main | <cycle 1>
        15 | – | 15 | <cycle 1> | a <cycle 1>
        5 | 1 | 5 | a <cycle 1> | leaf
        """)
    assert table_rows(call_table(graph), "exact") == ["cost only", "yes", "yes"]
    assert table_rows(node_table(graph_in(CYCLE, "main")))[1] == (
        "55 | 30 | 2 | 55 | <cycle 1> | 2 members"
    )


def test_calls_inside_an_opened_cycle_say_so() -> None:
    """In an expanded cycle members call each other; tooltips mark such costs as inner."""
    table = call_table(graph_in(CYCLE, "main", "<1>"))

    assert "\n".join(table_rows(table)) == lines("""
        55 | 2 | 55 | main | a <cycle 1>
        50 | 3 | 50 | a <cycle 1> | b <cycle 1>
        25 | 1 | 25 | b <cycle 1> | a <cycle 1>
        20 | 1 | 20 | b <cycle 1> | leaf
        5 | 1 | 5 | a <cycle 1> | leaf
        """)
    assert [list(table.tip(row)) for row in (0, 1)] == [
        ["main", "→ a", EXACT], ["a", "→ b", EXACT, INNER]
    ]  # fmt: skip


def test_percentages_are_marked_and_exported_as_numbers() -> None:
    """A percentage is of the active function, its bar its share; the plain number is exported.

    As exported numbers have no marks, a hidden column tells which ones are estimates.
    """
    graph = graph_in(PATHS, "b", unit=CostUnit.PERCENT_OF_PARENT)
    nodes, calls = node_table(graph), call_table(graph)

    assert headings(nodes)[:4] == ["Incl. %", "Self %", "Calls", "Recorded %"]
    assert headings(calls)[:3] == ["Incl. %", "Calls", "Recorded %"]
    shown = table_rows(nodes, "inclusive", "count", "recorded")
    assert "\n".join(shown).replace(THIN, "") == lines("""
        100.00 | 1 | 100.00
        100.00 | 1 | 159.23
        46.15 | 6 | 92.31
        46.15 | 3 | 51.54
        ≈38.46 | ≈2 | 76.92
        """)
    assert bars(nodes, "inclusive")[4] == 50 / 130
    columns = "inclusive", "self", "count", "recorded", "exact"
    assert [written(nodes, *columns)[row] for row in (0, 1, 4)] == [
        [130, 10, 1, 130, "yes"], [130, 6, 1, 207, "cost only"], [50, 50, 2, 100, "no"]
    ]  # fmt: skip
    assert nodes.column("exact").shown is calls.column("exact").shown is Shown.EXPORTED


# -------------------------------------------------------------------- both sides of a comparison


def test_costs_are_base_new_and_growth(tmp_path: Path) -> None:
    """What one side lacks is called new or gone, with the calls of both sides."""
    graph = compared(tmp_path)
    assert drawn(graph) == lines("""
        main 440→880 (+100.00%)!
        work 400→820 (+105.00%)!
        leaf 300→720 (+140.00%)!
        fresh 0→50 (new)!
        old 30→0 (gone)!
        main > work 400→820 (+105.00%), 2→4×!
        work > leaf 300→720 (+140.00%), 4→8×!
        main > fresh 0→50 (new), 0→1×!
        main > old 30→0 (gone), 1→0×!
        """)
    strengths = [graph.nodes.on_paths.strength(row) for row in (0, 1, 4)]
    assert strengths == [1.0, 420 / 440, -30 / 440], "parts of the largest change"


def test_what_did_not_change_has_one_cost(tmp_path: Path) -> None:
    """Without new and gone functions, the note says nothing about their outlines either."""
    graph = compared(tmp_path, new=BASE)

    assert drawn(graph).splitlines()[:4] == ["main 440!", "work 400!", "leaf 300!", "old 30!"]
    assert graph.nodes.on_paths.strength(0) == 0
    assert summary(graph, shows_recorded=False)[1] == "below 1 hidden"
    changed = summary(compared(tmp_path), shows_recorded=False)
    assert changed[1:3] == ["double outline: new", "hatched: gone"]


@pytest.mark.parametrize(
    ("unit", "active", "expected"),
    [
        (PERCENT, "main", ["100.00→200.00% (+100.00%)", "90.91→186.36% (+105.00%)"]),
        (CostUnit.SHARES, "main", ["100.00 %", "90.91→93.18 % (+2.27)"]),
        (CostUnit.PER_CALL, "main", ["–", "–"]),  # main was never called
    ],
)
def test_units_are_said_once(
    tmp_path: Path, unit: CostUnit, active: str, expected: list[str]
) -> None:
    """Percentages are of the base; shares of each side, with a change in points."""
    graph = compared(tmp_path, active=active, unit=unit)
    texts = [graph.nodes.on_paths.both(row).replace(THIN, "") for row in range(2)]
    assert texts == [text.replace(" %", " %") for text in expected]


def test_tips_say_how_both_sides_differ_and_why(tmp_path: Path) -> None:
    """A tip has both costs, the change, the calls of both sides and what they add to it."""
    graph = compared(tmp_path)

    assert tip(graph, "leaf")[1:6] == [
        "300→720 (+140.00%) on call paths through main", "Base 300, new 720, change +420",
        "300→720 (+140.00%) inclusive in total", "4→8 calls",
        "+330 by the number of calls (4→8), +90 by the cost per call",
    ]  # fmt: skip
    assert "New: costs nothing here in the base" in tip(graph, "fresh")
    assert "Gone: costs nothing here on the new side" in tip(graph, "old")
    assert tip(graph, "main", "work")[:4] == [
        "main", "→ work", "400→820 (+105.00%)", "Base 400, new 820, change +420"
    ]  # fmt: skip
    details = [box.detail().text.replace(THIN, "") for box in boxes_of(graph)]
    assert details[1] == "work · 400→820 (+105.00%) · 2→4 calls · more calls"


def test_tables_have_both_sides(tmp_path: Path) -> None:
    """Costs are changes; base, new, growth and why are beside them, and rows have marks."""
    graph = compared(tmp_path)
    columns = "inclusive", "self", "base", "new", "growth", "why", "count", "recorded", "name"
    nodes = table_rows(node_table(graph), *columns)
    columns = "cost", "base", "new", "growth", "why", "count", "recorded", "caller", "callee"
    calls = table_rows(call_table(graph), *columns)
    assert "\n".join([*nodes, *calls]).replace(THIN, "") == lines("""
        +440 |  | 440 | 880 | +100.00% |  | – | +440 | main
        +420 |  | 400 | 820 | +105.00% | more calls | 2→4 | +420 | work
        +420 | +420 | 300 | 720 | +140.00% | more, costlier | 4→8 | +420 | leaf
        +50 | +50 |  | 50 | new |  | 0→1 | +50 | fresh
        −30 | −30 | 30 |  | gone |  | 1→0 | −30 | old
        +420 | 400 | 820 | +105.00% | more calls | 2→4 | +420 | main | work
        +420 | 300 | 720 | +140.00% | more, costlier | 4→8 | +420 | work | leaf
        +50 |  | 50 | new |  | 0→1 | +50 | main | fresh
        −30 | 30 |  | gone |  | 1→0 | −30 | main | old
        """)
    assert [node_table(graph).mark(row) for row in (0, 3)] == ["", "new"]


@pytest.mark.parametrize(
    ("base", "work", "call"),
    [
        ("main 10\nwork 100\nold 30\nleaf 300", "–→820", "–→820, –→4×"),
        (re.sub("[0-9]+x", "0x", BASE), "400→820 (+105.00%)", "400→820 (+105.00%), –→4×"),
    ],
    ids=["no calls", "no counts"],
)
def test_what_the_base_does_not_have_is_a_dash(
    tmp_path: Path, base: str, work: str, call: str
) -> None:
    """No number of calls is not 0 calls, and no cost is not 0; there is no change then."""
    graph = compared(tmp_path, base=base)

    assert {f"work {work}!", f"main > work {call}!"} <= set(drawn(graph).splitlines())
    assert graph.nodes.counts.calls_text(0) == "", "never called on any side"
    if work.startswith("–"):
        assert "The base has no such costs." in tip(graph, "work")
        assert [graph.nodes.on_paths.strength(row) for row in range(4)] == [0] * 4
        columns = "inclusive", "base", "new", "growth"
        assert table_rows(node_table(graph), *columns)[0] == "– | – | 880 | –"
    assert "The base counts no calls." in tip(graph, "main", "work")


def test_an_event_of_one_side_has_dashes(tmp_path: Path) -> None:
    """What the base has not measured is not 0 there, and there is no change."""
    new = "events: Ir Dr\nmain 10,4 -> f 1x5,2\nf 5,2"
    graph = compared(tmp_path, new, "main 10 -> f 1x5\nf 5", event="Dr")
    assert drawn(graph) == "main –→6!\nf –→2!\nmain > f –→2, –→1×!"


def test_calls_that_still_ran_are_active_on_their_side_only(tmp_path: Path) -> None:
    """A call that had not returned in the new run was counted in the base."""
    arrows = drawn(compared(tmp_path, NEW.replace("work 4x820", "work 0x820"))).splitlines()[5:]
    assert arrows[0].endswith(", 2→(active)!")
    assert arrows[3].endswith(", 1→0×!")


def test_estimates_are_marked_on_both_sides(tmp_path: Path) -> None:
    """A part in proportion is marked, and its change is not explained by calls."""
    drawing = """
        main 5 -> a 1x{0}, b 2x60
        a 10 -> mid 1x{1}
        b 20 -> mid 1x40
        mid {2} -> x 2x20
        x 20
        """
    new, base = drawing.format(90, 80, 100), drawing.format(50, 40, 60)
    graph = compared(tmp_path, new, base, "a")

    assert {"mid 40→80 (+100.00%)!", "x ≈10→13 (+30.00%)"} <= set(drawn(graph).splitlines())
    assert "An estimate may change although the cost itself did not." in tip(graph, "x")
    assert "by the number of calls" not in "".join(tip(graph, "x"))
    assert "by the number of calls" in "".join(tip(graph, "mid"))


def test_full_costs_are_those_recorded(tmp_path: Path) -> None:
    """They are the inclusive costs of both sides, whatever is active."""
    extra = "\nother 5 -> leaf 1x{0}"
    new = NEW.replace("leaf 720", "leaf 900") + extra.format(180)
    graph = compared(tmp_path, new, BASE.replace("leaf 300", "leaf 360") + extra.format(60))
    assert "leaf 360→900 (+150.00%)!" in drawn(graph, shows_recorded=True).splitlines()


def test_limits_are_written_in_the_unit(tmp_path: Path) -> None:
    """The note says what is left out: below a share of the larger side."""
    graph = compared(tmp_path, limits=SubgraphLimits(min_node_share=0.01))
    assert "below 9 hidden" in summary(graph, shows_recorded=False)
