"""The callers or the callees of one function: cost, cost per call, count, name and location."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.function_names import FunctionNames, ranks
from qcachegrind_py.analysis.neighbours import Neighbours
from qcachegrind_py.models.numbers import call_count_text, grouped
from qcachegrind_py.models.plain_text import cell_text, tip_text
from qcachegrind_py.models.table import ArrayTableModel, Column
from qcachegrind_py.profile.tables import Int64Array

_NOBODY = Neighbours(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64))


class CallModel(ArrayTableModel):
    """A record a function at the other end of the calls."""

    COST, COST_PER_CALL, COUNT, NAME, LOCATION = range(5)

    def __init__(self, title: str, parent: QObject | None = None) -> None:
        """`title`: what the functions listed are, Caller or Callee."""
        self._names: FunctionNames | None = None
        self._calls = _NOBODY
        super().__init__(
            (
                Column(
                    "Cost",
                    "Inclusive cost of the calls",
                    lambda r: self.cost_text(int(self._calls.cost[r])),
                    lambda: self._calls.cost,
                    lambda r: self.share(int(self._calls.cost[r])),
                ),
                Column(
                    "Per call",
                    "Inclusive cost of one call on average, always absolute",
                    lambda r: grouped(int(self._calls.cost_per_call[r])),
                    lambda: self._calls.cost_per_call,
                ),
                Column(
                    "Count",
                    "How often it was called; (active): not returned yet when recorded",
                    lambda r: call_count_text(int(self._calls.count[r])),
                    lambda: self._calls.count,
                ),
                Column(
                    title,
                    "Name",
                    lambda r: cell_text(self._text("name", r)),
                    lambda: self._ranks("name"),
                    is_number=False,
                    stretches=True,
                ),
                Column(
                    "Location",
                    "Program or library, and source file",
                    lambda r: cell_text(self._text("location", r)),
                    lambda: self._ranks("location"),
                    is_number=False,
                    width=18,
                ),
            ),
            parent,
        )

    def set_calls(self, names: FunctionNames | None, calls: Neighbours) -> None:
        """Show these calls. Resets the model."""
        self._names, self._calls = names, calls
        self._reset(len(calls))

    def clear(self) -> None:
        """Show nothing."""
        self.set_calls(None, _NOBODY)

    def function_of(self, record: int) -> int:
        """The function at the other end."""
        return int(self._calls.function[record])

    def tip_of(self, record: int) -> str:
        """Name and place in full."""
        if self._names is None:
            return ""
        function = self.function_of(record)
        names = self._names
        return tip_text(
            names.name(function),
            f"File: {names.file(function)}",
            f"Object: {names.object(function)}",
        )

    def _text(self, what: str, record: int) -> str:
        if self._names is None:
            return ""
        function = self.function_of(record)
        return self._names.name(function) if what == "name" else self._names.location(function)

    def _ranks(self, what: str) -> Int64Array:
        return ranks([self._text(what, record).lower() for record in range(len(self._calls))])
