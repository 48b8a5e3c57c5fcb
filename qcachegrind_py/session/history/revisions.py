"""In which order the files of a history are, and what they are called by default."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from qcachegrind_py.analysis.history.history import Revision

_DIGITS = re.compile(r"([0-9]+)")
_WORD = re.compile(r"[^./\\_ -]*")  # the names of files are words with such signs in between


def labelled(paths: Sequence[Path]) -> list[Revision]:
    """Return files as revisions, called by what distinguishes their names."""
    labels = distinguishing([str(path) for path in paths])
    return [Revision(label, str(path)) for label, path in zip(labels, paths, strict=True)]


def distinguishing(names: Sequence[str]) -> list[str]:
    """Return the names without the words that all of them begin and end with."""
    if len(set(names)) < len(names) or len(names) == 1:
        return [Path(name).name for name in names]
    begin = _common_length(names)
    begin -= len(_last_word(names[0][:begin]))
    rests = [name[begin:] for name in names]
    end = _common_length([rest[::-1] for rest in rests])
    end -= len(_last_word(rests[0][::-1][:end]))
    labels = [rest[: len(rest) - end].strip("./_ -") for rest in rests]
    return labels if all(labels) else rests if all(rests) else [Path(name).name for name in names]


def _common_length(texts: Sequence[str]) -> int:
    """Return how many characters all texts begin with."""
    first, last = min(texts), max(texts)
    pairs = enumerate(zip(first, last, strict=False))
    differs = (number for number, (one, other) in pairs if one != other)
    return next(differs, min(len(first), len(last)))


def _last_word(text: str) -> str:
    """Return the word that a text ends with."""
    match = _WORD.match(text[::-1])
    return match[0] if match else ""


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
        return path.stat().st_mtime_ns
    return 0
