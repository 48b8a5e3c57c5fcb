"""What the modules of this folder have in common: each declares the options of one task."""

from __future__ import annotations

import argparse
from typing import Protocol


class Task(Protocol):
    """A module of this folder."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the group of options of the task; the manual page is generated from it, too."""

    def usage_error(self, options: argparse.Namespace) -> str:
        """Return why these options cannot be combined with others; empty if they can."""


def add_group(
    parser: argparse.ArgumentParser, title: str, description: str, *examples: str
) -> argparse._ArgumentGroup:
    """Return a new group of options: what they are for, and command lines without the program.

    They are printed as they stand, so a line of a terminal is enough for each: 78 characters of the
    description, 61 of an example.
    """
    commands = (f"  {parser.prog} {example}" for example in examples)
    return parser.add_argument_group(title, "\n".join((description, *commands)))


def annotates(options: argparse.Namespace) -> bool:
    """Return whether code is to be annotated."""
    return bool(options.annotate is not None or options.annotate_all or options.annotate_file)


def names_functions(options: argparse.Namespace) -> bool:
    """Return whether `--calls`, `--path` or `--explain` asks for single functions."""
    return bool(options.calls or options.path or options.explain)


def compares(options: argparse.Namespace) -> bool:
    """Return whether there is a base to compare with."""
    return options.base is not None


def checks(options: argparse.Namespace) -> bool:
    """Return whether costs are to be checked, or the result written for a CI server."""
    outputs = (options.summary, options.junit, options.annotations)
    return bool(options.fail_if or options.strict or any(outputs))


def missing_file(options: argparse.Namespace, *names: str) -> str:
    """Return that one of these options needs a FILE if it is used without; else empty."""
    used = [name for name in names if getattr(options, name) is not None]
    return f"--{used[0].replace('_', '-')} needs a FILE" if used and not options.files else ""
