"""`annotate`: source lines or instructions of functions and files, with their costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TextIO, cast

from qcachegrind_py.cli.functions import find_files, find_functions, is_pattern
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import CommandError, print_output, report_error, text_layout
from qcachegrind_py.cli.selection import file_search, fold_notes, load_profile, report_selection
from qcachegrind_py.present.annotation import (
    CONTEXT_LINES,
    Annotation,
    AnnotationReport,
    annotated_files,
    annotated_functions,
    costly_files,
)
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.ids import FunctionId, function_ids
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.write.annotation import write_annotations
from qcachegrind_py.write.separated import OutputFormat

_COSTLY = Fraction(99)  # percent of all costs are in the files that are listed by default


def run(options: Options) -> int:
    """Print the code of the functions and files that are named; return the exit code.

    Without any, that of the costly files of the program, or of all functions for instructions.
    """
    is_of_program = not (options.words or options.source_files)
    try:
        search = file_search(options)
        profile = load_profile(options.files)
        selection = report_selection(profile, options)
        annotations = list(_annotations(options, selection, search, is_of_program=is_of_program))
    except CommandError as error:
        return report_error(error)
    form = cast("OutputFormat", options.format)
    report = AnnotationReport(
        annotations,
        selection.events,
        selection.scope.parts,
        is_list=not _asks_for_one(options, selection),
        of_program=is_of_program and not options.asm,
        texts=selection.texts,
    )
    is_said = form == "text" and report.is_list
    notes = [*report.notes(with_missing=not is_said), *fold_notes(selection, of_lines=True)]
    context = CONTEXT_LINES if options.context is None else options.context

    def write(stream: TextIO) -> None:
        write_annotations(report, form, stream, text_layout(options, stream), context)

    return print_output(options, profile, write, *notes)


def _asks_for_one(options: Options, selection: ReportSelection) -> bool:
    """Return whether one function is named in full, or one file."""
    names, files = options.words, options.source_files
    is_one = len(names) + len(files) == 1
    return is_one and (bool(files) or not is_pattern(selection.queries, names[0]))


def _annotations(
    options: Options, selection: ReportSelection, search: FileSearch, *, is_of_program: bool
) -> Iterator[Annotation]:
    functions: list[FunctionId] = []
    files = find_files(selection.queries, options.source_files)
    for name in options.words:
        functions += find_functions(selection, name, options.within)
    if is_of_program and options.asm:
        functions = function_ids(selection.functions)
    elif is_of_program:
        is_chosen = selection.threshold is not None
        files = costly_files(selection if is_chosen else replace(selection, threshold=_COSTLY))
    yield from annotated_functions(
        selection, list(dict.fromkeys(functions)), search, with_instructions=options.asm
    )
    yield from annotated_files(selection, list(dict.fromkeys(files)), search)
