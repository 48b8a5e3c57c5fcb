"""Which changes of a comparison are proven, against profiles recorded with callers in the names.

Each program was recorded twice, once with the calls alone, as usual, and once with
`--separate-callers`, which tells what every call path cost: the truth.
"""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.calls.frame_layout import BoxWidth, frames_by_width
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import FunctionId, NodeId
from tests.analysis.named_queries import CYCLES
from tests.profile_rows import DATA

FOLDER = DATA / "call-paths"
PROGRAMS = ("shared", "callbacks", "cache")
Path = tuple[str, ...]  # names of functions, from main down


def own_names(names: FunctionNames, tree: FrameTree, frame: int) -> Path:
    """The names of the frames down to this one, without the callers in them."""
    nodes = tree.node[tree.path(frame)].tolist()
    return tuple(names.name(FunctionId(NodeId(node))).split("'")[0] for node in nodes)


def main_of(names: FunctionNames, functions: int) -> NodeId:
    """The function main, whatever callers are in its name."""
    every = [names.name(FunctionId(NodeId(row))) for row in range(functions)]
    (main,) = [row for row, name in enumerate(every) if name.split("'")[0] == "main"]
    return NodeId(main)


def true_costs(program: str, side: str) -> dict[Path, int]:
    """What each call path cost, as it was recorded."""
    queries = ProfileQueries(load(FOLDER / f"callgrind.out.{program}-{side}-separate.xz"))
    graph = queries.accounted_calls(queries.events.measured[0], CYCLES)
    main = main_of(queries.names, queries.function_count)
    tree = build_frame_tree(graph, [main], min_share=0)
    assert tree.is_exact.all()
    paths = (own_names(queries.names, tree, frame) for frame in range(len(tree)))
    return dict(zip(paths, tree.cost.tolist(), strict=True))


def true_changes(program: str) -> dict[Path, int]:
    """How much each call path changed."""
    base, new = (true_costs(program, side) for side in ("base", "new"))
    return {path: new.get(path, 0) - base.get(path, 0) for path in {*base, *new}}


def compared_tree(program: str) -> tuple[FrameTree, list[Path]]:
    """The frame tree of the usual profiles of both sides, and the path of each frame."""
    before, after = (
        load(FOLDER / f"callgrind.out.{program}-{side}.xz") for side in ("base", "new")
    )
    compared = compare(before, after)
    queries, event = compared.queries, compared.events[0]
    main = main_of(queries.names, queries.function_count)
    graphs = (queries.accounted_calls(event, scope) for scope in (compared.base, compared.new))
    base, new = ((graph, graph.roots_at([main])) for graph in graphs)
    tree = build_frame_tree(*new, base=base, min_share=0)
    return tree, [own_names(queries.names, tree, frame) for frame in range(len(tree))]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_proven_change_is_the_true_one(program: str) -> None:
    """What is said to be proven is what the program did; more than half of the frames are."""
    tree, paths = compared_tree(program)
    proven = {
        path: change
        for path, change, is_proven in zip(
            paths, tree.both_costs.change.tolist(), tree.is_exact.tolist(), strict=True
        )
        if is_proven
    }
    truth = true_changes(program)

    assert len(proven) >= 5
    assert proven == {path: truth.get(path, 0) for path in proven}


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_estimate_that_changes_though_nothing_did_is_not_proven(program: str) -> None:
    """Each program has a path that did not change, and whose estimates do."""
    tree, paths = compared_tree(program)
    truth, change = true_changes(program), tree.both_costs.change
    deceiving = [
        frame for frame, path in enumerate(paths) if change[frame] and not truth.get(path, 0)
    ]

    assert deceiving
    assert not tree.is_exact[deceiving].any()


@pytest.mark.parametrize("program", PROGRAMS)
def test_widths_of_changes_are_true(program: str) -> None:
    """By change, main is as wide as the changes of self costs along all proven paths allow."""
    tree, _ = compared_tree(program)
    truth = true_changes(program)
    below = {path: sum(truth[p] for p in truth if p[:-1] == path) for path in truth}
    gross = sum(abs(truth[path] - below[path]) for path in truth)

    width = float(frames_by_width(tree, BoxWidth.CHANGE).width[0])

    assert abs(truth["main",]) <= width <= gross
    assert np.isfinite(width)
