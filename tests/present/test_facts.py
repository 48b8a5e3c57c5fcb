"""The facts of a profile: the head of text reports, and the `header` of JSON ones."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from qcachegrind_py.analysis.facts import ProfileFacts, profile_facts
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.facts import facts_object, head_facts
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.write.text import write_facts
from tests.profile_rows import DATA
from tests.profile_text import EXAMPLE

TWO_PARTS = """\
# callgrind format
version: 1
creator: callgrind-3.19.0
cmd: ./prog -v
pid: 7
part: 1
desc: I1 cache: 32768 B, 64 B, 8-way associative
desc: Options: --cache-sim=yes
desc: just a note
desc: Timerange: Basic block 0 - 10
desc: Trigger: --dump-before=f
events: Ir Dr
summary: 12 3

ob=prog
fl=a.c
fn=main
1 10 2
cfn=f
calls=0 5
2 1 1

pid: 7
part: 2
desc: I1 cache: 32768 B, 64 B, 8-way associative
desc: Timerange: Basic block 10 - 20
desc: Trigger: Program termination
events: Ir Dr
summary: 20 4

ob=prog
fl=a.c
fn=main
3 20 5
cfi=b.c
cfn=f
calls=3 5
4 6 1
nonsense
"""


def head(facts: ProfileFacts) -> list[str]:
    stream = io.StringIO()
    write_facts(head_facts(facts), stream)
    return stream.getvalue().splitlines()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of two parts."""
    path = tmp_path / "callgrind.out.7"
    path.write_text(TWO_PARTS)
    return path


def test_head_of_a_real_file() -> None:
    """Keys and values are aligned; lines of one value have its key once."""
    facts = profile_facts(load(EXAMPLE), reading_seconds=0.25)
    assert head(facts) == [
        f"File:         {EXAMPLE} ({EXAMPLE.stat().st_size:,} bytes)",
        "Creator:      callgrind-3.19.0",
        "Command:      /corpus/a-small/bin/templ-O2",
        "Process:      22006",
        "I1 cache:     32 KiB, 64 B, 8-way associative",
        "D1 cache:     32 KiB, 64 B, 8-way associative",
        "LL cache:     256 MiB, 64 B, direct-mapped",
        "Time range:   Basic block 0–338035",
        "Trigger:      Program termination",
        "Contents:     430 functions in 250 files of 7 objects",
        "Calls:        11,322",
        "Reading time: 250.0 ms",
        "Percentages:  of the recorded total",
        "Totals:       Ir               1,866,861  Instruction Fetch (2 not attributed)",
        "              Dr                 462,872  Data Read Access",
        "              Dw                 165,018  Data Write Access",
        "              I1mr                 2,006  L1 Instr. Fetch Miss (1 not attributed)",
        "              D1mr                12,590  L1 Data Read Miss",
        "              D1mw                 2,492  L1 Data Write Miss",
        "              ILmr                 1,893  LL Instr. Fetch Miss (1 not attributed)",
        "              DLmr                 6,961  LL Data Read Miss",
        "              DLmw                 1,612  LL Data Write Miss",
        "              Bc                 294,138  Conditional Branch",
        "              Bcm                 14,125  Mispredicted Cond. Branch",
        "              Bi                   6,211  Indirect Branch",
        "              Bim                  1,559  Mispredicted Ind. Branch",
        "              L1m                 17,088  L1 Miss Sum = I1mr + D1mr + D1mw"
        " (1 not attributed)",
        "              LLm                 10,466  Last-level Miss Sum = ILmr + DLmr + DLmw"
        " (1 not attributed)",
        "              Bm                  15,684  Mispredicted Branch = Bim + Bcm",
        "              CEst             3,241,181  Cycle Estimation = Ir + 10 Bm + 10 L1m"
        " + 20 Ge + 100 L2m + 100 LLm (112 not attributed)",
        "              EstimatedCycles  2,877,083  Cycles by gungraun = Ir + Dr + Dw + 4 L1m"
        " + 30 LLm (36 not attributed)",
    ]


def test_facts_of_two_parts(path: Path) -> None:
    """What each part repeats is one fact; time range and trigger belong to the parts.

    `???` is no file or object, and a call that had not returned is not among the calls. One of the
    problems is the summary of the second part, below its costs. The size is that of what was read.
    """
    queries = ProfileQueries(load(path))
    queries.set_user_events((UserEvent("Both", "", "Ir + Dr"),))
    path.write_text("another profile")
    facts = profile_facts(queries.profile, events=queries.events)
    some = profile_facts(queries.profile, frozenset({PartId(1)}), queries.events)
    whole, second = head(facts), head(some)
    assert [part.totals for part in facts.parts] == [(10, 2), (20, 5)]
    assert whole == [
        f"File:        {path} ({len(TWO_PARTS)} bytes)",
        "Creator:     callgrind-3.19.0",
        "Command:     ./prog -v",
        "Process:     7",
        "I1 cache:    32 KiB, 64 B, 8-way associative",
        "Options:     --cache-sim=yes",
        "Description: just a note",
        "Contents:    3 functions in 2 files of 1 object",
        "Calls:       3 and 1 (active)",
        "Problems:    2",
        f"Damaged:     {path} is damaged at line 29: The recorded summary is less than the sum of "
        "the cost lines: “Dr: 4, summed 5”.",
        "Percentages: of the recorded total",
        "Totals:      Ir    32  Instruction Fetch (2 not attributed)",
        "             Dr     7  Data Read Access",
        "             Both  39  Ir + Dr (2 not attributed)",
        "Parts:       2",
        "             PID 7, part 1  --dump-before=f, Basic block 0–10",
        "             PID 7, part 2  Program termination, Basic block 10–20",
    ]
    assert second[-7:-2] == [
        "Percentages: of the recorded total, or of the sum of the self costs where that is larger",
        "Totals:      Ir    20  Instruction Fetch",
        "             Dr     5  Data Read Access (1 more than recorded)",
        "             Both  25  Ir + Dr (1 more than recorded)",
        "Parts:       2, 1 of them counted",
    ]


def test_a_profile_that_counts_no_calls() -> None:
    """Where no call has a count, none is active."""
    facts = profile_facts(load(DATA / "pprof-heap/callgrind.out.heap-alloc"))
    assert not [line for line in head(facts) if line.startswith("Calls")]


def test_a_profile_without_a_header(tmp_path: Path) -> None:
    """Events are all that a profile needs; facts that it does not state are left out."""
    path = tmp_path / "profile"
    path.write_text("events: Ir\nfn=f\n1 2\n")
    assert head(profile_facts(load(path))) == [
        f"File:        {path} (20 bytes)",
        "Contents:    1 function in 0 files of 0 objects",
        "Percentages: of the sum of the self costs; no total is recorded",
        "Totals:      Ir  2  Instruction Fetch",
    ]


def test_several_parts_are_listed(tmp_path: Path) -> None:
    """Each part has a line; beyond twenty, only their number is given."""
    parts = "".join(
        f"events: Own\npid: 3\npart: {number}\ndesc: Trigger: dump\nfn=f\n1 1\n"
        for number in range(1, 24)
    )
    path = tmp_path / "callgrind.out.3"
    path.write_text(parts)
    profile = load(path)
    lines = head(profile_facts(profile, frozenset({PartId(0), PartId(2)})))
    start = lines.index("Parts:       23, 2 of them counted")
    assert lines[start - 1] == "Totals:      Own  2"
    assert lines[start + 1] == "             PID 3, part 1   dump"
    assert lines[start + 20] == "             PID 3, part 20  dump"
    assert lines[start + 21 :] == ["             … and 3 more"]


def test_names_of_a_file_cannot_control_a_terminal(tmp_path: Path) -> None:
    """Control characters and bytes that are not UTF-8 are escaped, in text and in JSON."""
    path = tmp_path / "callgrind.out.4"
    path.write_bytes(
        b"creator: evil\x1b[2J\ncmd: a\xffb\tc\ndesc: K\x07ey: t\x1bext\n"
        b"events: I\x1br\nfn=f\n1 2\n"
    )
    facts = profile_facts(load(path))
    text = "\n".join(head(facts))
    assert all(line.isprintable() for line in text.splitlines())
    assert r"evil\x1b[2J" in text
    assert json.dumps(facts_object(facts), ensure_ascii=False).encode()


def test_header_object(tmp_path: Path) -> None:
    """The object has every field of the contract, and ratios without a value are null."""
    path = tmp_path / "callgrind.out.5"
    path.write_text(
        "creator: callgrind-1\ncmd: ./p\npid: 5\npart: 1\nthread: 2\ndesc: I1 cache: none\n"
        "desc: Trigger: end\ndesc: Timerange: all\nevents: Up Down\nsummary: 3 0\nfn=f\n1 2\n"
        "cfn=g\ncalls=0 1\n2 1\n\ntotals: 2 0\n"
    )
    queries = ProfileQueries(load(path))
    queries.set_user_events((UserEvent("R", "Rate", "Up / Down"),))
    facts = profile_facts(queries.profile, events=queries.events)
    size = path.stat().st_size
    up = {"attributed": 2, "recorded": 3, "base": 3}
    down = {"attributed": 0, "recorded": 0, "base": 0}
    rate = {"attributed": None, "recorded": None, "base": None}
    assert facts_object(replace(facts, reading_seconds=1.5)) == {
        "files": [{"path": str(path), "size": size}],
        "creators": ["callgrind-1"],
        "commands": ["./p"],
        "pids": [5],
        "descriptions": [{"kind": "I1 cache", "text": "none"}],
        "parts": [
            {
                "file": str(path),
                "pid": 5,
                "part": 1,
                "thread": 2,
                "thread_name": "",
                "trigger": "end",
                "time_range": "all",
                "counted": True,
            }
        ],
        "events": [
            {"name": "Up", "long_name": "", "formula": None, **up},
            {"name": "Down", "long_name": "", "formula": None, **down},
            {"name": "R", "long_name": "Rate", "formula": "Up / Down", **rate},
        ],
        "counts": {"functions": 2, "files": 0, "objects": 0, "calls": 0, "active_calls": 1},
        "diagnostic_count": 0,
        "reading_seconds": 1.5,
    }


def test_names_of_threads_stand_at_their_parts(tmp_path: Path) -> None:
    """They are facts of parts, not of the run."""
    texts = (("main", 10), ("worker", 20))
    paths = [tmp_path / name for name, _ in texts]
    for number, (path, (name, cost)) in enumerate(zip(paths, texts, strict=True), 1):
        text = f"thread: {number}\ndesc: Thread: {name}\nevents: Ir\nfn=f\n1 {cost}\n"
        path.write_text(text)
    facts = profile_facts(load(*paths))

    assert [line for line in head(facts) if line.startswith(("Thread", "Parts"))] == [
        "Parts:       2",
    ]
    assert head(facts)[-2:] == ["             main, thread 1", "             worker, thread 2"]
    assert [part.get("thread_name") for part in facts_object(facts)["parts"]] == ["main", "worker"]
