"""Numbers for people: percentages of a total, units of events, and texts.

A percentage needs a positive total (docs/design.md, reading rule 6), and this is the one place that
divides costs by what equals 100 %. An event that counts what is allocated and freed may add up to 0
or less, and so may sums that exceed 64 bits: such costs are given as numbers only.

Units, seconds or bytes per count, are those that the event's name states. They are never guessed:
`Time`, `wall_time` and `process_time` are written by several programs in different units, and stay
counts.

Texts of integers are exact at any size. Halves are rounded away from zero.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeGuard

from qcachegrind_py.frozen import frozen

# ---------------------------------------------------------------- percentages


def has_percentages(total: int | float) -> TypeGuard[int]:
    """Return whether costs can be given in percent of a total; ratios, which are floats, cannot."""
    return not isinstance(total, float) and total > 0


def why_no_percentages(event: str, total: int | float) -> str:
    """Return the clause for a user who asks for percentages where there are none."""
    return f"the total of {event} is {total:,}, so it has no percentages"


def percentage(cost: int | float, total: int | float) -> float | None:
    """Return a cost in percent of a total, rounded once; None if there are no percentages."""
    return 100 * cost / total if has_percentages(total) else None


def percentages(costs: Sequence[int | float], total: int | float) -> list[float] | None:
    """Return costs in percent of a total, each rounded once; None if there are no percentages."""
    return [100 * cost / total for cost in costs] if has_percentages(total) else None


def fraction_of(cost: int | float, total: int | float) -> float:
    """Return a cost as a fraction of a total from 0 to 1, such as the length of a bar.

    It is 0 for ratios, which are floats, and where there are no percentages.
    """
    if isinstance(cost, float) or not has_percentages(total) or cost <= 0:
        return 0.0
    return cost / total if cost < total else 1.0


# ---------------------------------------------------------------- units


@frozen(eq=True)
class Quantity:
    """A unit and its amount per count: 10 ns is ("s", 1/100 000 000)."""

    symbol: str  # a key of `_SCALES`
    factor: Fraction


class _Scale(NamedTuple):
    """How amounts of a unit are written."""

    event: str  # the name of an event whose recorded name is the unit alone
    prefixes: tuple[str, ...]  # each for amounts 1000 times as large, the finest amount first
    finest: int  # how many of the finest amounts are one unit


_PREFIXES: tuple[str, ...] = ("", "k", "M", "G", "T", "P", "E")
_SCALES = {
    "s": _Scale("Time", ("n", "µ", "m", ""), 10**9),  # kiloseconds are not in use
    "B": _Scale("Memory", _PREFIXES, 1),
}
_UNITS_BY_NAME = {
    "s": Quantity("s", Fraction(1)),
    "ms": Quantity("s", Fraction(1, 10**3)),
    "us": Quantity("s", Fraction(1, 10**6)),
    "ns": Quantity("s", Fraction(1, 10**9)),
    "b": Quantity("B", Fraction(1)),
    "kb": Quantity("B", Fraction(2**10)),  # written by pprof, which uses powers of two
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
def unit_of(event_name: str, long_name: str = "") -> Quantity | None:
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
    return head.rstrip("_ ") or _SCALES[unit.symbol].event


def _parse_unit(name: str) -> Quantity | None:
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


def _unit_in_parentheses(name: str) -> Quantity | None:
    match = _PARENTHESES.fullmatch(name)
    if match is None:
        return None
    unit, count = _UNITS_BY_NAME.get(_SPELLINGS.get(match[2], match[2])), int(match[1] or 1)
    return Quantity(unit.symbol, unit.factor * count) if unit and count else None


# ---------------------------------------------------------------- texts


@frozen(eq=True)
class NumberStyle:
    """The number format of a window."""

    decimals: int = 2  # of percentages
    group_separator: str = "\N{THIN SPACE}"  # between groups of three digits; empty: no groups
    decimal_point: str = "."
    use_si_prefixes: bool = False  # four digits and a prefix: 1.235 M


DEFAULT_STYLE = NumberStyle()


IN_CYCLE = "(cycle)"  # in place of the cost of a call that stays within the caller's cycle
ACTIVE = "(active)"  # in place of the count of calls that had not returned
UNDEFINED = "–"  # in place of a number that is not known or has no meaning
MINUS = "\N{MINUS SIGN}"  # of numbers that people read
_SIGNIFICANT_DIGITS = 4  # of abbreviated numbers
_ABBREVIATION_LIMIT = 10**_SIGNIFICANT_DIGITS  # the smallest integer that a prefix shortens
_RANGE = re.compile(r"(?<=[0-9]) - (?=[0-9])")
_BYTES = re.compile(r"(?<![\w.,])([0-9]{4,18}) B\b")  # of caches, as Callgrind writes them


def format_count(number: int, style: NumberStyle = DEFAULT_STYLE) -> str:
    """Format an integer with grouped digits, 1 234 567, or with an SI prefix, 1.235 M."""
    if style.use_si_prefixes and not -_ABBREVIATION_LIMIT < number < _ABBREVIATION_LIMIT:
        return _format_with_prefix(number, 1, "", _PREFIXES, style)
    return _group_digits(number, style)


def format_brief(number: int, style: NumberStyle = DEFAULT_STYLE) -> str:
    """Format an integer for a sentence, in three digits with an SI prefix: 9 120, 12.8 M."""
    if -_ABBREVIATION_LIMIT < number < _ABBREVIATION_LIMIT:
        return _group_digits(number, style)
    return _format_with_prefix(number, 1, "", _PREFIXES, style, digits=3)


def _group_digits(number: int, style: NumberStyle) -> str:
    digits = f"{abs(number):,}".replace(",", style.group_separator)
    return f"{MINUS}{digits}" if number < 0 else digits


def format_percentage(part: int, whole: int, style: NumberStyle = DEFAULT_STYLE) -> str:
    """Format a share in percent; a dash if `whole` is 0 or negative."""
    if not has_percentages(whole):
        return UNDEFINED
    scale: int = 10**style.decimals
    rounded = (200 * scale * abs(part) + whole) // (2 * whole)
    sign = MINUS if part < 0 and rounded else ""
    return sign + _insert_point(rounded, style.decimals, style)


def signed_text(text: str, number: int | float) -> str:
    """Return the text of a change with its sign: `+` is growth."""
    return f"+{text}" if number > 0 else text


def smallest_share(style: NumberStyle = DEFAULT_STYLE) -> str:
    """Return the text of a share above 0 that would be rounded to 0: <0.01."""
    return f"<{_insert_point(1, style.decimals, style)}"


def format_cost(
    cost: int | float,
    base: int | float,
    as_percentage: bool,
    style: NumberStyle = DEFAULT_STYLE,
    unit: Quantity | None = None,
) -> str:
    """Format a cost as a percentage of `base` or absolutely; floats are ratios, never percentages.

    Time and memory have their unit in every style, since a count of 10 ns steps is hard to read.
    """
    if isinstance(cost, float):
        return _format_ratio(cost, style)
    if as_percentage and not isinstance(base, float):
        return format_percentage(cost, base, style)
    if unit is not None:
        return _format_with_unit(cost, unit, style)
    return format_count(cost, style)


def format_exact(
    cost: int | float,
    event: str,
    style: NumberStyle = DEFAULT_STYLE,
    unit: Quantity | None = None,
) -> str:
    """Format a cost in full, with its event or unit: 12 345 Ir, 1 234 567 × 10 ns."""
    if isinstance(cost, float):
        return _format_ratio(cost, style)
    number = _group_digits(cost, style)
    if unit is None:
        return f"{number} {event}" if event else number
    factor, prefixes = unit.factor, _SCALES[unit.symbol].prefixes
    finer = reversed(prefixes[: prefixes.index("") + 1])
    prefix = next(finer)
    while factor.denominator != 1:
        factor, prefix = factor * 1000, next(finer)
    of = "" if factor == 1 else f"× {_group_digits(int(factor), style)} "
    return f"{number} {of}{prefix}{unit.symbol}"


def format_call_count(
    count: int | None, style: NumberStyle = DEFAULT_STYLE, *, is_active: bool
) -> str:
    """Format a call count, or a dash for None: calls were not counted.

    It is 0 where all calls were active when the profile was written.
    """
    if is_active:
        return ACTIVE
    return UNDEFINED if count is None else format_count(count, style)


def readable_description(text: str) -> str:
    """Return a `desc:` text of Callgrind with binary sizes and ranges: 256 MiB, 0–9."""
    text = _RANGE.sub("–", text)
    return _BYTES.sub(lambda match: _binary_size(int(match[1])), text)


def _binary_size(size: int) -> str:
    units = ["B", "KiB", "MiB", "GiB"]
    while size and size % 1024 == 0 and len(units) > 1:
        size //= 1024
        del units[0]
    return f"{size} {units[0]}"


def format_duration(seconds: float) -> str:
    """Return the running time of a program: 4.2 s, 38 s, 3:07 min, 2:05 h."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours}:{minutes_left:02} h" if hours else f"{minutes}:{rest:02} min"


def plural(count: int, noun: str) -> str:
    """Return the noun for that many: `function` for 1, else `functions`; also boxes, oddities."""
    if count == 1:
        return noun
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def _insert_point(number: int, decimals: int, style: NumberStyle) -> str:
    """Format an integer number of tenths, hundredths, … by `decimals`."""
    if not decimals:
        return str(number)
    digits = f"{number:0{decimals + 1}d}"
    return f"{digits[:-decimals]}{style.decimal_point}{digits[-decimals:]}"


def _format_ratio(ratio: float, style: NumberStyle) -> str:
    """Format four digits, or all digits of a larger integer part."""
    if not math.isfinite(ratio):
        return UNDEFINED if math.isnan(ratio) else f"{MINUS if ratio < 0 else ''}∞"
    if abs(ratio) >= 999.95:  # from here on, four digits leave no decimals
        whole = math.floor(abs(ratio) + 0.5)
        return format_count(-whole if ratio < 0 else whole, style)
    sign = MINUS if ratio < 0 else ""
    text = f"{sign}{abs(ratio):#.{_SIGNIFICANT_DIGITS}g}" if ratio else "0"
    return text if style.decimal_point == "." else text.replace(".", style.decimal_point)


# ---------------------------------------------------------------- prefixes


def _format_with_unit(cost: int, unit: Quantity, style: NumberStyle) -> str:
    """Format a cost with its unit, computed in whole amounts of the finest kind."""
    scale = _SCALES[unit.symbol]
    finest, per = (unit.factor * scale.finest).as_integer_ratio()
    number = cost * finest // per
    is_short = scale.finest == 1 and -_ABBREVIATION_LIMIT < number < _ABBREVIATION_LIMIT
    if not number or is_short:
        return f"{_group_digits(number, style)} {unit.symbol}"
    return _format_with_prefix(number, finest // per, unit.symbol, scale.prefixes, style)


def _format_with_prefix(
    number: int,
    step: int,
    symbol: str,
    prefixes: tuple[str, ...],
    style: NumberStyle,
    digits: int = _SIGNIFICANT_DIGITS,
) -> str:
    """Format so many digits, or fewer if the last would be finer than a `step`."""
    size = abs(number)
    length = len(str(size))
    rung = min((length - 1) // 3, len(prefixes) - 1)
    before_point = length - 3 * rung
    decimals = max(0, min(digits - before_point, 3 * rung - len(str(step)) + 1))
    cut: int = 10 ** (3 * rung - decimals)
    rounded = (2 * size + cut) // (2 * cut)
    if rounded >= 10 ** (before_point + decimals):  # 999.95 became 1000.0
        larger = rounded * cut if number > 0 else -rounded * cut
        return _format_with_prefix(larger, step, symbol, prefixes, style, digits)
    text = _insert_point(rounded, decimals, style) if decimals else _group_digits(rounded, style)
    return f"{MINUS if number < 0 else ''}{text} {prefixes[rung]}{symbol}"
