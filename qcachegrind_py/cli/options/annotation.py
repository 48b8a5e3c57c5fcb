"""Options of annotated source and instructions."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.report import LINE_FORMS
from qcachegrind_py.cli.options.task import add_group, annotates, missing_file, names_functions


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--annotate`, which function it means, and where its files are."""
    group = add_group(
        parser,
        "Annotate code with its costs",
        "--report chooses text (the default), tsv, csv or json.",
        "--annotate main --map /build/x=~/x callgrind.out.1234",
        "--annotate-all --threshold 80 -I src callgrind.out.1234",
        "--annotate-file cells.c --events Ir,Dw callgrind.out.1234",
    )
    add = group.add_argument
    add(
        "--annotate",
        metavar="FUNCTION",
        action="append",
        help="print its lines with their costs; a pattern such as 'ns::*' matches several "
        "functions; may be repeated",
    )
    add(
        "--annotate-all",
        action="store_true",
        help="print the lines of all functions, or of those selected by --threshold and other "
        "options",
    )
    add(
        "--annotate-file",
        metavar="SOURCE",
        action="append",
        help="print a source file with the costs of all functions; by its full path or the last "
        "components; may be repeated",
    )
    add(
        "--in",
        metavar="FILE-OR-OBJECT",
        dest="within",
        action="append",
        help="the location of the function, if several have its name",
    )
    kind = group.add_mutually_exclusive_group()
    kind.add_argument("--source", action="store_true", help="print source lines (the default)")
    kind.add_argument("--asm", action="store_true", help="print instructions")
    add(
        "--context",
        metavar="N",
        type=_parse_lines,
        help="print N lines around each line with costs (default: 3)",
    )
    add(
        "--map",
        metavar="FROM=TO",
        action="append",
        help="look in TO for files recorded below FROM; may be repeated",
    )
    add(
        "-I",
        "--include",
        metavar="DIR",
        action="append",
        help="also look in DIR and its subfolders, and permit their sources in what is written; "
        "may be repeated",
    )


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of annotations are misused; empty if they are not."""
    is_annotation = annotates(options)
    if is_annotation and not options.files:
        return missing_file(options, "annotate", "annotate_file") or "--annotate-all needs a FILE"
    if is_annotation and options.report == "html":
        return "--report html is for the whole profile, --annotate for functions and files"
    if not is_annotation and (options.source or options.asm or options.context is not None):
        return "--source, --asm and --context are for --annotate"
    if options.annotate_file and options.asm:
        return "--asm is for functions; --annotate-file prints source lines"
    if options.within and not (options.annotate or names_functions(options) or options.per_call):
        return "--in is for --annotate, --calls, --path and --per-call"
    if (options.map or options.include) and not (
        is_annotation or options.report in ("html", *LINE_FORMS)
    ):
        return "--map and -I are for --annotate and --report html, lines-json and lcov"
    return ""


def _parse_lines(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of lines, such as 8")
    return int(text)
