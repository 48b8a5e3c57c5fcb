"""The job that loads a function's instructions and their costs for the Assembler dock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import SourceLines, annotate_instructions
from qcachegrind_py.analysis.code.instructions import Code, Syntax
from qcachegrind_py.models.code.instruction_rows import InstructionRows, instruction_rows
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import WithheldFile
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
    withheld_by_file,
)
from qcachegrind_py.views.code.context_costs import ContextCosts, context_costs

if TYPE_CHECKING:  # without a base, nothing of it is needed
    from qcachegrind_py.tools.compared_inputs import ComparedCode

_MAX_FILES = 100  # whose lines are shown: looking for a missing one may read many folders
_NO_JUMPS = "no jumps were recorded: use --collect-jumps=yes"
_NEWER = "changed after recording: may be a different build"


@dataclass(frozen=True, slots=True, eq=False)
class LoadedInstructions:
    """Instructions with their costs; without a binary, addresses and costs only."""

    function: FunctionId
    object: str  # recorded path of the program or library
    found: CodeResult
    code: Code  # to which the rows refer
    rows: InstructionRows
    costs: ContextCosts  # of the rows
    file_names: Mapping[TextId, str]  # the shortest distinct paths
    texts: SourceLines
    withheld: Mapping[TextId, WithheldFile]  # why texts are not written into other files
    notes: tuple[str, ...]  # origin of the code, and warnings
    compared: ComparedCode | None = None  # the code of both sides of a comparison

    @property
    def has_base(self) -> bool:
        """Whether the rows have costs of a base."""
        return self.compared is not None and self.compared.is_paired


def load_instructions(query: ViewQuery, progress: Progress) -> LoadedInstructions:
    """Load the active function's instructions. Raises only `Cancelled`."""
    compared = query.comparison
    if compared is None:
        return _load_one_side(query, progress)
    from qcachegrind_py.views.code.compared.instructions import load_sides

    sides = load_sides(query, compared, progress)
    loaded = _loaded(query, sides.code.new, sides.shown_code, sides.rows, progress)
    notes = (*loaded.notes, *filter(None, (sides.code.note,)))
    return replace(loaded, notes=notes, compared=sides.code)


def _load_one_side(query: ViewQuery, progress: Progress) -> LoadedInstructions:
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
    return _loaded(query, found, found.code, rows, progress)


def _loaded(
    query: ViewQuery, found: CodeResult, code: Code, rows: InstructionRows, progress: Progress
) -> LoadedInstructions:
    """Return rows with their costs, and the source texts beside them."""
    profile, function = query.profile, query.active_function()
    object_ = profile.texts[text_at(profile.functions.object, function)]
    texts, withheld = dict[TextId, Sequence[str]](), dict[TextId, WithheldFile]()
    if query.context.annotation.source_rows:
        texts, withheld = _source_texts(query, rows.rows.file, object_, progress)
    return LoadedInstructions(
        function,
        object_,
        found,
        code,
        rows,
        context_costs(rows.rows, query),
        rows.rows.file_names(profile.texts),
        texts,
        withheld,
        _notes(found, object_, profile),
    )


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


def _notes(found: CodeResult, object_: str, profile: Profile) -> tuple[str, ...]:
    """Return the origin of the code, and warnings about it."""
    machine = found.machine_code
    notes = [f"{machine.path} ({machine.machine})" if machine else object_]
    if machine and is_newer_than_profile(machine.modified, profile):
        notes.append(_NEWER)
    if not len(profile.jumps):
        notes.append(_NO_JUMPS)
    return tuple(notes)
