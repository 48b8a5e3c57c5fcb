"""`compare` and `gate` of folders: suites of benchmarks, each compared with its base."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TextIO, cast

from qcachegrind_py.cli.command_line import is_folder
from qcachegrind_py.cli.compare import matching_rules, readable_names
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import (
    FILE_ERROR,
    USAGE_ERROR,
    CommandError,
    Reasons,
    print_with_problems,
    text_layout,
)
from qcachegrind_py.cli.selection import (
    base_search,
    defined_events,
    file_search,
    filter_of,
    folds_of,
)
from qcachegrind_py.formats.loading import error_text
from qcachegrind_py.formats.suites import Suite, find_suite, predecessors
from qcachegrind_py.present.suite import (
    Check,
    SuiteChoice,
    SuiteReport,
    compare_suites,
    no_check,
    with_places,
)
from qcachegrind_py.present.suite_table import SuiteKey, listed_rows, suite_text
from qcachegrind_py.profile.errors import UnreadableFile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.visible_text import print_message, show_status
from qcachegrind_py.write.text import write_page

_ORDERS = ("change", "growth", "base", "new")
_REPORTED = 0.2  # seconds from one report of the progress to the next


def run(options: Options) -> int:
    """Print what changed in two suites; return the exit code.

    It is 1 or 2 if that is impossible, or if a benchmark could not be read; all others are printed.
    """
    reasons = Reasons()
    report = read(options, no_check, reasons)
    if report is None:
        return reasons.report()
    listed = chosen_rows(report, options)
    reasons.add(print_suite(report, listed, options))
    return reasons.report()


# ---------------------------------------------------------------- reading


def read(options: Options, check: Check, reasons: Reasons) -> SuiteReport | None:
    """Compare the suites that are named; None, with the reasons, if that is impossible."""
    suites: tuple[Suite, Suite] | None = None
    choice, searches, progress = SuiteChoice(), None, _TerminalProgress()
    with reasons.collecting():
        _check_options(options)
        suites = find_suites(progress, options)
    with reasons.collecting():
        choice = _choice(options)
    with reasons.collecting():
        searches = file_search(options), base_search(options)
    if reasons or suites is None or searches is None:
        return None
    try:
        report = compare_suites(PartialProgress(progress, 0, 0.9), *suites, choice, check)
        for row in report.rows:
            if row.is_unreadable:
                reasons.add(FILE_ERROR, row.problem)
        if not all(row.problem for row in report.rows):
            part = PartialProgress(progress, 0.9, 1)
            return with_places(part, replace(report, folder=str(Path.cwd())), choice, searches)
    finally:
        show_status("")
    if not reasons:
        reasons.add(USAGE_ERROR, f"{report.rows[0].name}: {report.rows[0].problem}.")
    return None


def find_suites(progress: Progress, options: Options) -> tuple[Suite, Suite]:
    """Find the benchmarks of both sides; raises CommandError if there are none, or no pairs."""
    (folder,) = map(Path, options.files)
    base = options.base[0] if options.base else "@old"
    try:
        new = find_suite(progress, folder)
        if base.startswith("@") and not Path(base).exists():
            kept = "" if base == "@old" else base[1:]
            old = predecessors(progress, folder, kept)
        elif not Path(base).exists() and options.base_optional:
            print_message(f"{base} does not exist: there is no base to compare with.")
            old = Suite(Path(base), ())
        else:
            old = find_suite(progress, Path(base))
    except UnreadableFile as error:
        raise CommandError(FILE_ERROR, error_text(error)) from error
    if not new.benchmarks:
        raise CommandError(FILE_ERROR, f"{folder}: there is no profile in it.")
    if not old.benchmarks and not options.base_optional:
        where = f"of {folder} is kept beside its files" if base.startswith("@") else f"in {base}"
        what = {"@old": "No earlier run"}.get(base, f"No baseline {base[1:]}")
        what = what if base.startswith("@") else "No profile is"
        reason = "--base-optional goes on without."
        raise CommandError(FILE_ERROR, f"{what} {where}. {reason}")
    return old, new


def _check_options(options: Options) -> None:
    """Raise CommandError for options that are for two profiles, and for mixed sides."""
    for field in ("repeats", "per_call", "shares"):
        if getattr(options, field):
            name = f"--{field.replace('_', '-')}"
            raise CommandError(USAGE_ERROR, f"{name} is for two profiles, and not for folders.")
    if options.events and "," in options.events:
        raise CommandError(USAGE_ERROR, "Suites are compared in one event: name it with --event.")
    if len(options.files) != 1 or len(options.base) > 1:
        raise CommandError(USAGE_ERROR, "Suites are one folder on each side.")
    sides = [*options.base, *options.files]
    files = [each for each in sides if Path(each).exists() and not is_folder(each)]
    if files:
        reason = f"{files[0]} is a file and {next(filter(is_folder, sides))} a folder"
        raise CommandError(USAGE_ERROR, f"{reason}: name two of a kind.")


def _choice(options: Options) -> SuiteChoice:
    filter_ = filter_of(options.filter, compares=True)
    words = (options.events or "").partition("=")
    return SuiteChoice(
        options.event or words[0].strip() or None,
        matching_rules(options),
        folds_of(options, filter_),
        filter_,
        cycles=not options.no_cycles,
        readable=readable_names(options) - {"shown"},
        user_events=lambda events: defined_events(events, options.events or ""),
    )


# ---------------------------------------------------------------- writing


def chosen_rows(report: SuiteReport, options: Options) -> Int64Array:
    """Return the benchmarks to list, in their order."""
    key = options.sort or "change"
    if key not in _ORDERS:
        listed = f"{', '.join(_ORDERS[:-1])} or {_ORDERS[-1]}"
        raise CommandError(USAGE_ERROR, f"--sort {key}: the order of benchmarks is {listed}.")
    is_for_people = options.format in ("text", "markdown", "rules")
    unchanged = options.unchanged or not is_for_people
    rows = listed_rows(report, cast("SuiteKey", key), options.only, unchanged=unchanged)
    return rows[: options.limit]


def print_suite(report: SuiteReport, listed: Int64Array, options: Options) -> int:
    """Print the report in the form of `--format`; return the exit code."""
    odd = {row.new_files[0] if row.new_files else row.name: row.odd_lines for row in report.rows}
    return print_with_problems(
        options,
        sum(odd.values()),
        (file for file, count in odd.items() if count),
        lambda stream: _write(report, listed, options, stream),
    )


def _write(report: SuiteReport, listed: Int64Array, options: Options, stream: TextIO) -> None:
    match options.format:
        case "text":
            write_page(suite_text(report, listed), stream, text_layout(options, stream))


# ---------------------------------------------------------------- progress


class _TerminalProgress:
    """Progress in the last line of a terminal."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _REPORTED

    def check(self, fraction: float, text: str = "") -> None:
        if (now := time.monotonic()) >= self._next:
            self._next = now + _REPORTED
            show_status(f"Comparing benchmarks: {fraction:.0%}")
