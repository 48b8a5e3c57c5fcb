"""Split a command line into arguments as a shell does, and join arguments into a line.

Quotes and backslashes keep blanks in an argument, as usual. Nothing is expanded: `$HOME`, `*` and
`~` stay as they are, because no shell is involved.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable


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
