"""Sibling files of one run: Callgrind writes dumps and threads beside the file it was told to.

`callgrind.out.77` has the dumps `callgrind.out.77.1`, …, the threads `callgrind.out.77-01`, …, and
combinations such as `callgrind.out.77.1-01`; with `--callgrind-out-file=cg`, so has `cg`. Names
only suggest that files belong together: those of the same run state the same creator, command and
process. Where files state no run, the process in the name decides (docs/design.md, reading rule 9).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from qcachegrind_py.formats.run_identity import run_identity

_SUFFIX = re.compile(r"(?:\.\d+)?(?:-\d+)?")


def sibling_parts(path: Path) -> tuple[Path, ...]:
    """Return the file and the other files of its run, in order, without empty ones.

    With threads, Callgrind leaves an empty file with the name it was told. The run is then that of
    the latest file beside it.
    """
    candidates = _named_after(path)
    if not candidates:
        return (path,)
    identities = {candidate: run_identity(candidate) for candidate in candidates}
    latest = max(candidates, key=_modified)
    run = run_identity(path) if _is_filled(path) else identities[latest]
    if run is None and not names_process(path):
        return (path,)
    parts = sorted((c for c in candidates if identities[c] == run), key=_numeric_key)
    return skip_empty_files((path, *parts))


def names_process(path: Path) -> bool:
    """Return whether the name ends with a number, as that of `callgrind.out.PID` does."""
    return re.fullmatch(r".+\.\d+", path.name) is not None


def parts_by_name(path: Path) -> tuple[Path, ...]:
    """Return the file and all others with names of its parts, in order, without empty ones.

    For names that no other run has used.
    """
    return skip_empty_files((path, *sorted(_named_after(path), key=_numeric_key)))


def run_leaders(name: str) -> list[str]:
    """Return the names of files whose opening may include the file `name`, shortest first."""
    whole = re.sub(r"-\d+$", "", name)
    names = dict.fromkeys((re.sub(r"\.\d+$", "", whole), whole))
    return [leader for leader in names if leader != name]


def skip_empty_files(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the files that are not empty, or all if there are none."""
    filled = tuple(path for path in paths if not (path.is_file() and path.stat().st_size == 0))
    return filled or paths


def _named_after(path: Path) -> list[Path]:
    """Return the files in the same folder whose names add a dump or a thread to this one."""
    begin = len(path.name)
    if not begin:  # a folder such as `.`
        return []
    try:
        names = os.listdir(path.parent)  # noqa: PTH208 -- paths of 1,000s of files would be slow
    except OSError:
        return []
    return [
        path.with_name(name)
        for name in names
        if len(name) > begin and name.startswith(path.name) and _SUFFIX.fullmatch(name, begin)
    ]


def _is_filled(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _numeric_key(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path.name)]
