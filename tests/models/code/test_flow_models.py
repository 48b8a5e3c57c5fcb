"""The basic blocks of a function, and the edges between them, as tables."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

from qcachegrind_py.analysis.code.basic_blocks import BasicBlocks, basic_blocks
from qcachegrind_py.analysis.code.location_costs import instruction_costs
from qcachegrind_py.models.code.flow_blocks import FlowBlockModel
from qcachegrind_py.models.code.flow_edges import FlowEdgeModel
from qcachegrind_py.present.former.cost_format import CostFormat
from tests.profile_rows import profile_from
from tests.profile_text import dump_rows, titles

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


def blocks_of(event: str) -> BasicBlocks:
    profile = profile_from(LOOP.format(event=event))
    return basic_blocks(profile, instruction_costs(profile, 0))


def block_model(event: str = "Ir", *, percent: bool = False) -> FlowBlockModel:
    blocks, model = blocks_of(event), FlowBlockModel()
    format_ = CostFormat(event, 66, percent)
    model.set_blocks(7, blocks, blocks.self_cost[0], blocks.inclusive[0], format_)
    return model


def edge_model(event: str = "Ir") -> FlowEdgeModel:
    model = FlowEdgeModel()
    model.set_edges(7, blocks_of(event), CostFormat(event, 66, False))
    return model


def test_models_pass_qt_model_checks(qtmodeltester: Any) -> None:
    """The model passes Qt's consistency checks, even if it is empty."""
    for model in (block_model(), edge_model(), FlowBlockModel(), FlowEdgeModel()):
        qtmodeltester.check(model)


def test_blocks_as_a_list(qapp: object) -> None:
    """A row per block, costliest first, with its costs, executions, size and position."""
    model = block_model()

    assert titles(model) == ["Self", "Incl.", "Executed", "Instructions", "Address", "Last"]
    assert dump_rows(model) == ["60 | 660 | 30 | 2 | 12 | 14", "3 | 3 | 3 | 1 | 10 | 10",
                           "3 | 3 | 3 | 1 | 16 | 16"]  # fmt: skip
    assert dump_rows(block_model(percent=True), model.SELF) == ["90.91", "4.55", "4.55"]
    assert model.plain_text(model.index(0, model.FIRST)) == "0x12"
    model.sort(model.FIRST, ASCENDING)
    assert dump_rows(model, model.FIRST) == ["10", "12", "16"]
    assert [model.address_of(model.record(model.index(row, 0))) for row in range(3)] == [16, 18, 22]
    model.clear()
    assert (model.rowCount(), model.function_of(0)) == (0, -1)


def test_edges_as_a_list(qapp: object) -> None:
    """A row per edge, the most frequent first, from the jump itself to its target."""
    model = edge_model()

    assert titles(model) == ["Count", "Kind", "From", "To"]
    assert dump_rows(model) == [
        "27 | taken | 14 | 12",
        "3 | falls through | 10 | 12",
        "3 | not taken | 14 | 16",
    ]
    assert (model.address_of(1), model.function_of(1)) == (0x14, 7)
    model.clear()
    assert model.rowCount() == 0


def test_unknown_counts(qapp: object) -> None:
    """An unknown count is a dash, sorts last, and is copied as an empty cell."""
    blocks, edges = block_model("Dr"), edge_model("Dr")

    assert dump_rows(blocks, blocks.EXECUTED, blocks.FIRST) == ["30 | 12", "– | 10", "– | 16"]
    assert dump_rows(edges, edges.COUNT, edges.TO) == ["27 | 12", "3 | 16", "– | 12"]
    assert [edges.plain_text(edges.index(row, 0)) for row in range(3)] == ["27", "3", ""]
