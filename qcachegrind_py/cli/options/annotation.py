"""Options of annotated source and instructions."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.calls import names_functions
from qcachegrind_py.cli.options.task import add_group, annotates, missing_file


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
        help="print its lines and what they cost; a pattern such as 'ns::*' is for all functions "
        "that fit; may be given several times",
    )
    add(
        "--annotate-all",
        action="store_true",
        help="print the lines of all functions, or of those that --threshold and other options "
        "choose",
    )
    add(
        "--annotate-file",
        metavar="SOURCE",
        action="append",
        help="print a source file with the costs of all functions; by its full path or the last "
        "components; may be given several times",
    )
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
        "--context",
        metavar="N",
        type=_parse_lines,
        help="print N lines around each that has costs (default: 3)",
    )
    add(
        "--map",
        metavar="FROM=TO",
        action="append",
        help="look for files recorded below FROM in TO; may be given several times",
    )
    add(
        "-I",
        "--include",
        metavar="DIR",
        action="append",
        help="look for files that are not found in DIR and its folders; may be given several times",
    )


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of annotations are misused; empty if they are not."""
    is_annotation = annotates(options)
    if is_annotation and not options.files:
        return missing_file(options, "annotate", "annotate_file") or "--annotate-all needs a FILE"
    if is_annotation and options.report == "html":
        return "--report html is of the whole profile, and --annotate of functions and files"
    if not is_annotation and (options.source or options.asm or options.context is not None):
        return "--source, --asm and --context are for --annotate"
    if options.annotate_file and options.asm:
        return "--asm is for functions, and --annotate-file prints source lines"
    if options.within and not (options.annotate or names_functions(options)):
        return "--in is for --annotate, --calls and --path"
    if (options.map or options.include) and not (is_annotation or options.report == "html"):
        return "--map and -I are for --annotate and --report html"
    return ""


def _parse_lines(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of lines, such as 8")
    return int(text)
