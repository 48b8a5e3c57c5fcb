"""Everybody who led to a function, or all it led to: estimated costs, and over how many calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.distant_calls import DistantCalls
from qcachegrind_py.analysis.labels import Labels
from qcachegrind_py.models.columns import cost_column, name_columns
from qcachegrind_py.models.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.plain_text import tip_text
from qcachegrind_py.models.table import ArrayTableModel, Column

ESTIMATE = "≈\N{THIN SPACE}"
_NOTHING = np.empty(0, np.int64)
_NOBODY = DistantCalls(
    _NOTHING, _NOTHING, _NOTHING, _NOTHING, _NOTHING, _NOTHING, np.empty(0, bool)
)


class DistantCallModel(ArrayTableModel):
    """A record a function or cycle that is one or more calls away."""

    INCLUSIVE, SELF, DISTANCE, COUNT, NAME, LOCATION = range(6)

    def __init__(self, title: str, parent: QObject | None = None) -> None:
        """`title`: what the functions listed are, Caller or Callee."""
        self._labels: Labels | None = None
        self.calls = _NOBODY
        self.format = NO_FORMAT
        estimated = (
            "Percentages are of the active function's inclusive cost. "
            f"{ESTIMATE}: shared out in proportion, as ways of calls are not recorded"
        )
        super().__init__(
            (
                self._marked(
                    cost_column(
                        "Incl.",
                        f"Cost of the active function that passed here. {estimated}",
                        lambda: self.calls.cost,
                        lambda: self.format,
                    )
                ),
                self._marked(
                    cost_column(
                        "Self",
                        f"Cost of the active function that was spent here. {estimated}",
                        lambda: self.calls.self_cost,
                        lambda: self.format,
                    ),
                    lambda r: bool(self.calls.is_exact[r] and self.calls.is_all[r]),
                ),
                Column(
                    "Distance",
                    "Over how many calls, on the shortest way and on the longest that matters",
                    self._distance,
                    lambda: self.calls.nearest * (1 << 32) + self.calls.farthest,
                    plain=self._distance,
                ),
                Column(
                    "Count",
                    f"How often it was called on the way. {estimated}",
                    self._count,
                    lambda: self.calls.count,
                ),
                *name_columns(title, lambda: self._labels, lambda: self.calls.function),
            ),
            parent,
        )

    def set_calls(self, labels: Labels | None, calls: DistantCalls, format_: CostFormat) -> None:
        """Show these. Resets the model."""
        self._labels, self.calls, self.format = labels, calls, format_
        self._reset(len(calls))

    def clear(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        self.set_calls(None, _NOBODY, NO_FORMAT)

    def function_of(self, record: int) -> int:
        """The function that is some calls away."""
        return int(self.calls.function[record])

    def tip_of(self, record: int) -> str:
        """Name and place in full, and whether the numbers are exact."""
        if self._labels is None:
            return ""
        exact = "exact" if self.calls.is_exact[record] else "an estimate: see the titles"
        return tip_text(*self._labels.details(self.function_of(record)), f"The cost is {exact}.")

    def _marked(self, column: Column, is_exact: Callable[[int], bool] | None = None) -> Column:
        """The column with a mark before the numbers that are estimates."""
        text, is_exact = column.text, is_exact or (lambda r: bool(self.calls.is_exact[r]))
        return replace(column, text=lambda r: text(r) if is_exact(r) else ESTIMATE + text(r))

    def _count(self, record: int) -> str:
        """A dash where a cycle stands for its member, which is no call."""
        count = int(self.calls.count[record])
        if self.calls.is_exact[record]:
            return self.format.count(count) if count else "–"
        return ESTIMATE + self.format.count(count)

    def _distance(self, record: int) -> str:
        nearest, farthest = int(self.calls.nearest[record]), int(self.calls.farthest[record])
        return str(nearest) if nearest == farthest else f"{nearest}–{farthest}"
