"""Options of saving a profile."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import add_group, annotates, missing_file


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--save` and the choice of what it writes."""
    add = add_group(
        parser,
        "Save a profile, or a part of it",
        "The file has the Callgrind format, compressed according to its extension.",
        "--save small.gz --parts 1,3 callgrind.out.1234",
    ).add_argument
    add(
        "--save",
        metavar="OUT",
        help="write the profile; compressed as .gz, .bz2, .xz or .zst; - for standard output",
    )
    add("--merge", action="store_true", help="merge all parts into one")


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of saving are misused; empty if they are not."""
    saves = options.save is not None
    if reason := missing_file(options, "save"):
        return reason
    if saves and (annotates(options) or options.report or options.screenshot):
        return "--save excludes --report, --annotate and --screenshot"
    if not saves and options.merge:
        return "--merge is for --save"
    return ""
