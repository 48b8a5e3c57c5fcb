"""The table of source lines: number, costs, calls, jumps and text, with colours of its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from PySide6.QtCore import QObject, Signal

from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.base.plain_text import cell_text, plain_line
from qcachegrind_py.models.base.table import Column
from qcachegrind_py.models.code.records import NO_ROWS, CodeCosts, CodeRows, RecordKind
from qcachegrind_py.models.code.table_base import CodeModel, ColoredWords
from qcachegrind_py.profile.ids import UNKNOWN_TEXT, TextId
from qcachegrind_py.profile.string_table import UNKNOWN, StringTable
from qcachegrind_py.tools.sources.highlighting import Highlights

CHUNK_LINES = 5_000  # lines that are coloured together: some 0.3 s, and the whole of most files
Chunk = tuple[TextId, int]  # a file, and which of its chunks of so many lines
_MAX_MEASURED = 1000
_MAX_LOCATION_LENGTH = 16  # characters
_NO_LINE = "cost that belongs to no line"
_NO_FILE = "cost of code whose source file is not known"
_NOT_FOUND = "the text of this file is not found"
_BEYOND = "the text ends before this line"


class SourceModel(CodeModel):
    """A record a line, a line of another file in it, a call, or a folded stretch."""

    TEXT = 7
    colored = Signal()  # lines have other colours: nothing else of them changed

    def __init__(self, parent: QObject | None = None) -> None:
        self.names: StringTable | None = None  # of files
        self.texts: Mapping[TextId, Sequence[str]] = {}  # the lines of each file that was found
        self.own_file = UNKNOWN_TEXT
        self._longest = ""
        self._colors: dict[Chunk, Highlights] = {}
        super().__init__(
            Column(
                "Line", "Line of the file; of another file where the compiler put it in here",
                self._location, self.code_order, export_text=self._plain_location,
                width=8,
            ),
            (
                Column(
                    "Source", "The text of the line", self.shown_code, self.code_order,
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
        texts: Mapping[TextId, Sequence[str]],
        own_file: TextId,
        longest: str,
    ) -> None:
        """Show other lines, of which `longest` is the longest. Resets the model."""
        self.names, self.texts, self.own_file = names, texts, own_file
        self._longest = longest
        self.set_file_names(rows, names)
        self._colors.clear()
        self.set_rows(rows, costs, *formats)

    def clear(self) -> None:
        self.names, self.texts, self.short_names, self._longest = None, {}, {}, ""
        self._colors.clear()
        super().clear()

    @property
    def has_rows(self) -> bool:
        """Whether anything is shown."""
        return self.rows is not NO_ROWS

    # ---------------------------------------------------------------- texts

    def is_inlined(self, record: int) -> bool:
        """Whether the record is a line of another file than the one that is shown."""
        is_site = self.rows.records.kind[record] == RecordKind.LOCATION
        return bool(is_site) and self.line_of(record)[0] != self.own_file

    def _location(self, record: int) -> str:
        if self.rows.records.kind[record] != RecordKind.LOCATION:
            return ""
        file, line = self.line_of(record)
        if file == self.own_file or self.names is None:
            return str(line) if line > 0 else "–"
        name = self.short_names.get(file, "")
        return cell_text(f"{name}:{line}" if line > 0 else name)

    def _plain_location(self, record: int) -> str:
        is_site = self.rows.records.kind[record] == RecordKind.LOCATION
        return plain_line(self._location(record)) if is_site else ""

    def longest_texts(self) -> dict[int, str]:
        """Of the text it is that of the file which is shown; lines of others may be cut."""
        return {self.LOCATION: self._longest_location(), self.TEXT: self._longest}

    def longest_number(self) -> str:
        return str(max(0, int(self.rows.line.max()))) if len(self.rows.line) else ""

    def _longest_location(self) -> str:
        """The longest number, or name of a file with a number, as far as a column may be wide."""
        rows = self.rows
        others = np.flatnonzero(rows.file != self.own_file)[:_MAX_MEASURED]
        records = rows.records.record_of_location[others].tolist()
        names = (self._location(record)[:_MAX_LOCATION_LENGTH] for record in records)
        return max([self.longest_number(), *names], key=len)

    def has_text(self, record: int) -> bool:
        return bool(self.line_text(record))

    def line_text(self, record: int) -> str:
        """The text of a line as it is in the file; empty where it is not known."""
        file, line = self.line_of(record)
        text = self.texts.get(file, ())
        return text[line - 1] if 0 < line <= len(text) else ""

    def note(self, record: int) -> str:
        """What is to be said of a line without a text."""
        file, line = self.line_of(record)
        if file == UNKNOWN_TEXT or (self.names is not None and self.names[file] in ("", UNKNOWN)):
            return _NO_FILE
        if line <= 0:
            return _NO_LINE
        if file not in self.texts:
            return _NOT_FOUND if file != self.own_file else ""  # of the own file it is said above
        return _BEYOND if line > len(self.texts[file]) else ""

    def full_text(self, record: int) -> str:
        """What a record says."""
        kind = self.rows.records.kind[record]
        if kind == RecordKind.CALL:
            return self.call_text(record)
        if kind == RecordKind.FOLD:
            return self.fold_text(record, "lines")
        return self.line_text(record) or self.note(record)

    def containing(self, text: str) -> list[int]:
        """The lines with this text in them, in the order of the file."""
        rows, wanted = self.rows, text.lower()
        found = np.zeros(len(rows.line), bool)
        for file, lines in self.texts.items():
            has_it = np.zeros(len(lines) + 1, bool)
            has_it[1:] = [wanted in line.lower() for line in lines]
            sites = np.flatnonzero((rows.file == file) & (rows.line <= len(lines)))
            found[sites] = has_it[np.maximum(rows.line[sites], 0)]
        records: list[int] = rows.records.record_of_location[found].tolist()
        return records

    # ---------------------------------------------------------------- colours

    def uncolored(self, records: Sequence[int]) -> list[Chunk]:
        """File and number of the chunks of these lines that have no colours yet."""
        places = (self.line_of(r) for r in records)
        chunks = dict.fromkeys(
            (file, (line - 1) // CHUNK_LINES) for file, line in places if line > 0
        )
        return [chunk for chunk in chunks if chunk not in self._colors and chunk[0] in self.texts]

    def add_colors(self, chunk: Chunk, colors: Highlights) -> None:
        """Colour the lines of a chunk."""
        self._colors[chunk] = colors
        self.colored.emit()

    def colored_words(self, record: int) -> ColoredWords:
        """The words of a line that have a colour of their own."""
        if self.rows.records.kind[record] != RecordKind.LOCATION:
            return ()
        file, line = self.line_of(record)
        colors = self._colors.get((file, (line - 1) // CHUNK_LINES)) if line > 0 else None
        return tuple(colors.of_line(line - 1)) if colors is not None else ()
