"""The list of all functions and cycles: costs, called count, name and location."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QModelIndex, QObject

from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.models.base.call_table import no_mark
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import (
    called_column,
    cost_column,
    location_column,
    name_column,
    per_call_column,
    with_estimate_mark,
)
from qcachegrind_py.models.base.comparison_columns import (
    ComparedRows,
    comparison_columns,
    side_columns,
)
from qcachegrind_py.models.base.cost_format import NO_FORMAT, WHY_EXCESS, CostFormat
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_Reason = Callable[[NodeId], str]

_NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionRows:
    """Rows of the list: one per function, then one per cycle."""

    labels: Labels | None
    inclusive: CostArray
    self_cost: CostArray
    second_inclusive: CostArray  # zeros without a second event
    second_self: CostArray
    called_count: Int64Array
    is_active: BoolArray  # called, but no call had returned when the profile was written
    # base of percentages of self costs, unless that is the total
    self_base: CostArray | None = None
    compared: ComparedRows | None = None  # costs are changes then
    compared_self: ComparedRows | None = None
    mark: Callable[[NodeId], str] = no_mark  # words behind names
    family: Callable[[NodeId], str] = no_mark  # what tips say of families
    # whether self costs are partly estimates, of folded functions; None: none is
    is_estimated: BoolArray | None = None
    has_call_counts: bool = True


NO_ROWS = FunctionRows(None, _NOTHING, _NOTHING, _NOTHING, _NOTHING, _NOTHING, np.empty(0, bool))


def _any_reason(_node: NodeId) -> str:
    return WHY_EXCESS


class FunctionModel(ArrayTableModel):
    """A table with one record per function or cycle, of the same number."""

    (
        INCLUSIVE, SELF, SECOND_INCLUSIVE, SECOND_SELF, BASE, NEW, GROWTH, SELF_BASE, SELF_NEW,
        SELF_GROWTH, CALLED, WHY, PER_CALL, SELF_PER_CALL, NAME, LOCATION,
    ) = range(16)  # fmt: skip

    def __init__(self, parent: QObject | None = None) -> None:
        # before the base class, which uses the columns
        self.rows = NO_ROWS
        self.first = self.second = NO_FORMAT
        self._excess: tuple[_Reason, _Reason] = (_any_reason, _any_reason)
        super().__init__(
            (
                *self._cost_columns(),
                *comparison_columns(lambda: self.rows.compared, "Inclusive cost"),
                *side_columns(lambda: self.rows.compared_self, "Self cost", "self_"),
                called_column(
                    "Number of calls, including recursive calls",
                    lambda: self.rows.called_count,
                    lambda: self.rows.is_active,
                    lambda: self.first,
                    lambda: self.rows.compared,
                    is_known=lambda: self.rows.has_call_counts,
                ),
                *self._per_call_columns(),
                name_column("name", "Function", self._name, self._name_ranks, self._full_name),
                location_column(self._location, self._location_ranks),
            ),
            parent,
        )

    def _cost_columns(self) -> tuple[Column, ...]:
        inclusive_tip, self_tip = (
            "Inclusive cost: the function and its callees",
            ("Self cost: the function alone, without its callees"),
        )
        first, second = (lambda: self.first), (lambda: self.second)
        return (
            cost_column(
                "inclusive",
                "Incl.",
                inclusive_tip,
                lambda: self.rows.inclusive,
                first,
                excess=lambda r: self._excess[0](self.function_of(r)),
            ),
            with_estimate_mark(
                cost_column(
                    "self", "Self", self_tip, lambda: self.rows.self_cost, first,
                    base=self._self_base,
                ),
                self._is_self_exact,
            ),
            cost_column(
                "inclusive",
                "Incl.",
                inclusive_tip,
                lambda: self.rows.second_inclusive,
                second,
                excess=lambda r: self._excess[1](self.function_of(r)),
                is_second=True,
                gives_way=7,
            ),
            with_estimate_mark(
                cost_column(
                    "self", "Self", self_tip, lambda: self.rows.second_self, second, is_second=True
                ),
                self._is_self_exact,
            ),
        )  # fmt: skip

    def _per_call_columns(self) -> tuple[Column, ...]:
        called, first = (lambda: self.rows.called_count), self._format_now
        inclusive_tip, self_tip = (
            "Average inclusive cost of one call",
            "Average self cost of one call",
        )
        return (
            per_call_column(
                "per_call", "Incl. per call", inclusive_tip, self._inclusive_now, called,
                first, is_optional=True, is_known=lambda: self.rows.has_call_counts,
            ),
            per_call_column(
                "self_per_call", "Self per call", self_tip, self._self_now, called,
                first, is_optional=True, is_known=lambda: self.rows.has_call_counts,
            ),
        )  # fmt: skip

    def _inclusive_now(self) -> CostArray:
        """Return the inclusive costs, in a comparison those of the new side."""
        compared = self.rows.compared
        return self.rows.inclusive if compared is None else compared.cost.new

    def _self_now(self) -> CostArray:
        """Return the self costs, in a comparison those of the new side."""
        compared = self.rows.compared_self
        return self.rows.self_cost if compared is None else compared.cost.new

    def _format_now(self) -> CostFormat:
        """Return the format of costs, in a comparison those of the new side."""
        compared = self.rows.compared
        return self.first if compared is None else compared.cost_format

    def mark_of(self, record: int) -> str:
        """Return the word that marks a function in a comparison."""
        return self.rows.mark(self.function_of(record))

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.set_rows(NO_ROWS, NO_FORMAT, NO_FORMAT)

    def set_rows(self, rows: FunctionRows, first: CostFormat, second: CostFormat) -> None:
        """Show other functions; resets the model."""
        self.rows, self.first, self.second = rows, first, second
        self._reset(len(rows.inclusive))

    def set_costs(self, rows: FunctionRows, first: CostFormat, second: CostFormat) -> None:
        """Show other costs of the same functions; rows keep their indexes and are sorted again."""
        self.rows, self.first, self.second = rows, first, second
        self._costs_changed()

    def set_excess_reasons(self, first: _Reason, second: _Reason) -> None:
        """Tell in tips why inclusive costs are above 100 %; computed only for a tip that is shown.

        There is a function for each of the two events.
        """
        self._excess = first, second

    def function_of(self, record: int) -> NodeId:
        """Return the record, which is the function."""
        return NodeId(record)

    def index_of_function(self, function: NodeId) -> QModelIndex:
        """Return the index of the function's row; invalid if it is filtered out."""
        return self.index_of_record(function)

    def tip_of(self, record: int) -> str:
        """Return everything about the function in full, and the members of a family."""
        if self.rows.labels is None:
            return ""
        function = self.function_of(record)
        details = self.rows.labels.details(function)
        return tip_text(*details, *self.rows.family(function).splitlines())

    def _is_self_exact(self, record: int) -> bool:
        estimated = self.rows.is_estimated
        return estimated is None or not estimated[record]

    def _self_base(self, record: int) -> int | float | None:
        bases = self.rows.self_base
        return None if bases is None else as_number(bases[record])

    def _name(self, record: int) -> str:
        return self.rows.labels.name(self.function_of(record)) if self.rows.labels else ""

    def _full_name(self, record: int) -> str:
        return self.rows.labels.full_name(self.function_of(record)) if self.rows.labels else ""

    def _location(self, record: int) -> str:
        return self.rows.labels.location(self.function_of(record)) if self.rows.labels else ""

    def _name_ranks(self) -> Int64Array:
        return self.rows.labels.name_ranks if self.rows.labels else _NOTHING

    def _location_ranks(self) -> Int64Array:
        return self.rows.labels.location_ranks if self.rows.labels else _NOTHING
