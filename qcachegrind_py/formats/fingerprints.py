"""Whether files are still as they were when they were read, by what the system says of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the system says of a file's contents: when written, how long, and which file it is."""

    written: int  # ns
    size: int
    device: int
    number: int  # another one where the file was replaced


Stamps = dict[Path, Stamp | None]  # None: there is no such file


def stamp(path: Path) -> Stamp | None:
    """The stamp of a file; None where the system has none of that name."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return Stamp(status.st_mtime_ns, status.st_size, status.st_dev, status.st_ino)


def stamps(paths: Iterable[Path]) -> Stamps:
    """The stamps of files. To be taken before reading: what is written meanwhile is a change."""
    return {path: stamp(path) for path in paths}
