"""Options of the function table."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import add_group, missing_file


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
        choices=("text", "tsv", "csv", "json", "html", "markdown"),
        help="print the function table, or everything important as an HTML page; "
        "also the format of --annotate; markdown is for --base",
    )


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of reports are misused; empty if they are not."""
    return missing_file(options, "report")
