"""Changes of estimated costs: which of them are exact."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.calls.cost_flow import change_of_calls
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NodeId
from tests.profile_text import write_profile_text


def test_changes_of_estimates_are_no_facts(tmp_path: Path) -> None:
    """Both a and b call mid, which calls x for a and y for b; then a makes twice the calls.

    Shared out in proportion, b seems to reach x more often than before. Only direct calls are
    exact, so only their changes are.
    """
    base, new = (
        load(
            write_profile_text(
                tmp_path,
                f"a 1 -> mid {n}x{n * 11}\nb 1 -> mid 10x110\n"
                f"mid {10 + n} -> x {n}x{n * 10}, y 10x100\nx {n * 10}\ny 100",
                name,
            )
        )
        for n, name in ((10, "base"), (20, "new"))
    )
    compared = compare(base, new)
    queries, event = compared.queries, compared.events[0]
    b = NodeId(int(queries.names.find("b", "???", "???")))

    sides = [queries.transitive_callees(b, event, scope) for scope in (compared.base, compared.new)]
    nodes = np.union1d(sides[0].node, sides[1].node)
    changes = change_of_calls(*(side.for_nodes(nodes) for side in sides))

    labels = queries.labels(compared.new)
    found = {
        labels.name(NodeId(int(node))): (change != 0, bool(exact))
        for node, change, exact in zip(nodes, changes.cost, changes.is_exact, strict=True)
    }
    assert found == {"mid": (False, True), "x": (True, False), "y": (True, False)}
