"""Run `--export-stacks OUT`: write the stacks of a profile for other viewers of flame graphs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial

from qcachegrind_py.cli.errors import FILE_ERROR, USAGE_ERROR, CommandError, report_error
from qcachegrind_py.cli.folding import fold_notes
from qcachegrind_py.cli.reports import load_profile, print_output
from qcachegrind_py.cli.saving import STANDARD_OUTPUT, check_not_read
from qcachegrind_py.cli.selection import report_selection
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.errors import UnwritableFile
from qcachegrind_py.profile.numbers import format_exact
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.write.stacks import StackReport, save_stacks, stack_report, write_stacks


def export_stacks(options: argparse.Namespace) -> int:
    """Write `--export-stacks OUT`; return the exit code."""
    path = options.export_stacks
    try:
        check_not_read("--export-stacks", path, options.files)
        profile = load_profile(options.files)
        selection = report_selection(profile, options, demangle_names(profile.texts))
        reports = _stack_reports(selection)
        return _write(profile, reports, path, fold_notes(selection))
    except CommandError as error:
        return report_error(error)


def _stack_reports(selection: ReportSelection) -> list[StackReport]:
    """Return the stacks in each of the chosen events; raises CommandError for ratios."""
    for event in selection.events:
        if event.is_ratio:
            reason = f"{event.name} is a ratio, which cannot be divided among stacks of calls."
            raise CommandError(USAGE_ERROR, f"--export-stacks: {reason}")
    return [
        stack_report(selection.queries, event, selection.scope, selection.filter)
        for event in selection.events
    ]


def _write(profile: Profile, reports: list[StackReport], path: str, more: Sequence[str]) -> int:
    """Write to the path, or to standard output for `-`; return the exit code."""
    notes = [*(_left_out(report) for report in reports if report.left_out), *more]
    if path == STANDARD_OUTPUT:
        return print_output(profile, partial(write_stacks, reports, path), *notes)
    try:
        save_stacks(path, reports)
    except UnwritableFile as error:
        raise CommandError(FILE_ERROR, str(error)) from error
    return print_output(profile, lambda _stream: None, *notes)


def _left_out(report: StackReport) -> str:
    cost = format_exact(report.left_out, report.event.name)
    return f"Stacks that cost {cost} in all are left out: viewers cannot draw negative costs."
