"""Sibling files of one run: Callgrind writes dumps and threads beside `callgrind.out.PID`.

`callgrind.out.77` has the dumps `callgrind.out.77.1`, …, the threads `callgrind.out.77-01`, …, and
combinations such as `callgrind.out.77.1-01`. Files of other runs, such as `callgrind.out.771`, are
excluded (docs/design.md, reading rule 9).
"""

from __future__ import annotations

import re
from collections.abc import Container
from pathlib import Path

_RUN_NAME = re.compile(r".+\.\d+")


def sibling_parts(path: Path) -> tuple[Path, ...]:
    """Return the file and the other files of its run, in order, without empty ones."""
    if not _RUN_NAME.fullmatch(path.name):
        return (path,)
    part = re.compile(re.escape(path.name) + r"(?:\.(\d+))?(?:-(\d+))?")
    try:
        names = [p.name for p in path.parent.iterdir() if part.fullmatch(p.name)]
    except OSError:
        return (path,)
    parts = sorted((path.with_name(n) for n in names if n != path.name), key=_numeric_key)
    return skip_empty_files((path, *parts))


def run_leader(name: str, names: Container[str]) -> str:
    """Return the file in `names` whose opening includes the file; else the file itself."""
    whole = re.sub(r"-\d+$", "", name)
    bases = (re.sub(r"\.\d+$", "", whole), whole)
    return next((base for base in bases if base in names and _RUN_NAME.fullmatch(base)), name)


def skip_empty_files(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the files that are not empty, or all if there are none.

    In a run with threads, the first file is empty.
    """
    filled = tuple(path for path in paths if not (path.is_file() and path.stat().st_size == 0))
    return filled or paths


def _numeric_key(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path.name)]
