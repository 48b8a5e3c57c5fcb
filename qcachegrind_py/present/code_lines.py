"""The lines of a source file, with or without cost: their records, and what these say.

Lines of other files follow the line into which the compiler inlined them. Costs without a line come
first, lines beyond the end of the text last: no cost is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedLines, line_text
from qcachegrind_py.analysis.code.line_numbering import Numberings
from qcachegrind_py.analysis.code.location_costs import LineCosts, LineJumps
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.present.code_listing import empty_listing
from qcachegrind_py.present.code_records import (
    Arrows,
    CodeRows,
    LocationMark,
    RecordKind,
    code_records,
)
from qcachegrind_py.present.code_texts import (
    Chunk,
    CodeCells,
    CodeTexts,
    ColoredWords,
    Colors,
    SearchedTexts,
)
from qcachegrind_py.present.table import Column, cell_text
from qcachegrind_py.profile.ids import UNKNOWN_TEXT, TextId, text_at, text_ids
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int32Array, Int64Array, StringTable

CHUNK_LINES = 5_000  # highlighted together: about 0.3 s, and the whole of most files
_MAX_MEASURED = 1000
_MAX_LOCATION_LENGTH = 16  # characters
_NO_LINE = "cost without a line"
_NO_FILE = "cost without a source file"
_NOT_FOUND = "file not found"
_LEFT_OUT = "left out"  # of a saved table
_BEYOND = "beyond the end of the file"
_NO_BASE_TEXT = "a line of the base, whose text is unknown"
_SIGNS = {LocationMark.NEW: "+", LocationMark.GONE: "\N{MINUS SIGN}"}


@dataclass(frozen=True, slots=True, eq=False)
class _Locations:
    cost_row: Int64Array
    file: Int32Array
    line: Int32Array
    host: Int32Array  # line of the shown file
    host_location: Int64Array


def source_rows(annotated: AnnotatedLines, file: TextId, labels: Labels, context: int) -> CodeRows:
    """Return the table rows of a file; without its text, only those with cost.

    `context` is the number of lines shown around each that is not folded.
    """
    lines = annotated.lines
    locations = _locations(lines, file, len(annotated.texts.get(file, ())))
    arrows = _jump_arrows(lines, locations)
    records = code_records(
        locations.cost_row, lines.calls, arrows, context, hosts=locations.host_location
    )
    return CodeRows(
        records, locations.cost_row, locations.file, locations.line, annotated.costs, labels
    )


def _locations(lines: LineCosts, file: TextId, length: int) -> _Locations:
    top = int(np.searchsorted(lines.host, 1))  # rows without a line
    hosts = np.union1d(np.arange(1, length + 1), lines.host[top:]).astype(np.int32)
    first = np.searchsorted(lines.host, hosts, side="left")
    end = np.searchsorted(lines.host, hosts, side="right")
    has_own_row = np.zeros(len(hosts), bool)
    known = first < end
    rows = first[known]
    has_own_row[known] = (lines.file[rows] == file) & (lines.line[rows] == hosts[known])
    counts = 1 + end - first - has_own_row
    host = np.repeat(hosts, counts)
    indexes = np.arange(len(host))
    within = indexes - np.repeat(np.cumsum(counts) - counts, counts)
    own_row, start = np.repeat(has_own_row, counts), np.repeat(first, counts)
    cost_row = np.where(within == 0, np.where(own_row, start, -1), start + own_row + within - 1)
    is_own_line = within == 0
    cost_row = np.concatenate((np.arange(top), cost_row))
    own_file = np.where(is_own_line, file, lines.file[cost_row[top:]] if len(lines) else file)
    own_line = np.where(is_own_line, host, lines.line[cost_row[top:]] if len(lines) else host)
    return _Locations(
        cost_row,
        np.concatenate((lines.file[:top], own_file)).astype(np.int32),
        np.concatenate((lines.line[:top], own_line)).astype(np.int32),
        np.concatenate((lines.host[:top], host)).astype(np.int32),
        np.concatenate((np.arange(top), top + indexes - within)),
    )


def _jump_arrows(lines: LineCosts, locations: _Locations) -> Arrows:
    """Return the jumps between locations, except those within a line or to a line without location.

    A jump to a line of another file leads to where that line was inlined.
    """
    jumps = lines.jumps
    location_of_row = np.zeros(len(lines), np.int64)
    has_row = np.flatnonzero(locations.cost_row >= 0)
    location_of_row[locations.cost_row[has_row]] = has_row
    source = location_of_row[jumps.location]
    target = _targets(jumps, locations, source)
    visible = (target >= 0) & (target != source) & (jumps.executed > 0)
    return Arrows(
        source[visible],
        target[visible],
        jumps.executed[visible],
        jumps.followed[visible],
        jumps.conditional[visible],
    )


def _targets(jumps: LineJumps, locations: _Locations, source: Int64Array) -> Int64Array:
    """Return the location of each jump's target, preferably one with the same host; -1 for none."""
    targets_by_jump = list(
        zip(text_ids(jumps.target_file), jumps.target_line.tolist(), strict=True)
    )
    hosts_of_target: dict[tuple[TextId, int], dict[int, int]] = {
        target: {} for target in targets_by_jump
    }
    candidates = np.flatnonzero(np.isin(locations.line, jumps.target_line))
    for location in candidates.tolist():
        hosts = hosts_of_target.get(
            (text_at(locations.file, location), int(locations.line[location]))
        )
        if hosts is not None:
            hosts.setdefault(int(locations.host[location]), location)
    targets = np.full(len(jumps), -1, np.int64)
    for jump, target in enumerate(targets_by_jump):
        hosts = hosts_of_target[target]
        host = int(locations.host[source[jump]])
        targets[jump] = hosts.get(host, next(iter(hosts.values()), -1))
    return targets


# ---------------------------------------------------------------- texts


@dataclass(frozen=True, eq=False, kw_only=True)
class LineTexts(CodeTexts):
    """What the records of source lines say.

    With `numberings`, lines of rows and texts are common numbers of two texts.
    """

    names: StringTable | None = None  # recorded paths of files
    own_file: TextId = UNKNOWN_TEXT
    longest: str = ""  # the longest text
    numberings: Numberings = field(default_factory=dict)  # of files aligned with a base

    noun = "lines"

    def columns(self) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
        keys = self.rows.records.parent
        lines = CodeCells(says=self.location, plain=self.plain_location, keys=keys, is_number=True)
        code = CodeCells(says=self.shown_code, plain=self.plain_code, keys=keys)
        tip = "Line number; for inlined code, the file and line it comes from"
        return (
            (Column("location", "Line", tip, lines, width=8),),
            (Column("text", "Source", "Text of the line", code, stretches=True),),
        )

    # ---------------------------------------------------------------- two texts

    def line_of(self, record: int) -> tuple[TextId, int]:
        """Return file and line of a record: in the new source, unless the base alone has it."""
        file, number = self.rows.line_of(record)
        numbering = self.numberings.get(file)
        return file, number if numbering is None else numbering.line(number)

    def matches_line(self, file: TextId, line: int, *, in_base: bool = False) -> BoolArray:
        numbering = self.numberings.get(file)
        if numbering is not None:
            lines = np.array([line])
            line = int((numbering.of_base(lines) if in_base else numbering.of_new(lines))[0])
        return super().matches_line(file, line)

    def sides_of(self, record: int) -> tuple[TextId, int, int]:
        """Return file, and line in the base and in the new source; 0 where a side has none."""
        file, number = self.rows.line_of(record)
        numbering = self.numberings.get(file)
        if numbering is None or number <= 0:
            return file, number, number
        base, new = numbering.lines_of(np.array([number]))
        return file, int(base[0]), int(new[0])

    def _side_tip(self, record: int) -> str:
        """Return where a line is in the sources of both sides, if that differs."""
        if not self.rows.records.is_location(record):
            return ""
        mark, (_, base_line, new_line) = self.rows.mark_of(record), self.sides_of(record)
        line = new_line or base_line
        if mark == LocationMark.NEW:
            return f"Line {line}, only in the new source"
        if mark == LocationMark.GONE:
            return f"Line {base_line} of the base, gone in the new source"
        verb = "moved from" if mark == LocationMark.MOVED else "in the base"
        return f"Line {line}, {verb} line {base_line}" if base_line not in (0, line) else ""

    # ---------------------------------------------------------------- one line

    def place(self, record: int) -> str:
        return self._place(record)

    def location(self, record: int) -> str:
        return self._place(record, _SIGNS.get(self.rows.mark_of(record), ""))

    def _place(self, record: int, sign: str = "") -> str:
        if not self.rows.records.is_location(record):
            return ""
        file, line = self._text_line(record)
        if file == self.own_file or self.names is None:
            return f"{sign}{line}" if line > 0 else "–"
        name = self.file_names.get(file, "")
        return cell_text(f"{sign}{name}:{line}" if line > 0 else name)

    def _text_line(self, record: int) -> tuple[TextId, int]:
        """Return file and line in the text that is shown: of the base, if that alone is known."""
        file, base_line, line = self.sides_of(record)
        numbering = self.numberings.get(file)
        is_of_base = numbering is not None and not numbering.has_all_new
        return file, (base_line or line) if is_of_base else (line or base_line)

    def has_text(self, record: int) -> bool:
        return bool(self.line_text(record))

    def line_text(self, record: int) -> str:
        """Return the text of a line as in its file; empty if unknown."""
        return line_text(self.texts, *self.rows.line_of(record)) or ""

    def full_text(self, record: int) -> str:
        kind = self.rows.records.kind[record]
        if kind == RecordKind.CALL:
            return self.call_text(record)
        if kind == RecordKind.FOLD:
            return self.fold_text(record)
        return self.line_text(record) or self._note(record)

    def _note(self, record: int) -> str:
        """Return why a line has no text; empty if it has one."""
        file, line = self.rows.line_of(record)
        if file == UNKNOWN_TEXT or (self.names is not None and self.names[file] in ("", UNKNOWN)):
            return _NO_FILE
        if line <= 0:
            return _NO_LINE
        if file not in self.texts and file in self.withheld:
            return _LEFT_OUT
        if file not in self.texts:
            # a notice above tells it for the shown file
            return _NOT_FOUND if file != self.own_file else ""
        if self.is_gone(record):
            return _NO_BASE_TEXT
        return _BEYOND if line > len(self.texts[file]) else ""

    def tip(self, record: int, hidden: str) -> tuple[str, ...]:
        """Return what a line hides, where an inlined line is from, and the jumps."""
        if self.names is not None and self.rows.records.is_inlined(record):
            file, line = self.line_of(record)
            hidden = f"Inlined from {self.names[file]}:{line}"
        return (*filter(None, [hidden, self._side_tip(record)]), *self.jump_texts(record))

    def common_indent(self, record: int) -> int:
        """Return the indentation that all lines of the record's file in its group share.

        It comes from the other file, where it may be deep, and is not shown.
        """
        records = self.rows.records
        if not records.is_inlined(record) or not records.is_location(record):
            return 0
        key = records.group_of(record), self.line_of(record)[0]
        if key not in self._indents:
            self._indents[key] = self._group_indent(*key)
        return self._indents[key]

    @cached_property
    def _indents(self) -> dict[tuple[int, TextId], int]:
        """The common indentation by group and file, once it was asked for."""
        return {}

    def _group_indent(self, group: int, file: TextId) -> int:
        rows, groups = self.rows, self.rows.records.groups
        members = slice(groups.host[group] + 1, groups.host[group] + 1 + groups.size[group])
        of_file = rows.line[members][rows.file[members] == file].tolist()
        texts = (line_text(self.texts, file, line) or "" for line in of_file)
        indents = (len(text) - len(text.lstrip()) for text in texts if text.strip())
        return min(indents, default=0)

    # ---------------------------------------------------------------- all lines

    def longest_texts(self) -> dict[str, str]:
        """Return the longest texts; lines of other files than the one shown may be elided."""
        return {"location": self._longest_location(), "text": self.longest}

    def longest_number(self) -> str:
        largest = str(max(0, int(self.rows.line.max()))) if len(self.rows.line) else ""
        return f"+{largest}" if self.numberings else largest

    def _longest_location(self) -> str:
        """Return the longest line number or file name with number, up to a limit."""
        rows = self.rows
        others = np.flatnonzero(rows.file != self.own_file)[:_MAX_MEASURED]
        records = rows.records.record_of_location[others].tolist()
        names = (self.location(record)[:_MAX_LOCATION_LENGTH] for record in records)
        return max([self.longest_number(), *names], key=len)

    def searched(self) -> SearchedTexts:
        rows, texts = self.rows, self.texts
        places = zip(text_ids(rows.file), rows.line.tolist(), strict=True)
        lowered = [(line_text(texts, file, line) or "").lower() for file, line in places]
        return SearchedTexts(lowered, np.arange(len(lowered)), rows.records.record_of_location)

    def uncolored(self, records: Sequence[int], colors: Colors) -> list[Chunk]:
        """Return the chunks of these lines that have not been highlighted yet."""
        positions = map(self.rows.line_of, records)
        chunks = dict.fromkeys(
            (file, (line - 1) // CHUNK_LINES) for file, line in positions if line > 0
        )
        return [chunk for chunk in chunks if chunk not in colors and chunk[0] in self.texts]

    def colored_words(self, record: int, colors: Colors) -> ColoredWords:
        if not self.rows.records.is_location(record):
            return ()
        file, line = self.rows.line_of(record)
        known = colors.get((file, (line - 1) // CHUNK_LINES)) if line > 0 else None
        return tuple(known.of_line(line - 1)) if known is not None else ()


NO_LINES = empty_listing(LineTexts())
