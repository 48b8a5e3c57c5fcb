"""File fingerprints: detect changed files by their stat data."""

from __future__ import annotations

import os
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

    @classmethod
    def of(cls, status: os.stat_result) -> Fingerprint:
        """Return the fingerprint in stat data."""
        return cls(status.st_mtime_ns, status.st_size, status.st_dev, status.st_ino)


Fingerprints = dict[Path, Fingerprint | None]  # None: the file does not exist


def fingerprint(path: Path) -> Fingerprint | None:
    """Return the fingerprint of a file, or of the archive that it is in; None if there is none."""
    try:
        return Fingerprint.of(path_on_disk(path).stat())
    except (OSError, ValueError):
        return None


def fingerprints(paths: Iterable[Path]) -> Fingerprints:
    """Return the fingerprints of files; take them before reading, so that later writes show."""
    return {path: fingerprint(path) for path in paths}
