"""Escape and format texts for the page; names from a profile are untrusted up to here."""

from __future__ import annotations

import json
from html import escape

from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId
from qcachegrind_py.profile.numbers import format_count, format_percentage, smallest_share
from qcachegrind_py.visible_text import visible_text

_MAX_TEXT_LENGTH = 400  # characters of one text
_MAX_SAFE_INTEGER = 1 << 53  # larger integers are not exact in JavaScript
_IN_SCRIPTS = str.maketrans({"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"})


def plain_text(text: str) -> str:
    """Return the text as one line of bounded length, as `visible_text` shows it."""
    shown = visible_text(text[: _MAX_TEXT_LENGTH + 1])
    return shown if len(shown) <= _MAX_TEXT_LENGTH else shown[:_MAX_TEXT_LENGTH] + "…"


def escape_html(text: str) -> str:
    """Escape a text for use between tags or in a quoted attribute."""
    return escape(plain_text(text), quote=True)


def number_markup(value: int | float) -> str:
    """Format a count with thin spaces between groups of three digits."""
    return format_count(int(value))


def percent_text(value: int | float, total: int | float) -> str:
    """Format a cost as a percentage of the total, in plain text; a dash if there is none.

    A share that would be rounded to 0.00 is <0.01.
    """
    share = format_percentage(int(value), int(total))
    return smallest_share() if value > 0 and not share.strip("0.") else share


def json_number(value: int | float) -> int | str:
    """Return the integer exactly: as text if JavaScript would round it."""
    value = int(value)
    return value if -_MAX_SAFE_INTEGER < value < _MAX_SAFE_INTEGER else str(value)


def json_for_script(value: object) -> str:
    """Return the value as ASCII JSON that cannot end a script element."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).translate(_IN_SCRIPTS)


def function_link(target: FunctionId, name: str) -> str:
    """Return the name as a link to the function's article, or without link for `NO_FUNCTION`."""
    return (
        f'<a href="#f{target}">{escape_html(name)}</a>'
        if target != NO_FUNCTION
        else escape_html(name)
    )


def search_bar(controls: str = "") -> str:
    """Return the bar above the table of functions, which the script shows; `controls` is markup."""
    return (
        '<div class="bar" id="tools" hidden><label>Search <input type="search" id="search" '
        f'placeholder="function, file or object"></label>{controls}'
        '<output id="found" aria-live="polite"></output></div>'
    )
