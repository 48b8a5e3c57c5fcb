"""The call graph around a function on both sides of a comparison, with the same rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.calls.subgraph import Subgraph, SubgraphLimits
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NodeId
from tests.analysis.named_queries import node_id
from tests.compared_graphs import BASE, NEW, NO_LIMITS, compared_profiles, graph_around
from tests.profile_rows import DATA
from tests.profile_text import write_profile_text


def nodes(compared: Comparison, side: Subgraph) -> list[tuple[str, int, int]]:
    """Name, cost and count of each node."""
    names = compared.queries.labels(compared.new)
    return [
        (names.name(NodeId(node)), int(cost), int(count))
        for node, cost, count in zip(side.node, side.cost, side.count, strict=True)
    ]


def calls(compared: Comparison, side: Subgraph) -> dict[tuple[str, str], tuple[int, int]]:
    """Cost and count of each call, by the names of its ends."""
    names = [name for name, _, _ in nodes(compared, side)]
    ends = zip(side.caller.tolist(), side.callee.tolist(), strict=True)
    numbers = zip(side.call_cost.tolist(), side.call_count.tolist(), strict=True)
    return {
        (names[caller], names[callee]): number
        for (caller, callee), number in zip(ends, numbers, strict=True)
    }


def test_new_and_gone_functions_are_in_the_graph_of_both_sides(tmp_path: Path) -> None:
    """Rows are those of both sides, ordered by the larger cost; what a side lacks costs 0."""
    compared = compared_profiles(tmp_path)

    found = graph_around(compared, "main")

    assert nodes(compared, found.sides[0]) == [
        ("main", 440, 0), ("work", 400, 2), ("leaf", 300, 4), ("fresh", 0, 0), ("old", 30, 1),
    ]  # fmt: skip
    assert nodes(compared, found.sides[1]) == [
        ("main", 880, 0), ("work", 820, 4), ("leaf", 720, 8), ("fresh", 50, 1), ("old", 0, 0),
    ]  # fmt: skip
    assert calls(compared, found.sides[0]) == {
        ("main", "work"): (400, 2), ("work", "leaf"): (300, 4),
        ("main", "fresh"): (0, 0), ("main", "old"): (30, 1),
    }  # fmt: skip
    assert calls(compared, found.sides[1])["main", "old"] == (0, 0)
    assert (found.sides[1].cost - found.sides[0].cost).tolist() == [440, 420, 420, 50, -30]
    assert found.call_cost.tolist() == [820, 720, 50, 30]


def test_limits_apply_to_the_side_that_costs_more(tmp_path: Path) -> None:
    """5 % are of the larger cost of the active function, and a node's larger cost counts."""
    compared = compared_profiles(tmp_path)
    limits = SubgraphLimits(min_node_share=0.05)  # of 880: 44

    found, swapped = (
        graph_around(compared, "main", limits, swapped=each) for each in (False, True)
    )

    assert [name for name, _, _ in nodes(compared, found.sides[1])] == [
        "main",
        "work",
        "leaf",
        "fresh",
    ]
    assert found.node_threshold == 44
    assert nodes(compared, swapped.sides[1]) == nodes(compared, found.sides[0])
    assert calls(compared, swapped.sides[0]) == calls(compared, found.sides[1])


def test_calls_that_a_side_lacks_are_not_running_there(tmp_path: Path) -> None:
    """Only a call that was recorded without a count had not returned."""
    compared = compared_profiles(tmp_path, BASE, NEW.replace("work 4x820", "work 0x820"))

    found = graph_around(compared, "main")

    assert not found.sides[0].call_is_active.any()
    assert not found.sides[0].node_is_active.any()
    assert found.sides[1].call_is_active.tolist() == [True, False, False, False]


def test_no_call_of_a_side_without_counts_is_running(tmp_path: Path) -> None:
    """A side of another program may count no calls: a count of 0 means nothing there."""
    base = write_profile_text(tmp_path, BASE.replace("2x", "0x").replace("4x", "0x"), "base")
    text = base.read_text().replace("calls=1", "calls=0")
    base.write_text("\n".join(line for line in text.splitlines() if "creator" not in line))
    new = write_profile_text(tmp_path, NEW, "new")

    compared = compare(load(base), load(new))
    found = graph_around(compared, "main")

    assert not found.sides[0].call_is_active.any()
    assert not found.sides[0].node_is_active.any()
    assert not compared.queries.costs(compared.base).is_active.any()


def test_changes_are_explained_by_calls_where_both_sides_are_exact(tmp_path: Path) -> None:
    """Estimates, new and gone calls and recursive functions have no number of calls to blame."""
    shared = "main 5 -> a {0}x{1}, b 2x60\na 10 -> mid 1x{2}\nb 20 -> mid 1x40\nmid {3} -> x 2x{4}"
    base, new = shared.format(1, 50, 40, 60, 20), shared.format(2, 90, 80, 90, 30)
    compared = compared_profiles(tmp_path, base + "\nx 20", new + "\nx 30")

    found = graph_around(compared, "a")

    names = [name for name, _, _ in nodes(compared, found.sides[1])]
    split = dict(zip(names, found.is_split.tolist(), strict=True))
    assert split == {"a": True, "main": True, "mid": True, "x": False}
    ends = list(calls(compared, found.sides[1]))
    assert {end for end, yes in zip(ends, found.call_is_split, strict=True) if yes} == {
        ("main", "a"),
        ("a", "mid"),
    }


@pytest.mark.parametrize(
    ("base", "new"),
    [
        ("comparison/callgrind.out.sort-plain.xz", "comparison/callgrind.out.sort-digits.xz"),
        ("comparison/callgrind.out.clones-O2.xz", "comparison/callgrind.out.clones-O3.xz"),
    ],
)
def test_each_side_has_the_costs_of_its_own_graph(base: str, new: str) -> None:
    """Real profiles: in each row, a side has what the graph of that side alone has, or 0."""
    compared = compare(load(DATA / base), load(DATA / new))
    queries, event = compared.queries, compared.events[0]
    for name in ("main", "(below main)"):
        found = graph_around(compared, name)
        active = NodeId(node_id(queries, name, compared.new))
        for scope, side in ((compared.base, found.sides[0]), (compared.new, found.sides[1])):
            alone = queries.subgraph(active, event, [scope], NO_LIMITS)
            place = {node: row for row, node in enumerate(side.node.tolist())}
            rows = [place[node] for node in alone.node.tolist()]
            for column in ("cost", "self_cost", "count", "recorded_cost", "is_exact"):
                assert np.array_equal(getattr(side, column)[rows], getattr(alone, column)), column
            others = np.setdiff1d(np.arange(len(side.node)), rows)
            assert not side.cost[others].any()
            assert calls(compared, alone).items() <= calls(compared, side).items()


def test_expanded_cycles_are_those_of_each_side(tmp_path: Path) -> None:
    """Members of a cycle and the calls between them cost what they do in the graph of a side."""
    drawing = """
        main 10 -> f 1x{0}, other 1x20
        other 5 -> g 1x15
        f 40 -> g 2x{1}
        g {2} -> f 1x50, h 1x30
        h 30
        """
    base, new = drawing.format(290, 200, 100), drawing.format(390, 300, 200)
    compared = compared_profiles(tmp_path, base, new.replace(", other 1x20", ""))
    queries, event = compared.queries, compared.events[0]
    cycle = NodeId(queries.function_count)
    limits = replace(NO_LIMITS, expanded_cycles=frozenset({cycle}))

    for name in ("main", "g", "h"):
        found = graph_around(compared, name, limits)
        active = NodeId(node_id(queries, name, compared.new))
        for scope, side in ((compared.base, found.sides[0]), (compared.new, found.sides[1])):
            alone = queries.subgraph(active, event, [scope], limits)
            drawn = [row for row in nodes(compared, side) if row[1]]
            assert sorted(drawn) == sorted(row for row in nodes(compared, alone) if row[1])
            assert calls(compared, alone).items() <= calls(compared, side).items()
    assert set(found.sides[1].cluster.tolist()) == {-1, cycle}


def test_equal_sides_have_no_changes() -> None:
    """A profile compared with itself has equal numbers in all rows."""
    path = DATA / "recur-everything" / "callgrind.out.21921.xz"
    profile = load(path)
    compared = compare(profile, load(path))
    function = profile.function_name(compared.queries.initial_function(compared.events[0], Scope()))

    found = graph_around(compared, function)

    assert len(found.sides[1].node) > 3
    for column in ("cost", "self_cost", "count", "call_cost", "call_count"):
        base, new = (getattr(side, column) for side in found.sides)
        assert np.array_equal(base, new), column
