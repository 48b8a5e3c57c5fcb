"""Options of annotated source and instructions."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.calls import names_functions
from qcachegrind_py.cli.options.task import add_group, missing_file


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--annotate`, which function it means, and where its files are."""
    group = add_group(
        parser,
        "Annotate code with its costs",
        "--report chooses text (the default), tsv, csv or json.",
        "--annotate main --map /build/x=~/x callgrind.out.1234",
    )
    add = group.add_argument
    add("--annotate", metavar="FUNCTION", help="print its lines and what they cost")
    add(
        "--in",
        metavar="FILE-OR-OBJECT",
        dest="within",
        action="append",
        help="where the function is, if several have its name",
    )
    kind = group.add_mutually_exclusive_group()
    kind.add_argument("--source", action="store_true", help="print source lines (the default)")
    kind.add_argument("--asm", action="store_true", help="print instructions")
    add(
        "--map",
        metavar="FROM=TO",
        action="append",
        help="look for files recorded below FROM in TO; may be given several times",
    )


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of annotations are misused; empty if they are not."""
    annotates = options.annotate is not None
    if reason := missing_file(options, "annotate"):
        return reason
    if annotates and options.report == "html":
        return "--report html is of the whole profile, and --annotate of one function"
    if not annotates and (options.source or options.asm):
        return "--source and --asm are for --annotate"
    if options.within and not (annotates or names_functions(options)):
        return "--in is for --annotate, --calls and --path"
    if options.map and not annotates and options.report != "html":
        return "--map is for --annotate and --report html"
    return ""
