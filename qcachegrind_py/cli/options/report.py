"""Options of the function table."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.calls import names_functions
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
        choices=("text", "tsv", "csv", "json", "html"),
        help="print the function table, or all that matters as a page of HTML; "
        "or choose how --annotate prints",
    )
    add("--event", metavar="NAME", help="the event to sort by and show (default: the first)")
    add(
        "--sort",
        choices=("inclusive", "self", "called", "name"),
        help="the order of the functions (default: inclusive)",
    )
    add(
        "--limit",
        metavar="N",
        type=_parse_count,
        help="print only the first N functions (HTML: 1000)",
    )
    add("--no-cycles", action="store_true", help="do not look for recursion cycles")


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of reports are misused; empty if they are not."""
    annotates, reports = options.annotate is not None, bool(options.report)
    if reason := missing_file(options, "report"):
        return reason
    if options.sort and names_functions(options):
        return "--sort orders all functions; callers and callees are in the order of their cost"
    if (options.sort or options.limit is not None or options.no_cycles) and (
        annotates or not (reports or names_functions(options))
    ):
        return "--sort, --limit and --no-cycles choose what --report prints of all functions"
    if options.event and not (annotates or reports or names_functions(options) or options.filter):
        return "--event chooses what --report and --annotate print, and what --filter looks at"
    return ""


def _parse_count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of functions, such as 20")
    return int(text)
