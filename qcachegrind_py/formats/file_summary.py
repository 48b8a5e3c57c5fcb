"""What can be told of a profile at a glance, without reading it: is it there, how old, of what.

Only the first kilobytes are looked at, so that a list of files is filled in no time. Whether the
file is a profile at all is not asked here: `loading` says that when it is opened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.profile.errors import UnreadableFile
from qcachegrind_py.profile.progress import Progress

_HEAD_SIZE = 8 * 1024  # bytes, unpacked: the command stands among the first lines
_COMMAND = re.compile(rb"^cmd:[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FileSummary:
    """What is known of a file without reading it."""

    path: Path
    modified: float | None  # seconds since 1970; None where the file is not there or not in reach
    command: str  # what was profiled; empty where the first lines do not say


def summarize(path: Path) -> FileSummary:
    """Look at a file; raises nothing: what cannot be read has no time and no command."""
    try:
        file = open_profile(path)
    except UnreadableFile:
        return FileSummary(path, None, "")
    try:
        head = file.head(_HEAD_SIZE)
        written = path.stat().st_mtime
    except OSError:  # gone meanwhile
        return FileSummary(path, None, "")
    finally:
        file.close()
    return FileSummary(path, written, command_from_header(head))


def command_from_header(head: bytes) -> str:
    """The command that was profiled, by the first bytes of a file; empty where they do not say."""
    found = _COMMAND.search(head)
    return found[1].decode("utf-8", "replace") if found else ""


def summarize_all(progress: Progress, paths: Sequence[Path]) -> tuple[FileSummary, ...]:
    """Look at several files, in this order: a job, as a disk may be slow or asleep."""
    found = []
    for number, path in enumerate(paths):
        progress.check(number / len(paths))
        found.append(summarize(path))
    return tuple(found)
