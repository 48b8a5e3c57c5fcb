"""The base of code tables: costs, calls and jumps beside source lines or instructions.

If the table is sorted otherwise than in code order, calls stay below their line, while arrows and
folds are hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Qt

from qcachegrind_py.analysis.code.annotated_function import SourceLines
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.code.code_costs import NO_COSTS, CodeCosts
from qcachegrind_py.models.code.cost_columns import CodeCostModel
from qcachegrind_py.models.code.records import (
    MARK_WORDS,
    NO_ROWS,
    CodeRows,
    LocationMark,
    RecordKind,
)
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    FunctionId,
    TextId,
    function_at,
    text_at,
)
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.visible_text import visible_text

_NOTHING = np.empty(0, np.int64)
_ASCENDING = Qt.SortOrder.AscendingOrder
_MAX_JUMP_TEXTS = 5

ColoredWords = tuple[tuple[int, int, int], ...]  # column, length and kind (a `Token`) of each


@dataclass(frozen=True, slots=True, eq=False)
class SearchedTexts:
    """The texts of code in lower case, made once, as each letter that is typed searches them."""

    lowered: Sequence[str]
    text: Int64Array  # the text of each record below; -1 for none
    record: Int64Array


class CodeModel(CodeCostModel):
    """A code table; subclasses supply the columns before and after those of costs."""

    def __init__(
        self, location_column: Column, text_columns: Sequence[Column], parent: QObject | None = None
    ) -> None:
        self.file_names: Mapping[TextId, str] = {}  # the shortest distinct paths
        self.texts: SourceLines = {}  # the source files that were found
        self.has_jumps = True  # whether jumps were recorded; if so, others were never executed
        self._matched = np.empty(0, bool)  # records of the selected position
        self._searched: SearchedTexts | None = None  # once a search needs it
        super().__init__(location_column, text_columns, parent)

    # ---------------------------------------------------------------- content

    def set_rows(
        self, rows: CodeRows, costs: tuple[CodeCosts, CodeCosts], first: CostFormat,
        second: CostFormat,
    ) -> None:  # fmt: skip
        """Show other code; resets the model."""
        self.first, self.second, self._searched = first, second, None
        self._counts, self._base_counts = rows.call_counts(), rows.base_call_counts()
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

    def mark_of(self, record: int) -> str:
        """Return the word for code that only one side of a comparison has, or that has moved."""
        return MARK_WORDS[self.rows.mark_of(record)]

    def marked_location(self, location: str, record: int) -> str:
        """Return the location of a record for export, with the word that marks it: 7 (gone)."""
        word = self.mark_of(record)
        return f"{location} ({word})" if location and word else location

    def is_gone(self, record: int) -> bool:
        """Whether the record is a line or an instruction that only the base has."""
        return self.rows.mark_of(record) == LocationMark.GONE

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

    def _drop_withheld_texts(self) -> None:
        self.texts = {
            file: lines for file, lines in self.texts.items() if file not in self.withheld
        }

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
        """Return the records whose code contains the text, in code order; case is ignored."""
        matched: list[int] = np.flatnonzero(self._contains(text.lower())).tolist()
        return matched

    def _contains(self, needle: str) -> BoolArray:
        """Return the mask of records that contain a text in lower case: shape (records,), bool."""
        if self._searched is None:
            self._searched = self._searched_texts()
        found = np.array([needle in text for text in self._searched.lowered] + [False])
        matches = np.zeros(len(self.rows.records), bool)
        matches[self._searched.record] = found[self._searched.text]
        return matches

    def _searched_texts(self) -> SearchedTexts:
        """Return the code that a search looks at, without remarks and calls."""
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
