"""The list of groups above the function list; it restricts the functions to chosen groups."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPersistentModelIndex, Signal
from PySide6.QtWidgets import QMenu, QWidget

from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.present.functions import NO_GROUPS, group_table
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.views.profile_view import stacked
from qcachegrind_py.views.tables.record_table import RecordTable
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import group_palette


class GroupList(QWidget):
    """Groups with their self costs. If none is chosen, functions of all groups are shown."""

    selection_changed = Signal()
    menu_requested = Signal(
        object, object, str
    )  # QMenu, Grouping, name: the menu to fill for this group

    def __init__(self) -> None:
        super().__init__()
        self.model = TableModel(NO_GROUPS, self)
        self.table = RecordTable(self.model, "Groups")
        self.table.row_menu_requested.connect(self._fill_menu)
        self._grouping = Grouping.NONE
        self._names: tuple[str, ...] = ()
        stacked(self, self.table)
        self.table.selectionModel().selectionChanged.connect(
            lambda *_: self.selection_changed.emit()
        )
        self.table.pressed.connect(self._on_pressed)
        self._last_selected: list[int] = []

    def show_groups(self, query: ViewQuery) -> None:
        """Show the groups of a context; if they are the same as before, the selection stays."""
        grouping, names = query.context.grouping, query.groups().names
        table = group_table(query, np.zeros(len(names), np.int64))
        if grouping is self._grouping and names == self._names:
            self.model.show_numbers(table)
        else:
            self.model.show(table)
        self._grouping, self._names = grouping, names
        palette = group_palette(query.context.group_colors)
        self.model.set_colors(lambda record: palette.group(names[record]))
        self.table.show_comparison(query.is_comparing)
        self.table.fit_numbers()

    def show_counts(self, query: ViewQuery, counts: Int64Array) -> None:
        """Show the number of visible functions in each group; hide groups with none."""
        self.model.show_numbers(group_table(query, counts))
        shown = counts > 0
        shown[self.selected_groups() or []] = True  # chosen groups stay visible during a search
        self.model.set_filter(shown)
        self.table.fit_numbers(only_wider=True)

    def clear(self) -> None:
        """Remove all groups."""
        self._grouping, self._names = Grouping.NONE, ()
        self.model.clear()

    def selected_groups(self) -> list[int] | None:
        """Return the records of the chosen groups; None if none is chosen."""
        rows = self.table.selectionModel().selectedRows()
        return [self.model.record(index) for index in rows] or None

    def current_name(self) -> str | None:
        """Return the name of the group of the current row; None without one."""
        index = self.table.currentIndex()
        return self._names[self.model.record(index)] if index.isValid() else None

    def _fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        if index.isValid():
            name = self._names[self.model.record(index)]
            self.menu_requested.emit(menu, self._grouping, name)

    def _on_pressed(self) -> None:
        """Clear the selection on a second click on the only chosen group."""
        chosen = self.selected_groups() or []
        if chosen == self._last_selected and len(chosen) == 1:
            self.table.clearSelection()
            chosen = []
        self._last_selected = chosen
