"""The profiles found in a folder."""

from __future__ import annotations

import gzip
import marshal
import os
from pathlib import Path

import pytest

from qcachegrind_py.formats.profile_finder import FoundProfile, find_profiles
from qcachegrind_py.profile.errors import UnreadableFile
from qcachegrind_py.profile.progress import NoProgress

PROFILE = b"# callgrind format\ncreator: x\npid: 77\ncmd: ./a b\nevents: Ir\nfn=main\n1 1\n"


def write(folder: Path, name: str, content: bytes, written: int) -> Path:
    path = folder / name
    path.write_bytes(content)
    os.utime(path, (written, written))
    return path


def test_profiles_are_found_by_content(tmp_path: Path) -> None:
    """Names do not matter; a run is listed once, by its first file, the latest at the top."""
    packed = gzip.compress(PROFILE)
    write(tmp_path, "notes.txt", b"callgrind", 900)
    write(tmp_path, "callgrind.out.9", b"\0\1", 800)
    write(tmp_path, "x", packed, 700)
    write(tmp_path, "callgrind.out.77", b"", 100)
    write(tmp_path, "callgrind.out.77-01", PROFILE, 100)
    write(tmp_path, "callgrind.out.77.1-02", PROFILE, 500)
    write(tmp_path, "callgrind.out.771", b"events: Ir\n", 600)
    (tmp_path / "one/two/three/four/five").mkdir(parents=True)
    write(tmp_path, "one/two/callgrind.out.5", PROFILE, 650)
    write(tmp_path, "one/two/three/four/five/callgrind.out.5", PROFILE, 650)
    (tmp_path / "again").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")

    assert find_profiles(NoProgress(), tmp_path) == [
        FoundProfile(tmp_path / "x", "./a b", len(packed), 700, 1),
        FoundProfile(tmp_path / "one/two/callgrind.out.5", "./a b", len(PROFILE), 650, 1),
        FoundProfile(tmp_path / "callgrind.out.771", "", 11, 600, 1),
        FoundProfile(tmp_path / "callgrind.out.77", "./a b", 2 * len(PROFILE), 500, 2),
    ]


def test_python_profiles_are_found(tmp_path: Path) -> None:
    """They are distinguished from other binary files by their first bytes."""
    path = write(tmp_path, "a.prof", marshal.dumps({("a.py", 1, "f"): (1, 1, 0.0, 0.0, {})}), 7)
    write(tmp_path, "b.prof", marshal.dumps([1]), 7)

    assert [found.path for found in find_profiles(NoProgress(), tmp_path)] == [path]


def test_an_unreadable_folder_is_reported(tmp_path: Path) -> None:
    """The error for a missing folder names it."""
    with pytest.raises(UnreadableFile, match="gone cannot be read: No such file"):
        find_profiles(NoProgress(), tmp_path / "gone")
