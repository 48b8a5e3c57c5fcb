"""What is left out of names and locations that are too long, and in which order."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.names.syntax import fitted_location, fitted_name
from qcachegrind_py.formats.loading import load

DATA = Path(__file__).resolve().parents[2] / "data"
EXAMPLE = DATA.parents[1] / "resources/example/callgrind.out.templates.xz"


def shown(name: str, length: int) -> str:
    """A name in so many characters, its callers between braces."""
    fitted = fitted_name(name, lambda text: len(text) <= length)
    text, begin, end = fitted.text, fitted.callers_begin, fitted.callers_end
    return text if begin == end else f"{text[:begin]}{{{text[begin:end]}}}{text[end:]}"


def narrowing(name: str, *lengths: int) -> list[str]:
    """A name in less and less room."""
    return [shown(name, length) for length in lengths]


def test_parameters_give_way_first_then_arguments_then_the_scope() -> None:
    """The function's own name and what follows its parameters stay to the last."""
    name = "ns::Map<int, Key>::find(Key const&, int) const"

    assert narrowing(name, 46, 45, 41, 33, 28, 27, 16, 12) == [
        "ns::Map<int, Key>::find(Key const&, int) const",
        "ns::Map<int, Key>::find(Key const&, i…) const",
        "ns::Map<int, Key>::find(Key const…) const",
        "ns::Map<int, Key>::find(K…) const",
        "ns::Map<int…>::find(…) const",
        "ns::Map<in…>::find(…) const",
        "…::find(…) const",
        "…find",
    ]


@pytest.mark.parametrize(
    ("name", "length", "expected"),
    [
        ("void std::sort<int*>(int*, int*)", 19, "…std::sort<…>(…)"),
        ("std::enable_if<A>::type ns::f<int>(int)", 17, "…ns::f<…>(…)"),
        ("operator new(unsigned long)", 16, "operator new(u…)"),
        ("A::operator()(int, char) const", 27, "A::operator()(int, …) const"),
        ("ns::operator<<(std::ostream&, int)", 18, "ns::operator<<(s…)"),
        ("main::{lambda(int)#1}::operator()(int) const", 34, "…::operator()(…) const"),
        (
            "main::'lambda'(int)::operator()(int) const",
            40,
            "main::'lambda'(int)::operator()(…) const",
        ),
        ("<alloc::Vec<T> as core::Drop>::drop", 17, "…::Drop>::drop"),
        ("(anonymous namespace)::f(int)", 28, "(anonymous namespace)::f(i…)"),
        ("foo(bar) [clone .cold]", 21, "foo(b…) [clone .cold]"),
        ("f(std::function<void (int)>, char)", 20, "f(std::function…)"),
        ("f(int, char) <cycle 3>", 17, "f(int…) <cycle 3>"),
        ("f(int, char)  ↻", 12, "f(int, …)  ↻"),
        ("A<(x > y)>::f(int)", 10, "A<…>::f(…)"),
    ],
)
def test_names_of_all_kinds(name: str, length: int, expected: str) -> None:
    """Return types, operators, lambdas, clones and marks behind a name are told apart."""
    assert shown(name, length) == expected


def test_callers_are_cut_from_their_end() -> None:
    """Callers follow a name behind apostrophes; a level of recursion belongs to the name."""
    assert narrowing("f(int)'g(char)'main", 19, 18, 16, 14, 9, 6, 5, 3) == [
        "f(int){'g(char)'main}",
        "f(int){'g(ch…)'main}",
        "f(int){'g(…)'main}",
        "f(…){'g(…)'main}",
        "f(…){'g…}",
        "f(…){'…}",
        "f",
        "f",
    ]
    assert narrowing("fib'2'0x1ab70f0 <cycle 1>", 40, 24, 22) == [
        "fib'2{'0x1ab70f0} <cycle 1>",
        "fib'2{'0x1ab70…} <cycle 1>",
        "fib'2{'0x1ab…} <cycle 1>",
    ]
    assert narrowing("fib'2", 9, 3) == ["fib'2", "fib'2"]


@pytest.mark.parametrize(
    "name", ["main", "very_long_name_in_c", "(below main)", "<module>", "", "'"]
)
def test_own_name_is_never_cut(name: str) -> None:
    """Where not even that fits, it is returned in full, for the view to cut."""
    assert narrowing(name, len(name), 3, 0) == [name] * 3


def test_real_names_become_shorter_and_end_in_their_own() -> None:
    """Every name of a C++ program fits wherever its own name does, and never grows."""
    for name in sorted(set(load(EXAMPLE).texts))[::10]:
        lengths = [len(shown(name, length)) for length in range(len(name), 0, -1)]
        steps = [length for length, _ in groupby(lengths)]
        assert steps == sorted(steps, reverse=True)
        assert steps[0] == len(name)


@given(st.text(alphabet="ab:<>(){}[]' ,…↻0~", max_size=60), st.integers(0, 60))
def test_odd_names_fit_or_are_part_of_themselves(name: str, length: int) -> None:
    """Whatever a name consists of: what is shown fits, or is nothing but a part of the name."""
    fitted = fitted_name(name, lambda text: len(text) <= length)

    assert len(fitted.text) <= max(length, len(name))
    assert 0 <= fitted.callers_begin <= fitted.callers_end <= len(fitted.text)


@pytest.mark.parametrize(
    ("location", "length", "expected"),
    [
        ("ld-linux-x86-64.so.2: dl-reloc.c", 32, "ld-linux-x86-64.so.2: dl-reloc.c"),
        ("ld-linux-x86-64.so.2: dl-reloc.c", 24, "ld-li…4.so.2: dl-reloc.c"),
        ("ld-linux-x86-64.so.2: dl-reloc.c", 19, "ld…so.2: dl-reloc.c"),
        ("ld-linux-x86-64.so.2: dl-reloc.c", 18, "…dl-reloc.c"),
        ("ld-linux-x86-64.so.2: dl-reloc.c", 8, "…reloc.c"),
        ("libstdc++.so.6.0.30", 10, "libstdc++…"),
        ("12 members", 8, "12 memb…"),
        ("/usr/include/c++/vector", 9, "…+/vector"),
    ],
)
def test_locations_keep_their_file(location: str, length: int, expected: str) -> None:
    """An object is shortened in its middle, where its version and kind are not."""
    assert fitted_location(location, lambda text: len(text) <= length) == expected
