"""The call tree of a comparison: calls of both sides, in the tree and in exports."""

from __future__ import annotations

from pathlib import Path

from qcachegrind_py.analysis.calls.call_tree import CallBranches, ComparedBranches
from qcachegrind_py.present.former.change_format import ChangeFormat
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.views.lists.call_tree_model import CallTreeModel
from tests.compared_graphs import compared_profiles
from tests.profile_text import THIN

BASE = "main 10 -> a 1x30, old 1x5, same 4x8\na 10 -> leaf 2x20\nold 5\nleaf 20\nsame 8"
NEW = "main 11 -> a 1x34, fresh 1x9, same 4x8\na 10 -> leaf 3x24\nfresh 9\nleaf 24\nsame 8"


def compared_tree(folder: Path) -> CallTreeModel:
    """The tree of main on both sides."""
    compared = compared_profiles(folder, BASE, NEW)
    queries, event = compared.queries, compared.events[0]
    sides = (
        CallBranches(queries.accounted_calls(event, scope), None, up=False)
        for scope in (compared.base, compared.new)
    )
    model = CallTreeModel()
    root = NodeId(int(queries.names.find("main", "???", "???")))
    model.set_root(
        ComparedBranches(*sides), queries.labels(compared.new), root, ChangeFormat(base=1)
    )
    return model


def test_calls_have_both_sides(tmp_path: Path) -> None:
    """A number of calls that changed is written as in all lists: 2 → 3."""
    model = compared_tree(tmp_path)
    root = model.index(0, 0)
    found = {
        model.index(row, model.NAME, root).data(): model.index(row, model.COUNT, root).data()
        for row in range(model.rowCount(root))
    }

    assert found == {
        "fresh": f"0{THIN}→{THIN}1",
        "old": f"1{THIN}→{THIN}0",
        "a": "1",
        "same": "4",
    }


def test_exports_have_base_and_new(tmp_path: Path) -> None:
    """Rows of an export end with the cost in the base, the new one, and the calls in the base."""
    model = compared_tree(tmp_path)
    root = model.index(0, 0)
    rows = {
        row[3]: row
        for row in map(model.plain_row, [root, *(model.index(row, 0, root) for row in range(4))])
    }

    assert model.plain_titles() == (
        "Level", "Incl. ±", "Self ±", "Calls", "Function", "Location", "Proven",
        "Base incl.", "New incl.", "Base calls",
    )  # fmt: skip
    assert rows == {
        "main": (9, 1, None, "main", "???", "yes", 53, 62, None),
        "fresh": (9, 9, 1, "fresh", "???", "yes", 0, 9, 0),
        "old": (-5, -5, 0, "old", "???", "yes", 5, 0, 1),
        "a": (4, 0, 1, "a", "???", "yes", 30, 34, 1),
        "same": (0, 0, 4, "same", "???", "yes", 8, 8, 4),
    }
