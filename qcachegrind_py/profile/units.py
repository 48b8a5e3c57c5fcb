"""What one count of an event is: so many seconds or bytes, where the event's name proves it.

Nothing is guessed: `Time`, `wall_time` and `process_time` are written by several programs, each in
its own unit, and stay counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Quantity:
    """A unit, and how many of it one count is: 10 ns is ("s", 1/100 000 000)."""

    symbol: str  # "s" or "B"
    factor: Fraction


_UNITS = {
    "s": Quantity("s", Fraction(1)),
    "ms": Quantity("s", Fraction(1, 10**3)),
    "us": Quantity("s", Fraction(1, 10**6)),
    "ns": Quantity("s", Fraction(1, 10**9)),
    "b": Quantity("B", Fraction(1)),
    "kb": Quantity("B", Fraction(2**10)),  # these are pprof's, and to pprof they are powers of two
    "mb": Quantity("B", Fraction(2**20)),
    "gb": Quantity("B", Fraction(2**30)),
    "tb": Quantity("B", Fraction(2**40)),
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
_LONE = {"ms", "us", "ns", *_SPELLINGS} - {"sec", "second", "byte"}  # B, s: may be anything

_PARENTHESES = re.compile(r"(?:\S*|.*\s)\((?:[^()]*\s)?(\d{1,9})? ?([^\W\d_]+)\)", re.DOTALL)
_LAST_WORD = re.compile(r"(?:[^\d]*[\W_])?([^\W\d_]+)", re.DOTALL)
_RATE = re.compile(r"(?:.*[\W_])?per[\W_].*", re.DOTALL)


@lru_cache(256)  # asked for every picture, of names that a file may make long
def quantity_of(event_name: str, long_name: str = "") -> Quantity | None:
    """What a count of the event is; None where neither name says.

    Names say it in parentheses, as `Time_(10ns)`, `cpu(ms)` and Valgrind's long name `sysTime
    (elapsed ns)` do, or as their last word, as `wall_time_us` and `ns` do.
    """
    return _read(event_name) or _read(long_name)


def without_unit(name: str) -> str:
    """The name where costs stand with their units: `Time_(10ns)` is Time, `ns` is Time, too."""
    quantity = _read(name)
    if quantity is None:
        return name
    head = name.rpartition("(")[0] if name.rstrip().endswith(")") else name.rpartition("_")[0]
    return head.rstrip("_ ") or ("Time" if quantity.symbol == "s" else "Memory")


def _read(name: str) -> Quantity | None:
    name = " ".join(name.lower().split()).translate({ord("µ"): "u", ord("μ"): "u"})
    if _RATE.fullmatch(name):
        return None
    if match := _PARENTHESES.fullmatch(name):
        unit, count = _UNITS.get(_SPELLINGS.get(match[2], match[2])), int(match[1] or 1)
        return Quantity(unit.symbol, unit.factor * count) if unit and count else None
    word = _LAST_WORD.fullmatch(name)
    if word is None or word[1] not in _LONE:
        return None
    return _UNITS[_SPELLINGS.get(word[1], word[1])]
