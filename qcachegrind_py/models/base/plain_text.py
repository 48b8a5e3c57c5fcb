"""Names from a profile as text that is safe to show: names are hostile until here."""

from __future__ import annotations

from html import escape
from unicodedata import category

_LONGEST_CELL = 400  # laying out more costs time and shows nothing: cells are cut long before
_LONGEST_LABEL = 32
_LONGEST_TIP = 4000
_SPACE = "Zs"  # Unicode's category of spaces; thin ones stand between the digits of numbers
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def cell_text(name: str) -> str:
    """The name in one line, of bounded length, without characters that do not print."""
    shown = plain_line(name[:_LONGEST_CELL])
    return shown if len(name) <= _LONGEST_CELL else shown + "…"


def plain_line(name: str) -> str:
    """The name in full, in one line, without characters that do not print."""
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() or category(c) == _SPACE else _REPLACEMENT for c in name)


def short_text(name: str) -> str:
    """The name as a label in a line of others has it."""
    return cell_text(name if len(name) <= _LONGEST_LABEL else name[:_LONGEST_LABEL] + "…")


def tip_text(*lines: str) -> str:
    """Lines as a tooltip: Qt takes some texts for HTML, so it is given HTML that shows the text."""
    return "<qt>" + "<br>".join(escape(_bounded(line)) for line in lines) + "</qt>"


def tip_with(tip: str, line: str) -> str:
    """The tooltip with a line more; as it is where there is none."""
    if not line or not tip:
        return tip
    return f"{tip.removesuffix('</qt>')}<br>{escape(_bounded(line))}</qt>"


def _bounded(line: str) -> str:
    text = plain_line(line[:_LONGEST_TIP])
    return text if len(line) <= _LONGEST_TIP else text + "…"
