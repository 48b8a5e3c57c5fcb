"""The base of the tables of code: costs, calls and jumps beside source lines or instructions.

Rows can be folded where nothing cost anything; in another order than that of the code, calls stay
below their line, and arrows and folds are not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, Qt

from qcachegrind_py.analysis.names.short_paths import short_paths
from qcachegrind_py.models.base.columns import IN_CYCLE, cost_column
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.plain_text import cell_text, plain_line, tip_text
from qcachegrind_py.models.base.table import LONGEST_RATIO, ArrayTableModel, Column
from qcachegrind_py.models.code.records import NO_COSTS, NO_ROWS, CodeCosts, CodeRows, RecordKind
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    FunctionId,
    TextId,
    function_at,
    text_at,
    text_ids,
)
from qcachegrind_py.profile.number_format import format_call_count, fraction_of
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_NOTHING = np.empty(0, np.int64)
_ASCENDING = Qt.SortOrder.AscendingOrder
_MAX_JUMP_TEXTS = 5
_INCLUSIVE = "Incl."

ColoredWords = tuple[tuple[int, int, int], ...]  # column, length and kind (a `Token`) of each


class CodeModel(ArrayTableModel):
    """Subclasses give it the columns before and after those of costs."""

    LOCATION, SELF, SECOND_SELF, INCLUSIVE, SECOND_INCLUSIVE, CALLS, JUMPS = range(7)

    def __init__(
        self, place: Column, others: Sequence[Column], parent: QObject | None = None
    ) -> None:
        self.rows = NO_ROWS
        self.first_costs = self.second_costs = NO_COSTS
        self.first = self.second = NO_FORMAT
        self.short_names: dict[TextId, str] = {}  # of files, as short as they are different
        self.is_folded = False
        self.has_jumps = True  # whether jumps were recorded, so that others never happened
        self._opened: set[int] = set()  # stretches
        self._matched = np.empty(0, bool)  # the records of the position
        self._counts = _NOTHING
        super().__init__((place, *self._cost_columns(), *others), parent)
        self._sorted_by = (self.LOCATION, _ASCENDING)

    def _cost_columns(self) -> tuple[Column, ...]:
        own = "Self cost of the line itself, without what it called"
        inclusive = (
            "Inclusive cost: the line and all calls from it; (cycle): calls that lead back to the "
            "function are left out"
        )
        return (
            self._cost_column("Self", own, lambda costs: costs.self_cost),
            self._cost_column("Self", own, lambda costs: costs.self_cost, is_second=True),
            self._cost_column(_INCLUSIVE, inclusive, lambda costs: costs.inclusive),
            self._cost_column(
                _INCLUSIVE, inclusive, lambda costs: costs.inclusive, is_second=True
            ),
            Column("Calls", "How often something was called from here",
                   self._calls_text, lambda: self._values_of_parent(self._counts),
                   heading=lambda: "Calls" if len(self.rows.calls) else "",
                   export_text=lambda r: str(int(self._counts[r])), width=8),
            Column("Jumps", "Jumps between lines: dashed where under a condition",
                   self._jumps_text, self.code_order,
                   heading=lambda: "", is_number=False, width=4),  # arrows need no title
        )  # fmt: skip

    def _cost_column(
        self, title: str, tip: str, of: Callable[[CodeCosts], CostArray], *, is_second: bool = False
    ) -> Column:
        """A cost: without text where nothing was spent, with a bar as part of the costliest."""

        def costs() -> CodeCosts:
            return self.second_costs if is_second else self.first_costs

        column = cost_column(
            title,
            f"{tip}. Bars: as a part of the costliest line",
            lambda: of(costs()),
            (lambda: self.second) if is_second else (lambda: self.first),
            is_second=is_second,
        )
        text = column.text

        def shown(record: int) -> str:
            if title == _INCLUSIVE and self._is_inner(record):
                return IN_CYCLE
            return text(record) if of(costs())[record] else ""

        def plain(record: int) -> str:
            cost = of(costs())[record]
            return str(as_number(cost)) if cost and not self._is_inner(record) else ""

        return replace(
            column,
            text=shown,
            sort_key=lambda: self._values_of_parent(of(costs())),
            share=lambda r: fraction_of(as_number(of(costs())[r]), costs().maximum),
            export_text=plain,
            width=9,
        )

    def _is_inner(self, record: int) -> bool:
        """Whether the record is a call that leads back to the function."""
        call = int(self.rows.records.call[record])
        return call >= 0 and bool(self.rows.in_cycle[call])

    def code_order(self) -> Int64Array:
        """The order of the code, whichever way round: calls stay below their line."""
        return self.rows.records.parent

    def _values_of_parent(self, values: CostArray) -> CostArray:
        return values[self.rows.records.parent]

    def _call_counts(self) -> Int64Array:
        """How often each record's site called anything, and each call happened."""
        records, calls = self.rows.records, self.rows.calls
        counts = np.zeros(len(records), np.int64)
        is_call = records.kind == RecordKind.CALL
        counts[is_call] = calls.count[records.call[is_call]]
        np.add.at(counts, records.parent[is_call], counts[is_call])
        return counts

    def _calls_text(self, record: int) -> str:
        records, calls = self.rows.records, self.rows.calls
        call = int(records.call[record])
        if call >= 0:
            return format_call_count(int(calls.count[call]), self.first.style)
        is_site, count = records.kind[record] == RecordKind.LOCATION, int(self._counts[record])
        return self.first.count_text(count) if is_site and count else ""

    # ---------------------------------------------------------------- what is shown

    def set_rows(
        self, rows: CodeRows, costs: tuple[CodeCosts, CodeCosts], first: CostFormat,
        second: CostFormat,
    ) -> None:  # fmt: skip
        """Show other code. Resets the model."""
        self._opened.clear()
        self.rows, (self.first_costs, self.second_costs) = rows, costs
        self.first, self.second = first, second
        self._counts = self._call_counts()
        self._matched = np.zeros(len(rows.records), bool)
        self._reset(len(rows.records))
        self._show_folds()

    def set_costs(
        self, costs: tuple[CodeCosts, CodeCosts], first: CostFormat, second: CostFormat
    ) -> None:
        """The same code with other costs: every row stays, or moves with its index."""
        self.first_costs, self.second_costs = costs
        self.first, self.second = first, second
        self._costs_changed()

    def clear(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        self.set_rows(NO_ROWS, (NO_COSTS, NO_COSTS), NO_FORMAT, NO_FORMAT)

    # ---------------------------------------------------------------- folding

    @property
    def is_in_code_order(self) -> bool:
        """Whether rows are in the order of the code, so that arrows and folds make sense."""
        return self._sorted_by == (self.LOCATION, _ASCENDING)

    def fold(self, folded: bool) -> None:
        """Fold all stretches without cost, or none."""
        self.is_folded = folded
        self._opened.clear()
        self._show_folds()

    def open_stretch(self, record: int) -> None:
        """Show the stretch that a record is of."""
        stretch = int(self.rows.records.stretch[record])
        if self.is_folded and stretch >= 0:
            self._opened.add(stretch)
            self._show_folds()

    def _show_folds(self) -> None:
        records = self.rows.records
        is_fold = records.kind == RecordKind.FOLD
        if not (self.is_folded and self.is_in_code_order):
            self.set_filter(~is_fold)
            return
        is_open = np.zeros(len(records.lengths) + 1, bool)
        is_open[list(self._opened)] = True
        is_open[-1] = True  # of what is in no stretch
        self.set_filter(is_open[records.stretch] != is_fold)

    def sort(self, column: int, order: Qt.SortOrder = _ASCENDING) -> None:
        super().sort(column, order)
        self._show_folds()

    # ---------------------------------------------------------------- position

    def set_position(self, matched: BoolArray) -> None:
        """Mark these records: those of the line or instruction selected elsewhere."""
        if not np.array_equal(matched, self._matched):
            self._matched = matched
            self.redraw()

    def set_file_names(self, rows: CodeRows, names: StringTable) -> None:
        """Say what the files of the rows are called."""
        files = text_ids(np.unique(rows.file))
        self.short_names = dict(zip(files, short_paths(names.lookup(files)), strict=True))

    def line_of(self, record: int) -> tuple[TextId, int]:
        """File and source line that a record is about; 0 where they are not known."""
        site = int(self.rows.records.location[record])
        return text_at(self.rows.file, site), int(self.rows.line[site])

    def matches_line(self, file: TextId, line: int) -> BoolArray:
        """The records of a source line, its calls not among them."""
        rows, records = self.rows, self.rows.records
        of_site = (rows.file == file) & (rows.line == line)
        matched: BoolArray = of_site[records.location] & (records.kind == RecordKind.LOCATION)
        return matched

    def is_marked(self, record: int) -> bool:
        """Whether the record is of the position, or of the function selected elsewhere."""
        return bool(self._matched[record]) or self._is_highlighted(record, 0)

    def function_of(self, record: int) -> FunctionId:
        """The function called; `NO_FUNCTION` where the record is no call."""
        call = int(self.rows.records.call[record])
        return function_at(self.rows.calls.callee, call) if call >= 0 else NO_FUNCTION

    # ---------------------------------------------------------------- texts

    def full_text(self, record: int) -> str:
        """What a record says, whole."""
        raise NotImplementedError

    def shown_code(self, record: int) -> str:
        """The same in one line, and uncut: it is what is copied."""
        return plain_line(self.full_text(record).expandtabs())

    def plain_code(self, record: int) -> str:
        """The same for other programs: in one line, and the name of a called function in full."""
        function, labels = self.function_of(record), self.rows.labels
        if function != NO_FUNCTION and labels is not None:
            return plain_line(labels.full_name(function))
        return self.shown_code(record)

    def has_text(self, record: int) -> bool:
        """Whether that is in the code, not said about it."""
        return True

    def colored_words(self, record: int) -> ColoredWords:
        """The words of a record that have a colour of their own."""
        return ()

    def is_inlined(self, record: int) -> bool:
        """Whether the record is a line of another file than the one that is shown."""
        return False

    def containing(self, text: str) -> list[int]:
        """The records with this text in them, in the order of the code."""
        raise NotImplementedError

    def call_text(self, record: int) -> str:
        """Which function a call goes to."""
        rows, call = self.rows, int(self.rows.records.call[record])
        if rows.labels is None or call < 0:
            return ""
        callee = function_at(rows.calls.callee, call)
        place = rows.labels.location(callee)
        return cell_text(rows.labels.name(callee) + (f"  {place}" if place else ""))

    def fold_text(self, record: int, noun: str) -> str:
        """How much a fold hides."""
        records = self.rows.records
        length = int(records.lengths[records.stretch[record]])
        return f"{self.first.count_text(length)} {noun} without cost"

    def jump_texts(self, record: int) -> list[str]:
        """What is known of the jumps that begin or end at a record: the most frequent, a line each.

        A table of jumps may have thousands of targets.
        """
        records, arrows = self.rows.records, self.rows.records.arrows
        if records.kind[record] != RecordKind.LOCATION:
            return []
        site = int(records.location[record])
        of_site = np.flatnonzero((arrows.source == site) | (arrows.target == site))
        of_site = of_site[np.argsort(-arrows.followed[of_site], kind="stable")]
        texts = [self._jump_text(arrow, site) for arrow in of_site[:_MAX_JUMP_TEXTS].tolist()]
        more = len(of_site) - len(texts)
        return [*texts, f"{more} more {'jump' if more == 1 else 'jumps'}"] if more else texts

    def _jump_text(self, arrow: int, site: int) -> str:
        """Where a jump of a site leads to or comes from, and how often."""
        arrows, count = self.rows.records.arrows, self.first.count_text
        away = int(arrows.source[arrow]) == site
        other = int((arrows.target if away else arrows.source)[arrow])
        place = self.location_text(int(self.rows.records.record_of_location[other]))
        executed, followed = int(arrows.executed[arrow]), count(int(arrows.followed[arrow]))
        times = f"{followed} of {count(executed)}" if arrows.conditional[arrow] else followed
        how_often = "once" if times == "1" else f"{times} times"
        if executed < 0:
            how_often = "never" if self.has_jumps else "how often is not recorded"
        return f"jumps {'to' if away else 'here from'} {place}: {how_often}"

    def location_text(self, record: int) -> str:
        """The line or address of a record."""
        return self.columns[self.LOCATION].text(record)

    def largest_text(self, column: int) -> str:
        """The text of the largest number; places have the room of `longest_texts`."""
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
        of_column = values[column]
        if of_column.dtype.kind == "f":
            return LONGEST_RATIO
        largest = self.columns[column].text(int(of_column.argmax())) if len(of_column) else ""
        if column == self.CALLS and not self.rows.calls.count.all():  # “(active)” is a word
            return max(largest, format_call_count(0), key=len)
        return largest

    def longest_texts(self) -> dict[int, str]:
        """The longest text of the first column, of the code, and of others in the code's font."""
        raise NotImplementedError

    def longest_number(self) -> str:
        """The longest line number or address: these are never cut."""
        raise NotImplementedError

    def _jumps_text(self, record: int) -> str:
        return "; ".join(self.jump_texts(record))

    def tip_of(self, record: int) -> str:
        """The called function in full, or what is known of jumps."""
        rows, function = self.rows, self.function_of(record)
        if function != NO_FUNCTION and rows.labels is not None:
            return tip_text(*rows.labels.details(function))
        return tip_text(*texts) if (texts := self.jump_texts(record)) else ""
