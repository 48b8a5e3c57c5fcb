"""The basic blocks of a function, and the edges between them, as tables."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

from qcachegrind_py.analysis.code.basic_blocks import basic_blocks
from qcachegrind_py.analysis.code.instructions import NO_CODE
from qcachegrind_py.analysis.code.location_costs import instruction_costs
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.control_flow import (
    NO_BLOCKS,
    NO_EDGES,
    ControlFlow,
    block_table,
    control_flow,
    edge_table,
)
from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.views.tables.table_model import TableModel
from tests.columns import FLOW_BLOCKS, FLOW_EDGES
from tests.profile_rows import profile_from
from tests.profile_text import dump_rows, titles, view_query

LOOP = """
    positions: instr line
    events: {event}

    fn=f
    0x10 1 3
    0x12 1 30
    cfn=g
    calls=30 0x90 1
    0x12 1 600
    0x14 1 30
    jcnd=27/30 0x12 1
    0x14 1
    0x16 1 3
    fn=g
    0x90 1 600
    """
ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


def flow_of(event: str, *, percent: bool = False) -> ControlFlow:
    profile = profile_from(LOOP.format(event=event))
    unit = CostUnit.PERCENT if percent else CostUnit.ABSOLUTE
    query = view_query(ProfileQueries(profile), event, unit=unit, function=FunctionId(0))
    costs = instruction_costs(profile, 0)
    kind = query.events.measured[0]
    return control_flow(
        query, kind, FunctionId(0), basic_blocks(profile, costs), NO_CODE, costs, None
    )


def block_model(event: str = "Ir", *, percent: bool = False) -> TableModel:
    model = TableModel(NO_BLOCKS)
    model.show(block_table(flow_of(event, percent=percent), FunctionId(7)))
    return model


def edge_model(event: str = "Ir") -> TableModel:
    model = TableModel(NO_EDGES)
    model.show(edge_table(flow_of(event), FunctionId(7)))
    return model


def test_models_pass_qt_model_checks(qtmodeltester: Any) -> None:
    """The model passes Qt's consistency checks, even if it is empty."""
    for model in (block_model(), edge_model(), TableModel(NO_BLOCKS), TableModel(NO_EDGES)):
        qtmodeltester.check(model)


def test_blocks_as_a_list(qapp: object) -> None:
    """A row per block, costliest first, with its costs, executions, size and position."""
    model = block_model()

    assert titles(model) == ["Self", "Incl.", "Executed", "Instructions", "Address", "Last"]
    assert dump_rows(model) == ["60 | 660 | 30 | 2 | 12 | 14", "3 | 3 | 3 | 1 | 10 | 10",
                           "3 | 3 | 3 | 1 | 16 | 16"]  # fmt: skip
    assert dump_rows(block_model(percent=True), FLOW_BLOCKS.SELF) == ["90.91", "4.55", "4.55"]
    assert model.plain_text(model.index(0, FLOW_BLOCKS.FIRST)) == "0x12"
    model.sort(FLOW_BLOCKS.FIRST, ASCENDING)
    assert dump_rows(model, FLOW_BLOCKS.FIRST) == ["10", "12", "16"]
    model.clear()
    assert model.rowCount() == 0


def test_edges_as_a_list(qapp: object) -> None:
    """A row per edge, the most frequent first, from the jump itself to its target."""
    model = edge_model()

    assert titles(model) == ["Count", "Kind", "From", "To"]
    assert dump_rows(model) == [
        "27 | taken | 14 | 12",
        "3 | falls through | 10 | 12",
        "3 | not taken | 14 | 16",
    ]
    assert model.table.node(1) == 7
    model.clear()
    assert model.rowCount() == 0


def test_unknown_counts(qapp: object) -> None:
    """An unknown count is a dash, sorts last, and is copied as an empty cell."""
    blocks, edges = block_model("Dr"), edge_model("Dr")

    assert dump_rows(blocks, FLOW_BLOCKS.EXECUTED, FLOW_BLOCKS.FIRST) == [
        "30 | 12",
        "– | 10",
        "– | 16",
    ]
    assert dump_rows(edges, FLOW_EDGES.COUNT, FLOW_EDGES.TO) == ["27 | 12", "3 | 16", "– | 12"]
    assert [edges.plain_text(edges.index(row, 0)) for row in range(3)] == ["27", "3", ""]
