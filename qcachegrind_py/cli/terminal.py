"""Standard output: writing to it, and the layout of text in a terminal, a pipe or a file."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from qcachegrind_py.cli.errors import FILE_ERROR, CommandError, report_error

if TYPE_CHECKING:
    from qcachegrind_py.write.text import TextLayout


def write_output(write: Callable[[TextIO], object]) -> int:
    """Let a function write to standard output; return the exit code, 1 if that is impossible.

    A reader that has closed the pipe, such as `head`, has all it wants.
    """
    output = sys.stdout or _unwritable_output()
    try:
        write(output)
        output.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())  # for the rest, at exit
        if isinstance(error, BrokenPipeError):
            return 0
        reason = f"Standard output cannot be written: {error.strerror or error}."
        return report_error(CommandError(FILE_ERROR, reason))
    return 0


def _unwritable_output() -> TextIO:
    """Return a stream for the standard output that Python leaves out as it is closed.

    Only what writes to it fails.
    """
    return open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: PTH123 (a descriptor, until the exit)


def text_layout(options: argparse.Namespace, stream: TextIO) -> TextLayout:
    """Return the layout that `--width` and `--color` ask for, or else suits the stream."""
    from qcachegrind_py.write.text import TextLayout  # not for `--version`

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
