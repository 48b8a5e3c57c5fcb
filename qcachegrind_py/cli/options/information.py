"""Options that tell about the program itself."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import add_group


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--help`, `--version` and `--doctor`."""
    add = add_group(
        parser, "Learn about the program", "They ignore all other options."
    ).add_argument
    add("-h", "--help", action="help", help="show this help")
    add("--version", action="store_true", help="show the version")
    add("--doctor", action="store_true", help="show what is missing and how to install it")


def usage_error(_options: argparse.Namespace) -> str:
    """Return an empty text, as these options go with all others."""
    return ""
