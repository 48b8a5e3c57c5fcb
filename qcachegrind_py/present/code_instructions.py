"""The instructions of a function: their records, and what these say.

Addresses with recorded costs are among them, whether or not an instruction is known there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedInstructions,
    align_costs,
    line_text,
)
from qcachegrind_py.analysis.code.instructions import (
    NO_CODE,
    NO_ROW,
    AlignedRows,
    Code,
    InstructionKind,
)
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.costs.sums import find_rows
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.present.code_listing import empty_listing
from qcachegrind_py.present.code_records import (
    NO_ROWS,
    Arrows,
    CodeRows,
    LocationMark,
    RecordKind,
    code_records,
)
from qcachegrind_py.present.code_texts import (
    CodeCells,
    CodeTexts,
    ColoredWords,
    Colors,
    SearchedTexts,
)
from qcachegrind_py.present.table import Column, Shown, cell_text
from qcachegrind_py.profile.ids import text_ids
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, UInt64Array
from qcachegrind_py.tools.sources.highlighting import Token

MNEMONIC = 7  # characters reserved for the mnemonic
NOT_RECORDED = -1  # count of a jump that is only known from the code
_MAX_MEASURED = 1000  # names of files, for the width of their column
_MAX_BYTES = 11  # that fit into the column
_ADDRESS = re.compile(r"0|[1-9a-f][0-9a-f]{0,15}")  # as shown
_NO_ADDRESS = "cost without an address"
_NO_CODE = "unknown instruction"

Numbers = TypeVar("Numbers", Int64Array, UInt64Array)


@dataclass(frozen=True, slots=True, eq=False)
class InstructionRows:
    """The rows of the instruction table, with the address and the instruction of each location."""

    rows: CodeRows
    address: UInt64Array
    code: Code  # of the new side of a comparison, then of the base
    code_row: Int64Array  # row in the code; -1: no instruction begins there
    headings: dict[int, str]  # by location: name of the symbol that begins there
    texts: tuple[str, ...]  # of the instructions in the code
    # by location: the instruction in the base of a comparison, where it differs
    base_texts: Mapping[int, str] = field(default_factory=dict)


def instruction_rows(
    annotated: AnnotatedInstructions,
    symbols: Iterable[tuple[int, str]],
    labels: Labels,
    context: int,
    *,
    has_source_rows: bool = False,
) -> InstructionRows:
    """Return the table rows of a function's instructions.

    The `symbols` of its object, as address and name, become headings. `context` is the number of
    locations shown around each that is not folded. With source rows, each sequence of instructions
    of one line is preceded by that line.
    """
    costs, code = annotated.recorded, annotated.code
    address, cost_row = annotated.address, annotated.cost_row
    known = cost_row >= 0
    file, line = np.zeros(len(address), np.int32), np.zeros(len(address), np.int32)
    file[known], line[known] = costs.file[cost_row[known]], costs.line[cost_row[known]]
    headings = _symbol_headings(address, symbols)
    arrows = _jump_arrows(costs, code, address)
    sources = _line_begins(file, line) if has_source_rows else ()
    records = code_records(cost_row, costs.calls, arrows, context, headings, sources=sources)
    rows = CodeRows(records, cost_row, file, line, annotated.costs, labels)
    return InstructionRows(
        rows, address, code, annotated.code_row, headings, _instruction_texts(code)
    )


def compared_instruction_rows(
    base: AnnotatedInstructions,
    new: AnnotatedInstructions,
    rows: AlignedRows,
    symbols: Iterable[tuple[int, str]],
    labels: Labels,
    context: int,
    *,
    has_source_rows: bool = False,
) -> InstructionRows:
    """Return the table rows of both sides of a comparison.

    The other arguments are those of `instruction_rows`, of the new side. What the base alone has
    has the address that it had there, and no source line, as the text may be another one now.
    """
    from qcachegrind_py.tools.disassembly.machine_code import concatenate_code

    costs, is_gone = align_costs(base, new, rows), rows.new == NO_ROW
    row_of_new = np.full(len(new.address), NO_ROW, np.int64)
    row_of_new[rows.new[~is_gone]] = np.flatnonzero(~is_gone)
    found = _symbol_headings(new.address, symbols)
    headings = {int(row_of_new[location]): name for location, name in found.items()}
    cost_row = np.where(costs.has_cost, np.arange(len(rows)), NO_ROW)
    arrows = _moved(_jump_arrows(new.recorded, new.code, new.address), row_of_new)
    sources = _line_begins(costs.file, costs.line) if has_source_rows else ()
    records = code_records(cost_row, costs.new.calls, arrows, context, headings, sources=sources)
    marks = np.where(is_gone, LocationMark.GONE, LocationMark.NONE)
    marks[rows.base == NO_ROW] = LocationMark.NEW
    code_rows = CodeRows(
        records, cost_row, costs.file, costs.line, costs.new, labels, costs.base,
        marks.astype(np.int8),
    )  # fmt: skip
    address = np.where(is_gone, _at(base.address, rows.base), _at(new.address, rows.new))
    base_row = _at(base.code_row, rows.base)
    gone_row = np.where(base_row == NO_ROW, NO_ROW, base_row + len(new.code))
    code_row = np.where(is_gone, gone_row, _at(new.code_row, rows.new))
    code = concatenate_code([new.code, base.code])
    texts = _instruction_texts(code)
    other = _other_texts(texts, code_row, np.where(is_gone, NO_ROW, gone_row))
    return InstructionRows(code_rows, address, code, code_row, headings, texts, other)


def _at(values: Numbers, rows: Int64Array) -> Numbers:
    """Return the values in rows; of `NO_ROW` any value, and -1 for rows of the code."""
    end = np.array([NO_ROW]).astype(values.dtype)
    taken: Numbers = np.append(values, end)[rows]
    return taken


def _moved(arrows: Arrows, row: Int64Array) -> Arrows:
    """Return jumps between the rows of instructions."""
    return Arrows(
        row[arrows.source], row[arrows.target], arrows.executed, arrows.followed,
        arrows.conditional,
    )  # fmt: skip


def _other_texts(
    texts: tuple[str, ...], code_row: Int64Array, base_row: Int64Array
) -> dict[int, str]:
    """Return by location how the base has an instruction, where that differs."""
    both = np.flatnonzero((code_row != NO_ROW) & (base_row != NO_ROW))
    found = zip(both.tolist(), code_row[both].tolist(), base_row[both].tolist(), strict=True)
    return {location: texts[old] for location, new, old in found if texts[new] != texts[old]}


def _instruction_texts(code: Code) -> tuple[str, ...]:
    """Return the instructions as the table shows them."""
    instructions = zip(code.mnemonic, code.operands, strict=True)
    return tuple(
        f"{mnemonic:<{MNEMONIC}} {operands}".rstrip() for mnemonic, operands in instructions
    )


def _symbol_headings(address: UInt64Array, symbols: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Return the names of the symbols that begin at one of the locations, by location."""
    begins = {symbol: name for symbol, name in symbols if name}
    locations = np.flatnonzero(np.isin(address, np.array(list(begins), np.uint64)))
    return {location: begins[int(address[location])] for location in locations.tolist()}


def _line_begins(file: Int32Array, line: Int32Array) -> list[int]:
    """Return the locations at which another source line begins, among those with a known line."""
    known = np.flatnonzero(line > 0)
    is_other = (np.diff(file[known], prepend=-1) != 0) | (np.diff(line[known], prepend=-1) != 0)
    begins: list[int] = known[is_other].tolist()
    return begins


def _jump_arrows(costs: InstructionCosts, code: Code, address: UInt64Array) -> Arrows:
    """Return the recorded jumps, and decoded ones of executed instructions that have none."""
    jumps = costs.jumps
    is_jump = np.isin(code.kind, (InstructionKind.JUMP, InstructionKind.BRANCH))
    is_jump &= np.isin(code.address, costs.address) & (code.target > 0)
    is_jump &= ~np.isin(code.address, costs.address[jumps.location])
    unrecorded = np.flatnonzero(is_jump)
    unknown = np.full(len(unrecorded), NOT_RECORDED, np.int64)
    sources = np.concatenate((costs.address[jumps.location], code.address[unrecorded]))
    targets = np.concatenate((jumps.target, code.target[unrecorded]))
    source, target = find_rows(address, sources), find_rows(address, targets)
    executed = np.concatenate((jumps.executed, unknown))
    visible = (target >= 0) & (target != source) & (executed != 0)
    return Arrows(
        source[visible],
        target[visible],
        executed[visible],
        np.concatenate((jumps.followed, unknown))[visible],
        np.concatenate((jumps.conditional, code.kind[unrecorded] == InstructionKind.BRANCH))[
            visible
        ],
    )


# ---------------------------------------------------------------- texts

_NOTHING = InstructionRows(NO_ROWS, np.empty(0, np.uint64), NO_CODE, np.empty(0, np.int64), {}, ())


@dataclass(frozen=True, eq=False, kw_only=True)
class InstructionTexts(CodeTexts):
    """What the records of instructions say; `rows` are those of `instructions`."""

    instructions: InstructionRows = _NOTHING

    noun = "instructions"

    def columns(self) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
        keys = self.rows.records.parent
        addresses = CodeCells(says=self.place, plain=self.plain_location, keys=keys, is_number=True)
        code = CodeCells(says=self.shown_code, plain=self.plain_code, keys=keys)
        tip = "Address of the instruction in the object, hexadecimal"
        return (
            (Column("location", "Address", tip, addresses, width=10),),
            (
                Column(
                    "bytes",
                    "Bytes",
                    "Bytes of the instruction",
                    CodeCells(says=self._bytes, keys=keys),
                    Shown.OFFERED,
                    width=20,
                    elides_start=False,
                ),
                Column("text", "Instruction", "The disassembled instruction", code, stretches=True),
                Column(
                    "source",
                    "Source line",
                    "Source line of the instruction",
                    CodeCells(says=self._source, keys=self._source_order()),
                    Shown.OFFERED,
                    width=18,
                ),
            ),
        )

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

    def is_source_line(self, record: int) -> bool:
        """Whether the record shows the source line of the instructions that follow."""
        return bool(self.rows.records.kind[record] == RecordKind.SOURCE)

    def code_row(self, record: int) -> int:
        """Return a record's row in the code; -1 if it is no instruction."""
        if not self.rows.records.is_location(record):
            return -1
        return int(self.instructions.code_row[self.rows.records.location[record]])

    # ---------------------------------------------------------------- one record

    def place(self, record: int) -> str:
        return f"{self.address_of(record):x}" if self.rows.records.is_location(record) else ""

    def tip(self, record: int, hidden: str) -> tuple[str, ...]:
        """Return the whole source line; or the jumps, and the instruction in the base."""
        if self.is_source_line(record):
            return (self.full_text(record),)
        location, records = int(self.rows.records.location[record]), self.rows.records
        base = self.instructions.base_texts.get(location) if records.is_location(record) else None
        before = () if base is None else (f"In the base: {base}",)
        return (*super().tip(record, hidden), *before)

    def has_text(self, record: int) -> bool:
        return self.code_row(record) >= 0 or not self.rows.records.is_location(record)

    def colored_words(self, record: int, colors: Colors) -> ColoredWords:
        """Mark the mnemonic, the name of the jump or call target, and where a source line is."""
        if self.is_source_line(record):
            return ((0, len(self._source_position(record)), int(Token.COMMENT)),)
        row, code = self.code_row(record), self.instructions.code
        if row < 0:
            return ()
        mnemonic, operands = code.mnemonic[row], code.operands[row]
        name = (0, len(mnemonic), int(Token.KEYWORD))
        symbol = operands.find("<")
        if symbol < 0:
            return (name,)
        start = max(len(mnemonic), MNEMONIC) + 1 + symbol
        return name, (start, len(operands) - symbol, int(Token.NAME))

    def full_text(self, record: int) -> str:
        kind, instructions = self.rows.records.kind[record], self.instructions
        if kind == RecordKind.CALL:
            return self.call_text(record)
        if kind == RecordKind.FOLD:
            return self.fold_text(record)
        if kind == RecordKind.SOURCE:
            return f"{self._source_position(record)}  {self._source_text(record)}".rstrip()
        if kind == RecordKind.HEADING:
            return f"{instructions.headings[int(self.rows.records.location[record])]}:"
        row = self.code_row(record)
        if row < 0 and len(instructions.code):
            return _NO_CODE if self.address_of(record) else _NO_ADDRESS
        if row < 0:  # no code is known at all: a notice above the table tells why
            return "" if self.address_of(record) else _NO_ADDRESS
        return instructions.texts[row]

    def _bytes(self, record: int) -> str:
        row = self.code_row(record)
        return self.instructions.code.raw[row].hex(" ") if row >= 0 else ""

    def _source(self, record: int) -> str:
        return self._source_position(record) if self.rows.records.is_location(record) else ""

    def _source_position(self, record: int) -> str:
        file, line = self.line_of(record)
        return cell_text(f"{self.file_names[file]}:{line}") if line > 0 else ""

    def _source_text(self, record: int) -> str:
        return (line_text(self.texts, *self.line_of(record)) or "").strip()

    def _source_order(self) -> Int64Array:
        rows = self.rows
        order: Int64Array = (rows.file * np.int64(1 << 32) + rows.line)[rows.records.location]
        return order

    # ---------------------------------------------------------------- all records

    def longest_texts(self) -> dict[str, str]:
        """Return the longest text of each column; that of the text column may be a heading."""
        instructions = self.instructions
        texts = *instructions.texts, *instructions.headings.values()
        raw = max(instructions.code.raw, key=len, default=b"")[:_MAX_BYTES]
        name = max(islice(self.file_names.values(), _MAX_MEASURED), key=len, default="")
        line = int(self.rows.line.max()) if len(self.rows.line) else 0
        return {
            "location": self.longest_number(),
            "bytes": raw.hex(" "),
            "text": max(texts, key=len, default=""),
            "source": cell_text(f"{name}:{line}") if line > 0 else "",
        }

    def longest_number(self) -> str:
        addresses = self.instructions.address
        return f"{int(addresses.max()):x}" if len(addresses) else ""

    def _contains(self, needle: str) -> BoolArray:
        """Return the mask of records with the text, and of the instruction at that address."""
        matches = super()._contains(needle)
        if _ADDRESS.fullmatch(needle):
            is_there = self.instructions.address == np.uint64(int(needle, 16))
            matches[self.rows.records.record_of_location[is_there]] = True
        return matches

    def searched(self) -> SearchedTexts:
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


NO_INSTRUCTIONS = empty_listing(InstructionTexts())
