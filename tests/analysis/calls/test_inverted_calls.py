"""The inverted program: functions by self cost, and below each the callers it was spent for."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from qcachegrind_py.analysis.calls.call_graph import AccountedCalls
from qcachegrind_py.analysis.calls.call_tree import Branch, ComparedBranches, InvertedBranches
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_folds
from qcachegrind_py.analysis.queries import ProfileQueries, with_folds
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NO_NODE, NOT_ATTRIBUTED, OTHER_CALLERS, NodeId
from tests.analysis.named_queries import (
    CYCLES,
    NO_CYCLES,
    contradictory_programs,
    node_names,
    queries_from,
)
from tests.profile_rows import DATA

PROFILES = (
    "sheet/callgrind.out.buckets-8.xz", "cachey-everything/callgrind.out.22151.xz",
    "recur-everything/callgrind.out.21921.xz", "threads-combined-bb/callgrind.out.22283.xz",
)  # fmt: skip
SHARED = """
    main 10 -> a 2x60, b 1x140
    a 20 -> c 4x100
    b 10 -> a 6x60, d 3x70
    c 55 -> e 2x55
    d 60 -> c 1x10
    e 55
    """


def inverted_tree(queries: ProfileQueries, scope: Scope = CYCLES, **options: int) -> FrameTree:
    calls = queries.program_calls(queries.events.measured[0], scope)
    return build_frame_tree(calls, calls.self_roots(), up=True, min_share=0, **options)


def named(queries: ProfileQueries, node: int, scope: Scope = CYCLES) -> str:
    return [*node_names(queries, scope), "(not attributed)", "(other callers)", "*"][node]


def frame_lines(queries: ProfileQueries, tree: FrameTree) -> list[str]:
    """A line per frame: cost, estimated or not, and number of calls."""

    def walk(frame: int) -> Iterator[int]:
        yield frame
        for child in tree.children_of(frame):
            yield from walk(child)

    side = tree.new
    return [
        f"{'  ' * int(tree.depth[frame])}{named(queries, tree.node[frame])} "
        f"{'' if tree.is_exact[frame] else '~'}{tree.cost[frame]}"
        + (f", {'' if side.has_exact_calls[frame] else '~'}{calls}x" if calls else "")
        for frame in walk(0)
        for calls in [side.calls[frame]]
    ]


def branch_lines(queries: ProfileQueries, branches: InvertedBranches) -> list[str]:
    """The same of the branches of a call tree."""

    def walk(branch: Branch, depth: int) -> Iterator[str]:
        count = f", {'~' if branch.is_shared else ''}{branch.count:.0f}x" if branch.count else ""
        mark = "" if branch.is_proven else "~"
        yield f"{'  ' * depth}{named(queries, branch.function)} {mark}{branch.cost:.0f}{count}"
        for below in branches.below(branch, 0, 1000)[0]:
            yield from walk(below, depth + 1)

    return list(walk(branches.root(NO_NODE), 0))


INVERTED = """
* 210
  d 60
    b 60, 3x
      main 60
  c 55
    a ~50, 4x
      main ~25, ~2x
      b ~25, ~5x
        main ~25
    d ~5, 1x
      b ~5
        main ~5
  e 55
    c 55, 2x
      a ~50, ~2x
        main ~25, ~1x
        b ~25, ~2x
          main ~25
      d ~5
        b ~5
          main ~5
  a 20
    main ~10, 2x
    b ~10, 6x
      main ~10
  main 10
  b 10
    main 10, 1x"""


def test_callers_have_their_part_of_a_self_cost() -> None:
    """c costs 110 with what it calls, 100 of it for a: so a has 10/11 of the 55 by itself.

    All calls of c by a are counted, as they are no part of anything.
    """
    queries = queries_from(SHARED)
    calls = queries.program_calls(queries.events.measured[0], CYCLES)

    assert frame_lines(queries, inverted_tree(queries)) == INVERTED.split("\n")[1:]
    branches = "\n".join(branch_lines(queries, InvertedBranches(calls, None)))
    assert branches.replace(", ~0x", "") == INVERTED[1:]


def test_what_nobody_has_is_below_the_functions_that_lack_it() -> None:
    """main was called at 100 and accounts for 30; of clone's 3750 its caller has 36."""
    ended = frame_lines(*_inverted("summary: 100\nstart 0 -> main 1x100\nmain 10 -> f 1x20\nf 20"))
    begun = frame_lines(*_inverted("main 10 -> clone 1x36\nclone 50 -> thread 1x3700\nthread 3700"))

    assert ended[:4] == ["* 100", "  (not attributed) 70", "    main 70", "      start 70, ~1x"]
    assert begun[:5] == [
        "* 3760",
        "  thread 3700",
        "    clone 3700, 1x",
        "      (other callers) ~3664",
        "      main ~36, ~1x",
    ]


def _inverted(drawing: str) -> tuple[ProfileQueries, FrameTree]:
    queries = queries_from(drawing)
    return queries, inverted_tree(queries)


# ---------------------------------------------------------------- by an obvious computation

_Path = tuple[int, ...]


def callers_of_each(calls: AccountedCalls) -> dict[int, list[tuple[int, int]]]:
    """The callers of each node and of what no function has, with the costs of the calls."""
    shape, callers = calls.graph.adjacency, dict[int, list[tuple[int, int]]]()
    ends = zip(shape.caller.tolist(), shape.callee.tolist(), calls.graph.cost.tolist(), strict=True)
    for caller, callee, cost in ends:
        callers.setdefault(callee, []).append((caller, cost))
    for node, (extra, lacking) in enumerate(
        zip(calls.excess.tolist(), calls.missing.tolist(), strict=True)
    ):
        callers.setdefault(node, []).append((int(OTHER_CALLERS), extra))
        callers.setdefault(int(NOT_ATTRIBUTED), []).append((node, lacking))
    return callers


def slowly_inverted(calls: AccountedCalls, depth: int) -> dict[_Path, Fraction]:
    """The cost at each place down to a depth, path by path, without rounding."""
    callers, graph, found = callers_of_each(calls), calls.graph, dict[_Path, Fraction]()

    def follow(path: _Path, cost: Fraction) -> None:
        found[path], node = cost, path[-1]
        if len(path) == depth or node in path[:-1] or node == OTHER_CALLERS:
            return
        whole = calls.not_attributed if node < 0 else int(graph.inclusive[node])
        for caller, part in callers.get(node, []):
            if part:
                follow((*path, caller), cost * part / whole)

    for function, own in enumerate(graph.self_cost[: calls.functions].tolist()):
        if own:
            follow((function,), Fraction(own))
    if calls.not_attributed:
        follow((int(NOT_ATTRIBUTED),), Fraction(calls.not_attributed))
    return found


def places(tree: FrameTree) -> dict[_Path, int]:
    """The frame at each path; a program of one function has no frame around it."""
    first = 1 if len(tree) and tree.node[0] == NO_NODE else 0
    return {
        tuple(int(tree.node[each]) for each in tree.path(frame)[first:]): frame
        for frame in range(first, len(tree))
    }


def assert_inverted(queries: ProfileQueries, scope: Scope, depth: int) -> None:
    """Pictures and branches have what the obvious computation has, in each event."""
    for event in queries.events.measured[:3]:
        calls = queries.program_calls(event, scope)
        if (calls.graph.self_cost < 0).any() or (calls.graph.cost < 0).any():
            continue
        expected = slowly_inverted(calls, depth)
        tree = build_frame_tree(
            calls, calls.self_roots(), up=True, min_share=0, max_frames=10**6, max_depth=depth
        )
        found = {path: frame for path, frame in places(tree).items() if len(path) <= depth}
        assert found.keys() == expected.keys() or not expected
        for path, frame in found.items():
            assert abs(tree.width[frame] - expected[path]) <= 1e-9 * expected[path]
            assert abs(int(tree.cost[frame]) - expected[path]) <= 1 or not tree.is_exact[frame]
        branches = InvertedBranches(calls, None)
        assert branches.root(NO_NODE).cost == sum(
            cost for path, cost in expected.items() if len(path) == 1
        )
        waiting = [((), branches.root(NO_NODE))]
        while waiting:
            above, branch = waiting.pop()
            for below in branches.below(branch, 0, 10**6)[0]:
                path = (*above, int(below.function))
                assert below.cost == pytest.approx(float(expected[path]), rel=1e-9)
                assert not below.is_exact or below.cost == expected[path]
                if len(path) < depth and below.function not in path[:-1]:
                    waiting.append((path, below))


@pytest.mark.parametrize("name", PROFILES)
def test_real_programs_are_inverted(name: str) -> None:
    """With recursion, threads, several events, and cycles detected or not."""
    queries = ProfileQueries(load(DATA / name))
    for scope in (CYCLES, NO_CYCLES):
        assert_inverted(queries, scope, 4)


@settings(max_examples=100, deadline=None)
@given(contradictory_programs(6))
def test_contradictory_programs_are_inverted(drawing: str) -> None:
    """Whatever a writer records, nothing is lost on the way to the callers."""
    queries = queries_from(drawing)
    for scope in (CYCLES, NO_CYCLES):
        assert_inverted(queries, scope, 5)


@settings(max_examples=100, deadline=None)
@given(contradictory_programs(6))
def test_all_places_of_a_function_have_its_inclusive_cost(drawing: str) -> None:
    """With cycles detected there are no circles, so each cost passes a function once."""
    queries = queries_from(drawing)
    calls = queries.program_calls(queries.events.measured[0], CYCLES)
    tree = inverted_tree(queries)
    widths = np.zeros(len(calls.graph.inclusive))
    is_node = tree.node >= 0
    np.add.at(widths, tree.node[is_node], tree.width[is_node])
    assert widths.tolist() == pytest.approx(calls.graph.inclusive.tolist(), abs=1e-6)


# ---------------------------------------------------------------- two sides, and folds


def test_both_sides_of_a_comparison_are_inverted() -> None:
    """Each side of the common tree has what the inverted tree of that side alone has."""
    base, new = (DATA / f"comparison/callgrind.out.sort-{kind}.xz" for kind in ("plain", "digits"))
    compared = compare(load(base), load(new))
    queries, event = compared.queries, compared.events[0]
    calls = [queries.program_calls(event, scope) for scope in (compared.base, compared.new)]
    sides = [(side, side.self_roots()) for side in calls]
    both = build_frame_tree(*sides[1], base=sides[0], up=True, min_share=0, max_depth=4)
    found = places(both)
    branches = ComparedBranches(*(InvertedBranches(side, None) for side in calls))
    changes = {each.function: each for each in branches.below(branches.root(NO_NODE), 0, 10**6)[0]}
    for side, costs in zip(calls, (both.base, both.new), strict=True):
        for path, cost in slowly_inverted(side, 4).items():
            assert costs.width[found[path]] == pytest.approx(float(cost))
    for path, frame in found.items():
        if len(path) == 1:
            change = int(both.new.cost[frame]) - int(both.base.cost[frame])
            assert changes[NodeId(path[0])].cost == change


def test_folded_functions_are_spent_where_they_are_charged() -> None:
    """The first level has the self costs that the list has, those of folded functions included."""
    queries = ProfileQueries(load(DATA / "sheet/callgrind.out.buckets-64.xz"))
    folded = with_folds(queries, parse_folds("libc"))
    event = folded.events.measured[0]
    calls = folded.program_calls(event, CYCLES)
    own = folded.self_cost(event, CYCLES)[: folded.function_count]
    branches = InvertedBranches(calls, None)
    first = branches.below(branches.root(NO_NODE), 0, 10**6)[0]
    found = {each.function: each.cost for each in first if each.function >= 0}
    assert found == {node: own[node] for node in np.flatnonzero(own).tolist()}
    assert_inverted(folded, CYCLES, 3)
