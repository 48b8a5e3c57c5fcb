"""The list of all functions: inclusive and self cost, called count, name and location."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex, QObject

from qcachegrind_py.analysis.function_names import FunctionNames
from qcachegrind_py.models.numbers import grouped
from qcachegrind_py.models.plain_text import cell_text, tip_text
from qcachegrind_py.models.table import ArrayTableModel, Column
from qcachegrind_py.profile.names import UNKNOWN
from qcachegrind_py.profile.tables import Int32Array, Int64Array

_NOTHING = np.empty(0, np.int64)
_NO_CYCLES = np.empty(0, np.int32)


class FunctionModel(ArrayTableModel):
    """A record a function, of the same number."""

    INCLUSIVE, SELF, CALLED, NAME, LOCATION = range(5)

    def __init__(self, parent: QObject | None = None) -> None:
        # before the base class, which asks the columns
        self.names: FunctionNames | None = None
        self._inclusive = self._self = self._called = _NOTHING
        self._cycle = _NO_CYCLES
        super().__init__(
            (
                Column(
                    "Incl.",
                    "Inclusive cost: the function and all it called",
                    lambda f: self.cost_text(int(self._inclusive[f])),
                    lambda: self._inclusive,
                    lambda f: self.share(int(self._inclusive[f])),
                ),
                Column(
                    "Self",
                    "Self cost: the function alone, without what it called",
                    lambda f: self.cost_text(int(self._self[f])),
                    lambda: self._self,
                    lambda f: self.share(int(self._self[f])),
                ),
                Column(
                    "Called",
                    "How often the function was called, by itself included",
                    lambda f: grouped(int(self._called[f])),
                    lambda: self._called,
                ),
                Column(
                    "Function",
                    "Name",
                    self._name_text,
                    self._name_ranks,
                    is_number=False,
                    stretches=True,
                ),
                Column(
                    "Location",
                    "Program or library, and source file",
                    self._location_text,
                    self._location_ranks,
                    is_number=False,
                    width=18,
                ),
            ),
            parent,
        )

    def clear(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        self.names = None
        self._inclusive = self._self = self._called = _NOTHING
        self._cycle = _NO_CYCLES
        self._reset(0)

    def function_of(self, record: int) -> int:
        """The record is the function."""
        return record

    def set_functions(
        self,
        names: FunctionNames,
        inclusive: Int64Array,
        self_cost: Int64Array,
        called: Int64Array,
        cycle: Int32Array,
    ) -> None:
        """Show the functions of another profile. Resets the model."""
        self.names = names
        self._inclusive, self._self, self._called = inclusive, self_cost, called
        self._cycle = cycle
        self._reset(len(names))

    def set_costs(
        self, inclusive: Int64Array, self_cost: Int64Array, called: Int64Array, cycle: Int32Array
    ) -> None:
        """Show other costs of the same functions. Rows keep their indexes, and are sorted anew."""
        self._inclusive, self._self, self._called = inclusive, self_cost, called
        self._cycle = cycle
        self._costs_changed()

    def index_of_function(self, function: int) -> QModelIndex:
        """Where the function is shown; an invalid index where it is filtered out."""
        return self.index_of_record(function)

    def tip_of(self, record: int) -> str:
        """Everything about the function in full."""
        if self.names is None:
            return ""
        lines = [self.names.name(record)]
        if self.names.file(record) != UNKNOWN:
            lines.append(f"File: {self.names.file(record)}")
        if self.names.object(record) != UNKNOWN:
            lines.append(f"Object: {self.names.object(record)}")
        if self._cycle[record]:
            lines.append(f"In recursion cycle {self._cycle[record]}")
        return tip_text(*lines)

    def _name_text(self, record: int) -> str:
        if self.names is None:
            return ""
        cycle = f" <cycle {self._cycle[record]}>" if self._cycle[record] else ""
        return cell_text(self.names.name(record)) + cycle

    def _location_text(self, record: int) -> str:
        return cell_text(self.names.location(record)) if self.names else ""

    def _name_ranks(self) -> Int64Array:
        return self.names.name_ranks if self.names else _NOTHING

    def _location_ranks(self) -> Int64Array:
        return self.names.location_ranks if self.names else _NOTHING
