"""The table of event types: costs of the active function, long names and formulas."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.names.function_names import ranks
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import name_column
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.profile.events import EventType, format_definition
from qcachegrind_py.profile.ids import NO_NODE, NodeId


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event with its costs in the active function, and the format of these."""

    event: EventType
    inclusive: int | float
    self_cost: int | float
    format: CostFormat


class EventModel(ArrayTableModel):
    """A table with one record per event, in the profile's order."""

    EVENT, INCLUSIVE, SELF, LONG_NAME, FORMULA = range(5)

    def __init__(self, parent: QObject | None = None) -> None:
        self.rows: tuple[EventRow, ...] = ()
        super().__init__(
            (
                Column(
                    "event",
                    "Event",
                    "The event's short name",
                    lambda r: cell_text(self.rows[r].event.name),
                    lambda: np.arange(len(self.rows)),
                    is_number=False,
                    width=16,
                ),
                Column(
                    "inclusive",
                    "Incl.",
                    "Inclusive cost of the active function",
                    lambda r: self.rows[r].format.cell(self.rows[r].inclusive),
                    lambda: np.array([float(row.inclusive) for row in self.rows]),
                    lambda r: self.rows[r].format.share(self.rows[r].inclusive),
                    lambda: self._heading("Incl."),
                    lambda r: str(self.rows[r].inclusive),
                    lambda r: self.rows[r].format.exact_text(self.rows[r].inclusive),
                ),
                Column(
                    "self",
                    "Self",
                    "Self cost of the active function",
                    lambda r: self.rows[r].format.cell(self.rows[r].self_cost),
                    lambda: np.array([float(row.self_cost) for row in self.rows]),
                    lambda r: self.rows[r].format.share(self.rows[r].self_cost),
                    lambda: self._heading("Self"),
                    lambda r: str(self.rows[r].self_cost),
                    lambda r: self.rows[r].format.exact_text(self.rows[r].self_cost),
                ),
                name_column(
                    "long_name",
                    "Long name",
                    lambda r: self.rows[r].event.long_name,
                    lambda: ranks([row.event.long_name.lower() for row in self.rows]),
                ),
                Column(
                    "formula",
                    "Formula",
                    "How a derived event is computed",
                    lambda r: cell_text(self._formula(r)),
                    lambda: ranks([self._formula(r) for r in range(len(self.rows))]),
                    is_number=False,
                    width=40,
                    gives_way=1,
                ),
            ),
            parent,
        )

    def set_rows(self, rows: tuple[EventRow, ...]) -> None:
        """Show these events; resets the model unless the events are the same."""
        has_changed = [row.event for row in rows] != [row.event for row in self.rows]
        self.rows = rows
        if has_changed:
            self._reset(len(rows))
        else:
            self._costs_changed()

    def clear(self) -> None:
        """Show nothing."""
        self.set_rows(())

    def function_of(self, record: int) -> NodeId:
        """Return `NO_NODE`: an event is not a function."""
        return NO_NODE

    def tip_of(self, record: int) -> str:
        """Return names and formula in full."""
        event = self.rows[record].event
        return tip_text(*filter(None, (event.name, event.long_name, self._formula(record))))

    def _heading(self, title: str) -> str:
        return self.rows[0].format.heading(title) if self.rows else title

    def _formula(self, record: int) -> str:
        event = self.rows[record].event
        return format_definition(event) if event.is_derived else ""
