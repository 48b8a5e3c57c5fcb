"""What the records of code say: the base of the texts of source lines and of instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import SourceLines
from qcachegrind_py.present.code_records import (
    MARK_WORDS,
    NO_ROWS,
    CodeRows,
    LocationMark,
    RecordKind,
)
from qcachegrind_py.present.table import Cells, Column, Numbers, Value, cell_text
from qcachegrind_py.profile.errors import WithheldFile
from qcachegrind_py.profile.ids import NO_FUNCTION, TextId, function_at
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, NumberStyle, format_count, plural
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.tools.sources.highlighting import Highlights
from qcachegrind_py.visible_text import visible_text

_MAX_JUMP_TEXTS = 5

Chunk = tuple[TextId, int]  # a file, and the number of one of its chunks of lines
Colors = Mapping[Chunk, Highlights]
ColoredWords = tuple[tuple[int, int, int], ...]  # column, length and kind (a `Token`) of each


@dataclass(frozen=True, slots=True, eq=False)
class SearchedTexts:
    """The texts of code in lower case, made once, as each letter that is typed searches them."""

    lowered: Sequence[str]
    text: Int64Array  # the text of each record below; -1 for none
    record: Int64Array


@dataclass(frozen=True, eq=False, kw_only=True)
class CodeTexts:
    """What the records of lines or instructions say; the texts of missing files are unknown."""

    rows: CodeRows = NO_ROWS
    file_names: Mapping[TextId, str] = field(default_factory=dict)  # the shortest distinct paths
    texts: SourceLines = field(default_factory=dict)  # the source files that were found
    # why texts are not written into other files
    withheld: Mapping[TextId, WithheldFile] = field(default_factory=dict)
    has_jumps: bool = True  # whether jumps were recorded; if so, others were never executed
    style: NumberStyle = DEFAULT_STYLE  # of counts

    noun = ""  # for locations

    def columns(self) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
        """Return the columns before and behind those of numbers."""
        raise NotImplementedError

    def place(self, record: int) -> str:
        """Return the line or address of a record; empty if it is no location."""
        raise NotImplementedError

    def location(self, record: int) -> str:
        """Return the line or address of a record as it is shown."""
        return self.place(record)

    def full_text(self, record: int) -> str:
        """Return the whole text of a record."""
        raise NotImplementedError

    def searched(self) -> SearchedTexts:
        """Return the code that a search looks at, without remarks and calls."""
        raise NotImplementedError

    def longest_texts(self) -> dict[str, str]:
        """Return the longest texts by column: of the location, the code, and others in its font."""
        raise NotImplementedError

    def longest_number(self) -> str:
        """Return the longest line number or address, which must never be elided."""
        raise NotImplementedError

    def without_withheld(self) -> CodeTexts:
        """Return the same without the texts that are not written into other files."""
        texts = {file: lines for file, lines in self.texts.items() if file not in self.withheld}
        return replace(self, texts=texts)

    def matches_line(self, file: TextId, line: int, *, in_base: bool = False) -> BoolArray:
        """Return the mask of a source line's records, without calls: shape (records,), bool."""
        rows, records = self.rows, self.rows.records
        matches = (rows.file == file) & (rows.line == line)
        kinds = RecordKind.LOCATION, RecordKind.SOURCE
        matched: BoolArray = matches[records.location] & np.isin(records.kind, kinds)
        return matched

    def line_of(self, record: int) -> tuple[TextId, int]:
        """Return file and source line of a record; 0 if unknown."""
        return self.rows.line_of(record)

    def has_text(self, record: int) -> bool:
        """Whether the record's text is part of the code, rather than a remark on it."""
        return True

    def colored_words(self, record: int, colors: Colors) -> ColoredWords:
        """Return the highlighted words of a record; `colors` are those known of source lines."""
        return ()

    def common_indent(self, record: int) -> int:
        """Return how many characters of indentation an inlined line shares with its neighbours."""
        return 0

    def mark(self, record: int) -> str:
        """Return the word for code that only one side of a comparison has, or that has moved."""
        return MARK_WORDS[self.rows.mark_of(record)]

    def is_gone(self, record: int) -> bool:
        """Whether the record is a line or an instruction that only the base has."""
        return self.rows.mark_of(record) == LocationMark.GONE

    def tip(self, record: int, hidden: str) -> tuple[str, ...]:
        """Return what is said of a line or an instruction; `hidden` is what a line hides."""
        return (*filter(None, [hidden]), *self.jump_texts(record))

    def shown_code(self, record: int) -> str:
        """Return the whole text as one line, as it is copied."""
        return visible_text(self.full_text(record).expandtabs())

    def plain_code(self, record: int) -> str:
        """Return the text for other programs: the line, or the full name of a called function."""
        function, labels = self.rows.function_of(record), self.rows.labels
        if function != NO_FUNCTION and labels is not None:
            return labels.full_name(function)
        return self.shown_code(record)

    def plain_location(self, record: int) -> str:
        """Return the location for other programs, with the word that marks it: 7 (gone)."""
        location, word = visible_text(self.place(record)), self.mark(record)
        return f"{location} ({word})" if location and word else location

    def call_text(self, record: int) -> str:
        """Return name and location of the called function."""
        rows, call = self.rows, int(self.rows.records.call[record])
        if rows.labels is None or call < 0:
            return ""
        callee = function_at(rows.calls.callee, call)
        location = rows.labels.location(callee)
        return cell_text(rows.labels.name(callee) + (f"  {location}" if location else ""))

    def fold_text(self, record: int) -> str:
        """Return how many rows a fold hides."""
        records = self.rows.records
        length = int(records.lengths[records.stretch[record]])
        return f"{self._count(length)} {self.noun} without cost"

    def _count(self, count: int) -> str:
        return format_count(count, self.style)

    # ---------------------------------------------------------------- jumps and search

    def jump_texts(self, record: int) -> list[str]:
        """Return the most frequent jumps from and to a record, one text each.

        The number is limited: a jump table may have thousands of targets.
        """
        jumps = self.rows.records.jumps_of(record)
        texts = [self._jump_text(jump, record) for jump in jumps[:_MAX_JUMP_TEXTS].tolist()]
        more = len(jumps) - len(texts)
        return [*texts, f"{more} more {plural(more, 'jump')}"] if more else texts

    def _jump_text(self, jump: int, record: int) -> str:
        """Return where a jump of a location leads to or comes from, and how often."""
        records, arrows = self.rows.records, self.rows.records.arrows
        is_outgoing = bool(arrows.source[jump] == records.location[record])
        other = int((arrows.target if is_outgoing else arrows.source)[jump])
        other_text = self.location(int(records.record_of_location[other]))
        executed, followed = int(arrows.executed[jump]), self._count(int(arrows.followed[jump]))
        times = f"{followed} of {self._count(executed)}" if arrows.conditional[jump] else followed
        how_often = "once" if times == "1" else f"{times} times"
        if executed < 0:
            how_often = "never" if self.has_jumps else "count not recorded"
        return f"jumps {'to' if is_outgoing else 'here from'} {other_text}: {how_often}"

    def containing(self, text: str) -> Int64Array:
        """Return the records whose code contains the text, in code order; case is ignored."""
        return np.flatnonzero(self._contains(text.lower()))

    def _contains(self, needle: str) -> BoolArray:
        """Return the mask of records that contain a text in lower case: shape (records,), bool."""
        searched = self._searched
        found = np.array([needle in text for text in searched.lowered] + [False])
        matches = np.zeros(len(self.rows.records), bool)
        matches[searched.record] = found[searched.text]
        return matches

    @cached_property
    def _searched(self) -> SearchedTexts:
        return self.searched()


@dataclass(frozen=True, eq=False, kw_only=True)
class CodeCells(Cells):
    """Texts of records, by default in code order: in any order, calls stay below their line."""

    says: Callable[[int], str]
    keys: Int64Array
    plain: Callable[[int], str] | None = None  # for other programs, if that is another text
    is_number: bool = False
    is_titled: bool = True

    def text(self, row: int) -> str:
        return self.says(row)

    def order(self) -> Numbers:
        return self.keys

    def values(self, rows: Int64Array) -> list[Value]:
        texts = map(self.plain or self.says, rows.tolist())
        return list(map(_number_or_text, texts)) if self.is_number else list(texts)

    def heading(self, title: str) -> str:
        return title if self.is_titled else ""


def _number_or_text(text: str) -> Value:
    """Return the text of a number as a number; None if it is empty."""
    return int(text) if text.isdecimal() else text or None
