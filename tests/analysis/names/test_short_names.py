"""Short forms of names and paths, and what is left out where there is little room."""

from __future__ import annotations

from itertools import combinations, groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.names.syntax import (
    fitted_location,
    fitted_name,
    name_within,
    short_paths,
    without_template_arguments,
)
from qcachegrind_py.formats.loading import load
from tests.growth import assert_linear


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("std::map<A, std::vector<B> >::find(C<D> const&)", "std::map<…>::find(C<…> const&)"),
        ("std::vector<int>::f[abi:cxx11]<int>()", "std::vector<…>::f[abi:cxx11]<…>()"),
        ("std::function<void (int)>::operator()<int>(int)", "std::function<…>::operator()<…>(int)"),
        ("(anonymous namespace)::C<D>::g()", "(anonymous namespace)::C<…>::g()"),
        ("f()::{lambda(A<B>)#1}::operator()(A<B>)", "f()::{lambda(A<…>)#1}::operator()(A<…>)"),
        ("f<A>'g<B>'main'2", "f<…>'g<…>'main'2"),
        ("auto f<int>(A<B>) -> C<D>", "auto f<…>(A<…>) -> C<…>"),
        ("core::ptr::drop_in_place::<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place::<…>"),
        # operators
        ("bool operator< <int>(A<int> const&)", "bool operator< <…>(A<…> const&)"),
        ("bool operator<<int>(A<int> const&)", "bool operator<<…>(A<…> const&)"),
        ("C& std::operator<<<D<char>>(C&)", "C& std::operator<<<…>(C&)"),
        ("operator<=><A<int>>(B)", "operator<=><…>(B)"),
        ("A<B>::operator->() const", "A<…>::operator->() const"),
        ("A<B>::operator->*<C>() const", "A<…>::operator->*<…>() const"),
        ("A<&operator< >::f(B<C>)", "A<…>::f(B<…>)"),
        ("A::operator std::vector<int>() const", "A::operator std::vector<…>() const"),
        # comparisons
        ("A<(1 > 0)>::f(B<C>)", "A<…>::f(B<…>)"),
        ("A<(1 < 0)>::f(B<C>)", "A<…>::f(B<…>)"),
        ("A<((1)<(2)), B<C> >::f()", "A<…>::f()"),
        # a bracket that a path begins with
        (
            "<alloc::vec::Vec<T> as core::ops::Drop>::drop",
            "<alloc::vec::Vec<…> as core::ops::Drop>::drop",
        ),
        ("<T as Trait<U>>::method::<V>", "<T as Trait<…>>::method::<…>"),
        ("<fn(A<B>) -> C<D> as E>::f", "<fn(A<…>) -> C<…> as E>::f"),
        ("std::f<A> <cycle 3>", "std::f<…> <cycle 3>"),
    ],
)
def test_arguments_are_left_out(name: str, short: str) -> None:
    """Each outermost list of template arguments becomes `<…>`; everything else stays."""
    assert without_template_arguments(name) == short


@pytest.mark.parametrize(
    "name",
    [
        "",
        "main",
        "f<>()",
        "<T as Trait>::method",
        "bool ns::operator<(A const&, B)",
        "operator->",
        "operator<=>(A, B)",
        "Class->m",
        "<module>",
        "<lambda>",
        "<genexpr>",
        "<built-in method builtins.max>",
        "<method 'append' of 'list' objects>",
        "<listcomp> <frozen importlib._bootstrap_external>:128",
        "Foo.bar.<locals>.<lambda>",
        "java.util.HashMap.<init>(II)V",
        "<cycle 3>",
        "Integer::<",
        "Integer::<<",
        "Geo/Shape::<=>",
        "Fixnum#<=>",
        "weird name (with) <chars> =x'fn=(12) trap",
    ],
)
def test_names_without_arguments_stay(name: str) -> None:
    """Operators, arrows, and brackets within a function's own name are no template arguments."""
    assert without_template_arguments(name) == name


@pytest.mark.parametrize(
    "name",
    ["f<", "f>", "A<B>::f<int", "A<B>::f(int", "A<B>::f)", "A<B>>::f", "f<a(b>)", "A<B]>"],
)
def test_unbalanced_names_stay(name: str) -> None:
    """A name with unbalanced brackets is unchanged."""
    assert without_template_arguments(name) == name


@pytest.mark.parametrize("piece", ["<", "a<", "(a<", "(a>", "a<b>", "operator<", " <", "'<"])
def test_work_grows_with_the_length_of_a_name(piece: str) -> None:
    """The time to shorten a name is linear in its length, even for a hostile one."""

    def shorten(length: int) -> str:
        return without_template_arguments(piece * (length // len(piece)) + ")" * (length // 2))

    assert_linear(shorten, 100_000)


def test_work_grows_with_the_length_of_a_balanced_name() -> None:
    """The same for lists that are all closed."""
    assert_linear(lambda n: without_template_arguments("a<" * n + "b<c>" * n + ">" * n), 10_000)


@pytest.mark.parametrize("piece", ["<int>", "(int)", "a<int>::", "<int>'a"])
def test_work_grows_with_the_length_of_a_name_with_many_lists(piece: str) -> None:
    """The same for a name that is cut to what a line has room for."""
    assert_linear(lambda n: name_within("f" + piece * (n // len(piece))), 10_000)


_PIECES = (
    "<",
    ">",
    "(",
    ")",
    "a",
    "::",
    "f",
    "operator",
    "<<",
    "->",
    " ",
    "[",
    "{",
    "<T>",
    "g<T> ",
)


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
def test_a_caller_in_the_name_changes_nothing(name: str) -> None:
    """Names of the usual form are shortened faster than those with callers, with equal results."""
    assert without_template_arguments(f"{name}'main") == f"{without_template_arguments(name)}'main"


@pytest.mark.parametrize(
    ("paths", "short"),
    [
        ([], []),
        (["/usr/src/a.c", "b.c", "./x/c.h"], ["a.c", "b.c", "c.h"]),
        (["lib1/work.cpp", "lib2/work.cpp", "main.cpp"],
         ["lib1/work.cpp", "lib2/work.cpp", "main.cpp"]),
        # of three, the two that share a folder need one more
        (["/p/x/io/a.c", "/p/y/io/a.c", "/p/net/a.c"], ["x/io/a.c", "y/io/a.c", "net/a.c"]),
        # where one is the end of another, it is all there is of it
        (["a.c", "src/a.c", "/a.c"], ["a.c", "src/a.c", "/a.c"]),
        (["C:\\one\\a.c", "C:\\two\\a.c", "D:\\b.c"], ["one/a.c", "two/a.c", "b.c"]),
        # the same throughout, however they are written
        (["x/a.c", "x/a.c", "y/a.c"], ["x/a.c", "x/a.c", "y/a.c"]),
        (["", "???", "/", "/usr/"], ["", "???", "/", "usr/"]),
    ],
)  # fmt: skip
def test_short_paths(paths: list[str], short: list[str]) -> None:
    """The base name of each path, with folders only for paths of the same base name."""
    assert short_paths(paths) == short


PATHS = st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join), max_size=8)


@given(PATHS)
def test_different_paths_stay_different(paths: list[str]) -> None:
    """Each short path is the end of its path, and no two are equal."""
    short = short_paths(paths)

    assert len(short) == len(paths)
    for path, text in zip(paths, short, strict=True):
        assert f"/{path}".endswith(f"/{text}")
    for one, other in combinations(range(len(paths)), 2):
        assert (short[one] == short[other]) == (paths[one] == paths[other])
    bases = [path.rpartition("/")[2] for path in paths]
    alone = [text for text, base in zip(short, bases, strict=True) if bases.count(base) == 1]
    assert "/" not in "".join(alone)


def test_order_of_paths_does_not_matter() -> None:
    """The same paths have the same short forms in any order."""
    paths = ["/p/x/io/a.c", "b.c", "/p/net/a.c", "/p/y/io/a.c", "q/b.c"]

    short = dict(zip(paths, short_paths(paths), strict=True))

    for turned in (paths[::-1], paths[2:] + paths[:2]):
        assert dict(zip(turned, short_paths(turned), strict=True)) == short


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


def test_template_arguments_give_way_first_then_parameters_then_the_scope() -> None:
    """The function's own name and what follows its parameters stay to the last."""
    name = "ns::Map<int, Key>::find(Key const&, int) const"

    assert narrowing(name, 46, 45, 41, 38, 33, 25, 16, 12) == [
        "ns::Map<int, Key>::find(Key const&, int) const",
        "ns::Map<int, K…>::find(Key const&, int) const",
        "ns::Map<in…>::find(Key const&, int) const",
        "ns::Map<…>::find(Key const&, i…) const",
        "ns::Map<…>::find(Key cons…) const",
        "ns::Map<…>::find(…) const",
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
    assert narrowing("fib'2", 9, 3) == ["fib'2", "fi…"]


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("__memcpy_avx_unaligned_erms", "__m…"),
        ("(below main)", "(be…"),
        ("ns::(anonymous namespace)::find(int)", "fin…"),
        ("main", "main"),
        ("f", "f"),
        ("", ""),
    ],
)
def test_own_name_keeps_its_beginning(name: str, short: str) -> None:
    """Where not even that fits, its end is cut; the first letter always stays."""
    least = name if len(name) < 2 else short[0] + "…"
    assert narrowing(name, len(name), 4, 0) == [name, short, least]


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
