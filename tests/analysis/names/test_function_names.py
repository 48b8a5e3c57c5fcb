"""Names of functions, and labels of functions and cycles."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.names.function_names import (
    FunctionNames,
    Labels,
    NameColumn,
    base_name,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import StringTable
from tests.analysis.named_queries import CYCLES, NO_CYCLES
from tests.profile_rows import DATA, profile_from

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
    """Functions with these names, each in a file of its own."""
    lines = [f"fl=f{n}.c\nfn={name}\n1 1\n" for n, name in enumerate(names)]
    text = "events: Ir\n" + "".join(lines)
    return FunctionNames(profile_from(text.encode("utf-8", "surrogateescape")))


def shown(names: FunctionNames) -> list[str]:
    return [names.name(function) for function in range(len(names))]


def found(names: FunctionNames, text: str) -> list[str]:
    return [names.name(row) for row in names.containing(text).nonzero()[0].tolist()]


def matched(names: FunctionNames, pattern: str) -> list[str]:
    return [names.name(row) for row in names.matching(pattern).nonzero()[0].tolist()]


def test_displayed_names() -> None:
    """An unknown name is ???, a byte that is not UTF-8 is U+FFFD, and all else is unchanged."""
    names = names_of(*NAMES)
    assert shown(names) == [n or "???" for n in NAMES]
    assert len(names) == len(NAMES)


def test_location() -> None:
    """Object and file without their folders; ??? if neither is known."""
    names = FunctionNames(
        profile_from(
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
    """The last part of a path of any system; a path that ends in a slash stays whole."""
    assert base_name(path) == base


def test_functions_of_a_name() -> None:
    """All functions of exactly this name, and no others."""
    names = names_of("main", "domain", "main", "main ")
    assert names.with_name("main") == [0, 2]
    assert names.with_name("mai") == []


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
    """A plain search finds text in displayed names, ignoring case."""
    assert found(names_of(*NAMES), text) == wanted


def test_search_for_the_empty_text() -> None:
    """Every name contains the empty text."""
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
        (r"n\s*.", ["MAIN()", "operator<(A const&)", "näme", "latin\udce9"]),
    ],
)
def test_search_by_regular_expression(pattern: str, wanted: list[str]) -> None:
    """A regular expression is matched against each displayed name, ignoring case."""
    names = names_of(*NAMES)
    got = [name for name in matched(names, pattern) if not name.startswith(PREFIX)]
    assert sorted(wanted) == sorted(got)


def test_a_regular_expression_that_is_wrong() -> None:
    """Python's error is passed on, for the caller to show."""
    with pytest.raises(re.error):
        names_of("main").matching("(")


def test_a_search_with_very_many_hits() -> None:
    """If nearly all names match, the result is the same, only slower."""
    names = names_of(*(f"f{n}" for n in range(6000)))
    assert names.matching("f").sum() == 6000
    assert names.matching("f.*9$").sum() == 600
    assert names.containing("F1").sum() == 1111


def key(name: str) -> bytes:
    """The sort key of a name: its bytes, with A to Z in lower case."""
    return name.encode("utf-8", "surrogateescape").lower()


def in_order(names: FunctionNames) -> list[int]:
    ranks = names.name_ranks.tolist()
    return sorted(range(len(ranks)), key=ranks.__getitem__)


def test_order_of_names() -> None:
    """Names are sorted to their last byte, however long a prefix they share."""
    names = names_of(*NAMES)
    assert [key(NAMES[n]) for n in in_order(names)] == sorted(map(key, NAMES))


def test_the_same_name_has_the_same_rank() -> None:
    """Functions of one name in several files have equal ranks; all others differ."""
    ranks = names_of("b", "a", "b", "c", "b").name_ranks.tolist()
    assert ranks[0] == ranks[2] == ranks[4]
    assert ranks[1] < ranks[0] < ranks[3]


@pytest.mark.parametrize("length", [31, 32, 33, 63, 64, 65, 96, 97])
def test_order_around_the_length_of_a_prefix(length: int) -> None:
    """Names that differ only at some length, or end there, are sorted."""
    stem = "p" * (length - 1)
    texts = [stem + "b", stem + "a", stem, stem + "ab", stem + "aa", stem + "b" + "c" * 70]
    names = names_of(*texts)
    assert [texts[n] for n in in_order(names)] == sorted(texts)


def test_order_of_random_names() -> None:
    """Random names are sorted."""
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
    """Locations are sorted as displayed, without folders and case."""
    names = FunctionNames(
        profile_from(
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
    """In a real profile the search finds what a plain scan of all names finds."""
    names = FunctionNames(q.load(DATA / "templ-callers" / "callgrind.out.21991.xz"))
    every = shown(names)
    for text in ("std::", "alloc", "'", "(int", "_dl_", "0x", "zzz"):
        assert found(names, text) == [name for name in every if text in name.lower()]
        assert matched(names, re.escape(text)) == [name for name in every if text in name.lower()]


def test_search_finds_a_name_as_it_is_written() -> None:
    """Capitals beyond A to Z are found as they are written."""
    names = FunctionNames(profile_from("events: Ir\nfn=\u00c4RGER\n1 1\nfn=main\n1 1\n"))

    assert names.containing("\u00c4RGER").tolist() == [True, False]
    assert names.containing("\u00c4rger").tolist() == [True, False]


# ---------------------------------------------------------------- found again, and by letters

PLACED = b"""events: Ir
ob=/bin/prog
fl=/src/a.c
fn=run
1 1
fl=/src/b.c
fn=run
1 1
ob=/lib/x.so
fn=run
1 1
fn=latin\xe9
1 1
ob=
fl=
fn=
1 1
"""


def test_the_identity_of_a_function_across_runs() -> None:
    """Name, file and object as recorded, byte for byte; ??? for unknown ones."""
    names = FunctionNames(profile_from(PLACED))
    assert [names.identity(function) for function in range(5)] == [
        ("run", "/src/a.c", "/bin/prog"),
        ("run", "/src/b.c", "/bin/prog"),
        ("run", "/src/b.c", "/lib/x.so"),
        ("latin\udce9", "/src/b.c", "/lib/x.so"),
        ("???", "???", "???"),
    ]


def test_every_function_is_found_by_its_identity() -> None:
    """Each function is found in any order; one with another file or object is not."""
    names = FunctionNames(profile_from(PLACED))
    identities = [names.identity(function) for function in range(5)]
    assert [names.find(*identity) for identity in identities] == [0, 1, 2, 3, 4]
    other = FunctionNames(
        profile_from("events: Ir\nfn=x\n1 1\nob=/lib/x.so\nfl=/src/b.c\nfn=run\n1 1\n")
    )
    assert [other.find(*identity) for identity in identities] == [-1, -1, 1, -1, -1]
    assert names.find("nowhere", "/src/a.c", "/bin/prog") == -1


def test_distinct_names() -> None:
    """Each text once, by the first function that has it, and its index for each function."""
    names = FunctionNames(profile_from(PLACED))
    got = {of: names.distinct(of) for of in NameColumn}
    assert {of: (texts, number.tolist()) for of, (texts, number) in got.items()} == {
        NameColumn.NAME: (["run", "latin\udce9", "???"], [0, 0, 0, 1, 2]),
        NameColumn.FILE: (["/src/a.c", "/src/b.c", "???"], [0, 1, 1, 1, 2]),
        NameColumn.OBJECT: (["/bin/prog", "/lib/x.so", "???"], [0, 0, 1, 1, 2]),
    }


def test_search_in_files_and_objects() -> None:
    """Paths are searched like names."""
    names = FunctionNames(profile_from(PLACED))
    assert names.containing("B.C", NameColumn.FILE).tolist() == [False, True, True, True, False]
    assert names.matching(r"\.so$", NameColumn.OBJECT).nonzero()[0].tolist() == [2, 3]
    assert names.column(NameColumn.FILE).equal_to("/src/b.c").nonzero()[0].tolist() == [1, 2, 3]
    assert not names.column(NameColumn.FILE).equal_to("b.c").any()
    assert names.column(NameColumn.OBJECT).equal_to("???").nonzero()[0].tolist() == [4]


def test_a_name_is_found_by_a_few_letters_of_it() -> None:
    """The fuzzy search matches displayed names; each match is a function."""
    names = names_of("main", "read_config_file", "domain", "fork")
    hits = {
        query: [hit.function for hit in names.fuzzy_search.best(query)] for query in ("rcf", "main")
    }
    assert (hits["rcf"], hits["main"][0], set(hits["main"])) == ([1], 0, {0, 2})


def renamed(profile: Profile, shown_as: dict[str, str]) -> StringTable:
    """The string table of the profile, with some texts replaced."""
    texts = [profile.texts[number] for number in range(len(profile.texts))]
    lines = [shown_as.get(text, text).encode("utf-8", "surrogateescape") + b"\n" for text in texts]
    return StringTable(b"".join(lines), np.cumsum([0, *map(len, lines)]))


def test_replaced_texts() -> None:
    """Replaced texts are displayed, searched and sorted; recorded ones still find functions."""
    profile = profile_from("events: Ir\nfl=z.cc\nfn=_Z1bv\n1 1\nfn=main\n1 1\nfn=_Z1av\n1 1\n")
    names = FunctionNames(profile, renamed(profile, {"_Z1bv": "b()", "_Z1av": "a()"}))
    assert shown(names) == ["b()", "main", "a()"]
    assert (found(names, "()"), found(names, "_z"), matched(names, "^a")) == (
        ["b()", "a()"],
        [],
        ["a()"],
    )
    assert in_order(names) == [2, 0, 1]
    assert names.distinct(NameColumn.NAME)[0] == ["b()", "main", "a()"]
    assert [hit.function for hit in names.fuzzy_search.best("a()")] == [2]
    assert (names.with_name("_Z1av"), names.with_name("a()")) == ([2], [])
    assert names.identity(2) == ("_Z1av", "z.cc", "???")
    assert names.find("_Z1av", "z.cc", "???") == 2


# Zed and vector::push call each other, and so do x and y
DRAWING = """
    events: Ir
    ob=/bin/prog
    fl=/src/zed.cc
    fn=Zed
    1 1
    cfi=/src/vector.h
    cfn=std::vector<int, A<int> >::push(int)
    calls=1 1
    1 5
    fl=/src/vector.h
    fn=std::vector<int, A<int> >::push(int)
    1 1
    cfi=/src/zed.cc
    cfn=Zed
    calls=1 1
    1 5
    fl=/src/alone.c
    fn=main
    1 1
    ob=
    fl=
    fn=x
    1 1
    cfn=y
    calls=1 1
    1 1
    fn=y
    1 1
    cfn=x
    calls=1 1
    1 1
    fn=
    1 1
    """
PUSH = "std::vector<int, A<int> >::push(int)"


def queries() -> ProfileQueries:
    return ProfileQueries(profile_from(DRAWING))


def names(labels: Labels) -> list[str]:
    return [labels.name(node) for node in range(len(labels))]


def test_names() -> None:
    """A member's name has the number of its cycle; a cycle's name is its number."""
    assert names(queries().labels(CYCLES)) == [
        "Zed <cycle 1>",
        f"{PUSH} <cycle 1>",
        "main",
        "x <cycle 2>",
        "y <cycle 2>",
        "???",
        "<cycle 1>",
        "<cycle 2>",
    ]
    assert names(queries().labels(NO_CYCLES)) == ["Zed", PUSH, "main", "x", "y", "???"]


def test_short_names() -> None:
    """Template arguments are removed on request; the full name is still available."""
    labels = queries().labels(CYCLES, short=True)
    assert names(labels)[:3] == ["Zed <cycle 1>", "std::vector<…>::push(int) <cycle 1>", "main"]
    full = [labels.full_name(node) for node in range(len(labels))]
    assert full == ["Zed", PUSH, "main", "x", "y", "???", "<cycle 1>", "<cycle 2>"]


def test_what_is_a_cycle() -> None:
    """Functions come first, the cycles behind them."""
    labels = queries().labels(CYCLES)
    assert (labels.function_count, len(labels)) == (6, 8)
    assert [labels.is_cycle(node) for node in range(8)] == [False] * 6 + [True] * 2
    assert [labels.cycle(node) for node in range(8)] == [1, 1, 0, 2, 2, 0, 1, 2]


def test_locations() -> None:
    """A function is located by short object and file names; a cycle by its member count."""
    labels = queries().labels(CYCLES)
    assert [labels.location(node) for node in range(8)] == [
        "prog: zed.cc",
        "prog: vector.h",
        "prog: alone.c",
        *("???", "???", "???"),
        *("2 members", "2 members"),
    ]


def test_details() -> None:
    """Full names and paths, a fact per line; unknown ones are left out."""
    labels = queries().labels(CYCLES, short=True)
    assert [labels.details(node) for node in (1, 2, 3, 5, 6)] == [
        [PUSH, "File: /src/vector.h", "Object: /bin/prog", "In recursion cycle 1"],
        ["main", "File: /src/alone.c", "Object: /bin/prog"],
        ["x", "In recursion cycle 2"],
        ["???"],
        ["<cycle 1>", "2 members"],
    ]


def test_order() -> None:
    """Sorted by name or location, cycles come first, by number; then the functions."""
    labels = queries().labels(CYCLES)
    ranks = labels.name_ranks.tolist()
    by_name = sorted(range(8), key=ranks.__getitem__)
    assert by_name == [6, 7, 5, 2, 1, 3, 4, 0]
    ranks = labels.location_ranks.tolist()
    by_location = sorted(range(8), key=ranks.__getitem__)
    assert by_location == [6, 7, 3, 4, 5, 2, 1, 0]
    assert len(queries().labels(NO_CYCLES).name_ranks) == 6


def test_details_list_the_files_that_code_was_inlined_from() -> None:
    """Other files than the function's own are listed, up to a limit; unknown ones are left out."""
    drawing = "events: Ir\nfl=a.c\nfn=f\n1 1\n" + "".join(
        f"fi={file}\n1 1\n" for file in ("c.h", "???", "b.h", "a.c", "c.h")
    )
    labels = ProfileQueries(profile_from(drawing)).labels(NO_CYCLES)
    assert labels.details(0) == ["f", "File: a.c", "Inlined from: b.h", "Inlined from: c.h"]

    many = "events: Ir\nfl=a.c\nfn=f\n" + "".join(f"fi={n}.h\n1 1\n" for n in range(8))
    labels = ProfileQueries(profile_from(many)).labels(NO_CYCLES)
    assert labels.details(0)[-3:] == [
        "Inlined from: 4.h",
        "Inlined from: 5.h",
        "… and 2 more files",
    ]
