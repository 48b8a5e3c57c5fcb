"""The parser of the command, and the check of which options can be combined.

The options are declared in `cli.options`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from qcachegrind_py.cli.options import (
    annotation,
    calls,
    comparison,
    desktop,
    explanation,
    gate,
    history,
    information,
    picture,
    report,
    saving,
    selection,
    stacks,
    terminal,
    window,
)
from qcachegrind_py.cli.options.task import Task
from qcachegrind_py.cli.terminal import write_output
from qcachegrind_py.profile.files import local_path
from qcachegrind_py.visible_text import print_message

_TASKS: tuple[Task, ...] = (  # in the order of `--help`, the manual page and the checks
    window,
    report,
    calls,
    explanation,
    annotation,
    selection,
    comparison,
    gate,
    history,
    terminal,
    saving,
    stacks,
    picture,
    desktop,
    information,
)


class _Parser(argparse.ArgumentParser):
    """Reports wrong usage in two lines, instead of below a list of all options."""

    def error(self, message: str) -> NoReturn:
        reason = message.removeprefix("argument ")
        print_message(f"{self.prog}: {reason}", f"{self.prog} --help lists all options.")
        self.exit(2)

    def print_help(self, _file: object = None) -> None:
        """Print the help; exits with code 1 if that is impossible."""
        if code := write_output(lambda stream: stream.write(self.format_help())):
            self.exit(code)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all options; the manual page is generated from it."""
    parser = _Parser(
        prog="qcachegrind-py",
        usage="%(prog)s [OPTION…] [FILE…]",
        description="View profiles in the Callgrind format, and those of Python's cProfile.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    for task in _TASKS:
        task.add_options(parser)
    return parser


def parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options, those of the process for None; exits with code 2 if they are misused."""
    parser = build_parser()
    options, others = parser.parse_known_args(arguments)
    if any(text.startswith("-") and text != "-" for text in others):
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    options.files = [*options.files, *others]  # FILEs behind an option that follows a FILE
    _accept_urls(options)
    if reason := _usage_error(options):
        parser.error(reason)
    return options


def _accept_urls(options: argparse.Namespace) -> None:
    """Replace the URLs of files that are read by their paths."""
    for name in ("files", "base", "include"):
        if paths := getattr(options, name):
            setattr(options, name, list(map(local_path, paths)))
    for name in ("view", "base_program"):
        if path := getattr(options, name):
            setattr(options, name, local_path(path))


def _usage_error(options: argparse.Namespace) -> str:
    """Return why the options cannot be combined; empty if they can."""
    if options.version or options.doctor:
        return ""  # they ignore all other options
    return next(filter(None, (task.usage_error(options) for task in _TASKS)), "")
