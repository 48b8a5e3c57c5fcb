"""Recordings of other profilers are recognised, and the error names the command that converts them.

The first bytes are those of real files of perf 6.1, memray 1.19, gperftools 2.10, OpenJDK 17,
glibc's gprof, heaptrack 1.4 and massif 3.19, or as their documents define them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.profile.errors import IsADirectory
from tests.profile_rows import profile_from


@pytest.mark.parametrize(
    ("head", "kind", "command"),
    [
        (b"PERFILE2h" + bytes(7) + b"\x90", "a perf recording", "perf script -i FILE > out.perf"),
        (b"memray\0\r\0\0\0\xf0\x0f\x0b", "a memray recording", "memray transform speedscope FILE"),
        (
            b'\x04"M\x18@@\xc0*<\0\0\xf9\x05memray\0\r\0\0\0\xf0\x0f\x0b\x03\0\0\x15G',
            "a memray recording",
            "memray transform speedscope FILE",
        ),
        (b"MOJ\x03\x01mode\0wall\0", "a binary Austin recording", "mojo2austin FILE out.austin"),
        (
            b"v 10400 3\nX ./alloc\nI 1000 5e298d\ns 16 /usr/bin/alloc\n",
            "a heaptrack recording",
            "heaptrack_print -F out.folded FILE",
        ),
        (
            bytes(8) + b"\x03" + bytes(15) + b"\x10'" + bytes(14) + b"\x03",
            "a gperftools profile",
            "pprof -proto PROGRAM FILE",
        ),
        (b"heap profile: 1: 2 [ 3: 4] @ heapprofile\n", "a gperftools profile", "pprof -proto"),
        (
            b"FLR\0\0\x02\0\x01\0\0\0\0\0\x04\x9fR",
            "a recording of Java Flight Recorder",
            "jfrconv FILE out.collapsed",
        ),
        (
            b"Nettrace\x14\0\0\0!FastSerialization.1",
            "a .NET trace",
            "dotnet-trace convert --format Speedscope FILE",
        ),
        (
            b"\0\0\1\0" + bytes(68) + b"\2\0\2\xc0" + bytes(200),
            "a Windows trace",
            "samply import FILE, then Download in the Firefox Profiler",
        ),
        (b"NYTProf 5 0\n#", "a profile of Devel::NYTProf", "nytprofcg --file FILE"),
        (
            b"Attaching 1 probe...\n\n@[\n    f+12\n    main+7\n]: 5\n",
            "output of bpftrace",
            "stackcollapse-bpftrace.pl FILE",
        ),
        (
            b"Analysis of sampling work (pid 7) every 1 millisecond\n",
            "a report of macOS's sample",
            "instrumentsToPprof --format=sample FILE",
        ),
        (
            b'<?xml version="1.0"?>\n<trace-query-result>\n',
            "a recording of Instruments",
            "pbpaste | instrumentsToPprof",
        ),
        (b"gmon\1" + bytes(16), "a gprof profile, which has no stacks", "perf record -g PROGRAM"),
        (
            b"desc: --massif-out-file=m\ncmd: ./alloc\ntime_unit: i\n#-----------\nsnapshot=0\n",
            "a massif profile",
            "valgrind --tool=dhat PROGRAM",
        ),
        (b'[{"name": "a", "ph": "X"}]', "a trace of Chrome without a profile", "node --cpu-prof"),
    ],
)
def test_recordings_and_their_converters(head: bytes, kind: str, command: str) -> None:
    with pytest.raises(q.NotAProfile) as caught:
        profile_from(head)
    assert caught.value.reason == f"is {kind}."
    assert command in caught.value.remedy


def test_a_folder_of_instruments(tmp_path: Path) -> None:
    folder = tmp_path / "run.trace"
    folder.mkdir()
    with pytest.raises(IsADirectory, match=r"pbpaste \| instrumentsToPprof"):
        q.load(folder)
    with pytest.raises(IsADirectory, match="Choose a profile in it"):
        q.load(tmp_path)
