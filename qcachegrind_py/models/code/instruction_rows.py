"""Table rows of a function's instructions, including recorded addresses without an instruction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedInstructions
from qcachegrind_py.analysis.code.instructions import Code, InstructionKind
from qcachegrind_py.analysis.code.location_costs import InstructionCosts
from qcachegrind_py.analysis.costs.sums import find_rows
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.models.code.records import Arrows, CodeRows, code_records
from qcachegrind_py.profile.tables import Int32Array, Int64Array, UInt64Array

MNEMONIC = 7  # characters reserved for the mnemonic
NOT_RECORDED = -1  # count of a jump that is only known from the code


@dataclass(frozen=True, slots=True, eq=False)
class InstructionRows:
    """The rows of the instruction table, with the address and the instruction of each location."""

    rows: CodeRows
    address: UInt64Array
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
    headings = symbol_headings(address, symbols)
    arrows = jump_arrows(costs, code, address)
    sources = line_begins(file, line) if has_source_rows else ()
    records = code_records(cost_row, costs.calls, arrows, context, headings, sources=sources)
    rows = CodeRows(records, cost_row, file, line, annotated.costs, labels)
    return InstructionRows(rows, address, annotated.code_row, headings, instruction_texts(code))


def instruction_texts(code: Code) -> tuple[str, ...]:
    """Return the instructions as the table shows them."""
    instructions = zip(code.mnemonic, code.operands, strict=True)
    return tuple(
        f"{mnemonic:<{MNEMONIC}} {operands}".rstrip() for mnemonic, operands in instructions
    )


def symbol_headings(address: UInt64Array, symbols: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Return the names of the symbols that begin at one of the locations, by location."""
    begins = {symbol: name for symbol, name in symbols if name}
    locations = np.flatnonzero(np.isin(address, np.array(list(begins), np.uint64)))
    return {location: begins[int(address[location])] for location in locations.tolist()}


def line_begins(file: Int32Array, line: Int32Array) -> list[int]:
    """Return the locations at which another source line begins, among those with a known line."""
    known = np.flatnonzero(line > 0)
    is_other = (np.diff(file[known], prepend=-1) != 0) | (np.diff(line[known], prepend=-1) != 0)
    begins: list[int] = known[is_other].tolist()
    return begins


def jump_arrows(costs: InstructionCosts, code: Code, address: UInt64Array) -> Arrows:
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
