"""Sanitise names from a profile for tooltips: until here they are untrusted text."""

from __future__ import annotations

from html import escape

from qcachegrind_py.present.table import bounded

_LONGEST_TIP = 4000


def tip_text(*lines: str) -> str:
    """Return lines as a tooltip: as escaped HTML, because Qt takes some plain texts for HTML."""
    return "<qt>" + "<br>".join(escape(bounded(line, _LONGEST_TIP)) for line in lines) + "</qt>"
