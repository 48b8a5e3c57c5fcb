"""What stays of names and paths when a program is built again."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.comparison.sides import (
    family_keys,
    file_counterparts,
    is_libc_object,
    lambda_key,
    lineless_key,
    object_counterparts,
    object_name,
    processor_key,
    renaming,
    rust_hash,
    substitution,
    template_key,
)
from tests.growth import assert_linear
from tests.profile_rows import DATA


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("main", "main"),
        ("sort.constprop.0", "sort"),
        ("sort.isra.0.part.1.cold", "sort"),
        ("f.llvm.1234567890", "f"),
        ("f.lto_priv.0", "f"),
        ("f(int) [clone .isra.0]", "f(int)"),
        ("f(int) [clone .isra.0] [clone .cold]", "f(int)"),
        ("core::fmt::write::h0123456789abcdef", "core::fmt::write"),
        ("core::fmt::write::h0123456789abcdef.llvm.77", "core::fmt::write"),
        ("core::fmt::write::h0123456789abcdef.12", "core::fmt::write"),
        ("core[846d8a2fe2e3d3ea]::fmt::write", "core::fmt::write"),
        ("f.constprop.0'g.isra.1'2", "f'g'2"),
        ("operator[]", "operator[]"),
        ("std::map<int, char[4]>::at", "std::map<int, char[4]>::at"),
        ("libc.so.6", "libc.so.6"),
        ("module.Class.method", "module.Class.method"),
        ("main.main.func1", "main.main.func1"),
        (".cold", ".cold"),
        ("java.lang.Object.clone", "java.lang.Object.clone"),
        ("main.(*Cache).warm", "main.(*Cache).warm"),
        ("0x00000000000154a0", "0x00000000000154a0"),
    ],
)
def test_clones_and_hashes_are_left_out(name: str, key: str) -> None:
    """The numbers of clones and the hashes of Rust differ from build to build."""
    assert family_keys(["before", name, "behind"]) == ["before", key, "behind"]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("sort<int>", "sort<…>"),
        ("void sort<int*>(int*, int*)", "sort<…>"),
        ("(anonymous namespace)::f<int>(int)", "(anonymous namespace)::f<…>"),
        ("std::vector<int>::operator[](unsigned long) const", "std::vector<…>::operator[]"),
        ("std::function<void (int)>::operator()(int) const", "std::function<…>::operator()"),
        ("A<int>::operator unsigned long()", "A<…>::operator unsigned long"),
        ("f<int>()::{lambda(int)#1}::operator()(int)", "f<…>()::{lambda(int)#1}::operator()"),
        ("void sort<int*>(int*, int*)'2", "sort<…>'2"),
        ("sort<int>'void call<int>(int)'main", "sort<…>'call<…>'main"),
        ("<T as Trait>::method", ""),
        ("main", ""),
        ("alloc::vec::Vec<T,A>::push", "alloc::vec::Vec<…>::push"),
    ],
)
def test_template_arguments_are_left_out(name: str, key: str) -> None:
    """Callers decide on them; parameters and result repeat them. Other names have no such key."""
    assert template_key(name) == key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("<listcomp>:6", "<listcomp>"),
        ("main /src/prog.py:17", "main"),
        ("find_spec <frozen importlib._bootstrap>:920", "find_spec"),
        ("{closure:/src/a.php:12-14}", "{closure:a.php}"),
        ("pthread_join@@GLIBC_2.34", "pthread_join"),
        ("pthread_join@GLIBC_2.2.5'main", "pthread_join'main"),
        ("malloc@plt", ""),
        ("std::f", ""),
    ],
)
def test_lines_and_versions_are_left_out(name: str, key: str) -> None:
    """Names of Python and PHP end in a line, which moves with every edit, and may have the path.

    Versions of symbols are part of a name only if it comes from debug information.
    """
    assert lineless_key(name) == key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (
            "f()::{lambda(int)#2}::operator()(int) const",
            "f()::{lambda(int)#…}::operator()(int) const",
        ),
        ("main::{closure#0}", "main::{closure#…}"),
        ("Array#each", ""),
    ],
)
def test_numbers_of_lambdas(name: str, key: str) -> None:
    """Compilers number the lambdas of a scope; Ruby's methods have that sign, too."""
    assert lambda_key(name) == key


def _glibc_functions() -> list[tuple[str, list[str]]]:
    """Return the functions of glibc and their variants, by processor and object; - are none."""
    lines = (DATA / "glibc" / "variants.txt").read_text("ascii").splitlines()
    fields = [line.partition(": ") for line in lines if not line.startswith("#")]
    return [(place.split()[-1], names.split()) for place, _, names in fields]


def test_all_variants_of_glibc_share_a_key() -> None:
    """All that glibc has of a function, for any processor, is one function in a comparison."""
    same_code = {"memmove": "memcpy", "memmove_chk": "memcpy_chk"}
    expected = {
        name: same_code.get(function, function)
        for function, names in _glibc_functions()
        for name in names
        if function != "-"
    }
    assert len(expected) > 600
    assert {name: processor_key(name) for name in expected} == expected
    static = {name: processor_key(name, is_static=True) for name in expected}
    assert static == expected


def test_other_functions_of_glibc_have_other_keys() -> None:
    """What chooses among the variants, checks sizes or is a part of them is another function."""
    functions = {function for function, _ in _glibc_functions()} - {"-"}
    others = [name for function, names in _glibc_functions() if function == "-" for name in names]
    checked = {f"{function}_chk" for function in functions}  # of which there are variants, too
    assert len(others) > 150
    assert not {processor_key(name) for name in others} & (functions - checked)


@pytest.mark.parametrize(
    ("name", "key", "static_key"),
    [
        ("memcpy@GLIBC_2.2.5", "memcpy", ""),
        ("memcpy@@GLIBC_2.14", "memcpy", ""),
        ("__GI_strstr", "strstr", ""),
        ("_dl_runtime_resolve_xsavec", "dl_runtime_resolve", ""),
        ("__memset_avx2_unaligned_erms'f'main", "memset'f'main", "memset'f'main"),
        ("__fma_fma3", "fma", "fma"),
        ("__fma", "", ""),
        ("strlen", "", ""),  # chooses a variant
        ("x264_pixel_sad_16x16_avx2", "x264_pixel_sad_16x16", ""),
        ("dav1d_put_bilin_8bpc_ssse3", "dav1d_put_bilin_8bpc", ""),
    ],
)
def test_processor_keys(name: str, key: str, static_key: str) -> None:
    """In a program that contains libc, its names are told by the two underscores."""
    assert processor_key(name) == key
    assert processor_key(name, is_static=True) == static_key


@pytest.mark.parametrize(
    ("name", "is_libc"),
    [
        ("libc.so", True),
        ("libm.so", True),
        ("ld-linux-x86-64.so", True),
        ("ld64.so", True),
        ("ld.so", True),
        ("libx264.so", False),
        ("libcrypto.so", False),
        ("libdav1d.so", False),
        ("libc", False),
    ],
)
def test_objects_of_libc(name: str, is_libc: bool) -> None:
    """Other libraries have functions of their own with such names."""
    assert is_libc_object(name) == is_libc


def test_hash_of_rust() -> None:
    """Members of a family pair by it."""
    names = ("f::h0123456789abcdef.llvm.5", "f::h0123456789abcdef", "f")
    assert [rust_hash(name) for name in names] == ["0123456789abcdef", "0123456789abcdef", ""]


@pytest.mark.parametrize(
    ("rule", "name", "expected"),
    [
        ("s/old/new/", "old_old", "new_old"),
        ("s/old/new/g", "old_old", "new_new"),
        ("s|/build/[^/]*/||", "/build/77/a.c", "a.c"),
        (r"s/(\w+)_v\d/\1/i", "F_V2", "F"),
    ],
)
def test_rules_of_substitution(rule: str, name: str, expected: str) -> None:
    """They are written as for cg_annotate."""
    assert substitution(rule)(name) == expected


@pytest.mark.parametrize(
    ("base", "new", "rule"),
    [
        ("hash", "hash2", "s/^hash$/hash2/"),
        ("hash(int)", "hash2(int)", r"s/^hash\(/hash2(/"),
        ("hash(int)", "hash(long)", r"s/^hash\(int\)$/hash(long)/"),
        ("operator()(int)", "call()(int)", r"s/^operator\(/call(/"),
        ("a/b", r"a\1", r"s|^a/b$|a\\1|"),
    ],
)
def test_the_rule_of_a_renaming(base: str, new: str, rule: str) -> None:
    """It makes the new name of the old one, and leaves the new one as it is."""
    assert renaming(base, new) == rule
    assert [substitution(rule)(name) for name in (base, new)] == [new, new]


@pytest.mark.parametrize(
    "rule", ["", "s", "old", "s/a/b", "s/a/b/x", "s/(/b/", r"s/a/\2/", "y/a/b/"]
)
def test_malformed_rules(rule: str) -> None:
    """They are refused with the rule in the message."""
    with pytest.raises(ValueError, match="'"):
        substitution(rule)


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [
        (["/a/x.c", "/a/y.c"], ["/a/y.c", "/a/x.c"], {"/a/x.c": "/a/x.c", "/a/y.c": "/a/y.c"}),
        (["/old/src/x.c"], ["/new/src/x.c"], {"/old/src/x.c": "/new/src/x.c"}),
        (["/old/a/x.c", "/old/b/x.c"], ["/n/a/x.c", "/n/b/x.c"],
         {"/old/a/x.c": "/n/a/x.c", "/old/b/x.c": "/n/b/x.c"}),
        (["/old/x.c"], ["/n/a/x.c", "/n/b/x.c"], {}),  # no candidate is best
        (["/old/a/x.c", "/older/a/x.c"], ["/n/a/x.c"], {}),  # nor is a base path
        (["/rustc/1111/library/core/mod.rs", "/rustc/1111/library/std/mod.rs"],
         ["/rustc/22/library/core/mod.rs", "/rustc/22/library/std/mod.rs"],
         {"/rustc/1111/library/core/mod.rs": "/rustc/22/library/core/mod.rs",
          "/rustc/1111/library/std/mod.rs": "/rustc/22/library/std/mod.rs"}),
        (["x.c", "???"], ["y.c", "???"], {"???": "???"}),
        (["???"], ["/n/???"], {}),
        ([r"C:\old\x.c"], ["/n/x.c"], {r"C:\old\x.c": "/n/x.c"}),
    ],
    ids=["equal", "folder", "two folders", "two candidates", "two bases", "rust", "unknown",
         "unknown alone", "Windows"],
)  # fmt: skip
def test_files(base: list[str], new: list[str], expected: dict[str, str]) -> None:
    """The longest equal end of the path decides, if it decides."""
    assert file_counterparts(base, new) == expected


def test_objects() -> None:
    """Libraries pair without version, and the programs whatever they are called."""
    base = ["/old/prog-O2", "/lib/libc.so.6", "/lib/libfoo-1.2.so", "/lib/a/libx.so", "???"]
    new = [
        "/n/prog-O3",
        "/lib64/libc.so.7",
        "/lib/libfoo-1.3.so",
        "/b/libx.so",
        "/c/libx.so",
        "???",
    ]

    assert object_counterparts(base, new, ("/old/prog-O2", "/n/prog-O3")) == {
        "/old/prog-O2": "/n/prog-O3",
        "/lib/libc.so.6": "/lib64/libc.so.7",
        "/lib/libfoo-1.2.so": "/lib/libfoo-1.3.so",
        "???": "???",
    }


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/lib/libstdc++.so.6.0.30", "libstdc++.so"),
        ("/lib/ld-2.31.so", "ld.so"),
        ("/bin/prog", "prog"),
        ("???", "???"),
    ],
)
def test_object_names(path: str, name: str) -> None:
    """The version of a library is no part of its name."""
    assert object_name(path) == name


def test_many_files_of_one_name() -> None:
    """The time does not grow with the square of their number."""

    def pair(count: int) -> None:
        sides = [[f"/{side}/{number}/mod.rs" for number in range(count)] for side in ("a", "b")]
        assert len(file_counterparts(*sides)) == count

    assert_linear(pair, 2_000)
