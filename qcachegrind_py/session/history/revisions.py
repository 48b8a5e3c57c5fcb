"""In which order the files of a history are, and what they are called by default."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from qcachegrind_py.analysis.history.history import Revision
from qcachegrind_py.formats.history_files import distinguishing_names
from qcachegrind_py.profile.files import path_on_disk

_DIGITS = re.compile(r"([0-9]+)")


def labelled(paths: Sequence[Path]) -> list[Revision]:
    """Return files as revisions, called by what distinguishes their names."""
    names = [str(path) for path in paths]
    pairs = zip(distinguishing_names(names), names, strict=True)
    return [Revision(label, file) for label, file in pairs]


def by_name(paths: Iterable[Path]) -> list[Path]:
    """Return files in the order of their names, with numbers in them counted: v9 before v10."""
    return sorted(paths, key=lambda path: (_name_order(path), str(path)))


def by_time(paths: Iterable[Path]) -> list[Path]:
    """Return files from the earliest to the latest; those of one moment are ordered by name."""
    return sorted(by_name(paths), key=_moment)


def _name_order(path: Path) -> tuple[tuple[int, int, str], ...]:
    """Return the pieces of a path: numbers by their value, and before texts."""
    return tuple(
        (0, int(piece), "") if number % 2 else (1, 0, piece)
        for number, piece in enumerate(_DIGITS.split(str(path)))
        if piece
    )


def _moment(path: Path) -> int:
    """Return when a file was written, in nanoseconds; 0 if it cannot be found."""
    with suppress(OSError):
        return path_on_disk(path).stat().st_mtime_ns
    return 0
