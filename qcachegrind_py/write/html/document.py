"""The frame of every page, and how texts and numbers get into it.

A page loads nothing and runs only its own script and style: a Content-Security-Policy with their
hashes enforces it, so that a name that should ever get past `escape_html` still does nothing.
'unsafe-inline' instead of hashes would let such a name run, too.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from itertools import chain
from typing import TextIO

from qcachegrind_py.present.table import Value, cell_text
from qcachegrind_py.version import __version__

_MAX_SAFE_INTEGER = 1 << 53  # larger integers are not exact in JavaScript
_IN_SCRIPTS = str.maketrans({"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"})


def write_document(
    stream: TextIO,
    title: str,
    kind: str,
    styles: Iterable[str],
    data: object,
    content: Iterable[str],
) -> None:
    """Write a page; the encoding must be UTF-8.

    `styles` are rules of this page beside those of all, in which its `kind` is a class. `data` is
    what the script needs and the content, which is markup, does not have.
    """
    style, script = "\n".join((_packaged("page.css"), *styles)), _packaged("page.js")
    policy = (
        f"default-src 'none'; script-src {_content_hash(script)}; "
        f"style-src {_content_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{escape_html(title)}</title>",
        f'<style>{style}</style>\n</head>\n<body class="{kind}">',
    )
    end = (
        f"<footer>Written by qcachegrind_py {escape_html(__version__)}.</footer>",
        f'<script type="application/json" id="data">{_json_for_script(data)}</script>',
        f"<script>{script}</script>\n</body>\n</html>",
    )
    stream.writelines(f"{piece}\n" for piece in chain(head, content, end))


def _packaged(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _content_hash(text: str) -> str:
    """Return the hash of a script or style, as a Content-Security-Policy spells it."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


# ---------------------------------------------------------------- texts and numbers


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


def json_number(value: Value) -> Value:
    """Return a number for the script: exactly, as text if JavaScript would round it."""
    if not isinstance(value, int):
        return value
    return value if -_MAX_SAFE_INTEGER < value < _MAX_SAFE_INTEGER else str(value)


def _json_for_script(value: object) -> str:
    """Return the value as ASCII JSON that cannot end a script element."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).translate(_IN_SCRIPTS)
