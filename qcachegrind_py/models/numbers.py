"""Costs as text: digits in groups, percentages. Costs are exact integers until here."""

from __future__ import annotations

_GROUP = "\N{THIN SPACE}"


def grouped(number: int) -> str:
    """The number with its digits in groups: 1 234 567."""
    return f"{number:,}".replace(",", _GROUP)


def percentage(part: int, whole: int) -> str:
    """The share in percent with two digits; a dash where there is no whole."""
    if whole <= 0:
        return "–"
    return f"{100 * part / whole:.2f}"


def cost_text(cost: int, base: int, as_percentage: bool) -> str:
    """A cost as a percentage of the base, or as it is."""
    return percentage(cost, base) if as_percentage else grouped(cost)


def share(cost: int, base: int) -> float:
    """The share as a length from 0 to 1."""
    return min(1.0, max(0.0, cost / base)) if base > 0 else 0.0


def call_count_text(count: int) -> str:
    """How often a call happened; 0 is a call that had not returned when the profile was written."""
    return grouped(count) if count else "(active)"
