"""`convert -o -`: the profile on standard output, and everything else on standard error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from qcachegrind_py.cli.main import main
from tests.cli.test_main import ROOT, SLOW
from tests.profile_rows import DATA

PROFILE = b"""\
part: 1
events: Ir
fn=na\xc3\xafve\xff
1 10
cfn=g
calls=3 1
2 90
fn=g
1 90
part: 2
fn=g
1 7
"""
FULL = Path("/dev/full")


@pytest.fixture
def profile_path(tmp_path: Path) -> Path:
    path = tmp_path / "callgrind.out.7"
    path.write_bytes(PROFILE)
    return path


@pytest.mark.parametrize(
    "options",
    [[], ["--parts=2"], ["--merge"], ["--filter=g"], ["--merge", "--parts=1", "--filter=g"]],
)
def test_the_output_is_the_file_that_would_be_saved(
    profile_path: Path, capfdbinary: pytest.CaptureFixture[bytes], options: list[str]
) -> None:
    """Every byte is that of the file, with all options that select what is saved."""
    out = profile_path.with_name("saved")
    assert main(["convert", str(profile_path), *options, "-o", str(out)]) == 0
    capfdbinary.readouterr()

    assert main(["convert", str(profile_path), *options, "-o", "-"]) == 0

    assert capfdbinary.readouterr() == (out.read_bytes(), SLOW.encode())


def test_errors_leave_the_output_empty(
    profile_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """An invalid selection and an unreadable file are reported on stderr, with their exit codes."""
    missing = profile_path.with_name("missing")
    assert main(["convert", str(profile_path), "--output=-", "--parts=3"]) == 2
    assert capfd.readouterr() == ("", "--parts 3: there are parts 1 to 2.\n")

    assert main(["convert", str(missing), "-o-"]) == 1
    out, said = capfd.readouterr()
    assert (out, said.startswith(f"{missing} ")) == ("", True)


def test_oddities_are_counted_on_stderr(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The output is a whole profile, whatever there is to say about the file that was read."""
    path = tmp_path / "odd"
    path.write_bytes(b"events: Ir\nodd\nfn=f\n1 5\n")

    assert main(["convert", str(path), "-o-"]) == 0

    out, said = capfd.readouterr()
    assert (out[:19], said) == ("# callgrind format\n", f"1 problem found in {path}.\n{SLOW}")


def test_a_file_called_dash(
    profile_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """`-` is standard output even where a file has this name; `./-` is the file."""
    monkeypatch.chdir(profile_path.parent)
    dash = profile_path.rename(profile_path.with_name("-"))

    assert main(["convert", "./-", "-o-"]) == 0
    assert capfd.readouterr().out.startswith("# callgrind format\n")
    assert dash.read_bytes() == PROFILE

    assert main(["convert", "./-", "-o./-"]) == 2
    assert "would replace ./-" in capfd.readouterr().err


def test_from_standard_input_to_standard_output() -> None:
    """As a filter in a pipe, the command writes the same profile when it is run once more."""
    copies = [PROFILE]
    for _ in range(2):
        command = [sys.executable, "-m", "qcachegrind_py", "convert", "-", "-o", "-"]
        ran = subprocess.run(command, cwd=ROOT, input=copies[-1], capture_output=True, check=True)
        copies.append(ran.stdout)

    assert copies[1] == copies[2]
    assert copies[1].count(b"events: Ir\n") == 2


def test_a_closed_pipe() -> None:
    """`| head` ends the output without a traceback or any other message."""
    path = DATA / "python" / "callgrind.out.python-default.xz"
    with subprocess.Popen(
        [sys.executable, "-m", "qcachegrind_py", "convert", str(path), "-o", "-"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("options", [["convert", "-o-"], ["report", "--format", "tsv"]])
def test_a_full_device(profile_path: Path, options: list[str]) -> None:
    """Output that cannot be written gives one line on stderr and exit code 1, in reports, too."""
    with FULL.open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "qcachegrind_py", *options, str(profile_path)],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    reason = b"Standard output cannot be written: No space left on device.\n"
    assert (ran.returncode, ran.stderr) == (1, reason)
