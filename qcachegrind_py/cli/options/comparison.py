"""Options of comparing a profile with a base."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import add_group, annotates, checks, compares, names_functions
from qcachegrind_py.profile.errors import PathRuleError
from qcachegrind_py.tools.git import is_revision
from qcachegrind_py.tools.sources.file_search import BaseSearch, parse_rule

ORDERS = ("change", "growth", "base", "new", "calls")
_FOR_BASE = {  # options that mean something only where there is a base
    "only": "--only",
    "shares": "--shares",
    "per_call": "--per-call",
    "mod_filename": "--mod-filename",
    "mod_funcname": "--mod-funcname",
    "accept_renames": "--accept-renames",
    "repeats": "--repeats",
    "base_optional": "--base-optional",
}
_FOR_HISTORY = ("mod_filename", "mod_funcname", "accept_renames")  # which pairs functions, too
_FOR_WINDOW = {"base_program": "--base-program"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--base` and how two profiles are compared."""
    group = add_group(
        parser,
        "Compare with a base",
        "Shows what changed from the base to FILE: + is growth. For --report, --sort\n"
        "is change (the default), growth, base, new or calls; change:inclusive and so\n"
        "on for inclusive costs.",
        "--base old.out new.out",
        "--base old.out --report text new.out",
        "--base old.out --report markdown --only grown new.out",
        "--base a1 --base a2 --repeats --report text b1 b2 b3",
    )
    add = group.add_argument
    add(
        "--base",
        metavar="OLD",
        action="append",
        help="the profile to compare with; may be repeated",
    )
    add(
        "--base-program",
        metavar="PROGRAM",
        help="the program of OLD, as it was then, whose instructions the window compares",
    )
    add(
        "--base-optional",
        action="store_true",
        help="go on without a base if there is no such file, as in the first run of a CI job",
    )
    add(
        "--repeats",
        action="store_true",
        help="each OLD and each FILE is a run of its own: compare their medians, and call "
        "changed only what is out of the range of the other side",
    )
    add(
        "--base-map",
        metavar="FROM=TO",
        action="append",
        help="look in TO for sources that OLD recorded below FROM; may be repeated",
    )
    add(
        "--base-revision",
        metavar="REV",
        help="read sources of the base from this revision of the git repository of the new ones",
    )
    add("--only", choices=("grown", "shrunk", "new", "gone"), help="only such functions")
    measure = group.add_mutually_exclusive_group()
    measure.add_argument(
        "--shares", action="store_true", help="compare shares of the totals, in points"
    )
    measure.add_argument(
        "--per-call", metavar="NAME", help="compare costs per call of the function NAME"
    )
    for name, what in (("filename", "files"), ("funcname", "functions")):
        add(
            f"--mod-{name}",
            metavar="s/OLD/NEW/",
            action="append",
            help=f"rename {what} on both sides before they are paired; may be repeated",
        )
    add(
        "--accept-renames",
        action="store_true",
        help="pair functions that call the same others by different names",
    )


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of comparisons are misused; empty if they are not."""
    if reason := _base_search_error(options):
        return reason
    if not compares(options):
        if options.report == "markdown":
            return "--report markdown needs a --base"
        of_history = _FOR_HISTORY if options.history else ()
        used = [
            option
            for name, option in {**_FOR_BASE, **_FOR_WINDOW}.items()
            if getattr(options, name) and name not in of_history
        ]
        return f"{used[0]} needs a --base" if used else ""
    if not options.files:
        return "--base needs a FILE to compare with it"
    if reason := _excluded(options):
        return reason
    if not (options.report or checks(options)):
        return _without_window(options)
    return _unsuitable(options)


def _base_search_error(options: argparse.Namespace) -> str:
    """Return why options about sources of the base are misused; empty if they are not."""
    if not (options.base_map or options.base_revision is not None):
        return ""
    if not options.base or options.report or checks(options):
        return "--base-map and --base-revision are for the window, with a --base"
    try:
        base_search(options)
    except PathRuleError as error:
        return f"--base-map {error}"
    if options.base_revision is not None and not is_revision(options.base_revision):
        return "--base-revision takes one commit, such as v1.2 or HEAD~3"
    return ""


def base_search(options: argparse.Namespace) -> BaseSearch:
    """Return where sources of the base are; raises PathRuleError."""
    rules = tuple(map(parse_rule, options.base_map or ()))
    return BaseSearch(rules, options.base_revision or "")


def _without_window(options: argparse.Namespace) -> str:
    """Return which option the window does not take; empty if there is none."""
    used = [option for name, option in _FOR_BASE.items() if getattr(options, name)]
    return f"{used[0]} needs --report or --fail-if" if used else ""


def _excluded(options: argparse.Namespace) -> str:
    """Return which task the options ask for besides the comparison; empty for none."""
    if annotates(options) or names_functions(options):
        return "--base excludes --annotate, --calls and --path"
    if options.save is not None or options.tree:
        return "--base excludes --save and --tree"
    if options.screenshot and (options.report or checks(options)):
        return "--screenshot excludes --report and --fail-if"
    return ""


def _unsuitable(options: argparse.Namespace) -> str:
    """Return which choice is one of the window or of a single profile; empty for none."""
    if options.base_program:
        return "--base-program is for the window, which shows instructions"
    if options.repeats and options.siblings:
        return "--repeats takes each file as a run, --siblings several as one"
    if options.threshold is not None or options.percent or options.parts:
        return "--threshold, --percent and --parts are for a single profile"
    if (options.shares or options.per_call) and options.report == "json":
        return "--shares and --per-call are for people; JSON has exact costs"
    if options.sort is not None and options.sort.partition(":")[0] not in ORDERS:
        return f"--sort is {', '.join(ORDERS[:-1])} or {ORDERS[-1]} with --base"
    if options.sort and options.sort.partition(":")[2] not in ("", "self", "inclusive"):
        return "--sort goes by self or inclusive cost, such as change:inclusive"
    return ""
