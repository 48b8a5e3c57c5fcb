"""The frame of every page: head, style, script and its data, around the page's own content.

A page loads nothing and runs only its own script and style: a Content-Security-Policy with their
hashes enforces it, so that a name that should ever get past `markup` still does nothing.
'unsafe-inline' instead of hashes would let such a name run, too.
"""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import TextIO

from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.version import __version__
from qcachegrind_py.write.html.markup import escape_html, json_for_script


def write_document(
    stream: TextIO, title: str, style: str, script: str, data: object, content: Iterable[str]
) -> None:
    """Write a page; the encoding must be UTF-8.

    `data` is what the script needs and the content, which is markup, does not have.
    """
    for piece in _document(title, style, script, data, content):
        stream.write(f"{piece}\n")


def _document(
    title: str, style: str, script: str, data: object, content: Iterable[str]
) -> Iterator[str]:
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


def packaged(*names: str) -> str:
    """Return styles or scripts of this folder, one behind the other."""
    folder = files(__package__)
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


def page_script(name: str) -> str:
    """Return the script of a page, behind what all pages share: tables and flame graphs."""
    return packaged("table.js", "flame.js", name)


def saved_page(path: Path, write: Callable[[TextIO], None], progress: Progress) -> Path:
    """Write a page completely or not at all, and return its path.

    Raises `UnwritableFile` and `Cancelled`.
    """
    page = io.StringIO()
    write(page)
    progress.check(1.0)
    with atomic_write(path) as stream:
        stream.write(page.getvalue().encode("utf-8", "replace"))
    return path


def _content_hash(text: str) -> str:
    """Return the hash of a script or style, as a Content-Security-Policy spells it."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
