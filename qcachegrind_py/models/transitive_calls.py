"""The list of direct and indirect callers or callees: estimated costs, and distance in calls."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.calls.cost_flow import TransitiveCalls
from qcachegrind_py.analysis.explanation.numbers import exactness_text
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import (
    ESTIMATED,
    cost_column,
    exactness_column,
    name_columns,
    path_count_column,
    with_estimate_mark,
)
from qcachegrind_py.models.base.comparison_columns import ComparedRows, side_columns
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.present.folds import no_mark
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.ids import NodeId, node_at

_NOTHING = np.empty(0, np.int64)
_NEVER = np.empty(0, bool)
_NOBODY = TransitiveCalls(
    _NOTHING, _NOTHING, _NOTHING, _NOTHING, _NOTHING, _NOTHING, _NEVER, _NEVER, _NEVER
)


class TransitiveCallModel(ArrayTableModel):
    """A table with one record per function or cycle that is one or more calls away."""

    INCLUSIVE, SELF, BASE, NEW, GROWTH, DISTANCE, COUNT, NAME, LOCATION, EXACT = range(10)

    def __init__(self, title: str, parent: QObject | None = None) -> None:
        """`title` names the functions of the list: Caller or Callee."""
        self._title = title
        self._labels: Labels | None = None
        self.calls = _NOBODY
        self.format = NO_FORMAT
        self._compared: ComparedRows | None = None
        self._mark: Callable[[NodeId], str] = no_mark
        estimate_tip = f"Percentages are of the active function's inclusive cost. {ESTIMATED}"
        super().__init__(
            (
                with_estimate_mark(
                    cost_column(
                        "inclusive",
                        "Incl.",
                        f"Part of the active function's cost that passed here. {estimate_tip}",
                        lambda: self.calls.cost,
                        lambda: self.format,
                    ),
                    self._is_exact,
                ),
                with_estimate_mark(
                    cost_column(
                        "self",
                        "Self",
                        f"Part of the active function's cost that was spent here. {estimate_tip}",
                        lambda: self.calls.self_cost,
                        lambda: self.format,
                    ),
                    self._is_self_exact,
                ),
                *(
                    with_estimate_mark(column, self._is_exact)
                    for column in side_columns(lambda: self._compared, "Inclusive cost")
                ),
                Column(
                    "distance",
                    "Distance",
                    "Number of calls between the functions: shortest and longest path",
                    self._distance,
                    lambda: self.calls.min_distance * (1 << 32) + self.calls.max_distance,
                    export_text=self._distance,
                    gives_way=3,
                ),
                path_count_column(
                    "count",
                    "Called",
                    f"Number of calls on these paths. {estimate_tip}",
                    lambda: self.calls.count,
                    self._is_exact,
                    lambda r: bool(self.calls.is_active[r]),
                    lambda: self.format,
                    lambda: self._compared,
                ),
                *name_columns(title, lambda: self._labels, lambda: self.calls.node),
                exactness_column(lambda: self.record_count, self._is_exact, self._is_self_exact),
            ),
            parent,
        )

    def _empty_copy(self) -> TransitiveCallModel:
        return TransitiveCallModel(self._title)

    def set_calls(
        self,
        labels: Labels | None,
        calls: TransitiveCalls,
        format_: CostFormat,
        compared: ComparedRows | None = None,
        mark: Callable[[NodeId], str] = no_mark,
    ) -> None:
        """Show these calls; their costs are changes if they are `compared`. Resets the model."""
        self._labels, self.calls, self.format = labels, calls, format_
        self._compared, self._mark = compared, mark
        self._reset(len(calls))

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.set_calls(None, _NOBODY, NO_FORMAT)

    def mark_of(self, record: int) -> str:
        """Return the word that marks a function in a comparison."""
        return self._mark(self.function_of(record))

    def function_of(self, record: int) -> NodeId:
        """Return the function or cycle that is some calls away."""
        return node_at(self.calls.node, record)

    def tip_of(self, record: int) -> str:
        """Return full name and location, and whether the numbers are exact."""
        if self._labels is None:
            return ""
        return tip_text(
            *self._labels.details(self.function_of(record)), exactness_text(self._is_exact(record))
        )

    def _is_exact(self, record: int) -> bool:
        return bool(self.calls.is_exact[record])

    def _is_self_exact(self, record: int) -> bool:
        return self._is_exact(record) and bool(self.calls.is_complete[record])

    def _distance(self, record: int) -> str:
        nearest, farthest = (
            int(self.calls.min_distance[record]),
            int(self.calls.max_distance[record]),
        )
        return str(nearest) if nearest == farthest else f"{nearest}–{farthest}"
