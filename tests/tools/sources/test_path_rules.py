"""Rules for recorded paths: what they match, their results, and their syntax."""

from __future__ import annotations

from pathlib import Path

import pytest

from qcachegrind_py.profile.errors import PathRuleError
from qcachegrind_py.tools.sources.file_search import (
    PathRule,
    parse_rule,
    possible_paths,
    rule_from_choice,
    split_path,
)


@pytest.mark.parametrize(
    ("rule", "recorded", "here"),
    [
        # whole components
        ("/build/x=/home/x", "/build/x/src/a.c", "/home/x/src/a.c"),
        ("/build/x/=/home/x/", "/build/x/src/a.c", "/home/x/src/a.c"),
        ("/build/x=/home/x", "/build/x", "/home/x"),
        ("/build/x=/home/x", "/build/xy/a.c", None),
        ("/build/x=/home/x", "/build", None),
        ("/build/x=/home/x", "/a/build/x/a.c", None),
        ("/build/x=/home/x", "build/x/a.c", None),
        ("/build/x=/home/x", "/BUILD/x/a.c", None),
        ("/build/x/a.c=/home/b.c", "/build/x/a.c", "/home/b.c"),
        ("/build/x=rel", "/build/x/a.c", "rel/a.c"),
        ("/build/x=/", "/build/x/a.c", "/a.c"),
        ("/a=/b=c", "/a/a.c", "/b=c/a.c"),
        # everything
        ("/=/sysroot", "/usr/include/stdio.h", "/sysroot/usr/include/stdio.h"),
        ("/=/sysroot", "a.c", None),
        (".=/src", "./csu/../csu/libc-start.c", "/src/csu/libc-start.c"),
        (".=/src", "/a.c", None),
        # dots
        ("/build/x=/home/x", "/build/./y/../x/a.c", "/home/x/a.c"),
        ("/build/y/../x=/home/x", "/build/x/a.c", "/home/x/a.c"),
        ("./nptl=/src", "./nptl/./nptl/a.c", "/src/nptl/a.c"),
        ("../x=/src", "../x/a.c", "/src/a.c"),
        ("/x=/src", "/../x/a.c", "/src/a.c"),
        # wildcards match within one component
        ("/tmp/build-*/src=/s", "/tmp/build-17/src/lib/a.c", "/s/lib/a.c"),
        ("/tmp/build-*/src=/s", "/tmp/build-17/x/src/a.c", None),
        ("/tmp/*=/s", "/tmp/a/b.c", "/s/b.c"),
        ("/tmp/*=/s", "/tmp", None),
        ("/v[12]/?.c=/s/a.c", "/v2/a.c", "/s/a.c"),
        ("/v[12]/?.c=/s/a.c", "/v3/a.c", None),
        ("/v[12=/s", "/v[12/a.c", "/s/a.c"),
        ("/a[[]b]=/s", "/a[b]/a.c", "/s/a.c"),
        ("/a?b=/s", "/a=b/a.c", "/s/a.c"),
        # Windows
        (r"C:\x=/home/x", r"C:\x\src\a.c", "/home/x/src/a.c"),
        (r"C:\x=/home/x", "c:/x/a.c", "/home/x/a.c"),
        ("C:/x=/home/x", r"C:\x\a.c", "/home/x/a.c"),
        (r"C:\x=/home/x", r"D:\x\a.c", None),
        (r"C:\x=/home/x", "/x/a.c", None),
        ("C:=/c", r"C:\x\a.c", "/c/x/a.c"),
        (r"\\host\x=/home/x", r"\\host\x\a.c", "/home/x/a.c"),
        # bytes that are not UTF-8
        ("/gr\udcfcn=/s", "/gr\udcfcn/\udcff.c", "/s/\udcff.c"),
    ],
)
def test_rule_results(rule: str, recorded: str, here: str | None) -> None:
    """A rule matches whole components from the root and keeps the rest of the path."""
    assert parse_rule(rule).apply(recorded) == here


def test_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A `~` means the user's home only at the start of a replacement."""
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("USERPROFILE", "/home/me")

    found = [
        PathRule("/b", "~").apply("/b/a.c"),
        PathRule("/b", "~/src").apply("/b/~/a.c"),
        PathRule("~", "/s").apply("~/a.c"),
        PathRule("/b", "~nobody\0\ud800").apply("/b/a.c"),
    ]

    assert found == ["/home/me/a.c", "/home/me/src/~/a.c", "/s/a.c", "~nobody\0\ud800/a.c"]


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("", ["", "/usr/lib/libm.so.6", r"C:\bin\m.dll"]),
        ("libm.so.6", ["/usr/lib/libm.so.6"]),
        ("libm*", ["/usr/lib/libm.so.6"]),
        ("/usr/*", ["/usr/lib/libm.so.6"]),
        ("m.dll", [r"C:\bin\m.dll"]),
        ("libm", []),
    ],
)
def test_rules_for_one_object(pattern: str, meant: list[str]) -> None:
    """A rule for an object ignores the sources of others."""
    rule = PathRule("/b", "/s", object=pattern)
    objects = ["", "/usr/lib/libm.so.6", r"C:\bin\m.dll"]

    assert meant == [each for each in objects if rule.apply("/b/a.c", each) == "/s/a.c"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/build", "/build has no “=”. Enter FROM=TO, for example /build/x=~/x."),
        ("", "“” has no “=”. Enter FROM=TO, for example /build/x=~/x."),
        ("=/x", "=/x has nothing before the “=”. Enter FROM=TO, for example /build/x=~/x."),
        ("/x= ", "/x=  has nothing after the “=”. Enter FROM=TO, for example /build/x=~/x."),
        (
            "/q*=/l*",
            "/q*=/l* has a “*” after the “=”, where a single path is required. "
            "Enter FROM=TO, for example /build/x=~/x.",
        ),
    ],
)
def test_invalid_rules(text: str, message: str) -> None:
    """The error is a sentence with the right syntax."""
    with pytest.raises(PathRuleError) as caught:
        parse_rule(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("recorded", "chosen", "original", "replacement"),
    [
        ("/build/x/src/a.c", "/home/me/x/src/a.c", "/build", "/home/me"),
        ("/build/x/src/a.c", "/home/me/src/a.c", "/build/x", "/home/me"),
        ("/build/x/a.c", "/home/y/a.c", "/build/x", "/home/y"),
        ("/build/x/a.c", "/home/build/x/a.c", "/", "/home"),
        ("src/a.c", "/home/me/src/a.c", ".", "/home/me"),
        ("../src/a.c", "/home/me/src/a.c", "..", "/home/me"),
        ("./nptl/./nptl/a.c", "/src/glibc/nptl/a.c", ".", "/src/glibc"),
        ("./csu/../csu/a.c", "/src/glibc/csu/a.c", ".", "/src/glibc"),
        ("/rustc/3f/library/core/a.rs", "/r/lib/library/core/a.rs", "/rustc/3f", "/r/lib"),
        (r"C:\build\x\a.c", "/home/x/a.c", "C:/build", "/home"),
        # another name: a rule for this file only
        ("/build/x/a.c", "/home/x/b.c", "/build/x/a.c", "/home/x/b.c"),
        ("a.c", "/home/x/b.c", "a.c", "/home/x/b.c"),
        # literal characters that look like wildcards
        ("/b/[1]/*/a?.c", "/home/a?.c", "/b/[[]1]/[*]", "/home"),
    ],
)
def test_rule_from_a_chosen_file(
    recorded: str, chosen: str, original: str, replacement: str
) -> None:
    """The derived rule finds the chosen file and its neighbours."""
    rule = rule_from_choice(recorded, Path(chosen))

    assert rule == PathRule(original, replacement)
    found = [rule.apply(reading) for reading in possible_paths(recorded)]
    assert str(Path(chosen)) in found


def test_splitting() -> None:
    """Both slashes separate; dots are resolved unless they lead above a relative path."""
    paths = ("", "/", "//a//b/", "./a/./b", "../../a/../b", "/a/../../b", "c:a", r"c:\a/b", "a\\b")

    assert [split_path(path) for path in paths] == [
        ("", ()),
        ("/", ()),
        ("/", ("a", "b")),
        ("", ("a", "b")),
        ("", ("..", "..", "b")),
        ("/", ("b",)),
        ("", ("c:a",)),
        ("C:/", ("a", "b")),
        ("", ("a", "b")),
    ]


def test_interpretations() -> None:
    """Only a repeated folder may be dropped, and only in relative paths."""
    recorded = ("./nptl/./nptl/a.c", "a/b/./a/b/c.c", "a/./b.c", "/n/./n/a.c", "././a.c")

    assert [possible_paths(path) for path in recorded] == [
        ("nptl/nptl/a.c", "nptl/a.c"),
        ("a/b/a/b/c.c", "a/b/c.c"),
        ("a/b.c",),
        ("/n/n/a.c",),
        ("a.c",),
    ]
