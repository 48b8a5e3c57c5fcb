"""Run `--report`: print the function table; also reading and printing for all commands.

`cli.annotation` prints annotations, `cli.html_page` the HTML page.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

from qcachegrind_py.cli.errors import FILE_ERROR, USAGE_ERROR, CommandError, report_error
from qcachegrind_py.cli.folding import fold_notes
from qcachegrind_py.cli.selection import report_selection
from qcachegrind_py.cli.siblings import error_hint, siblings_hint
from qcachegrind_py.cli.terminal import text_layout, write_output
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.formats.loading import display_name, error_text, load
from qcachegrind_py.present.call_report import tree_page
from qcachegrind_py.present.facts import less_than_self_text
from qcachegrind_py.present.function_report import function_listing, function_page, profile_records
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.errors import PathRuleError, ProfileError
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.tools.sources.file_search import FileSearch, SearchFolder, parse_rule
from qcachegrind_py.visible_text import print_message
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.separated import write_table
from qcachegrind_py.write.text import write_page

_MAX_NAMED = 5  # files with problems


def print_report(options: argparse.Namespace) -> int:
    """Print the function table of `--report`; return the exit code."""
    try:
        profile = load_profile(options.files)
        selection = report_selection(profile, options)
    except CommandError as error:
        return report_error(error)
    less = less_than_self_text(selection.queries, selection.scope)
    notes = fold_notes(selection) if options.report in ("tsv", "csv") else []
    notes += [f"{less}."] if less and options.report != "text" else []
    return print_output(profile, lambda out: _write(selection, options, out), *notes)


def _write(selection: ReportSelection, options: argparse.Namespace, stream: TextIO) -> None:
    """Write a selection in the form of `--report`."""
    if options.report == "json":
        write_records(profile_records(selection), stream)
    elif options.report != "text":
        write_table(function_listing(selection), options.report, stream)
    elif options.tree:
        write_page(tree_page(selection, options.tree), stream, text_layout(options, stream))
    else:
        write_page(function_page(selection), stream, text_layout(options, stream))


def file_search(options: argparse.Namespace) -> FileSearch:
    """Return the search locations of files; raises CommandError if a `--map` is invalid.

    What goes to a terminal shows any source, as a window does; what is written does not.
    """
    try:
        rules = tuple(map(parse_rule, options.map or []))
    except PathRuleError as error:
        raise CommandError(USAGE_ERROR, f"--map {error}") from error
    folders = (str(path_on_disk(Path(path)).parent) for path in options.files)
    searched = (SearchFolder(str(Path(folder).absolute())) for folder in options.include or [])
    return FileSearch(
        rules,
        tuple(searched),
        bases=(*dict.fromkeys(folders), "."),
        is_for_writing=sys.stdout is None or not sys.stdout.isatty(),
    )


def load_profile(files: list[str], *, names_siblings: bool = True) -> Profile:
    """Load the profile; raises CommandError if a file cannot be read.

    A message names the other files of the run, unless `names_siblings` is False.
    """
    hint = siblings_hint(files) if names_siblings else ""
    try:
        profile = load(*files)
    except ProfileError as error:
        hint = error_hint(error) or hint
        text = error_text(error)
        raise CommandError(FILE_ERROR, f"{text} {hint}".rstrip()) from error
    if hint:
        print_message(hint)
    return profile


def print_output(profile: Profile, write: Callable[[TextIO], None], *notes: str) -> int:
    """Print as `print_with_problems` does; the problems are the diagnostics of the profile."""
    files = (each.path for each in profile.diagnostics)
    return print_with_problems(profile.diagnostic_count, files, write, *notes)


def print_with_problems(
    problems: int, files: Iterable[str], write: Callable[[TextIO], None], *notes: str
) -> int:
    """Write to stdout, then notes and the number of problems to stderr; return the exit code.

    `files` are those that have the problems, once or several times.

    A line on stderr says so if the file was read slowly, for lack of a C compiler.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")

    def write_all(stream: TextIO) -> None:
        write(stream)
        stream.flush()  # nothing follows what cannot be written
        for note in notes:
            print_message(note)
        if problems:
            names = list(dict.fromkeys(map(display_name, files)))
            more = f" and {len(names) - _MAX_NAMED:,} more" if len(names) > _MAX_NAMED else ""
            where = ", ".join(names[:_MAX_NAMED]) + more
            print_message(f"{problems} {plural(problems, 'problem')} found in {where}.")
        if not COMPILED:
            from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text

            print_message(slow_scanner_text())

    return write_output(write_all)
