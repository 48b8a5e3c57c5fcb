"""Run `--annotate` and its kin: print source lines or instructions with their costs.

`cli.functions` finds functions and files by name, `cli.annotated_code` reads their code, and
`write.annotation` formats it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain
from typing import TextIO

from qcachegrind_py.cli.annotated_code import AnnotatedCode, annotated_file, annotated_function
from qcachegrind_py.cli.errors import CommandError, report_error
from qcachegrind_py.cli.folding import fold_notes
from qcachegrind_py.cli.functions import find_files, find_functions, is_pattern
from qcachegrind_py.cli.reports import file_search, load_profile, print_output
from qcachegrind_py.cli.selection import report_selection
from qcachegrind_py.cli.terminal import text_layout
from qcachegrind_py.present.annotation import AnnotationReport
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.ids import FunctionId, function_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.write.annotation import CONTEXT_LINES, write_annotations
from qcachegrind_py.write.separated import OutputFormat


def print_annotation(options: argparse.Namespace) -> int:
    """Print what `--annotate`, `--annotate-all` and `--annotate-file` ask for; return the code."""
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
    form: OutputFormat = options.report or "text"
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


def _annotated_codes(
    options: argparse.Namespace, selection: ReportSelection, search: FileSearch
) -> Iterator[AnnotatedCode]:
    for function in dict.fromkeys(_functions(options, selection)):
        yield annotated_function(selection, function, search, with_instructions=options.asm)
    for file in find_files(selection.queries, options.annotate_file or []):
        yield annotated_file(selection, file, search)


def _functions(options: argparse.Namespace, selection: ReportSelection) -> Iterator[FunctionId]:
    for name in options.annotate or []:
        yield from find_functions(selection, name, options.within or [])
    if options.annotate_all:
        yield from function_ids(selection.functions)
