"""Costs, calls and jumps of source lines and of instructions, and the hosts of inlined code."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.code.location_costs import (
    InstructionCosts,
    LineCosts,
    file_lines,
    first_line,
    function_lines,
    has_addresses,
    instruction_costs,
    lines_in_file,
    lines_of_functions,
)
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.profile.ids import FunctionId, NodeId, function_ids
from qcachegrind_py.profile.profile import Profile
from tests.analysis.reference_locations import (
    Rows,
    address_locations,
    found_instructions,
    found_lines,
    line_locations,
    read_file,
    rows_by,
)
from tests.profile_rows import DATA, function_rows, profile_from

# with parts, inlined files with and without addresses, jumps, recursion, calls=0, odd positions
WITH_ADDRESSES = [
    "recur-everything/callgrind.out.21921.xz",
    "recur-dumps/callgrind.out.21941.xz",
    "programs/annotate/callgrind.out.inlined-O2.xz",
    "control/callgrind.out.control.2",
    "templ-nobb/callgrind.out.22021.xz",
]
OF_LINES = [
    *WITH_ADDRESSES[:4],
    "pprof-heap/callgrind.out.heap-alloc",
    "ruby-prof/callgrind.out.7234",
]
WAYS = {
    "lines": (function_lines, line_locations, found_lines),
    "instructions": (instruction_costs, address_locations, found_instructions),
}
COMPARED = [*(("lines", name) for name in OF_LINES), *(("instructions", n) for n in WITH_ADDRESSES)]
PROFILES = sorted(
    path.relative_to(DATA)
    for path in DATA.rglob("*.out*")
    if path.stat().st_size and ".tsv" not in path.suffixes and path.is_file()
)


def columns_of(lines: LineCosts) -> list[object]:
    """All numbers of lines, their calls and their jumps."""
    tables = lines, lines.calls, lines.jumps
    return [
        getattr(table, field.name).tolist()
        for table in tables
        for field in fields(table)
        if isinstance(getattr(table, field.name), np.ndarray)
    ]


@pytest.mark.parametrize("name", OF_LINES)
def test_lines_of_all_functions_are_those_of_each(name: str) -> None:
    """What sums up a whole program at once gives each function its lines, in the order asked."""
    profile = q.load(DATA / name)
    functions = function_ids(np.arange(len(profile.functions))[::-1])
    at_once = lines_of_functions(profile, functions, ALL_PARTS)

    assert [columns_of(lines) for lines in at_once] == [
        columns_of(function_lines(profile, function)) for function in functions
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), COMPARED)
def test_locations_of_functions(kind: str, name: str) -> None:
    """Each line or address has exactly the file's costs, calls and jumps, of every function."""
    costs_of, locations, found = WAYS[kind]
    profile, reading = q.load(DATA / name), read_file(DATA / name)
    rows = rows_by(reading, of_function=True)
    for number, function in enumerate(function_rows(profile)):
        costs = costs_of(profile, FunctionId(NodeId(number)))
        wanted = locations(rows.get(function, Rows()), len(profile.events.names))
        assert found(profile, costs) == wanted
        if isinstance(costs, InstructionCosts):
            assert costs.address.tolist() == sorted(wanted)


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_LINES)
def test_lines_of_files(name: str) -> None:
    """The same of every file, over all functions."""
    profile, reading = q.load(DATA / name), read_file(DATA / name)
    rows = rows_by(reading, of_function=False)
    assert len(rows) > 1
    for file, of_file in rows.items():
        lines = file_lines(profile, profile.texts.index_of(file or "???"), ALL_PARTS)
        wanted = line_locations(of_file, len(profile.events.names))
        assert found_lines(profile, lines) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_LINES[:3])
def test_lines_of_one_file_of_a_function(name: str) -> None:
    """Restricted to one file, its lines with their calls and jumps are left, in order."""
    profile, reading = q.load(DATA / name), read_file(DATA / name)
    rows, files = rows_by(reading, of_function=True), []
    for number, function in enumerate(function_rows(profile)):
        sites = line_locations(rows.get(function, Rows()), len(profile.events.names))
        lines = function_lines(profile, number)
        for file in {"", "no such file", *(location[0] for location in sites)}:
            kept = lines_in_file(lines, profile.texts.index_of(file or "???"))
            wanted = {location: site for location, site in sites.items() if location[0] == file}
            assert found_lines(profile, kept) == wanted
            assert kept.line.tolist() == kept.host.tolist() == sorted(line for _, line in wanted)
            assert kept.calls.location.tolist() == sorted(kept.calls.location.tolist())
            files.append(len(wanted))
    assert (0 in files, max(files) > 10) == (True, True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("lines", "recur-dumps/callgrind.out.21941.xz"),
        ("lines", "threads-combined-bb/callgrind.out.22283.xz"),
        ("instructions", "recur-dumps/callgrind.out.21941.xz"),
    ],
)
def test_locations_of_some_parts(kind: str, name: str) -> None:
    """Only the active parts are counted."""
    costs_of, locations, found = WAYS[kind]
    profile, reading = q.load(DATA / name), read_file(DATA / name)
    parts = frozenset(range(0, len(profile.parts), 2))
    rows = rows_by(reading, of_function=True, parts=parts)
    for number, function in enumerate(function_rows(profile)):
        wanted = locations(rows.get(function, Rows()), len(profile.events.names))
        assert found(profile, costs_of(profile, number, parts)) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("path", PROFILES, ids=str)
def test_sums_of_locations(path: Path) -> None:
    """In every real file they add up to the function's self cost, lines with hosts or without."""
    profile = q.load(DATA / path)
    self_cost = q.function_costs(profile).self_cost
    for function in range(0, len(profile.functions), 1 + len(profile.functions) // 400):
        found = [function_lines(profile, function, with_hosts=hosts) for hosts in (False, True)]
        if has_addresses(profile):
            found.append(instruction_costs(profile, function))
        calls = found[0].calls.inclusive.sum(axis=1).tolist()
        for costs in found:
            assert costs.self_cost.sum(axis=1).tolist() == self_cost[:, function].tolist()
            assert costs.calls.inclusive.sum(axis=1).tolist() == calls
            assert (costs.inclusive - costs.self_cost).sum(axis=1).tolist() == calls


def test_a_profile_without_addresses() -> None:
    """A profile without instructions raises an error."""
    assert sum(has_addresses(q.load(DATA / path)) for path in PROFILES) > 8
    profile = profile_from("events: Ir\nfn=f\n1 5\n")
    assert not has_addresses(profile)
    with pytest.raises(ValueError, match="no instructions"):
        instruction_costs(profile, 0)


# ---------------------------------------------------------------- instructions


DRAWING = """
    positions: instr line
    events: Ir
    part: 1
    fl=a.c
    fn=f
    0x10 10 1
    jcnd=3/4 0x10 10
    0x14 11
    jump=2 0x30 12
    0x14 11
    fi=b.h
    0x12 3 5
    cfi=a.c
    cfn=f
    calls=1 0x10 1
    0x12 3 6
    calls=0 0x10 1
    0x16 3 7
    part: 2
    fl=a.c
    fn=f
    jcnd=1/6 0x10 10
    0x14 11
    0xffffffffffffffff 0 2
    part: 3
    positions: line
    fl=a.c
    fn=f
    10 9
    """


def test_instructions_of_a_drawn_function() -> None:
    """Jumps are summed over parts by target and kind; cost without an address is at address 0."""
    profile = profile_from(DRAWING)
    function = function_rows(profile).index(("f", "a.c", ""))
    costs = instruction_costs(profile, function)
    jumps, calls = costs.jumps, costs.calls
    assert [hex(address) for address in costs.address.tolist()] == [
        "0x0", "0x10", "0x12", "0x14", "0x16", "0xffffffffffffffff",
    ]  # fmt: skip
    assert profile.texts.lookup(costs.file.tolist())[2] == "b.h"
    assert costs.line.tolist() == [0, 10, 3, 11, 3, 0]
    assert costs.self_cost[0].tolist() == [9, 1, 5, 0, 0, 2]
    assert costs.inclusive[0].tolist() == [9, 1, 11, 0, 7, 2]
    assert list(zip(calls.location.tolist(), calls.count.tolist(), strict=True)) == [(2, 1), (4, 0)]
    columns = (jumps.location, jumps.target, jumps.executed, jumps.followed, jumps.conditional)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == [
        (3, 0x10, 10, 4, True),
        (3, 0x30, 2, 2, False),
    ]


def test_a_part_without_addresses_claims_no_line() -> None:
    """Costs without an address come from many lines and files: no line claims all of them."""
    profile = profile_from("""
        events: Ir
        part: 1
        positions: line
        fl=a.c
        fn=f
        5 10
        7 3
        fi=b.h
        9 1
        part: 2
        positions: instr line
        fl=a.c
        fn=f
        0x10 9 4
        """)
    whole, second = instruction_costs(profile, 0), instruction_costs(profile, 0, frozenset({1}))
    assert profile.texts.lookup(whole.file.tolist()) == ["???", "a.c"]
    assert (whole.address.tolist(), whole.line.tolist()) == ([0, 0x10], [0, 9])
    assert (whole.self_cost.tolist(), second.self_cost.tolist()) == ([[14, 4]], [[4]])


# ---------------------------------------------------------------- lines and their hosts


def hosted(profile: Profile, name: str) -> list[str]:
    """The lines of a function with hosts, as `host file:line cost`, in order."""
    (function,) = (n for n, known in enumerate(function_rows(profile)) if known[0] == name)
    lines = function_lines(profile, function, with_hosts=True)
    files = profile.texts.lookup(lines.file.tolist())
    columns = (lines.host, files, lines.line, lines.self_cost[0], lines.inclusive[0])
    return ["{} {}:{} {} {}".format(*row) for row in zip(*columns, strict=True)]


def test_hosts_by_the_order_of_the_file() -> None:
    """Without addresses, a line of another file belongs to the preceding line of the function."""
    text = """
        events: Ir
        fl=a.c
        fn=f
        10 1
        fi=b.h
        3 5
        fe=a.c
        12 2
        fi=b.h
        3 7
        4 8
        cfi=c.c
        cfn=g
        calls=2 1
        4 100
        fe=a.c
        10 4
        fn=early
        fi=b.h
        3 5
        4 6
        fe=a.c
        20 1
        fn=elsewhere
        fi=b.h
        3 5
        """
    profile = profile_from(text)
    assert hosted(profile, "f") == [
        "10 a.c:10 5 5", "10 b.h:3 5 5", "12 a.c:12 2 2", "12 b.h:3 7 7", "12 b.h:4 8 108",
    ]  # fmt: skip
    assert hosted(profile, "early") == ["20 a.c:20 1 1", "20 b.h:3 5 5", "20 b.h:4 6 6"]
    assert hosted(profile, "elsewhere") == ["0 b.h:3 5 5"]


def test_hosts_by_address() -> None:
    """With addresses their order decides, whatever the order of the file and its parts."""
    text = """
        positions: instr line
        events: Ir
        part: 1
        fl=a.c
        fn=f
        0x10 10 1
        0x20 12 2
        fi=b.h
        0x12 3 5
        0x22 3 7
        cfi=c.c
        cfn=g
        calls=2 0x90 1
        0x22 3 100
        part: 2
        fl=a.c
        fn=f
        fi=b.h
        0x14 3 1
        """
    assert hosted(profile_from(text), "f") == [
        "10 a.c:10 1 1", "10 b.h:3 6 6", "12 a.c:12 2 2", "12 b.h:3 7 107",
    ]  # fmt: skip


PARTS = """
    part: 1
    events: Ir
    fl=a.c
    fn=f
    10 5
    fi=h.h
    3 2
    fe=a.c
    20 4
    part: 2
    fl=a.c
    fn=f
    fi=h.h
    3 2
    cfi=c.c
    cfn=g
    calls=2 1
    3 100
    fe=a.c
    10 5
    fi=h.h
    4 3
    fe=a.c
    20 1
    part: 3
    fl=a.c
    fn=f
    fi=h.h
    4 1
    """


def test_hosts_begin_anew_in_each_part() -> None:
    """Without addresses, the start of a part does not belong to the last line of the part before.

    It belongs to the first line of its own part, or, if that has none, to the first of all.
    """
    assert hosted(profile_from(PARTS), "f") == [
        "10 a.c:10 10 10", "10 h.h:3 4 104", "10 h.h:4 4 4", "20 a.c:20 5 5",
    ]  # fmt: skip


def test_hosts_begin_anew_beside_parts_with_addresses() -> None:
    """A part without addresses starts afresh even if another part has addresses."""
    text = f"{PARTS}\npart: 4\npositions: instr line\nfl=a.c\nfn=f\n0x20 20 7\n"
    text += "0x10 10 1\nfi=h.h\n0x12 4 1\n0x22 3 9\n"
    assert hosted(profile_from(text), "f") == [
        "10 a.c:10 11 11", "10 h.h:3 4 104", "10 h.h:4 5 5", "20 a.c:20 12 12", "20 h.h:3 9 9",
    ]  # fmt: skip


def test_exact_sums_of_lines() -> None:
    """Costs beyond 2^53 are summed exactly."""
    profile = profile_from(f"events: Ir\nfn=f\n1 {2**61 + 1}\n1 {2**61 + 1}\n2 -3\n")
    lines = function_lines(profile, 0)
    assert (lines.line.tolist(), lines.self_cost.tolist()) == ([1, 2], [[2**62 + 2, -3]])


def test_a_function_without_lines() -> None:
    """A function that is only called has no lines, with hosts or without."""
    profile = profile_from("events: Ir\nfn=f\ncfn=g\ncalls=1 1\n1 5\n")
    (g,) = np.flatnonzero(profile.functions.name == profile.texts.index_of("g")).tolist()
    for with_hosts in (False, True):
        lines = function_lines(profile, g, with_hosts=with_hosts)
        assert (len(lines), len(lines.calls), len(lines.jumps)) == (0, 0, 0)
        assert lines.self_cost.shape == (1, 0)


HEADER = "# callgrind format\nevents: Ir\n"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("fl=a.c\nfn=f\n9 1\n3 1\n", 9),  # entered at 9; 3 may be inlined
        ("fl=a.c\nfn=f\nfi=b.h\n2 1\nfe=a.c\n7 1\n", 7),  # begins with inlined code
        ("fl=a.c\nfn=f\n0 1\n5 1\n", 5),  # code of no line
        ("fl=a.c\nfn=f\n0 1\n", 0),
        ("fl=a.c\nfn=f\nfi=b.h\n2 1\n", 0),  # all of it is inlined
    ],
)
def test_first_line_is_that_of_the_entry(body: str, line: int) -> None:
    """The first line of the function's own file counts, in the order of the profile."""
    assert first_line(profile_from(HEADER + body), FunctionId(NodeId(0))) == line
