"""The base of code tables: costs, calls and jumps beside source lines or instructions.

If the table is sorted otherwise than in code order, calls stay below their line, while arrows and
folds are hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, Qt

from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import cost_column
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.plain_text import cell_text, tip_text
from qcachegrind_py.models.base.table import LONGEST_RATIO
from qcachegrind_py.models.code.folding import FoldingModel
from qcachegrind_py.models.code.records import NO_COSTS, NO_ROWS, CodeCosts, CodeRows, RecordKind
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    FunctionId,
    TextId,
    function_at,
    text_at,
)
from qcachegrind_py.profile.number_format import ACTIVE, IN_CYCLE, fraction_of, plural
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.visible_text import visible_text

_NOTHING = np.empty(0, np.int64)
_ASCENDING = Qt.SortOrder.AscendingOrder
_MAX_JUMP_TEXTS = 5

ColoredWords = tuple[tuple[int, int, int], ...]  # column, length and kind (a `Token`) of each


class CodeModel(FoldingModel):
    """A code table; subclasses supply the columns before and after those of costs."""

    SELF, SECOND_SELF, INCLUSIVE, SECOND_INCLUSIVE, CALLS, JUMPS = range(1, 7)

    def __init__(
        self, location_column: Column, text_columns: Sequence[Column], parent: QObject | None = None
    ) -> None:
        self.first = self.second = NO_FORMAT
        self.file_names: Mapping[TextId, str] = {}  # the shortest distinct paths
        self.has_jumps = True  # whether jumps were recorded; if so, others were never executed
        self._matched = np.empty(0, bool)  # records of the selected position
        self._counts = _NOTHING
        super().__init__((location_column, *self._cost_columns(), *text_columns), parent)

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
            self._cost_column("inclusive", "Incl.", inclusive_tip, lambda costs: costs.inclusive),
            self._cost_column(
                "inclusive", "Incl.", inclusive_tip, lambda costs: costs.inclusive, is_second=True
            ),
            Column("calls", "Calls", "Number of calls from here",
                   self._calls_text, lambda: self._values_of_parent(self._counts),
                   heading=lambda: "Calls" if len(self.rows.calls) else "",
                   export_text=lambda r: str(int(self._counts[r])), width=8),
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

        def displayed_text(record: int) -> str:
            if key == "inclusive" and self._is_inner(record):
                return IN_CYCLE
            return text(record) if select(costs())[record] else ""

        def export_text(record: int) -> str:
            cost = select(costs())[record]
            return str(as_number(cost)) if cost and not self._is_inner(record) else ""

        return replace(
            column,
            text=displayed_text,
            sort_key=lambda: self._values_of_parent(select(costs())),
            share=lambda r: fraction_of(as_number(select(costs())[r]), costs().maximum),
            export_text=export_text,
            width=9,
        )

    def _is_inner(self, record: int) -> bool:
        """Whether the record is a call that stays inside the function's cycle."""
        call = int(self.rows.records.call[record])
        return call >= 0 and bool(self.rows.costs.within_cycle[call])

    def code_order(self) -> Int64Array:
        """Return the sort key of code order; in either direction, calls stay below their line."""
        return self.rows.records.parent

    def _values_of_parent(self, values: CostArray) -> CostArray:
        return values[self.rows.records.parent]

    def _calls_text(self, record: int) -> str:
        records, calls = self.rows.records, self.rows.calls
        call = int(records.call[record])
        if call >= 0:
            return self.first.call_count_text(int(calls.count[call]), bool(calls.is_active[call]))
        is_location = records.kind[record] == RecordKind.LOCATION
        count = int(self._counts[record]) + int(self._counts[self.closed_members(record)].sum())
        return self.first.count_text(count) if is_location and count else ""

    # ---------------------------------------------------------------- content

    def set_rows(
        self, rows: CodeRows, costs: tuple[CodeCosts, CodeCosts], first: CostFormat,
        second: CostFormat,
    ) -> None:  # fmt: skip
        """Show other code; resets the model."""
        self.first, self.second = first, second
        self._counts = rows.call_counts()
        self._matched = np.zeros(len(rows.records), bool)
        self._show_rows(rows, costs)

    def set_costs(
        self, costs: tuple[CodeCosts, CodeCosts], first: CostFormat, second: CostFormat
    ) -> None:
        """Show other costs of the same code: rows move along with their indexes."""
        self.first, self.second = first, second
        self._show_costs(costs)

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.set_rows(NO_ROWS, (NO_COSTS, NO_COSTS), NO_FORMAT, NO_FORMAT)

    # ---------------------------------------------------------------- position

    def set_position(self, matched: BoolArray) -> None:
        """Mark these records: those of the line or instruction selected elsewhere."""
        if not np.array_equal(matched, self._matched):
            self._matched = matched
            self.redraw()

    def line_of(self, record: int) -> tuple[TextId, int]:
        """Return file and source line of a record; 0 if unknown."""
        location = int(self.rows.records.location[record])
        return text_at(self.rows.file, location), int(self.rows.line[location])

    def matches_line(self, file: TextId, line: int) -> BoolArray:
        """Return the mask of a source line's records, without calls: shape (records,), bool."""
        rows, records = self.rows, self.rows.records
        matches = (rows.file == file) & (rows.line == line)
        matched: BoolArray = matches[records.location] & (records.kind == RecordKind.LOCATION)
        return matched

    def is_marked(self, record: int) -> bool:
        """Whether the record belongs to the selected position or function."""
        if self._is_highlighted(record, 0) or self._matched[record]:
            return True
        return self.has_groups and bool(self._matched[self.closed_members(record)].any())

    def function_of(self, record: int) -> FunctionId:
        """Return the called function; `NO_FUNCTION` if the record is no call."""
        call = int(self.rows.records.call[record])
        return function_at(self.rows.calls.callee, call) if call >= 0 else NO_FUNCTION

    # ---------------------------------------------------------------- texts

    def full_text(self, record: int) -> str:
        """Return the whole text of a record."""
        raise NotImplementedError

    def shown_code(self, record: int) -> str:
        """Return the whole text as one line, as it is copied."""
        return visible_text(self.full_text(record).expandtabs())

    def plain_code(self, record: int) -> str:
        """Return the text for export: the line, or the full name of a called function."""
        function, labels = self.function_of(record), self.rows.labels
        if function != NO_FUNCTION and labels is not None:
            return labels.full_name(function)
        return self.shown_code(record)

    def has_text(self, record: int) -> bool:
        """Whether the record's text is part of the code, rather than a remark on it."""
        return True

    def colored_words(self, record: int) -> ColoredWords:
        """Return the highlighted words of a record."""
        return ()

    def common_indent(self, record: int) -> int:
        """Return how many characters of indentation an inlined line shares with its neighbours."""
        return 0

    def hidden_text(self, record: int) -> str:
        """Return how many inlined lines a line hides; empty if none."""
        hidden = len(self.closed_members(record))
        return f"{self.first.count_text(hidden)} inlined {plural(hidden, 'line')}" if hidden else ""

    def containing(self, text: str) -> list[int]:
        """Return the records that contain the text, in code order."""
        raise NotImplementedError

    def call_text(self, record: int) -> str:
        """Return name and location of the called function."""
        rows, call = self.rows, int(self.rows.records.call[record])
        if rows.labels is None or call < 0:
            return ""
        callee = function_at(rows.calls.callee, call)
        location = rows.labels.location(callee)
        return cell_text(rows.labels.name(callee) + (f"  {location}" if location else ""))

    def fold_text(self, record: int, noun: str) -> str:
        """Return how many rows a fold hides."""
        records = self.rows.records
        length = int(records.lengths[records.stretch[record]])
        return f"{self.first.count_text(length)} {noun} without cost"

    def jump_texts(self, record: int) -> list[str]:
        """Return the most frequent jumps from and to a record, one text each.

        The number is limited: a jump table may have thousands of targets.
        """
        records, arrows = self.rows.records, self.rows.records.arrows
        if records.kind[record] != RecordKind.LOCATION:
            return []
        location = int(records.location[record])
        location_arrows = np.flatnonzero((arrows.source == location) | (arrows.target == location))
        location_arrows = location_arrows[
            np.argsort(-arrows.followed[location_arrows], kind="stable")
        ]
        texts = [
            self._jump_text(arrow, location) for arrow in location_arrows[:_MAX_JUMP_TEXTS].tolist()
        ]
        more = len(location_arrows) - len(texts)
        return [*texts, f"{more} more {plural(more, 'jump')}"] if more else texts

    def _jump_text(self, arrow: int, location: int) -> str:
        """Return where a jump of a location leads to or comes from, and how often."""
        arrows, count = self.rows.records.arrows, self.first.count_text
        is_outgoing = int(arrows.source[arrow]) == location
        other = int((arrows.target if is_outgoing else arrows.source)[arrow])
        other_text = self.location_text(int(self.rows.records.record_of_location[other]))
        executed, followed = int(arrows.executed[arrow]), count(int(arrows.followed[arrow]))
        times = f"{followed} of {count(executed)}" if arrows.conditional[arrow] else followed
        how_often = "once" if times == "1" else f"{times} times"
        if executed < 0:
            how_often = "never" if self.has_jumps else "count not recorded"
        return f"jumps {'to' if is_outgoing else 'here from'} {other_text}: {how_often}"

    def location_text(self, record: int) -> str:
        """Return the line or address of a record."""
        return self.columns[self.LOCATION].text(record)

    def largest_text(self, column: int) -> str:
        """Return the column's longest number; location columns use `longest_texts`."""
        costs, second = self.first_costs, self.second_costs
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
            self.columns[column].text(int(column_values.argmax())) if len(column_values) else ""
        )
        if (
            column == self.CALLS and self.rows.calls.is_active.any()
        ):  # words may be longer than numbers
            return max(largest, ACTIVE, key=len)
        inclusive = self.INCLUSIVE, self.SECOND_INCLUSIVE
        if column in inclusive and self.rows.costs.within_cycle.any():
            return max(largest, IN_CYCLE, key=len)
        return largest

    def longest_texts(self) -> dict[int, str]:
        """Return the longest texts by column: of the location, the code, and others in its font."""
        raise NotImplementedError

    def longest_number(self) -> str:
        """Return the longest line number or address, which must never be elided."""
        raise NotImplementedError

    def _jumps_text(self, record: int) -> str:
        return "; ".join(self.jump_texts(record))

    def tip_of(self, record: int) -> str:
        """Return the called function in full, or the jumps."""
        rows, function = self.rows, self.function_of(record)
        if function != NO_FUNCTION and rows.labels is not None:
            return tip_text(*rows.labels.details(function))
        return tip_text(*texts) if (texts := self.jump_texts(record)) else ""
