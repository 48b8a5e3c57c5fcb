"""The examples of the format's specification, in all spellings, against hand-computed results.

The reference reader, with which random files are compared, finds the same.
"""

from __future__ import annotations

import pytest

import qcachegrind_py as q
from qcachegrind_py.profile.profile import Profile
from tests.formats.callgrind import reference_reader
from tests.profile_rows import call_rows, cost_rows, cost_table, diagnostic_rows, profile_from

SIMPLE = b"""\
# callgrind format
events: Cycles Instructions Flops
fl=file.f
fn=main
15 90 14 2
16 20 12
"""

EXTENDED = b"""\
# callgrind format
events: Instructions

fl=file1.c
fn=main
16 20
cfn=func1
calls=1 50
16 400
cfi=file2.c
cfn=func2
calls=3 20
16 400

fn=func1
51 100
cfi=file2.c
cfn=func2
calls=2 20
51 300

fl=file2.c
fn=func2
20 700
"""

COMPRESSED = b"""\
# callgrind format
events: Instructions

fl=(1) file1.c
fn=(1) main
16 20
cfn=(2) func1
calls=1 50
16 400
cfi=(2) file2.c
cfn=(3) func2
calls=3 20
16 400

fn=(2)
51 100
cfi=(2)
cfn=(3)
calls=2 20
51 300

fl=(2)
fn=(3)
20 700
"""

DEFINED_AHEAD = b"""\
# callgrind format
events: Instructions

# define file ID mapping
fl=(1) file1.c
fl=(2) file2.c
# define function ID mapping
fn=(1) main
fn=(2) func1
fn=(3) func2

fl=(1)
fn=(1)
16 20
cfn=(2)
calls=1 50
16 400
cfi=(2)
cfn=(3)
calls=3 20
16 400

fn=(2)
51 100
cfi=(2)
cfn=(3)
calls=2 20
51 300

fl=(2)
fn=(3)
20 700
"""

ABSOLUTE = b"""\
# callgrind format
positions: instr line
events: ticks

fn=func
0x80001234 90 1
0x80001237 90 5
0x80001238 91 6
"""

RELATIVE = b"""\
# callgrind format
positions: instr line
events: ticks

fn=func
0x80001234 90 1
+3 * 5
+1 +1 6
"""
CFL = EXTENDED.replace(b"cfi=", b"cfl=")
INDENTED_WITH_TABS = b"\n".join(
    b"\t" + line.replace(b" ", b"\t") if line[:1].isdigit() else line
    for line in EXTENDED.splitlines()
)
HEXADECIMAL = (
    EXTENDED.replace(b"16 ", b"0x10 ").replace(b"51 ", b"0x33 ").replace(b" 400", b" 0x190")
)
RELATIVE_LINES = b"""\
# callgrind format
events: Instructions

fl=file1.c
fn=main
16 20
cfn=func1
calls=1 +34
* 400
cfi=file2.c
cfn=func2
calls=3 +4
* 400

fn=func1
+35 100
cfi=file2.c
cfn=func2
calls=2 -31
* 300

fl=file2.c
fn=func2
-31 700
"""
SPELLINGS = {
    "plain": EXTENDED,
    "compressed": COMPRESSED,
    "defined ahead": DEFINED_AHEAD,
    "cfl": CFL,
    "crlf": EXTENDED.replace(b"\n", b"\r\n"),
    "tabs": INDENTED_WITH_TABS,
    "hexadecimal": HEXADECIMAL,
    "relative lines": RELATIVE_LINES,
    "no format line": EXTENDED.partition(b"\n")[2],
    "no last line end": EXTENDED.rstrip(b"\n"),
}
MAIN = ("main", "file1.c", "")
FUNC1 = ("func1", "file1.c", "")
FUNC2 = ("func2", "file2.c", "")


def read_by_both(text: bytes) -> Profile:
    """The profile of a text, which the reference reader finds, too."""
    profile, reading = profile_from(text), reference_reader.read(text)
    assert reading.costs == cost_rows(profile)
    assert reading.calls == call_rows(profile)
    return profile


def test_simple_example() -> None:
    """A cost line has the counters of the events in their order; missing ones are zero."""
    profile = read_by_both(SIMPLE)
    main = ("main", "file.f", "")
    assert profile.events.names == ("Cycles", "Instructions", "Flops")
    assert cost_rows(profile) == [
        (0, main, "file.f", 15, 0, (90, 14, 2)),
        (0, main, "file.f", 16, 0, (20, 12, 0)),
    ]
    assert q.function_costs(profile).totals.tolist() == [110, 26, 2]
    assert diagnostic_rows(profile) == []


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_extended_example(spelling: str) -> None:
    """Main includes its own 20 and the 400 + 400 of its calls: 820, in any spelling."""
    profile = read_by_both(SPELLINGS[spelling])
    assert cost_rows(profile) == [
        (0, MAIN, "file1.c", 16, 0, (20,)),
        (0, FUNC1, "file1.c", 51, 0, (100,)),
        (0, FUNC2, "file2.c", 20, 0, (700,)),
    ]
    assert call_rows(profile) == [
        (0, MAIN, FUNC1, "file1.c", 16, 0, 1, (400,)),
        (0, MAIN, FUNC2, "file1.c", 16, 0, 3, (400,)),
        (0, FUNC1, FUNC2, "file1.c", 51, 0, 2, (300,)),
    ]
    assert cost_table(profile) == {
        "main": (20, 820, 0),
        "func1": (100, 400, 1),
        "func2": (700, 700, 5),
    }
    assert {kind for _line, kind in diagnostic_rows(profile)} <= {"no-line-end"}


@pytest.mark.parametrize("text", [ABSOLUTE, RELATIVE], ids=["absolute", "relative"])
def test_subposition_compression(text: bytes) -> None:
    """`+3 * 5` after `0x80001234 90 1` is address 0x80001237, line 90, cost 5."""
    profile = read_by_both(text)
    func = ("func", "", "")
    assert cost_rows(profile) == [
        (0, func, "", 90, 0x80001234, (1,)),
        (0, func, "", 90, 0x80001237, (5,)),
        (0, func, "", 91, 0x80001238, (6,)),
    ]


def test_long_name_and_inherited_event() -> None:
    """`event: Ir : Instruction Fetches` names an event; `event: Sum = Ir + Dr` defines one."""
    profile = profile_from(
        """
            event: Ir : Instruction Fetches
            events: Ir Dr
            event: Sum = Ir + Dr
            fn=main
            1 30 12
            2 4
            """
    )
    ir, dr = profile.events.measured
    total = profile.events.find("Sum")
    assert total is not None
    assert (ir.name, ir.title, dr.name) == ("Ir", "Instruction Fetches", "Dr")
    costs = profile.events.evaluate(total, q.function_costs(profile).self_cost)
    assert costs.tolist() == [46]


def test_every_word_of_the_body() -> None:
    """Every keyword of the grammar is known: none gives a diagnostic."""
    profile = profile_from(
        """
        # callgrind format
        version: 1
        creator: drawn by hand
        pid: 7
        cmd: ./a.out -x
        part: 1
        desc: I1 cache: 32768 B, 64 B, 8-way associative
        desc: Trigger: Program termination
        positions: instr line
        events: Ir
        summary: 23
        ob=a.out
        fl=main.c
        fn=main
        0x10 1 5
        fi=inlined.h
        0x12 7 3
        fe=main.c
        jump=2 0x20 3
        0x14 2
        jcnd=4 3 0x10 1
        0x18 2
        cob=lib.so
        cfi=lib.c
        cfn=work
        calls=2 0x40 9
        0x1c 3 15
        ob=lib.so
        fl=lib.c
        fn=work
        0x40 9 15
        totals: 23
        """
    )
    assert diagnostic_rows(profile) == []
    assert cost_table(profile) == {"main": (8, 23, 0), "work": (15, 15, 2)}
    (part,) = profile.parts
    assert (part.pid, part.part, part.creator, part.command) == (
        7,
        1,
        "drawn by hand",
        "./a.out -x",
    )
    assert part.trigger == "Program termination"
    assert part.description("I1 cache") == "32768 B, 64 B, 8-way associative"
    assert (part.summary, part.totals) == ({"Ir": 23}, {"Ir": 23})
