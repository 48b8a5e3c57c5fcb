"""How texts and numbers get into a page; names from a profile are untrusted up to here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from html import escape

from qcachegrind_py.present.table import Value, cell_text

_PROBLEM = ' class="problem"'
_MAX_SAFE_INTEGER = 1 << 53  # larger integers are not exact in JavaScript
_IN_SCRIPTS = str.maketrans({"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"})


def escape_html(text: str) -> str:
    """Return a text on one line of bounded length, for use between tags or in an attribute."""
    return escape(cell_text(text), quote=True)


def link(target: str, text: str) -> str:
    """Return a text that leads to another place of the page, if there is one."""
    return f'<a href="#{target}">{escape_html(text)}</a>' if target else escape_html(text)


def mark_markup(text: str, title: str = "") -> str:
    """Return a mark behind a name, with a space before it; nothing without a text."""
    tip = f' title="{escape_html(title)}"' if title else ""
    return f' <span class="mark"{tip}>{escape_html(text)}</span>' if text else ""


def facts_markup(
    facts: Iterable[tuple[str, str]], kind: str = "", warnings: Iterable[str] = ()
) -> Iterator[str]:
    """Yield a list of facts, of which some are warnings; nothing if there are none."""
    marked = frozenset(warnings)
    items = [
        f"<dt>{escape_html(key)}</dt>"
        f"<dd{_PROBLEM if key in marked else ''}>{escape_html(value)}</dd>"
        for key, value in facts
    ]
    if items:
        yield f'<dl class="{kind}">' if kind else "<dl>"
        yield from items
        yield "</dl>"


def navigation(places: Iterable[tuple[str, str, bool]]) -> str:
    """Return the links to sections by place and title, as far as these are there."""
    links = (f'<a href="#{place}">{title}</a>' for place, title, is_there in places if is_there)
    return f"<nav>{''.join(links)}</nav>"


def json_number(value: Value) -> Value:
    """Return a number for the script: exactly, as text if JavaScript would round it."""
    if not isinstance(value, int):
        return value
    return value if -_MAX_SAFE_INTEGER < value < _MAX_SAFE_INTEGER else str(value)


def json_for_script(value: object) -> str:
    """Return the value as ASCII JSON that cannot end a script element."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).translate(_IN_SCRIPTS)
