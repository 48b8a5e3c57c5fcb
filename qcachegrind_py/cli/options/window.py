"""Options of the window, and the files for all tasks."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import add_group


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add FILE and the options of the window."""
    add = add_group(
        parser,
        "View a profile in a window",
        "Several files become the parts of one profile.",
        "callgrind.out.1234",
    ).add_argument
    add(
        "files",
        metavar="FILE",
        nargs="*",
        help="a profile, compressed or not; - for standard input",
    )
    add("--debug", action="store_true", help="log more, and to standard error")


def usage_error(_options: argparse.Namespace) -> str:
    """Return an empty text, as these options go with all others."""
    return ""
