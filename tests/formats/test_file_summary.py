"""File summaries without reading whole profiles: existence, age, and command."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

from qcachegrind_py.formats.profile_finder import FileSummary, summarize_all
from qcachegrind_py.profile.progress import NoProgress

PROFILE = b"# callgrind format\nversion: 1\ncmd:  ./prog --fast  \nevents: Ir\n"


def test_summaries_come_from_the_first_lines(tmp_path: Path) -> None:
    """Plain or compressed, a file has its time and command; one without a command has its time."""
    plain, packed, other = (tmp_path / name for name in ("plain", "packed.gz", "other"))
    plain.write_bytes(PROFILE)
    packed.write_bytes(gzip.compress(PROFILE.replace(b"./prog", b"./pr\xffg")))
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
