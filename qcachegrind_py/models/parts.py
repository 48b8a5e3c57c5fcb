"""The table of parts: what the active function cost in each, and which they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.names.function_names import base_name, ranks
from qcachegrind_py.models.base.columns import cost_column, count_column, name_column
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.models.base.table import ArrayTableModel, Column
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.profile import Part, process_ids
from qcachegrind_py.profile.tables import Int64Array

_NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class PartRows:
    """What the table shows: a row a part, with the costs of the active function in it."""

    parts: tuple[Part, ...]
    total: CostArray
    inclusive: CostArray
    self_cost: CostArray
    called: Int64Array


NO_ROWS = PartRows((), *(_NOTHING for _ in range(4)))


class PartModel(ArrayTableModel):
    """A record a part, of the same number. Percentages are of the part (KCachegrind's rule)."""

    NAME, TOTAL, INCLUSIVE, SELF, CALLED, PID, PART, THREAD, TRIGGER = range(9)

    def __init__(self, parent: QObject | None = None) -> None:
        self.rows = NO_ROWS
        self.base_total = self.percent_of_part = NO_FORMAT
        self._processes: list[int] = []
        self._names: list[str] = []
        super().__init__(
            (
                name_column("Part", self._name, lambda: np.arange(len(self.rows.parts))),
                cost_column(
                    "Total", "Cost of the part", lambda: self.rows.total, lambda: self.base_total
                ),
                self._cost_column(
                    "Incl.",
                    "Inclusive cost of the active function in the part, of the part's total",
                    lambda: self.rows.inclusive,
                ),
                self._cost_column(
                    "Self",
                    "Self cost of the active function in the part, of the part's total",
                    lambda: self.rows.self_cost,
                ),
                count_column(
                    "Called",
                    "How often the active function was called in the part",
                    lambda: self.rows.called,
                    lambda count: self.base_total.count_text(count),
                ),
                self._number_column("PID", "The process", lambda r: self._processes[r]),
                self._number_column("Part", "The dump", lambda r: self.rows.parts[r].part),
                self._number_column("Thread", "The thread", lambda r: self.rows.parts[r].thread),
                Column(
                    "Trigger",
                    "Why the part was written",
                    lambda r: cell_text(self.rows.parts[r].trigger),
                    lambda: ranks([part.trigger.lower() for part in self.rows.parts]),
                    is_number=False,
                    width=24,
                ),
            ),
            parent,
        )

    def _cost_column(self, title: str, tip: str, costs: Callable[[], CostArray]) -> Column:
        return cost_column(
            title,
            tip,
            costs,
            lambda: self.percent_of_part,
            base=lambda r: as_number(self.rows.total[r]),
        )

    @staticmethod
    def _number(number: int) -> str:
        return str(number) if number else ""

    def _number_column(self, title: str, tip: str, number: Callable[[int], int]) -> Column:
        return Column(
            title,
            tip,
            lambda r: self._number(number(r)),
            lambda: np.array([number(r) for r in range(len(self.rows.parts))], np.int64),
        )

    def set_rows(self, rows: PartRows, whole: CostFormat, of_part: CostFormat) -> None:
        """Show these parts. Resets the model."""
        self.rows, self.base_total, self.percent_of_part = rows, whole, of_part
        self._processes, self._names = process_ids(rows.parts), part_labels(rows.parts)
        self._reset(len(rows.parts))

    def set_costs(self, rows: PartRows, whole: CostFormat, of_part: CostFormat) -> None:
        """Show other costs of the same parts."""
        self.rows, self.base_total, self.percent_of_part = rows, whole, of_part
        self._costs_changed()

    def clear(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        self.set_rows(NO_ROWS, NO_FORMAT, NO_FORMAT)

    def function_of(self, record: int) -> NodeId:
        """None: a part is not a function."""
        return NO_NODE

    def tip_of(self, record: int) -> str:
        """The file, and everything its header says of the part."""
        part = self.rows.parts[record]
        described = [value for key, value in part.header if key == "desc"]
        return tip_text(part.path, *described)

    def _name(self, record: int) -> str:
        return self._names[record]


def part_labels(parts: tuple[Part, ...]) -> list[str]:
    """What parts are called: by process, dump and thread where they are known (KCachegrind's)."""
    names = []
    for number, (part, process) in enumerate(zip(parts, process_ids(parts), strict=True)):
        section = f", part {part.part}" if part.part else ""
        thread = f", thread {part.thread}" if part.thread else ""
        known = f"PID {process}" if process else f"{number + 1}: {base_name(part.path)}"
        names.append(f"{known}{section}{thread}")
    return names
