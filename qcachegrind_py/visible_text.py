r"""How texts of unknown origin are shown: on one line, with escapes for what cannot be seen.

Names of functions and files, messages that quote them, and arguments of the command can have any
characters. Control characters move the cursor of a terminal or change its colours, and overrides
of the writing direction show a text in another order than it has. Where such a text leaves the
program for people to read, on a terminal, in a report or in the window, it passes through
`visible_text`. Inside the program, names are exact.

Escapes are those of Python: `\x1b`, `\u202e`, `\U000e0041`. `\x80` to `\xff` are bytes that are not
UTF-8, which Python represents by lone surrogates.

Services that run tests take commands from what is printed: GitHub `::error::` at the beginning of
a line and `##[error]` anywhere, others `##vso[` and `##teamcity[`. A name that would be such a
command has an escape for the character that makes it one.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from itertools import accumulate
from unicodedata import category

_JOINERS = "\u200c\u200d"  # zero width non-joiner, and joiner
_JOINER = re.compile(f"[{_JOINERS}]")
# letters of scripts without capitals, their marks, and the symbols and skin tones of emoji
_JOINED = frozenset(("Lo", "Mn", "Mc", "So", "Sk"))
_COMMANDS = (
    "add-mask|add-matcher|add-path|command|debug|echo|end-?group|error|group|notice|remove-matcher|"
    "save-state|section|set-env|set-output|stop-commands|warning"
)
_COMMAND = re.compile(
    rf"\A\s*:(?=:(?:{_COMMANDS})[\s:])|##\[(?=(?:{_COMMANDS})\b)|##(?:vso|teamcity)\[",
    re.IGNORECASE,
)
_SPACE = "Zs"  # all spaces: numbers have thin ones between digits
_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF  # surrogates that stand for the bytes 0x80 to 0xff


def visible_text(text: str) -> str:
    """Return the text on one line, with escapes for characters that are not visible.

    These are control and format characters, line and paragraph separators, surrogates, and
    characters of private use or without a meaning. Spaces of any kind stay. So do joiners between
    letters of scripts such as Arabic and Devanagari, which are written differently without them,
    and those of emoji; anywhere else, where they would only make two names look the same, they
    are escaped.
    """
    if text.startswith((":", " ")) or "##" in text:
        text = _COMMAND.sub(_shown_command, text)
    if text.isprintable():  # 0.1 µs for most names
        return text
    return _JOINER.sub(_shown_joiner, text).translate(_SHOWN)


def visible_lines(text: str) -> str:
    """Return a text of several lines, each as `visible_text` shows it."""
    return "\n".join(map(visible_text, text.split("\n")))


def print_message(*lines: str) -> None:
    """Print a message to standard error, each of its lines as `visible_text` shows it."""
    print_commands(*map(visible_text, lines))


def print_commands(*lines: str) -> None:
    """Print commands to a CI service to standard error; the texts in them are visible ones.

    A standard error that is closed or full takes none, which changes nothing else.
    """
    if sys.stderr is not None and lines:
        try:
            print(*lines, sep="\n", file=sys.stderr, flush=True)
        except OSError:
            sys.stderr = None  # else Python writes what is left at its end, and ends with 120


def show_status(text: str) -> None:
    """Show what is being done in the last line of a terminal, in place of what stood there.

    An empty text takes the line away. Nothing is shown where standard error is no terminal.
    """
    if sys.stderr is not None and sys.stderr.isatty():
        with suppress(OSError):
            sys.stderr.write(f"\r\x1b[K{visible_text(text)}")
            sys.stderr.flush()


def visible_offsets(text: str) -> list[int]:
    """Return where each character of a text, and its end, is in the visible text."""
    shown = [len(character.translate(_SHOWN)) for character in text]
    for joiner in _JOINER.finditer(text):
        shown[joiner.start()] = len(_shown_joiner(joiner))
    for command in _COMMAND.finditer(text):
        shown[command.end() - 1] = len(_escape(text[command.end() - 1]))
    return list(accumulate(shown, initial=0))


def _shown_joiner(joiner: re.Match[str]) -> str:
    text, place = joiner.string, joiner.start()
    is_inside = 0 < place < len(text) - 1
    is_visible = is_inside and {category(text[place - 1]), category(text[place + 1])} <= _JOINED
    return joiner[0] if is_visible else _escape(joiner[0])


def _shown_command(command: re.Match[str]) -> str:
    return command[0][:-1] + _escape(command[0][-1])


class _ShownCharacters(dict[int, str]):
    """What each character but a joiner is shown as, by its code; filled as they are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        is_visible = character.isprintable() or category(character) == _SPACE
        shown = self[code] = character if is_visible else _escape(character)
        return shown


def _escape(character: str) -> str:
    code = ord(character)
    if _FIRST_BYTE <= code <= _LAST_BYTE:
        return f"\\x{code & 0xFF:02x}"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


_SHOWN = _ShownCharacters({ord(joiner): joiner for joiner in _JOINERS})  # 2 µs for 60 characters
