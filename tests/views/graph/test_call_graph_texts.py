"""The labels of call graph nodes and arrows: costs, units, marks of estimates, tooltips."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QApplication

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.call_graph import CallGraph, graph_arrows, graph_boxes
from qcachegrind_py.present.picture import Arrow, Box, Line
from qcachegrind_py.views.pictures.diagram_items import DiagramFonts
from tests.analysis.named_queries import node_id, queries_from
from tests.profile_text import THIN
from tests.views.graph.graph_pictures import graph_around, look_in

FONT = QFont("DejaVu Sans", 9)
ALL = SubgraphLimits(caller_depth=None, min_node_share=0.0, min_call_share=0.0)
# main and other each cause half of the cost of work
SHARED = """
    main@m.c@prog 10 -> work 2x400, leaf 1x90
    other 20 -> work 6x400
    work 300 -> leaf 20x300, deep 4x200
    deep 120 -> leaf 8x80
    leaf 470
    """
PROOF = "Prove it!"


def graph_of(
    queries: ProfileQueries, name: str, limits: SubgraphLimits = ALL, **options: Any
) -> CallGraph:
    """The graph around a function, by default with percentages."""
    return graph_around(queries, node_id(queries, name), limits, **options)


def boxes_of(graph: CallGraph, font: QFont = FONT, **options: bool) -> list[Box]:
    return graph_boxes(graph, look_in(font, **options))


def arrows_of(graph: CallGraph, font: QFont = FONT, **options: bool) -> list[Arrow]:
    return graph_arrows(graph, look_in(font, **options))


def nodes(graph: CallGraph, **options: bool) -> list[str]:
    """Name and cost of each node, with ! if its outline is solid."""
    boxes = boxes_of(graph, **options)
    return [f"{box.name} {box.cost}{'!' * box.is_exact}" for box in boxes]


def calls(graph: CallGraph, **options: bool) -> list[str]:
    """The label of each arrow, with ! if it is solid."""
    return [
        f"{', '.join(arrow.labels)}{'!' * (arrow.line is Line.EXACT)}"
        for arrow in arrows_of(graph, **options)
    ]


def test_costs_have_a_unit_and_estimates_a_mark(qapp: QApplication) -> None:
    """A percentage has its sign, an absolute cost no unit; ≈ marks an estimate."""
    queries = queries_from(SHARED)
    graph = graph_of(queries, "main")

    assert nodes(graph) == [
        f"main 54.35{THIN}%!",
        f"work 43.48{THIN}%!",
        f"leaf ≈{THIN}30.43{THIN}%",
        f"deep ≈{THIN}10.87{THIN}%",
    ]
    assert calls(graph) == [
        f"43.48{THIN}%, 2 calls!",
        f"≈{THIN}16.30{THIN}%, ≈{THIN}10 calls",
        f"≈{THIN}10.87{THIN}%, ≈{THIN}2 calls",
        f"9.78{THIN}%, 1 call!",
        f"≈{THIN}4.35{THIN}%, ≈{THIN}4 calls",
    ]
    assert nodes(graph_of(queries, "main", percent=False)) == [
        "main 500!",
        "work 400!",
        f"leaf ≈{THIN}280",
        f"deep ≈{THIN}100",
    ]


def test_recorded_costs_are_no_estimates(qapp: QApplication) -> None:
    """Recorded costs are written without marks, whichever function is active."""
    queries = queries_from(SHARED)
    graph = graph_of(queries, "main", percent=False)

    assert nodes(graph, shows_recorded=True) == ["main 500!", "work 800!", "leaf 470!", "deep 200!"]
    assert calls(graph, shows_recorded=True) == [
        "400, 2 calls!",
        "300!",
        "200!",
        "90, 1 call!",
        "80!",
    ]


def test_tips_are_complete(qapp: QApplication) -> None:
    """A tip has full name and location, both costs, their exactness, and how to get it."""
    queries = queries_from(SHARED)
    graph = graph_of(queries, "main", percent=False, advice=PROOF)
    limits = SubgraphLimits(caller_depth=None, min_node_share=0.7)
    few = graph_of(queries, "main", limits, percent=False)

    assert list(boxes_of(graph)[0].tip()) == [
        "main", "File: m.c", "Object: prog", "500 inclusive in total",
        "The cost is exact: it follows from the recorded calls.",
    ]  # fmt: skip
    assert list(boxes_of(graph)[3].tip()) == [
        "deep", f"≈{THIN}100 on call paths through main", "200 inclusive in total",
        f"≈ is an estimate: only direct calls are recorded. {PROOF}",
    ]  # fmt: skip
    assert list(arrows_of(graph)[1].tip()) == [
        "work", "→ leaf", f"≈{THIN}150", f"≈{THIN}10 calls", "300 for this call in total",
        f"≈ is an estimate: only direct calls are recorded. {PROOF}",
    ]  # fmt: skip
    assert "90 in its calls not drawn" in list(boxes_of(few)[0].tip())
    assert list(boxes_of(graph_of(queries, "main", percent=False))[3].tip())[-1] == (
        "≈ is an estimate: only direct calls are recorded."
    )


def test_cycles_are_described(qapp: QApplication) -> None:
    """A cycle has its number and member count; a call inside says why it has no cost."""
    queries = queries_from("main 10 -> f 1x90\nf 30 -> g 1x60\ng 60 -> f 1x20\n")
    cycle = node_id(queries, "<1>")
    limits = replace(ALL, expanded_cycles=frozenset({cycle}))
    closed = graph_of(queries, "main", percent=False)
    opened = graph_of(queries, "main", limits, percent=False)

    assert nodes(closed) == ["main 100!", "<cycle 1> 90!"]
    assert list(boxes_of(closed)[1].tip())[:2] == ["<cycle 1>", "2 members"]
    assert {text.name for text in boxes_of(opened)} == {
        "main", "f <cycle 1>", "g <cycle 1>"
    }  # fmt: skip
    inner = [row for row, is_inner in enumerate(opened.subgraph.is_inner.tolist()) if is_inner]
    assert len(inner) == 2
    for row in inner:
        assert "A call inside a cycle; its cost is counted where the cycle is entered." in (
            arrows_of(opened)[row].tip()
        )


@pytest.mark.parametrize("percent", [True, False])
def test_any_cost_is_written_and_measured(percent: bool, qapp: QApplication) -> None:
    """Costs of 0 and 2^62 are written in full; bars and arrows stay within limits."""
    large = 1 << 62
    queries = queries_from(f"main 0 -> f 1x{large}, g 1x0\nf {large}\ng 0\n")
    graph = graph_of(queries, "main", percent=percent)
    grouped = f"{large:,}".replace(",", "")

    written = [text.cost.replace(THIN, "") for text in boxes_of(graph)]
    assert written == (["100.00%", "100.00%"] if percent else [grouped, grouped])
    assert [text.share for text in boxes_of(graph)] == [1.0, 1.0]
    assert [text.thickness for text in arrows_of(graph)] == [8.0]

    nothing = queries_from("main 0 -> f 1x0\nf 0\n")
    graph = graph_of(nothing, "main", percent=percent)
    (only,) = boxes_of(graph)
    assert (only.name, only.cost, only.share) == ("main", "0", 0.0)
    assert arrows_of(graph) == []


def pixel_font(size: int) -> QFont:
    """A font with a size in pixels, as set by style sheets."""
    font = QFont("DejaVu Sans")
    font.setPixelSize(size)
    return font


@pytest.mark.parametrize(
    "font", [FONT, QFont("DejaVu Serif", 21), QFont("DejaVu Sans Mono", 7), pixel_font(17)]
)
def test_sizes_fit_the_texts(font: QFont, qapp: QApplication) -> None:
    """A node fits its name, bold if active, and its cost; a label fits its text."""
    long = "n" + "ame_with_no_end" * 20
    queries = queries_from(f"{long} 10 -> work 2x40000, x 1x9\nwork 40000\nx 9\n")
    graph = graph_of(queries, long, percent=False)
    bold = QFont(font)
    bold.setBold(True)

    for row, text in enumerate(boxes_of(graph, font)):
        metrics = QFontMetricsF(bold if row == graph.subgraph.active else font)
        assert text.width >= metrics.horizontalAdvance(text.name) + 15
        assert text.width >= QFontMetricsF(font).horizontalAdvance(text.cost) + 15
        assert text.height >= 2 * QFontMetricsF(font).height() + 5
        assert text.width <= 60 * QFontMetricsF(font).horizontalAdvance("0")
    small = QFontMetricsF(DiagramFonts.of(font).small)
    assert 0.8 * QFontMetricsF(font).height() <= small.height() <= QFontMetricsF(font).height()
    for label in arrows_of(graph, font):
        assert label.width >= max(map(small.horizontalAdvance, label.labels))
        assert label.height >= 2 * small.height() - 1
