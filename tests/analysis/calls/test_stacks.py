"""Self costs divided among the paths of calls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.calls.frame_tree import Stacks, build_frame_tree, divide_self_costs
from qcachegrind_py.analysis.queries import ProfileQueries
from tests.analysis.named_queries import CYCLES
from tests.profile_rows import DATA
from tests.profile_text import queries_for

REAL = sorted(
    path
    for path in DATA.rglob("*callgrind.out*")
    if path.is_file() and path.stat().st_size and ".tsv" not in path.name
)


def stacks_of(queries: ProfileQueries, max_frames: int = 10_000) -> Stacks:
    """The stacks of the first event."""
    event = queries.events.all[0]
    calls = queries.program_calls(event, CYCLES)
    tree = build_frame_tree(calls, calls.program_roots(), min_share=0, max_frames=max_frames)
    self_cost = queries.self_cost(event, CYCLES)[: queries.function_count]
    return divide_self_costs(tree, self_cost, calls.not_attributed)


def lines_of(queries: ProfileQueries, stacks: Stacks) -> list[str]:
    """A line for each stack: names and cost."""
    tree, names = stacks.tree, queries.names.name
    return [
        ";".join(names(int(tree.node[row])) for row in tree.path(frame))
        + f" {stacks.self_cost[frame]}"
        for frame in stacks.frames.tolist()
    ]


def test_a_function_with_two_paths_spends_in_each_what_the_call_cost(tmp_path: Path) -> None:
    """The 10 of `leaf` divide as the calls to it cost: 75 from `a`, 25 from `b`, with `deep`."""
    drawing = """
        main 1 -> a 1x76, b 1x27
        a 1 -> leaf 3x75
        b 2 -> leaf 1x25
        leaf 10 -> deep 4x90
        deep 90
        """
    queries = queries_for(tmp_path, drawing)
    assert sorted(lines_of(queries, stacks_of(queries))) == [
        "main 1",
        "main;a 1",
        "main;a;leaf 8",
        "main;a;leaf;deep 68",
        "main;b 2",
        "main;b;leaf 2",
        "main;b;leaf;deep 22",
    ]


def test_a_recursive_frame_has_no_self_cost_of_its_own(tmp_path: Path) -> None:
    """The second `f` below `f` is not opened, so the first has all of the self cost."""
    queries = queries_for(tmp_path, "main 1 -> f 1x9\nf 9 -> f 2x6")
    assert lines_of(queries, stacks_of(queries)) == ["main 1", "main;f 9"]


def test_functions_without_a_frame_are_named(tmp_path: Path) -> None:
    """Of the calls of `main` only the costliest has a frame if there is room for two."""
    queries = queries_for(tmp_path, "main 1 -> f 1x9, g 1x2\nf 9\ng 2")
    stacks = stacks_of(queries, max_frames=2)
    assert lines_of(queries, stacks) == ["main 1", "main;f 9"]
    assert [queries.names.name(function) for function in stacks.elsewhere] == ["g"]


@pytest.mark.parametrize("path", REAL, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_stacks_of_each_function_add_up_to_its_self_cost(path: Path) -> None:
    """However its paths are estimated, no function gains or loses a count."""
    queries = ProfileQueries(q.load(path))
    stacks = stacks_of(queries, max_frames=500)
    self_cost = queries.self_cost(queries.events.all[0], CYCLES)[: queries.function_count]
    summed = np.zeros(len(self_cost), np.int64)
    is_function = (stacks.tree.node >= 0) & (stacks.tree.node < len(self_cost))
    np.add.at(summed, stacks.tree.node[is_function], stacks.self_cost[is_function])
    for node, cost in stacks.elsewhere.items():
        if node >= 0:
            summed[node] += cost
    assert summed.tolist() == self_cost.tolist()
