"""A series of costs as a line of characters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

BLOCKS = "▁▂▃▄▅▆▇█"
ASCII = "_.-=+*%#"  # where an encoding lacks blocks
MOST_CHARACTERS = 24


def characters_for(encoding: str | None) -> str:
    """Return the characters to draw with in an encoding, from low to high."""
    try:
        BLOCKS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def sparkline(values: Sequence[int], present: Sequence[bool], characters: str = BLOCKS) -> str:
    """Draw values between their lowest and highest; a blank is a revision without the function.

    More than 24 values are drawn in groups, each as the median of its values.
    """
    known = [value for value, is_there in zip(values, present, strict=True) if is_there]
    if not known:
        return " " * min(len(values), MOST_CHARACTERS)
    low, high = min(known), max(known)
    groups = ([v for v, is_there in group if is_there] for group in _groups(values, present))
    drawn = (sorted(group)[len(group) // 2] if group else None for group in groups)
    return "".join(
        " " if value is None else characters[_level(value - low, high - low, len(characters))]
        for value in drawn
    )


def _groups(values: Sequence[int], present: Sequence[bool]) -> list[list[tuple[int, bool]]]:
    pairs = list(zip(values, present, strict=True))
    count = min(len(pairs), MOST_CHARACTERS)
    ends = [len(pairs) * place // count for place in range(count + 1)]
    return [pairs[begin:end] for begin, end in pairwise(ends)]


def _level(height: int, highest: int, levels: int) -> int:
    return (2 * height * (levels - 1) + highest) // (2 * highest) if highest else 0
