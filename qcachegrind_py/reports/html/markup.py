"""Text of a profile as text of a page. Names are hostile until here, and nowhere behind."""

from __future__ import annotations

import json
from html import escape
from unicodedata import category

from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId
from qcachegrind_py.profile.number_format import format_count, format_percentage

_MAX_TEXT_LENGTH = 400  # characters of one text
_MAX_SAFE_INTEGER = 1 << 53  # beyond, a script's numbers are not exact
_IN_SCRIPTS = str.maketrans({"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"})


def plain_text(text: str) -> str:
    """The text in one line, of bounded length, of characters that print."""
    cut = text[:_MAX_TEXT_LENGTH] + "…" if len(text) > _MAX_TEXT_LENGTH else text
    return "".join(
        c if c.isprintable() or category(c) == "Zs" else "\N{REPLACEMENT CHARACTER}" for c in cut
    )


def escape_html(text: str) -> str:
    """The text between tags, or in the quotes of an attribute."""
    return escape(plain_text(text), quote=True)


def number_markup(value: int | float) -> str:
    """A count with thin spaces between its groups of three digits."""
    return format_count(int(value))


def percent_markup(value: int | float, total: int | float) -> str:
    """The share of a cost; a dash where there is no whole."""
    return format_percentage(int(value), int(total))


def json_number(value: int | float) -> int | str:
    """The number exactly: as text where a script would round it."""
    value = int(value)
    return value if -_MAX_SAFE_INTEGER < value < _MAX_SAFE_INTEGER else str(value)


def json_for_script(value: object) -> str:
    """The value as JSON that ends no script and holds nothing but ASCII."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).translate(_IN_SCRIPTS)


def function_link(target: FunctionId, name: str) -> str:
    """A name that leads to where the report tells of the function; plain where it does not."""
    return (
        f'<a href="#f{target}">{escape_html(name)}</a>'
        if target != NO_FUNCTION
        else escape_html(name)
    )
