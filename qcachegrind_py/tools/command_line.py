"""Command lines: their arguments, the programs that they name, and modules started as programs.

Quotes and backslashes keep blanks in an argument, as usual. Nothing is expanded: `$HOME`, `*` and
`~` stay as they are, because no shell is involved.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path


def split(text: str) -> list[str]:
    """Return the arguments of a line; raises ValueError, with a sentence, for an open quote."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if os.name == "nt":
        lexer.escape = ""  # it separates folders there
    try:
        return list(lexer)
    except ValueError as error:
        is_quote = "quotation" in str(error)
        reason = "Unclosed quote." if is_quote else "A character is missing after the last \\."
        raise ValueError(reason) from error


def join(words: Iterable[str]) -> str:
    """Return a line that splits into these arguments, here and in a shell."""
    return shlex.join(words)


def program_path(name: str) -> str | None:
    """Return the absolute path of an installed program, None if there is none.

    One in the current folder does not count, which may hold whatever came with a profile: `.` in
    `PATH` finds programs there, and so does Windows.
    """
    path = shutil.which(name)
    return path if path is not None and Path(path).is_absolute() else None


# ----------------------------------------------------- modules as programs
# Such a module imports nothing else of this package: it starts fast, and works even if the
# package cannot be imported.

MODULE_OPTION = "--as"  # tells a frozen program which module to run
LAUNCHABLE_MODULES = ("qcachegrind_py.tools.layout.worker",)


def module_command(module: str, path: str) -> tuple[str, ...]:
    """Return the command that starts one of `LAUNCHABLE_MODULES`, whose file has this path.

    A frozen program contains the only Python, and is started once more.
    """
    if getattr(sys, "frozen", False):
        return sys.executable, MODULE_OPTION, module
    return sys.executable, "-P", path  # -P: files beside the module must not shadow others
