"""Names as people read, search and sort them."""

from __future__ import annotations

import random
import re

import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.function_names import FunctionNames, base_name
from tests.drawing import DATA, profile_of

PREFIX = "std::vector<std::basic_string<char, std::char_traits<char> > >::a_rather_long_name_"
NAMES = (
    "main",
    "Main",
    "MAIN()",
    "domain",
    "fib'2",
    "operator<(A const&)",
    "a+b*c?",
    "x y",
    "x",
    "xyz",
    "",
    "näme",
    PREFIX + "b",
    PREFIX + "a",
    PREFIX + "B2",
    PREFIX,
    PREFIX * 9 + "z",
    PREFIX * 9 + "y",
    "latin\udce9",
)


def names_of(*names: str) -> FunctionNames:
    """A function of each name, each in a file of its own."""
    lines = [f"fl=f{n}.c\nfn={name}\n1 1\n" for n, name in enumerate(names)]
    drawing = "events: Ir\n" + "".join(lines)
    return FunctionNames(profile_of(drawing.encode("utf-8", "surrogateescape")))


def shown(names: FunctionNames) -> list[str]:
    return [names.name(function) for function in range(len(names))]


def found(names: FunctionNames, text: str) -> list[str]:
    return [names.name(row) for row in names.containing(text).nonzero()[0].tolist()]


def matched(names: FunctionNames, pattern: str) -> list[str]:
    return [names.name(row) for row in names.matching(pattern).nonzero()[0].tolist()]


def test_names_as_they_are_shown() -> None:
    """An unknown name is ???, a byte that is no UTF-8 is U+FFFD, all else as it stands."""
    names = names_of(*NAMES)
    assert shown(names) == ["???" if not n else n.replace("\udce9", "\ufffd") for n in NAMES]
    assert len(names) == len(NAMES)


def test_location() -> None:
    """Object and file without their folders; ??? where neither is known."""
    names = FunctionNames(
        profile_of(
            "events: Ir\nob=/usr/lib/libc.so.6\nfl=./io/../io/a.c\nfn=f\n1 1\n"
            "ob=\nfn=g\n1 1\nfl=\nfn=h\n1 1\nob=C:\\x\\y.dll\nfn=i\n1 1\n"
        )
    )
    assert [names.location(n) for n in range(4)] == ["libc.so.6: a.c", "a.c", "???", "y.dll"]
    assert (names.object(0), names.file(0)) == ("/usr/lib/libc.so.6", "./io/../io/a.c")


@pytest.mark.parametrize(
    ("path", "base"),
    [
        ("/a/b.c", "b.c"),
        ("b.c", "b.c"),
        ("C:\\a\\b.c", "b.c"),
        ("/a/", "/a/"),
        ("", ""),
        ("/", "/"),
    ],
)
def test_base_name(path: str, base: str) -> None:
    """The last part of a path of any system; a path that ends in a folder stays whole."""
    assert base_name(path) == base


def test_functions_of_a_name() -> None:
    """All functions of exactly this name, and nobody else."""
    names = names_of("main", "domain", "main", "main ")
    assert names.named("main") == [0, 2]
    assert names.named("mai") == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("main", ["main", "Main", "MAIN()", "domain"]),
        ("MAIN", ["main", "Main", "MAIN()", "domain"]),
        ("main()", ["MAIN()"]),
        ("a+b*c?", ["a+b*c?"]),
        ("<(", ["operator<(A const&)"]),
        ("x y", ["x y"]),
        ("äm", ["näme"]),
        (PREFIX + "B", [PREFIX + "b", PREFIX + "B2"]),
        ("nowhere", []),
        ("xx", []),
        ("y\nx", []),
        (".", []),
        ("???", ["???"]),
    ],
)
def test_search(text: str, wanted: list[str]) -> None:
    """A plain search finds the text in the names as they are shown, in upper and lower case."""
    assert found(names_of(*NAMES), text) == wanted


def test_search_for_nothing() -> None:
    """Nothing is in every name."""
    assert found(names_of(*NAMES), "") == shown(names_of(*NAMES))


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("^main$", ["main", "Main"]),
        ("main$", ["main", "Main", "domain"]),
        (r"^x\b", ["x y", "x"]),
        ("^.$", ["x"]),
        ("x.y", ["x y"]),
        ("x[^q]*z", ["xyz"]),
        (r"\+b\*", ["a+b*c?"]),
        ("ä", ["näme"]),
        (r"'\d+$", ["fib'2"]),
        (r"\Amain\Z", ["main", "Main"]),
        (r"^\?{3}$", ["???"]),
        ("nowhere", []),
        (r"n\s*.", ["MAIN()", "operator<(A const&)", "näme", "latin\ufffd"]),
    ],
)
def test_search_by_regular_expression(pattern: str, wanted: list[str]) -> None:
    """A regular expression sees one name at a time, as it is shown, and no case."""
    names = names_of(*NAMES)
    got = [name for name in matched(names, pattern) if not name.startswith(PREFIX)]
    assert sorted(wanted) == sorted(got)


def test_a_regular_expression_that_is_wrong() -> None:
    """The error of Python's is let through, for whoever asked to show."""
    with pytest.raises(re.error):
        names_of("main").matching("(")


def test_a_search_with_very_many_hits() -> None:
    """That nearly all names are hits changes nothing but the time."""
    names = names_of(*(f"f{n}" for n in range(6000)))
    assert names.matching("f").sum() == 6000
    assert names.matching("f.*9$").sum() == 600
    assert names.containing("F1").sum() == 1111


def key(name: str) -> bytes:
    """Names are sorted by their bytes, the letters A to Z as small ones."""
    return name.encode("utf-8", "surrogateescape").lower()


def in_order(names: FunctionNames) -> list[int]:
    ranks = names.name_ranks.tolist()
    return sorted(range(len(ranks)), key=ranks.__getitem__)


def test_order_of_names() -> None:
    """Names are in order to their last byte, however long a prefix they share."""
    names = names_of(*NAMES)
    assert [key(NAMES[n]) for n in in_order(names)] == sorted(map(key, NAMES))


def test_the_same_name_has_the_same_rank() -> None:
    """Functions of one name in several files are equal in order; all others differ."""
    ranks = names_of("b", "a", "b", "c", "b").name_ranks.tolist()
    assert ranks[0] == ranks[2] == ranks[4]
    assert ranks[1] < ranks[0] < ranks[3]


@pytest.mark.parametrize("length", [31, 32, 33, 63, 64, 65, 96, 97])
def test_order_around_the_length_of_a_prefix(length: int) -> None:
    """Names that differ only at some length, or end there, are in order."""
    stem = "p" * (length - 1)
    texts = [stem + "b", stem + "a", stem, stem + "ab", stem + "aa", stem + "b" + "c" * 70]
    names = names_of(*texts)
    assert [texts[n] for n in in_order(names)] == sorted(texts)


def test_order_of_random_names() -> None:
    """Any names are in order."""
    chance = random.Random(5)
    texts = [
        "".join(chance.choice("abAB_é:") for _ in range(chance.randrange(1, 7)))
        + "x" * chance.choice((0, 0, 31, 64))
        + chance.choice("abB")
        for _ in range(500)
    ]
    names = names_of(*texts)
    assert [key(texts[n]) for n in in_order(names)] == sorted(map(key, texts))


def test_order_of_locations() -> None:
    """Locations are in order as they are shown, without folders and case."""
    names = FunctionNames(
        profile_of(
            "events: Ir\nob=/z/a.so\nfl=/y/B.c\nfn=f\n1 1\nfl=/x/a.c\nfn=f\n1 1\n"
            "ob=/a/B.so\nfn=f\n1 1\nob=/q/a.so\nfl=/o/b.c\nfn=g\n1 1\n"
        )
    )
    ranks = names.location_ranks.tolist()
    assert [names.location(n) for n in range(4)] == [
        "a.so: B.c",
        "a.so: a.c",
        "B.so: a.c",
        "a.so: b.c",
    ]
    assert ranks[1] < ranks[0] == ranks[3] < ranks[2]


def test_search_in_a_real_profile() -> None:
    """What is found in a real profile is what a plain look at every name finds."""
    names = FunctionNames(q.load(DATA / "templ-callers" / "callgrind.out.21991.xz"))
    every = shown(names)
    for text in ("std::", "alloc", "'", "(int", "_dl_", "0x", "zzz"):
        assert found(names, text) == [name for name in every if text in name.lower()]
        assert matched(names, re.escape(text)) == [name for name in every if text in name.lower()]


def test_search_finds_a_name_as_it_is_written() -> None:
    """Capitals beyond A to Z are found as they are."""
    names = FunctionNames(profile_of("events: Ir\nfn=\u00c4RGER\n1 1\nfn=main\n1 1\n"))

    assert names.containing("\u00c4RGER").tolist() == [True, False]
    assert names.containing("\u00c4rger").tolist() == [True, False]
