"""The frame of every page: head, style, script and its data, around the page's own content.

A page loads nothing and runs only its own script and style: a Content-Security-Policy with their
hashes enforces it, so that a name that should ever get past `markup` still does nothing.
'unsafe-inline' instead of hashes would let such a name run, too.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from importlib.resources import files

from qcachegrind_py.reports.html.markup import escape_html, json_for_script
from qcachegrind_py.version import __version__

_SHARED_SCRIPTS = ("table.js", "flame.js")


def document(
    title: str, style: str, script: str, data: object, content: Iterable[str]
) -> Iterator[str]:
    """Yield the pieces of a page; its encoding must be UTF-8.

    `data` is what the script needs and the content, which is markup, does not have.
    """
    policy = (
        f"default-src 'none'; script-src {_content_hash(script)}; "
        f"style-src {_content_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f"<title>{escape_html(title)}</title>"
    yield f"<style>{style}</style>\n</head>\n<body>"
    yield from content
    yield f"<footer>Written by qcachegrind_py {escape_html(__version__)}.</footer>"
    yield f'<script type="application/json" id="data">{json_for_script(data)}</script>'
    yield f"<script>{script}</script>\n</body>\n</html>"


def packaged_text(package: str, name: str) -> str:
    """Return the text of a file beside the modules of a package, such as a style."""
    return (files(package) / name).read_text(encoding="utf-8")


def page_script(package: str, name: str) -> str:
    """Return the script of a page, behind what all pages share: tables and flame graphs."""
    shared = (packaged_text("qcachegrind_py.reports.html", each) for each in _SHARED_SCRIPTS)
    return "\n".join((*shared, packaged_text(package, name)))


def _content_hash(text: str) -> str:
    """Return the hash of a script or style, as a Content-Security-Policy spells it."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
