"""Trees of profiles with contexts are those of their stacks, summed up one by one."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest

from qcachegrind_py.analysis.calls.call_graph import CallStack
from qcachegrind_py.analysis.calls.call_tree import (
    Branch,
    BranchSearch,
    ComparedBranch,
    ComparedBranches,
    TreeBranches,
)
from qcachegrind_py.analysis.calls.frame_layout import BoxWidth, frames_by_width
from qcachegrind_py.analysis.calls.frame_tree import FrameSide, FrameTree
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import FURTHER, NO_NODE, NodeId, PartId
from qcachegrind_py.profile.progress import NoProgress
from tests.analysis.calls.known_stacks import (
    FUNCTIONS,
    Path,
    Stack,
    costs_of_paths,
    profile_of,
    random_stacks,
)

ALL = Scope()
EVERY_PART = range(3)
ROOTS = ["", *FUNCTIONS]


def stacks_of(text: str) -> list[Stack]:
    """Return stacks of lines such as `a b c 3`, all in one part."""
    return [(0, tuple(names), (int(cost), 0)) for *names, cost in map(str.split, text.splitlines())]


def function(queries: ProfileQueries, name: str) -> NodeId:
    """Return the number of a function, `NO_NODE` without a name."""
    names = [queries.names.name(NodeId(row)) for row in range(queries.function_count)]
    return NodeId(names.index(name)) if name else NO_NODE


def paths_of(queries: ProfileQueries, tree: FrameTree) -> list[Path]:
    """Return the path to each frame."""
    paths = list[Path]()
    for node, parent in zip(tree.node.tolist(), tree.parent.tolist(), strict=True):
        name = (queries.names.name(NodeId(node)),) if node >= 0 else ()
        paths.append((*(paths[parent] if parent >= 0 else ()), *name))
    return paths


def frame_costs(queries: ProfileQueries, tree: FrameTree, side: FrameSide) -> dict[Path, int]:
    """Return what the frames of each path cost, which is one; without those that cost nothing."""
    paths = paths_of(queries, tree)
    assert len(set(paths)) == len(paths)
    costs = zip(paths, side.cost.tolist(), strict=True)
    return {path: cost for path, cost in costs if path and cost}


def branch_costs(queries: ProfileQueries, source: TreeBranches, root: NodeId) -> dict[Path, int]:
    """Return what all branches of a tree cost, opened one by one."""
    costs = dict[Path, int]()
    waiting: list[tuple[Path, Branch]] = [((), source.root(root))]
    while waiting:
        path, branch = waiting.pop()
        assert branch.is_exact
        if branch.function != NO_NODE:
            path = (*path, queries.names.name(branch.function))
            costs[path] = int(branch.cost)
        below, further = source.below(branch, 0, 100)
        assert (bool(below), further) == (source.has_branches(branch), 0)
        waiting += [(path, each) for each in below]
    return {path: cost for path, cost in costs.items() if cost}


def only(*parts: int) -> Scope:
    return Scope(parts=frozenset(map(PartId, parts)))


SCOPES = [(ALL, EVERY_PART), (only(1), (1,)), (only(0, 2), (0, 2))]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("up", [False, True])
def test_frames_and_branches_are_those_of_all_stacks(seed: int, up: bool) -> None:
    stacks = random_stacks(seed)
    queries = ProfileQueries(profile_of(stacks))
    known = {name for _, path, _ in stacks for name in path}
    for root, (scope, parts), event in itertools.product(ROOTS, SCOPES, (0, 1)):
        if root and root not in known:
            continue
        node, measured = function(queries, root), queries.events.measured[event]
        expected = costs_of_paths(stacks, root, up=up, event=event, parts=parts)
        tree = queries.frame_tree(node, measured, scope, up=up, min_share=0)
        assert frame_costs(queries, tree, tree.new) == expected
        assert tree.is_exact.all()
        assert not tree.is_recursion.any()
        assert np.array_equal(tree.width, tree.cost)
        branches = queries.call_branches(node, measured, scope, None, up=up)
        assert branch_costs(queries, branches, node) == expected


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("up", [False, True])
def test_comparisons_have_the_frames_and_branches_of_both_sides(seed: int, up: bool) -> None:
    sides = [random_stacks(seed), random_stacks(seed + 100)]
    compared = compare(*map(profile_of, sides))
    queries, event = compared.queries, compared.events[0]
    known = {name for stacks in sides for _, path, _ in stacks for name in path}
    for root in ROOTS:
        if root and root not in known:
            continue
        node = function(queries, root)
        before, now = (costs_of_paths(each, root, up=up, parts=EVERY_PART) for each in sides)
        tree = queries.frame_tree(node, event, compared.new, base=compared.base, up=up, min_share=0)
        assert frame_costs(queries, tree, tree.base) == before
        assert frame_costs(queries, tree, tree.new) == now
        drawn = frames_by_width(tree, BoxWidth.CHANGE)
        assert drawn.width.max(initial=0) == sum_of_changes(before, now, up=up, root=root)
        branches = ComparedBranches(
            *(
                queries.call_branches(node, event, scope, None, up=up)
                for scope in (compared.base, compared.new)
            )
        )
        changes = Counter(now)
        changes.subtract(before)
        found = branch_costs(queries, branches, node)
        assert found == {path: change for path, change in changes.items() if change}
        assert isinstance(branches.root(node), ComparedBranch)


def sum_of_changes(before: dict[Path, int], now: dict[Path, int], *, up: bool, root: str) -> int:
    """Return the growth and shrinkage of the self costs of all paths, or of what begins there."""
    change = Counter(now)
    change.subtract(before)
    own = Counter(change)
    for path, cost in change.items():
        if len(path) > 1:
            own[path[:-1]] -= cost
    return sum(map(abs, own.values()))


def test_narrow_frames_and_those_beyond_the_most_are_left_out_with_what_they_cost() -> None:
    queries = ProfileQueries(profile_of(stacks_of("a b 60\na c 30\na d e 9\na f 1")))
    event = queries.events.measured[0]

    def shown(**options: float) -> tuple[dict[Path, int], int, float]:
        tree = queries.frame_tree(NO_NODE, event, ALL, **options)
        costs = frame_costs(queries, tree, tree.new)
        return costs, tree.omitted_calls, tree.new.omitted_cost

    wide = {("a",): 100, ("a", "b"): 60, ("a", "c"): 30}
    assert shown(min_share=0.1) == (wide, 2, 10)
    assert shown(max_frames=3) == (wide, 2, 10)
    assert shown(max_frames=1) == ({("a",): 100}, 4, 100)
    assert shown(min_share=0.05)[1:] == (1, 1)


def test_frames_that_are_not_expanded_or_too_deep_have_none_inside() -> None:
    queries = ProfileQueries(profile_of(stacks_of("a b c 6\na d c 3")))
    event, closed = queries.events.measured[0], frozenset([function(queries, "b")])
    tree = queries.frame_tree(NO_NODE, event, ALL, unexpanded=closed)
    assert frame_costs(queries, tree, tree.new) == {
        ("a",): 9, ("a", "b"): 6, ("a", "d"): 3, ("a", "d", "c"): 3,
    }  # fmt: skip
    tree = queries.frame_tree(NO_NODE, event, ALL, max_depth=1)
    assert frame_costs(queries, tree, tree.new) == {("a",): 9, ("a", "b"): 6, ("a", "d"): 3}
    assert tree.omitted_calls == 0


def test_frames_lead_to_what_passes_the_filter() -> None:
    """A function that leads there on other stacks only is not followed, as its stacks are known."""
    queries = ProfileQueries(profile_of(stacks_of("a b c 6\na d b 3\na d e 2\nf 1")))
    event, count = queries.events.measured[0], queries.function_count

    def shown(up: bool, *names: str, root: str = "") -> tuple[dict[Path, int], int]:
        visible = np.zeros(count, bool)
        visible[[function(queries, name) for name in names]] = True
        node = function(queries, root)
        tree = queries.frame_tree(node, event, ALL, visible=visible, up=up)
        return frame_costs(queries, tree, tree.new), tree.filtered_calls

    assert shown(False, "c") == (
        {("a",): 11, ("f",): 1, ("a", "b"): 6, ("a", "b", "c"): 6}, 1
    )  # fmt: skip
    assert shown(True, "d", root="b") == ({("b",): 9, ("b", "d"): 3}, 2)


def test_branches_of_hidden_functions_are_left_out() -> None:
    queries = ProfileQueries(profile_of(stacks_of("a b c 6\na d c 3")))
    visible = np.ones(queries.function_count, bool)
    visible[function(queries, "b")] = False
    branches = queries.call_branches(NO_NODE, queries.events.measured[0], ALL, visible)
    assert branch_costs(queries, branches, NO_NODE) == {
        ("a",): 9, ("a", "d"): 3, ("a", "d", "c"): 3,
    }  # fmt: skip


def test_further_branches_are_summed_up() -> None:
    queries = ProfileQueries(profile_of(stacks_of("a b 6\na c 3\na d 2\na e 1")))
    event, root = queries.events.measured[0], function(queries, "a")
    branches = queries.call_branches(root, event, ALL, None)
    assert branches.self_cost(branches.root(root)) == (0, True)
    found, further = branches.below(branches.root(root), 1, 1)
    costs = [(each.function, each.cost, each.is_exact) for each in found]
    assert (costs, further) == ([(function(queries, "c"), 3, True), (FURTHER, 3, True)], 2)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("up", [False, True])
def test_a_search_finds_all_places_of_a_function_costliest_first(seed: int, up: bool) -> None:
    stacks = random_stacks(seed)
    queries = ProfileQueries(profile_of(stacks))
    wanted = np.zeros(queries.function_count, bool)
    wanted[function(queries, stacks[0][1][0])] = True
    branches = queries.call_branches(NO_NODE, queries.events.measured[0], ALL, None, up=up)
    search, found = BranchSearch(branches, NO_NODE, wanted), list[Path]()
    while (path := search.next_path(NoProgress())) is not None:
        found.append(tuple(queries.names.name(node) for node in path[1:]))
    costs = costs_of_paths(stacks, up=up, parts=EVERY_PART)
    assert set(found) == {path for path in costs if path[-1] == stacks[0][1][0]}
    assert [costs[path] for path in found] == sorted((costs[path] for path in found), reverse=True)


def names_of(queries: ProfileQueries, nodes: Iterable[NodeId]) -> str:
    return " ".join(map(queries.names.name, nodes))


def test_call_stacks_are_real_ones_even_where_single_calls_suggest_others() -> None:
    """`c` is called by `b` most, which calls `d` most, but on other stacks."""
    stacks = stacks_of("a b c e 6\na b d 9\nf c d 5\na b c d 1\na c c 2")
    queries = ProfileQueries(profile_of(stacks))
    event = queries.events.measured[0]

    def after(name: str, *, begun: CallStack) -> tuple[str, int]:
        node = function(queries, name)
        stack = queries.extended_stack(begun, node, event, ALL)
        return names_of(queries, stack.nodes), stack.active_index

    in_c = queries.costliest_stack(function(queries, "c"), event, ALL)
    assert (names_of(queries, in_c.nodes), in_c.active_index) == ("a b c e", 2)
    assert after("b", begun=in_c) == ("a b c e", 1)
    assert after("d", begun=in_c) == ("a b c d", 3)
    assert after("f", begun=in_c) == ("f c d", 0)
    assert after("a", begun=CallStack()) == ("a b d", 0)


def test_the_costliest_path_leads_through_functions_that_pass() -> None:
    queries = ProfileQueries(profile_of(stacks_of("a b c 6\na d c 3\nf c 0\ne 0")))
    event, passable = queries.events.measured[0], np.ones(queries.function_count, bool)

    def path(name: str) -> str:
        node = function(queries, name)
        return names_of(queries, queries.costliest_path(node, event, ALL, passable))

    assert (path("c"), path("e")) == ("a b c", "e")
    passable[function(queries, "b")] = False
    assert path("c") == "a d c"
    passable[function(queries, "a")] = False
    assert path("c") == "f c"
