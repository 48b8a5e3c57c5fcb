"""The list of groups above the function list; it restricts the functions to chosen groups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPersistentModelIndex, Signal
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from qcachegrind_py.analysis.names.groups import Grouping, Groups
from qcachegrind_py.models.base.comparison_columns import ComparedRows
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.base.group_colors import GroupPalette
from qcachegrind_py.models.groups import GroupModel, GroupRows
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.views.common.record_table import RecordTable


class GroupList(QWidget):
    """Groups with their self costs. If none is chosen, functions of all groups are shown."""

    selection_changed = Signal()
    menu_requested = Signal(
        object, object, str
    )  # QMenu, Grouping, name: the menu to fill for this group

    def __init__(self) -> None:
        super().__init__()
        self.model = GroupModel(self)
        self.table = _GroupTable(self.model, "Groups")
        self.table.menu_requested.connect(self._fill_menu)
        self._grouping = Grouping.NONE
        self._groups: Groups | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)
        self.table.selectionModel().selectionChanged.connect(
            lambda *_: self.selection_changed.emit()
        )
        self.table.pressed.connect(self._on_pressed)
        self._last_selected: list[int] = []

    def show_groups(
        self,
        grouping: Grouping,
        groups: Groups,
        self_cost: CostArray,
        format_: CostFormat,
        palette: GroupPalette,
        compared: ComparedRows | None = None,
    ) -> None:
        """Show groups with their self costs; if the groups are unchanged, the selection stays."""
        counts = np.zeros(len(groups), np.int64)
        are_paths = grouping in (Grouping.OBJECT, Grouping.FILE)
        rows = GroupRows(groups.names, self_cost, counts, are_paths, palette, compared)
        if grouping is self._grouping and groups.names == self.model.rows.names:
            self.model.set_costs(rows, format_)
        else:
            self.model.set_rows(rows, format_)
        self._grouping, self._groups = grouping, groups
        self.table.show_comparison(compared is not None)
        self.table.fit_numbers()

    def show_counts(self, counts: Int64Array) -> None:
        """Show the number of visible functions in each group; hide groups with none."""
        rows = self.model.rows
        self.model.set_costs(replace(rows, count=counts), self.model.format)
        shown = counts > 0
        shown[self.selected_groups() or []] = True  # chosen groups stay visible during a search
        self.model.set_filter(shown)
        self.table.fit_numbers(only_wider=True)

    def clear(self) -> None:
        """Remove all groups."""
        self._grouping = Grouping.NONE
        self.model.clear()

    def selected_groups(self) -> list[int] | None:
        """Return the records of the chosen groups; None if none is chosen."""
        rows = self.table.selectionModel().selectedRows()
        return [self.model.record(index) for index in rows] or None

    def current_name(self) -> str | None:
        """Return the name of the group of the current row; None without one."""
        index = self.table.currentIndex()
        return self.model.rows.names[self.model.record(index)] if index.isValid() else None

    def _fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        if index.isValid():
            name = self.model.rows.names[self.model.record(index)]
            self.menu_requested.emit(menu, self._grouping, name)

    def _on_pressed(self) -> None:
        """Clear the selection on a second click on the only chosen group."""
        chosen = self.selected_groups() or []
        if chosen == self._last_selected and len(chosen) == 1:
            self.table.clearSelection()
            chosen = []
        self._last_selected = chosen


class _GroupTable(RecordTable):
    menu_requested = Signal(object, object)  # QMenu, QPersistentModelIndex

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        self.menu_requested.emit(menu, index)
