"""`annotate`: source lines or instructions of functions and files, with their costs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TextIO, cast

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
from qcachegrind_py.cli.functions import find_files, find_functions, is_pattern
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import CommandError, print_output, report_error, text_layout
from qcachegrind_py.cli.selection import file_search, fold_notes, load_profile, report_selection
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.annotation import Annotation, AnnotationReport
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.errors import MissingFile
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    FunctionId,
    TextId,
    function_ids,
    text_at,
    text_ids,
)
from qcachegrind_py.profile.profile import Profile
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
from qcachegrind_py.write.annotation import CONTEXT_LINES, write_annotations
from qcachegrind_py.write.separated import OutputFormat

_MAP_NOTE = "For files that were not found, use --map FROM=TO or -I DIR."


def run(options: Options) -> int:
    """Print the code of the functions and files that are named; return the exit code."""
    try:
        search = file_search(options)
        profile = load_profile(options.files)
        selection = report_selection(profile, options)
        codes = list(_annotated_codes(options, selection, search))
    except CommandError as error:
        return report_error(error)
    of_codes = chain.from_iterable(code.notes for code in codes)
    notes = dict.fromkeys([*of_codes, *fold_notes(selection, of_lines=True)])
    annotations = [code.annotation for code in codes]
    report = AnnotationReport(
        annotations, selection.events, selection.scope.parts, not _asks_for_one(options, profile)
    )
    form = cast("OutputFormat", options.format)
    context = CONTEXT_LINES if options.context is None else options.context

    def write(stream: TextIO) -> None:
        write_annotations(report, form, stream, text_layout(options, stream), context)

    return print_output(options, profile, write, *notes)


def _asks_for_one(options: Options, profile: Profile) -> bool:
    """Return whether one function is named in full, or one file."""
    names, files = options.words, options.source_files
    return len(names) + len(files) == 1 and (bool(files) or not is_pattern(profile, names[0]))


def _annotated_codes(
    options: Options, selection: ReportSelection, search: FileSearch
) -> Iterator[AnnotatedCode]:
    for function in dict.fromkeys(_functions(options, selection)):
        yield annotated_function(selection, function, search, with_instructions=options.asm)
    for file in find_files(selection.queries, options.source_files):
        yield annotated_file(selection, file, search)


def _functions(options: Options, selection: ReportSelection) -> Iterator[FunctionId]:
    for name in options.words:
        yield from find_functions(selection, name, options.within)
    if not (options.words or options.source_files):
        yield from function_ids(selection.functions)


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
