"""A report that goes to a file or a pipe has only sources of the project; a terminal shows all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from qcachegrind_py.cli.main import main

pty = pytest.importorskip("pty", reason="needs pseudo terminals")
FORMS = (
    ["annotate", "f"],
    ["annotate", "f", "--format", "json"],
    ["annotate", "f", "--format", "csv"],
    ["annotate", "f", "--format", "tsv"],
    ["annotate"],
    ["annotate", "--file", "/letter.txt"],
    ["report", "--format", "html"],
    ["compare", "--format", "html"],
)


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A profile in a folder of its own, and an earlier one, of a source here and a letter there."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "letter.txt").write_text("Dear Ada,\n")
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "a.c").write_text("int a;\n")
    text = "events: Ir\nfl={}/there/letter.txt\nfn=f\n1 {}\nfi=a.c\n1 {}\n"
    (folder / "base.out").write_text(text.format(tmp_path, 5, 6))
    (folder / "new.out").write_text(text.format(tmp_path, 500, 600))
    monkeypatch.chdir(folder)
    return folder / "new.out"


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
def test_a_report_has_no_text_from_elsewhere(
    profile: Path, form: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    """The letter is left out of each form, which says so with the option that permits it."""
    there = profile.parents[1] / "there"
    here = ["int a;"] if "/letter.txt" not in form else []

    task, *more = form
    files = [str(profile)] if task != "compare" else ["base.out", str(profile)]
    assert main([task, *files, *more]) == 0
    out, err = capfd.readouterr()
    assert "Dear Ada" not in out + err
    assert all(text in out for text in here)
    assert f"Permit that with -I {there}" in out + err

    assert main([task, *files, *more, "-I", str(there)]) == 0
    out, err = capfd.readouterr()
    assert "Dear Ada" in out
    assert "left out" not in out + err


def test_a_terminal_shows_what_a_window_shows(profile: Path) -> None:
    """What is only looked at is not limited: the user may read their own files."""
    command = [sys.executable, "-m", "qcachegrind_py", "annotate", str(profile), "f"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=theirs) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b""))
        assert process.wait() == 0
    os.close(ours)

    assert b"Dear Ada" in shown
    assert b"left out" not in shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end is closed
        return b""
