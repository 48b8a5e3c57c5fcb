"""The number of a box, or of a row of its table, as *Explain This Number* asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from qcachegrind_py.analysis.explanation.numbers import (
    EstimateKey,
    EstimateKind,
    Measure,
    NumberRequest,
)
from qcachegrind_py.present.number_request import number_request, parent_of_calls
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE, node_at
from qcachegrind_py.views.boxes.frame_canvas import FrameCanvas
from qcachegrind_py.views.profile_view import has_cursor
from qcachegrind_py.views.tables.record_table import FunctionTable
from qcachegrind_py.views.tables.table_model import TableModel


class _Boxes(Protocol):
    """A view of boxes; each canvas has a table, and each table a model."""

    canvases: Sequence[FrameCanvas]
    models: list[TableModel]
    tables: Sequence[FunctionTable]

    @property
    def is_of_program(self) -> bool: ...

    def shown_canvases(self) -> list[FrameCanvas]: ...


def box_number(query: ViewQuery, boxes: _Boxes) -> NumberRequest | None:
    """Return the cost or the calls of a box; None without one."""
    canvas, box, measure = _chosen_box(boxes)
    tree = canvas.tree
    if tree is None or not 0 <= box < len(tree):
        return None
    nodes = (node_at(tree.node, row) for row in tree.path(box))
    path = tuple(node for node in nodes if node != NO_NODE)
    is_counted = measure is Measure.COUNT and len(path) > 1 and min(path[-2:]) >= 0
    key = EstimateKey(
        EstimateKind.FRAME,
        path,
        Measure.COUNT if is_counted else Measure.COST,
        up=canvas.shows_callers,
        is_program=boxes.is_of_program,
        of_recorded=query.context.of_recorded,
    )
    parent = None if boxes.is_of_program else parent_of_calls(query, query.context.function)
    return number_request(query, key, parent=parent)


def _chosen_box(boxes: _Boxes) -> tuple[FrameCanvas, int, Measure]:
    """Return the row of the table that has the focus, or the box pointed at or current."""
    for canvas, model, table in zip(boxes.canvases, boxes.models, boxes.tables, strict=True):
        index = table.currentIndex()
        if has_cursor(table) and index.isValid():
            is_count = table.current_key() == "called"
            return canvas, model.record(index), Measure.COUNT if is_count else Measure.COST
    shown = boxes.shown_canvases()
    canvas = next((each for each in shown if has_cursor(each)), shown[-1])
    return (
        canvas,
        canvas.pointed.box if canvas.pointed.box >= 0 else canvas.keyboard_box(),
        Measure.COST,
    )
