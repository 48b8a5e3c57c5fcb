"""The columns of costs and calls that all code tables have, also of both sides of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.models.base.column import Column, InComparison
from qcachegrind_py.models.base.columns import cost_column
from qcachegrind_py.models.base.table import LONGEST_RATIO
from qcachegrind_py.models.code.code_costs import CodeCosts
from qcachegrind_py.models.code.compared.columns import (
    Select,
    bar_length,
    counts_text,
    longest_counts,
    plain_number,
    side_column,
)
from qcachegrind_py.models.code.folding import FoldingModel
from qcachegrind_py.models.code.records import RecordKind
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.numbers import ACTIVE, IN_CYCLE, fraction_of
from qcachegrind_py.profile.tables import Int64Array

_NOTHING = np.empty(0, np.int64)


class CodeCostModel(FoldingModel):
    """A code table with columns of costs; in a comparison these are changes, and both sides."""

    SELF, SECOND_SELF, SELF_BASE, SELF_NEW = range(1, 5)
    INCLUSIVE, SECOND_INCLUSIVE, BASE, NEW, CALLS, JUMPS = range(5, 11)
    FIRST_TEXT = 11  # of the columns behind these

    def __init__(
        self, location_column: Column, text_columns: Sequence[Column], parent: QObject | None = None
    ) -> None:
        self.first = self.second = NO_FORMAT
        self.side_formats = NO_FORMAT, NO_FORMAT  # of costs of base and new, in a comparison
        self._counts = self._base_counts = _NOTHING  # of calls, by record
        super().__init__((location_column, *self._cost_columns(), *text_columns), parent)

    @property
    def is_comparing(self) -> bool:
        """Whether costs are changes."""
        return self.rows.before is not None

    @property
    def sizes(self) -> CostArray:
        """The inclusive costs of the records in the first event, or the sizes of their changes."""
        costs = self.first_costs.inclusive
        return np.abs(costs) if self.is_comparing else costs

    def code_order(self) -> Int64Array:
        """Return the sort key of code order; in either direction, calls stay below their line."""
        return self.rows.records.parent

    def _jumps_text(self, record: int) -> str:
        raise NotImplementedError

    def _cost_columns(self) -> tuple[Column, ...]:
        self_tip = "Self cost of the line, without callees"
        inclusive_tip = (
            "Inclusive cost: the line and its callees; (cycle): calls back into the function "
            "are excluded"
        )
        return (
            self._cost_column("self", "Self", self_tip, lambda costs: costs.self_cost),
            self._cost_column(
                "self", "Self", self_tip, lambda costs: costs.self_cost, is_second=True
            ),
            *self._side_columns("self_", "Self cost", lambda costs: costs.self_cost),
            self._cost_column("inclusive", "Incl.", inclusive_tip, lambda costs: costs.inclusive),
            self._cost_column(
                "inclusive", "Incl.", inclusive_tip, lambda costs: costs.inclusive, is_second=True
            ),
            *self._side_columns("", "Inclusive cost", lambda costs: costs.inclusive),
            Column("calls", "Calls", "Number of calls from here",
                   self._calls_text, self._count_order,
                   heading=lambda: "Calls" if len(self.rows.calls) else "",
                   export_text=self._plain_calls, width=8),
            Column("jumps", "Jumps", "Jumps between lines; dashed: conditional",
                   self._jumps_text, self.code_order,
                   heading=lambda: "", is_number=False, width=4),  # arrows need no title
        )  # fmt: skip

    def _cost_column(
        self,
        key: str,
        title: str,
        tip: str,
        select: Callable[[CodeCosts], CostArray],
        *,
        is_second: bool = False,
    ) -> Column:
        """Return a cost column: empty for zero costs, with bars relative to the costliest line."""

        def costs() -> CodeCosts:
            return self.second_costs if is_second else self.first_costs

        column = cost_column(
            key,
            title,
            f"{tip}. Bars are relative to the costliest line",
            lambda: select(costs()),
            (lambda: self.second) if is_second else (lambda: self.first),
            is_second=is_second,
        )
        text = column.text

        def value(record: int) -> int | float:
            return as_number(select(costs())[record])

        def share(record: int) -> float:
            maximum = costs().maximum
            if costs().sides is not None:
                return bar_length(value(record), maximum)
            return fraction_of(value(record), maximum)

        def displayed_text(record: int) -> str:
            is_inner = key == "inclusive" and self._is_inner(record)
            return IN_CYCLE if is_inner else text(record) if value(record) else ""

        def sort_key() -> CostArray:
            values = self._values_of_parent(select(costs()))
            return values if costs().sides is None else np.abs(values)

        return replace(
            column,
            text=displayed_text,
            sort_key=sort_key,
            share=share,
            export_text=lambda r: "" if self._is_inner(r) else plain_number(value(r)),
            width=9,
        )

    def _side_columns(self, prefix: str, of: str, select: Select) -> Iterator[Column]:
        """Return the columns of the base and of the new side; those of self costs are offered."""
        for side, (key, name) in enumerate((("base", "the base"), ("new", "the new profile"))):
            yield side_column(
                f"{prefix}{key}",
                f"Self {key}" if prefix else key.capitalize(),
                f"{of} in {name}",
                side,
                select,
                lambda: self.first_costs,
                partial(self._side_format, side),
                lambda: self.rows.records.parent,
                self._has_cost,
                self._is_inner,
                in_comparison=InComparison.OFFERED if prefix else InComparison.SHOWN,
            )

    def _side_format(self, side: int) -> CostFormat:
        return self.side_formats[side]

    def _has_cost(self, record: int) -> bool:
        """Whether the record is a location with costs on either side, or a call."""
        kind, rows = self.rows.records.kind[record], self.rows
        is_location = kind == RecordKind.LOCATION
        return bool(
            kind == RecordKind.CALL
            or (is_location and rows.cost_row[rows.records.location[record]] >= 0)
        )

    def _is_inner(self, record: int) -> bool:
        """Whether the record is a call that stays inside the function's cycle."""
        call = int(self.rows.records.call[record])
        return call >= 0 and bool(self.rows.costs.within_cycle[call])

    def _values_of_parent(self, values: CostArray) -> CostArray:
        return values[self.rows.records.parent]

    def _calls_text(self, record: int) -> str:
        records, calls = self.rows.records, self.rows.calls
        call = int(records.call[record])
        base_count = int(self._base_counts[record])
        if call >= 0 and base_count:
            return counts_text(base_count, int(calls.count[call]), self.first)
        if call >= 0:
            if self.is_comparing and calls.count[call]:
                return counts_text(0, int(calls.count[call]), self.first)
            count, is_active = int(calls.count[call]), bool(calls.is_active[call])
            return self.first.call_count_text(count or None, is_active)
        is_location = records.kind[record] == RecordKind.LOCATION
        members = self.closed_members(record)
        base, count = (
            int(counts[record]) + int(counts[members].sum())
            for counts in (self._base_counts, self._counts)
        )
        if not is_location or not (base or count):
            return ""
        return counts_text(base if self.is_comparing else count, count, self.first)

    def _plain_calls(self, record: int) -> str:
        """Return the number of calls for export, of base and new if they differ: 2 → 3."""
        counts = (int(counts[record]) for counts in (self._base_counts, self._counts))
        base, new = (str(count) for count in counts)
        return f"{base} → {new}" if self.is_comparing and base != new else new

    def _count_order(self) -> Int64Array:
        change = self._counts - self._base_counts
        return self._values_of_parent(np.abs(change) if self.is_comparing else self._counts)

    def largest_text(self, column: int) -> str:
        """Return the column's longest number; location columns use `longest_texts`."""
        costs, second = self.first_costs, self.second_costs
        if column in (self.SELF_BASE, self.SELF_NEW, self.BASE, self.NEW):
            return super().largest_text(column)
        if column == self.CALLS and self.is_comparing:
            return max(longest_counts(self._base_counts, self._counts, self.first), ACTIVE, key=len)
        values: dict[int, CostArray] = {
            self.SELF: costs.self_cost,
            self.SECOND_SELF: second.self_cost,
            self.INCLUSIVE: costs.inclusive,
            self.SECOND_INCLUSIVE: second.inclusive,
            self.CALLS: self._counts,
        }
        if column not in values:
            return ""
        column_values = values[column]
        if column_values.dtype.kind == "f":
            return LONGEST_RATIO
        largest = (
            self.columns[column].text(int(np.abs(column_values).argmax()))
            if len(column_values)
            else ""
        )
        if (
            column == self.CALLS and self.rows.calls.is_active.any()
        ):  # words may be longer than numbers
            return max(largest, ACTIVE, key=len)
        inclusive = self.INCLUSIVE, self.SECOND_INCLUSIVE
        if column in inclusive and self.rows.costs.within_cycle.any():
            return max(largest, IN_CYCLE, key=len)
        return largest
