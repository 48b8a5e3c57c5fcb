"""The list of groups above the functions: those that are chosen are shown below."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPersistentModelIndex, Signal
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from qcachegrind_py.analysis.names.groups import Grouping, Groups
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.groups import GroupModel, GroupRows
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.views.common.record_table import RecordTable


class GroupList(QWidget):
    """Groups with their self costs. Where none is chosen, all functions are shown."""

    selection_changed = Signal()
    menu_requested = Signal(
        object, object, str
    )  # QMenu, Grouping, name: to be filled for this group

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
        self, grouping: Grouping, groups: Groups, self_cost: CostArray, format_: CostFormat
    ) -> None:
        """Show these groups; those that were chosen stay so where they are the same."""
        counts = np.zeros(len(groups), np.int64)
        are_paths = grouping in (Grouping.OBJECT, Grouping.FILE)
        rows = GroupRows(groups.names, self_cost, counts, are_paths)
        if grouping is self._grouping and groups.names == self.model.rows.names:
            self.model.set_costs(rows, format_)
        else:
            self.model.set_rows(rows, format_)
        self._grouping, self._groups = grouping, groups
        self.table.fit_numbers()

    def show_counts(self, counts: Int64Array) -> None:
        """Say how many functions of each group are shown; those with none are left out."""
        rows = self.model.rows
        self.model.set_costs(
            GroupRows(rows.names, rows.self_cost, counts, rows.are_paths), self.model.format
        )
        shown = counts > 0
        shown[self.selected_groups() or []] = True  # a choice outlives a search
        self.model.set_filter(shown)
        self.table.fit_numbers(only_wider=True)

    def clear(self) -> None:
        """Show nothing."""
        self._grouping = Grouping.NONE
        self.model.clear()

    def selected_groups(self) -> list[int] | None:
        """The records of the groups that are chosen; None for all."""
        rows = self.table.selectionModel().selectedRows()
        return [self.model.record(index) for index in rows] or None

    def _fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        if index.isValid():
            name = self.model.rows.names[self.model.record(index)]
            self.menu_requested.emit(menu, self._grouping, name)

    def _on_pressed(self) -> None:
        """A click on the only group that is chosen lets it go."""
        chosen = self.selected_groups() or []
        if chosen == self._last_selected and len(chosen) == 1:
            self.table.clearSelection()
            chosen = []
        self._last_selected = chosen


class _GroupTable(RecordTable):
    menu_requested = Signal(object, object)  # QMenu, QPersistentModelIndex

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        self.menu_requested.emit(menu, index)
