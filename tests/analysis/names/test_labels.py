"""Labels of functions and cycles in the views."""

from __future__ import annotations

from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.analysis.queries import ProfileQueries
from tests.analysis.named_queries import CYCLES, NO_CYCLES
from tests.profile_rows import profile_from

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
