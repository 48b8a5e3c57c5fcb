"""Run `--report lines-json` and `--report lcov`: print the costs of all source lines."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.errors import USAGE_ERROR, CommandError, report_error
from qcachegrind_py.cli.folding import fold_notes
from qcachegrind_py.cli.reports import file_search, load_profile, print_output
from qcachegrind_py.cli.selection import report_selection
from qcachegrind_py.write.lines import LineReport, write_lcov, write_lines_json


def print_lines(options: argparse.Namespace) -> int:
    """Print the costs of all lines; return the exit code."""
    try:
        search = file_search(options)
        profile = load_profile(options.files)
        report = LineReport(report_selection(profile, options), search)
        event = report.selection.event
        if options.report == "lcov" and event is not None and event.is_ratio:
            reason = f"{event.name} is a ratio, and lines of --report lcov have whole numbers."
            raise CommandError(USAGE_ERROR, reason)
    except CommandError as error:
        return report_error(error)
    write = write_lcov if options.report == "lcov" else write_lines_json
    notes = fold_notes(report.selection, of_lines=True)
    return print_output(profile, lambda stream: write(report, stream), *notes)
