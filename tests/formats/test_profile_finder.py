"""Profiles on disk: found by content, earlier ones, and summaries without reading whole files."""

from __future__ import annotations

import gzip
import marshal
import os
from pathlib import Path

import pytest

from qcachegrind_py.formats.run_files import (
    FileSummary,
    FoundProfile,
    earlier_profiles,
    find_profiles,
    summarize_all,
)
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


# --------------------------------------------------------------- summaries

SUMMED_UP = b"# callgrind format\nversion: 1\ncmd:  ./prog --fast  \nevents: Ir\n"


def test_summaries_come_from_the_first_lines(tmp_path: Path) -> None:
    """Plain or compressed, a file has its time and command; one without a command has its time."""
    plain, packed, other = (tmp_path / name for name in ("plain", "packed.gz", "other"))
    plain.write_bytes(SUMMED_UP)
    packed.write_bytes(gzip.compress(SUMMED_UP.replace(b"./prog", b"./pr\xffg")))
    other.write_bytes(b"Dear diary,\n" * 9 + b"x" * 10_000 + b"\ncmd: too far down\n")
    for number, path in enumerate((plain, packed, other)):
        os.utime(path, (0, 1000 + number))

    assert summarize_all(NoProgress(), [packed, plain, other]) == (
        FileSummary(packed, 1001, r"./pr\xffg --fast"),
        FileSummary(plain, 1000, "./prog --fast"),
        FileSummary(other, 1002, ""),
    )


def test_missing_files_have_a_summary(tmp_path: Path) -> None:
    """A missing file, a folder or an unused pipe has no time, and nothing blocks."""
    folder, pipe = tmp_path / "folder", tmp_path / "pipe"
    folder.mkdir()
    os.mkfifo(pipe)
    paths = [tmp_path / "missing", folder, pipe, Path("/a\0b")]

    assert summarize_all(NoProgress(), paths) == tuple(
        FileSummary(path, None, "") for path in paths
    )


# -------------------------------------------------------- earlier profiles


def test_bases_are_found_by_their_names(tmp_path: Path) -> None:
    """`X.old` comes first, then `X.base@NAME` by name; folders and other files are no bases."""
    names = ("X", "X.old", "X.base@main", "X.base@a", "X.older", "Y.old", "X.base")
    for name in names:
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "X.base@folder").mkdir()

    found = earlier_profiles(NoProgress(), tmp_path / "X")

    assert [path.name for path in found] == ["X.old", "X.base@a", "X.base@main"]


def test_a_folder_that_cannot_be_read_has_no_bases(tmp_path: Path) -> None:
    """A folder that is gone is no error."""
    assert earlier_profiles(NoProgress(), tmp_path / "gone" / "X") == ()
