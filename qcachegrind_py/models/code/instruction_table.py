"""The table of instructions: address, costs, calls, jumps, bytes, text and source line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType

import numpy as np
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.code.annotated_function import SourceLines, line_text
from qcachegrind_py.analysis.code.instructions import NO_CODE, Code
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.plain_text import tip_text, tip_with
from qcachegrind_py.models.code.code_costs import CodeCosts
from qcachegrind_py.models.code.instruction_rows import MNEMONIC, InstructionRows
from qcachegrind_py.models.code.records import NO_ROWS, LocationMark, RecordKind
from qcachegrind_py.models.code.table_base import CodeModel, ColoredWords, SearchedTexts
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import WithheldFile
from qcachegrind_py.profile.ids import TextId, text_ids
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.tools.sources.highlighting import Token

_MAX_MEASURED = 1000  # names of files, for the width of their column
_MAX_BYTES = 11  # that fit into the column
_ADDRESS = re.compile(r"0|[1-9a-f][0-9a-f]{0,15}")  # as shown
_NO_ADDRESS = "cost without an address"
_NO_CODE = "unknown instruction"
_NOTHING = InstructionRows(NO_ROWS, np.empty(0, np.uint64), np.empty(0, np.int64), {}, ())


class InstructionModel(CodeModel):
    """A table with one record per instruction, source line, call, folded range or symbol name."""

    BYTES, TEXT, SOURCE = range(CodeModel.FIRST_TEXT, CodeModel.FIRST_TEXT + 3)

    def __init__(self, parent: QObject | None = None) -> None:
        self.code: Code = NO_CODE
        self.instructions = _NOTHING
        super().__init__(
            Column(
                "location", "Address",
                "Address of the instruction in the object, hexadecimal",
                self._location, self.code_order,
                export_text=lambda r: self.marked_location(self._location(r), r), width=10,
            ),
            (
                Column(
                    "bytes", "Bytes", "Bytes of the instruction", self._bytes,
                    self.code_order, is_number=False, is_optional=True, elides_start=False,
                    width=20,
                ),
                Column(
                    "text", "Instruction", "The disassembled instruction", self.shown_code,
                    self.code_order, export_text=self.plain_code, is_number=False, stretches=True,
                ),
                Column(
                    "source", "Source line", "Source line of the instruction",
                    self._source, self._source_order, is_number=False, is_optional=True, width=18,
                ),
            ),
            parent,
        )  # fmt: skip

    def set_instructions(
        self,
        instructions: InstructionRows,
        code: Code,
        costs: tuple[CodeCosts, CodeCosts],
        formats: tuple[CostFormat, CostFormat],
        file_names: Mapping[TextId, str],
        texts: SourceLines,
        has_jumps: bool,
        withheld: Mapping[TextId, WithheldFile] = MappingProxyType({}),
    ) -> None:
        """Show other code; resets the model.

        `file_names` are the paths to show, `texts` the source files that were found, and
        `has_jumps` tells whether jumps were recorded.
        """
        self.code, self.instructions, self.has_jumps = code, instructions, has_jumps
        self.file_names, self.texts, self.withheld = file_names, texts, withheld
        self.set_rows(instructions.rows, costs, *formats)

    def clear(self) -> None:
        self.file_names, self.code, self.instructions, self.texts = {}, NO_CODE, _NOTHING, {}
        self.withheld = {}
        super().clear()

    # ---------------------------------------------------------------- positions

    def address_of(self, record: int) -> int:
        """Return the address of a record's instruction."""
        return int(self.instructions.address[self.rows.records.location[record]])

    def matches_address(self, address: int, *, in_base: bool = False) -> BoolArray:
        """Return the mask of the instruction's record without its calls: (records,), bool.

        Addresses `in_base` are those of instructions that the base alone has.
        """
        records = self.rows.records
        matches = self.instructions.address == np.uint64(address)
        if self.rows.marks is not None:
            matches &= (self.rows.marks == LocationMark.GONE) == in_base
        matched: BoolArray = matches[records.location] & (records.kind == RecordKind.LOCATION)
        return matched

    def matches_line(self, file: TextId, line: int) -> BoolArray:
        """Return the mask of a source line's instructions, and of the rows that show the line."""
        rows, records = self.rows, self.rows.records
        of_line = ((rows.file == file) & (rows.line == line))[records.location]
        matched: BoolArray = of_line & np.isin(
            records.kind, (RecordKind.LOCATION, RecordKind.SOURCE)
        )
        return matched

    # ---------------------------------------------------------------- texts

    def tip_of(self, record: int) -> str:
        if self.is_source_line(record):
            return tip_text(self.full_text(record))
        tip = super().tip_of(record)
        location = int(self.rows.records.location[record])
        if not self._is_instruction(record) or location not in self.instructions.base_texts:
            return tip
        before = f"In the base: {self.instructions.base_texts[location]}"
        return tip_with(tip, before) or tip_text(before)

    def is_source_line(self, record: int) -> bool:
        """Whether the record shows the source line of the instructions that follow."""
        return bool(self.rows.records.kind[record] == RecordKind.SOURCE)

    def _is_instruction(self, record: int) -> bool:
        return bool(self.rows.records.kind[record] == RecordKind.LOCATION)

    def code_row(self, record: int) -> int:
        """Return a record's row in the code; -1 if it is no instruction."""
        if not self._is_instruction(record):
            return -1
        return int(self.instructions.code_row[self.rows.records.location[record]])

    def _location(self, record: int) -> str:
        return f"{self.address_of(record):x}" if self._is_instruction(record) else ""

    def longest_texts(self) -> dict[int, str]:
        """Return the longest text of each column; that of the text column may be a heading."""
        texts = *self.instructions.texts, *self.instructions.headings.values()
        longest = max(texts, key=len, default="")
        raw = max(self.code.raw, key=len, default=b"")[:_MAX_BYTES]
        name = max(islice(self.file_names.values(), _MAX_MEASURED), key=len, default="")
        line = int(self.rows.line.max()) if len(self.rows.line) else 0
        source = cell_text(f"{name}:{line}") if line > 0 else ""
        return {
            self.LOCATION: self.longest_number(),
            self.BYTES: raw.hex(" "),
            self.TEXT: longest,
            self.SOURCE: source,
        }

    def longest_number(self) -> str:
        addresses = self.instructions.address
        return f"{int(addresses.max()):x}" if len(addresses) else ""

    def has_text(self, record: int) -> bool:
        return self.code_row(record) >= 0 or not self._is_instruction(record)

    def colored_words(self, record: int) -> ColoredWords:
        """Mark the mnemonic, the name of the jump or call target, and where a source line is."""
        if self.is_source_line(record):
            return ((0, len(self._source_position(record)), int(Token.COMMENT)),)
        row = self.code_row(record)
        if row < 0:
            return ()
        mnemonic, operands = self.code.mnemonic[row], self.code.operands[row]
        name = (0, len(mnemonic), int(Token.KEYWORD))
        symbol = operands.find("<")
        if symbol < 0:
            return (name,)
        start = max(len(mnemonic), MNEMONIC) + 1 + symbol
        return name, (start, len(operands) - symbol, int(Token.NAME))

    def _bytes(self, record: int) -> str:
        row = self.code_row(record)
        return self.code.raw[row].hex(" ") if row >= 0 else ""

    def full_text(self, record: int) -> str:
        """Return the whole text of a record."""
        kind = self.rows.records.kind[record]
        if kind == RecordKind.CALL:
            return self.call_text(record)
        if kind == RecordKind.FOLD:
            return self.fold_text(record, "instructions")
        if kind == RecordKind.SOURCE:
            return f"{self._source_position(record)}  {self._source_text(record)}".rstrip()
        if kind == RecordKind.HEADING:
            return f"{self.instructions.headings[int(self.rows.records.location[record])]}:"
        row = self.code_row(record)
        if row < 0 and len(self.code):
            return _NO_CODE if self.address_of(record) else _NO_ADDRESS
        if row < 0:  # no code is known at all: a notice above the table tells why
            return "" if self.address_of(record) else _NO_ADDRESS
        return self.instructions.texts[row]

    def _source(self, record: int) -> str:
        return self._source_position(record) if self._is_instruction(record) else ""

    def _source_position(self, record: int) -> str:
        file, line = self.line_of(record)
        return cell_text(f"{self.file_names[file]}:{line}") if line > 0 else ""

    def _source_text(self, record: int) -> str:
        return (line_text(self.texts, *self.line_of(record)) or "").strip()

    def _source_order(self) -> Int64Array:
        rows = self.rows
        return (rows.file * np.int64(1 << 32) + rows.line)[rows.records.location]

    def _contains(self, needle: str) -> BoolArray:
        """Return the mask of records with the text, and of the instruction at that address."""
        matches = super()._contains(needle)
        if _ADDRESS.fullmatch(needle):
            records, address = self.rows.records, np.uint64(int(needle, 16))
            is_there = self.instructions.address == address
            matches[records.record_of_location[is_there]] = True
        return matches

    def _searched_texts(self) -> SearchedTexts:
        rows, instructions = self.rows, self.instructions
        kind, location = rows.records.kind, rows.records.location
        sources, headings = (
            np.flatnonzero(kind == each) for each in (RecordKind.SOURCE, RecordKind.HEADING)
        )
        texts = [
            *instructions.texts,
            *self._source_lines(location[sources]),
            *(f"{instructions.headings[at]}:" for at in location[headings].tolist()),
        ]
        text = np.full(len(kind), -1)
        is_code = kind == RecordKind.LOCATION
        text[is_code] = instructions.code_row[location[is_code]]
        others = np.concatenate((sources, headings))
        text[others] = np.arange(len(instructions.texts), len(texts))
        return SearchedTexts([each.lower() for each in texts], text, np.arange(len(text)))

    def _source_lines(self, locations: Int64Array) -> Iterator[str]:
        """Yield the source lines of these locations as their rows show them."""
        names = {file: cell_text(name) for file, name in self.file_names.items()}
        files, lines = self.rows.file[locations], self.rows.line[locations]
        for file, line in zip(text_ids(files), lines.tolist(), strict=True):
            text = line_text(self.texts, file, line) or ""
            yield f"{names.get(file, '')}:{line}  {text.strip()}"
