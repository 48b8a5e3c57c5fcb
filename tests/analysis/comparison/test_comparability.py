"""What makes two runs incomparable: only what both profiles prove is said to differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from qcachegrind_py.analysis.comparison.comparability import Difference, differences, doubts
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.profile import Profile
from tests.profile_text import write_profile_text

GLIBC = Path(__file__).parents[2] / "data/glibc"
START = (
    "main@/usr/include/c++/12/a.h@/bin/prog 10",
    "f@/rustc/0123abcd/library/std/a.rs@/lib/libz-1.2.so 7",
    "strlen@s.c@/lib/libc.so.6 3",
    "__strlen_avx2@s.S@/lib/libc.so.6 5",
    "__memmove_avx_unaligned_erms@m.S@/lib/libc.so.6 5",
    "_dl_runtime_resolve_xsave@d.c@/lib/ld-linux-x86-64.so.2 4",
    "__GI___tunables_init@t.c@/lib/ld-linux-x86-64.so.2 30",
    "_dl_next_ld_env_entry@e.c@/lib/ld-linux-x86-64.so.2 6",
)


def drawn(folder: Path, *rows: str) -> Profile:
    return load(write_profile_text(folder, "\n".join(rows)))


def changed(folder: Path, *changes: tuple[str, str]) -> list[tuple[str, str, str]]:
    """What differs from the profile above in a copy with other texts, or without some rows."""
    text = "\n".join(START)
    for one, other in changes:
        assert one in text
        text = text.replace(one, other)
    new = drawn(folder, *(row for row in text.splitlines() if " " in row))
    found = list(differences(drawn(folder, *START), new))
    assert all(each.remedy.endswith(".") for each in found)
    return [(each.what, each.base, each.new) for each in found]


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (("c++/12", "c++/13"), ("C++ headers", "12", "13")),
        (("0123abcd", "4567fedc"), ("Rust compiler", "0123abcd", "4567fedc")),
        (("z-1.2.so", "z-1.3.so"), ("Library", "libz-1.2.so", "libz-1.3.so")),
        (("strlen_avx2", "strlen_sse2"), ("Processor", "__strlen_avx2", "__strlen_sse2")),
        (
            ("memmove_avx_unaligned_erms", "memcpy_ssse3"),
            ("Processor", "__memmove_avx_unaligned_erms", "__memcpy_ssse3"),
        ),
        (
            ("resolve_xsave@", "resolve_xsavec@"),
            ("Processor", "_dl_runtime_resolve_xsave", "_dl_runtime_resolve_xsavec"),
        ),
        ((".so.2 30", ".so.2 31"), ("Environment", "read in 36 Ir", "read in 37 Ir")),
        (
            ("_dl_runtime_resolve_xsave@d.c@/lib/ld-linux-x86-64.so.2 4", ""),
            ("Symbols are bound", "when first called", "at the start"),
        ),
    ],
)
def test_what_differs(
    tmp_path: Path, change: tuple[str, str], difference: tuple[str, str, str]
) -> None:
    assert changed(tmp_path, change) == [difference]


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [("main@", "other@"), (" 10", " 20"), (" 7", " 900")],  # the code
        [("__strlen_avx2@s.S@/lib/libc.so.6 5", "")],  # one side does not call it
        [("memmove_avx_unaligned_erms", "memcpy_avx_unaligned")],  # the same code
        [("__GI___tunables_init@t.c@/lib/ld-linux-x86-64.so.2 30", ""),  # no start
         ("_dl_next_ld_env_entry@e.c@/lib/ld-linux-x86-64.so.2 6", ""),
         ("_dl_runtime_resolve_xsave@d.c@/lib/ld-linux-x86-64.so.2 4", "")],
        [("f@/rustc/0123abcd/library/std/a.rs", "f@z.c")],  # no file of a compiler
    ],
)  # fmt: skip
def test_what_proves_nothing(tmp_path: Path, changes: list[tuple[str, str]]) -> None:
    """What the code itself may change is no difference between the runs."""
    assert changed(tmp_path, *changes) == []


def test_a_static_program(tmp_path: Path) -> None:
    """In a program that contains libc, its functions are told by the two underscores."""
    sides = [
        drawn(tmp_path, "cmd: ./prog", "main@a.c@/bin/prog 1", f"__strlen_{cpu}@s.S@/bin/prog 5",
              f"blend_{cpu}@b.c@/bin/prog 9")
        for cpu in ("avx2", "sse2")
    ]  # fmt: skip
    (found,) = differences(*sides)
    assert (found.what, found.base, found.new) == ("Processor", "__strlen_avx2", "__strlen_sse2")


def test_a_real_pair() -> None:
    """One program on two processors: a few of the functions are named, and the rest counted."""
    pair = [load(GLIBC / f"callgrind.out.{cpu}.xz") for cpu in ("avx2", "sse2")]
    (processor,) = differences(*pair)
    assert processor.what == "Processor"
    assert " and " in processor.base
    assert "GLIBC_TUNABLES=" in processor.remedy
    assert list(differences(pair[0], pair[0])) == []


def test_the_sentence_of_a_difference() -> None:
    assert Difference("Cache", "32 kB", "").sentence == "Cache: 32 kB → –"
    assert Difference("A", "1", "2", "Do it.").sentence == "A: 1 → 2. Do it."


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (["cmd: /usr/bin/python3.11 a.py", "f 1"], "Python: set PYTHONHASHSEED=0."),
        (["cmd: perl a.pl", "f 1"], "Perl: set PERL_HASH_SEED=0 and PERL_PERTURB_KEYS=0."),
        (["std::sys::random::linux::hashmap_random_keys 1"], "Rust: use a fixed hasher."),
        (["cmd: ./python-like", "f 1"], ""),
    ],
)
def test_random_seeds_are_a_doubt(tmp_path: Path, rows: list[str], sentence: str) -> None:
    """A profile does not tell whether a seed was set, so this is no difference."""
    expected = [f"Hash tables may have random seeds in {sentence}"] if sentence else []
    assert list(doubts(drawn(tmp_path, *rows))) == expected


def test_a_profile_without_events(tmp_path: Path) -> None:
    """A file that was cut in its head says nothing of the processor or of the environment."""
    whole = drawn(tmp_path, "main@a.c@/bin/prog 1", "strlen@s.S@/lib/libc.so.6 5")
    cut = tmp_path / "cut"
    cut.write_text("version: 1\ncreator: callgrind\nevents:\n", encoding="utf-8")
    assert [each.what for each in differences(whole, load(cut))] == ["Recorded by", "Events"]
