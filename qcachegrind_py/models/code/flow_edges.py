"""The edges between a function's basic blocks as a list, for screen readers and for copying."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.code.basic_blocks import BasicBlocks, EdgeKind
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.models.code.flow_blocks import address_column, executed_column
from qcachegrind_py.models.code.flow_sides import FlowSides, count_changes
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId
from qcachegrind_py.profile.tables import Int64Array

KIND_TEXTS = {
    EdgeKind.FALL_THROUGH: "falls through",
    EdgeKind.JUMP: "jump",
    EdgeKind.TAKEN: "taken",
    EdgeKind.NOT_TAKEN: "not taken",
}
_NOTHING, _NOWHERE = np.empty(0, np.int64), np.empty(0, np.uint64)


class FlowEdgeModel(ArrayTableModel):
    """A table with one record per edge; `function_of` is the same for all."""

    COUNT, KIND, FROM, TO = range(4)

    def __init__(self, parent: QObject | None = None) -> None:
        self.format = NO_FORMAT
        self._function = NO_FUNCTION
        self._count, self._kind = _NOTHING, _NOTHING
        self._source, self._target = _NOWHERE, _NOWHERE
        self._sides: FlowSides | None = None
        super().__init__(
            (
                executed_column(
                    "count",
                    "Count",
                    "How often this edge was taken",
                    self._counts,
                    lambda: self.format,
                    self._count_text,
                    lambda: None if self._sides is None else self._sides.edge_count,
                ),
                Column(
                    "kind",
                    "Kind",
                    "Fall-through, jump, branch taken or branch not taken",
                    lambda r: KIND_TEXTS[EdgeKind(int(self._kind[r]))],
                    lambda: self._kind,
                    is_number=False,
                    width=10,
                ),
                address_column(
                    "from", "From", "The last instruction of the block", lambda: self._source
                ),
                address_column(
                    "to", "To", "The first instruction of the block", lambda: self._target
                ),
            ),
            parent,
        )

    def _counts(self) -> Int64Array:
        return self._count if self._sides is None else count_changes(self._sides.edge_count)

    def _count_text(self, record: int) -> str | None:
        sides = self._sides
        return None if sides is None else sides.count_text(sides.edge_count, record)

    def set_edges(
        self,
        function: FunctionId,
        blocks: BasicBlocks,
        format_: CostFormat,
        sides: FlowSides | None = None,
    ) -> None:
        """Show all edges of a function, whether visible in the graph or not; resets the model."""
        self._function, self.format, edges = function, format_, blocks.edges
        self._sides = sides
        self._count, self._kind = edges.count, edges.kind
        self._source = blocks.address[blocks.last[edges.source]]
        self._target = blocks.address[blocks.first[edges.target]]
        self._reset(len(edges))

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.format, self._function, self._sides = NO_FORMAT, NO_FUNCTION, None
        self._count = self._kind = _NOTHING
        self._source = self._target = _NOWHERE
        self._reset(0)

    def address_of(self, record: int) -> int:
        """Return the address of the jump, or of the source block's last instruction."""
        return int(self._source[record])

    def function_of(self, record: int) -> FunctionId:
        return self._function

    def tip_of(self, record: int) -> str:
        kind = KIND_TEXTS[EdgeKind(int(self._kind[record]))]
        return tip_text(f"{int(self._source[record]):x} → {int(self._target[record]):x}, {kind}")
