"""Options that check costs, with or without a base, in CI jobs."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import (
    add_group,
    annotates,
    checks,
    compares,
    names_functions,
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--fail-if` and what says whether a rule is met."""
    add = add_group(
        parser,
        "Check costs in CI",
        "Exit code 3: a rule is met; 4: --strict, and not comparable. A rule is a\n"
        "filter that may have total and EVENT. in front. Numbers with a sign are\n"
        "changes from the base: +5% of its value, +5%t of its total, +5000.",
        "--base old.out --fail-if 'total>+1%' new.out",
        "--base old.out --fail-if 'self>+5% self>+0.1%t' new.out",
        "--fail-if 'Dw.total>10m' --fail-if 'name:=debug' new.out",
    ).add_argument
    add(
        "--fail-if",
        metavar="RULE",
        action="append",
        help="fail if all terms of the rule hold, for one function; may be repeated",
    )
    add(
        "--strict",
        action="store_true",
        help="fail if a profile is damaged, or command, events or caches of the runs differ",
    )
    add("--summary", metavar="FILE.md", help="write rules, totals and top changes as Markdown")
    add("--junit", metavar="FILE.xml", help="write the rules as tests in JUnit's XML")
    add(
        "--annotations",
        choices=("github",),
        help="print functions that meet a rule as annotations of their source",
    )


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of a gate are misused; empty if they are not."""
    if not checks(options):
        return ""
    if not options.files:
        return "--fail-if needs a FILE" if options.fail_if else "--summary needs a FILE"
    if not (options.fail_if or options.strict or compares(options)):
        return "--summary, --junit and --annotations need --fail-if or --base"
    if annotates(options) or names_functions(options):
        return "--fail-if excludes --annotate, --calls and --path"
    if options.save is not None or options.screenshot:
        return "--fail-if excludes --save and --screenshot"
    chooses = options.filter or options.only or options.sort or options.limit is not None
    if chooses and not (options.report or options.summary):
        return (
            "--filter, --only, --sort and --limit choose what --report and --summary list; "
            "a rule has terms of its own"
        )
    return ""
