"""What a file is that does not open: a recording to be converted first, or no profile at all.

Recordings of many profilers are binary, or of their own kind, and each has a program that turns
them into a format that is read. The error names the command.
"""

from __future__ import annotations

import re
from pathlib import Path

from qcachegrind_py.formats.compression import FROM_INSTRUMENTS
from qcachegrind_py.formats.pstats.marshal_reader import (
    DAMAGED,
    RECORD_AGAIN,
    is_damaged_python_profile,
)
from qcachegrind_py.profile.errors import NotAProfile

_REMEDY = (
    "Record one with valgrind --tool=callgrind; profiles of Python, pprof, perf script, "
    "speedscope, Firefox Profiler, .cpuprofile, DHAT and folded stacks open as well."
)
_OTHER_FILE_TYPES = (
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x7fELF", "a program"),
    (b"%PDF", "a PDF document"),
    (b"SQLite format 3", "a database"),
    (b"PAR1", "a Parquet file"),
    (b'{\n "format": "qcachegrind_py saved views"', "a file of saved views"),
    (b"import time: self [us]", "a log of python -X importtime"),
)


# Recordings of other profilers: a pattern of their first bytes, what they are, and what to do.
_RECORDINGS = (
    (rb"PERFILE2|2ELIFREP", "a perf recording", "Convert it: perf script -i FILE > out.perf"),
    (
        rb"memray\0|\x04\x22\x4d\x18.{1,40}memray",  # as it is, or packed with LZ4
        "a memray recording",
        "Convert it: memray transform speedscope FILE -o out.speedscope.json",
    ),
    (rb"MOJ[\0-\x20]", "a binary Austin recording", "Convert it: mojo2austin FILE out.austin"),
    (
        rb"v [0-9a-f]+ [0-9a-f]+\n[Xx] ",
        "a heaptrack recording",
        "Convert it: heaptrack_print -F out.folded FILE",
    ),
    (
        rb"\0{8}\x03\0{15}|\0{4}\x03\0{7}[^\0]|heap profile: ",  # of 64 bits, 32 bits, the heap
        "a gperftools profile",
        "Convert it: pprof -proto PROGRAM FILE > out.pb.gz",
    ),
    (
        rb"FLR\0",
        "a recording of Java Flight Recorder",
        "Convert it with async-profiler's jfrconv: jfrconv FILE out.collapsed",
    ),
    (
        rb"Nettrace",
        "a .NET trace",
        "Convert it: dotnet-trace convert --format Speedscope FILE",
    ),
    (
        rb"\0..\0.{70}[\1\2]\xc0",  # a buffer, and the first event of the system
        "a Windows trace",
        "Convert it: samply import FILE, then Download in the Firefox Profiler",
    ),
    (
        rb"NYTProf \d",
        "a profile of Devel::NYTProf",
        "Convert it: nytprofcg --file FILE --out callgrind.out",
    ),
    (
        rb"(?:Attaching \d+ probes?\.\.\.)?\s*@\w*\[\s*\n",
        "output of bpftrace",
        "Convert it: stackcollapse-bpftrace.pl FILE > out.folded",
    ),
    (
        rb"Analysis of sampling ",
        "a report of macOS's sample",
        "Convert it: instrumentsToPprof --format=sample FILE",
    ),
    (rb"<\?xml[^>]*>\s*<trace-query-result", "a recording of Instruments", FROM_INSTRUMENTS),
    (
        rb"gmon[\0-\x20]",
        "a gprof profile, which has no stacks",
        "Record them: perf record -g PROGRAM; perf script > out.perf",
    ),
    (
        rb"desc: [^\n]*\ncmd: [^\n]*\ntime_unit: ",
        "a massif profile",
        "ms_print shows it; for stacks, record again: valgrind --tool=dhat PROGRAM",
    ),
    (
        rb'\s*\[\s*\{[^{}]{0,4000}"ph"\s*:',
        "a trace of Chrome without a profile",
        "Record one: node --cpu-prof PROGRAM, or save one in Chrome's Performance panel.",
    ),
)


def not_a_profile(path: Path, head: bytes) -> NotAProfile:
    """Return the error that says what a file is, by its first bytes, and what to do."""
    if is_damaged_python_profile(head):
        return NotAProfile(path, DAMAGED, remedy=RECORD_AGAIN)
    for pattern, kind, remedy in _RECORDINGS:
        if re.match(pattern, head, re.DOTALL):
            return NotAProfile(path, f"is {kind}.", remedy=remedy)
    return NotAProfile(path, _describe_content(head), remedy=_REMEDY)


def _describe_content(head: bytes) -> str:
    if not head.strip():
        return "is empty."
    for magic, kind in _OTHER_FILE_TYPES:
        if head.startswith(magic):
            return f"is {kind}, not a profile."
    if head.startswith(b"<"):
        return "is XML or HTML, not a profile."
    if re.match(rb"\{\s*[\"}]", head):
        return "is JSON, not a profile."
    if b"\0" in head:
        return "is binary data, not a profile."
    return "is not a profile of a known format."
