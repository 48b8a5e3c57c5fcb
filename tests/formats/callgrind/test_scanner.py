"""The scanner against the reference reader on generated files, and compiled against interpreted."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qcachegrind_py
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.profile.profile import Profile
from tests.formats.callgrind import reference_reader
from tests.formats.callgrind.chunked_reading import read_in_chunks
from tests.formats.callgrind.generated_profiles import profiles
from tests.profile_rows import DATA, call_rows, cost_rows, diagnostic_rows, jump_rows, profile_from

EXAMPLES = 100 if COMPILED else 40
HIGHEST_LINE = 2**31 - 1

# Hexadecimal numbers, positions of all kinds, names of all kinds, calls and jumps: what a border
# between two chunks can cut.
DENSE = b"""\
# callgrind format
positions: instr line
events: Ir Dr
ob=(1) /bin/a
fl=(1) a.c
fn=(1) main
0x1000 10 1 18446744073709551615
+4 +1 5
jcnd=2/3 -4 -1
* *
cfi=(2) b.c
cfn=(2) work
calls=0x7 0x2000 20
+12 -2 100 200

positions: instr line
events: Dw
fl=(2)
fn=(2)
0x2000 20 77
jfi=(1)
jfn=(1)
jump=9 0x1000 10
+0x10 * \t
"""


def header_of(profile: Profile) -> list[dict[str, object]]:
    """The headers of the parts."""
    return [
        {
            "events": list(part.events),
            "pid": part.pid,
            "part": part.part,
            "thread": part.thread,
            "trigger": part.trigger,
            "summary": part.summary,
            "totals": part.totals,
        }
        for part in profile.parts
    ]


def expected_header(reading: reference_reader.Reading) -> list[dict[str, object]]:
    return [
        {
            "events": part.events,
            "pid": part.pid or 0,
            "part": part.part or 0,
            "thread": part.thread or 0,
            "trigger": part.trigger or "",
            "summary": recorded(part.events, part.summary),
            "totals": by_event(part.events, part.totals),
        }
        for part in reading.parts
    ]


def recorded(events: list[str], numbers: list[int] | None) -> dict[str, int] | None:
    """The numbers of `summary:`; an event without a number was not recorded."""
    stated = events[: len(numbers or ())]
    sums = by_event(events, numbers) or {}
    return {name: sums[name] for name in sums if name in stated} or None


def by_event(events: list[str], numbers: list[int] | None) -> dict[str, int] | None:
    if numbers is None:
        return None
    sums = dict.fromkeys(events, 0)
    for event, number in zip(events, numbers, strict=False):
        sums[event] = (sums[event] + number + 2**63) % 2**64 - 2**63  # as cost lines' columns do
    return sums


@pytest.mark.slow
@pytest.mark.interpreted
@settings(max_examples=EXAMPLES, deadline=None)
@given(profiles(), st.integers(1, 400), st.integers(1, 400))
def test_generated_profile_reads_as_the_reference_reader_reads_it(
    data: bytes, first: int, following: int
) -> None:
    """Costs, calls, jumps and parts are those of the reference, wherever chunks end.

    Only a line above 2^31 - 1 differs: it exceeds its column, and is clamped.
    """
    wanted = reference_reader.read(data)
    got = read_in_chunks(data, first, following)
    assert tuple(wanted.events) == got.events.names
    assert [row._replace(line=min(row.line, HIGHEST_LINE)) for row in wanted.costs] == cost_rows(
        got
    )
    assert [row._replace(line=min(row.line, HIGHEST_LINE)) for row in wanted.calls] == call_rows(
        got
    )
    assert [
        row._replace(
            source_line=min(row.source_line, HIGHEST_LINE),
            target_line=min(row.target_line, HIGHEST_LINE),
        )
        for row in wanted.jumps
    ] == jump_rows(got)
    assert expected_header(wanted) == header_of(got)


@pytest.mark.slow
def test_every_border_between_two_chunks() -> None:
    """A file gives the same profile and diagnostics wherever its first chunk ends."""
    wanted = reference_reader.read(DENSE)
    odd = [(7, "wrapped-number")]
    for border in range(1, len(DENSE)):
        got = read_in_chunks(DENSE, border, len(DENSE))
        rows = (wanted.costs, wanted.calls, wanted.jumps, odd)
        assert rows == (cost_rows(got), call_rows(got), jump_rows(got), diagnostic_rows(got)), (
            border
        )


def test_lines_that_end_alike() -> None:
    """A line that ends as the one before, or almost so, has its own costs, be they one or two.

    The compiled scanner does not decode the same ending twice. Every kind of line follows every
    other one and itself, behind a call, after which no ending is known.
    """
    positions = (b"+4 +1", b"+3 *", b"0x40 9", b"* -1")
    endings = (b"5", b"50", b"5 ", b"5  ", b"5 1", b"55", b"0", b"05", b"", b"1234567", b"12345678")
    lines = [b"%s %s" % (position, ending) for position in positions for ending in endings]
    call = [b"cfn=g", b"calls=1 0x40 9", b"+1 +1 5"]
    pairs = [line for one in lines for other in lines for line in (*call, one, other, other)]
    for events in (b"Ir", b"Ir Dr", b"Ir Ir"):
        header = b"events: %s\npositions: instr line\nfn=f\n0x100 700 1\n" % events
        data = header + b"\n".join([*pairs, b"+1 +1 5", b"#" * 64, b""])
        got, wanted = read_in_chunks(data, 1 << 16, 1 << 18), reference_reader.read(data)
        assert (wanted.costs, wanted.calls) == (cost_rows(got), call_rows(got)), events


def test_chunks_of_one_byte() -> None:
    """A line may arrive in as many chunks as it has bytes."""
    wanted = reference_reader.read(DENSE)
    got = read_in_chunks(DENSE, 1, 1)
    assert (wanted.costs, wanted.calls) == (cost_rows(got), call_rows(got))


def test_a_line_above_the_maximum() -> None:
    """A line beyond 31 bits is clamped, with a diagnostic; the base still moves on."""
    profile = profile_from("events: Ir\nfn=f\n2147483647 1\n+1 2\n4294967297 3\n-4294967290 4\n")
    rows = [(row.line, row.costs) for row in cost_rows(profile)]
    assert rows == [(2147483647, (1,)), (2147483647, (2,)), (2147483647, (3,)), (7, (4,))]
    assert diagnostic_rows(profile) == [(4, "huge-line"), (5, "huge-line")]


def test_many_names_in_one_chunk() -> None:
    """Name tables grow within a chunk, and no earlier name is lost or read twice."""
    count = 20_000
    lines = [f"fn=({i}) function{i}\n{i} {i}\n" for i in range(count)]
    profile = profile_from("events: Ir\nfl=a.c\n" + "".join(lines))
    names = [(row.function[0], row.line, row.costs) for row in cost_rows(profile)]
    assert names == [(f"function{i}", i, (i,)) for i in range(count)]
    assert profile.diagnostic_count == 0


def test_names_of_equal_hash_prefix_stay_apart() -> None:
    """Names are compared whole: long ones that differ in the last byte are distinct."""
    long = "x" * 5000
    profile = profile_from(f"events: Ir\nfn={long}a\n1 1\nfn={long}b\n2 2\nfn={long}a\n3 3\n")
    rows = [(row.function[0][-1], row.costs) for row in cost_rows(profile)]
    assert rows == [("a", (1,)), ("b", (2,)), ("a", (3,))]
    assert len(profile.functions) == 2


# ------------------------------------------------------------ compiled and interpreted

_DUMP = """
import dataclasses, hashlib, json, sys
if sys.argv[1] == "no cython":
    sys.modules["cython"] = None
import numpy as np
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.formats.loading import load

def dump(path):
    profile = load(path)
    tables = (profile.functions, profile.runs, profile.costs, profile.calls, profile.jumps)
    found = {
        f"{type(table).__name__}.{field.name}": hashlib.sha256(
            repr((column.dtype, column.shape)).encode() + column.tobytes()
        ).hexdigest()
        for table in tables
        for field in dataclasses.fields(table)
        if getattr(table, field.name) is not None
        for column in [np.asarray(getattr(table, field.name))]
    }
    found["texts"] = [profile.texts[n] for n in range(len(profile.texts))]
    found["rows"] = [len(table) for table in tables]
    found["parts"] = [dataclasses.astuple(part) for part in profile.parts]
    found["odd"] = [dataclasses.astuple(odd) for odd in profile.diagnostics]
    found["odd"].append(profile.diagnostic_count)
    return found

print(json.dumps([COMPILED, *map(dump, sys.argv[2:])]))
"""
REAL = (
    "recur-everything/callgrind.out.21921.xz",
    "cachey-everything/callgrind.out.22151.xz",
    "templ-nobb/callgrind.out.22021.xz",
    "threads-combined-bb/callgrind.out.22283.xz",
    "oddnames-nocompress/callgrind.out.22446.xz",
    "latin1/callgrind.out.22456",
    "pprof-heap/callgrind.out.heap-alloc",
    "xdebug-append/cachegrind.out.append.xz",
)
HOSTILE = (
    DENSE * 3
    + b"fn=(1) again\n99999999999999999999999 18446744073709551616 -5 0xFFFFFFFFFFFFFFFFF x\n"
    + b"1.5 - +\n-99999 3\ncalls=\n* 1\ncalls=1 1\njump=2\nfn=(77777777777777777777)\n\0\xff\n"
    + b"calls=5 1"
)
# no name before costs, calls and jumps
NAMELESS = b"events: Ir\n1 5\nevents: Ir\ncalls=1 1\n2 6\nevents: Ir\njump=1 1\n3\n"


def dump(folder: Path, cython: str, files: list[Path]) -> list[object]:
    command = [sys.executable, "-c", _DUMP, cython, *map(str, files)]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    return json.loads(ran.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="there is no compiled scanner to compare with")
@pytest.mark.parametrize("cython", ["with cython", "no cython"])
def test_compiled_and_interpreted_agree(tmp_path: Path, cython: str) -> None:
    """One source gives identical columns: compiled, interpreted, and without Cython."""
    package = Path(qcachegrind_py.__file__).parent
    binaries = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__", "views", "app")
    shutil.copytree(package, tmp_path / "qcachegrind_py", ignore=binaries)
    hostile, nameless = tmp_path / "hostile", tmp_path / "nameless"
    hostile.write_bytes(HOSTILE)
    nameless.write_bytes(NAMELESS)
    small = REAL if cython == "with cython" else REAL[4:]
    files = [*(DATA / name for name in small), hostile, nameless]
    compiled, *wanted = dump(package.parent, "with cython", files)
    interpreted, *got = dump(tmp_path, cython, files)
    assert (compiled, interpreted) == (True, False)
    for path, one, other in zip(files, wanted, got, strict=True):
        assert one == other, path
