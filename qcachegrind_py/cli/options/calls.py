"""Options of callers, callees and paths of calls."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import add_group, missing_file


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--calls`, `--path` and `--tree`."""
    add = add_group(
        parser,
        "Follow the calls of functions",
        "--report chooses text (the default), tsv, csv or json; --in, which function\n"
        "is meant. '<cycle 1>' names a recursion cycle.",
        "--calls main callgrind.out.1234",
        "--path hash callgrind.out.1234",
        "--report text --tree both --limit 20 callgrind.out.1234",
    ).add_argument
    add(
        "--calls",
        metavar="FUNCTION",
        action="append",
        help="print its callers, itself and its callees; may be given several times",
    )
    add(
        "--path",
        metavar="FUNCTION",
        action="append",
        help="print the costliest path of calls to it; may be given several times",
    )
    add(
        "--tree",
        choices=("callers", "callees", "both"),
        help="print callers, callees or both beside each function of --report text",
    )


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of calls are misused; empty if they are not."""
    if reason := missing_file(options, "calls", "path", "tree"):
        return reason
    if options.calls and options.path:
        return "--calls and --path are one or the other"
    if names_functions(options):
        name = "calls" if options.calls else "path"
        if options.report == "html":
            return f"--report html is of the whole profile, and --{name} of single functions"
        if options.annotate is not None or options.save is not None or options.screenshot:
            return f"--{name} and --annotate, --save or --screenshot are one or the other"
        if options.path and options.threshold is not None:
            return "--threshold leaves out functions or calls, and --path has all steps"
        if options.tree:
            return f"--tree is of all functions, and --{name} of single ones"
    if options.tree and (options.report != "text" or options.annotate is not None):
        return "--tree is for --report text; JSON has all calls"
    return ""


def names_functions(options: argparse.Namespace) -> bool:
    """Return whether `--calls` or `--path` asks for single functions."""
    return bool(options.calls or options.path)
