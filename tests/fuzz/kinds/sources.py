"""Source files in any language and encoding, mutated; they are read, coloured and annotated.

The first line of a case is the name of the file, the rest its content.
"""

from __future__ import annotations

import codecs
import io
from functools import cache
from pathlib import Path
from random import Random

import qcachegrind_py as q
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.annotation import AnnotationReport, annotated_functions
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.errors import AnnotationError, UnreadableFile
from qcachegrind_py.profile.ids import function_ids
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.file_search import FileSearch, clear_folder_listings
from qcachegrind_py.tools.sources.text_file import highlight, read_source
from qcachegrind_py.write.annotation import write_annotations
from tests.fuzz.mutation import mutate
from tests.fuzz.outcome import Content

_TESTS = Path(__file__).parents[2]
_ENDINGS = b"c cc h y cu mm s rs go d f90 f py pyx php js ts zig nim rb pl hs ml pas ada txt"
_SHOWN = 300  # lines
_ENCODINGS = ["utf-8", "utf-16", "utf-32", "latin-1", "cp1252", "utf-8-sig", "shift_jis", "euc_kr"]
_WORDS = [
    *(b"/*", b"*/", b"//", b'"', b"'", b'"""', b'R"x(', b"#!/usr/bin/perl\n", b"<?php ", b"?>"),
    *(b"#include <a>\n", b"{", b"}", b"((((((((", b"<<EOF\n", b"=pod\n", b"\\\n", b"\t" * 40),
    *(
        b"# -*- coding: %b -*-\n" % name.encode()
        for name in (*_ENCODINGS, "rot13", "idna", "x" * 99)
    ),
    *(codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF32_BE, b"\0", b"\f", b"\xe2\x80\xa8"),
    *(b" *" * 300, b"&" * 500, b"a" * 3000, b"\r", b"\xff\xfe", b"\xed\xa0\x80", b"\x1b[31m"),
]


def make(random: Random) -> bytes:
    """The name of a file and its content, some of it in another encoding."""
    data, other = random.choice(_sources()), random.choice(_sources())
    data = mutate(random, data, other, _WORDS)
    if random.random() < 0.3:
        encoding = random.choice(_ENCODINGS)
        data = data.decode("utf-8", "replace").encode(encoding, "replace")
    return b"source.%b\n" % random.choice(_ENDINGS.split()) + data


def check(data: bytes, folder: Path) -> Content:
    """The lines of the file, its colours, and the text of a function with costs in its lines."""
    name, _, content = data.partition(b"\n")
    path = folder / (Path(name.decode("utf-8", "replace").replace("\0", "")).name[:99] or "source")
    path.write_bytes(content)
    clear_folder_listings()
    try:
        text = read_source(path)
    except (AnnotationError, UnreadableFile) as error:
        return {"error": f"{type(error).__name__} {error.reason}"}
    colors = highlight(text.lines, path.name, 0, _SHOWN, NoProgress())
    spans = [list(colors.of_line(line)) for line in range(len(colors))]
    return {"lines": text.lines, "colors": spans, "annotation": _annotation(path, folder)}


def _annotation(path: Path, folder: Path) -> str:
    """The report about a function with costs in the first lines of the file, and far behind it."""
    profile_path = folder / "profile"
    lines = b"".join(b"%d 1\n" % line for line in (1, 2, 3, 5, 8, 100, 2**31 - 1))
    profile_path.write_bytes(b"events: Ir\nfl=%b\nfn=f\n" % path.name.encode() + lines)
    profile = q.load(profile_path)
    selection = ReportSelection(ProfileQueries(profile), profile.events.all)
    search = FileSearch(bases=(str(folder),))
    functions = list(function_ids(selection.functions))[:1]
    annotations = list(annotated_functions(selection, functions, search, with_instructions=False))
    stream = io.StringIO()
    report = AnnotationReport(annotations, selection.events, selection.scope.parts)
    write_annotations(report, "text", stream, context=2)
    return stream.getvalue().replace(str(folder), "")


@cache
def _sources() -> list[bytes]:
    """Programs in C, C++, assembler and Python."""
    paths = [*(_TESTS / "data/programs/src").rglob("*"), *_TESTS.glob("*.py")]
    return [path.read_bytes() for path in sorted(paths) if path.is_file()]
