"""Summaries of profiles without loading them: existence, age and profiled command.

Only the first kilobytes are read, so that lists of files fill quickly. Whether a file is a profile
at all is checked when it is opened, by `loading`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.profile.errors import UnreadableFile
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.progress import Progress

_HEAD_SIZE = 8 * 1024  # bytes after decompression; the command is in the first lines
_COMMAND = re.compile(rb"^cmd:[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FileSummary:
    """The summary of one file."""

    path: Path
    modified: float | None  # seconds since 1970; None if the file is missing or unreadable
    command: str  # the profiled command; empty if not in the first lines


def summarize(path: Path) -> FileSummary:
    """Summarise a file; an unreadable file has no time and no command, and raises no error.

    A member of an archive has the time of the archive.
    """
    on_disk = path_on_disk(path)
    try:
        file = open_profile(on_disk)
    except UnreadableFile:
        return FileSummary(path, None, "")
    try:
        head = file.head(_HEAD_SIZE) if on_disk == path else b""  # an archive is searched for long
        written = on_disk.stat().st_mtime
    except OSError:  # gone meanwhile
        return FileSummary(path, None, "")
    finally:
        file.close()
    return FileSummary(path, written, command_from_header(head))


def command_from_header(head: bytes) -> str:
    """Return the profiled command from the first bytes of a file, or an empty string."""
    match = _COMMAND.search(head.removeprefix(codecs.BOM_UTF8))
    return match[1].decode("utf-8", "backslashreplace") if match else ""


def summarize_all(progress: Progress, paths: Sequence[Path]) -> tuple[FileSummary, ...]:
    """Summarise several files in order; this is a job, since disks may be slow or asleep."""
    summaries = []
    for number, path in enumerate(paths):
        progress.check(number / len(paths))
        summaries.append(summarize(path))
    return tuple(summaries)
