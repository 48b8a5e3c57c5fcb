"""Source and instructions as a job loads them, of one profile and of both sides of a comparison."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qcachegrind_py.analysis.comparison.selections import compare_parts
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.present.code_listing import CodeListing
from qcachegrind_py.present.code_records import RecordKind
from qcachegrind_py.present.context import CostUnit, Position
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import MissingFile
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.tools.sources.file_search import PathRule
from tests.code_programs import (
    JUMPS,
    LONELY,
    MAIN,
    PROFILE,
    PROGRAMS,
    SOURCES,
    code_profile,
    source_profile,
)
from tests.moved_function import write_moved_function
from tests.present.code_text import (
    code_query,
    copied,
    jumps_of,
    loaded,
    places,
    record_at,
    shown,
    shown_records,
)
from tests.profile_rows import DATA, text_bytes

OLD = 1e9  # seconds since 1970: before any profile
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes files beside the profile, older than it."""

    def write(texts: dict[str, str | bytes]) -> Path:
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text_bytes(text))
            os.utime(path, (OLD, OLD))
        return tmp_path

    return write


def rows(kind: str, query: ViewQuery, **request: Any) -> list[str]:
    return shown(loaded(kind, query, **request)[1])


# ---------------------------------------------------------------- one side


def test_a_source_with_calls_and_inlined_lines(write: Write) -> None:
    """All lines are shown, calls below theirs, lines of other files where they were inlined."""
    folder = write(SOURCES)
    code, listing = loaded("source", code_query(PROFILE, "main", folder))

    assert shown(listing) == MAIN
    assert jumps_of(listing)["11"] == "jumps to 12: 9 of 10 times"
    assert (code.problem, list(code.notes)) == (None, [str(folder / "prog.c")])
    costliest = listing.costs.first.costliest.tolist()
    assert places(listing, costliest)[:3] == ["12", "11", "inl.h:4"]


def test_other_files_and_whole_files(write: Write) -> None:
    """Each file shows its text and only its costs; a whole one those of all functions."""
    query = code_query(PROFILE, "main", write(SOURCES))
    own, other = (query.profile.texts.index_of(name) for name in ("prog.c", "inl.h"))
    header = [
        "1 |  |  |  | /* put in where it is called */",
        "2 |  |  |  | static inline int twice(int x)",
        "3 |  |  |  | {",
        "4 | 20 | 20 |  |     return x + x;",
        "5 |  |  |  | }",
    ]
    assert rows("source", query, file=other) == header
    header[3] = "4 | 27 | 27 |  |     return x + x;"
    assert rows("source", query, file=other, is_whole_file=True) == header
    whole = [line for line in MAIN if ":4" not in line]  # of this file only
    whole[3] = "3 | 20 | 20 |  | static int helper(int x)"
    whole[5] = "5 | 80 | 80 |  |     return x * 2;"
    assert rows("source", query, file=own, is_whole_file=True) == whole


def test_a_function_of_other_files_only(write: Write) -> None:
    """It still shows its own source."""
    folder = write({"a.c": "one\ntwo\n", "b.h": "put in\n"})
    query = code_query("events: Ir\nfl=a.c\nfn=f\nfi=b.h\n1 9\n", "f", folder)
    assert rows("source", query) == [
        "b.h:1 | 9 | 9 |  | put in", "1 |  |  |  | one", "2 |  |  |  | two"
    ]  # fmt: skip


def test_a_header_that_is_missing(write: Write) -> None:
    """A missing inlined file is the problem; its costs stay."""
    folder = write({"prog.c": SOURCES["prog.c"]})
    code, listing = loaded("source", code_query(PROFILE, "main", folder, rules=()))

    assert isinstance(code.problem, MissingFile)
    assert code.problem.tried == (str(folder / "inl.h"), str(Path.cwd() / "inl.h"))
    expected = [*MAIN[:14], "inl.h:4 | 20 | 20 |  | file not found", *MAIN[15:]]
    assert shown(listing) == expected


TAIL0 = [
    " |  |  |  |  | tail0: | ",
    "1296 | 100 | 100 |  |  | testb   $1, %dil | jumps.c:20",
    "129a | 100 | 100 |  | jumps to 12a2: 50 of 100 times | jne     12a2 <+0xc> | jumps.c:20",
    "129c | 50 | 1156 | 50 |  | callq   127d <tail2> | jumps.c:20",
    " |  | 1106 | 50 |  | tail2  jumps-O1: jumps.c | ",
    "12a1 | 50 | 50 |  |  | retq | jumps.c:20",
    "12a2 | 50 | 50 |  | jumps here from 129a: 50 of 100 times | addl    $1, %edi | jumps.c:20",
    "12a5 | 50 | 3529 | 50 |  | callq   128d <tail1> | jumps.c:20",
    " |  | 3479 | 50 |  | tail1  jumps-O1: jumps.c | ",
    "12aa | 50 | 50 |  |  | retq | jumps.c:20",
]
ROW = "location", "self", "inclusive", "calls", "jumps", "text", "source"


def test_instructions_with_calls_and_jumps() -> None:
    """The function has a heading, calls are below their instructions, lines are named."""
    code, listing = loaded("assembler", code_query(JUMPS, "tail0"))

    assert shown(listing, *ROW) == TAIL0
    assert (code.problem, code.notes[0]) == (None, f"{PROGRAMS / 'bin/jumps-O1'} (x86-64)")
    assert places(listing, listing.costs.first.costliest[:1].tolist()) == ["12a5"]


def test_costs_of_chosen_parts(write: Write) -> None:
    """Lines and instructions have the costs of these parts; code without any is shown, too."""
    program = PROGRAMS / "bin/jumps-O1"
    head = f"positions: instr line\nevents: Ir\nob={program}\nfl=jumps.c\nfn="
    bodies = "deep\n0x12bd 28 7\n", "tail0\n0x1296 2 100\n0x129a 1 90\n"
    parts = [f"part: {n}\n{head}{body}totals: 0\n" for n, body in enumerate(bodies, 1)]
    folder = write({"jumps.c": "one\ntwo\n"})
    profile = "version: 1\ncreator: x\n" + "\n".join(parts)
    found = {}
    for kind in ("source", "assembler"):
        for part in (0, 1):
            scope = Scope(frozenset({PartId(part)}))
            code, listing = loaded(
                kind, code_query(profile, "tail0", folder, scope=scope, rules=())
            )
            found[kind, part] = shown(listing, "self")
            assert code.problem is None
    assert found == {
        ("source", 0): ["", ""],
        ("source", 1): ["90", "100"],
        ("assembler", 0): [""] * 8,
        ("assembler", 1): ["", "100", "90", *[""] * 5],
    }


# ---------------------------------------------------------------- what is missing


BY_LINE = ["1 | 5 | 5 |  | ", "3 | 7 | 7 |  | ", "9 | 8 | 8 |  | "]
BY_ADDRESS = [
    "401000 | 5 | 5 |  | ", "401005 |  | 9 | 1 | ", " |  | 9 | 1 | g  p: a.c",
    "40100c | 7 | 7 |  | ",
]  # fmt: skip
NO_JUMPS = "no jumps were recorded: use --collect-jumps=yes"


@pytest.mark.parametrize(
    ("kind", "data", "problem", "expected"),
    [
        ("source", b"\0", "is not text: it contains null bytes.", BY_LINE),
        ("assembler", LONELY[:3000], "is truncated: it ends before its table", BY_ADDRESS),
    ],
)
def test_a_file_that_cannot_be_read(
    tmp_path: Path, kind: str, data: bytes, problem: str, expected: list[str]
) -> None:
    """The reason is named; all costs are still shown, and notes have the recorded name."""
    (tmp_path / "p").write_bytes(data)
    profile = (source_profile if kind == "source" else code_profile)("p")
    code, listing = loaded(kind, code_query(profile, "f", tmp_path, rules=()))

    assert str(code.problem).startswith(f"{tmp_path / 'p'} {problem}")
    assert shown(listing) == expected
    assert list(code.notes) == ["p", *[NO_JUMPS] * (kind == "assembler")]


def test_notes_and_problems_of_a_text(write: Write) -> None:
    """Another encoding and a change after recording are notes, too few lines a problem."""
    path = write({"a.c": "caf\u00e9\ntwo\n".encode("latin-1")}) / "a.c"
    os.utime(path, (4 * OLD, 4 * OLD))
    query = code_query(source_profile("a.c"), "f", path.parent, rules=())
    code, listing = loaded("source", query)

    assert shown(listing) == [
        "1 | 5 | 5 |  | café",
        "2 |  |  |  | two",
        "3 | 7 | 7 |  | beyond the end of the file",
        "9 | 8 | 8 |  | beyond the end of the file",
    ]
    newer = "changed after recording: costs may be on the wrong lines"
    assert list(code.notes) == [str(path), "cp1252", newer]
    ends = "ends before 2 of 3 lines of the profile. It may be a different version."
    assert code.problem == f"{path} {ends}"


def test_notes_of_a_program(tmp_path: Path) -> None:
    """Its processor, and that it was changed after recording."""
    path = tmp_path / "p"
    path.write_bytes(LONELY)
    os.utime(path, (4 * OLD, 4 * OLD))
    code, _ = loaded("assembler", code_query(code_profile("p"), "f", tmp_path, rules=()))
    newer = "changed after recording: may be a different build"
    assert (code.problem, list(code.notes)) == (None, [f"{path} (x86-64)", newer, NO_JUMPS])


# ---------------------------------------------------------------- both sides of a source

SOURCE_TEXTS: dict[str, str | bytes] = {
    "old/f.c": "int f() {\n  gone();\n  same();\n}\n",
    "new/f.c": "int f() {\n  same();\n  added();\n}\n",
}
BASE_COSTS = "1 3 1\n2 20 2\n3 10 3\ncfn=g\ncalls=2 90\n3 60 6\nfn=g\n90 60 6\n"
NEW_COSTS = "1 3 1\n2 10 3\ncfn=g\ncalls=3 90\n2 90 9\n3 7 4\nfn=g\n90 90 9\n"
COMPARED = "location", "self", "inclusive", "base", "new", "calls", "text"
Compare = Callable[..., ViewQuery]


@pytest.fixture
def compared(write: Write) -> Compare:
    """Return a function that compares two versions of f, with their texts."""

    def compared(
        base: str = BASE_COSTS,
        new: str = NEW_COSTS,
        events: tuple[str, str] = ("Ir Dr", "Ir Dr"),
        event: str = "Ir",
        **context: Any,
    ) -> ViewQuery:
        profiles: dict[str, str | bytes] = {
            f"{side}/callgrind.out.1": f"events: {names}\nfl=f.c\nfn=f\n{costs}"
            for side, names, costs in zip(("old", "new"), events, (base, new), strict=True)
        }
        folder = write(SOURCE_TEXTS | profiles)
        query = code_query(
            folder / "new/callgrind.out.1", "f", base=folder / "old/callgrind.out.1", rules=()
        )
        found = query.queries.events.find(event)
        return replace(query, context=replace(query.context, event=found, **context))

    return compared


def compared_source(query: ViewQuery) -> CodeListing:
    return loaded("source", query)[1]


def test_both_sides_of_a_source(compared: Compare) -> None:
    """Changes have signs, counts are those of both sides, and lines of one side are marked.

    Titles in files say that costs are changes; numbers there are plain.
    """
    listing = compared_source(compared())
    columns = list(map(listing.table.column, COMPARED))

    assert [column.heading for column in columns] == [
        "Line", "Self ±", "Incl. ±", "Base", "New", "Calls", "Source"
    ]  # fmt: skip
    assert shown(listing, *COMPARED) == [
        "1 |  |  | 3 | 3 |  | int f() {",
        "−2 | −20 | −20 | 20 |  |  |   gone();",
        "2 |  | +30 | 70 | 100 | 2→3 |   same();",
        " |  | +30 | 60 | 90 | 2→3 | g  f.c",
        "+3 | +7 | +7 |  | 7 |  |   added();",
        "4 |  |  |  |  |  | }",
    ]
    assert [column.written_title for column in columns[1:5]] == [
        "Self ±", "Incl. ±", "Base", "New"
    ]  # fmt: skip
    assert copied(listing, *COMPARED) == [
        [1, None, None, 3, 3, 0, "int f() {"],
        ["2 (gone)", -20, -20, 20, None, 0, "  gone();"],
        [2, None, 30, 70, 100, "2 → 3", "  same();"],
        [None, None, 30, 60, 90, "2 → 3", "g"],
        ["3 (new)", 7, 7, None, 7, 0, "  added();"],
        [4, None, None, None, None, 0, "}"],
    ]


LARGE = "fn=h\n90 1000000 1\n"  # so that all changes of f are small shares


@pytest.mark.parametrize("more", ["", LARGE])
@pytest.mark.parametrize(
    ("unit", "signs"),
    [(CostUnit.ABSOLUTE, " -+ +"), (CostUnit.SHARES, "--+ +"), (CostUnit.PER_CALL, "")],
)
def test_growth_and_shrinkage_on_the_ruler(
    compared: Compare, unit: CostUnit, signs: str, more: str
) -> None:
    """The largest change has the strongest mark, also where changes are points of shares.

    By calls of f, which are unknown here, nothing has a change.
    """
    listing = compared_source(compared(BASE_COSTS + more, NEW_COSTS + more, unit=unit))
    shares = listing.shares(np.array(range(listing.table.length)))
    known = np.nan_to_num(shares)
    if more and signs:
        assert abs(known).max() == 1
    else:
        expected = [" -+".index(sign) for sign in f"{signs:6}"]
        assert (np.sign(known) % 3).tolist() == [[0, 2, 1][sign] for sign in expected]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (
            ("Ir Dr", "Ir"),
            ["1 | – | – | 1 | –", "−2 | – | – | 2 | –", "2 | – | – | 9 | –", " | – | – | 6 | –",
             "+3 | – | – |  | –", "4 |  |  |  | "],
        ),
        (
            ("Ir", "Ir Dr"),
            ["1 | – | – | – | 1", "−2 | – | – | – | ", "2 | – | – | – | 12", " | – | – | – | 9",
             "+3 | – | – | – | 4", "4 |  |  |  | "],
        ),
    ],
)  # fmt: skip
def test_an_event_that_one_side_did_not_record(
    compared: Compare, events: tuple[str, str], expected: list[str]
) -> None:
    """A dash is what is unknown; the other side's costs are there. Files leave it empty."""
    listing = compared_source(compared(events=events, event="Dr"))
    numbers = "self", "inclusive", "base", "new"

    assert shown(listing, *COMPARED[:5]) == expected
    for line, cells in zip(expected, copied(listing, *numbers), strict=True):
        known = [cell if cell.isdecimal() else "" for cell in line.split(" | ")[1:]]
        assert [str(cell or "") for cell in cells] == known
    assert not np.nan_to_num(listing.shares(np.array(range(listing.table.length)))).any()


def test_a_function_that_is_new_has_no_costs_in_the_base(compared: Compare) -> None:
    """What is not there costs nothing: cells of that side are empty, not dashes."""
    listing = compared_source(compared(base="fn=g\n90 60 6\n"))
    assert shown(listing, "location", "self", "base", "new") == [
        "1 | +3 |  | 3", "−2 |  |  | ", "2 | +10 |  | 100", " |  |  | 90", "+3 | +7 |  | 7",
        "4 |  |  | ",
    ]  # fmt: skip


def test_a_function_that_was_moved(tmp_path: Path) -> None:
    """Its lines in the old file are those of the new one, and so is what was inlined in them.

    Other views find a gone line by the file that it was in, and it is found by that file.
    """
    base, new = write_moved_function(tmp_path)
    query = code_query(new, "f", base=base, rules=())
    listing = compared_source(query)

    assert shown(listing, "location", "self", "base", "new", "text") == [
        '1 |  |  |  | #include "x.h"',
        '2 |  |  |  | #include "y.h"',
        "3 |  |  |  | /* how much */",
        "4 |  | 3 | 3 | int f(int n) {",
        "5 |  | 1 | 1 |   int s = 0;",
        "−10 | −20 | 20 |  |   s += slow(n);",
        "+6 | +12 |  | 12 |   s += fast(n);",
        "7 |  | 4 | 4 |   s += twice(n);",
        "x.h:2 |  | 5 | 5 |   return n + n;",
        "8 |  | 2 | 2 |   return s;",
        "9 |  |  |  | }",
        "10 |  |  |  | ",
        "11 |  |  |  | int other(int n) {",
        "12 |  |  |  |   return n;",
        "13 |  |  |  | }",
    ]
    record = record_at(listing, "−10")
    position = listing.texts.position_of(record)
    assert position == Position(query.profile.texts.index_of("a.c"), 10, in_base=True)
    assert np.flatnonzero(listing.texts.records_at(position)).tolist() == [record]


# ---------------------------------------------------------------- both sides of instructions

SUMS = DATA / "comparison" / "sums"
SUMS_RULES = (PathRule("/corpus/comparison", str(SUMS)),)


def compared_sums(function: str, new: str = "sums-edited", **settings: Any) -> ViewQuery:
    """The query of a function in two builds."""
    base = SUMS / "callgrind.out.sums-O2"
    settings = {"rules": SUMS_RULES, **settings}
    return code_query(SUMS / f"callgrind.out.{new}", function, base=base, **settings)


def marked_rows(listing: CodeListing) -> list[str]:
    """Each row: mark, address, change, base, new and instruction."""
    lines = shown(listing, "location", "self", "base", "new", "text")
    marks = map(listing.texts.mark, shown_records(listing))
    return [
        f"{mark} {' '.join(line.split())}".strip() for mark, line in zip(marks, lines, strict=True)
    ]


def test_instructions_of_two_builds() -> None:
    """Read off both disassemblies and profiles; a gone instruction has its address in the base.

    One with other operands says what it was. A gone one is a position of its own, as its address is
    that of another instruction now.
    """
    code, listing = loaded("assembler", compared_sums("weighted.constprop.0"))
    texts = listing.texts

    assert marked_rows(listing)[1:10] == [
        "770 | | 50 | 50 | movslq %edi, %rdi",
        "new 773 | +50 | | 50 | xorl %ecx, %ecx",
        "new 775 | +50 | | 50 | leaq 0x18c4(%rip), %r8 # 2040 <table>",
        "77c | | 50 | 50 | xorl %edx, %edx",
        "gone 775 | −50 | 50 | | leaq 0x18c4(%rip), %r8 # 2040 <table>",
        "gone 77c | −50 | 50 | | xorl %ecx, %ecx",
        "77e | | 50 | 50 | jmp 7ad <+0x3d>",
        "780 | | 1072 | 1072 | imull %ecx, %eax",
        "new 783 | +1072 | | 1072 | addl %eax, %edx",
    ]
    assert f"paired by text with {SUMS / 'sums-O2'}" in code.notes
    assert listing.is_compared
    assert "In the base: imull   %edx, %eax" in listing.table.tip(record_at(listing, "780"))
    (gone,) = [
        r for r in range(listing.table.length) if texts.is_gone(r) and texts.place(r) == "775"
    ]
    position = texts.position_of(gone)
    assert (position.address, position.in_base) == (0x775, True)
    assert np.flatnonzero(texts.records_at(position)).tolist() == [gone]
    (new,) = np.flatnonzero(texts.records_at(replace(position, in_base=False))).tolist()
    assert texts.mark(new) == "new"


@pytest.mark.parametrize(
    ("new", "function"),
    [("sums-edited", "weighted.constprop.0"), ("sums-O3", "main"), ("sums-O2", "fill")],
)
def test_changes_of_the_rows_are_that_of_the_function(new: str, function: str) -> None:
    query = compared_sums(function, new)
    context, listing = query.context, loaded("assembler", query)[1]
    assert context.event is not None
    assert context.base is not None
    base, now = (
        query.queries.node_costs(context.function, context.event, scope)[1]
        for scope in (context.base, context.scope)
    )
    is_location = listing.rows.records.kind == RecordKind.LOCATION
    costs = listing.costs.first.self_cost
    assert costs.change[is_location].sum() == now - base
    assert [side[is_location].sum() for side in (costs.base, costs.new)] == [base, now]


def test_a_function_that_did_not_change() -> None:
    """`main` is the same in both builds, and calls the same functions equally often."""
    listing = loaded("assembler", compared_sums("main"))[1]
    assert "50 | weighted.constprop.0  sums-edited" in shown(listing, "calls", "text")
    assert not any(row.startswith(("new", "gone")) for row in marked_rows(listing))


def test_without_the_program_of_the_base_nothing_is_paired() -> None:
    """Costs are then those of the new side."""
    rules = (PathRule("/corpus/comparison/sums-edited", str(SUMS / "sums-edited")),)
    code, listing = loaded("assembler", compared_sums("weighted.constprop.0", rules=rules))
    assert "not paired with instructions of the base" in code.notes
    assert (code.problem, listing.is_compared) == (None, False)
    assert "+" not in "".join(shown(listing, "self"))


def test_parts_of_one_profile_need_no_program(tmp_path: Path) -> None:
    profile = """
        positions: instr line
        events: Ir
        part: 1

        fn=f
        0x10 1 3
        0x12 2 30

        part: 2

        fn=f
        0x12 2 63
        0x14 3 3
        """
    query = code_query(profile, "f", tmp_path, rules=())
    compared = compare_parts(query.profile, [0], [1])
    context = replace(query.context, scope=compared.new, base_parts=compared.base.parts)
    query = ViewQuery(compared.queries, context, compared)
    assert marked_rows(loaded("assembler", query)[1]) == [
        "gone 10 | −3 | 3 | |", "12 | +33 | 30 | 63 |", "new 14 | +3 | | 3 |",
    ]  # fmt: skip
