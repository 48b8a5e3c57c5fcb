"""Where the frames of a whole program begin, also where parts have no recorded callers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.calls.frame_roots import program_roots
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import FunctionId, NodeId
from tests.analysis.named_queries import CYCLES, NO_CYCLES
from tests.profile_rows import DATA

THREADS = """\
events: Ir
thread: 1

fn=main
1 10
cfn=work
calls=1 1
1 35
fn=work
1 30
cfn=leaf
calls=1 1
1 5
fn=leaf
1 5

part: 1
thread: 2
events: Ir

fn=work
1 60
cfn=leaf
calls=2 1
1 10
fn=leaf
1 10
"""


def program_tree(queries: ProfileQueries, scope: Scope = CYCLES) -> FrameTree:
    """All frames of the whole program, in the first event."""
    event = queries.events.measured[0]
    graph = queries.call_graph(event, scope)
    roots = program_roots(graph, queries.function_count, queries.root_nodes(event, scope))
    return build_frame_tree(graph, roots, min_share=0)


def lines(queries: ProfileQueries, tree: FrameTree) -> list[str]:
    """A line per frame, level by level; ~ marks an estimate."""
    found = []
    for frame, node in enumerate(tree.node.tolist()):
        name = queries.names.name(FunctionId(NodeId(node))) if node >= 0 else "*"
        mark = "" if tree.is_exact[frame] else "~"
        found.append(f"{'  ' * int(tree.depth[frame])}{name} {mark}{tree.cost[frame]}")
    return found


def test_a_thread_that_begins_with_a_called_function_is_drawn(tmp_path: Path) -> None:
    """work is called by main in one thread and begins another: it is below main, and a root."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(THREADS, encoding="utf-8")
    queries = ProfileQueries(load(path))

    assert lines(queries, program_tree(queries)) == [
        "* 115",
        "  work 70",
        "  main 45",
        "    leaf ~10",
        "    work 35",
        "      leaf ~5",
    ]


@pytest.mark.parametrize("scope", [CYCLES, NO_CYCLES])
@pytest.mark.parametrize(
    "name",
    [
        "comparison/callgrind.out.sort-digits.xz",
        "comparison/callgrind.out.clones-O2.xz",
        "call-paths/callgrind.out.cache-new.xz",
    ],
)
def test_a_function_that_is_always_called_is_no_root(name: str, scope: Scope) -> None:
    """In a profile of one part, roots are the functions that nobody called, and no others."""
    queries = ProfileQueries(load(DATA / name))
    event = queries.events.measured[0]
    graph, uncalled = queries.call_graph(event, scope), queries.root_nodes(event, scope)

    roots = program_roots(graph, queries.function_count, uncalled)

    assert roots.node.tolist() == uncalled
    assert np.array_equal(roots.cost, graph.inclusive[uncalled])


@pytest.mark.parametrize(
    "pattern", ["toggle/*.2", "dump-before-after/*", "separate-threads/callgrind.out.22265-0?"]
)
def test_roots_cost_what_the_program_costs(pattern: str) -> None:
    """Where collecting begins within functions, or in threads, roots have the whole cost."""
    queries = ProfileQueries(load(*sorted(DATA.glob(pattern))))
    event = queries.events.measured[0]
    tree = program_tree(queries)

    assert int(tree.cost[0]) == queries.total(event, None).counted
