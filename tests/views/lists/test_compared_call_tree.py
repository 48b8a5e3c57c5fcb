"""The call tree of a comparison: calls of both sides, in the tree and in exports."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.calls.call_tree import CallBranches, ComparedBranches
from qcachegrind_py.present.call_tree import BranchTree, branch_table
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.views.tables.table_actions import written_rows
from qcachegrind_py.views.tables.tree_model import TreeModel
from tests.columns import CALL_TREE
from tests.compared_graphs import compared_profiles
from tests.profile_text import THIN

BASE = "main 10 -> a 1x30, old 1x5, same 4x8\na 10 -> leaf 2x20\nold 5\nleaf 20\nsame 8"
NEW = "main 11 -> a 1x34, fresh 1x9, same 4x8\na 10 -> leaf 3x24\nfresh 9\nleaf 24\nsame 8"


def compared_tree(folder: Path) -> TreeModel:
    """The tree of main on both sides."""
    compared = compared_profiles(folder, BASE, NEW)
    queries, event = compared.queries, compared.events[0]
    sides = (
        CallBranches(queries.accounted_calls(event, scope), None, up=False)
        for scope in (compared.base, compared.new)
    )
    model = TreeModel()
    root = NodeId(int(queries.names.find("main", "???", "???")))
    tree, unit = BranchTree(ComparedBranches(*sides), root), Unit("Ir", wants_percent=False)
    model.show(branch_table(tree, queries.labels(compared.new), unit))
    return model


def test_calls_have_both_sides(tmp_path: Path) -> None:
    """A number of calls that changed is written as in all lists: 2 → 3."""
    model = compared_tree(tmp_path)
    root = model.index(0, 0)
    found = {
        model.index(row, CALL_TREE.NAME, root).data(): model.index(
            row, CALL_TREE.COUNT, root
        ).data()
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
    assert model.table.written is not None
    records = np.array(
        list(map(model.record, [root, *(model.index(n, 0, root) for n in range(4))]))
    )
    export = written_rows(model.table.written.columns, records, NoProgress())
    rows = {row[4]: tuple(row) for row in export.rows}

    assert export.titles == (
        "Level", "Incl. ±", "Self ±", "Calls", "Function", "Location", "Proven",
        "Base incl.", "New incl.", "Base calls",
    )  # fmt: skip
    assert rows == {
        "main": (0, 9, 1, None, "main", "???", "yes", 53, 62, None),
        "fresh": (1, 9, 9, 1, "fresh", "???", "yes", 0, 9, 0),
        "old": (1, -5, -5, 0, "old", "???", "yes", 5, 0, 1),
        "a": (1, 4, 0, 1, "a", "???", "yes", 30, 34, 1),
        "same": (1, 0, 0, 4, "same", "???", "yes", 8, 8, 4),
    }
