"""The class of a function, derived from its name; most names are those of real profiles."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.names.syntax import GLOBAL, class_of
from tests.growth import assert_linear


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("main", GLOBAL),
        ("", GLOBAL),
        ("???", GLOBAL),
        ("(below main)", GLOBAL),
        ("_ZN3foo3barEv", GLOBAL),
        ("f(ns::A)", GLOBAL),
        ("ns::f(int)", "ns"),
        ("ns::A::f", "ns::A"),
        ("A::~A()", "A"),
        ("std::filesystem::path::_List::~_List()", "std::filesystem::path::_List"),
        (
            "std::vector<int, std::less<int> >::push_back(int&&)",
            "std::vector<int, std::less<int> >",
        ),
        ("std::map<A::B, C>::find(D::E)", "std::map<A::B, C>"),
        ("A<&ns::f>::g()", "A<&ns::f>"),
        ("A<(ns::E)3>::g()", "A<(ns::E)3>"),
        ("std::function<void (int)>::operator()(int) const", "std::function<void (int)>"),
        ("CopyKey(long long __vector(4)**, db::Heap*)", GLOBAL),
        ("non-virtual thunk to ns::A::f(int)", "ns::A"),
        ("ns::A<int>::f[abi:cxx11]()", "ns::A<int>"),
        # the return type of a template's instance
        ("void foo<ns::A>(int)", GLOBAL),
        ("std::enable_if<x::y, int>::type foo::bar<int>(z::w)", "foo"),
        ("decltype(auto) ns::f<int>()", "ns"),
        ("decltype (g((A<int>)())) ns::f<int>()", "ns"),
        # comparisons are no brackets
        ("A<(1 > 0)>::f()", "A<(1 > 0)>"),
        ("A<(1 < 2)>::f()", "A<(1 < 2)>"),
        ("A<((1)<(2))>::f()", "A<((1)<(2))>"),
        # operators
        ("A::operator()(int) const", "A"),
        ("A::operator<(A const&) const", "A"),
        ("A::operator->()", "A"),
        ("A::B::operator new(unsigned long)", "A::B"),
        ("operator<<(std::ostream&, A const&)", GLOBAL),
        ("operator->", GLOBAL),
        ("ns::operator==(ns::X, ns::X)", "ns"),
        ("bool A::operator><int>(int)", "A"),
        ("bool ns::operator< <A::B>(C)", "ns"),
        ("C& std::operator<<<std::char_traits<char>>(C&)", "std"),
        ("A<&ns::operator< >::g()", "A<&ns::operator< >"),
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
        ("ns::{unnamed type#1}::f()", "ns::{unnamed type#1}"),
        # names that begin like a number in a string
        ("std::ostream::operator<<(double)", "std::ostream"),
    ],
)
def test_scopes_of_cplusplus(name: str, scope: str) -> None:
    """The class is the text before the last `::` outside brackets, arguments and types."""
    assert class_of(name) == scope


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("main::{lambda(int)#1}::operator()(int) const", GLOBAL),
        ("ns::A::f(int)::{lambda(int)#1}::operator()(int) const", "ns::A"),
        ("auto ns::f()::{lambda(auto:1)#1}::operator()<int>(int) const", "ns"),
        ("ns::f::'lambda'(auto)::operator()<int>(auto) const", "ns"),
        ("ns::f(int)::Local::g()", "ns"),
        ("std::rt::lang_start::{{closure}}", "std::rt"),
        ("a::b::{closure#0}", "a"),
        ("main.f.func1", "main"),
        ("encoding/json.(*decodeState).value.func1", "encoding/json.(*decodeState)"),
        ("Foo.bar.<locals>.<lambda>", "Foo"),
    ],
)
def test_nested_code_belongs_to_the_class_of_its_function(name: str, scope: str) -> None:
    """Lambdas, closures and local classes belong to the class of the enclosing function."""
    assert class_of(name) == scope


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("ns::f(int) [clone .isra.0]", "ns"),
        ("ns::f [clone .part.0]", "ns"),
        ("A::f.constprop.0", "A"),
        ("msort_with_tmp.part.0", GLOBAL),
        ("unicode_decode_locale.lto_priv.0.cold", GLOBAL),
        ("main.cold", GLOBAL),
        ("memcpy@@GLIBC_2.2.5", GLOBAL),
        ("0x0000000000001234", GLOBAL),
        ("main.c", GLOBAL),
        ("/usr/lib/libc.so.6", GLOBAL),
        ("_dl_runtime_resolve_xsave'2", GLOBAL),
        ("msort_with_tmp.part.0'2'qsort_r'qsort'ns::sort_them", GLOBAL),
        ("hanoi'2'main'(below main)'__libc_start_main@@GLIBC_2.34", GLOBAL),
        ("ns::A::f(int)'2", "ns::A"),
        ("std::map<A, B>::find(C const&)'ns::main'(below main)", "std::map<A, B>"),
        ("line3001 [1/2]", GLOBAL),
        ("std::sort [1/2]", "std"),
    ],
)
def test_suffixes_are_no_scope(name: str, scope: str) -> None:
    """Suffixes of compilers, versions, recursion levels and callers do not change the class."""
    assert class_of(name) == scope


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        # Rust
        ("<T as core::fmt::Display>::fmt", "<T as core::fmt::Display>"),
        (
            "<std::sync::once::WaiterQueue as core::ops::drop::Drop>::drop",
            "<std::sync::once::WaiterQueue as core::ops::drop::Drop>",
        ),
        ("core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "core::ptr"),
        ("core::ptr::drop_in_place::<alloc::vec::Vec<u8>>", "core::ptr"),
        ("<&mut [u8] as a::B>::f", "<&mut [u8] as a::B>"),
        ("<for<'a> fn(&'a T) -> U as a::B>::f", "<for<'a> fn(&'a T) -> U as a::B>"),
        ("core::fmt::write::h218cb9026097c841", "core::fmt"),
        (
            "_$LT$std..sync..Arc$LT$T$GT$$GT$::inner::hbd6da0530613bd67",
            "_$LT$std..sync..Arc$LT$T$GT$$GT$",
        ),
        (
            "read..ReadRng$LT$std..fs..File$GT$::drop.9800::h46d7149bf925b4ee",
            "read..ReadRng$LT$std..fs..File$GT$",
        ),
        ("std::f::_$u7b$$u7b$closure$u7d$$u7d$::h72dffa8f1b04a414", "std"),
        # Python: cProfile, yappi, bzr
        ("<module>", GLOBAL),
        ("<genexpr>:1565", GLOBAL),
        ("<method 'append' of 'list' objects>", "list"),
        ("<method 'reparent' of '_ra.RemoteAccess' objects>", "_ra.RemoteAccess"),
        ("<built-in method builtins.max>", "builtins"),
        ("<built-in method __new__ of type object at 0x7f01>", "type"),
        ("<getattr>", GLOBAL),
        ("__init__:71", GLOBAL),
        ("_close bzrlib.transport:253", GLOBAL),
        ("<genexpr> _strptime:236", GLOBAL),
        ("compile /opt/python/lib/python3.11/re/_compiler.py:740", GLOBAL),
        ("JSONEncoder.iterencode /opt/python/lib/python3.11/json/encoder.py:205", "JSONEncoder"),
        ("FileFinder._get_spec <frozen importlib._bootstrap_external>:1599", "FileFinder"),
        ("<listcomp> <frozen importlib._bootstrap_external>:128", GLOBAL),
        # PHP
        ("{main}", GLOBAL),
        ("php::strlen", GLOBAL),
        ("php::PDO->query", "PDO"),
        ("php::Closure::bind", "Closure"),
        ("Acme\\Util\\Service->run", "Acme\\Util\\Service"),
        ("Acme\\Util\\Service::__callStatic", "Acme\\Util\\Service"),
        ("Acme\\Util\\größe", "Acme\\Util"),
        ("{closure:/corpus/a-xdebug/src/main.php:17-17}", GLOBAL),
        ("Acme\\{closure:/corpus/a-xdebug/src/main.php:17-17}", "Acme"),
        ("require_once::/corpus/a-xdebug/src/sub dir (1)/inc.php", GLOBAL),
        ("include::/var/www/vendor/symfony/console/Terminal.php", GLOBAL),
        # Java
        ("java.util.ArrayList.add(Ljava/lang/Object;)Z", "java.util.ArrayList"),
        ("java.util.HashMap$Node.<init>(II)V", "java.util.HashMap$Node"),
        # Go
        ("runtime.mallocgc", "runtime"),
        ("runtime.heapBits.bits", "runtime.heapBits"),
        ("main.fib [215/290]", "main"),
        ("sync.(*Pool).Get", "sync.(*Pool)"),
        ("compress/flate.(*compressor).init", "compress/flate.(*compressor)"),
        ("github.com/user/pkg.New", "github.com/user/pkg"),
        ("main.Map[go.shape.int,go.shape.string]", "main"),
        # Perl
        ("Pod::Simple::BlackBox::BEGIN@1.21", "Pod::Simple::BlackBox"),
        ("Encode::MIME::Name::CORE:match", "Encode::MIME::Name"),
        # Ruby
        ("Geo/Shape::[]", "Geo/Shape"),
        ("Integer::<", "Integer"),
        ("Geo/Shape::<=>", "Geo/Shape"),
        ("JSON::create_id^", "JSON"),
        ("Object#fibonacci", "Object"),
        # Erlang
        ("{dict,'-from_list/1-fun-0-',2}", "dict"),
    ],
)
def test_scopes_of_other_languages(name: str, scope: str) -> None:
    """Each language's notation for scopes is recognised from the name alone."""
    assert class_of(name) == scope


@pytest.mark.parametrize(
    "name",
    ["<", ">", "::", "a::", "::a", "<<<<", "((", "))::x", ">::f", "operator", "->", ":3"],
)
def test_unusual_names_have_a_class(name: str) -> None:
    """Any name has a class, however odd it is."""
    assert class_of(name) != ""


@pytest.mark.parametrize(
    "piece",
    ["<", "(", "::", "::<", "a.", "a/", "a\\", ".(", "operator<", "(anonymous ", "{a,"],
)
def test_work_grows_with_the_length_of_a_name(piece: str) -> None:
    """The time to find the class of a name is linear in its length, even for a hostile one."""
    assert_linear(lambda length: class_of(piece * (length // len(piece)) + "!"), 100_000)
