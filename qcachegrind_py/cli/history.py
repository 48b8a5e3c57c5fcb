"""`history`: how functions changed over the profiles of many revisions."""

from __future__ import annotations

import sys
from typing import TextIO, cast

from qcachegrind_py.analysis.comparison.sides import MatchingRules
from qcachegrind_py.analysis.history import History, read_history
from qcachegrind_py.cli.compare import matching_rules
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import (
    FILE_ERROR,
    USAGE_ERROR,
    CommandError,
    print_with_problems,
    report_error,
    text_layout,
)
from qcachegrind_py.cli.selection import error_hint, find_event, is_readable
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

_ORDERS = ("trend", "step", "spread")


def run(options: Options) -> int:
    """Print the history in the form of `--format`; return the exit code."""
    reading = _Reading()
    try:
        order = _order(options.sort)
        history = _history(options, reading)
        is_page = options.format == "html"
        limit = PAGE_LIMIT if is_page and options.limit is None else options.limit
        event = _event(history, options.event)
        report = history_report(
            history, event, *order, limit, readable=is_page or is_readable(options)
        )
    except CommandError as error:
        return report_error(error)
    # of the terminal, as print_with_problems makes it UTF-8
    encoding = getattr(sys.stdout, "encoding", "utf-8")
    found = reading.problems
    return print_with_problems(
        options,
        sum(found.values()),
        found,
        lambda stream: _write(report, options, stream, encoding),
    )


def _order(text: str | None) -> tuple[HistoryKey, HistoryKind]:
    key, _, kind = (text or "trend").partition(":")
    if key not in _ORDERS or kind not in ("", "self", "inclusive"):
        reason = "the order is trend, step or spread, or such as trend:inclusive"
        raise CommandError(USAGE_ERROR, f"--sort {text}: {reason}.")
    return cast("HistoryKey", key), cast("HistoryKind", kind or "self")


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


def _history(options: Options, reading: _Reading) -> History:
    """Read all revisions; raises CommandError if a file cannot be read."""
    rules: MatchingRules = matching_rules(options)
    try:
        revisions = named_revisions(options.files)
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


def _write(report: HistoryReport, options: Options, stream: TextIO, encoding: str | None) -> None:
    match options.format:
        case "text":
            write_text(report, stream, text_layout(options, stream), characters_for(encoding))
        case "json":
            write_json(report, stream)
        case "html":
            write_html(history_page(report), stream)
        case "tsv" | "csv" as form:
            write_table(history_table(report), form, stream)
