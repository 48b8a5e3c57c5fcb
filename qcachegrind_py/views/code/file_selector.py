"""The box that says which file's source is shown, and offers the others of the function."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox

from qcachegrind_py.analysis.costs.grouped_sums import sums_by_group
from qcachegrind_py.analysis.names.short_paths import short_paths
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, as_number
from qcachegrind_py.profile.ids import TextId, text_ids
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.views.code.source_loader import LoadedSource

_MIN_LENGTH, _MAX_LENGTH = 10, 40  # digits


class FileSelector(QComboBox):
    """Names come behind the costs: in a narrow box a cut number would read as another one."""

    file_selected = Signal(object)  # TextId

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Source file")
        self.setToolTip("The files that code of the function is from")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        digit = self.fontMetrics().horizontalAdvance("0")
        self.setMinimumWidth(digit * _MIN_LENGTH)
        self.setMaximumWidth(digit * _MAX_LENGTH)
        self.activated.connect(lambda row: self.file_selected.emit(self.itemData(row)))

    def set_files(
        self,
        source: LoadedSource,
        function_file: TextId,
        names: StringTable,
        events: EventTypes,
        event: EventType,
        format_: CostFormat,
    ) -> None:
        """Offer the function's own file first, then the others from the costliest.

        Where a whole file is shown, its cost is that of all functions.
        """
        used, costs = _file_costs(source, events, event)
        order = sorted(range(len(used)), key=lambda row: (used[row] != function_file, -costs[row]))
        files = {used[row]: format_.with_unit(as_number(costs[row])) for row in order}
        if function_file not in files:
            files = {function_file: "", **files}
        if source.is_whole_file:
            whole = events.evaluate(event, source.lines.self_cost.sum(axis=1, keepdims=True))
            files[source.file] = format_.with_unit(as_number(whole[0]))
        self.clear()
        for (file, cost), name in zip(files.items(), short_paths(names.lookup(files)), strict=True):
            self.addItem(cell_text(f"{cost}  {name}".strip()), file)
            tip = tip_text(names[file])
            self.setItemData(self.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(max(0, self.findData(source.file)))


def _file_costs(
    source: LoadedSource, events: EventTypes, event: EventType
) -> tuple[list[TextId], CostArray]:
    """The files of the function, and their self costs."""
    lines = source.function_lines
    files, place = np.unique(lines.file, return_inverse=True)
    sums = sums_by_group(lines.self_cost, place, len(files))
    costs: CostArray = events.evaluate(event, sums)
    return text_ids(files), costs
