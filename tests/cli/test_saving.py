"""Saving by command: selected parts and functions, exit codes, messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.cli.main import main
from tests.cli.test_main import SLOW
from tests.profile_rows import cost_table, text_bytes

DRAWING = """
    events: Ir Dr
    part: 1
    summary: 200 9
    fn=main
    1 10 1
    cfn=Tree::grow
    calls=3 1
    2 90
    fn=Tree::grow
    1 90 1
    part: 2
    events: Ir Dr
    fn=Tree::grow
    1 7 2
    part: 3
    events: Ir Dr
    fn=main
    1 5
    """


@pytest.fixture
def profile_path(tmp_path: Path) -> Path:
    path = tmp_path / "callgrind.out.7"
    path.write_bytes(text_bytes(DRAWING))
    return path


@pytest.mark.parametrize(
    ("options", "functions", "parts"),
    [
        ([], {"main": (15, 105, 0), "Tree::grow": (97, 97, 3)}, [1, 2, 3]),
        (["--parts", "1,3"], {"main": (15, 105, 0), "Tree::grow": (90, 90, 3)}, [1, 3]),
        (["--parts=2-3"], {"main": (5, 5, 0), "Tree::grow": (7, 7, 0)}, [2, 3]),
        (["--merge"], {"main": (15, 105, 0), "Tree::grow": (97, 90, 3)}, [0]),
        (
            ["--filter", "class:Tree self>40%"],
            {"main": (0, 90, 0), "Tree::grow": (97, 97, 3)},
            [1, 2, 3],
        ),
        (
            ["--filter", "self>1", "--event=Dr", "--parts=1-2"],
            {"main": (0, 90, 0), "Tree::grow": (97, 97, 3)},
            [1, 2],
        ),
    ],
)
def test_selection_is_saved(
    profile_path: Path,
    capfd: pytest.CaptureFixture[str],
    options: list[str],
    functions: dict[str, tuple[int, int, int]],
    parts: list[int],
) -> None:
    """--parts, --merge and --filter select what --save writes; nothing is printed."""
    out = profile_path.with_name("saved.gz")

    assert main(["convert", str(profile_path), *options, "-o", str(out)]) == 0

    saved = q.load(out)
    assert (cost_table(saved), [part.part for part in saved.parts]) == (functions, parts)
    assert capfd.readouterr() == ("", SLOW)


@pytest.mark.parametrize(
    "spelled", ["callgrind.out.7", "./callgrind.out.7", "../{0}/callgrind.out.7", "soft", "hard"]
)
def test_a_file_that_is_read_is_not_replaced(
    profile_path: Path,
    spelled: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """However the path is spelled, wrong usage is reported, and the file stays as it was."""
    folder, before = profile_path.parent, profile_path.read_bytes()
    (folder / "soft").symlink_to(profile_path)
    (folder / "hard").hardlink_to(profile_path)
    monkeypatch.chdir(folder)
    out = spelled.format(folder.name)

    assert main(["convert", str(profile_path), "-o", out, "--parts", "1"]) == 2

    reason = f"-o {out} would replace {profile_path}, which is being read. Choose another name.\n"
    assert capfd.readouterr() == ("", reason)
    assert profile_path.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--parts=4"], 2, "--parts 4: there are parts 1 to 3.\n"),
        (["--parts=2-x"], 2, "--parts 2-x: there are parts 1 to 3; write them as 1,3 or 2-5.\n"),
        (["--filter=self>"], 2, "--filter “self>”: after > comes a number, "
         "such as self>1% or self>10k.\n"),
        (["--filter=none"], 2, "--filter none: no function matches.\n"),
        (["--filter=main", "--event=No"], 2, "Unknown event No; there are: Ir, Dr.\n"),
    ],
)  # fmt: skip
def test_invalid_selection_is_reported(
    profile_path: Path, capfd: pytest.CaptureFixture[str], options: list[str], code: int, said: str
) -> None:
    """An invalid selection gives a line on stderr and exit code 2, and no file is written."""
    out = profile_path.with_name("saved")

    assert main(["convert", str(profile_path), *options, "-o", str(out)]) == code

    assert capfd.readouterr() == ("", said)
    assert not out.exists()


def test_write_error_is_reported(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A write error gives a line with a remedy, and exit code 1."""
    out = profile_path.parent / "nowhere" / "saved"

    assert main(["convert", str(profile_path), "-o", str(out)]) == 1

    reason = "cannot be written: No such file or directory. Choose an existing folder."
    assert capfd.readouterr().err == f"{out} {reason}\n"


def test_the_report_of_the_saved_file(
    profile_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The JSON report of the copy is that of the original, except for the file and its size."""
    out = profile_path.with_name("copy")
    assert main(["convert", str(profile_path), "-o", str(out)]) == 0

    reports = []
    for path in (profile_path, out):
        assert main(["report", str(path), "--format", "json"]) == 0
        reports.append(json.loads(capfd.readouterr().out.replace(str(path), "FILE")))
        reports[-1]["header"]["files"][0].pop("size")

    assert reports[0] == reports[1]
