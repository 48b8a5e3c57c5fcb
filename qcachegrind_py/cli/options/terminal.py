"""Options of text in a terminal."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import add_group, annotates, checks, names_functions


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the width of text and its colours."""
    add = add_group(
        parser,
        "Fit text into a terminal",
        "In a terminal, long names are shortened to its width, and hot costs are\n"
        "bold. In a pipe or a file, names are whole, and nothing is bold.",
        "--report text --width 100 callgrind.out.1234 > report.txt",
    ).add_argument
    add(
        "--width",
        metavar="N",
        type=_parse_width,
        help="shorten long names in the middle to fit lines of N columns; 0 for full names",
    )
    add(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="write hot costs in bold: in a terminal unless NO_COLOR is set (the default), "
        "always or never",
    )


def usage_error(options: argparse.Namespace) -> str:
    """Return why the options of text are misused; empty if they are not."""
    is_default = annotates(options) or names_functions(options) or checks(options)
    prints_text = options.report == "text" or (not options.report and is_default)
    if (options.width is not None or options.color != "auto") and not prints_text:
        return "--width and --color are for text output"
    return ""


def _parse_width(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of columns, such as 120")
    return int(text)
