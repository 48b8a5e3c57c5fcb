"""The instructions of a function with their costs, as a job loads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedInstructions,
    annotate_instructions,
)
from qcachegrind_py.analysis.code.instructions import (
    Code,
    CodeSide,
    Syntax,
    align_rows,
    pair_instructions,
)
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.comparison.stable_names import family_keys
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.present.code_instructions import (
    InstructionRows,
    InstructionTexts,
    compared_instruction_rows,
    instruction_rows,
)
from qcachegrind_py.present.code_listing import CodeCosts, code_costs
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import WithheldFile
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import Int32Array, Int64Array, UInt64Array
from qcachegrind_py.tools.annotation_inputs import (
    CodeResult,
    find_function_code,
    is_newer_than_profile,
    read_sources,
    texts_by_file,
    withheld_by_file,
)
from qcachegrind_py.tools.compared_inputs import ComparedCode, find_compared_code

_MAX_FILES = 100  # whose lines are shown: looking for a missing one may read many folders
_NO_JUMPS = "no jumps were recorded: use --collect-jumps=yes"
_NEWER = "changed after recording: may be a different build"

Positions = tuple[UInt64Array, Int64Array]  # address and row in the code of each instruction


@dataclass(frozen=True, slots=True, eq=False)
class LoadedInstructions:
    """Instructions with their costs; without a binary, addresses and costs only."""

    function: FunctionId
    object: str  # recorded path of the program or library
    found: CodeResult
    code: InstructionTexts
    costs: CodeCosts
    notes: tuple[str, ...]  # origin of the code, and warnings
    compared: ComparedCode | None = None  # the code of both sides of a comparison


def load_instructions(query: ViewQuery, progress: Progress) -> LoadedInstructions:
    """Load the active function's instructions, in a comparison of both sides.

    Raises only `Cancelled`.
    """
    function = query.active_function()
    syntax = Syntax.INTEL if query.context.annotation.intel_syntax else Syntax.ATT
    if (compared := query.comparison) is not None:
        code = load_compared_code(query, compared, syntax, PartialProgress(progress, 0, 0.6))
        rows = _both_rows(query, compared, code, PartialProgress(progress, 0.6, 1))
        return _loaded(query, code.new, rows, progress, code)
    context = query.context
    whole = query.queries.instructions(function, None)  # finds the code if parts have no costs
    found = find_function_code(query.profile, function, whole, context.files, syntax, progress)
    annotated = _annotated(query, context.scope, found.code)
    return _loaded(query, found, _rows(query, annotated, found), progress)


def _loaded(
    query: ViewQuery,
    found: CodeResult,
    rows: InstructionRows,
    progress: Progress,
    compared: ComparedCode | None = None,
) -> LoadedInstructions:
    """Return rows with their costs, and the source texts beside them."""
    profile, function = query.profile, query.active_function()
    object_ = profile.texts[text_at(profile.functions.object, function)]
    texts, withheld = dict[TextId, Sequence[str]](), dict[TextId, WithheldFile]()
    if query.context.annotation.source_rows:
        texts, withheld = _source_texts(query, rows.rows.file, object_, progress)
    code = InstructionTexts(
        rows=rows.rows,
        file_names=rows.rows.file_names(profile.texts),
        texts=texts,
        withheld=withheld,
        has_jumps=len(profile.jumps) > 0,
        instructions=rows,
    )
    notes = _notes(found, object_, profile, "" if compared is None else compared.note)
    costs = code_costs(query, rows.rows, function)
    return LoadedInstructions(function, object_, found, code, costs, notes, compared)


def _rows(query: ViewQuery, annotated: AnnotatedInstructions, found: CodeResult) -> InstructionRows:
    style = query.context.annotation
    symbols = found.machine_code.symbols if found.machine_code else ()
    return instruction_rows(
        annotated,
        symbols,
        query.labels(),
        style.context_lines,
        has_source_rows=style.source_rows,
    )


def _both_rows(
    query: ViewQuery, compared: Comparison, code: ComparedCode, progress: Progress
) -> InstructionRows:
    """Return the rows of both sides; of the new one alone if they cannot be paired."""
    style, machine = query.context.annotation, code.new.machine_code
    new = _annotated(query, compared.new, code.new.code)
    if not code.is_paired:
        return _rows(query, new, code.new)
    base = _annotated(query, compared.base, code.base.code)
    new_row = paired_rows(
        code, (base.address, base.code_row), (new.address, new.code_row), progress
    )
    return compared_instruction_rows(
        base,
        new,
        align_rows(new_row, len(new.address)),
        machine.symbols if machine is not None else (),
        query.labels(),
        style.context_lines,
        has_source_rows=style.source_rows,
    )


def _annotated(query: ViewQuery, scope: Scope, code: Code) -> AnnotatedInstructions:
    """Return the instructions of one side with its costs."""
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
    if not len(profile.jumps):
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
