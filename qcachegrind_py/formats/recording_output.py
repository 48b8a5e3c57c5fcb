"""Output files of a recording: their names, the files found, and whether they are complete.

Each recording has a unique name, `callgrind.out.PROGRAM-DATE-TIME`. Callgrind appends the numbers
of the process, the part and the thread: `.77`, `.77.1`, `.77-01`. Callgrind reports no error if
the disk is full, so truncated files are recognised by their end.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from enum import Enum
from itertools import count
from pathlib import Path

from qcachegrind_py.formats.run_files import parts_by_name

_TAIL_SIZE = 4096  # bytes at the end that contain the totals
_TOTALS = re.compile(rb"^totals:([ \d]*)$", re.MULTILINE)


class Completeness(Enum):
    """Whether the files of a process are complete."""

    COMPLETE = "whole"
    TRUNCATED = "cut"  # the last lines are missing
    EMPTY = "nothing"  # no costs were counted, or nothing was written


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The files of one process: `path` opens all of them."""

    process: int
    path: Path
    files: tuple[Path, ...]
    completeness: Completeness


def profile_file_name(program: str, now: float) -> str:
    """Return the file name for a profile of a program; `now` is in seconds since 1970."""
    return f"callgrind.out.{program}-{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}"


def unused_profile_path(folder: Path, program: str, now: float) -> Path:
    """Return a path whose name is no prefix of a file in the folder."""
    stem = profile_file_name(program, now)
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    tries = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return folder / next(t for t in tries if not any(name.startswith(f"{t}.") for name in names))


def find_recorded_runs(profile: Path, process: int) -> list[RecordedRun]:
    """Find the runs recorded under the name of `profile`: `process` first, then its children."""
    pattern = re.compile(re.escape(profile.name) + r"\.(\d+)(?:\.\d+)?(?:-\d+)?")
    try:
        names = [pattern.fullmatch(path.name) for path in profile.parent.iterdir()]
    except OSError:
        return []
    numbers = sorted({int(name[1]) for name in names if name}, key=lambda n: (n != process, n))
    return [
        _recorded_run(profile.with_name(f"{profile.name}.{number}"), number) for number in numbers
    ]


def file_versions(path: Path) -> dict[Path, tuple[int, int]]:
    """Return the files of the process that writes to `path`, without empty ones.

    Size in bytes and time of the last change in ns tell whether a file has been written since.
    """
    states = ((file, file.stat()) for file in parts_by_name(path) if file.is_file())
    return {file: (state.st_size, state.st_mtime_ns) for file, state in states if state.st_size}


def _recorded_run(path: Path, process: int) -> RecordedRun:
    files = tuple(file for file in parts_by_name(path) if file.is_file())
    totals = [_recorded_total(file) for file in files]
    if any(total is None for total in totals) and any(file.stat().st_size for file in files):
        verdict = Completeness.TRUNCATED
    else:
        verdict = Completeness.COMPLETE if any(totals) else Completeness.EMPTY
    # opening the first file opens all of them, even if it is empty itself
    return RecordedRun(process, path if path.exists() or not files else files[0], files, verdict)


def _recorded_total(path: Path) -> int | None:
    """Return the sum of the totals at the end of a file, over all events; None if truncated."""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _TAIL_SIZE))
        matches = _TOTALS.findall(stream.read())
    return sum(map(int, matches[-1].split())) if matches else None
