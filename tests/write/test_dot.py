"""Graphs as DOT: as text, and as the Graphviz that draws the window's graphs parses it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.analysis.code.basic_blocks import basic_blocks, select_visible_blocks
from qcachegrind_py.analysis.code.location_costs import instruction_costs
from qcachegrind_py.visible_text import visible_text
from qcachegrind_py.write.dot import ComparedLook, call_graph_dot, control_flow_dot
from tests.graphviz_process import laid_out
from tests.hostile_names import HOSTILE_NAMES, REAL_NAMES
from tests.profile_rows import profile_from

SVG = "{http://www.w3.org/2000/svg}"


def numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def graph(nodes: int, calls: Sequence[tuple[int, int]]) -> Subgraph:
    """A graph of exact nodes that cost 100 each, and calls; the first node is active."""
    callers, callees = numbers(*(a for a, _ in calls)), numbers(*(b for _, b in calls))
    costs, call_costs = np.full(nodes, 100), np.full(len(calls), 100)
    exact, call_exact = np.ones(nodes, bool), np.ones(len(calls), bool)
    none = np.full(nodes, -1)
    return Subgraph(
        active=0,
        node=np.arange(nodes),
        cost=costs,
        self_cost=costs,
        count=costs,
        node_is_active=~exact,
        recorded_cost=costs,
        is_exact=exact,
        cluster=none,
        caller=callers,
        callee=callees,
        call_cost=call_costs,
        call_count=call_costs,
        call_is_active=~call_exact,
        recorded_call_cost=call_costs,
        call_is_exact=call_exact,
        is_inner=~call_exact,
        omitted_incoming_cost=costs,
        omitted_outgoing_cost=costs,
        node_threshold=0,
        call_threshold=0,
        omitted_nodes=0,
        omitted_calls=0,
        max_omitted_cost=0,
        filtered_nodes=0,
        is_split=exact,
        call_is_split=call_exact,
    )


def test_what_is_written() -> None:
    """Estimates are dashed, the active function is bold, a call inside a cycle is grey."""
    drawn = replace(
        graph(3, [(0, 1), (1, 2), (2, 1)]),
        is_exact=np.array([True, True, False]),
        cluster=numbers(-1, 7, 7),
        call_cost=numbers(100, 50, 900),
        call_is_exact=np.array([True, False, True]),
        is_inner=np.array([False, False, True]),
    )
    texts = [("main", "100"), ("a", "100"), ("b",)]
    assert call_graph_dot(drawn, texts, ["100\n2 calls", "50", ""], colors=["#aabbcc"] * 3) == (
        "digraph {\n"
        "rankdir=TB;\n"
        'node [shape=box, style=filled, fillcolor="#ffffff"];\n'
        'n0 [label="main\\n100", style="filled,bold", fillcolor="#aabbcc"];\n'
        'n1 [label="a\\n100", style="filled", fillcolor="#aabbcc"];\n'
        'n2 [label="b", style="filled,dashed", fillcolor="#aabbcc"];\n'
        "subgraph cluster_7 { n1; n2; }\n"
        'n0 -> n1 [label="100\\n2 calls", penwidth=6.00];\n'
        'n1 -> n2 [label="50", penwidth=3.25, style=dashed];\n'
        'n2 -> n1 [label="", penwidth=6.00, color="#808080"];\n'
        "}\n"
    )
    assert "\nrankdir=LR;\n" in call_graph_dot(drawn, texts, ["", "", ""], horizontal=True)
    circular = call_graph_dot(drawn, texts, ["", "", ""], circular=True)
    assert "\nlayout=twopi; root=n0; overlap=false;\n" in circular
    assert "rankdir" not in circular


def test_costs_of_nothing_and_beyond_64_bits() -> None:
    """Arrows have a width even without any cost, and for costs beyond 64 bits."""
    nothing = replace(graph(2, [(0, 1)]), cost=numbers(0, 0), call_cost=numbers(0))
    assert "penwidth=0.50" in call_graph_dot(nothing, [("a",), ("b",)], [""])
    big = np.array([4 * 2**62, 2 * 2**62], object)
    huge = replace(graph(2, [(0, 1)]), cost=big, call_cost=big[1:])
    assert "penwidth=3.25" in call_graph_dot(huge, [("a",), ("b",)], [""])


HOSTILE = [
    name[:1000].decode("utf-8", "surrogateescape")
    for name in (*HOSTILE_NAMES.values(), *map(str.encode, REAL_NAMES.values()))
]
SHOWN = {
    **{
        name: name
        for name in (
            'say "hi"',
            "ends in \\",
            '\\"',
            "\\N \\G \\l\\n",
            "<b>bold</b>",
            "&lt;&amp;&#65; && x",
            "}; evil [label=x]; //",
            "Grüße ∑ 漢字 🙂",
            "1\N{THIN SPACE}234 ≈",
        )
    },
    "two\nlines\rhere": r"two\x0alines\x0dhere",
    **{name: visible_text(name) for name in HOSTILE},
}


def test_hostile_names_are_shown_letter_by_letter() -> None:
    """Nothing in a name is an escape, a tag or the end of the text.

    What cannot be seen is shown by escapes. Only a line feed at a call starts a new line.
    """
    drawn = graph(len(SHOWN), [(0, row) for row in range(len(SHOWN))])
    at_calls = [f"{name}\nx" for name in SHOWN.values()]
    picture = laid_out(call_graph_dot(drawn, [(name, "100") for name in SHOWN], at_calls), "svg")
    found: dict[str, list[list[str | None]]] = {"graph": [], "node": [], "edge": []}
    for item in ET.fromstring(picture).iter(f"{SVG}g"):
        found[item.get("class", "")].append([text.text for text in item.findall(f".//{SVG}text")])
    assert found["node"] == [[name, "100"] for name in SHOWN.values()]
    assert found["edge"] == [[name, "x"] for name in SHOWN.values()]


def test_every_node_and_call_is_laid_out() -> None:
    """Graphviz has all nodes and arrows, and the members of a cycle in their frame."""
    calls = [(row // 2, row) for row in range(1, 60)]
    drawn = replace(graph(60, calls), cluster=np.where(np.arange(60) % 7 == 3, 99, -1))
    text = call_graph_dot(drawn, [(f"f{row}",) for row in range(60)], [""] * 59, horizontal=True)
    lines = laid_out(text, "plain").splitlines()
    edges = [tuple(line.split()[1:3]) for line in lines if line.startswith("edge ")]
    assert sorted(edges) == sorted((f"n{a}", f"n{b}") for a, b in calls)
    assert len([line for line in lines if line.startswith("node ")]) == 60
    assert re.findall("<title>(cluster.*)</title>", laid_out(text, "svg")) == ["cluster_99"]
    assert laid_out(call_graph_dot(graph(1, []), [()], []), "plain").count("node ") == 1


def test_a_comparison_has_colours_of_its_own() -> None:
    """Boxes are filled by their change inside the colour of their group; words have shapes."""
    drawn = graph(3, [(0, 1), (0, 2)])
    look = ComparedLook(
        node_colors=["#ffffff", "#e69e66", "#66aad1"],
        call_colors=["#d55e00", "#0072b2"],
        words=["", "new", "gone"],
    )

    text = call_graph_dot(
        drawn,
        [("main", "1"), ("a", "0 → 2 (new)"), ("b", "3 → 0 (gone)")],
        ["0 → 2", "3 → 0"],
        colors=["#111111", "#222222", "#333333"],
        look=look,
    )

    assert text.splitlines()[3:-1] == [
        'n0 [label="main\\n1", style="filled,bold", color="#111111", fillcolor="#ffffff"];',
        'n1 [label="a\\n0 → 2 (new)", style="filled", color="#222222", peripheries=2,'
        ' fillcolor="#e69e66"];',
        'n2 [label="b\\n3 → 0 (gone)", style="filled,diagonals", color="#333333",'
        ' fillcolor="#66aad1"];',
        'n0 -> n1 [label="0 → 2", penwidth=6.00, color="#d55e00"];',
        'n0 -> n2 [label="3 → 0", penwidth=6.00, color="#0072b2"];',
    ]
    assert laid_out(text, "svg").count("</g>") >= 5  # Graphviz knows the styles


def test_blocks_and_edges_in_dot() -> None:
    """Lines are left-aligned, backslashes are escaped, kinds of edges differ in line and colour."""
    loop = """
        positions: instr
        events: Ir
        fn=f
        0x10 3
        0x12 30
        0x14 30
        jcnd=27/30 0x12
        0x14
        0x16 3
        """
    profile = profile_from(loop)
    blocks = basic_blocks(profile, instruction_costs(profile, 0))
    drawn = select_visible_blocks(blocks, blocks.self_cost[0], 0.0)

    text = control_flow_dot(
        drawn, [["10", r"mov \n"], ['12 "x"'], ["16"]], ["3", "taken 27", "not taken 3"]
    )

    assert text.splitlines() == [
        "digraph {",
        "rankdir=TB;",
        'node [shape=box, fontname="monospace"];',
        r'n0 [label="10\lmov \\n\l", style=bold];',
        r'n1 [label="12 \"x\"\l"];',
        r'n2 [label="16\l"];',
        'n1 -> n1 [label="taken 27", style=dashed, color="#1b5bbf"];',
        'n0 -> n1 [label="3"];',
        'n1 -> n2 [label="not taken 3", style=dotted, color="#b3261e"];',
        "}",
    ]
    assert "rankdir=LR;" in control_flow_dot(drawn, [[""]] * 3, [""] * 3, horizontal=True)
