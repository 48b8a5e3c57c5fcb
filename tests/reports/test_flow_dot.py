"""The control flow graph as DOT: every block and every edge, with escaped text."""

from __future__ import annotations

from qcachegrind_py.analysis.code.basic_blocks import basic_blocks
from qcachegrind_py.analysis.code.location_costs import instruction_costs
from qcachegrind_py.analysis.code.visible_blocks import select_visible_blocks
from qcachegrind_py.reports.dot import control_flow_dot
from tests.models.code.test_flow_models import LOOP
from tests.profile_rows import profile_from


def test_blocks_and_edges_in_dot() -> None:
    """Lines are left-aligned, backslashes are escaped, kinds of edges differ in line and colour."""
    profile = profile_from(LOOP.format(event="Ir"))
    blocks = basic_blocks(profile, instruction_costs(profile, 0))
    drawn = select_visible_blocks(blocks, blocks.self_cost[0], 0.0)

    text = control_flow_dot(
        drawn, [["10", r"mov \n"], ['12 "x"'], ["16"]], ["3", "taken 27", "not taken 3"]
    )

    assert text.splitlines() == [
        "digraph {",
        "rankdir=TB;",
        'node [shape=box, fontname="monospace"];',
        r'n0 [label="10\lmov \\n\l", style=bold];',
        r'n1 [label="12 \"x\"\l"];',
        r'n2 [label="16\l"];',
        'n1 -> n1 [label="taken 27", style=dashed, color="#1b5bbf"];',
        'n0 -> n1 [label="3"];',
        'n1 -> n2 [label="not taken 3", style=dotted, color="#b3261e"];',
        "}",
    ]
    assert "rankdir=LR;" in control_flow_dot(drawn, [[""]] * 3, [""] * 3, horizontal=True)
