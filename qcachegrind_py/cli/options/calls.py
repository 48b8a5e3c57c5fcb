"""Options of callers, callees and paths of calls."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import add_group, annotates, missing_file


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
        help="print the function with its callers and callees; may be repeated",
    )
    add(
        "--path",
        metavar="FUNCTION",
        action="append",
        help="print the costliest call path to the function; may be repeated",
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
        return "--calls and --path exclude each other"
    if options.calls or options.path:
        name = "calls" if options.calls else "path"
        if options.report == "html":
            return f"--report html is for the whole profile, --{name} for single functions"
        if annotates(options) or options.save is not None or options.screenshot:
            return f"--{name} excludes --annotate, --save and --screenshot"
        if options.path and options.threshold is not None:
            return "--threshold does not apply to --path, which prints all steps"
        if options.tree:
            return f"--tree is for all functions, --{name} for single ones"
    if options.tree and (options.report != "text" or annotates(options)):
        return "--tree is for --report text; JSON has all calls"
    return ""
