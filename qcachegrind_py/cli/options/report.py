"""Options of the function table."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import (
    add_group,
    annotates,
    checks,
    compares,
    missing_file,
    names_functions,
)

LINE_FORMS = ("lines-json", "lcov")  # of the costs of source lines instead of functions


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--report` and the choice of what it prints."""
    add = add_group(
        parser,
        "Print a report of all functions",
        "No display is needed, here and below.",
        "--report text --limit 20 callgrind.out.1234",
    ).add_argument
    add(
        "--report",
        choices=("text", "tsv", "csv", "json", "html", "markdown", *LINE_FORMS),
        help="print the function table, or everything important as an HTML page; also the "
        "format of --annotate; markdown is for --base; lines-json and lcov are the costs of all "
        "source lines, for editors",
    )


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of reports are misused; empty if they are not."""
    if options.report in LINE_FORMS:
        is_used = (annotates, checks, compares, names_functions)
        if any(each(options) for each in is_used):
            return f"--report {options.report} is about the lines of one profile: use it alone"
        if options.sort or options.limit is not None or options.threshold is not None:
            return f"--sort, --limit and --threshold are not for --report {options.report}"
    return missing_file(options, "report")
