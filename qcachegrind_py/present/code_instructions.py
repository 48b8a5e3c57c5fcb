"""The instructions of a function: their records, what these say, and loading.

Addresses with recorded costs are among them, whether or not an instruction is known there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedCosts,
    AnnotatedInstructions,
    align_costs,
    annotate_instructions,
    line_text,
)
from qcachegrind_py.analysis.code.instructions import (
    NO_CODE,
    NO_ROW,
    AlignedRows,
    Code,
    CodeSide,
    InstructionKind,
    Int8Array,
    Syntax,
    align_rows,
    concatenate_code,
    pair_instructions,
)
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.comparison.sides import family_keys
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.sums import find_rows
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.code_listing import (
    CodeCells,
    CodeTexts,
    ColoredWords,
    Colors,
    LoadedCode,
    SearchedTexts,
    empty_listing,
)
from qcachegrind_py.present.code_records import (
    NO_ROWS,
    Arrows,
    CodeRows,
    LocationMark,
    RecordKind,
    code_costs,
    code_records,
)
from qcachegrind_py.present.context import Position
from qcachegrind_py.present.named_addresses import short_operands
from qcachegrind_py.present.table import Column, Shown, cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import WithheldFile
from qcachegrind_py.profile.ids import TextId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, UInt64Array
from qcachegrind_py.tools.annotation_inputs import (
    CodeResult,
    find_function_code,
    is_newer_than_profile,
    read_sources,
    texts_by_file,
    withheld_by_file,
)
from qcachegrind_py.tools.compared_inputs import ComparedCode, find_compared_code
from qcachegrind_py.tools.sources.text_file import Token
from qcachegrind_py.visible_text import visible_text

MNEMONIC = 7  # characters reserved for the mnemonic
NOT_RECORDED = -1  # count of a jump that is only known from the code
_MAX_MEASURED = 1000  # names of files, for the width of their column
_NAME_LENGTH = 40  # characters of a name in an instruction
_MAX_BYTES = 11  # that fit into the column
_ADDRESS = re.compile(r"0|[1-9a-f][0-9a-f]{0,15}")  # as shown
_NO_ADDRESS = "cost without an address"
_NO_CODE = "unknown instruction"

Numbers = TypeVar("Numbers", Int64Array, UInt64Array)


@frozen(slots=False, kw_only=True)
class InstructionRows(CodeRows):
    """The rows of the instruction table, with the address and the instruction of each location."""

    address: UInt64Array
    code: Code  # of the new side of a comparison, then of the base
    code_row: Int64Array  # row in the code; -1: no instruction begins there
    headings: Mapping[int, str]  # by location: name of the symbol that begins there
    texts: tuple[str, ...]  # of the instructions in the code
    shown: tuple[str, ...]  # the same with short names
    # by location: the instruction in the base of a comparison, where it differs
    base_texts: Mapping[int, str] = field(default_factory=dict)


class _Locations(NamedTuple):
    """The instructions of one side, or of both; each array has an item for each."""

    address: UInt64Array
    code: Code
    code_row: Int64Array
    cost_row: Int64Array
    file: Int32Array
    line: Int32Array
    costs: AnnotatedCosts
    before: AnnotatedCosts | None = None
    marks: Int8Array | None = None
    base_row: Int64Array | None = None  # in the code


def instruction_rows(
    new: AnnotatedInstructions,
    symbols: Iterable[tuple[int, str]],
    labels: Labels,
    context: int,
    *,
    has_source_rows: bool = False,
    base: tuple[AnnotatedInstructions, AlignedRows] | None = None,
) -> InstructionRows:
    """Return the table rows of a function's instructions, in a comparison of both sides.

    The `symbols` of its object, as address and name, become headings. `context` is the number of
    locations shown around each that is not folded. With source rows, each sequence of instructions
    of one line is preceded by that line. What the base alone has has the address that it had there,
    and no source line, as the text may be another one now.
    """
    headings = _symbol_headings(new.address, symbols)
    arrows = _jump_arrows(new.recorded, new.code, new.address)
    if base is None:
        found = _one_side(new)
    else:
        found = _both_sides(*base, new)
        rows = base[1].new
        row = np.full(len(new.address), NO_ROW, np.int64)  # of each instruction of the new side
        row[rows[rows != NO_ROW]] = np.flatnonzero(rows != NO_ROW)
        headings = {int(row[location]): name for location, name in headings.items()}
        arrows = replace(arrows, source=row[arrows.source], target=row[arrows.target])
    sources = _line_begins(found.file, found.line) if has_source_rows else ()
    calls = found.costs.calls
    texts = _instruction_texts(found.code, found.code.operands)
    sides = (new,) if base is None else (new, base[0])
    shown = [
        operands
        for side in sides
        for operands in short_operands(side.code, side.address, _NAME_LENGTH)
    ]
    return InstructionRows(
        records=code_records(found.cost_row, calls, arrows, context, headings, sources=sources),
        cost_row=found.cost_row,
        file=found.file,
        line=found.line,
        costs=found.costs,
        labels=labels,
        before=found.before,
        marks=found.marks,
        address=found.address,
        code=found.code,
        code_row=found.code_row,
        headings=headings,
        texts=texts,
        shown=_instruction_texts(found.code, shown),
        base_texts=_other_texts(texts, found),
    )


def _one_side(annotated: AnnotatedInstructions) -> _Locations:
    costs, address, cost_row = annotated.recorded, annotated.address, annotated.cost_row
    known = cost_row >= 0
    file, line = np.zeros(len(address), np.int32), np.zeros(len(address), np.int32)
    file[known], line[known] = costs.file[cost_row[known]], costs.line[cost_row[known]]
    code = annotated.code
    return _Locations(address, code, annotated.code_row, cost_row, file, line, annotated.costs)


def _both_sides(
    base: AnnotatedInstructions, rows: AlignedRows, new: AnnotatedInstructions
) -> _Locations:
    costs, is_gone = align_costs(base, new, rows), rows.new == NO_ROW
    marks = np.where(is_gone, LocationMark.GONE, LocationMark.NONE)
    marks[rows.base == NO_ROW] = LocationMark.NEW
    base_row = _at(base.code_row, rows.base)
    base_row = np.where(base_row == NO_ROW, NO_ROW, base_row + len(new.code))
    return _Locations(
        np.where(is_gone, _at(base.address, rows.base), _at(new.address, rows.new)),
        concatenate_code([new.code, base.code]),
        np.where(is_gone, base_row, _at(new.code_row, rows.new)),
        np.where(costs.has_cost, np.arange(len(rows)), NO_ROW),
        costs.file,
        costs.line,
        costs.new,
        costs.base,
        marks.astype(np.int8),
        np.where(is_gone, NO_ROW, base_row),
    )


def _at(values: Numbers, rows: Int64Array) -> Numbers:
    """Return the values in rows; of `NO_ROW` any value, and -1 for rows of the code."""
    end = np.array([NO_ROW]).astype(values.dtype)
    taken: Numbers = np.append(values, end)[rows]
    return taken


def _other_texts(texts: tuple[str, ...], found: _Locations) -> dict[int, str]:
    """Return by location how the base has an instruction, where that differs."""
    if found.base_row is None:
        return {}
    both = np.flatnonzero((found.code_row != NO_ROW) & (found.base_row != NO_ROW))
    rows = (column[both].tolist() for column in (found.code_row, found.base_row))
    pairs = zip(both.tolist(), *rows, strict=True)
    return {location: texts[old] for location, new, old in pairs if texts[new] != texts[old]}


def _instruction_texts(code: Code, operands: Sequence[str]) -> tuple[str, ...]:
    instructions = zip(code.mnemonic, operands, strict=True)
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
    arrows = Arrows(
        source,
        target,
        np.concatenate((jumps.executed, unknown)),
        np.concatenate((jumps.followed, unknown)),
        np.concatenate((jumps.conditional, code.kind[unrecorded] == InstructionKind.BRANCH)),
    )
    return arrows.selected((target >= 0) & (target != source) & (arrows.executed != 0))


# ---------------------------------------------------------------- texts

_NOTHING = InstructionRows(
    records=NO_ROWS.records,
    cost_row=NO_ROWS.cost_row,
    file=NO_ROWS.file,
    line=NO_ROWS.line,
    costs=NO_ROWS.costs,
    labels=None,
    address=NO_CODE.address,
    code=NO_CODE,
    code_row=NO_ROWS.cost_row,
    headings={},
    texts=(),
    shown=(),
)


@frozen(slots=False, kw_only=True)
class InstructionTexts(CodeTexts):
    """What the records of instructions say."""

    rows: InstructionRows = _NOTHING

    noun = "instructions"
    location_head = "Address", "Address of the instruction in the object, hexadecimal"
    code_head = "Instruction", "The disassembled instruction"
    location_width = 10

    def columns(self) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
        before, code = super().columns()
        raw = CodeCells(says=self._bytes, keys=self.rows.records.parent)
        source = CodeCells(says=self._source, keys=self._source_order())
        tip, offered = "Source line of the instruction", Shown.OFFERED
        return before, (
            Column(
                "bytes", "Bytes", "Bytes of the instruction", raw, offered, width=20,
                elides_start=False,
            ),
            *code,
            Column("source", "Source line", tip, source, offered, width=18),
        )  # fmt: skip

    # ---------------------------------------------------------------- positions

    def address_of(self, record: int) -> int:
        return int(self.rows.address[self.rows.records.location[record]])

    def position_of(self, record: int) -> Position:
        """Return instruction and line; a gone one's address is that of another one now."""
        is_source, address = self.is_source_line(record), self.address_of(record)
        in_base = self.is_gone(record)
        return Position(*self.line_of(record), None if is_source else address, in_base)

    def records_at(self, position: Position) -> BoolArray:
        if position.address is not None:
            matched = self._matches_address(position.address, in_base=position.in_base)
            if matched.any():
                return matched
        if position.line <= 0:
            return np.zeros(len(self.rows.records), bool)
        return self.matches_line(position.file, position.line)

    def _matches_address(self, address: int, *, in_base: bool) -> BoolArray:
        records = self.rows.records
        matches = self.rows.address == np.uint64(address)
        if self.rows.marks is not None:
            matches &= (self.rows.marks == LocationMark.GONE) == in_base
        matched: BoolArray = matches[records.location] & (records.kind == RecordKind.LOCATION)
        return matched

    def is_source_line(self, record: int) -> bool:
        return bool(self.rows.records.kind[record] == RecordKind.SOURCE)

    def code_row(self, record: int) -> int:
        """Return a record's row in the code; -1 if it is no instruction."""
        if not self.rows.records.is_location(record):
            return -1
        return int(self.rows.code_row[self.rows.records.location[record]])

    # ---------------------------------------------------------------- one record

    def place(self, record: int) -> str:
        return f"{self.address_of(record):x}" if self.rows.records.is_location(record) else ""

    def tip(self, record: int, hidden: str) -> tuple[str, ...]:
        """Return the whole source line; or the whole instruction, jumps, and what the base has."""
        if self.is_source_line(record):
            return (self.full_text(record),)
        location, records = int(self.rows.records.location[record]), self.rows.records
        base = self.rows.base_texts.get(location) if records.is_location(record) else None
        before = () if base is None else (f"In the base: {base}",)
        row = self.code_row(record)
        is_short = row >= 0 and self.rows.shown[row] != self.rows.texts[row]
        whole = (self.rows.texts[row],) if is_short else ()
        return (*whole, *super().tip(record, hidden), *before)

    def has_text(self, record: int) -> bool:
        return self.code_row(record) >= 0 or not self.rows.records.is_location(record)

    def colored_words(self, record: int, colors: Colors) -> ColoredWords:
        """Mark the mnemonic, the name of the jump or call target, and where a source line is."""
        if self.is_source_line(record):
            return ((0, len(self._source_position(record)), int(Token.COMMENT)),)
        row, code = self.code_row(record), self.rows.code
        if row < 0:
            return ()
        mnemonic, text = code.mnemonic[row], self.rows.shown[row]
        name = (0, len(mnemonic), int(Token.KEYWORD))
        symbol = text.find("<", len(mnemonic))
        return (name,) if symbol < 0 else (name, (symbol, len(text) - symbol, int(Token.NAME)))

    def code_text(self, record: int) -> str:
        rows, kind = self.rows, self.rows.records.kind[record]
        if kind == RecordKind.SOURCE:
            return f"{self._source_position(record)}  {self._source_text(record)}".rstrip()
        if kind == RecordKind.HEADING:
            return f"{rows.headings[int(rows.records.location[record])]}:"
        row = self.code_row(record)
        if row >= 0:
            return rows.shown[row]
        if not self.address_of(record):
            return _NO_ADDRESS
        return _NO_CODE if len(rows.code) else ""  # a notice above the table tells why

    def plain_code(self, record: int) -> str:
        """Return the text for other programs, with whole names."""
        row = self.code_row(record)
        return visible_text(self.rows.texts[row]) if row >= 0 else super().plain_code(record)

    def _bytes(self, record: int) -> str:
        row = self.code_row(record)
        return self.rows.code.raw[row].hex(" ") if row >= 0 else ""

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
        rows = self.rows
        texts = *rows.shown, *rows.headings.values()
        raw = max(rows.code.raw, key=len, default=b"")[:_MAX_BYTES]
        name = max(islice(self.file_names.values(), _MAX_MEASURED), key=len, default="")
        line = int(rows.line.max(initial=0))
        return {
            "location": self.longest_number(),
            "bytes": raw.hex(" "),
            "text": max(texts, key=len, default=""),
            "source": cell_text(f"{name}:{line}") if line > 0 else "",
        }

    def longest_number(self) -> str:
        addresses = self.rows.address
        return f"{int(addresses.max()):x}" if len(addresses) else ""

    def longest_name(self) -> str:
        names = (name.rpartition("/")[2] for name in self.file_names.values())
        name = max(islice(names, _MAX_MEASURED), key=len, default="")
        return cell_text(f"{name}:{int(self.rows.line.max(initial=0))}")

    def _contains(self, needle: str) -> BoolArray:
        """Return the mask of records with the text, and of the instruction at that address."""
        matches = super()._contains(needle)
        if _ADDRESS.fullmatch(needle):
            is_there = self.rows.address == np.uint64(int(needle, 16))
            matches[self.rows.records.record_of_location[is_there]] = True
        return matches

    @cached_property
    def searched(self) -> SearchedTexts:
        rows = self.rows
        kind, location = rows.records.kind, rows.records.location
        sources, headings = (
            np.flatnonzero(kind == each) for each in (RecordKind.SOURCE, RecordKind.HEADING)
        )
        texts = [
            *rows.texts,
            *self._source_lines(location[sources]),
            *(f"{rows.headings[at]}:" for at in location[headings].tolist()),
        ]
        text = np.full(len(kind), -1)
        is_code = kind == RecordKind.LOCATION
        text[is_code] = rows.code_row[location[is_code]]
        others = np.concatenate((sources, headings))
        text[others] = np.arange(len(rows.texts), len(texts))
        return SearchedTexts([each.lower() for each in texts], text, np.arange(len(text)))

    def _source_lines(self, locations: Int64Array) -> Iterator[str]:
        """Yield the source lines of these locations as their rows show them."""
        names = {file: cell_text(name) for file, name in self.file_names.items()}
        files, lines = self.rows.file[locations], self.rows.line[locations]
        for file, line in zip(text_ids(files), lines.tolist(), strict=True):
            text = line_text(self.texts, file, line) or ""
            yield f"{names.get(file, '')}:{line}  {text.strip()}"


NO_INSTRUCTIONS = empty_listing(InstructionTexts())


# ---------------------------------------------------------------- loading

_MAX_FILES = 100  # whose lines are shown: looking for a missing one may read many folders
_NO_JUMPS = "no jumps were recorded: use --collect-jumps=yes"
_NEWER = "changed after recording: may be a different build"

Positions = tuple[UInt64Array, Int64Array]  # address and row in the code of each instruction


@frozen(slots=False, kw_only=True)
class LoadedInstructions(LoadedCode):
    """Instructions with their costs; without a binary, addresses and costs only."""

    code: InstructionTexts
    compared: ComparedCode | None = None  # the code of both sides of a comparison


def load_instructions(query: ViewQuery, progress: Progress) -> LoadedInstructions:
    """Load the active function's instructions, in a comparison of both sides.

    Raises only `Cancelled`.
    """
    context, profile, function = query.context, query.profile, query.active_function()
    style = context.annotation
    syntax = Syntax.INTEL if style.intel_syntax else Syntax.ATT
    both, base = None, None
    if (compared := query.comparison) is not None:
        both = load_compared_code(query, compared, syntax, PartialProgress(progress, 0, 0.6))
        found = both.new
    else:
        whole = query.queries.instructions(function, None)  # finds the code if parts have no costs
        found = find_function_code(profile, function, whole, context.files, syntax, progress)
    new = _annotated(query, context.scope, found.code)
    if compared is not None and both is not None and both.is_paired:
        base = _annotated_base(query, compared, both, new, PartialProgress(progress, 0.6, 1))
    rows = instruction_rows(
        new,
        found.machine_code.symbols if found.machine_code else (),
        query.labels(),
        style.context_lines,
        has_source_rows=style.source_rows,
        base=base,
    )
    object_ = profile.texts[text_at(profile.functions.object, function)]
    texts, withheld = dict[TextId, Sequence[str]](), dict[TextId, WithheldFile]()
    if style.source_rows:
        texts, withheld = _source_texts(query, rows.file, object_, progress)
    return LoadedInstructions(
        function=function,
        code=InstructionTexts(
            rows=rows,
            file_names=rows.file_names(profile.texts),
            texts=texts,
            withheld=withheld,
            has_jumps=len(profile.jumps) > 0,
        ),
        loaded_costs=code_costs(query, rows, function),
        problem=found.problem,
        problem_file=object_,
        notes=_notes(found, object_, profile, "" if both is None else both.note),
        compared=both,
    )


def _annotated_base(
    query: ViewQuery,
    compared: Comparison,
    code: ComparedCode,
    new: AnnotatedInstructions,
    progress: Progress,
) -> tuple[AnnotatedInstructions, AlignedRows]:
    base = _annotated(query, compared.base, code.base.code)
    new_row = paired_rows(
        code, (base.address, base.code_row), (new.address, new.code_row), progress
    )
    return base, align_rows(new_row, len(new.address))


def _annotated(query: ViewQuery, scope: Scope, code: Code) -> AnnotatedInstructions:
    function, queries = query.active_function(), query.queries
    costs = queries.instructions(function, scope.parts)
    cycle = queries.costs(scope).cycle
    return annotate_instructions(query.profile, function, costs, cycle, code)


def _source_texts(
    query: ViewQuery, file: Int32Array, object_: str, progress: Progress
) -> tuple[dict[TextId, Sequence[str]], dict[TextId, WithheldFile]]:
    """Return the texts that were found of the files with the most instructions.

    With them is returned which of these are not written into other files.
    `file` is that of each instruction.
    """
    files, count = np.unique(file[file > 0], return_counts=True)
    chosen = text_ids(files[np.argsort(-count, kind="stable")[:_MAX_FILES]])
    profile = query.profile
    names = profile.texts.lookup(chosen)
    sources = read_sources(names, object_, query.context.files, progress)
    found = texts_by_file(profile, chosen, sources)
    texts: dict[TextId, Sequence[str]] = {each: text.lines for each, text in found.items()}
    return texts, withheld_by_file(profile, chosen, sources)


def _notes(found: CodeResult, object_: str, profile: Profile, note: str) -> tuple[str, ...]:
    """Return the origin of the code, and warnings about it; `note` is on both sides."""
    machine = found.machine_code
    notes = [f"{machine.path} ({machine.machine})" if machine else object_]
    if machine and is_newer_than_profile(machine.modified, profile):
        notes.append(_NEWER)
    if not len(profile.jumps) and profile.contexts is None:  # samplers record none
        notes.append(_NO_JUMPS)
    return (*notes, note) if note else tuple(notes)


# ---------------------------------------------------------------- both sides of a comparison


def load_compared_code(
    query: ViewQuery, compared: Comparison, syntax: Syntax, progress: Progress
) -> ComparedCode:
    """Find the code of the active function on both sides. Raises only `Cancelled`."""
    context, function = query.context, query.active_function()
    return find_compared_code(
        compared, function, context.files, context.base_programs, syntax, progress
    )


def paired_rows(
    code: ComparedCode, base: Positions, new: Positions, progress: Progress
) -> Int64Array:
    """Return the row of each base instruction on the new side. Raises `Cancelled`."""
    sides = [
        CodeSide(
            address,
            code_row,
            found.code,
            range(0) if found.machine_code is None else found.machine_code.fixed,
        )
        for (address, code_row), found in ((base, code.base), (new, code.new))
    ]
    return pair_instructions(sides[0], sides[1], code.alignment, _symbol_key, progress)


@lru_cache(maxsize=4096)
def _symbol_key(name: str) -> str:
    return family_keys([name])[0]
