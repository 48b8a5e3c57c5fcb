"""Options that choose what reports are about, and what is saved."""

from __future__ import annotations

import argparse
import re
from fractions import Fraction

from qcachegrind_py.cli.options.task import add_group, annotates, checks, names_functions

_PERCENTAGE = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,9})?%?")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add events, order, threshold, filter and parts."""
    add = add_group(
        parser,
        "Choose events, functions and parts",
        "--filter, --fold and --parts are for all reports and for --save.",
        "--report text --events Ir,Dw --sort Dw callgrind.out.1234",
        "--report csv --filter 'self>1%' --percent callgrind.out.1234",
        "--report text --fold libc --fold '^std::' callgrind.out.1234",
    ).add_argument
    add(
        "--event",
        metavar="NAME",
        help="the event to sort by and show (default: the first that counted anything)",
    )
    add(
        "--events",
        metavar="A,B,C",
        help="several events side by side; NAME=FORMULA defines one, such as IPD=Ir/Dr",
    )
    add(
        "--sort",
        metavar="ORDER",
        help="the order of the functions: inclusive (the default), self, called or name; or the "
        "self cost of an EVENT, or EVENT:inclusive; for --base and --history see there",
    )
    add(
        "--threshold",
        metavar="N",
        type=_parse_percentage,
        help="leave out cheap functions: sorted by self cost, show those that make up N%% of "
        "the total; by inclusive cost, those with at least 100 - N%%",
    )
    add("--limit", metavar="N", type=_parse_count, help="only the first N functions (HTML: 1000)")
    add(
        "--filter",
        metavar="TERMS",
        help="only functions that match a filter as in the window, such as 'self>1%% lib:Qt'",
    )
    add(
        "--fold",
        metavar="TERM",
        action="append",
        help="charge the functions that match to their callers, as in a profile without them: "
        "libc, stdlib, lib:Qt, only:lib:app for all others, collapse:parse for recursion; may be "
        "repeated",
    )
    add("--parts", metavar="1,3-5", help="only these parts, counted from 1")
    add(
        "--siblings",
        action="store_true",
        help="also read the other files of the same run, such as those of its threads",
    )
    add("--no-cycles", action="store_true", help="do not detect recursion cycles")
    add(
        "--percent",
        action="store_true",
        help="add percentages to tsv, csv and json; text always has them",
    )


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of the selection are misused; empty if they are not."""
    is_annotation, calls = annotates(options), names_functions(options)
    exports = options.export_stacks is not None
    reports, writes = bool(options.report) or checks(options), exports or options.save is not None
    if options.sort and calls:
        return "--sort is for all functions; callers and callees are sorted by cost"
    chooses = options.sort or options.limit is not None or options.threshold is not None
    is_for_all = reports or calls or bool(options.annotate_all)
    if (chooses and not is_for_all) or (options.no_cycles and not (is_for_all or exports)):
        return (
            "--sort, --threshold, --limit and --no-cycles choose what --report and "
            "--annotate-all print of all functions"
        )
    if chooses and is_annotation and not options.annotate_all:
        return "--sort, --threshold and --limit apply to all functions: use --annotate-all"
    if options.event and options.events:
        return "--event and --events exclude each other"
    prints = is_annotation or reports or calls
    if options.events and not (prints or exports):
        return "--events is for --report and --annotate"
    if options.event and not (prints or exports or options.filter):
        return "--event is for --report, --annotate and --filter"
    if (options.parts or options.filter or options.fold) and not (prints or writes):
        return "--parts, --filter and --fold are for --report, --annotate and --save"
    if options.siblings and not (prints or writes):
        return "--siblings is for commands without a window; the window offers them in a notice"
    if options.percent and options.report not in ("tsv", "csv", "json"):
        return "--percent is for --report tsv, csv and json"
    return ""


def _parse_count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of functions, such as 20")
    return int(text)


def _parse_percentage(text: str) -> Fraction:
    share = Fraction(text.removesuffix("%")) if _PERCENTAGE.fullmatch(text) else Fraction(-1)
    if not 0 <= share <= 100:
        raise argparse.ArgumentTypeError(f"“{text}” is not a percentage from 0 to 100, such as 99")
    return share
