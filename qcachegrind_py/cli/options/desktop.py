"""Options that install the program on the user's desktop and in the shells."""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.options.task import add_group


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--install-desktop` and `--uninstall-desktop`."""
    group = add_group(
        parser,
        "Add the program to the desktop, for this user",
        "It then opens profiles by a double click.",
        "--install-desktop",
    ).add_mutually_exclusive_group()
    for name, text in (
        (
            "install",
            "add menu entry, icons, manual page and types of files, and open profiles from now on",
        ),
        ("uninstall", "take all of that back"),
    ):
        group.add_argument(
            f"--{name}-desktop", dest="desktop", action="store_const", const=name, help=text
        )


def usage_error(options: argparse.Namespace) -> str:
    """Return that installing goes alone if anything else is asked for; else empty."""
    others = (options.files, options.annotate is not None, options.report, options.screenshot)
    return f"--{options.desktop}-desktop goes alone" if options.desktop and any(others) else ""
