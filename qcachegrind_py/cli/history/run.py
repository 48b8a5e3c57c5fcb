"""Run `--history`: read the profiles of all revisions, and print how costs changed over them."""

from __future__ import annotations

import argparse
import sys
from typing import TextIO, cast

from qcachegrind_py.analysis.comparison.sides import MatchingRules
from qcachegrind_py.analysis.history import History, read_history
from qcachegrind_py.cli.comparison.loading import matching_rules
from qcachegrind_py.cli.errors import FILE_ERROR, USAGE_ERROR, CommandError, report_error
from qcachegrind_py.cli.reports import print_with_problems
from qcachegrind_py.cli.selection import find_event
from qcachegrind_py.cli.siblings import error_hint
from qcachegrind_py.cli.terminal import text_layout
from qcachegrind_py.formats.history_files import load_file, named_revisions
from qcachegrind_py.formats.loading import error_text
from qcachegrind_py.present.history import (
    HistoryKey,
    HistoryKind,
    HistoryReport,
    history_page,
    history_report,
    history_table,
)
from qcachegrind_py.present.page import PAGE_LIMIT
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.events import EventType, first_counted, zeros_passed_over
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.visible_text import print_message
from qcachegrind_py.write.history import characters_for, write_json, write_text
from qcachegrind_py.write.html.page import write_html
from qcachegrind_py.write.separated import write_table


def print_history(options: argparse.Namespace) -> int:
    """Print the history in the form of `--report`; return the exit code."""
    reading = _Reading()
    try:
        history = _history(options, reading)
        key, _, kind = (options.sort or "trend").partition(":")
        is_page = options.report == "html"
        limit = PAGE_LIMIT if is_page and options.limit is None else options.limit
        order = cast("HistoryKey", key), cast("HistoryKind", kind or "self")
        event = _event(history, options.event)
        report = history_report(history, event, *order, limit, readable=is_page)
    except CommandError as error:
        return report_error(error)
    # of the terminal, as print_with_problems makes it UTF-8
    encoding = getattr(sys.stdout, "encoding", "utf-8")
    found = reading.problems
    return print_with_problems(
        sum(found.values()), found, lambda stream: _write(report, options, stream, encoding)
    )


class _Reading:
    """Reads files, and counts the problems in them."""

    def __init__(self) -> None:
        self.problems: dict[str, int] = {}  # how many each file has, if any

    def load(self, file: str, progress: Progress) -> Profile:
        """Read one file."""
        profile = load_file(file, progress)
        if profile.diagnostic_count:
            self.problems[file] = profile.diagnostic_count
        return profile


def _history(options: argparse.Namespace, reading: _Reading) -> History:
    """Read all revisions; raises CommandError if a file cannot be read."""
    rules: MatchingRules = matching_rules(options)
    revisions = named_revisions(options.files)
    try:
        return read_history(revisions, reading.load, None, rules, cycles=not options.no_cycles)
    except ProfileError as error:
        text = f"{error_text(error)} {error_hint(error)}".rstrip()
        raise CommandError(FILE_ERROR, text) from error


def _event(history: History, name: str | None) -> EventType:
    if name is not None and history.events:
        return find_event(history.event_types, name)
    event = first_counted(history.events, lambda event: not history.inclusive(event).any())
    if event is None:
        raise CommandError(USAGE_ERROR, "The profiles have no event in common.")
    if passed_over := zeros_passed_over(history.events, event):
        print_message(passed_over)
    return event


def _write(
    report: HistoryReport, options: argparse.Namespace, stream: TextIO, encoding: str | None
) -> None:
    match options.report:
        case "text":
            write_text(report, stream, text_layout(options, stream), characters_for(encoding))
        case "json":
            write_json(report, stream)
        case "html":
            write_html(history_page(report), stream)
        case form:
            write_table(history_table(report), form, stream)
