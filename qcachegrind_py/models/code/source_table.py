"""The table of source lines: number, costs, calls, jumps and highlighted text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from PySide6.QtCore import QObject, Signal

from qcachegrind_py.analysis.code.annotated_function import SourceLines, line_text
from qcachegrind_py.analysis.code.line_numbering import Numberings
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.code.code_costs import CodeCosts
from qcachegrind_py.models.code.records import NO_ROWS, CodeRows, LocationMark, RecordKind
from qcachegrind_py.models.code.table_base import CodeModel, ColoredWords, SearchedTexts
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import WithheldFile
from qcachegrind_py.profile.ids import NO_FUNCTION, UNKNOWN_TEXT, TextId, text_ids
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, StringTable
from qcachegrind_py.tools.sources.highlighting import Highlights
from qcachegrind_py.visible_text import visible_text

CHUNK_LINES = 5_000  # highlighted together: about 0.3 s, and the whole of most files
Chunk = tuple[TextId, int]  # a file, and the number of one of its chunks
_MAX_MEASURED = 1000
_MAX_LOCATION_LENGTH = 16  # characters
_NO_LINE = "cost without a line"
_NO_FILE = "cost without a source file"
_NOT_FOUND = "file not found"
_LEFT_OUT = "left out"  # of a saved table
_BEYOND = "beyond the end of the file"
_NO_BASE_TEXT = "a line of the base, whose text is unknown"
_SIGNS = {LocationMark.NEW: "+", LocationMark.GONE: "\N{MINUS SIGN}"}


class SourceModel(CodeModel):
    """A table with one record per line, inlined line of another file, call or folded range."""

    TEXT = CodeModel.FIRST_TEXT
    colored = Signal()  # only the colours of lines have changed

    def __init__(self, parent: QObject | None = None) -> None:
        self.names: StringTable | None = None  # of file paths
        self.numberings: Numberings = {}  # of files whose lines are aligned with a base
        self.own_file = UNKNOWN_TEXT
        self._longest = ""
        self._colors: dict[Chunk, Highlights] = {}
        self._indents: dict[tuple[int, TextId], int] = {}  # by group and file, once shown
        super().__init__(
            Column(
                "location", "Line",
                "Line number; for inlined code, the file and line it comes from",
                self._location, self.code_order, export_text=self._plain_location,
                width=8,
            ),
            (
                Column(
                    "text", "Source", "Text of the line", self.shown_code, self.code_order,
                    export_text=self.plain_code, is_number=False, stretches=True,
                ),
            ),
            parent,
        )  # fmt: skip

    def set_source(
        self,
        rows: CodeRows,
        costs: tuple[CodeCosts, CodeCosts],
        formats: tuple[CostFormat, CostFormat],
        names: StringTable,
        file_names: Mapping[TextId, str],
        texts: SourceLines,
        own_file: TextId,
        longest: str,
        numberings: Numberings = MappingProxyType({}),
        withheld: Mapping[TextId, WithheldFile] = MappingProxyType({}),
    ) -> None:
        """Show other lines; resets the model.

        With `numberings`, lines of rows and texts are common numbers of two texts.

        `names` are the recorded paths of files, `file_names` the paths to show, and `longest` is
        the longest text.
        """
        self.names, self.texts, self.own_file = names, texts, own_file
        self._longest, self.numberings, self.withheld = longest, numberings, withheld
        self._indents.clear()
        self.file_names = file_names
        self._colors.clear()
        self.set_rows(rows, costs, *formats)

    def clear(self) -> None:
        self.names, self.texts, self.file_names, self._longest = None, {}, {}, ""
        self.numberings, self.withheld = {}, {}
        self._colors.clear()
        super().clear()

    @property
    def has_rows(self) -> bool:
        """Whether there is anything to show."""
        return self.rows is not NO_ROWS

    # ---------------------------------------------------------------- two texts

    def text_line_of(self, record: int) -> tuple[TextId, int]:
        """Return file and line in its text, which may be that of two aligned ones."""
        return super().line_of(record)

    def line_of(self, record: int) -> tuple[TextId, int]:
        """Return file and line of a record: in the new source, unless the base alone has it."""
        file, number = self.text_line_of(record)
        numbering = self.numberings.get(file)
        return file, number if numbering is None else numbering.line(number)

    def matches_line(self, file: TextId, line: int, *, in_base: bool = False) -> BoolArray:
        """Return the mask of a source line's records, without calls: shape (records,), bool."""
        numbering = self.numberings.get(file)
        if numbering is not None:
            lines = np.array([line])
            line = int((numbering.of_base(lines) if in_base else numbering.of_new(lines))[0])
        return super().matches_line(file, line)

    def sides_of(self, record: int) -> tuple[TextId, int, int]:
        """Return file, and line in the base and in the new source; 0 where a side has none."""
        file, number = self.text_line_of(record)
        numbering = self.numberings.get(file)
        if numbering is None or number <= 0:
            return file, number, number
        base, new = numbering.lines_of(np.array([number]))
        return file, int(base[0]), int(new[0])

    def _side_tip(self, record: int) -> str:
        """Return where a line is in the sources of both sides, if that differs."""
        if self.rows.records.kind[record] != RecordKind.LOCATION:
            return ""
        mark, (_, base_line, new_line) = self.rows.mark_of(record), self.sides_of(record)
        line = new_line or base_line
        if mark == LocationMark.NEW:
            return f"Line {line}, only in the new source"
        if mark == LocationMark.GONE:
            return f"Line {base_line} of the base, gone in the new source"
        verb = "moved from" if mark == LocationMark.MOVED else "in the base"
        return f"Line {line}, {verb} line {base_line}" if base_line not in (0, line) else ""

    # ---------------------------------------------------------------- texts

    def _location(self, record: int) -> str:
        return self._location_text(record, _SIGNS.get(self.rows.mark_of(record), ""))

    def _location_text(self, record: int, sign: str = "") -> str:
        if self.rows.records.kind[record] != RecordKind.LOCATION:
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

    def _plain_location(self, record: int) -> str:
        return self.marked_location(visible_text(self._location_text(record)), record)

    def longest_texts(self) -> dict[int, str]:
        """Return the longest texts; lines of other files than the one shown may be elided."""
        return {self.LOCATION: self._longest_location(), self.TEXT: self._longest}

    def longest_number(self) -> str:
        largest = str(max(0, int(self.rows.line.max()))) if len(self.rows.line) else ""
        return f"+{largest}" if self.numberings else largest

    def _longest_location(self) -> str:
        """Return the longest line number or file name with number, up to a limit."""
        rows = self.rows
        others = np.flatnonzero(rows.file != self.own_file)[:_MAX_MEASURED]
        records = rows.records.record_of_location[others].tolist()
        names = (self._location(record)[:_MAX_LOCATION_LENGTH] for record in records)
        return max([self.longest_number(), *names], key=len)

    def has_text(self, record: int) -> bool:
        return bool(self.line_text(record))

    def line_text(self, record: int) -> str:
        """Return the text of a line as in its file; empty if unknown."""
        file, line = self.text_line_of(record)
        return line_text(self.texts, file, line) or ""

    def tip_of(self, record: int) -> str:
        """Return the called function in full; or jumps, and where an inlined line is from."""
        if self.function_of(record) != NO_FUNCTION or self.names is None:
            return super().tip_of(record)
        origin = self.hidden_text(record)
        if self.is_inlined(record):
            file, line = self.line_of(record)
            origin = f"Inlined from {self.names[file]}:{line}"
        lines = [*filter(None, [origin, self._side_tip(record)]), *self.jump_texts(record)]
        return tip_text(*lines) if lines else ""

    def common_indent(self, record: int) -> int:
        """Return the indentation that all lines of the record's file in its group share.

        It comes from the other file, where it may be deep, and is not shown.
        """
        if not self.is_inlined(record) or self.rows.records.kind[record] != RecordKind.LOCATION:
            return 0
        file, group = self.line_of(record)[0], self.group_of(record)
        if (group, file) not in self._indents:
            self._indents[group, file] = self._group_indent(group, file)
        return self._indents[group, file]

    def _group_indent(self, group: int, file: TextId) -> int:
        rows, groups = self.rows, self.rows.records.groups
        members = slice(groups.host[group] + 1, groups.host[group] + 1 + groups.size[group])
        of_file = rows.line[members][rows.file[members] == file].tolist()
        texts = (line_text(self.texts, file, line) or "" for line in of_file)
        indents = (len(text) - len(text.lstrip()) for text in texts if text.strip())
        return min(indents, default=0)

    def note(self, record: int) -> str:
        """Return why a line has no text; empty if it has one."""
        file, line = self.text_line_of(record)
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

    def full_text(self, record: int) -> str:
        """Return the whole text of a record."""
        kind = self.rows.records.kind[record]
        if kind == RecordKind.CALL:
            return self.call_text(record)
        if kind == RecordKind.FOLD:
            return self.fold_text(record, "lines")
        return self.line_text(record) or self.note(record)

    def _searched_texts(self) -> SearchedTexts:
        rows, texts = self.rows, self.texts
        places = zip(text_ids(rows.file), rows.line.tolist(), strict=True)
        lowered = [(line_text(texts, file, line) or "").lower() for file, line in places]
        return SearchedTexts(lowered, np.arange(len(lowered)), rows.records.record_of_location)

    # ---------------------------------------------------------------- colours

    def uncolored(self, records: Sequence[int]) -> list[Chunk]:
        """Return the chunks of these lines that have not been highlighted yet."""
        positions = (self.text_line_of(r) for r in records)
        chunks = dict.fromkeys(
            (file, (line - 1) // CHUNK_LINES) for file, line in positions if line > 0
        )
        return [chunk for chunk in chunks if chunk not in self._colors and chunk[0] in self.texts]

    def add_colors(self, chunk: Chunk, colors: Highlights) -> None:
        """Set the highlighting of a chunk."""
        self._colors[chunk] = colors
        self.colored.emit()

    def colored_words(self, record: int) -> ColoredWords:
        """Return the highlighted words of a line."""
        if self.rows.records.kind[record] != RecordKind.LOCATION:
            return ()
        file, line = self.text_line_of(record)
        colors = self._colors.get((file, (line - 1) // CHUNK_LINES)) if line > 0 else None
        return tuple(colors.of_line(line - 1)) if colors is not None else ()
