"""What is told of files without reading them: that they are there, how old, and of what program."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

from qcachegrind_py.formats.file_summary import FileSummary, summarize_all
from qcachegrind_py.profile.progress import NoProgress

PROFILE = b"# callgrind format\nversion: 1\ncmd:  ./prog --fast  \nevents: Ir\n"


def test_files_are_told_of_by_their_first_lines(tmp_path: Path) -> None:
    """Plain or packed, a file has its time and command; one without a command has its time."""
    plain, packed, other = (tmp_path / name for name in ("plain", "packed.gz", "other"))
    plain.write_bytes(PROFILE)
    packed.write_bytes(gzip.compress(PROFILE.replace(b"./prog", b"./pr\xffg")))
    other.write_bytes(b"Dear diary,\n" * 9 + b"x" * 10_000 + b"\ncmd: too far down\n")
    for number, path in enumerate((plain, packed, other)):
        os.utime(path, (0, 1000 + number))

    assert summarize_all(NoProgress(), [packed, plain, other]) == (
        FileSummary(packed, 1001, "./pr\N{REPLACEMENT CHARACTER}g --fast"),
        FileSummary(plain, 1000, "./prog --fast"),
        FileSummary(other, 1002, ""),
    )


def test_files_that_are_not_there_are_told_of(tmp_path: Path) -> None:
    """What is missing, a folder or a pipe that nobody writes to has no time, and nobody waits."""
    folder, pipe = tmp_path / "folder", tmp_path / "pipe"
    folder.mkdir()
    os.mkfifo(pipe)
    paths = [tmp_path / "missing", folder, pipe, Path("/a\0b")]

    assert summarize_all(NoProgress(), paths) == tuple(
        FileSummary(path, None, "") for path in paths
    )
