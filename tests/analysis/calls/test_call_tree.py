"""Call trees: both sides of a comparison, and search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.calls import call_tree
from qcachegrind_py.analysis.calls.call_tree import BranchSearch, CallBranches, ComparedBranches
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.progress import NoProgress
from tests.profile_text import WHOLE_SCOPE, event_named, queries_for, write_profile_text

BASE = "main 10 -> a 1x30, old 1x5\na 10 -> leaf 2x20\nold 5\nleaf 20"
NEW = "main 11 -> a 1x34, fresh 1x9\na 10 -> leaf 3x24\nfresh 9\nleaf 24"


def test_branches_of_both_sides_have_their_changes(tmp_path: Path) -> None:
    """The largest change is on top, new and gone branches are there, further ones are summed up."""
    base, new = (load(write_profile_text(tmp_path, text, text[:7])) for text in (BASE, NEW))
    compared = compare(base, new)
    queries, event = compared.queries, compared.events[0]
    labels = queries.labels(compared.new)
    tree = ComparedBranches(
        *(
            CallBranches(queries.accounted_calls(event, scope), None, up=False)
            for scope in (compared.base, compared.new)
        )
    )
    root = tree.root(NodeId(int(queries.names.find("main", "???", "???"))))

    branches, further = tree.below(root, 0, 10)
    first, more = tree.below(root, 0, 1)
    leaf, _ = tree.below(branches[2], 0, 10)

    assert (root.cost, tree.self_cost(root)) == (9, (1, True))
    found = [(labels.name(each.function), each.cost, each.is_exact) for each in branches]
    assert found == [("fresh", 9, True), ("old", -5, True), ("a", 4, True)]
    assert further == 0
    assert [each.cost for each in first] == [9, -1]
    assert more == 2
    assert [(labels.name(each.function), each.cost, each.is_exact) for each in leaf] == [
        ("leaf", 4, True)
    ]


SHARED = """
    main 10 -> a 2x60, b 1x130
    a 20 -> c 4x100
    b 10 -> a 6x60, d 3x70
    c 100
    d 60 -> c 1x10
    """
RECURSIVE = "main 10 -> f 1x50\nf 20 -> g 9x40\ng 30 -> f 2x20"


def search(
    folder: Path,
    drawing: str,
    wanted: str,
    root: str = "main",
    *,
    scope: Scope = WHOLE_SCOPE,
    hidden: str = "",
    up: bool = False,
) -> tuple[BranchSearch, list[str]]:
    """A search for functions whose name contains a text, and the names of all nodes."""
    queries = queries_for(folder, drawing)
    labels = queries.labels(scope)
    names = [labels.name(node) for node in range(len(labels))]
    visible = np.array([name != hidden for name in names]) if hidden else None
    branches = CallBranches(
        queries.accounted_calls(event_named(queries, "Ir"), scope), visible, up=up
    )
    matches = np.array([wanted in name for name in names])
    return BranchSearch(branches, names.index(root), matches), names


def places(begun: tuple[BranchSearch, list[str]]) -> list[str]:
    """The paths to all places, in the order in which they are found."""
    searching, names = begun
    found = []
    while (path := searching.next_path(NoProgress())) is not None:
        found.append(" ".join(names[node] for node in path))
    return found


def test_the_costliest_place_is_found_first(tmp_path: Path) -> None:
    """Places follow by the cost that the tree shows there, of equal ones the nearest first."""
    assert places(search(tmp_path, SHARED, "c")) == ["main a c", "main b a c", "main b d c"]
    assert places(search(tmp_path, SHARED, "a", "c", up=True)) == [
        "c a",
        "c a main",
        "c a b main",
        "c d b main",
    ]


def test_a_match_may_lie_below_another(tmp_path: Path) -> None:
    """The search goes on below a place that it found, and the root may be one."""
    assert places(search(tmp_path, SHARED, "")) == [
        "main",
        "main b",
        "main b d",
        "main a",
        "main b a",
        "main a c",
        "main b a c",
        "main b d c",
    ]


def test_recursion_ends_a_branch(tmp_path: Path) -> None:
    """A function already on the path is found once more and not followed, as in the tree."""
    begun = search(tmp_path, RECURSIVE, "f", scope=Scope(cycles=False))

    assert places(begun) == ["main f", "main f g f"]


def test_a_filter_hides_places(tmp_path: Path) -> None:
    """What the tree does not show is not found, nor anything that only it leads to."""
    assert places(search(tmp_path, SHARED, "c", hidden="a")) == ["main b d c"]
    assert places(search(tmp_path, SHARED, "nothing")) == []


def test_branches_that_lead_nowhere_are_not_followed(tmp_path: Path) -> None:
    """Of 2^60 paths, only those to the function are followed: it is found at once."""
    levels = 60
    lines = [f"f{n} 1 -> a{n} 1x1000, b{n} 1x1000" for n in range(levels)]
    lines += [f"{s}{n} 1 -> f{n + 1} 1x1000" for n in range(levels) for s in "ab"]
    lines += ["main 1 -> f0 1x1000, other 1x5", "other 5 -> wanted 1x3", "wanted 3"]
    drawing = "\n".join([*lines, f"f{levels} 1000"])

    assert places(search(tmp_path, drawing, "wanted")) == ["main other wanted"]


def test_a_search_that_takes_too_long_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After many branches without a match the search ends, and can be told from a complete one."""
    monkeypatch.setattr(call_tree, "MOST_BRANCHES", 2)
    begun, _ = search(tmp_path, SHARED, "c")

    assert (begun.next_path(NoProgress()), begun.is_cut) == (None, True)
