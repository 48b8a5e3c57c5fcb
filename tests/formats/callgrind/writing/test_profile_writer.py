"""Profiles written as Callgrind files: contents, selection, and layout."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import qcachegrind_py as q
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.analysis.costs.totals import total
from qcachegrind_py.analysis.folding.fold import fold_functions
from qcachegrind_py.formats.callgrind.writing import body_writer, selection
from qcachegrind_py.formats.callgrind.writing.profile_writer import save, write
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import StringTable
from tests import zstd
from tests.formats.callgrind import reference_reader
from tests.formats.callgrind.generated_profiles import profiles
from tests.formats.profile_comparison import (
    WHOLE_PROFILE,
    json_report,
    part_headers,
    profile_rows,
    read_again,
    written_bytes,
)
from tests.profile_rows import (
    DATA,
    call_rows,
    cost_rows,
    cost_table,
    diagnostic_rows,
    function_rows,
    profile_from,
)
from tests.profile_text import profile_text
from tests.reports import Reports

# a bit of everything
EVERYTHING = """\
    # callgrind format
    version: 1
    creator: drawn by hand
    cmd: ./a.out -x
    pid: 7
    part: 1
    arch: arm
    desc: Trigger: Program termination
    event: Ir : Instructions
    event: Sum = Ir + 2 Dr
    event: Odd = ((
    events: Ir Dr
    positions: instr line
    summary: 210 9

    ob=/bin/a.out
    fl=/src/main.c
    fn=main
    0x1000 10 1 2
    0x1004 10 3
    fi=/src/inline.h
    0x1008 200 0 18446744073709551615
    fe=/src/main.c
    cfn=ping
    calls=2 0x2000 30
    0x1004 10 190 6
    0x100c 12 0 0
    cob=/lib/libc.so
    cfi=/libc/exit.c
    cfn=exit
    calls=0 1
    0x100c 12 7
    jcnd=2/3 0x1000 10
    0x100c 12
    jfi=/src/inline.h
    jfn=far
    jump=4 0x1020 5
    0xffffffffffffff00 0

    ob=/lib/libc.so
    fl=???
    fn=idle
    0 0
    """
# worked out by hand: `far` before all, with a line that binds it, as a jump gives no object
WRITTEN = """\
# callgrind format
version: 1
creator: drawn by hand
cmd: ./a.out -x
positions: instr line
pid: 7
part: 1
arch: arm
desc: Trigger: Program termination
event: Ir : Instructions
event: Sum = Ir + 2 Dr
event: Odd = ((
events: Ir Dr
summary: 210 9

ob=(1) /bin/a.out
fl=(1) /src/inline.h
fn=(1) far
0x0 *

fl=(2) /src/main.c
fn=(2) main
+4096 10 1 2
+4 * 3
cfn=(3) ping
calls=2 0x2000 30
* * 190 6
fi=(1)
+4 200 0 18446744073709551615
fe=(2)
+4 12 0
cob=(2) /lib/libc.so
cfi=(3) /libc/exit.c
cfn=(4) exit
calls=0 0x1 0
* * 7
jcnd=2/3 -12 10
* *
jfi=(1)
jfn=(1)
jump=4 +20 5
0xffffffffffffff00 0

ob=(2)
fl=(4) ???
fn=(5) idle
0x0 *

totals: 4 1
"""


def without_line_ends(value: Any) -> Any:
    """Names as written: symbols replace bytes that would end a line."""
    if isinstance(value, str):
        value = value.replace("\0", "␀")
        return f"{value[:-1]}␍" if value.endswith("\r") else value
    if isinstance(value, tuple):
        parts = tuple(map(without_line_ends, value))
        return type(value)(*parts) if hasattr(value, "_fields") else parts
    return value


def same_rows(profile: Profile) -> dict[str, Counter[Any]]:
    """The rows of a profile, with names as they are written."""
    return {
        kind: Counter(map(without_line_ends, rows.elements()))
        for kind, rows in profile_rows(profile).items()
    }


def test_text_of_a_profile() -> None:
    """Headers, names, positions, calls and jumps have exactly the format's syntax."""
    profile = profile_from(EVERYTHING)

    assert written_bytes(profile).decode() == WRITTEN
    assert (diagnostic_rows(profile_from(WRITTEN)), WRITTEN) == (
        [(29, "wrapped-number")],
        written_bytes(profile_from(WRITTEN)).decode(),
    )


@pytest.mark.slow
@given(profiles())
@settings(max_examples=40, deadline=None)
def test_any_profile_is_read_again_as_it_was(data: bytes) -> None:
    """Both readers find the same contents in the copy.

    A copy has its parts in order, and its functions are numbered in that order when it is read
    again: from then on, each copy is identical to the byte.
    """
    profile = profile_from(data)
    copy = written_bytes(profile)
    again, reading = profile_from(copy), reference_reader.read(copy)

    assert same_rows(profile) == profile_rows(again)
    assert {
        "costs": Counter(reading.costs),
        "calls": Counter(reading.calls),
        "jumps": Counter(reading.jumps),
    } == same_rows(profile)
    assert Counter(map(without_line_ends, function_rows(profile))) == Counter(function_rows(again))
    assert part_headers(profile) == part_headers(again)
    assert profile.events == again.events
    second = written_bytes(again)
    assert second == written_bytes(profile_from(second))


@pytest.mark.slow
@given(profiles())
@settings(max_examples=15, deadline=None)
def test_chunk_size_does_not_matter(data: bytes) -> None:
    """A file is the same, however few of its lines are written at once."""
    profile = profile_from(data)
    whole = written_bytes(profile)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "_ITEMS_PER_CHUNK", 2)
        patch.setattr(body_writer, "_CELLS_PER_CHUNK", 40)

        assert whole == written_bytes(profile)


def test_each_part_is_self_contained() -> None:
    """A reader such as KCachegrind, which forgets ids at a new part, finds all names."""
    profile = q.load(DATA / "recur-dumps" / "callgrind.out.21941.xz")

    texts = written_bytes(profile).split(b"positions:")
    readings = [reference_reader.read(b"positions:" + text) for text in texts[1:]]

    for kind, rows in profile_rows(profile).items():
        found = [row._replace(part=n) for n, r in enumerate(readings) for row in getattr(r, kind)]
        assert Counter(found) == rows


def test_names_stay_in_their_lines() -> None:
    """No name ends its line, or is mistaken for a number or another kind of line."""
    names = ["(7)", "calls=3 4", "a\nfn=b", "c\0d", "e\r", "  f", "", "events: Ir", "+3 1"]
    profile = profile_from(
        "events: Ir\nfn=main\n1 1\n" + "".join(f"fn={n}\n1 1\n" for n in "abcdefghi")
    )
    renamed = replace(profile, texts=texts_of(["???", "main", *names]))

    again = read_again(renamed)

    expected = ["(7)", "calls=3 4", "a␊fn=b", "c␀d", "e␍", "f", "", "events: Ir", "+3 1"]
    assert ["main", *expected] == [name for name, _file, _object in function_rows(again)]
    assert diagnostic_rows(again) == []


def test_sums_end_where_zeros_begin() -> None:
    """Zeros at the end of `totals:` are left out, as Callgrind does; those of `summary:` stay.

    What `summary:` does not have remains missing, and what is below the sum is the sum.
    """
    profile = profile_from(
        """
        part: 1
        events: Ir Dr Dw
        summary: 9 0 0
        fn=f
        1 0 5
        part: 2
        events: Ir Dr Dw
        summary: 0
        fn=f
        1 0
        """
    )

    copy = written_bytes(profile)

    sums = [line for line in copy.split(b"\n") if line.startswith((b"summary:", b"totals:"))]
    assert sums == [b"summary: 9 5 0", b"totals: 0 5", b"summary: 0", b"totals: 0"]
    assert [part.summary for part in profile_from(copy).parts] == [
        {"Ir": 9, "Dr": 5, "Dw": 0},
        {"Ir": 0},
    ]
    assert profile_from(copy).parts[0].totals == {"Ir": 0, "Dr": 5, "Dw": 0}


def texts_of(names: list[str]) -> StringTable:
    lines = [f"{name}\n".encode() for name in names]
    starts = np.cumsum([0, *map(len, lines)])
    return StringTable(b"".join(lines), starts)


# ---------------------------------------------------------------- selection

CHOSEN = """
    events: Ir
    part: 1
    summary: 500
    fn=main
    1 10
    cfn=work
    calls=2 1
    1 100
    cfn=other
    calls=1 1
    2 50
    fn=work
    5 60
    cfn=leaf
    calls=4 1
    6 40
    fn=other
    8 20
    cfn=work
    calls=1 1
    9 30
    fn=leaf
    3 70
    part: 2
    summary: 90
    events: Ir
    fn=leaf
    3 5
    part: 3
    events: Ir
    fn=main
    1 1
    cfn=work
    calls=1 1
    1 9
    fn=work
    5 4
    5 5
    """


def keeping(profile: Profile, *names: str) -> Any:
    """A selection of the functions with these names."""
    return np.array([name in names for name, _file, _object in function_rows(profile)])


def test_a_function_that_is_left_out_takes_nothing_from_others() -> None:
    """Costs, callers and callees of the kept functions are unchanged.

    Self costs of others are gone, and percentages keep their base.
    """
    profile = profile_from(CHOSEN)

    again = read_again(profile, Selection(functions=keeping(profile, "work")))

    before, after = cost_table(profile), cost_table(again)
    assert before["work"] == after["work"] == (69, 139, 4)
    assert {name: own for name, (own, _, _) in after.items()} == {
        "main": 0, "work": 69, "other": 0, "leaf": 0,
    }  # fmt: skip
    calls = [(row.caller[0], row.callee[0], row.costs) for row in profile_rows(again)["calls"]]
    assert sorted(calls) == [
        ("main", "work", (9,)), ("main", "work", (100,)),
        ("other", "work", (30,)), ("work", "leaf", (40,)),
    ]  # fmt: skip
    event = profile.events.measured[0]
    assert total(again, event, ALL_PARTS).base == total(profile, event, ALL_PARTS).base == 600


def test_a_cycle_stays_whole() -> None:
    """A kept member of a cycle keeps its inclusive cost, even if the others are left out."""
    text = """
        main 1 -> a 1x60
        a 10 -> b 1x50
        b 20 -> c 1x30
        c 30 -> a 1x25
        """
    profile = profile_from(profile_text(text))

    again = read_again(profile, Selection(functions=keeping(profile, "a")))

    assert cost_table(profile)["a"] == cost_table(again)["a"] == (10, 10, 2)


def test_parts_are_chosen() -> None:
    """Only the selected parts are written, each with its recorded data."""
    profile = profile_from(CHOSEN)

    again = read_again(profile, Selection(parts=(2, 0)))

    assert [(part.part, part.summary) for part in again.parts] == [(1, {"Ir": 500}), (3, None)]
    assert cost_table(again) == {
        "main": (11, 170, 0), "work": (69, 139, 4), "other": (20, 50, 1), "leaf": (70, 40, 4),
    }  # fmt: skip


def test_parts_become_one() -> None:
    """Merged, each line and each call appears once with the sum over the parts."""
    profile = profile_from(CHOSEN)

    again = read_again(profile, Selection(parts=(0, 2), merged=True))

    assert [(part.part, part.summary) for part in again.parts] == [(0, {"Ir": 510})]
    assert {(row.function[0], row.line, row.costs) for row in profile_rows(again)["costs"]} == {
        ("main", 1, (11,)), ("work", 5, (69,)), ("other", 8, (20,)), ("leaf", 3, (70,)),
    }  # fmt: skip
    assert {
        (row.caller[0], row.callee[0], row.call_count, row.costs)
        for row in profile_rows(again)["calls"]
    } == {
        ("main", "work", 3, (109,)), ("main", "other", 1, (50,)),
        ("work", "leaf", 4, (40,)), ("other", "work", 1, (30,)),
    }  # fmt: skip
    assert set(profile_rows(again)["costs"].values()) == {1}


@pytest.mark.parametrize("part", [3, -1])
def test_part_that_is_not_there_is_refused(part: int, tmp_path: Path) -> None:
    """The error has the numbers of the parts, and no file is left."""
    with pytest.raises(q.NotInProfile, match=f"has 3 parts, 0 to 2: there is no part {part}"):
        save(profile_from(CHOSEN), tmp_path / "out", Selection(parts=(0, part)))

    assert not (tmp_path / "out").exists()


def location_sums(profile: Profile) -> Counter[Any]:
    """The cost of the first event by function, file, line and address."""
    places: Counter[Any] = Counter()
    for row in cost_rows(profile):
        places[row.function, row.file, row.line, row.address] += row.costs[0]
    return places


@pytest.mark.parametrize(
    "name", ["recur-dumps/callgrind.out.21941.xz", "threads-combined-bb/callgrind.out.22283.xz"]
)
def test_merged_parts_of_a_real_run(name: str) -> None:
    """Merging real parts changes no sum: self costs of functions, calls between any two."""
    profile = q.load(DATA / name)

    again = read_again(profile, Selection(merged=True))

    assert (len(profile.parts) > 1, len(again.parts)) == (True, 1)
    before, after = json_report(profile), json_report(again)
    assert before["calls"] == after["calls"]
    for key in ("totals", "summary", "events", "command", "creator"):
        assert before[key] == after[key]
    places = location_sums(profile)
    assert places == location_sums(again)
    assert len(again.costs) == len(places) < len(profile.costs)
    assert len(again.jumps) <= len(profile.jumps)
    assert again.jumps.executed.sum() == profile.jumps.executed.sum()


# ---------------------------------------------------------------- to the disk

UNPACK = {
    "": bytes,
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
    ".zst": zstd.decompress,
}


@pytest.mark.parametrize("end", UNPACK)
def test_compression_follows_the_name(tmp_path: Path, end: str) -> None:
    """A name such as out.gz gives a compressed file, identical each time."""
    profile, path = profile_from(EVERYTHING), tmp_path / f"out{end}"

    save(profile, path)
    first = path.read_bytes()
    save(profile, path)

    assert WRITTEN.encode() == UNPACK[end](first)
    assert first == path.read_bytes()


def test_progress_and_cancellation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress rises to its end; after cancellation, the previous file is untouched."""
    monkeypatch.setattr(selection, "_ITEMS_PER_CHUNK", 500)
    profile, path = q.load(DATA / "recur-dumps" / "callgrind.out.21941.xz"), tmp_path / "out"
    watching = Reports()
    write(profile, io.BytesIO(), progress=watching)
    path.write_bytes(b"before")
    with pytest.raises(Cancelled):
        save(profile, path, progress=Reports(stop_at=len(watching.fractions) // 2))

    fractions = watching.fractions
    assert (fractions[0], fractions[-1], len(fractions) > 10) == (0.0, 1.0, True)
    assert all(before <= after for before, after in pairwise(fractions))
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"out": b"before"}


@pytest.mark.parametrize(
    "line", ["", "fn=f\n", "cmd: x\n", "fn=f\njump=3 5\n", "cfn=f\ncalls=1 5\n"]
)
def test_a_profile_without_events(line: str) -> None:
    """Its header is written and is valid; a body would have no meaning."""
    profile = profile_from(f"creator: x\npid: 7\n{line}summary: 3\n")

    again = read_again(profile)

    assert part_headers(profile)[0][:5] == part_headers(again)[0][:5]
    assert diagnostic_rows(again) == [(0, "no-costs")]


def test_the_last_definition_of_an_event_holds() -> None:
    """It holds in the copy, too, where it repeats an earlier one and cannot be computed."""
    lines = ("X = 2 Dr", "X = Ir + 3 Dr", "X = 2 Dr")
    events = "".join(f"event: {line}\n" for line in lines)
    profile = profile_from(f"{events}events: Ir\nfn=f\n1 5\n")

    again = read_again(profile)

    assert (profile.events.find("X"), again.events) == (None, profile.events)


def test_a_file_without_events_among_others() -> None:
    """Its summary counts nothing, and the files beside it are saved with all their costs."""
    profile = profile_from("version: 1\nsummary: 3\n", "events: Ir\nfn=f\n1 5\n")

    again = read_again(profile)

    assert (cost_table(again), profile_rows(again)) == ({"f": (5, 5, 0)}, profile_rows(profile))
    assert [part.summary for part in again.parts] == [None, None]


PARTS_WITH_EVENTS_OF_OTHERS = [
    "pid: 1\nevents: Ir\nfn=f\n1 5\npid: 2\nfn=f\n2 7\nevents: Cpu\n3 3\n",
    "events: Ir Dr\nfn=f\n1 5 6\npart: 2\nfn=f\n2 7 8\npart: 3\nevents: Dr\nfn=f\n3 9\npart: 4\n"
    "positions: instr line\nfn=f\n0x10 4 10\n",
    "part: 3\nevents: Ir\nfn=f\n1 5\npart: 1\nfn=f\n2 6 7\npart: 2\nevents: Dr Ir\nfn=f\n3 7 8\n",
    "events: Ir\nfn=f\n1 5\nfn=g\nevents: Dr\nfn=g\n2 6\nevents: Cpu Ir Cpu\nfn=f\n3 7 8 9\n",
    "pid: 1\nevents: Ir\npid: 2\nfn=f\n1 5\npid: 3\nevents: Dr\npositions: instr\n",
]


@pytest.mark.parametrize("drawing", PARTS_WITH_EVENTS_OF_OTHERS)
def test_parts_with_the_events_of_the_part_before(drawing: str) -> None:
    """Each part of the copy names its events, so that all costs are those of the original."""
    profile = profile_from(drawing)

    copy = written_bytes(profile)
    again = profile_from(copy)

    assert profile_rows(again) == profile_rows(profile)
    assert [part.events for part in again.parts] == [
        tuple(dict.fromkeys(part.events)) for part in profile.parts
    ]
    assert part_headers(again) == part_headers(profile)
    assert copy.count(b"\nevents: ") == len(profile.parts)
    assert written_bytes(again) == copy


def test_no_cost_is_lost_where_a_part_names_other_events_behind_costs() -> None:
    """The costs before the line count in the events in force, those behind it in the new ones."""
    again = read_again(profile_from(PARTS_WITH_EVENTS_OF_OTHERS[0]))

    assert again.events.names == ("Ir", "Cpu")
    assert [(part.pid, part.events) for part in again.parts] == [
        (1, ("Ir",)),
        (2, ("Ir",)),
        (2, ("Cpu",)),
    ]
    assert [row.costs for row in cost_rows(again)] == [(5, 0), (7, 0), (0, 3)]


# ---------------------------------------------------------------- targets of calls

TARGETS = """
    positions: instr line
    events: Ir
    fl=a.c
    fn=main
    0x100 10 1
    cfn=g
    calls=3 0x200 50
    0x104 12 90
    cfn=g
    calls=2 +252 +38
    +4 13 60
    cfn=g
    calls=1 0x204 51
    +4 14 30
    cfn=h
    calls=1
    +4 15 5
    cfn=g
    calls=1 0x200 50
    +4 16 5
    fn=g
    0x200 50 185
"""


def target_lines(profile: Profile, selection: Selection = WHOLE_PROFILE) -> list[str]:
    lines = written_bytes(profile, selection).decode().splitlines()
    return [line for line in lines if line.startswith("calls=")]


def test_calls_keep_their_targets() -> None:
    """A target is written as it was read, relative ones too; one that was not given is 0."""
    wanted = ["calls=3 0x200 50", "calls=2 0x200 50", "calls=1 0x204 51", "calls=1 0 0"]
    profile = profile_from(TARGETS)
    assert target_lines(profile) == [*wanted, "calls=1 0x200 50"]
    assert target_lines(read_again(profile)) == [*wanted, "calls=1 0x200 50"]


def test_merged_parts_keep_the_targets_of_calls() -> None:
    """Of calls that become one, the first has the target."""
    profile = profile_from(TARGETS, TARGETS)
    merged = target_lines(profile, Selection(merged=True))
    wanted = ["calls=6 0x200 50", "calls=4 0x200 50", "calls=2 0x204 51", "calls=2 0 0"]
    assert merged == [*wanted, "calls=2 0x200 50"]


def test_folded_functions_leave_the_targets_of_other_calls() -> None:
    """The rows of calls move up where others are folded."""
    profile = profile_from(TARGETS + "fn=h\n1 1 5\n")
    is_folded = np.array([name == "h" for name, _, _ in function_rows(profile)])
    folded = fold_functions(profile, is_folded).profile
    wanted = ["calls=3 0x200 50", "calls=2 0x200 50", "calls=1 0x204 51", "calls=1 0x200 50"]
    assert target_lines(folded) == wanted


def test_a_callee_with_the_name_of_a_body_elsewhere_keeps_its_file() -> None:
    """A reader without it would take the body for the callee."""
    profile = profile_from(
        "events: Ir\nfl=b.c\nfn=g\n5 7\nfl=a.c\nfn=main\n1 2\ncfi=a.c\ncfn=g\ncalls=1 0\n2 7\n"
    )
    assert profile_rows(read_again(profile)) == profile_rows(profile)
    assert [row.callee for row in call_rows(profile)] == [("g", "a.c", "")]


# ---------------------------------------------------------------- Cachegrind

CACHEGRIND = """\
desc: I1 cache:         32768 B, 64 B, 8-way associative
cmd: ./a.out 1
events: Ir I1mr
fl=a.c
fn=main
3 5 1
5 7 0
fn=f
9 2 0
fl=b.c
fn=g
1 4 0
summary: 18 1
"""


def test_a_cachegrind_profile_is_written_as_it_was() -> None:
    """cg_annotate and cg_merge accept this order, names in full, and all costs of a line only."""
    assert written_bytes(profile_from(CACHEGRIND)).decode() == CACHEGRIND


def test_merged_cachegrind_profiles_are_one() -> None:
    """Costs of the same line add up, as cg_merge does."""
    merged = written_bytes(profile_from(CACHEGRIND, CACHEGRIND), Selection(merged=True)).decode()
    for before, after in (("3 5 1", "3 10 2"), ("5 7 0", "5 14 0"), ("9 2 0", "9 4 0")):
        assert f"\n{before}\n" not in merged
        assert f"\n{after}\n" in merged
    assert merged.startswith("desc: I1 cache:         32768 B")
    assert merged.endswith("fl=b.c\nfn=g\n1 8 0\nsummary: 36 2\n")


@pytest.mark.skipif(not shutil.which("cg_annotate"), reason="Valgrind is not installed")
def test_cg_annotate_accepts_a_saved_profile(tmp_path: Path) -> None:
    """Its annotation of the copy is that of the file; files of equal cost have no order."""
    shutil.copy(DATA / "cachegrind" / "cachegrind.out.templ-O2.xz", tmp_path / "file.xz")
    (tmp_path / "file").write_bytes(lzma.decompress((tmp_path / "file.xz").read_bytes()))
    save(q.load(tmp_path / "file"), tmp_path / "copy")
    texts = [
        subprocess.run(["cg_annotate", tmp_path / name], capture_output=True, check=True).stdout
        for name in ("file", "copy")
    ]
    file, copy = (
        Counter(line for line in text.splitlines() if not line.startswith(b"Data file:"))
        for text in texts
    )
    assert file == copy


def test_a_summary_below_the_sum_is_written_as_the_sum() -> None:
    """Percentages refer to the sum; other readers take the summary as it is."""
    text = written_bytes(profile_from("events: Ir Dr\nsummary: 3 9\nfn=f\n1 5 6\n")).decode()
    assert "\nsummary: 5 9\n" in text
