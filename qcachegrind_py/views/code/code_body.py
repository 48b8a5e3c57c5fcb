"""The table of code with what stands around it: its text's scroll bar, and where the cost is."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.code.table_base import CodeModel
from qcachegrind_py.views.code.code_list import CodeList
from qcachegrind_py.views.heat_strip import HeatStrip


class CodeBody(QWidget):
    """The strip follows the rows that are seen, folded and sorted as they are."""

    def __init__(self, table: CodeList, model: CodeModel) -> None:
        super().__init__()
        self._table, self._model = table, model
        self.heat = HeatStrip(table, self._tip)
        self.heat.jumped.connect(self._go_to_row)
        table.viewport().installEventFilter(self)
        model.layoutChanged.connect(self.show_heat)
        model.modelReset.connect(self.show_heat)
        code = QVBoxLayout()
        code.setSpacing(0)
        code.addWidget(table, 1)
        code.addWidget(table.text_bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addLayout(code, 1)
        row.addWidget(self.heat)

    def show_heat(self) -> None:
        """Show where in the rows that are seen the cost is."""
        self._fit_heat()
        costs, order = self._model.first_costs.inclusive, self._model.order
        if not len(order) or self._model.first.is_ratio:
            self.heat.set_shares(np.zeros(len(order)))
            return
        of_sites = np.where(self._model.rows.records.call >= 0, 0, costs)[order]
        most = max(1, int(of_sites.max()))
        self.heat.set_shares((of_sites / most).astype(np.float64))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Resize:
            self._fit_heat()
        return super().eventFilter(watched, event)

    def _fit_heat(self) -> None:
        """Let the strip stand where the rows are, also where they do not fill the view."""
        table = self._table
        rows = min(table.viewport().height(), table.verticalHeader().length())
        self.heat.stand_beside(table.horizontalHeader().height(), rows)

    def _tip(self, row: int) -> str:
        """The line that a place of the strip stands for, with its cost."""
        record, model = int(self._model.order[row]), self._model
        cost = model.columns[model.INCLUSIVE].text(record)
        text = " ".join(model.full_text(record).split())
        return tip_text("  ".join(filter(None, (model.location_text(record), cost, text))))

    def _go_to_row(self, row: int) -> None:
        center = CodeList.ScrollHint.PositionAtCenter
        self._table.scrollTo(self._model.index(row, 0), center)
