"""Sanitise names from a profile for display: until here they are untrusted text."""

from __future__ import annotations

from html import escape
from unicodedata import category

_LONGEST_CELL = 400  # longer text would only slow down layout: cells are elided long before
_LONGEST_LABEL = 32
_LONGEST_TIP = 4000
_SPACE = "Zs"  # Unicode's category of spaces; numbers have thin ones between digits
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def cell_text(name: str) -> str:
    """Return the name as one line of bounded length, with unprintable characters replaced."""
    shown = plain_line(name[:_LONGEST_CELL])
    return shown if len(name) <= _LONGEST_CELL else shown + "…"


def plain_line(name: str) -> str:
    """Return the whole name as one line, with unprintable characters replaced."""
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() or category(c) == _SPACE else _REPLACEMENT for c in name)


def short_text(name: str) -> str:
    """Return the name shortened for use inside a sentence or label."""
    return cell_text(name if len(name) <= _LONGEST_LABEL else name[:_LONGEST_LABEL] + "…")


def tip_text(*lines: str) -> str:
    """Return lines as a tooltip: as escaped HTML, because Qt takes some plain texts for HTML."""
    return "<qt>" + "<br>".join(escape(_bounded(line)) for line in lines) + "</qt>"


def tip_with(tip: str, line: str) -> str:
    """Return the tooltip with a line added; unchanged if either is empty."""
    if not line or not tip:
        return tip
    return f"{tip.removesuffix('</qt>')}<br>{escape(_bounded(line))}</qt>"


def _bounded(line: str) -> str:
    text = plain_line(line[:_LONGEST_TIP])
    return text if len(line) <= _LONGEST_TIP else text + "…"
