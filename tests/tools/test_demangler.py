"""Demangling of C++ and Rust names, compared with `c++filt` where it knows them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.tables import StringTable
from qcachegrind_py.tools.demangler import demangle_names
from tests.profile_rows import cost_table, profile_from


def texts_of(*lines: bytes) -> StringTable:
    """A string table with these lines as texts 1, 2 and so on."""
    all_lines = (b"???", *lines)
    starts = np.cumsum([0, *(len(line) + 1 for line in all_lines)])
    return StringTable(b"".join(line + b"\n" for line in all_lines), starts)


def demangled_lines(*lines: bytes) -> list[str]:
    """The demangled lines, each looked up by its index."""
    texts = demangle_names(texts_of(*lines))
    return texts.lookup(range(1, len(texts)))


@pytest.mark.parametrize(
    ("name", "readable"),
    [
        # C++
        (b"_Z3fooi", "foo(int)"),
        (b"__Z3fooi", "foo(int)"),
        (b"_ZNK1AcvbEv", "A::operator bool() const"),
        (b"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()"),
        (b"_ZSt4sortIPiEvT_S1_", "void std::sort<int*>(int*, int*)"),
        (b"_ZTV1A", "vtable for A"),
        (b"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const"),
        (
            b"_ZZ4mainENKUlPFvvEE0_clES0_",
            "main::{lambda(void (*)())#2}::operator()(void (*)()) const",
        ),
        (
            b"_ZZZ4mainENKUlvE_clEvENKUliE0_clEi",
            "main::{lambda()#1}::operator()() const::{lambda(int)#2}::operator()(int) const",
        ),
        (b"_ZZ4mainEN1AUt0_1fEv", "main::A::{unnamed type#2}::f()"),
        # Rust, with and without a hash
        (
            b"_ZN72_$LT$alloc..boxed..Box$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop"
            b"17hd44af235c66eff5bE",
            "<alloc::boxed::Box<T,A> as core::ops::drop::Drop>::drop",
        ),
        (
            b"_ZN5roots4main28_$u7b$$u7b$closure$u7d$$u7d$17haf6b4eea9220f3f2E",
            "roots::main::{{closure}}",
        ),
        (b"_ZN1a3foo17haf6b4eea9220f3f2E.llvm.12", "a::foo [clone .llvm.12]"),
        (b"_RNvCs1_1a3foo", "a::foo"),
        (b"__RNvCs1_1a3foo", "a::foo"),
        (b"_RNCNvCs1_1a4main0", "a::main::{closure#0}"),
        # text after a name, or between names
        (b"_ZN3fooEv'2", "foo()'2"),
        (b"_Z3foov'2", "foo()'2"),
        (b"_Z3foov'main'_ZN1A1gEi'2", "foo()'main'A::g(int)'2"),
        (b"main'_Z3foov", "main'foo()"),
        (b"_Z3foov.constprop.0", "foo() [clone .constprop.0]"),
        (b"_Z3foov.isra.0.cold", "foo() [clone .isra.0] [clone .cold]"),
        (b"_Z3foov [clone .cold]", "foo() [clone .cold]"),
        (b"_Z3fooi@@GLIBCXX_3.4", "foo(int)@@GLIBCXX_3.4"),
        (b"_Z3foov@plt", "foo()@plt"),
    ],
)
def test_readable_names(name: bytes, readable: str) -> None:
    """C++ and Rust names are demangled one by one, with their suffixes."""
    assert demangled_lines(name) == [readable]


def test_other_names_keep_number_and_bytes() -> None:
    """Names between mangled ones stay byte for byte, even if they only look mangled."""
    lines = (b"main", b"_Z3foov", b"", b"_READ", b"gr\xf6\xdfe", b"a_Z3foov", b"_Z1fv", b"_Zbogus")
    texts = demangle_names(texts_of(*lines))
    assert texts.arena == b"???\nmain\nfoo()\n\n_READ\ngr\xf6\xdfe\na_Z3foov\nf()\n_Zbogus\n"
    assert texts.starts.tolist() == [0, 4, 9, 15, 16, 22, 28, 37, 41, 49]


@pytest.mark.parametrize("lines", [(), (b"main", b"_READ", b"f(int)'_Zbogus", b"_ZN3fo\xf6Ev")])
def test_nothing_mangled(lines: tuple[bytes, ...]) -> None:
    """If no name is mangled, the same table is returned."""
    texts = texts_of(*lines)
    assert demangle_names(texts) is texts


def doubled(levels: int) -> bytes:
    """A name in which each type contains the previous one twice."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    references = ["S_", *(f"S{digit}_" for digit in digits)]
    types = "".join(f"S_I{reference * 2}E" for reference in references[:levels])
    return f"_Z1f1a{types}".encode()


@pytest.mark.parametrize(
    "name",
    [
        b"_Z1f" + b"P" * 100_000 + b"i",
        b"_Z1f" + b"1aI" * 3000 + b"i" + b"E" * 3000,
        doubled(12),
        doubled(36),
        b"_Z1fIJ" + b"i" * 500 + b"EEv" + b"Dp1aIT_" * 6 + b"i" + b"E" * 6,
        b"_Z3foo\0v",
        b"_RINvC1a1fTmmETB7_B7_B7_ETBb_Bb_Bb_ETBm_Bm_Bm_E" + b"TBx_Bx_Bx_E" * 30 + b"E",
    ],
    ids=["long", "deep", "wide", "endless", "packs", "nul", "rust"],
)
def test_hostile_names_stay(name: bytes) -> None:
    """Names that would overflow a stack or expand to fill memory stay mangled."""
    texts = texts_of(name)
    assert demangle_names(texts) is texts


def test_no_line_feed_gets_into_a_name() -> None:
    """An escaped line feed or NUL stays an escape, as line feeds end names."""
    lines = (b"_ZN5$u0a$3foo17haf6b4eea9220f3f2E", b"_ZN4$u0$3foo17haf6b4eea9220f3f2E")
    assert demangled_lines(*lines) == ["$u0a$::foo", "$u0$::foo"]


class Stopped:
    """Progress that is cancelled after a number of checks."""

    def __init__(self, checks: int) -> None:
        self.left = checks
        self.fractions: list[float] = []

    def check(self, fraction: float, text: str = "") -> None:
        self.fractions.append(fraction)
        self.left -= 1
        if self.left == 0:
            raise Cancelled


def test_progress() -> None:
    """Demangling reports progress and can be cancelled."""
    progress = Stopped(3)
    with pytest.raises(Cancelled):
        demangle_names(texts_of(*[b"_Z3foov"] * 400), progress)
    assert progress.fractions == [0.0, 0.25, 0.5]


def test_a_profile_with_readable_names() -> None:
    """A profile's texts can be replaced by demangled ones."""
    profile = profile_from("events: Ir\nfn=_ZN1A1fEv\n1 1\nfn=main\n1 2\n")
    texts = demangle_names(profile.texts)
    names = texts.lookup(profile.functions.name.tolist())
    assert (list(cost_table(profile)), names) == (["_ZN1A1fEv", "main"], ["A::f()", "main"])


def test_names_stay_as_they_are_without_the_demangler(tmp_path: Path) -> None:
    """Where pycxxfilt has no wheel, the program runs and shows what the file says."""
    (tmp_path / "pycxxfilt.py").write_text("raise ImportError('no wheel for this system')")
    profile = tmp_path / "callgrind.out.1"
    profile.write_text("events: Ir\nfn=_Z3fooi\n1 2\n")
    code = f"""
from qcachegrind_py.formats.loading import load
from qcachegrind_py.tools.demangler import demangle_names
print(*demangle_names(load({str(profile)!r}).texts).raw_strings())
"""
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "_Z3fooi" in ran.stdout
    assert "foo(int)" not in ran.stdout
