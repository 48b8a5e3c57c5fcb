"""The code of a function as sites: its instructions, and recorded addresses that are none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedInstructions
from qcachegrind_py.analysis.code.instruction_costs import InstructionCosts
from qcachegrind_py.analysis.code.instructions import Code, InstructionKind
from qcachegrind_py.analysis.costs.grouped_sums import find_rows
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.code.records import Arrows, CodeRows, code_records
from qcachegrind_py.profile.tables import Int64Array, UInt64Array

MNEMONIC = 7  # characters that the name of an instruction has room for
NOT_RECORDED = -1  # how often a jump was come to that is only known from the code


@dataclass(frozen=True, slots=True, eq=False)
class InstructionRows:
    """The rows of the table, with the address of each site and its row of the code."""

    rows: CodeRows
    address: UInt64Array
    code_row: Int64Array  # -1: no instruction begins there
    headings: dict[int, str]  # of sites: where a function of the binary begins
    texts: tuple[str, ...]  # of the rows of the code


def instruction_rows(
    annotated: AnnotatedInstructions,
    symbols: Iterable[tuple[int, str]],
    labels: Labels,
    context: int,
) -> InstructionRows:
    """The sites of a function; the `symbols` of its object are the headings."""
    costs, code = annotated.recorded, annotated.code
    address, cost_row = annotated.address, annotated.cost_row
    known = cost_row >= 0
    file, line = np.zeros(len(address), np.int32), np.zeros(len(address), np.int32)
    file[known], line[known] = costs.file[cost_row[known]], costs.line[cost_row[known]]
    begins = {symbol: name for symbol, name in symbols if name}
    places = np.flatnonzero(np.isin(address, np.array(list(begins), np.uint64)))
    headings = {site: begins[int(address[site])] for site in places.tolist()}
    arrows = _jump_arrows(costs, code, address)
    records = code_records(cost_row, costs.calls, arrows, context, headings)
    rows = CodeRows(records, cost_row, file, line, annotated.costs, labels)
    both = zip(code.mnemonic, code.operands, strict=True)
    texts = tuple(f"{mnemonic:<{MNEMONIC}} {operands}".rstrip() for mnemonic, operands in both)
    return InstructionRows(rows, address, annotated.code_row, headings, texts)


def _jump_arrows(costs: InstructionCosts, code: Code, address: UInt64Array) -> Arrows:
    """The recorded jumps; of instructions with cost but without any, what the code itself says."""
    jumps = costs.jumps
    is_jump = np.isin(code.kind, (InstructionKind.JUMP, InstructionKind.BRANCH))
    is_jump &= np.isin(code.address, costs.address) & (code.target > 0)
    is_jump &= ~np.isin(code.address, costs.address[jumps.location])
    silent = np.flatnonzero(is_jump)
    unknown = np.full(len(silent), NOT_RECORDED, np.int64)
    sites = np.concatenate((costs.address[jumps.location], code.address[silent]))
    targets = np.concatenate((jumps.target, code.target[silent]))
    source, target = find_rows(address, sites), find_rows(address, targets)
    executed = np.concatenate((jumps.executed, unknown))
    drawn = (target >= 0) & (target != source) & (executed != 0)
    return Arrows(
        source[drawn],
        target[drawn],
        executed[drawn],
        np.concatenate((jumps.followed, unknown))[drawn],
        np.concatenate((jumps.conditional, code.kind[silent] == InstructionKind.BRANCH))[drawn],
    )
