"""The unit of one count of an event, derived from its name."""

from __future__ import annotations

from fractions import Fraction

import pytest

from qcachegrind_py.profile.numbers import Unit, unit_of, without_unit

NANOSECOND = Unit("s", Fraction(1, 10**9))
MICROSECOND = Unit("s", Fraction(1, 10**6))
MILLISECOND = Unit("s", Fraction(1, 10**3))
BYTE = Unit("B", Fraction(1))


@pytest.mark.parametrize(
    ("name", "long_name", "quantity"),
    [
        ("Time_(10ns)", "", Unit("s", Fraction(1, 10**8))),  # Xdebug 3
        ("Time_(µs)", "", MICROSECOND),  # Xdebug 2.6, MICRO SIGN
        ("Time_(μs)", "", MICROSECOND),  # the Greek letter
        ("Time_(1us)", "", MICROSECOND),
        ("Memory_(bytes)", "", BYTE),
        ("cpu(ms)", "", MILLISECOND),  # pprof
        ("cpu(s)", "", Unit("s", Fraction(1))),
        ("alloc_space(kB)", "", Unit("B", Fraction(1024))),
        ("inuse_space(MB)", "", Unit("B", Fraction(1024**2))),
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
def test_names_with_a_unit(name: str, long_name: str, quantity: Unit) -> None:
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
