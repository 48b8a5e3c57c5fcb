"""A command typed in one line, as the words that a shell would cut it into.

Quotes and backslashes keep blanks in a word, as usual. Nothing is expanded: `$HOME`, `*` and `~`
stay as they are, for no shell sees them.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable


def split(text: str) -> list[str]:
    """The words of a line. Raises ValueError, with a sentence, where a quote has no end."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if os.name == "nt":
        lexer.escape = ""  # it parts folders there
    try:
        return list(lexer)
    except ValueError as error:
        is_quote = "quotation" in str(error)
        reason = "A quote has no end." if is_quote else "After the last \\ a character is missing."
        raise ValueError(reason) from error


def join(words: Iterable[str]) -> str:
    """A line that is cut into these words, here and in a shell."""
    return shlex.join(words)
