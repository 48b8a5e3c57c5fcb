"""The code of functions and files for annotations: lines or instructions, and their texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import (
    annotate_instructions,
    annotate_lines,
    empty_instruction_costs,
)
from qcachegrind_py.analysis.code.instructions import NO_CODE
from qcachegrind_py.analysis.code.location_costs import (
    LineCosts,
    file_lines,
    function_lines,
    has_addresses,
    has_lines,
    instruction_costs,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.annotation import Annotation
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.errors import MissingFile
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.tables import Int32Array
from qcachegrind_py.tools.annotation_inputs import (
    find_function_code,
    is_newer_than_profile,
    missing_instructions_reason,
    read_sources,
    source_problems,
    texts_by_file,
)
from qcachegrind_py.tools.sources.file_search import FileSearch

_MAP_NOTE = "For files that were not found, use --map FROM=TO or -I DIR."


@frozen(eq=True)
class AnnotatedCode:
    """An annotation, and what to say about it on standard error."""

    annotation: Annotation
    notes: tuple[str, ...]


def annotated_function(
    selection: ReportSelection, function: FunctionId, search: FileSearch, *, with_instructions: bool
) -> AnnotatedCode:
    """Return the lines or the instructions of a function."""
    if with_instructions:
        return _instructions(selection, function, search)
    lines = function_lines(selection.profile, function, selection.scope.parts)
    return _lines(selection, function, lines, search)


def annotated_file(selection: ReportSelection, file: TextId, search: FileSearch) -> AnnotatedCode:
    """Return the lines of a source file, with the costs of all functions."""
    lines = file_lines(selection.profile, file, selection.scope.parts)
    return _lines(selection, NO_FUNCTION, lines, search)


def _lines(
    selection: ReportSelection, function: FunctionId, lines: LineCosts, search: FileSearch
) -> AnnotatedCode:
    profile, object_, files = selection.profile, "", text_ids(np.unique(lines.file))
    if function != NO_FUNCTION:
        object_ = profile.texts[text_at(profile.functions.object, function)]
        own_file = text_at(profile.functions.file, function)
        files = sorted(files, key=lambda file: file != own_file)
    sources = read_sources(profile.texts.lookup(files), object_, search)
    found = texts_by_file(profile, files, sources)
    texts = {file: text.lines for file, text in found.items()}
    annotated = annotate_lines(profile, function, lines, _cycles(selection), texts)
    problems = source_problems(profile, lines, sources)
    newer = [
        _newer_warning(text.path)
        for text in sources.texts.values()
        if is_newer_than_profile(text.modified, profile)
    ]
    is_map_useful = has_lines(profile) and any(map(_is_missing, sources.problems.values()))
    notes = (*problems, *newer, *([_MAP_NOTE] if is_map_useful else []))
    return AnnotatedCode(Annotation(annotated, " ".join(problems)), notes)


def _instructions(
    selection: ReportSelection, function: FunctionId, search: FileSearch
) -> AnnotatedCode:
    profile = selection.profile
    code, problem = NO_CODE, missing_instructions_reason(profile)
    notes: list[str] = []
    costs = empty_instruction_costs(profile)
    if has_addresses(profile):
        costs = instruction_costs(profile, function, selection.scope.parts)
        result = find_function_code(profile, function, costs, search)
        code, machine, problem = result.code, result.machine_code, str(result.problem or "")
        if machine and is_newer_than_profile(machine.modified, profile):
            notes.append(_newer_warning(machine.path))
        if _is_missing(result.problem):
            notes.append(_MAP_NOTE)
    annotated = annotate_instructions(profile, function, costs, _cycles(selection), code)
    return AnnotatedCode(Annotation(annotated, problem), (*filter(None, [problem]), *notes))


def _cycles(selection: ReportSelection) -> Int32Array:
    return selection.queries.costs(selection.scope).cycle


def _is_missing(error: object) -> bool:
    return isinstance(error, MissingFile)


def _newer_warning(path: Path) -> str:
    return f"{path} changed after the profile was written and may not match it."
