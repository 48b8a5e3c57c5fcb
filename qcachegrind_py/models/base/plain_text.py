"""Sanitise names from a profile for display: until here they are untrusted text."""

from __future__ import annotations

from html import escape

from qcachegrind_py.present.table import bounded

_LONGEST_TIP = 4000


def tip_text(*lines: str) -> str:
    """Return lines as a tooltip: as escaped HTML, because Qt takes some plain texts for HTML."""
    return "<qt>" + "<br>".join(escape(bounded(line, _LONGEST_TIP)) for line in lines) + "</qt>"


def tip_with(tip: str, line: str) -> str:
    """Return the tooltip with a line added; unchanged if either is empty."""
    if not line or not tip:
        return tip
    return f"{tip.removesuffix('</qt>')}<br>{escape(bounded(line, _LONGEST_TIP))}</qt>"
