"""Options of following functions through the profiles of many revisions."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import add_group, annotates, checks, compares, names_functions

_FORMS = ("text", "tsv", "csv", "json", "html")
ORDERS = ("trend", "step", "spread")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--history`."""
    add_group(
        parser,
        "Follow functions through many revisions",
        "Each FILE, or LABEL=FILE, is the profile of a revision, the oldest first. They\n"
        "open in a window, in the dock History. For --report, --sort is trend (the\n"
        "default), step or spread; trend:inclusive and so on for inclusive costs.",
        "--history --report text a1 a2 b1 b2 b3",
        "--history --report html v1=old.out v2=new.out > history.html",
    ).add_argument(
        "--history",
        action="store_true",
        help="pair the functions of each FILE with those of the one before, and say how their "
        "costs changed, and with which revision they stepped to another level",
    )


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of histories are misused; empty if they are not."""
    if not options.history:
        return ""
    if not options.files:
        return "--history needs FILEs, the oldest first"
    if options.report not in (None, *_FORMS):
        return "--history needs --report text, tsv, csv, json or html, or none for the window"
    return _excluded(options) or _unsuitable(options)


def _excluded(options: argparse.Namespace) -> str:
    """Return which task the options ask for besides the history; empty for none."""
    if compares(options) or checks(options):
        return "--history excludes --base and checks, which are about two profiles"
    if annotates(options) or names_functions(options):
        return "--history excludes --annotate, --calls and --path"
    if options.save is not None or options.tree:
        return "--history excludes --save and --tree"
    if options.explain is not None or options.export_stacks is not None:
        return "--history excludes --explain and --export-stacks"
    return ""


def _unsuitable(options: argparse.Namespace) -> str:
    """Return which choice is one of a single profile; empty for none."""
    if options.fold:
        return "--fold is for one profile or two: a history has the functions as recorded"
    if options.events or options.filter or options.parts or options.siblings:
        return "--events, --filter, --parts and --siblings are not for --history"
    if options.threshold is not None or options.percent:
        return "--threshold and --percent are for a single profile"
    key, _, kind = (options.sort or ORDERS[0]).partition(":")
    if key not in ORDERS or kind not in ("", "self", "inclusive"):
        return "--sort is trend, step or spread with --history, or such as trend:inclusive"
    return ""
