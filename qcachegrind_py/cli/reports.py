"""Run `--report`: print the function table; also exit codes and errors of all printing commands.

`cli.annotation` prints annotations, `cli.html_page` the HTML page.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.formats.loading import load
from qcachegrind_py.formats.standard_input import error_text
from qcachegrind_py.profile.errors import PathRuleError, ProfileError
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.number_format import plural
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.reports import function_table
from qcachegrind_py.reports.table_export import cell_text
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.tools.sources.path_rules import parse_rule

FILE_ERROR = 1
USAGE_ERROR = 2


class CommandError(Exception):
    """The reason for ending the command, and its exit code."""

    def __init__(self, code: int, reason: str) -> None:
        self.code = code
        super().__init__(reason)


def print_report(options: argparse.Namespace) -> int:
    """Print the function table of `--report`; return the exit code."""
    writers: dict[str, Callable[[Profile, function_table.TableOptions, TextIO], None]] = {
        "text": function_table.write_text,
        "tsv": function_table.write_tsv,
        "csv": function_table.write_csv,
        "json": function_table.write_json,
    }
    try:
        profile = load_profile(options.files)
        event = select_event(profile, options.event)
    except CommandError as error:
        return report_error(error)
    table_options = function_table.TableOptions(
        event, options.sort or "inclusive", options.limit, not options.no_cycles
    )
    return print_output(
        profile, lambda stream: writers[options.report](profile, table_options, stream)
    )


def file_search(options: argparse.Namespace) -> FileSearch:
    """Return the search locations of files; raises CommandError if a `--map` is invalid."""
    try:
        rules = tuple(map(parse_rule, options.map or []))
    except PathRuleError as error:
        raise CommandError(USAGE_ERROR, f"--map {error}") from error
    folders = (str(Path(path).parent) for path in options.files)
    return FileSearch(rules, bases=(*dict.fromkeys(folders), "."))


def load_profile(files: list[str]) -> Profile:
    """Load the profile; raises CommandError if a file cannot be read."""
    try:
        return load(*files)
    except ProfileError as error:
        raise CommandError(FILE_ERROR, error_text(error)) from error


def select_event(profile: Profile, name: str | None) -> EventType | None:
    """Return the event of that name, by default the first; raises CommandError if there is none."""
    events = profile.events
    event = events.find(name) if name else next(iter(events.all), None)
    if event is None and name:
        names = ", ".join(event.name for event in events.all)
        raise CommandError(USAGE_ERROR, f"There is no event {name}; there are: {names}.")
    return event


def report_error(error: CommandError) -> int:
    """Print the error to stderr; return the exit code."""
    print(error, file=sys.stderr)
    return error.code


def print_output(profile: Profile, write: Callable[[TextIO], None], *notes: str) -> int:
    """Write to stdout, then notes and the number of diagnostics to stderr; return the exit code.

    A line on stderr says so if the file was read slowly, for lack of a C compiler.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        write(sys.stdout)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the rest, at exit
        if isinstance(error, BrokenPipeError):  # the reader, such as `head`, has closed the pipe
            return 0
        reason = f"Standard output cannot be written: {error.strerror or error}."
        return report_error(CommandError(FILE_ERROR, reason))
    for note in notes:
        print(cell_text(note), file=sys.stderr)
    if profile.diagnostic_count:
        count = profile.diagnostic_count
        print(f"{count} {plural(count, 'oddity')} found.", file=sys.stderr)
    if not COMPILED:
        from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text

        print(slow_scanner_text(), file=sys.stderr)
    return 0
