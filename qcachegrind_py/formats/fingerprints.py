"""File fingerprints: detect changed files by their stat data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.profile.regular_file import path_on_disk


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The stat data that change whenever a file is written or replaced."""

    modified_ns: int  # ns since 1970
    size: int  # bytes
    device: int
    inode: int  # changes when the file is replaced


Fingerprints = dict[Path, Fingerprint | None]  # None: the file does not exist


def fingerprint(path: Path) -> Fingerprint | None:
    """Return the fingerprint of a file, or of the archive that it is in; None if there is none."""
    try:
        status = path_on_disk(path).stat()
    except (OSError, ValueError):
        return None
    return Fingerprint(status.st_mtime_ns, status.st_size, status.st_dev, status.st_ino)


def fingerprints(paths: Iterable[Path]) -> Fingerprints:
    """Return the fingerprints of files; take them before reading, so that later writes show."""
    return {path: fingerprint(path) for path in paths}


def file_sizes(paths: Iterable[str]) -> dict[str, int]:
    """Return the sizes of the files that exist, in bytes on disk, by path; none for members."""
    prints = {path: fingerprint(Path(path)) for path in paths if Path(path).exists()}
    return {path: print_.size for path, print_ in prints.items() if print_ is not None}
