"""Options of explaining a number."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import (
    add_group,
    annotates,
    checks,
    compares,
    missing_file,
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--explain` and the choice of the number."""
    add = add_group(
        parser,
        "Explain a number",
        "It is the self cost unless another is chosen; --event says in what.",
        "--explain main --inclusive callgrind.out.1234",
    ).add_argument
    add(
        "--explain",
        metavar="FUNCTION",
        help="print how a number of the function comes about, and the lines of the profile that "
        "it is the sum of, --limit of them (default: 200)",
    )
    add("--inclusive", action="store_true", help="explain the inclusive cost")
    add("--called", action="store_true", help="explain how often the function was called")


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of explanations are misused; empty if they are not."""
    if options.explain is None:
        if options.inclusive or options.called:
            return "--inclusive and --called are for --explain"
        return ""
    if options.inclusive and options.called:
        return "--inclusive and --called exclude each other"
    prints = options.report or options.calls or options.path or options.screenshot
    writes = options.save is not None or options.export_stacks is not None
    if prints or writes or any(used(options) for used in (annotates, checks, compares)):
        return "--explain excludes all other tasks, such as --report and --base"
    if options.events and "," in options.events:
        return "--explain is about one event: name it with --event"
    if options.sort or options.threshold is not None or options.filter:
        return "--sort, --threshold and --filter are not for --explain"
    return missing_file(options, "explain")
