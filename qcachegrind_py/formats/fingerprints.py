"""Whether files are still as they were when they were read, by what the system says of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What the system says of a file's contents: when written, how long, and which file it is."""

    modified_ns: int  # ns
    size: int
    device: int
    inode: int  # another one where the file was replaced


Fingerprints = dict[Path, Fingerprint | None]  # None: there is no such file


def fingerprint(path: Path) -> Fingerprint | None:
    """The stamp of a file; None where the system has none of that name."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return Fingerprint(status.st_mtime_ns, status.st_size, status.st_dev, status.st_ino)


def fingerprints(paths: Iterable[Path]) -> Fingerprints:
    """The stamps of files. To be taken before reading: what is written meanwhile is a change."""
    return {path: fingerprint(path) for path in paths}
