"""The formats that profiles are read from, and which of them a file has, by its content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from qcachegrind_py.formats.callgrind.header import is_callgrind_file
from qcachegrind_py.formats.callgrind.reader import CallgrindFiles
from qcachegrind_py.formats.compression import ProfileStream
from qcachegrind_py.formats.pstats.reader import PythonFiles
from qcachegrind_py.formats.pstats.statistics import is_python_profile
from qcachegrind_py.profile.errors import NotAProfile
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress

HEAD_SIZE = 64 * 1024  # a long cmd: line may push events: far down

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


class FormatReader(Protocol):
    """Reads those of the files to load that have one format, in order."""

    def read(
        self, index: int, file: ProfileStream, head: bytes, share: tuple[float, float]
    ) -> None:
        """Read a file of which `head` was read already; its share of the progress is from, to.

        `index` is the file's place among all that are loaded. Raises `InvalidProfile` where the
        costs have no meaning, and `Cancelled`.
        """

    def profiles(self) -> dict[int, Profile]:
        """What was read, each profile at the index of its first file; asked once, at the end.

        A profile may have several files only if they follow one another.
        """


@dataclass(frozen=True, slots=True)
class ProfileFormat:
    """A format that profiles are read from."""

    name: str
    sniff: Callable[[bytes], bool]  # whether a file that begins with these bytes has the format
    reader: Callable[[Progress], FormatReader]


# The first that recognises the head of a file reads it. Python's profiles come first: they are told
# by their very first bytes, while a header line of Callgrind may stand anywhere in the head.
FORMATS = (
    ProfileFormat("Python profile", is_python_profile, PythonFiles),
    ProfileFormat("Callgrind", is_callgrind_file, CallgrindFiles),
)


def detect_format(path: Path, head: bytes) -> ProfileFormat:
    """The format of a file, by its first bytes, unpacked, at most `HEAD_SIZE`.

    Raises `NotAProfile`, which says what the file is instead.
    """
    for format_ in FORMATS:
        if format_.sniff(head):
            return format_
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
