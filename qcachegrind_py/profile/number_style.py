"""How numbers are written: digits, separators, prefixes. What writes them is `number_text`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """The choices for all numbers of a window."""

    decimals: int = 2  # of percentages
    group: str = "\N{THIN SPACE}"  # between groups of three digits; empty: no groups
    point: str = "."
    si: bool = False  # four digits and a prefix: 1.235 M


DEFAULT_STYLE = NumberStyle()
