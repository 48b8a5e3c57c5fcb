"""The table of event types: costs of the active function, long names and formulas."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.names.function_names import ranks
from qcachegrind_py.models.base.column import Column, InComparison
from qcachegrind_py.models.base.columns import name_column
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.present.former.change_format import growth_text
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import EventType, format_definition
from qcachegrind_py.profile.ids import NO_NODE, NodeId


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event with its costs in the active function, and the format of these.

    In a comparison the costs are changes, NaN for an event that only one side has, and `sides` are
    the inclusive costs in the base and now, with formats of their own.
    """

    event: EventType
    inclusive: int | float
    self_cost: int | float
    format: CostFormat
    sides: tuple[int | float, int | float] | None = None
    side_formats: tuple[CostFormat, CostFormat] = (NO_FORMAT, NO_FORMAT)


ONE_SIDED = "Measured on one side of the comparison only"


def _growth(row: EventRow) -> float:
    if row.sides is None or row.sides[0] == row.sides[1]:
        return 0.0
    if not row.sides[0]:
        return inf if row.sides[1] > 0 else -inf
    return (row.sides[1] - row.sides[0]) / abs(row.sides[0])


class EventModel(ArrayTableModel):
    """A table with one record per event, in the profile's order."""

    EVENT, INCLUSIVE, SELF, BASE, NEW, GROWTH, LONG_NAME, FORMULA = range(8)

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
                    is_change=self._is_change,
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
                    is_change=self._is_change,
                ),
                self._side_column("base", "Base", 0),
                self._side_column("new", "New", 1),
                Column(
                    "growth",
                    "Growth",
                    "The change in percent of the cost in the base",
                    self._growth_text,
                    lambda: np.array([_growth(row) for row in self.rows]),
                    is_optional=True,
                    in_comparison=InComparison.SHOWN,
                    gives_way=3,
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

    def _side_column(self, key: str, title: str, side: int) -> Column:
        """Return the column of the inclusive costs of one side."""

        def cost(record: int) -> int | float:
            sides = self.rows[record].sides
            return 0 if sides is None else sides[side]

        return Column(
            key,
            title,
            "Inclusive cost of the active function on this side",
            lambda r: self.rows[r].side_formats[side].cell(cost(r)),
            lambda: np.array([float(cost(r)) for r in range(len(self.rows))]),
            export_text=lambda r: str(cost(r)),
            exact_text=lambda r: self.rows[r].side_formats[side].exact_text(cost(r)),
            is_optional=True,
            in_comparison=InComparison.SHOWN,
            gives_way=2,
        )

    def _is_change(self) -> bool:
        return any(row.sides is not None for row in self.rows)

    def _growth_text(self, record: int) -> str:
        row = self.rows[record]
        if row.sides is None or row.inclusive != row.inclusive:  # one side has not measured it
            return ""
        return growth_text(*row.sides, row.side_formats[1])

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
        row = self.rows[record]
        event = row.event
        is_one_sided = row.sides is not None and row.inclusive != row.inclusive
        reason = ONE_SIDED if is_one_sided and not event.is_ratio else ""
        texts = event.name, event.long_name, self._formula(record), reason
        return tip_text(*filter(None, texts))

    def _heading(self, title: str) -> str:
        return self.rows[0].format.heading(title) if self.rows else title

    def _formula(self, record: int) -> str:
        event = self.rows[record].event
        return format_definition(event) if event.is_derived else ""
