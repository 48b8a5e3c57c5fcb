"""A folder as a value, to be compared with what it is later."""

from __future__ import annotations

import stat
from pathlib import Path


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and bytes of all files and folders, by name; of a folder there are no bytes."""
    return {
        str(path.relative_to(folder)): (
            stat.S_IMODE(path.lstat().st_mode),
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }
