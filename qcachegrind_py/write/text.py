"""How text for people is laid out: within a number of columns, and with hot costs in bold."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import TextIO

from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.present.page import Facts
from qcachegrind_py.visible_text import visible_text

HOT_PERCENTAGE = 5.0  # costs of at least this share of the total are written in bold
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_SHORTEST_NAME = 16  # columns that a name gets even where the line has fewer left
_BOLD, _NORMAL = "\x1b[1m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class TextLayout:
    """The width of the lines in columns, None if they may be of any length, and use of bold."""

    width: int | None
    is_colored: bool

    def fit(self, text: str, width: int) -> str:
        """Return the text in at most `width` columns, its middle replaced by … if it is longer.

        Characters that cannot be printed are shown by `visible_text`. Texts of any length pass
        where lines may be of any length.
        """
        text = visible_text(text)
        return text if self.width is None else _elided(text, max(1, width))

    def name(self, text: str, used: int = 0) -> str:
        """Return a name for the end of a line of which `used` columns are taken, fitted into it.

        At least 16 columns of a longer name are left, so that lines of a narrow terminal wrap
        rather than lose their meaning.
        """
        return self.fit(text, max(_SHORTEST_NAME, (self.width or 0) - used))

    def located_name(self, name: str, file: str, object_: str, used: int = 0) -> str:
        """Return a function's name, object and file for the end of a line, as `name` does.

        Where they do not fit, the paths lose their folders, then the name stands alone.
        """
        text = visible_text(f"{name} ({object_}: {file})")
        if self.width is None or used + columns_of(text) <= self.width:
            return text
        text = visible_text(f"{name} ({base_name(object_)}: {base_name(file)})")
        return text if used + columns_of(text) <= self.width else self.name(name, used)

    def code(self, text: str, used: int) -> str:
        """Return a printable line of code without its end where it is too long for the line.

        As with `name`, at least 16 columns of it are left.
        """
        room = max(_SHORTEST_NAME, (self.width or 0) - used)
        if self.width is None or columns_of(text) <= room:
            return text
        return _leading(text, room - 1) + _ELLIPSIS

    def wrapped(self, text: str, indent: int) -> list[str]:
        """Return a printable text as lines that fit behind `indent` columns; at least one."""
        if self.width is None:
            return [text]
        width = max(_SHORTEST_NAME, self.width - indent)
        return textwrap.wrap(text, width, break_on_hyphens=False) or [""]

    def hot(self, text: str) -> str:
        """Return the text, which has to be printable, in bold if colours are used."""
        return f"{_BOLD}{text}{_NORMAL}" if self.is_colored else text

    def cost(self, text: str, percentage: float) -> str:
        """Return a cost as text, in bold if it is hot: 5 % of the total, or more."""
        return self.hot(text) if percentage >= HOT_PERCENTAGE else text


PLAIN_TEXT = TextLayout(None, False)


def columns_of(text: str) -> int:
    """Return how many columns a terminal needs for a printable text."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def left_aligned(text: str, width: int) -> str:
    """Return a printable text with blanks behind it, up to `width` columns."""
    return text + " " * (width - columns_of(text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _elided(text: str, width: int) -> str:
    if columns_of(text) <= width:
        return text
    kept = width - columns_of(_ELLIPSIS)
    begin = _leading(text, kept - kept // 2)
    end = _leading(reversed(text), kept // 2)[::-1]
    return begin + _ELLIPSIS + "".join(dropwhile(lambda c: _columns(c) == 0, end))


def _leading(characters: Iterable[str], width: int) -> str:
    """Return as many of the characters as take no more than `width` columns."""
    used = 0

    def fits(character: str) -> bool:
        nonlocal used
        used += _columns(character)
        return used <= width

    return "".join(takewhile(fits, characters))


# ---------------------------------------------------------------- blocks of pages


def write_facts(facts: Facts, stream: TextIO, layout: TextLayout = PLAIN_TEXT) -> None:
    """Write lines `Key: value` with the values aligned; only the first of equal keys in a row."""
    width = max(len(key) for key, _ in facts.lines) + len(": ")
    previous = ""
    for key, value in facts.lines:
        title = f"{key}: " if key != previous else ""
        for line in layout.wrapped(value, width):
            stream.write(f"{title:{width}}{line}\n")
            title = ""
        previous = key
