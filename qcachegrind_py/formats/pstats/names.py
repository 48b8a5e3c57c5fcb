"""What functions of Python are called: their name, with the line where a file has several of it.

A file may have many functions `__init__`, `<lambda>` and `<listcomp>`, which Python's profilers
tell apart by their lines. So they are `__init__:12` and `__init__:80`; all others have their plain
name, and so stay the same function when lines move between two runs.
"""

from __future__ import annotations

from collections.abc import Iterable

from qcachegrind_py.formats.pstats.statistics import Place

_LONGEST = 500  # of a name with its line: a file may have one long name in very many lines
_LINE_ENDS = bytes.maketrans(b"\n\r", b"  ")


def names_of(places: Iterable[Place]) -> dict[Place, bytes]:
    """The name of each function, different from all others of its file."""
    lines: dict[tuple[bytes, bytes], set[int]] = {}
    places = list(places)
    for file, line, name in places:
        lines.setdefault((file, name), set()).add(line)
    return {
        place: _with_line(place) if len(lines[place.file, place.name]) > 1 else _clean(place.name)
        for place in places
    }


def file_of(place: Place) -> bytes:
    """The path of its file; nothing for what is built in."""
    return b"" if place.is_built_in else _clean(place.file)


def _with_line(place: Place) -> bytes:
    return b"%b:%d" % (_clean(place.name)[:_LONGEST], place.line)


def _clean(text: bytes) -> bytes:
    """Without line ends, which part the texts of a profile."""
    return text.translate(_LINE_ENDS)
