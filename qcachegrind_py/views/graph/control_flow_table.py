"""The table of blocks, or of edges, beside the picture of the control flow."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal

from qcachegrind_py.models.code.flow_blocks import FlowBlockModel
from qcachegrind_py.models.code.flow_edges import FlowEdgeModel
from qcachegrind_py.views.record_table import RecordTable


class FlowTable(RecordTable):
    """Says which address the user went to."""

    chosen_address = Signal(object)  # int

    def __init__(self, model: FlowBlockModel | FlowEdgeModel, name: str) -> None:
        super().__init__(model, name)
        self._model = model
        self.selectionModel().currentRowChanged.connect(self._on_current)

    def _on_current(self, index: QModelIndex) -> None:
        if index.isValid() and self.hasFocus():
            self.chosen_address.emit(self._model.address_of(self._model.record(index)))
