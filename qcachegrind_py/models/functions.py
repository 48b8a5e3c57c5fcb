"""The list of all functions: inclusive and self cost, called count, name and location."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.function_names import FunctionNames
from qcachegrind_py.models.numbers import grouped
from qcachegrind_py.models.plain_text import cell_text, tip_text
from qcachegrind_py.models.table import ArrayTableModel, Column
from qcachegrind_py.profile.names import UNKNOWN
from qcachegrind_py.profile.tables import Int32Array, Int64Array

_NOTHING = np.empty(0, np.int64)


class FunctionModel(ArrayTableModel):
    """A record a function, of the same number."""

    INCLUSIVE, SELF, CALLED, NAME, LOCATION = range(5)

    def __init__(self, parent: QObject | None = None) -> None:
        self._names: FunctionNames | None = None
        self._inclusive = self._self = self._called = _NOTHING
        self._cycle = np.empty(0, np.int32)
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
        self._names = names
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

    def index_of_function(self, function: int):  # type: ignore[no-untyped-def]
        """Where the function is shown; an invalid index where it is filtered out."""
        return self.index_of_record(function)

    def tip_of(self, record: int) -> str:
        """Everything about the function in full."""
        if self._names is None:
            return ""
        lines = [self._names.name(record)]
        if self._names.file(record) != UNKNOWN:
            lines.append(f"File: {self._names.file(record)}")
        if self._names.object(record) != UNKNOWN:
            lines.append(f"Object: {self._names.object(record)}")
        if self._cycle[record]:
            lines.append(f"In recursion cycle {self._cycle[record]}")
        return tip_text(*lines)

    def _name_text(self, record: int) -> str:
        if self._names is None:
            return ""
        cycle = f" <cycle {self._cycle[record]}>" if self._cycle[record] else ""
        return cell_text(self._names.name(record)) + cycle

    def _location_text(self, record: int) -> str:
        return cell_text(self._names.location(record)) if self._names else ""

    def _name_ranks(self) -> Int64Array:
        return self._names.name_ranks if self._names else _NOTHING

    def _location_ranks(self) -> Int64Array:
        return self._names.location_ranks if self._names else _NOTHING
