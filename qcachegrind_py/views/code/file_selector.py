"""A combo box that selects one of the source files of the active function."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox

from qcachegrind_py.analysis.names.syntax import short_paths
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, as_number
from qcachegrind_py.profile.ids import TextId, text_ids
from qcachegrind_py.profile.tables import BoolArray, Int64Array, StringTable
from qcachegrind_py.views.code.source_loader import LoadedSource

_MIN_LENGTH, _MAX_LENGTH = 10, 40  # digits
_MAX_FILES = 500  # in the list; a million take the box 45 s


class FileSelector(QComboBox):
    """A combo box of files with their self costs.

    Costs come before names: the box cuts long texts off, and a cut number would be a wrong one.
    """

    file_selected = Signal(object)  # TextId

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Source file")
        self.setToolTip(_tip(0))
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
        """List the function's own file first, then the others, costliest first, up to a limit.

        The selected file is always listed. If the whole file is shown, its cost is that of all
        functions.
        """
        files, costs = source.file_costs.file, events.evaluate(event, source.file_costs.self_cost)
        rows = _costliest(costs, files == function_file)
        texts = {function_file: ""}
        for file, cost in zip(text_ids(files[rows]), costs[rows], strict=True):
            texts[file] = format_.with_unit(as_number(cost))
        texts.setdefault(source.file, "")
        if source.is_whole_file:
            whole = events.evaluate(event, source.lines.self_cost.sum(axis=1, keepdims=True))
            texts[source.file] = format_.with_unit(as_number(whole[0]))
        self.clear()
        for (file, cost), name in zip(texts.items(), short_paths(names.lookup(texts)), strict=True):
            self.addItem(cell_text(f"{cost}  {name}".strip()), file)
            tip = tip_text(names[file])
            self.setItemData(self.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(list(texts).index(source.file))
        self.setToolTip(_tip(len(costs)))


def _costliest(costs: CostArray, is_own: BoolArray) -> Int64Array:
    """Return the rows of the costliest files, of equal ones the first, and that of the own file."""
    rows = np.arange(len(costs))
    if len(costs) > _MAX_FILES:  # the others are not sorted: for a million that takes 0.1 s
        rows = np.argpartition(-costs, _MAX_FILES)[:_MAX_FILES]
        rows = np.union1d(rows, np.flatnonzero(is_own))
    costliest: Int64Array = rows[np.argsort(-costs[rows], kind="stable")]
    return costliest


def _tip(files: int) -> str:
    if files <= _MAX_FILES:
        return "Source files of the function"
    return f"The {_MAX_FILES} costliest of {files} source files of the function"
