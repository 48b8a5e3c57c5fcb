"""Branches of a call tree on both sides of a comparison."""

from __future__ import annotations

from pathlib import Path

from qcachegrind_py.analysis.calls.call_tree import CallBranches, ComparedBranches

from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NodeId
from tests.profile_text import write_profile_text

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
