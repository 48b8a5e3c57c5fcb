"""Run `--annotate` and its kin: print source lines or instructions with their costs.

`cli.functions` finds functions and files by name, `present.annotation` reads their code, and
`write.annotation` formats it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TextIO

from qcachegrind_py.cli.errors import CommandError, report_error
from qcachegrind_py.cli.folding import fold_notes
from qcachegrind_py.cli.functions import find_files, find_functions, is_pattern
from qcachegrind_py.cli.reports import file_search, load_profile, print_output
from qcachegrind_py.cli.selection import report_selection
from qcachegrind_py.cli.terminal import text_layout
from qcachegrind_py.present.annotation import (
    CONTEXT_LINES,
    Annotation,
    AnnotationReport,
    annotated_file,
    annotated_function,
    costly_files,
)
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.ids import FunctionId, function_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.write.annotation import write_annotations
from qcachegrind_py.write.separated import OutputFormat

_COSTLY = Fraction(99)  # percent of all costs are in the files that are listed by default


def print_annotation(options: argparse.Namespace) -> int:
    """Print what `--annotate`, `--annotate-all` and `--annotate-file` ask for; return the code."""
    try:
        search = file_search(options)
        profile = load_profile(options.files)
        selection = report_selection(profile, options)
        of_program = options.annotate_all and not options.asm
        annotations = list(_annotations(options, selection, search))
    except CommandError as error:
        return report_error(error)
    form: OutputFormat = options.report or "text"
    report = AnnotationReport(
        annotations,
        selection.events,
        selection.scope.parts,
        is_list=not _asks_for_one(options, profile),
        of_program=of_program,
    )
    is_said = form == "text" and report.is_list
    notes = [*report.notes(with_missing=not is_said), *fold_notes(selection, of_lines=True)]
    context = CONTEXT_LINES if options.context is None else options.context

    def write(stream: TextIO) -> None:
        write_annotations(report, form, stream, text_layout(options, stream), context)

    return print_output(profile, write, *notes)


def _asks_for_one(options: argparse.Namespace, profile: Profile) -> bool:
    """Return whether one function is named in full, or one file."""
    names, files = options.annotate or [], options.annotate_file or []
    if options.annotate_all or len(names) + len(files) != 1:
        return False
    return bool(files) or not is_pattern(profile, names[0])


def _annotations(
    options: argparse.Namespace, selection: ReportSelection, search: FileSearch
) -> Iterator[Annotation]:
    for function in dict.fromkeys(_functions(options, selection)):
        yield annotated_function(selection, function, search, with_instructions=options.asm)
    files = find_files(selection.queries, options.annotate_file or [])
    if options.annotate_all and not options.asm:
        costly = selection
        if selection.threshold is None:
            costly = replace(selection, threshold=_COSTLY)
        files += costly_files(costly)
    for file in dict.fromkeys(files):
        yield annotated_file(selection, file, search)


def _functions(options: argparse.Namespace, selection: ReportSelection) -> Iterator[FunctionId]:
    for name in options.annotate or []:
        yield from find_functions(selection, name, options.within or [])
    if options.annotate_all and options.asm:
        yield from function_ids(selection.functions)
