"""Options that install the program for the user: on the desktop and in shells."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import add_group, annotates


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--install-desktop` and `--uninstall-desktop`."""
    group = add_group(
        parser,
        "Add the program to the desktop and to shells, for this user",
        "Profiles then open with a double click, and Tab completes options.",
        "--install-desktop",
    ).add_mutually_exclusive_group()
    for name, text in (
        (
            "install",
            "add menu entry, icons, file types, manual page and completion for bash, zsh and "
            "fish, and open profiles with this program",
        ),
        ("uninstall", "remove all of this"),
    ):
        group.add_argument(
            f"--{name}-desktop", dest="desktop", action="store_const", const=name, help=text
        )


def usage_error(options: argparse.Namespace) -> str:
    """Return that installing goes alone if anything else is asked for; else empty."""
    others = (
        options.files,
        annotates(options),
        options.report,
        options.screenshot,
        options.calls,
        options.path,
    )
    return (
        f"--{options.desktop}-desktop takes no other options"
        if options.desktop and any(others)
        else ""
    )
