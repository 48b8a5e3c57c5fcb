"""The disk is full while the program writes a file, its log, or standard output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.program import EXAMPLE, ROOT, Ended, Program, files_of_at_most

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no file sizes"),
]
COMPARED = ["gate", EXAMPLE, EXAMPLE, "--fail-if", "total>+1%"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *((f"saved{ending}", ["convert", EXAMPLE, "-o", ...]) for ending in ("", ".gz", ".xz")),
        ("saved.zst", ["convert", EXAMPLE, "-o", ...]),
        ("stacks.txt", ["convert", EXAMPLE, "-o", ...]),
        ("stacks.json.gz", ["convert", EXAMPLE, "-o", ...]),
        ("summary.md", [*COMPARED, "--summary", ...]),
        ("rules.xml", [*COMPARED, "--junit", ...]),
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


PRINTING = [
    ["--version"],
    ["--help"],
    ["doctor"],
    ["desktop", "uninstall"],
    ["report", EXAMPLE],
    ["report", EXAMPLE, "--format", "html"],
    ["explain", EXAMPLE, "main"],
    ["annotate", EXAMPLE, "main"],
    ["calls", EXAMPLE, "main"],
    ["convert", EXAMPLE, "-o", "-"],
    ["convert", EXAMPLE, "--to", "folded", "-o", "-"],
    ["convert", EXAMPLE, "--to", "lcov", "-o", "-"],
    ["history", EXAMPLE, EXAMPLE],
    ["compare", EXAMPLE, EXAMPLE],
    ["gate", EXAMPLE, "--fail-if", "inclusive>1%"],
]


def with_redirection(home: Path, redirection: str, arguments: list[object]) -> Ended:
    """What is left of the program that a shell started with this redirection."""
    words = [sys.executable, "-m", "qcachegrind_py", *map(str, arguments)]
    ran = subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *words],
        env={**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return Ended(ran.returncode, ran.stdout, ran.stderr)


FULL, CLOSED = "> /dev/full", ">&-"


@pytest.mark.parametrize(
    ("arguments", "redirection", "reason"),
    [
        *((words, FULL, "No space left on device") for words in PRINTING),
        *((words, CLOSED, "Bad file descriptor") for words in (PRINTING[0], PRINTING[4])),
    ],
    ids=lambda words: " ".join(map(str, words[:2])) if isinstance(words, list) else "",
)
def test_output_that_cannot_be_written(
    tmp_path: Path, arguments: list[object], redirection: str, reason: str
) -> None:
    """Each task says so and fails: a script must not take nothing for an answer."""
    ended = with_redirection(tmp_path, redirection, arguments)
    said = f"Standard output cannot be written: {reason}.\n"
    if "--fail-if" in arguments:
        said += "Exit code 1: a file could not be read or written. Besides, a rule is met.\n"
    assert ended == Ended(1, "", said)


def test_closed_output_is_no_fault_where_nothing_is_printed(tmp_path: Path) -> None:
    """A file that is saved is complete without a word."""
    saved = tmp_path / "saved"
    assert with_redirection(tmp_path, ">&-", ["convert", EXAMPLE, "-o", saved]) == Ended(0, "", "")
    assert saved.stat().st_size > 100_000


@pytest.mark.parametrize("redirection", ["2> /dev/full", "2>&-"])
def test_messages_that_cannot_be_written_change_nothing(tmp_path: Path, redirection: str) -> None:
    """The exit code is that of the rule, and no message strays into the report."""
    arguments = ["gate", EXAMPLE, "--fail-if", "total>1", "--annotations", "github"]
    ended = with_redirection(tmp_path, redirection, arguments)
    assert (ended.code, ended.output) == (3, with_redirection(tmp_path, "", arguments).output)


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
