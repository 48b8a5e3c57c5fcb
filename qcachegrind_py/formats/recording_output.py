"""The files that a recording wrote: what they are called, which there are, whether they are whole.

Each recording has a name of its own, `callgrind.out.PROGRAM-DATE-TIME`, so none replaces another.
Behind it callgrind puts the number of the process, of a part and of a thread: `.77`, `.77.1`,
`.77-01`. Callgrind ends as if all was well where the disk is full: it is seen by the file's end.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from enum import Enum
from itertools import count
from pathlib import Path

from qcachegrind_py.formats.sibling_parts import sibling_parts

_TAIL_SIZE = 4096  # bytes in which the totals stand
_TOTALS = re.compile(rb"^totals:([ \d]*)$", re.MULTILINE)


class Completeness(Enum):
    """What is in the files of a process."""

    COMPLETE = "whole"
    TRUNCATED = "cut"  # the last lines are missing
    EMPTY = "nothing"  # no cost was counted, or nothing written


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The files of one process: `path` opens all of them."""

    process: int
    path: Path
    files: tuple[Path, ...]
    completeness: Completeness


def profile_file_name(program: str, now: float) -> str:
    """What the profile of a program is called; `now` is in seconds since 1970."""
    return f"callgrind.out.{program}-{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}"


def unused_profile_path(folder: Path, program: str, now: float) -> Path:
    """A name that no file in the folder begins with yet."""
    stem = profile_file_name(program, now)
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    tries = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return folder / next(t for t in tries if not any(name.startswith(f"{t}.") for name in names))


def find_recorded_runs(profile: Path, process: int) -> list[RecordedRun]:
    """What was written under the name of `profile`: `process` first, then those it started."""
    behind = re.compile(re.escape(profile.name) + r"\.(\d+)(?:\.\d+)?(?:-\d+)?")
    try:
        names = [behind.fullmatch(path.name) for path in profile.parent.iterdir()]
    except OSError:
        return []
    numbers = sorted({int(name[1]) for name in names if name}, key=lambda n: (n != process, n))
    return [
        _recorded_run(profile.with_name(f"{profile.name}.{number}"), number) for number in numbers
    ]


def process_files(profile: Path, process: int) -> set[Path]:
    """The files of one process that are not empty."""
    path = profile.with_name(f"{profile.name}.{process}")
    return {file for file in sibling_parts(path) if file.is_file() and file.stat().st_size}


def _recorded_run(path: Path, process: int) -> RecordedRun:
    files = tuple(file for file in sibling_parts(path) if file.is_file())
    totals = [_recorded_total(file) for file in files]
    if any(total is None for total in totals) and any(file.stat().st_size for file in files):
        verdict = Completeness.TRUNCATED
    else:
        verdict = Completeness.COMPLETE if any(totals) else Completeness.EMPTY
    # the first one opens them all, even where it is empty itself
    return RecordedRun(process, path if path.exists() or not files else files[0], files, verdict)


def _recorded_total(path: Path) -> int | None:
    """The sum of the totals at the end of a file, whatever they count; None where it is cut."""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _TAIL_SIZE))
        found = _TOTALS.findall(stream.read())
    return sum(map(int, found[-1].split())) if found else None
