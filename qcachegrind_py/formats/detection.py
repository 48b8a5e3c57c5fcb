"""The table of input formats, and detection of a file's format by its content."""

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
    """Reads the files of one format among all files of a load, in their order."""

    def read(
        self, index: int, file: ProfileStream, head: bytes, share: tuple[float, float]
    ) -> None:
        """Read one file, whose first bytes are `head`; `file` yields the rest.

        `index` is the position of the file among all files of the load, and `share` is the range of
        progress (from, to) that it covers. Raises `InvalidProfile` if its costs have no meaning,
        and `Cancelled`.
        """

    def profiles(self) -> dict[int, Profile]:
        """Return the profiles by the index of their first file; called once, at the end.

        Only files that directly follow one another may share a profile.
        """


@dataclass(frozen=True, slots=True)
class ProfileFormat:
    """An input format."""

    name: str
    sniff: Callable[[bytes], bool]  # whether a file that begins with these bytes has the format
    reader: Callable[[Progress], FormatReader]


# Tried in this order; the first match reads the file. Python's profiles come first: their test
# looks at the very first bytes, while a header line of Callgrind may stand anywhere in the head.
FORMATS = (
    ProfileFormat("Python profile", is_python_profile, PythonFiles),
    ProfileFormat("Callgrind", is_callgrind_file, CallgrindFiles),
)


def detect_format(path: Path, head: bytes) -> ProfileFormat:
    """Return the format of a file, given its first `HEAD_SIZE` bytes, decompressed.

    Raises `NotAProfile`, which names the type of the file if it is known.
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
