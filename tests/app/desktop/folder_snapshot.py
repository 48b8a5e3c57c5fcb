"""Snapshots of folders, to compare a folder before and after."""

from __future__ import annotations

import stat
from pathlib import Path


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return mode and bytes of all files and folders by relative path; a folder has no bytes."""
    return {
        str(path.relative_to(folder)): (
            stat.S_IMODE(path.lstat().st_mode),
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }
