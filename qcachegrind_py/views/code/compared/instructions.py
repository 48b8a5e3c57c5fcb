"""The instructions of the active function on both sides of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedInstructions,
    annotate_instructions,
)
from qcachegrind_py.analysis.code.instructions import Code, Syntax, align_rows
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.models.code.compared.instructions import both_codes, compared_instruction_rows
from qcachegrind_py.models.code.instruction_rows import InstructionRows, instruction_rows
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.tools.compared_inputs import ComparedCode
from qcachegrind_py.views.common.compared.code_pairs import load_compared_code, paired_rows


@dataclass(frozen=True, slots=True, eq=False)
class LoadedSides:
    """The rows of both sides, or of the new one alone if the instructions cannot be paired."""

    code: ComparedCode
    rows: InstructionRows
    shown_code: Code  # to which the rows refer


def load_sides(query: ViewQuery, compared: Comparison, progress: Progress) -> LoadedSides:
    """Load the instructions of both sides, paired if that is possible. Raises only `Cancelled`."""
    style = query.context.annotation
    syntax = Syntax.INTEL if style.intel_syntax else Syntax.ATT
    code = load_compared_code(query, compared, syntax, PartialProgress(progress, 0, 0.6))
    machine = code.new.machine_code
    symbols = machine.symbols if machine is not None else ()
    new = _annotated(query, compared.new, code.new.code)
    labels, lines = query.labels(), style.context_lines
    if not code.is_paired:
        rows = instruction_rows(new, symbols, labels, lines, has_source_rows=style.source_rows)
        return LoadedSides(code, rows, code.new.code)
    base = _annotated(query, compared.base, code.base.code)
    new_row = paired_rows(
        code,
        (base.address, base.code_row),
        (new.address, new.code_row),
        PartialProgress(progress, 0.6, 1),
    )
    aligned = align_rows(new_row, len(new.address))
    rows = compared_instruction_rows(
        base, new, aligned, symbols, labels, lines, has_source_rows=style.source_rows
    )
    return LoadedSides(code, rows, both_codes(base, new))


def _annotated(query: ViewQuery, scope: Scope, code: Code) -> AnnotatedInstructions:
    """Return the instructions of one side with its costs."""
    function = query.active_function()
    costs = query.queries.instructions(function, scope.parts)
    cycle = query.queries.costs(scope).cycle
    return annotate_instructions(query.profile, function, costs, cycle, code)
