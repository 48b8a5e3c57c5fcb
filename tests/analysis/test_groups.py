"""Functions grouped by object, file and class."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.function_costs import function_costs
from qcachegrind_py.analysis.groups import GLOBAL, Grouping, class_of, groups
from tests.drawing import profile_of

DRAWING = """
    events: Ir Dr
    ob=/bin/prog
    fl=a.c
    fn=main
    1 100 1
    fi=inlined.h
    2 10
    fl=b.cc
    fn=ns::A::f(int)
    1 20 2
    ob=/lib/c.so
    fn=ns::A::g<int>()
    1 30 3
    ob=
    fl=
    fn=helper(ns::A)
    1 40 4
    """


@pytest.mark.parametrize(
    ("grouping", "names", "of_function", "costs"),
    [
        (
            Grouping.OBJECT,
            ("/bin/prog", "/lib/c.so", "???"),
            [0, 0, 1, 2],
            [[130, 30, 40], [3, 3, 4]],
        ),
        (Grouping.FILE, ("a.c", "b.cc", "???"), [0, 1, 1, 2], [[110, 50, 40], [1, 5, 4]]),
        (Grouping.CLASS, (GLOBAL, "ns::A"), [0, 1, 1, 0], [[150, 50], [5, 5]]),
    ],
)
def test_groups(
    grouping: Grouping, names: tuple[str, ...], of_function: list[int], costs: list[list[int]]
) -> None:
    """A group costs what its functions cost by themselves; inlined lines stay with the function."""
    profile = profile_of(DRAWING)
    got = groups(profile, function_costs(profile), grouping)
    assert (names, of_function, costs) == (
        got.names,
        got.of_function.tolist(),
        got.self_cost.tolist(),
    )


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("main", GLOBAL),
        ("", GLOBAL),
        ("???", GLOBAL),
        ("(below main)", GLOBAL),
        ("{main}", GLOBAL),
        ("_ZN3foo3barEv", GLOBAL),
        ("f(ns::A)", GLOBAL),
        ("ns::f(int)", "ns"),
        ("ns::A::f", "ns::A"),
        ("A::~A()", "A"),
        (
            "std::vector<int, std::less<int> >::push_back(int&&)",
            "std::vector<int, std::less<int> >",
        ),
        ("std::map<A::B, C>::find(D::E)", "std::map<A::B, C>"),
        ("A<&ns::f>::g()", "A<&ns::f>"),
        ("A<(ns::E)3>::g()", "A<(ns::E)3>"),
        ("std::function<void (int)>::operator()(int) const", "std::function<void (int)>"),
        # the return type of a template's instance
        ("void foo<ns::A>(int)", GLOBAL),
        ("std::enable_if<x::y, int>::type foo::bar<int>(z::w)", "foo"),
        ("decltype(auto) ns::f<int>()", "ns"),
        # operators
        ("A::operator()(int) const", "A"),
        ("A::operator<(A const&) const", "A"),
        ("A::operator->()", "A"),
        ("A::B::operator new(unsigned long)", "A::B"),
        ("operator<<(std::ostream&, A const&)", GLOBAL),
        ("ns::operator==(ns::X, ns::X)", "ns"),
        ("bool A::operator><int>(int)", "A"),
        ("A::operator bool() const", "A"),
        ("A::operator std::string() const", "A"),
        # names that only begin or end like an operator
        ("my_operator::f()", "my_operator"),
        ("ns::operator_table::get()", "ns::operator_table"),
        ("operators::get()", "operators"),
        # scopes without a name
        ("(anonymous namespace)::f()", "(anonymous namespace)"),
        ("ns::(anonymous namespace)::C::g(int)", "ns::(anonymous namespace)::C"),
        ("void (anonymous namespace)::f<int>()", "(anonymous namespace)"),
        ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}"),
        # Rust and PHP
        ("<T as core::fmt::Display>::fmt", "<T as core::fmt::Display>"),
        ("core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "core::ptr"),
        ("Illuminate\\Support\\Str::slug", "Illuminate\\Support\\Str"),
    ],
)
def test_class_of(name: str, scope: str) -> None:
    """The class is what stands before the last `::` outside of brackets, arguments and types."""
    assert class_of(name) == scope


@pytest.mark.parametrize(
    "name", ["<", ">", "::", "a::", "::a", "<<<<", "((", "))::x", ">::f", "operator"]
)
def test_odd_names_have_a_class(name: str) -> None:
    """Whatever a name is, asking for its class gives a text."""
    assert class_of(name) != ""
