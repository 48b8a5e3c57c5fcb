"""The disk is full while the program writes a file, its log, or standard output."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.faults.program import EXAMPLE, Program, files_of_at_most

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no file sizes"),
]
COMPARED = ["--base", EXAMPLE, "--fail-if", "total>+1%", EXAMPLE]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *((f"saved{ending}", ["--save", ..., EXAMPLE]) for ending in ("", ".gz", ".bz2", ".xz")),
        ("saved.zst", ["--save", ..., EXAMPLE]),
        ("stacks.txt", ["--export-stacks", ..., EXAMPLE]),
        ("stacks.json.gz", ["--export-stacks", ..., EXAMPLE]),
        ("summary.md", ["--summary", ..., *COMPARED]),
        ("rules.xml", ["--junit", ..., *COMPARED]),
        ("window.png", ["--screenshot", ..., EXAMPLE]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_export_keeps_the_old_file(tmp_path: Path, name: str, arguments: list[object]) -> None:
    """Reason and remedy are those of all files; nothing is left beside the old one."""
    folder = tmp_path / "folder"
    folder.mkdir()
    target = folder / name
    target.write_text("the old file")
    with files_of_at_most(50):
        program = Program(tmp_path / "home", [target if a is ... else a for a in arguments])
    reason = "File too large. Choose a disk that takes larger files."
    ended = program.wait()
    assert (ended.code, ended.errors) == (1, f"{target} cannot be written: {reason}\n")
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [(name, "the old file")]


def test_a_window_ends_although_its_log_is_not_written(tmp_path: Path) -> None:
    """What the log could not take is dropped; the exit code is still that of the signal."""
    with files_of_at_most(0):
        program = Program(tmp_path / "home", ["--debug", EXAMPLE])
    assert program.process.stderr is not None
    assert b"started" in program.process.stderr.readline()
    program.process.send_signal(signal.SIGTERM)

    ended = program.wait()
    assert (ended.code, ended.output) == (128 + signal.SIGTERM, "")
    assert "Traceback" not in ended.errors
