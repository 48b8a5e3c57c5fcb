"""The table of a profile's parts, with the costs of the active function in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import overload

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.names.function_names import base_name, ranks
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import called_column, cost_column, name_column
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId, PartId
from qcachegrind_py.profile.profile import Part
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_NOTHING = np.empty(0, np.int64)
_INT64 = np.iinfo(np.int64)
_NUMBERS = ("pid", "part", "thread")


@dataclass(frozen=True, slots=True, eq=False)
class PartRows:
    """Rows of the table: one per part, with the costs of the active function in it."""

    parts: tuple[Part, ...]
    total: CostArray
    inclusive: CostArray
    self_cost: CostArray
    called: Int64Array
    is_active: BoolArray  # called, but no call had returned at the end of the part
    base: frozenset[PartId] = frozenset()  # what other parts are compared with
    has_call_counts: bool = True


NO_ROWS = PartRows((), _NOTHING, _NOTHING, _NOTHING, _NOTHING, np.empty(0, bool))


class PartModel(ArrayTableModel):
    """A table with one record per part, numbered alike.

    Percentages are of the part's total, as in KCachegrind.
    """

    NAME, TOTAL, INCLUSIVE, SELF, CALLED, PID, PART, THREAD, TRIGGER = range(9)

    def __init__(self, parent: QObject | None = None) -> None:
        self.rows = NO_ROWS
        self.base_total = self.percent_of_part = NO_FORMAT
        self._names = PartLabels(())
        self.numbers = dict.fromkeys(_NUMBERS, _NOTHING)  # one for each part
        super().__init__(
            (
                name_column(
                    "name",
                    "Part",
                    self._name,
                    lambda: np.arange(len(self.rows.parts)),
                    self._plain_name,
                ),
                cost_column(
                    "total",
                    "Total",
                    "Cost of the part",
                    lambda: self.rows.total,
                    lambda: self.base_total,
                ),
                self._cost_column(
                    "inclusive",
                    "Incl.",
                    "Inclusive cost of the active function in the part, of the part's total",
                    lambda: self.rows.inclusive,
                ),
                self._cost_column(
                    "self",
                    "Self",
                    "Self cost of the active function in the part, of the part's total",
                    lambda: self.rows.self_cost,
                ),
                called_column(
                    "How often the active function was called in the part",
                    lambda: self.rows.called,
                    lambda: self.rows.is_active,
                    lambda: self.base_total,
                    is_known=lambda: self.rows.has_call_counts,
                ),
                self._number_column("pid", "PID", "Process ID"),
                self._number_column("part", "Dump", "The number of the dump"),
                self._number_column("thread", "Thread", "The thread"),
                Column(
                    "trigger",
                    "Trigger",
                    "Why the part was written",
                    lambda r: cell_text(self.rows.parts[r].trigger),
                    lambda: ranks([part.trigger.lower() for part in self.rows.parts]),
                    is_number=False,
                    width=24,
                    gives_way=4,
                ),
            ),
            parent,
        )

    def _cost_column(
        self, key: str, title: str, tip: str, costs: Callable[[], CostArray]
    ) -> Column:
        return cost_column(
            key,
            title,
            tip,
            costs,
            lambda: self.percent_of_part,
            base=lambda r: as_number(self.rows.total[r]),
        )

    def _number_column(self, key: str, title: str, tip: str) -> Column:
        return Column(
            key,
            title,
            tip,
            lambda r: str(getattr(self.rows.parts[r], key) or ""),
            lambda: self.numbers[key],
            gives_way=1 + _NUMBERS.index(key),  # the name has the number, too
        )

    def set_rows(self, rows: PartRows, total_format: CostFormat, part_format: CostFormat) -> None:
        """Show these parts; resets the model."""
        self.rows, self.base_total, self.percent_of_part = rows, total_format, part_format
        self._names = PartLabels(rows.parts)
        self.numbers = {key: _numbers(rows.parts, key) for key in _NUMBERS}
        self._reset(len(rows.parts))

    def set_costs(self, rows: PartRows, total_format: CostFormat, part_format: CostFormat) -> None:
        """Show other costs of the same parts."""
        self.rows, self.base_total, self.percent_of_part = rows, total_format, part_format
        self._costs_changed()

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.set_rows(NO_ROWS, NO_FORMAT, NO_FORMAT)

    def function_of(self, record: int) -> NodeId:
        """Return `NO_NODE`: a part is not a function."""
        return NO_NODE

    def tip_of(self, record: int) -> str:
        """Return the file, and the description in the part's header."""
        part = self.rows.parts[record]
        descriptions = [value for key, value in part.header if key == "desc"]
        return tip_text(part.path, *descriptions)

    def mark_of(self, record: int) -> str:
        """Return "base" for parts that others are compared with."""
        return "base" if record in self.rows.base else ""

    def _plain_name(self, record: int) -> str:
        """Return the name for export, which has no marks beside it."""
        mark = self.mark_of(record)
        return f"{self._names[record]} ({mark})" if mark else self._names[record]

    def _name(self, record: int) -> str:
        return self._names[record]


class PartLabels(Sequence[str]):
    """The displayed names of parts, each formatted when it is asked for."""

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return len(self._parts)

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        return _part_label(number, self._parts[number])


def _numbers(parts: tuple[Part, ...], key: str) -> Int64Array:
    """Return the process, dump or thread of each part, int64; 0 if unknown.

    A file can have longer numbers; they are the largest or smallest int64 here.
    """
    try:
        return np.fromiter(map(attrgetter(key), parts), np.int64, len(parts))
    except OverflowError:
        numbers = [min(max(getattr(part, key), _INT64.min), _INT64.max) for part in parts]
        return np.array(numbers, np.int64)


def _part_label(number: int, part: Part) -> str:
    """Return the process, the dump and the thread, as far as known, as KCachegrind does."""
    section = f", part {part.part}" if part.part else ""
    thread = f", thread {part.thread}" if part.thread else ""
    base = f"PID {part.pid}" if part.pid else f"{number + 1}: {base_name(part.path)}"
    return f"{base}{section}{thread}"
