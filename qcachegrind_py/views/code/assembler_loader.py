"""The job that loads a function's instructions and their costs for the Assembler dock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import SourceLines, annotate_instructions
from qcachegrind_py.analysis.code.instructions import Syntax
from qcachegrind_py.models.code.instruction_rows import InstructionRows, instruction_rows
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int32Array
from qcachegrind_py.tools.annotation_inputs import (
    CodeResult,
    find_function_code,
    is_newer_than_profile,
    read_sources,
    texts_by_file,
)
from qcachegrind_py.views.code.context_costs import ContextCosts, context_costs
from qcachegrind_py.views.common.view_query import ViewQuery

_MAX_FILES = 100  # whose lines are shown: looking for a missing one may read many folders
_NO_JUMPS = "no jumps were recorded: use --collect-jumps=yes"
_NEWER = "changed after recording: may be a different build"


@dataclass(frozen=True, slots=True, eq=False)
class LoadedInstructions:
    """Instructions with their costs; without a binary, addresses and costs only."""

    function: FunctionId
    object: str  # recorded path of the program or library
    found: CodeResult
    rows: InstructionRows
    costs: ContextCosts  # of the rows
    file_names: Mapping[TextId, str]  # the shortest distinct paths
    texts: SourceLines
    notes: tuple[str, ...]  # origin of the code, and warnings


def load_instructions(query: ViewQuery, progress: Progress) -> LoadedInstructions:
    """Load the active function's instructions. Raises only `Cancelled`."""
    queries, context = query.queries, query.context
    profile, function, style = query.profile, query.active_function(), context.annotation
    syntax = Syntax.INTEL if style.intel_syntax else Syntax.ATT
    costs = queries.instructions(function, context.scope.parts)
    whole = queries.instructions(function, None)  # finds the code if active parts have no costs
    found = find_function_code(profile, function, whole, context.files, syntax, progress)
    symbols = found.machine_code.symbols if found.machine_code else ()
    annotated = annotate_instructions(profile, function, costs, query.costs().cycle, found.code)
    rows = instruction_rows(
        annotated,
        symbols,
        query.labels(),
        style.context_lines,
        has_source_rows=style.source_rows,
    )
    object_ = profile.texts[text_at(profile.functions.object, function)]
    names = rows.rows.file_names(profile.texts)
    notes = _notes(found, object_, profile)
    row_costs = context_costs(rows.rows, query)
    texts = _source_texts(query, rows.rows.file, object_, progress) if style.source_rows else {}
    return LoadedInstructions(function, object_, found, rows, row_costs, names, texts, notes)


def _source_texts(
    query: ViewQuery, file: Int32Array, object_: str, progress: Progress
) -> dict[TextId, Sequence[str]]:
    """Return the texts that were found of the files with the most instructions.

    `file` is that of each instruction.
    """
    files, count = np.unique(file[file > 0], return_counts=True)
    chosen = text_ids(files[np.argsort(-count, kind="stable")[:_MAX_FILES]])
    profile = query.profile
    names = profile.texts.lookup(chosen)
    sources = read_sources(names, object_, query.context.files, progress)
    found = texts_by_file(profile, chosen, sources)
    return {each: text.lines for each, text in found.items()}


def _notes(found: CodeResult, object_: str, profile: Profile) -> tuple[str, ...]:
    """Return the origin of the code, and warnings about it."""
    machine = found.machine_code
    notes = [f"{machine.path} ({machine.machine})" if machine else object_]
    if machine and is_newer_than_profile(machine.modified, profile):
        notes.append(_NEWER)
    if not len(profile.jumps):
        notes.append(_NO_JUMPS)
    return tuple(notes)
