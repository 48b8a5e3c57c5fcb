"""Options of the window, and the files for all tasks."""

from __future__ import annotations

import argparse
import re

from qcachegrind_py.cli.options.task import (
    add_group,
    annotates,
    checks,
    missing_file,
    names_functions,
)

_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add FILE and the options of the window."""
    add = add_group(
        parser,
        "View a profile in a window",
        "Several files become the parts of one profile.",
        "callgrind.out.1234",
        "--view hot-loop.json callgrind.out.1234",
    ).add_argument
    add(
        "files",
        metavar="FILE",
        nargs="*",
        help="a profile, compressed or not; - for standard input",
    )
    add(
        "--view",
        metavar="VIEWS",
        help="show the first view of a file of saved views; others can be added to the list",
    )
    add(
        "--max-memory",
        metavar="SIZE",
        type=_parse_size,
        help="what a profile may take, such as 2G or 500M, or none for any amount (default: most "
        "of the memory that is available)",
    )
    add("--debug", action="store_true", help="log more, and to standard error")


def usage_error(options: argparse.Namespace) -> str:
    """Return why `--view` is misused; empty if it is not."""
    if options.view is None:
        return ""
    other_tasks = (
        options.report, options.save, options.export_stacks, names_functions(options),
        annotates(options), checks(options),
    )  # fmt: skip
    if any(other_tasks):
        return "--view is for the window and for --screenshot"
    return missing_file(options, "view")


def _parse_size(text: str) -> int:
    """Return a number of bytes; 0 for any."""
    if text == "none":
        return 0
    if not (match := re.fullmatch(r"([1-9][0-9]{0,14})([kMGT]?)", text)):
        raise argparse.ArgumentTypeError(f"“{text}” is no size, such as 2G or 500M, and not none")
    return int(match[1]) * _UNITS[match[2]]
