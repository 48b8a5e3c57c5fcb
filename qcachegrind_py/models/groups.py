"""The list of groups: self cost, and number of functions shown."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from qcachegrind_py.analysis.names.function_names import base_name, ranks
from qcachegrind_py.models.base.columns import cost_column, count_column, name_column
from qcachegrind_py.models.base.comparison_columns import ComparedRows, side_columns
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.group_colors import GroupPalette
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.tables import Int64Array

_NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class GroupRows:
    """Rows of the list, one per group."""

    names: tuple[str, ...]
    self_cost: CostArray
    count: Int64Array  # of the functions shown
    are_paths: bool = False  # file or object paths, displayed by their last part
    palette: GroupPalette = field(default_factory=GroupPalette)
    compared: ComparedRows | None = None  # costs are changes then


NO_ROWS = GroupRows((), _NOTHING, _NOTHING)


class GroupModel(ArrayTableModel):
    """A table with one record per group, numbered as in the grouping."""

    SELF, BASE, NEW, GROWTH, COUNT, NAME = range(6)

    def __init__(self, parent: QObject | None = None) -> None:
        self.rows = NO_ROWS
        self.format = NO_FORMAT
        super().__init__(
            (
                cost_column(
                    "self",
                    "Self",
                    "Self cost of all functions of the group",
                    lambda: self.rows.self_cost,
                    lambda: self.format,
                ),
                *side_columns(lambda: self.rows.compared, "Self cost"),
                count_column(
                    "count",
                    "Functions",
                    "Number of functions shown in the group",
                    lambda: self.rows.count,
                    lambda count: self.format.count_text(count),
                ),
                name_column("name", "Group", self._name, self._name_ranks),
            ),
            parent,
        )

    def set_rows(self, rows: GroupRows, format_: CostFormat) -> None:
        """Show other groups; resets the model."""
        self.rows, self.format = rows, format_
        self._reset(len(rows.names))

    def set_costs(self, rows: GroupRows, format_: CostFormat) -> None:
        """Show other numbers of the same groups."""
        self.rows, self.format = rows, format_
        self._costs_changed()

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.set_rows(NO_ROWS, NO_FORMAT)

    def function_of(self, record: int) -> NodeId:
        """Return `NO_NODE`: a group is not a function."""
        return NO_NODE

    def tip_of(self, record: int) -> str:
        """Return the full name."""
        return tip_text(self.rows.names[record])

    def decoration_of(self, record: int, column: int) -> QColor | None:
        """Return the colour of the group, in the name column."""
        return self.rows.palette.group(self.rows.names[record]) if column == self.NAME else None

    def _name(self, record: int) -> str:
        name = self.rows.names[record]
        return base_name(name) if self.rows.are_paths else name

    def _name_ranks(self) -> Int64Array:
        return ranks([self._name(record).lower() for record in range(len(self.rows.names))])
