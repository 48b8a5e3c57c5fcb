"""Sanitise names from a profile for display: until here they are untrusted text."""

from __future__ import annotations

from html import escape

from qcachegrind_py.visible_text import visible_text

_LONGEST_CELL = 400  # longer text would only slow down layout: cells are elided long before
_LONGEST_LABEL = 32
_LONGEST_TIP = 4000


def cell_text(name: str) -> str:
    """Return the name as one line of bounded length, as `visible_text` shows it."""
    return _bounded(name, _LONGEST_CELL)


def short_text(name: str) -> str:
    """Return the name shortened for use inside a sentence or label."""
    return _bounded(name, _LONGEST_LABEL)


def tip_text(*lines: str) -> str:
    """Return lines as a tooltip: as escaped HTML, because Qt takes some plain texts for HTML."""
    return "<qt>" + "<br>".join(escape(_bounded(line, _LONGEST_TIP)) for line in lines) + "</qt>"


def tip_with(tip: str, line: str) -> str:
    """Return the tooltip with a line added; unchanged if either is empty."""
    if not line or not tip:
        return tip
    return f"{tip.removesuffix('</qt>')}<br>{escape(_bounded(line, _LONGEST_TIP))}</qt>"


def _bounded(name: str, length: int) -> str:
    """Return the name in at most this many characters and an ellipsis."""
    text = visible_text(name[: length + 1])
    return text if len(text) <= length else text[:length] + "…"
