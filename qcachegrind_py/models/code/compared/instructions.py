"""Table rows of a function's instructions on both sides of a comparison."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedInstructions, align_costs
from qcachegrind_py.analysis.code.instructions import NO_ROW, AlignedRows, Code
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.models.code.instruction_rows import (
    InstructionRows,
    instruction_texts,
    jump_arrows,
    line_begins,
    symbol_headings,
)
from qcachegrind_py.models.code.records import Arrows, CodeRows, LocationMark, code_records
from qcachegrind_py.profile.tables import Int64Array, UInt64Array

Numbers = TypeVar("Numbers", Int64Array, UInt64Array)


def both_codes(base: AnnotatedInstructions, new: AnnotatedInstructions) -> Code:
    """Return the code that the rows of both sides refer to: of the new side, then of the base."""
    from qcachegrind_py.tools.disassembly.machine_code import concatenate_code

    return concatenate_code([new.code, base.code])


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
    """Return the table rows of both sides; `code_row` refers to the code of `both_codes`.

    The other arguments are those of `instruction_rows`, of the new side. What the base alone has
    has the address that it had there, and no source line, as the text may be another one now.
    """
    costs, is_gone = align_costs(base, new, rows), rows.new == NO_ROW
    row_of_new = np.full(len(new.address), NO_ROW, np.int64)
    row_of_new[rows.new[~is_gone]] = np.flatnonzero(~is_gone)
    found = symbol_headings(new.address, symbols)
    headings = {int(row_of_new[location]): name for location, name in found.items()}
    cost_row = np.where(costs.has_cost, np.arange(len(rows)), NO_ROW)
    arrows = _moved(jump_arrows(new.recorded, new.code, new.address), row_of_new)
    sources = line_begins(costs.file, costs.line) if has_source_rows else ()
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
    texts = (*instruction_texts(new.code), *instruction_texts(base.code))
    other = _other_texts(texts, code_row, np.where(is_gone, NO_ROW, gone_row))
    return InstructionRows(code_rows, address, code_row, headings, texts, other)


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
