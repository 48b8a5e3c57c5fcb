"""Detection of the file type by content: Callgrind, Python profile or something else.

Python's profilers write a dictionary in the marshal format, whose keys are triples. The rules are
in docs/design.md, reading rule 1.
"""

from __future__ import annotations

import re
from pathlib import Path

from qcachegrind_py.profile.errors import NotAProfile

HEAD_SIZE = 64 * 1024  # a long cmd: line may push events: far down

_MAGIC_LINE = b"# callgrind format"
_HEADER = re.compile(rb"^[ \t]*(?:events|creator|version|positions):[ \t]*\S", re.MULTILINE)
# a dictionary whose first key is a triple; the high bit marks objects that are referenced later
_PYTHON_MAGIC = re.compile(rb"[{\xfb](?:[(\xa8]\x03\0\0\0|[)\xa9]\x03|0\Z)")
_OTHER_FILE_TYPES = (
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x7fELF", "a program"),
    (b"PK\x03\x04", "a zip archive"),
    (b"%PDF", "a PDF document"),
    (b"PERFILE2", "a recording of perf"),
    (b"SQLite format 3", "a database"),
    (b"{", "JSON"),
    (b"<", "XML or HTML"),
)
_REMEDY = (
    "A profile begins with lines such as “# callgrind format” or “events: Ir”; "
    "record one with valgrind --tool=callgrind."
)


def is_python_profile(head: bytes) -> bool:
    """Return whether the file begins like the output of Python's profilers, even an empty one."""
    return _PYTHON_MAGIC.match(head) is not None


def check_is_profile(path: Path, head: bytes) -> None:
    """Raise `NotAProfile`, with the type of the file, unless it begins like a profile."""
    if is_python_profile(head):
        return
    if head.startswith(_MAGIC_LINE) or _HEADER.search(head):
        return
    raise NotAProfile(path, _describe_content(head), remedy=_REMEDY)


def _describe_content(head: bytes) -> str:
    if not head.strip():
        return "is empty."
    for magic, kind in _OTHER_FILE_TYPES:
        if head.startswith(magic):
            return f"is {kind}, not a profile."
    if b"\0" in head:
        return "is binary data, not a profile."
    return "is not a profile in the Callgrind format."
