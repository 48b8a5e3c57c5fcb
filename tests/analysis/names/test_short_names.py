"""Names without their template arguments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.names.syntax import without_template_arguments
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
