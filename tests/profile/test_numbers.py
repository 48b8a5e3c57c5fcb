"""Percentages, units, and numbers as text."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.profile.numbers import (
    NumberStyle,
    Quantity,
    format_call_count,
    format_cost,
    format_count,
    format_duration,
    format_exact,
    format_percentage,
    fraction_of,
    has_percentages,
    percentage,
    percentages,
    plural,
    readable_description,
    unit_of,
    without_unit,
)

LARGEST = (1 << 63) - 1


@pytest.mark.parametrize("total", [0, -1, -LARGEST - 1, 0.5, math.nan])
def test_a_percentage_needs_a_positive_total(total: float) -> None:
    """Of nothing, of what was freed, of a sum that wrapped, and of a ratio there is no share."""
    assert not has_percentages(total)
    assert percentage(50, total) is None
    assert percentages([50, 0], total) is None


def test_percentages_are_rounded_once() -> None:
    """Costs of 64 bits are multiplied as unbounded integers."""
    assert percentage(1, 8) == 12.5
    assert percentage(LARGEST, LARGEST) == 100.0
    assert percentage(-LARGEST - 1, 1 << 62) == -200.0
    assert percentages([LARGEST, 3, -2], 4) == [100 * LARGEST / 4, 75.0, -50.0]


@pytest.mark.parametrize(
    ("cost", "base", "length"),
    [
        (1, 4, 0.25),
        (5, 4, 1.0),
        (-1, 4, 0.0),
        (1, 0, 0.0),
        (0, 0, 0.0),
        (2**2000, 1, 1.0),
        (1, 2**2000, 0.0),
        (0.5, 1.0, 0.0),
        (math.nan, 4, 0.0),
        (1, math.nan, 0.0),
    ],
)
def test_share(cost: float, base: float, length: float) -> None:
    """The length of a bar is from 0 to 1; ratios have no bar."""
    assert fraction_of(cost, base) == length


NANOSECOND = Quantity("s", Fraction(1, 10**9))
MICROSECOND = Quantity("s", Fraction(1, 10**6))
MILLISECOND = Quantity("s", Fraction(1, 10**3))
BYTE = Quantity("B", Fraction(1))


@pytest.mark.parametrize(
    ("name", "long_name", "quantity"),
    [
        ("Time_(10ns)", "", Quantity("s", Fraction(1, 10**8))),  # Xdebug 3
        ("Time_(µs)", "", MICROSECOND),  # Xdebug 2.6, MICRO SIGN
        ("Time_(μs)", "", MICROSECOND),  # the Greek letter
        ("Time_(1us)", "", MICROSECOND),
        ("Memory_(bytes)", "", BYTE),
        ("cpu(ms)", "", MILLISECOND),  # pprof
        ("cpu(s)", "", Quantity("s", Fraction(1))),
        ("alloc_space(kB)", "", Quantity("B", Fraction(1024))),
        ("inuse_space(MB)", "", Quantity("B", Fraction(1024**2))),
        ("ns", "Nanoseconds", NANOSECOND),  # pyprof2calltree
        ("wall_time_us", "", MICROSECOND),
        ("wall_time_ns", "", NANOSECOND),
        ("sysTime", "sysTime (elapsed ns)", NANOSECOND),  # Callgrind
        ("sysCpuTime", "sysCpuTime (system cpu ns)", NANOSECOND),
        ("curB", "currently allocated Bytes", BYTE),  # Valgrind's xtree
        ("DB", "Definitely lost Bytes (direct plus indirect)", BYTE),
        ("DIB", "Definitely Indirectly lost Bytes (subset of DB)", BYTE),
        ("totB", "Total Memory Bytes", BYTE),
    ],
)
def test_names_with_a_unit(name: str, long_name: str, quantity: Quantity) -> None:
    """Time and memory are recognised by the names that real writers use."""
    assert unit_of(name, long_name) == quantity


@pytest.mark.parametrize(
    ("name", "long_name"),
    [
        ("Ir", "Instruction Fetch"),
        ("Time", ""),  # of Xdebug 2.5, erlgrind and others
        ("wall_time", ""),
        ("process_time", ""),
        ("Ticks", ""),
        ("Hits", ""),
        ("Memory", ""),
        ("sysTime", ""),
        ("sysCount", "sysCount"),
        ("alloc_objects(count)", ""),
        ("Misses", "Number of miss(es)"),
        ("Calls", "Number of call(s)"),
        ("Rate", "Calls per ms"),
        ("calls_(per_ms)", ""),
        ("Rate", "Calls (per second)"),
        ("Chunks", "Chunks of 16 bytes"),
        ("Chunks", "Chunks of 16 bytes (direct)"),
        ("RBk", "reachable Blocks"),
        ("Rate", "Bytes (per second)"),
        ("Rate", "Bytes per call (direct)"),
        ("bytes(count)", ""),
        ("Bonus", ""),
        ("s", ""),
        ("B", ""),
        ("Time_(0ns)", ""),
        ("", ""),
        ("()", "("),
        ("Time_(" + "9" * 5000 + "ns)", ""),
    ],
)
def test_ambiguous_names(name: str, long_name: str) -> None:
    """An ambiguous name is a plain count; nothing is guessed."""
    assert unit_of(name, long_name) is None


def test_the_name_goes_before_the_long_one() -> None:
    """If both names have a unit, the short name is the writer's own."""
    assert unit_of("cpu(ms)", "in ns") == MILLISECOND


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Time_(10ns)", "Time"),
        ("Memory_(bytes)", "Memory"),
        ("cpu(ms)", "cpu"),
        ("alloc_space(kB)", "alloc_space"),
        ("sysTime (elapsed ns)", "sysTime"),
        ("wall_time_us", "wall_time"),
        ("ns", "Time"),
        ("Nanoseconds", "Time"),
        ("(bytes)", "Memory"),
        ("currently allocated Bytes", "currently allocated Bytes"),  # beside total Freed Bytes
        ("Total Memory Bytes", "Total Memory Bytes"),
        (
            "Definitely lost Bytes (direct plus indirect)",
            "Definitely lost Bytes (direct plus indirect)",
        ),
        ("wall time us", "wall time us"),
        ("Memory Size (bytes)", "Memory Size"),
        ("Ir", "Ir"),
        ("alloc_objects(count)", "alloc_objects(count)"),
        ("Calls (per second)", "Calls (per second)"),
    ],
)
def test_names_without_units(name: str, plain: str) -> None:
    """If costs have their units, the event's displayed name omits it; other names stay whole."""
    assert without_unit(name) == plain


SI = NumberStyle(use_si_prefixes=True)
GERMAN = NumberStyle(decimals=1, group_separator=".", decimal_point=",")
BARE = NumberStyle(decimals=0, group_separator="")
TEN_NS = Quantity("s", Fraction(1, 10**8))
SECOND = Quantity("s", Fraction(1))
KILOBYTE = Quantity("B", Fraction(1024))
NOT_A_NUMBER = float("nan")


@pytest.mark.parametrize(
    ("number", "style", "text"),
    [
        (0, NumberStyle(), "0"),
        (999, NumberStyle(), "999"),
        (1000, NumberStyle(), "1\u2009000"),
        (1234567, NumberStyle(), "1\u2009234\u2009567"),
        (-1234567, NumberStyle(), "−1\u2009234\u2009567"),
        (2**70, GERMAN, "1.180.591.620.717.411.303.424"),
        (1234567, BARE, "1234567"),
    ],
)
def test_grouped(number: int, style: NumberStyle, text: str) -> None:
    """Whole numbers are exact, with three digits in a group."""
    assert format_count(number, style) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (9999, "9\u2009999"),
        (10000, "10.00 k"),
        (12344, "12.34 k"),
        (12345, "12.35 k"),
        (-12345, "−12.35 k"),
        (123449, "123.4 k"),
        (999949, "999.9 k"),
        (999950, "1.000 M"),
        (1234567, "1.235 M"),
        (-1234567, "−1.235 M"),
        (9999500000, "10.00 G"),
        (5 * 10**12, "5.000 T"),
        (5 * 10**15, "5.000 P"),
        (2**63, "9.223 E"),
        (12345 * 10**18, "12\u2009345 E"),
    ],
)
def test_prefixes(number: int, text: str) -> None:
    """Numbers of five digits and more have four significant digits and a prefix."""
    assert format_count(number, SI) == text


@pytest.mark.parametrize(
    ("part", "whole", "style", "text"),
    [
        (1, 3, NumberStyle(), "33.33"),
        (2, 3, NumberStyle(), "66.67"),
        (1, 1, NumberStyle(), "100.00"),
        (0, 5, NumberStyle(), "0.00"),
        (3, 2, NumberStyle(), "150.00"),
        (-1, 3, NumberStyle(), "−33.33"),
        (-1, 10**9, NumberStyle(), "0.00"),
        (1, 800, NumberStyle(), "0.13"),
        (1, 20000, NumberStyle(), "0.01"),
        (2**63 - 1, 2**63, NumberStyle(), "100.00"),
        (2**63 - 1, 2**63, NumberStyle(decimals=18), "99.999999999999999989"),
        (1, 3, GERMAN, "33,3"),
        (2, 3, BARE, "67"),
        (5, 0, NumberStyle(), "–"),
        (5, -1, NumberStyle(), "–"),
    ],
)
def test_percentage(part: int, whole: int, style: NumberStyle, text: str) -> None:
    """Percentages have the requested decimals, halves away from zero; of 0 there are none."""
    assert format_percentage(part, whole, style) == text


@given(st.integers(0, 2**66), st.integers(1, 2**64), st.integers(0, 6))
def test_percentages_are_exact(part: int, whole: int, decimals: int) -> None:
    """However large the numbers are, each digit is right."""
    exact = Fraction(100 * part * 10**decimals, whole)
    digits = int(exact + Fraction(1, 2))
    wanted = Decimal(digits).scaleb(-decimals)
    assert Decimal(format_percentage(part, whole, NumberStyle(decimals=decimals))) == wanted


@pytest.mark.parametrize(
    ("cost", "as_percentage", "style", "text"),
    [
        (1234567, True, NumberStyle(), "12.35"),
        (1234567, True, SI, "12.35"),
        (1234567, False, NumberStyle(), "1\u2009234\u2009567"),
        (1234567, False, SI, "1.235 M"),
    ],
)
def test_costs(cost: int, as_percentage: bool, style: NumberStyle, text: str) -> None:
    """A cost is a percentage or a number, in the given style."""
    assert format_cost(cost, 10**7, as_percentage, style) == text


@pytest.mark.parametrize(
    ("ratio", "style", "text"),
    [
        (0.0, NumberStyle(), "0"),
        (-0.0, NumberStyle(), "0"),
        (0.5, NumberStyle(), "0.5000"),
        (-0.0123449, NumberStyle(), "−0.01234"),
        (1 / 3, GERMAN, "0,3333"),
        (99.996, NumberStyle(), "100.0"),
        (999.94, NumberStyle(), "999.9"),
        (999.96, NumberStyle(), "1\u2009000"),
        (1234.5, NumberStyle(), "1\u2009235"),
        (-1234567.5, GERMAN, "−1.234.568"),
        (1234567.0, SI, "1.235 M"),
        (0.00001234, NumberStyle(), "1.234e-05"),
        (NOT_A_NUMBER, NumberStyle(), "–"),
        (float("inf"), NumberStyle(), "∞"),
        (float("-inf"), NumberStyle(), "−∞"),
    ],
)
def test_ratios(ratio: float, style: NumberStyle, text: str) -> None:
    """A ratio has four digits and is never a percentage; an undefined one is a dash."""
    assert format_cost(ratio, 0.25, True, style) == text
    assert format_cost(ratio, 0.25, False, style, SECOND) == text


@pytest.mark.parametrize(
    ("cost", "quantity", "text"),
    [
        (1234567, TEN_NS, "12.35 ms"),
        (0, TEN_NS, "0 s"),
        (1, TEN_NS, "10 ns"),
        (99, TEN_NS, "990 ns"),
        (123, TEN_NS, "1.23 µs"),
        (1234, TEN_NS, "12.34 µs"),
        (99999, TEN_NS, "1.000 ms"),
        (-1234567, TEN_NS, "−12.35 ms"),
        (5, MICROSECOND, "5 µs"),
        (999, MICROSECOND, "999 µs"),
        (1500, MICROSECOND, "1.500 ms"),
        (12345678, MICROSECOND, "12.35 s"),
        (5, SECOND, "5 s"),
        (1234567, SECOND, "1\u2009234\u2009567 s"),
        (0, BYTE, "0 B"),
        (9999, BYTE, "9\u2009999 B"),
        (1234567, BYTE, "1.235 MB"),
        (-1234567, BYTE, "−1.235 MB"),
        (5, KILOBYTE, "5\u2009120 B"),
        (12, KILOBYTE, "12 kB"),
        (2**63, KILOBYTE, "9\u2009445 EB"),
    ],
)
def test_quantities(cost: int, quantity: Quantity, text: str) -> None:
    """Time and memory have units, and no digit below a single count."""
    assert format_cost(cost, 1, False, SI, quantity) == text


@pytest.mark.parametrize("style", [NumberStyle(), SI, BARE])
def test_quantities_have_units_in_every_style(style: NumberStyle) -> None:
    """Counts of 10 ns are unreadable as durations: every style converts them."""
    assert format_cost(1234567, 1, False, style, TEN_NS) == "12.35 ms"
    assert format_cost(1234567, 10**7, True, style, TEN_NS).startswith("12")


@pytest.mark.parametrize(
    ("cost", "quantity", "text"),
    [
        (1234567, None, "1\u2009234\u2009567 Time"),
        (1234567, TEN_NS, "1\u2009234\u2009567 × 10 ns"),
        (12, MICROSECOND, "12 µs"),
        (12, SECOND, "12 s"),
        (12, Quantity("s", Fraction(60)), "12 × 60 s"),
        (1234567, BYTE, "1\u2009234\u2009567 B"),
        (12, KILOBYTE, "12 × 1\u2009024 B"),
        (0.5, TEN_NS, "0.5000"),
    ],
)
def test_exact_costs(cost: float, quantity: Quantity | None, text: str) -> None:
    """The exact count, and its value in units, in every style."""
    assert format_exact(cost, "Time", SI, quantity) == text


@given(st.integers(10**4, 10**21))
def test_prefixes_keep_four_digits(number: int) -> None:
    """The displayed number is the nearest of four digits."""
    value, prefix = format_count(number, SI).rsplit(" ", 1)
    places = Decimal(len(str(number)) - 4).scaleb(0)
    nearest = Decimal(number).scaleb(-int(places)).quantize(Decimal(1), ROUND_HALF_UP)
    shown = Decimal(value.replace("\u2009", "")).scaleb(3 * "kMGTPE".index(prefix) + 3)
    assert shown == nearest.scaleb(int(places))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("32768 B, 64 B, 8-way associative", "32 KiB, 64 B, 8-way associative"),
        ("268435456 B, 64 B, 16-way associative", "256 MiB, 64 B, 16-way associative"),
        ("3221225472 B", "3 GiB"),
        ("1536 B, 1025 B", "1536 B, 1025 B"),
        ("0000 B", "0 B"),
        ("x32768 B, 32768 Bytes, 1.32768 B", "x32768 B, 32768 Bytes, 1.32768 B"),
    ],
)
def test_sizes_of_caches(text: str, shown: str) -> None:
    """Sizes are powers of two: what is no whole number of KiB stays as it was written."""
    assert readable_description(text) == shown


def test_call_counts() -> None:
    """A call that had not returned has no count; a function that was not called has 0."""
    assert format_call_count(0, SI, is_active=True) == "(active)"
    assert format_call_count(0, is_active=False) == "0"
    assert format_call_count(12345, is_active=False) == "12\u2009345"
    assert format_call_count(12345, SI, is_active=False) == "12.35 k"


@pytest.mark.parametrize(
    ("noun", "nouns"),
    [
        ("function", "functions"),
        ("cost line", "cost lines"),
        ("box", "boxes"),
        ("process", "processes"),
        ("branch", "branches"),
        ("oddity", "oddities"),
        ("way", "ways"),
    ],
)
def test_plurals(noun: str, nouns: str) -> None:
    """Only one has the noun as it is."""
    assert [plural(count, noun) for count in (0, 1, 2, 10**20)] == [nouns, noun, nouns, nouns]


def test_running_times() -> None:
    """Short times have a decimal, longer ones are in minutes or hours, with two digits behind."""
    seconds = (0, 4.24, 9.99, 38.4, 59.7, 187, 3599, 7505)

    assert [format_duration(time) for time in seconds] == [
        "0.0 s", "4.2 s", "10.0 s", "38 s", "1:00 min", "3:07 min", "59:59 min", "2:05 h"
    ]  # fmt: skip
