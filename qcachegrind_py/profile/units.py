"""Units of events: seconds or bytes per count, if the event's name states them.

Units are never guessed: `Time`, `wall_time` and `process_time` are written by several programs in
different units, and stay counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit and its amount per count: 10 ns is ("s", 1/100 000 000)."""

    symbol: str  # "s" or "B"
    factor: Fraction


_UNITS_BY_NAME = {
    "s": Unit("s", Fraction(1)),
    "ms": Unit("s", Fraction(1, 10**3)),
    "us": Unit("s", Fraction(1, 10**6)),
    "ns": Unit("s", Fraction(1, 10**9)),
    "b": Unit("B", Fraction(1)),
    "kb": Unit("B", Fraction(2**10)),  # written by pprof, which uses powers of two
    "mb": Unit("B", Fraction(2**20)),
    "gb": Unit("B", Fraction(2**30)),
    "tb": Unit("B", Fraction(2**40)),
}
_SPELLINGS = {
    "sec": "s",
    "second": "s",
    "seconds": "s",
    "msec": "ms",
    "millisecond": "ms",
    "milliseconds": "ms",
    "usec": "us",
    "microsecond": "us",
    "microseconds": "us",
    "nsec": "ns",
    "nanosecond": "ns",
    "nanoseconds": "ns",
    "byte": "b",
    "bytes": "b",
}
_UNAMBIGUOUS_UNITS = {"ms", "us", "ns", *_SPELLINGS} - {
    "sec",
    "second",
    "byte",
}  # B and s are ambiguous

_PARENTHESES = re.compile(r"(?:\S*|.*\s)\((?:[^()]*\s)?(\d{1,9})? ?([^\W\d_]+)\)", re.DOTALL)
_LAST_WORD = re.compile(r"(?:[^\d]*[\W_])?([^\W\d_]+)", re.DOTALL)
_REMARK = re.compile(r" \([^()]*\)$")
_RATE = re.compile(r"(?:.*[\W_])?per[\W_].*", re.DOTALL)


@lru_cache(256)  # needed for every picture; names from files may be long
def unit_of(event_name: str, long_name: str = "") -> Unit | None:
    """Return the unit of an event, or None if neither name states it.

    Names state the unit in parentheses, as `Time_(10ns)`, `cpu(ms)` and Valgrind's long name
    `sysTime (elapsed ns)`, or as their last word, as `wall_time_us` and `ns`, which a remark may
    follow: `Definitely lost Bytes (direct plus indirect)`.
    """
    return _parse_unit(event_name) or _parse_unit(long_name)


def without_unit(name: str) -> str:
    """Return the event name for costs shown with their unit: Time for `Time_(10ns)` and `ns`.

    Words stay whole: “total allocated Bytes” and “total Freed Bytes” are names.
    """
    unit = _parse_unit(name)
    if unit is None:
        return name
    if _unit_in_parentheses(_normalized(name)):
        head = name.rpartition("(")[0]
    elif len(name.split()) > 1:
        return name
    else:
        head = name.rpartition("_")[0]
    return head.rstrip("_ ") or ("Time" if unit.symbol == "s" else "Memory")


def _parse_unit(name: str) -> Unit | None:
    name = _normalized(name)
    if _RATE.fullmatch(name):
        return None
    if unit := _unit_in_parentheses(name):
        return unit
    word = _LAST_WORD.fullmatch(_REMARK.sub("", name))
    if word is None or word[1] not in _UNAMBIGUOUS_UNITS:
        return None
    return _UNITS_BY_NAME[_SPELLINGS.get(word[1], word[1])]


def _normalized(name: str) -> str:
    return " ".join(name.lower().split()).translate({ord("µ"): "u", ord("μ"): "u"})


def _unit_in_parentheses(name: str) -> Unit | None:
    match = _PARENTHESES.fullmatch(name)
    if match is None:
        return None
    unit, count = _UNITS_BY_NAME.get(_SPELLINGS.get(match[2], match[2])), int(match[1] or 1)
    return Unit(unit.symbol, unit.factor * count) if unit and count else None
