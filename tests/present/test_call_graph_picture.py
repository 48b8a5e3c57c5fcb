"""Chains: functions that only call one another, in a row, share a box of the call graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.present.call_graph import CallGraph, call_graph
from qcachegrind_py.present.call_graph_picture import (
    GraphLook,
    chain_boxes,
    graph_arrows,
    graph_boxes,
)
from qcachegrind_py.present.picture import Box
from qcachegrind_py.profile.ids import NodeId
from tests.analysis.named_queries import event_named, node_id, queries_from
from tests.present.letters import Letters
from tests.present.table_text import compared_query
from tests.profile_text import THIN, WHOLE_SCOPE, view_query

ALL = SubgraphLimits(None, None, 0, 1)
LOOK = GraphLook(lambda _node: "#808080", Letters(), Letters(), Letters())

# up to `main` and from it down, functions call one another in a row
ROW = """
    boot 0 -> start 1x1000
    start 0 -> libc 1x1000
    libc 0 -> main 1x1000
    main 10 -> a 1x500, b 2x490
    a 100 -> c 1x400
    c 100 -> d 1x300
    d 100 -> e 1x200
    e 100 -> f 4x100
    f 100
    b 90 -> x 1x200, y 1x200
    x 200
    y 100 -> z 1x100
    z 100
    """


def graph_in(drawing: str, active: str, *opened: str, **settings: Any) -> CallGraph:
    """The graph around a function, with these cycles expanded."""
    queries = queries_from(drawing)
    cycles = frozenset(node_id(queries, name) for name in opened)
    limits = SubgraphLimits(None, None, 0, 1, expanded_cycles=cycles)
    query = view_query(queries, function=node_id(queries, active), **settings)
    return call_graph(query, event_named(queries, "Ir"), limits, "")


def rows_named(graph: CallGraph, *names: str) -> frozenset[NodeId]:
    """The functions with these names."""
    nodes = map(graph.node, range(len(graph.subgraph.node)))
    return frozenset(node for node in nodes if graph.labels.name(node) in names)


def drawn(graph: CallGraph, *opened: str) -> tuple[set[str], set[str]]:
    """The names of boxes, and the arrows between these; functions of opened chains are `opened`."""
    places = chain_boxes(graph, rows_named(graph, *opened))
    boxes = graph_boxes(graph, LOOK, places)
    arrows = graph_arrows(graph, LOOK, places)
    names = [box.name for box in boxes]
    ends = {f"{names[arrow.source]} > {names[arrow.target]}" for arrow in arrows}
    return set(names), ends


def chain_in(graph: CallGraph, first: str) -> Box:
    """The box of the chain that begins with a function."""
    boxes = graph_boxes(graph, LOOK, chain_boxes(graph, frozenset()))
    (found,) = [box for box in boxes if box.name.startswith(first + " › ")]
    return found


def test_functions_in_a_row_are_one_box() -> None:
    """They have one caller and one callee at most, and the active function is a box of its own."""
    graph = graph_in(ROW, "main")
    assert drawn(graph) == (
        {"boot › start › libc", "main", "a › c › d › e › f", "b", "x", "y › z"},
        {
            "boot › start › libc > main", "main > a › c › d › e › f", "main > b", "b > x",
            "b > y › z",
        },
    )  # fmt: skip
    assert drawn(graph_in(ROW, "d"))[0] == {"boot › start › libc › main › a › c", "d", "e › f"}


def test_an_opened_chain_is_a_box_for_each_function() -> None:
    """The others stay closed."""
    graph = graph_in(ROW, "main")
    names, ends = drawn(graph, "a", "c", "d", "e", "f")
    assert names == {"boot › start › libc", "main", "a", "b", "c", "d", "e", "f", "x", "y › z"}
    assert {"main > a", "a > c", "c > d", "d > e", "e > f"} <= ends


def test_a_chain_has_a_line_for_each_function() -> None:
    """The first ones and the last have their costs; what is between is counted, and told."""
    graph = graph_in(ROW, "main")
    short, long = chain_in(graph, "boot"), chain_in(graph, "a")
    costs = [(line.text, line.cost.replace(THIN, "")) for line in short.lines]
    assert costs == [("boot", "1000"), ("› start", "1000"), ("› libc", "1000")]
    assert [(line.text, line.cost) for line in long.lines] == [
        ("a", "500"), ("› c", "400"), ("› + 2 more", ""), ("› f", "100")
    ]  # fmt: skip
    assert [long.part(line).name for line in range(4)] == ["a", "c", long.name, "f"]
    assert long.tip() == ("a: 500", "c: 400", "d: 300", "e: 200", "f: 100")
    assert long.detail().text.replace(THIN, "") == ("a › c › d › e › f · 50.00% · 500 Ir · 1 call")
    assert (long.share, long.has_button) == (0.5, True)
    for box in (short, long):
        texts = [len(line.text) + len(line.cost) for line in box.lines]
        assert box.width >= max(texts) * Letters().width("x")
        assert box.height >= len(box.lines) * Letters().height
        assert (box.width % LOOK.grid, box.height % LOOK.grid) == (0, 0)


CYCLE = """
    main 10 -> before 1x990
    before 0 -> into 1x990
    into 0 -> f 1x990
    f 90 -> g 1x900
    g 400 -> f 1x300, after 1x200
    after 0 -> last 1x200
    last 200
    """


def test_cycles_and_their_members_are_boxes_of_their_own() -> None:
    """A cycle has its own button, and members of an open one a frame around them."""
    assert drawn(graph_in(CYCLE, "main"))[0] == {
        "main", "before › into", "<cycle 1>", "after › last"
    }  # fmt: skip
    opened = drawn(graph_in(CYCLE, "main", "<1>"))[0]
    assert opened == {"main", "before › into", "f <cycle 1>", "g <cycle 1>", "after › last"}


def test_a_ring_without_cycle_detection_ends() -> None:
    """Functions that call each other round are in no chain twice."""
    names = drawn(graph_in(CYCLE, "main", scope=replace(WHOLE_SCOPE, cycles=False)))[0]
    parts = [part for name in names for part in name.split(" › ")]
    assert sorted(parts) == ["after", "before", "f", "g", "into", "last", "main"]


def test_chains_end_at_groups_with_frames() -> None:
    """A box cannot lie in two frames."""
    drawing = "main@m.c 0 -> a 1x9\na@a.c 0 -> b 1x9\nb@a.c 0 -> c 1x9\nc@c.c 0 -> d 1x9\nd@c.c 9"
    graph = graph_in(drawing, "main")
    files = {"a": "a.c", "b": "a.c", "c": "c.c", "d": "c.c"}
    boxes = chain_boxes(graph, frozenset(), lambda node: files.get(graph.labels.name(node), ""))
    assert {box.name for box in graph_boxes(graph, LOOK, boxes)} == {"main", "a › b", "c › d"}


def test_new_and_gone_functions_are_seen_in_a_comparison(tmp_path: Path) -> None:
    """A chain ends where functions become new; its colour is that of its largest change."""
    base = "main 10 -> a 1x90\na 0 -> b 1x90\nb 90"
    new = "main 10 -> a 1x300\na 0 -> b 1x300\nb 100 -> c 1x200\nc 0 -> d 1x200\nd 200"
    query = compared_query(tmp_path, base, new, "main")
    assert query.context.event is not None
    graph = call_graph(query, query.context.event, ALL, "")
    boxes = graph_boxes(graph, LOOK, chain_boxes(graph, frozenset()))
    words = {box.name: box.change.word for box in boxes if box.change is not None}
    assert words == {"main": "", "a › b": "", "c › d": "new"}
    chain = next(box for box in boxes if box.name == "a › b")
    assert chain.lines[1].cost.replace(THIN, "") == "90→300 (+233.33%)"
