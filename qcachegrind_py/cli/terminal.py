"""The layout of text on standard output: that of the terminal, or plain in a pipe or a file."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import TextIO

from qcachegrind_py.reports.text_layout import TextLayout


def text_layout(options: argparse.Namespace, stream: TextIO) -> TextLayout:
    """Return the layout that `--width` and `--color` ask for, or else suits the stream."""
    is_terminal = stream.isatty()
    width = options.width
    if width is None and is_terminal:
        width = shutil.get_terminal_size().columns
    if options.color == "auto":
        return TextLayout(width or None, is_terminal and _takes_colors())
    return TextLayout(width or None, options.color == "always")


def _takes_colors() -> bool:
    """Return whether the terminal shows escape sequences as colours, and the user wants them."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.platform != "win32" or _is_modern_console()


def _is_modern_console() -> bool:
    """Return whether a console of Windows is one that is known to interpret escape sequences."""
    return bool(
        os.environ.get("WT_SESSION")  # Windows Terminal
        or os.environ.get("ANSICON")
        or os.environ.get("ConEmuANSI") == "ON"  # noqa: SIM112 - ConEmu spells it so
    )
