"""Writing several files: all or none."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from qcachegrind_py.app.desktop.file_ops import write_all
from qcachegrind_py.profile.errors import UnwritableFile
from tests.app.desktop.folder_snapshot import snapshot


def test_all_files_are_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If one file cannot be replaced, files written before it are restored or deleted."""
    old, new, busy = tmp_path / "old", tmp_path / "folder/new", tmp_path / "busy"
    for path in (old, busy):
        path.write_bytes(b"before")
        path.chmod(0o600)
    there = snapshot(tmp_path)
    replace = Path.replace

    def replace_unless_busy(part: Path, path: Path) -> Path:
        """Fail like a system on which another file is mounted over this one."""
        if path == busy:
            raise OSError(errno.EBUSY, "Device or resource busy")
        return replace(part, path)

    monkeypatch.setattr(Path, "replace", replace_unless_busy)
    with pytest.raises(UnwritableFile, match="busy cannot be written: Device or resource busy"):
        write_all({busy: b"after", old: b"after", new: b"after"}, [new.parent])

    assert snapshot(tmp_path) == there
