"""Split a command line into arguments as a shell does, and find the program that it names.

Quotes and backslashes keep blanks in an argument, as usual. Nothing is expanded: `$HOME`, `*` and
`~` stay as they are, because no shell is involved.
"""

from __future__ import annotations

import os
import shlex
import shutil
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
