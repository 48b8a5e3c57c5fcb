"""Header lines of the format (section 3.2.2): `key: value` taken apart, their values read."""

from __future__ import annotations

import re

# a part has at most one line of each of these; a second one begins the next part
ONCE_A_PART = frozenset(
    ("version", "creator", "pid", "cmd", "part", "thread", "positions", "events")
)
OTHER_KEYS = frozenset(
    ("desc", "event", "summary", "totals", "total", "arch", "timeframe (BB)", "rangetype")
)

_HEADER = re.compile(r"([A-Za-z][\w ()]*):[ \t]*(.*)")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|[0-9]+)")
_MOST_DIGITS = 1000  # Python reads no decimal number of many more
_EVENT = re.compile(r"\s*([^\s=:]+)\s*(?:=\s*([^:]*))?(?::\s*(.*))?")


def split_header(text: str) -> tuple[str, str] | None:
    """Key and value of a header line; None for a line that is none."""
    match = _HEADER.fullmatch(text.strip())
    if match is None or match[1] not in ONCE_A_PART | OTHER_KEYS:
        return None
    return match[1], match[2].strip()


def read_numbers(text: str) -> list[int] | None:
    """Numbers divided by blanks, as they are written; None where there is anything else."""
    words = text.split()
    if not all(_NUMBER.fullmatch(word) and len(word) < _MOST_DIGITS for word in words):
        return None
    return [_number(word) for word in words]


def signed(number: int) -> int:
    """The lowest 64 bits as a signed number."""
    bits = number & 0xFFFF_FFFF_FFFF_FFFF
    return bits - (1 << 64) if bits >> 63 else bits


def read_integer(text: str) -> int | None:
    """The number a text begins with, such as a pid."""
    match = _NUMBER.match(text)
    return _number(match[0]) if match and len(match[0]) < _MOST_DIGITS else None


def _number(text: str) -> int:
    return int(text, 16 if "x" in text.lower() else 10)


def read_event(text: str) -> tuple[str, str, str] | None:
    """Name, formula and long name of `event: NAME [= FORMULA] [: LONG NAME]`."""
    match = _EVENT.fullmatch(text)
    if match is None:
        return None
    return match[1], (match[2] or "").strip(), (match[3] or "").strip()
