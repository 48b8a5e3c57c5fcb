"""Options of exporting stacks."""

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


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--export-stacks`."""
    add = add_group(
        parser,
        "Export stacks for flame graphs",
        "Other viewers read them. Paths that the profile does not prove are marked.",
        "--export-stacks sheet.json callgrind.out.1234",
    ).add_argument
    add(
        "--export-stacks",
        metavar="OUT",
        help="write the self costs of all stacks of calls: speedscope's format as .json, folded "
        "stacks of one --event otherwise; - for standard output",
    )


def usage_error(options: argparse.Namespace) -> str:
    """Return why `--export-stacks` is misused; empty if it is not."""
    if options.export_stacks is None:
        return ""
    saves = options.save is not None or options.screenshot
    is_used = (annotates, checks, compares, names_functions)
    if options.report or saves or any(each(options) for each in is_used):
        return "--export-stacks excludes all other tasks, such as --report and --base"
    if ".json" not in options.export_stacks and options.events and "," in options.events:
        return "folded stacks have one event: name it with --event, or write OUT.json"
    return missing_file(options, "export_stacks")
